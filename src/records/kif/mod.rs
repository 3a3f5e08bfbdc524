//! Game records in KIF and KI2, the formats of Japanese sites and GUIs.
//!
//! Source: the description by the author of Kifu for Windows
//! (`http://kakinoki.o.oo7.jp/kif_format.html`). Headings, handicaps, board diagrams, times,
//! comments, bookmarks, variations and endings are read and written. KIF lacks words for some
//! endings; the writer then takes the nearest and a comment with the real ending, which the reader
//! understands.

mod board;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

use std::time::Duration;

use crate::position::Position;
use crate::records::game::{Ending, parse_seconds, possible};
use crate::types::{Color, Repetition};

pub use board::{diagram, hand_text};
pub use reader::read;
pub use writer::{Style, losses, side_names, write};

// --- Endings ---

/// The first word of the sentence on the ending, which some programs write after the last move.
const UNTIL: &str = "まで";

/// Another first word of that sentence.
const IN_ALL: &str = "以上";

/// The ending of the word in the last row of moves; `None` if the word is none. `illegal` is a move
/// before it that the rules forbid.
fn ending_of_word(word: &str, position: &Position, illegal: Option<&str>) -> Option<Ending> {
    let side = position.side_to_move();
    let text = || illegal.unwrap_or_default().to_owned();
    Some(match word.to_ascii_lowercase().as_str() {
        "投了" | "resigns" | "resign" | "resigned" => Ending::Resignation,
        "詰み" | "詰" | "checkmate" => Ending::Checkmate,
        "不詰" | "不詰み" => Ending::NoMate,
        "中断" | "封じ手" | "待った" | "suspended" => Ending::Interrupted,
        "千日手" | "repetition" => Ending::Repetition,
        "持将棋" | "impasse" => Ending::MaxMoves,
        "引き分け" | "引分け" | "引分" | "draw" => Ending::AdjudicatedDraw,
        "切れ負け" | "時間切れ" | "時間切れ負け" | "タイムアップ" | "time-up" | "timeup"
        | "timeout" => Ending::TimeUp,
        known if DISCONNECTIONS.contains(&known) => Ending::Disconnection {
            reason: word.to_owned(),
        },
        "入玉勝ち" | "入玉宣言" | "入玉宣言勝ち" | "勝ち宣言" | "宣言勝ち" | "トライ" => {
            Ending::Declaration
        }
        "不戦勝" => Ending::Forfeit { winner: side },
        "不戦敗" => Ending::Forfeit { winner: !side },
        known if ILLEGAL_MOVES.contains(&known) => Ending::IllegalMove { text: text() },
        // The side to move made the illegal move.
        "反則負け" => match position.rule_repetition() {
            Some(Repetition::Lose) if illegal.is_none() => Ending::PerpetualCheck { loser: side },
            _ => Ending::IllegalMove { text: text() },
        },
        // The other side did, with its last move.
        "反則勝ち" => match position.rule_repetition() {
            _ if illegal.is_some() => Ending::IllegalMove { text: text() },
            Some(Repetition::Win) => Ending::PerpetualCheck { loser: !side },
            _ => Ending::IllegalAction { loser: !side },
        },
        _ => return None,
    })
}

/// Words for a connection that was lost by the side to move.
const DISCONNECTIONS: [&str; 8] = [
    "接続切れ",
    "接続切断",
    "通信切断",
    "通信切れ",
    "回線切断",
    "切断",
    "disconnect",
    "disconnected",
];

/// Words for an illegal move of the side to move.
const ILLEGAL_MOVES: [&str; 11] = [
    "反則",
    "反則手",
    "二歩",
    "打ち歩詰め",
    "打ち歩詰",
    "打歩詰",
    "王手放置",
    "二手指し",
    "行き所のない駒",
    "illegal",
    "illegal-move",
];

/// Words that are read as 中断. The word itself becomes a comment.
const INTERRUPTIONS: [&str; 2] = ["封じ手", "待った"];

/// The word for an interruption other than 中断 in a text.
fn interruption(text: &str) -> Option<&'static str> {
    INTERRUPTIONS.into_iter().find(|word| text.contains(word))
}

/// Whether a text may be the word for an ending, and is not a move with a mistake.
fn is_word(text: &str) -> bool {
    let is_of_move = |letter: char| letter == '同' || is_digit(letter);
    text.starts_with(|letter: char| letter.is_alphabetic() && !is_of_move(letter))
}

