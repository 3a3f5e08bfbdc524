//! The languages of what people read: Japanese and English. USI, JSON and the formats of files have
//! none.
//!
//! The catalogue is a plain table in `texts`, a row for each text with both languages. Two
//! languages without plural rules between them need no message format such as Fluent's, and a row
//! that lacks a language or a value does not compile.

mod texts;

use std::{fmt, str::FromStr, time::Duration};

use serde::Serialize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::position::Position;
use crate::records::{kif, notation::japanese};
use crate::types::{Color, Move};
use crate::util::counted;

/// A language.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    /// English, with moves in USI notation.
    #[default]
    En,
    /// Japanese, with moves in 棋譜 notation.
    Ja,
}

impl FromStr for Lang {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.to_ascii_lowercase().as_str() {
            "ja" | "japanese" => Ok(Self::Ja),
            "en" | "english" => Ok(Self::En),
            _ => Err(unknown(text)),
        }
    }
}

impl fmt::Display for Lang {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::En => "en",
            Self::Ja => "ja",
        })
    }
}

impl Lang {
    /// The language of the environment: `RAICHO_LANG`, or else, in the order of POSIX, `LC_ALL`,
    /// `LC_MESSAGES` and `LANG`. English unless the first that is set names Japanese.
    pub fn of_environment() -> Self {
        Self::of_variables(|name| std::env::var(name).ok())
    }

    /// What is wrong with `RAICHO_LANG`, if it names a language that there are no texts in.
    pub fn fault_of_environment() -> Option<String> {
        Self::fault_of(&std::env::var("RAICHO_LANG").ok()?)
    }

    /// Names of locales such as `ja_JP.UTF-8` are known too.
    fn fault_of(name: &str) -> Option<String> {
        let lower = name.to_ascii_lowercase();
        let is_known = name.is_empty() || lower.starts_with("ja") || lower.starts_with("en");
        (!is_known).then(|| unknown(name))
    }

    fn of_variables(value: impl Fn(&str) -> Option<String>) -> Self {
        let names = ["RAICHO_LANG", "LC_ALL", "LC_MESSAGES", "LANG"];
        let set = names.into_iter().filter_map(value);
        let first = set.into_iter().find(|value| !value.is_empty());
        match first {
            Some(name) if name.to_ascii_lowercase().starts_with("ja") => Self::Ja,
            _ => Self::En,
        }
    }

    /// The names of the sides in a game with this start: 下手 and 上手 at handicaps.
    pub fn sides(self, start: &Position) -> [&'static str; Color::NUM] {
        match self {
            Self::En => ["black", "white"],
            Self::Ja => kif::side_names(start),
        }
    }

    /// A length of time in its largest unit, rounded down.
    pub fn duration(self, time: Duration) -> String {
        let seconds = time.as_secs();
        let units = [
            (86_400, "day", "日"),
            (3600, "hour", "時間"),
            (60, "minute", "分"),
        ];
        let unit = units.into_iter().find(|&(length, ..)| seconds >= length);
        let (length, en, ja) = unit.unwrap_or((1, "second", "秒"));
        let count = seconds / length;
        match self {
            Self::En => counted(count, en),
            Self::Ja => format!("{count}{ja}"),
        }
    }

    /// How a game ended, by the English words for it, those of a match or of a record.
    pub fn ending(self, words: &str) -> &str {
        match (self, words) {
            (Self::En, "unfinished") => return "no ending recorded",
            (Self::En, "max moves") => return "impasse or move limit",
            (Self::En, _) => return words,
            (Self::Ja, _) => {}
        }
        match words {
            "resignation" => "投了",
            "checkmate" => "詰み",
            "declaration" => "入玉宣言",
            "try" => "トライ",
            "repetition" => "千日手",
            "perpetual check" => "連続王手の千日手",
            "move limit" => "手数制限",
            "max moves" => "持将棋・手数制限",
            "adjudicated win" => "判定勝ち",
            "adjudicated draw" => "判定引き分け",
            "loss on time" | "time up" => "時間切れ",
            "hang" => "応答なし",
            "crash" => "異常終了",
            "illegal move" => "反則手",
            "illegal action" => "反則",
            "false declaration" | "illegal declaration" => "宣言不成立",
            "disconnection" => "接続切れ",
            "forfeit" => "不戦勝",
            "interrupted" => "中断",
            "no mate" => "不詰",
            "unfinished" => "終局の記録なし",
            "not ready" => "準備未完了",
            other => other,
        }
    }

    /// The limits of an engine in a match, by the English words for them.
    pub fn limits(self, words: &str) -> String {
        let replaced = [
            (" nodes are 1 ms", " ノード/ms"),
            (" nodes", " ノード"),
            (" node", " ノード"),
            ("byoyomi", "秒読み"),
            ("movetime", "一手"),
            ("depth", "深さ"),
            (" s", " 秒"),
            (", ", "、"),
        ];
        let replaced = replaced.into_iter().filter(|_| self == Self::Ja);
        replaced.fold(words.to_owned(), |words, (en, ja)| words.replace(en, ja))
    }

    /// A position as a board with both hands.
    pub fn board(self, position: &Position) -> String {
        match self {
            Self::En => position.to_string(),
            Self::Ja => kif::diagram(position).join("\n"),
        }
    }

    /// A legal move of the position.
    pub fn mv(self, position: &Position, mv: Move) -> String {
        match self {
            Self::En => mv.to_string(),
            Self::Ja => {
                let last = position.last_move().map(Move::to);
                japanese::with_mark(position, mv, last)
            }
        }
    }