/// The parts of the line `まで125手で先手の勝ち`: the moves, and what it says after them.
fn parts_of_sentence(text: &str) -> (Option<usize>, String) {
    let text: String = text.split_whitespace().collect();
    let first = [UNTIL, IN_ALL];
    let rest = first.into_iter().find_map(|word| text.strip_prefix(word));
    let rest = rest.unwrap_or(&text).trim_start_matches('、');
    let Some((number, behind)) = rest.split_once('手') else {
        return (None, rest.to_owned());
    };
    if number.is_empty() || !number.chars().all(is_digit) {
        return (None, rest.to_owned());
    }
    let link = ["にて", "で"];
    let words = link.into_iter().find_map(|link| behind.strip_prefix(link));
    let words = words.unwrap_or(behind).trim_start_matches('、');
    (number_of(number), words.to_owned())
}

/// The ending that the words of such a line tell; `None` if they say none.
fn ending_of_words(words: &str, position: &Position, illegal: Option<&str>) -> Option<Ending> {
    ending_of_word(words, position, illegal).or_else(|| ending_of_reason(words, position, illegal))
}

/// The ending of what a sentence says after the number of moves: who won, and why.
fn ending_of_reason(text: &str, position: &Position, illegal: Option<&str>) -> Option<Ending> {
    let side = position.side_to_move();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let word = |word: &str| ending_of_word(word, position, illegal);
    let winner = winner_named_in(text);
    if has(&["不戦勝", "不戦敗"]) {
        return Some(Ending::Forfeit { winner: winner? });
    }
    if has(&["連続王手"]) || has(&["千日手"]) && winner.is_some() {
        let loser = match (winner, position.rule_repetition()) {
            (Some(winner), _) => !winner,
            (None, Some(Repetition::Lose)) => side,
            (None, Some(Repetition::Win)) => !side,
            (None, _) => return word("千日手"),
        };
        return Some(Ending::PerpetualCheck { loser });
    }
    if has(&ILLEGAL_MOVES) {
        return word(if winner? == side {
            "反則勝ち"
        } else {
            "反則負け"
        });
    }
    // The clock that has run out, or the connection that was lost, is that of the side to move.
    let of_side_to_move = |named: &str| match winner {
        Some(winner) if winner == side => Some(Ending::AdjudicatedWin { winner }),
        _ => word(named),
    };
    if has(&["時間切れ", "切れ負け", "タイムアップ"]) {
        return of_side_to_move("切れ負け");
    }
    if let Some(named) = DISCONNECTIONS.iter().find(|named| text.contains(*named)) {
        return of_side_to_move(named);
    }
    if winner.is_none() && has(&["千日手"]) {
        return word("千日手");
    }
    if winner.is_none() && has(&["持将棋", "引き分け"]) {
        return word("持将棋");
    }
    if has(&["入玉", "宣言"]) {
        return match winner {
            Some(winner) if winner != side => Some(Ending::AdjudicatedWin { winner }),
            _ => word("入玉勝ち"),
        };
    }
    let known = ["中断", "封じ手", "不詰", "詰み", "投了"];
    if let Some(known) = known.into_iter().find(|known| text.contains(known)) {
        return word(known);
    }
    let winner = winner?;
    if winner == side {
        Some(Ending::AdjudicatedWin { winner })
    } else {
        word("投了")
    }
}

/// Whom a sentence such as `先手の反則により後手の勝ち` names as the winner: the last
/// side before the last word for a win, or the other side where that word is one for a loss.
fn winner_named_in(text: &str) -> Option<Color> {
    const NAMES: [(&str, Color); 4] = [
        ("先手", Color::Black),
        ("下手", Color::Black),
        ("後手", Color::White),
        ("上手", Color::White),
    ];
    let named = |end: usize| {
        let found = |&(name, color)| Some((text[..end].rfind(name)?, color));
        NAMES
            .iter()
            .filter_map(found)
            .max_by_key(|(place, _)| *place)
    };
    let won = text.rfind('勝');
    let lost = text.rfind('負').max(text.rfind('敗'));
    match (won, lost) {
        (Some(won), lost) if lost < Some(won) => named(won).map(|(_, color)| color),
        (_, Some(lost)) => named(lost).map(|(_, color)| !color),
        _ => None,
    }
}