    /// The moves of a line from the position on, with spaces between them.
    pub fn line(self, position: &Position, moves: &[Move]) -> String {
        match self {
            Self::En => {
                let moves: Vec<String> = moves.iter().map(Move::to_string).collect();
                moves.join(" ")
            }
            Self::Ja => japanese::line(position, moves).join(" "),
        }
    }
}

fn unknown(name: &str) -> String {
    format!("unknown language '{name}', expected ja or en")
}

/// The columns of a terminal that a text takes. Kanji and full-width characters take two.
pub fn width(text: &str) -> usize {
    text.width_cjk()
}

/// The text without the control characters that a terminal would obey.
pub fn printable(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// The text with spaces behind it, up to a width in columns.
pub fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text with spaces before it, up to a width in columns.
pub fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The longest start of the text that fits into a width in columns.
pub fn cut(text: &str, columns: usize) -> &str {
    let mut taken = 0;
    for (index, letter) in text.char_indices() {
        taken += letter.width_cjk().unwrap_or(0);
        if taken > columns {
            return &text[..index];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides_in_its_order() {
        let lang = |raicho: &str, lang: &str| {
            Lang::of_variables(|name| match name {
                "RAICHO_LANG" => Some(raicho.to_owned()),
                "LANG" => Some(lang.to_owned()),
                _ => None,
            })
        };
        assert_eq!(lang("", "ja_JP.UTF-8"), Lang::Ja);
        assert_eq!(lang("en", "ja_JP.UTF-8"), Lang::En);
        assert_eq!(lang("JA", "C"), Lang::Ja);
        assert_eq!(lang("", ""), Lang::En);
        let all = |name: &str| match name {
            "LC_ALL" => Some("C".to_owned()),
            "LC_MESSAGES" | "LANG" => Some("ja_JP.UTF-8".to_owned()),
            _ => None,
        };
        assert_eq!(Lang::of_variables(all), Lang::En);
        let messages = |name: &str| all(name).filter(|_| name != "LC_ALL");
        assert_eq!(Lang::of_variables(messages), Lang::Ja);
        assert_eq!("ja".parse(), Ok(Lang::Ja));
        for (name, is_known) in [
            ("", true),
            ("ja_JP.UTF-8", true),
            ("EN", true),
            ("fr", false),
        ] {
            let fault = Lang::fault_of(name);
            assert_eq!(fault.is_none(), is_known, "{name}");
        }
        let error = "fr".parse::<Lang>();
        assert_eq!(
            error,
            Err("unknown language 'fr', expected ja or en".to_owned())
        );
    }

    #[test]
    fn moves_and_sides_are_in_the_language() {
        let mut position = Position::startpos();
        let mv = |position: &Position, text: &str| {
            position
                .to_move(text.parse().expect("a move"))
                .expect("a move of the position")
        };
        let first = mv(&position, "7g7f");
        assert_eq!(Lang::Ja.mv(&position, first), "▲７六歩");
        assert_eq!(Lang::En.line(&position, &[first]), "7g7f");
        assert_eq!(Lang::Ja.sides(&position), ["先手", "後手"]);
        position.do_move(first);
        assert_eq!(
            Lang::Ja.line(&position, &[mv(&position, "3c3d")]),
            "△３四歩"
        );
        let handicap = "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        let handicap = Position::from_sfen(handicap).expect("a position");
        assert_eq!(Lang::Ja.sides(&handicap), ["下手", "上手"]);
        assert!(Lang::Ja.board(&handicap).contains("v玉"));
    }

    #[test]
    fn numbers_have_their_units() {
        assert_eq!(
            [1, 2].map(|count| Lang::En.games(count)),
            ["1 game", "2 games"]
        );
        assert_eq!(Lang::Ja.games(2), "2局");
        for (seconds, en, ja) in [
            (0, "0 seconds", "0秒"),
            (61, "1 minute", "1分"),
            (7300, "2 hours", "2時間"),
            (90_000, "1 day", "1日"),
        ] {
            let time = Duration::from_secs(seconds);
            assert_eq!(Lang::En.duration(time), en);
            assert_eq!(Lang::Ja.duration(time), ja);
        }
    }

    #[test]
    fn limits_are_in_the_language() {
        let limits = "10+0.1 s, byoyomi 1 s, 1000 nodes, depth 5";
        assert_eq!(Lang::En.limits(limits), limits);
        let ja = "10+0.1 秒、秒読み 1 秒、1000 ノード、深さ 5";
        assert_eq!(Lang::Ja.limits(limits), ja);
        assert_eq!(Lang::Ja.limits("movetime 0.5 s"), "一手 0.5 秒");
    }

    #[test]
    fn texts_have_their_values() {
        assert_eq!(
            Lang::En.depth_and_nodes(12, Lang::En.nodes(345), "1.5"),
            "depth 12, 345 nodes, 1.5 s"
        );
        assert_eq!(
            Lang::Ja.depth_and_nodes(12, Lang::Ja.nodes(345), "1.5"),
            "深さ 12、345 ノード、1.5 秒"
        );
    }

    #[test]
    fn no_text_commands_the_terminal() {
        let name = "\u{1b}[31mRED\u{1b}]0;title\u{7}\t\u{9b}2J\n";
        let shown = printable(name);
        assert_eq!(shown, " [31mRED ]0;title   2J ");
        assert_eq!(width(&shown), shown.len());
    }

    #[test]
    fn kanji_take_two_columns() {
        assert_eq!(width("▲７六歩"), 8);
        assert_eq!(left("評価値", 8), "評価値  ");
        assert_eq!(right("手", 4), "  手");
        assert_eq!(right("long", 2), "long");
        assert_eq!([cut("評価値", 5), cut("評価値", 6)], ["評価", "評価値"]);
    }
}