/// The word of the last row of moves, with `side` to move; `None` for a record that does not say
/// how the game ended.
fn word_of_ending(ending: &Ending, side: Color) -> Option<&'static str> {
    Some(match ending {
        Ending::Checkmate => "詰み",
        Ending::Declaration => "入玉勝ち",
        Ending::Repetition => "千日手",
        Ending::PerpetualCheck { loser } if *loser != side => "反則勝ち",
        Ending::IllegalAction { .. } => "反則勝ち",
        Ending::PerpetualCheck { .. }
        | Ending::IllegalMove { .. }
        | Ending::IllegalDeclaration
        | Ending::Disconnection { .. } => "反則負け",
        Ending::MaxMoves | Ending::AdjudicatedDraw => "持将棋",
        Ending::TimeUp => "切れ負け",
        Ending::AdjudicatedWin { winner } if *winner == side => "反則勝ち",
        Ending::Resignation | Ending::AdjudicatedWin { .. } => "投了",
        Ending::Interrupted => "中断",
        Ending::NoMate => "不詰",
        Ending::Forfeit { winner } if *winner == side => "不戦勝",
        Ending::Forfeit { .. } => "不戦敗",
        Ending::Unfinished => return None,
    })
}

/// The last line of a game, `まで125手で先手の勝ち`, after as many `moves`. `names` are those of
/// the sides by [`Color::index`].
fn sentence_of_ending(
    ending: &Ending,
    side: Color,
    moves: usize,
    names: [&str; Color::NUM],
) -> Option<String> {
    let word = word_of_ending(ending, side)?;
    let [us, them] = [side, !side].map(|color| names[color.index()]);
    let what = match word {
        "投了" => format!("{them}の勝ち"),
        "切れ負け" => format!("時間切れにより{them}の勝ち"),
        "入玉勝ち" | "反則勝ち" | "反則負け" => format!("{us}の{word}"),
        _ => word.to_owned(),
    };
    Some(format!("まで{moves}手で{what}"))
}

/// Whether the word alone is read back as the ending.
fn is_exact(ending: &Ending) -> bool {
    match ending {
        Ending::IllegalMove { text } => text.is_empty(),
        Ending::PerpetualCheck { .. }
        | Ending::IllegalDeclaration
        | Ending::Disconnection { .. }
        | Ending::AdjudicatedWin { .. }
        | Ending::AdjudicatedDraw => false,
        _ => true,
    }
}

// --- Numbers and times ---

/// Parses the time of a move, the first one of the two; `None` without one. Some programs write
/// decimals.
///
/// # Errors
/// What is in the brackets cannot be read. It is returned.
fn parse_time(text: &str) -> Result<Option<Duration>, &str> {
    let Some(begin) = text.find(['(', '（']) else {
        return Ok(None);
    };
    let text = text[begin..].trim_start_matches(['(', '（']);
    let inside = text.split([')', '）']).next().unwrap_or_default();
    // Without these it is a remark.
    if !inside.contains([':', '/']) {
        return Ok(None);
    }
    let time = inside.split('/').next().unwrap_or_default();
    parse_clock(time).map(Some).ok_or(inside)
}

/// Parses `0:16` or `1:02:03`.
fn parse_clock(text: &str) -> Option<Duration> {
    let mut time = Duration::ZERO;
    for part in text.split(':') {
        time = possible(
            time.checked_mul(60)?
                .checked_add(parse_seconds(part.trim())?)?,
        )?;
    }
    Some(time)
}

/// Writes a move's time and the player's so far.
fn time_text(time: Duration, total: Duration) -> String {
    let [time, total] = [time, total].map(|time| time.as_secs());
    let (hours, minutes) = (total / 3600, total / 60 % 60);
    format!(
        "({:2}:{:02}/{hours:02}:{minutes:02}:{:02})",
        time / 60,
        time % 60,
        total % 60
    )
}

const WIDE: [char; 10] = ['０', '１', '２', '３', '４', '５', '６', '７', '８', '９'];

/// The value of a digit of either width: `1`, `１`.
fn digit(letter: char) -> Option<usize> {
    let narrow = letter.to_digit(10).map(|digit| digit as usize);
    narrow.or_else(|| WIDE.iter().position(|&wide| wide == letter))
}

/// Whether a character is a digit of either width.
fn is_digit(letter: char) -> bool {
    digit(letter).is_some()
}

/// The number that all digits of a text make; `None` without digits, and if it is too large.
fn number_of(text: &str) -> Option<usize> {
    let mut digits = text.chars().filter_map(digit).peekable();
    digits.peek()?;
    digits.try_fold(0_usize, |number, digit| {
        number.checked_mul(10)?.checked_add(digit)
    })
}
