//! The languages of what people read: Japanese and English. USI, JSON and the formats of files have
//! none.
//!
//! The catalogue is a plain table, a row for each text with both languages. Two
//! languages without plural rules between them need no message format such as Fluent's, and a row
//! that lacks a language or a value does not compile.

pub mod help;

use std::fmt::{self, Display};
use std::{str::FromStr, sync::LazyLock, time::Duration};

use serde::Serialize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::position::Position;
use crate::records::{formations::Formation, kif, notation::japanese};
use crate::types::{Color, Move, PieceType, Square};
use crate::util::{counted, is_command};

/// A language in which people are spoken to.
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

impl Display for Lang {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::En => "en",
            Self::Ja => "ja",
        })
    }
}

impl Lang {
    /// The language of the environment: `RAICHO_LANG`, or else, in the order of POSIX, `LC_ALL`,
    /// `LC_MESSAGES` and `LANG`, or else on Windows and macOS that of the system. English unless
    /// the first that is set names Japanese.
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
        let mut set = names.into_iter().filter_map(value);
        let first = set.find(|value| !value.is_empty());
        first.map_or_else(Self::of_system, |name| Self::of_locale(&name))
    }

    /// The language of the system; English where it is not asked.
    fn of_system() -> Self {
        #[cfg(any(windows, target_os = "macos"))]
        return Self::of_locale(&sys_locale::get_locale().unwrap_or_default());
        #[cfg(not(any(windows, target_os = "macos")))]
        Self::En
    }

    fn of_locale(name: &str) -> Self {
        if name.to_ascii_lowercase().starts_with("ja") { Self::Ja } else { Self::En }
    }

    /// What is said to a person who starts the program without arguments.
    pub fn greeting(self) -> &'static str {
        match self {
            Self::En => {
                "Raicho is a USI shogi engine: a board application such as ShogiHome starts it.\n\
                 Here it takes USI commands: `help` lists them, `quit` ends the program.\n\
                 `raicho --help` lists what else it does: analysis, mates, books, matches."
            }
            Self::Ja => {
                "RaichoはUSI対応の将棋エンジンです。ShogiHomeなどの将棋ソフトに登録して使います。\n\
                 ここではUSIコマンドを入力できます。`help`で一覧を表示し、`quit`で終了します。\n\
                 棋譜解析、詰将棋、定跡、連続対局などの機能は`raicho --help`をご覧ください。"
            }
        }
    }

    /// What the USI command `help` says.
    pub fn usi_help(self) -> &'static str {
        match self {
            Self::En => {
                "\
usi                            name, options, usiok
setoption name NAME value X    sets an option; getoption shows the values
isready                        loads all that is needed, then says readyok
usinewgame                     forgets the last game
position startpos moves 7g7f   sets up a position; also position sfen SFEN ...
go movetime 1000               searches; also nodes N, depth N, infinite,
                               mate 10000, btime B wtime W byoyomi Y, and
                               searchmoves MOVE ...
stop                           ends the search; GUIs send ponderhit, gameover
d, moves, key, eval            the board, its moves, its key, its static value
perft N, bench, compiler       tools
quit                           ends the program"
            }
            Self::Ja => {
                "\
usi                            名前とオプションの一覧、最後にusiok
setoption name NAME value X    オプションの設定（現在の値はgetoptionで表示）
isready                        準備（評価関数などの読み込み）、終わるとreadyok
usinewgame                     新しい対局の準備
position startpos moves 7g7f   局面の設定。position sfen SFEN moves … も可
go movetime 1000               探索。ほかにnodes N、depth N、infinite、
                               mate 10000、btime B wtime W byoyomi Y、
                               searchmoves 指し手 …
stop                           探索の停止（GUIはponderhit、gameoverも送る）
d, moves, key, eval            盤面、合法手、局面のキー、静的評価値
perft N, bench, compiler       ツール
quit                           終了"
            }
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
        let units = [(86_400, "day", "日"), (3600, "hour", "時間"), (60, "minute", "分")];
        let unit = units.into_iter().find(|&(length, ..)| seconds >= length);
        let (length, en, ja) = unit.unwrap_or((1, "second", "秒"));
        let count = seconds / length;
        match self {
            Self::En => counted(count, en),
            Self::Ja => format!("{count}{ja}"),
        }
    }

    /// The name of an opening or a castle.
    pub fn formation(self, formation: &Formation) -> &'static str {
        match self {
            Self::En => formation.en,
            Self::Ja => formation.ja,
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
            "declaration" => "入玉宣言勝ち",
            "try" => "トライ",
            "repetition" => "千日手",
            "perpetual check" => "連続王手の千日手",
            "move limit" => "最大手数",
            "max moves" => "持将棋・最大手数",
            "adjudicated win" => "判定勝ち",
            "adjudicated draw" => "引き分け（判定）",
            "loss on time" | "time up" => "時間切れ",
            "hang" => "応答なし",
            "crash" => "異常終了",
            "illegal move" | "illegal action" => "反則",
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
        if self == Self::En {
            return words.to_owned();
        }
        let replaced = [
            (" nodes are 1 ms", "ノードで1ミリ秒"),
            ("byoyomi ", "秒読み"),
            ("movetime ", "1手"),
            ("depth ", "深さ"),
            (" s", "秒"),
        ];
        let translated = |part: &str| {
            let words =
                || replaced.iter().fold(part.to_owned(), |part, (en, ja)| part.replace(en, ja));
            count_of_nodes(part).map_or_else(words, |count| self.nodes(count))
        };
        let parts: Vec<String> = words.split(", ").map(translated).collect();
        parts.join(self.separator())
    }

    /// What stands between the items of a list.
    pub const fn separator(self) -> &'static str {
        match self {
            Self::En => ", ",
            Self::Ja => "、",
        }
    }

    /// A number in a table: in Japanese with commas between thousands.
    pub fn number(self, number: u64) -> String {
        match self {
            Self::En => number.to_string(),
            Self::Ja => grouped(number),
        }
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

    /// The name of a piece: `銀`, `silver`.
    pub fn piece(self, kind: PieceType) -> &'static str {
        match self {
            Self::En => kind.name(),
            Self::Ja => japanese::piece_name(kind),
        }
    }

    /// Several pieces, those of a kind together: `gold, 2 pawns`.
    pub fn pieces(self, kinds: &[PieceType]) -> String {
        if self == Self::Ja {
            return japanese::piece_names(kinds);
        }
        let counted = |same: &[PieceType]| match same {
            [kind] => kind.name().to_owned(),
            _ => format!("{} {}s", same.len(), same[0].name()),
        };
        let names: Vec<String> = kinds.chunk_by(|one, next| one == next).map(counted).collect();
        names.join(self.separator())
    }

    /// A square: `５五`, `5e`.
    pub fn square(self, square: Square) -> String {
        match self {
            Self::En => square.to_string(),
            Self::Ja => japanese::square(square),
        }
    }

    /// The moves of a line from the position on, with spaces between them.
    pub fn line(self, position: &Position, moves: &[Move]) -> String {
        self.moves_of(position, moves).join(" ")
    }

    /// The moves of a line from the position on.
    pub fn moves_of(self, position: &Position, moves: &[Move]) -> Vec<String> {
        match self {
            Self::En => moves.iter().map(Move::to_string).collect(),
            Self::Ja => japanese::line(position, moves),
        }
    }
}

/// The number of nodes that a limit such as `1000 nodes` names.
fn count_of_nodes(limit: &str) -> Option<u64> {
    limit.strip_suffix(" nodes").or(limit.strip_suffix(" node"))?.parse().ok()
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn unknown(name: &str) -> String {
    format!("unknown language '{name}', expected ja or en")
}

/// The columns of a terminal that a text takes. Kanji and full-width characters take two; signs
/// such as ▲, △ and ± one, but two in the console of a Japanese Windows.
pub fn width(text: &str) -> usize {
    if has_wide_signs() { text.width_cjk() } else { text.width() }
}

fn width_of(letter: char) -> usize {
    let width = if has_wide_signs() { letter.width_cjk() } else { letter.width() };
    width.unwrap_or(0)
}

/// Whether the terminal is the old console of a Japanese Windows, whose font for code page 932
/// draws the signs that Unicode calls ambiguous two columns wide.
fn has_wide_signs() -> bool {
    static HAS: LazyLock<bool> = LazyLock::new(|| {
        cfg!(windows) && is_old_console(|name| std::env::var_os(name).is_some(), Lang::of_system())
    });
    *HAS
}

/// Newer terminals for Windows say who they are in a variable.
fn is_old_console(is_set: impl Fn(&str) -> bool, system: Lang) -> bool {
    system == Lang::Ja && !["WT_SESSION", "TERM_PROGRAM", "TERM"].into_iter().any(is_set)
}

/// The text without the control characters that a terminal would obey.
pub fn printable(text: &str) -> String {
    text.replace(is_command, " ")
}

/// The text with spaces behind it, up to a width in columns.
pub fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text with spaces before it, up to a width in columns.
pub fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The width of each column of a table.
pub fn widths<const N: usize>(rows: &[[String; N]]) -> [usize; N] {
    std::array::from_fn(|column| rows.iter().map(|row| width(&row[column])).max().unwrap_or(0))
}

/// The longest start of the text that fits into a width in columns.
pub fn cut(text: &str, columns: usize) -> &str {
    let mut taken = 0;
    for (index, letter) in text.char_indices() {
        taken += width_of(letter);
        if taken > columns {
            return &text[..index];
        }
    }
    text
}

/// The text in lines of at most this width, broken at spaces and after `、`, `。` and `]`; a
/// longer word has a line of its own.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_inclusive([' ', '、', '。', ']']) {
            if !line.is_empty() && width(&line) + width(word.trim_end()) > columns {
                lines.push(std::mem::take(&mut line).trim_end().to_owned());
            }
            line.push_str(if line.is_empty() { word.trim_start() } else { word });
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

// --- The catalogue: each text in English and in Japanese, with its values ---

/// Declares texts: a name, its values, the English and the Japanese text.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident($($value:ident),*): $en:literal, $ja:literal;)*) => {
        impl Lang {
            $($(#[$doc])*
            pub fn $name(self $(, $value: impl Display)*) -> String {
                match self {
                    Self::En => format!($en),
                    Self::Ja => format!($ja),
                }
            })*
        }
    };
}

/// Declares numbers of things: a name, the English noun and the Japanese text.
macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident($count:ident: $type:ty): $noun:literal, $ja:literal;)*) => {
        impl Lang {
            $($(#[$doc])*
            pub fn $name(self, $count: $type) -> String {
                match self {
                    Self::En => counted($count, $noun),
                    Self::Ja => {
                        let $count = grouped($count as u64);
                        format!($ja)
                    }
                }
            })*
        }
    };
}

counts! {
    /// A number of games.
    games(count: u64): "game", "{count}局";
    /// A number of moves.
    moves(count: usize): "move", "{count}手";
    /// A number of nodes.
    nodes(count: u64): "node", "{count}ノード";
    /// A number of positions.
    positions(count: u64): "position", "{count}局面";
    /// A number of faults of a book.
    faults(count: u64): "fault", "誤り{count}件";
    /// A number of tsume problems.
    problems(count: usize): "problem", "{count}問";
    /// A number of mates that were found.
    mates(count: usize): "mate", "詰み {count}";
}

texts! {
    // --- Scores and searches ---

    /// Depth, nodes and time of a search.
    depth_and_nodes(depth, nodes, seconds):
        "depth {depth}, {nodes}, {seconds} s", "深さ{depth}、{nodes}、{seconds}秒";
    /// The best move.
    best_move(mv): "best move {mv}", "最善手 {mv}";
    /// The side declares a win.
    wins_by_declaration(side): "{side} wins by declaration", "{side}の入玉宣言勝ち";
    /// The side is in check and has no move.
    is_mated(side): "{side} is mated", "{side}玉は詰んでいます";
    /// The side is not in check and has no move.
    has_no_move(side): "{side} has no legal move and loses", "合法手がありません（{side}の負け）";
    /// The side has no move worth playing.
    resigns(side): "{side} resigns", "{side}は投了します";
    /// The side mates with its next move.
    mates_at_once(side): "{side} mates in 1 ply", "{side}の勝ち（1手で詰み）";
    /// The side mates in this number of plies.
    mates_in(side, plies): "{side} mates in {plies} plies", "{side}の勝ち（{plies}手で詰み）";
    /// The score of black or 下手, the `side`.
    score_of(pawns, centipawns, side): "{pawns} pawns for {side}", "評価値 {centipawns:+}";
    /// Neither side is better.
    is_even(score): "the game is even ({score})", "互角（{score}）";
    /// The side is slightly better.
    is_slightly_better(side, score):
        "{side} is slightly better ({score})", "{side}やや有利（{score}）";
    /// The side is better.
    is_better(side, score): "{side} is better ({score})", "{side}有利（{score}）";
    /// The side is clearly better.
    is_clearly_better(side, score): "{side} is clearly better ({score})", "{side}優勢（{score}）";
    /// The side is winning.
    is_winning(side, score): "{side} is winning ({score})", "{side}勝勢（{score}）";

    // --- Analysed games ---

    /// The heading of the number of a move.
    column_ply(): "ply", "手数";
    /// The heading of the moves.
    column_move(): "move", "指し手";
    /// The heading of the times.
    column_time(): "time", "消費時間";
    /// The heading of the scores.
    column_score(): "score", "評価値";
    /// The heading of black's win chances.
    column_chance(): "win %", "先手期待勝率%";
    /// The same where there is little room.
    column_chance_short(): "win %", "期待勝率%";
    /// The heading of the losses of win chance.
    column_loss(): "loss", "損失%";
    /// The heading of the judgements.
    column_judgement(): "", "判定";
    /// The heading of the best lines.
    column_line(): "best line", "最善の読み筋";
    /// A mate by the side, by its number of plies, `signed` negative for white's.
    mate_score(side, plies, signed): "mate {signed:+}", "{side}の勝ち（{plies}手）";
    /// The same where there is little room, by the winner's mark.
    mate_score_short(mark, plies, signed): "mate {signed:+}", "{mark}勝ち{plies}手";
    /// A win by declaration that was possible.
    declared(): "declaration", "宣言勝ち";
    /// The king is mated.
    mated(): "mate", "詰み";
    /// The best move was played.
    is_best(): "best", "最善";
    /// A doubtful move.
    is_doubtful(): "?!", "疑問手";
    /// A blunder.
    is_blunder(): "??", "悪手";
    /// A move that lost a little.
    is_inaccuracy(): "(?)", "緩手";
    /// A move that lost half of the win chance.
    is_severe_blunder(): "???", "大悪手";
    /// The other side mates, as it had threatened.
    overlooks_threat(plies):
        "overlooks the threat of mate in {plies}", "詰めろ見落とし（{plies}手詰）";
    /// The other side mates.
    allows_mate(plies): "gets mated in {plies}", "自玉に{plies}手詰";
    /// A piece is taken without anything in return.
    hangs(square, piece):
        "the {piece} on {square} is taken for nothing", "{square}の{piece}をただで取られる";
    /// A piece is taken, and the exchange loses.
    loses_exchange(square, piece):
        "the {piece} on {square} is lost in the exchange", "{square}の{piece}を取られて駒損";
    /// The move threatens mate.
    threatens_mate(plies): "threatens mate in {plies}", "詰めろ（{plies}手詰）";
    /// The move threatens a mate that nothing parries.
    brinkmate(plies): "brinkmate: nothing parries the mate in {plies}", "必至（{plies}手詰）";
    /// The best answer is such a threat.
    allows_brinkmate(plies):
        "allows a brinkmate (mate in {plies})", "自玉に必至（{plies}手詰）";
    /// The best move would have been such a threat.
    misses_brinkmate(plies): "misses a brinkmate (mate in {plies})", "必至逃し（{plies}手詰）";
    /// No other move is nearly as good.
    only_move(percent):
        "the only good move: the second best loses {percent} %",
        "好手（次善手は勝率 -{percent}%）";
    /// The better line, after the pieces that change hands along it.
    better_line(pieces, line): "better{pieces}: {line}", "最善{pieces}：{line}";
    /// The line of the move that was played.
    played_line(pieces, line): "played{pieces}: {line}", "本譜{pieces}：{line}";
    /// What is said besides.
    in_brackets(words): " ({words})", "（{words}）";
    /// Pieces that are won.
    wins_pieces(pieces): "wins {pieces}", "{pieces}得";
    /// Pieces that are lost.
    loses_pieces(pieces): "loses {pieces}", "{pieces}損";
    /// No pieces are won or lost.
    no_gain(): "nothing won or lost", "駒の損得なし";
    /// How both sides stood before a move and after it.
    change_of_standing(before, after): "{before} -> {after}", "{before}→{after}";
    /// Neither side is better.
    stands_even(): "even", "互角";
    /// The side is better.
    stands_better(side): "{side} better", "{side}有利";
    /// The side is clearly better.
    stands_clearly_better(side): "{side} clearly better", "{side}優勢";
    /// The side is winning.
    stands_winning(side): "{side} winning", "{side}勝勢";
    /// A missed mate, by its number of plies.
    missed_mate(plies): "mate {plies}", "詰み逃し（{plies}手詰）";
    /// The same where there is little room.
    missed_mate_short(plies): "mate {plies}", "詰み逃し";
    /// The opening of a game.
    opening(name): "opening: {name}", "戦型：{name}";
    /// A castle, and the number of the move that completed it.
    castle(name, ply): "{name} (move {ply})", "{name}（{ply}手目）";
    /// How a side uses its rook, or its castle alone.
    formation_of(side, style): "{side}: {style}", "{side}：{style}";
    /// How a side uses its rook, and its castle.
    formations_of(side, style, castle): "{side}: {style}, {castle}", "{side}：{style}、{castle}";
    /// The heading of the players.
    column_player(): "player", "対局者";
    /// The heading of the number of moves.
    column_moves(): "moves", "手数";
    /// The heading of the share of best moves.
    column_agreement(): "best", "一致率";
    /// The heading of the mean losses in centipawns.
    column_mean_loss_cp(): "loss (cp)", "損失(点)";
    /// The heading of the mean losses of win chance.
    column_mean_loss_percent(): "loss (%)", "損失(%)";
    /// The heading of the doubtful moves.
    column_doubtful(): "doubtful", "疑問手";
    /// The heading of the blunders.
    column_blunders(): "blunders", "悪手";
    /// The heading of the missed mates.
    column_missed_mates(): "missed", "詰み逃し";
    /// The heading of the time that a player used.
    column_time_used(): "time", "消費時間";
    /// The end of a game with a winner.
    game_won(side, moves, ending):
        "{side} wins after {moves} ({ending})", "まで{moves}で{side}の勝ち（{ending}）";
    /// The end of a game by what the loser did against the rules.
    game_won_by_rule(side, moves, ending, loser):
        "{side} wins after {moves} ({ending})",
        "まで{moves}、{loser}の{ending}により{side}の勝ち";
    /// The end of a drawn game.
    game_drawn(moves, ending): "draw after {moves} ({ending})", "まで{moves}で{ending}";
    /// The end of a game without a result.
    game_without_result(moves, ending):
        "no result after {moves} ({ending})", "まで{moves}で{ending}";
    /// A record that does not say how the game ended.
    game_unfinished(moves, ending):
        "no result after {moves} ({ending})", "まで{moves}（{ending}）";
    /// How much of the work is done.
    finished_of(done, games): "{done} of {games} finished", "全{games}中{done}局終了";
    /// An input that cannot be read.
    skipped(fault): "skipped: {fault}", "読み飛ばしました：{fault}";
    /// Seconds for a position.
    for_seconds(seconds): "{seconds} s", "{seconds}秒";
    /// Depth for a position.
    for_depth(depth): "depth {depth}", "深さ{depth}";

    /// A share in percent.
    percent(number): "{number} %", "{number}%";

    // --- Progress ---

    /// The unit of searches.
    unit_positions(): "positions", "局面";
    /// The unit of matches.
    unit_games(): "games", "局";
    /// The unit of tsume problems.
    unit_problems(): "problems", "問";
    /// A number of units.
    units(count, unit): "{count} {unit}", "{count}{unit}";
    /// A number of units that are done, and of all.
    units_of(done, all, unit): "{done}/{all} {unit}", "{done}{unit}（全{all}{unit}）";
    /// What the lines lose at most that a book grows by.
    lines_losing(loss): "lines that lose up to {loss}", "評価値の損失が{loss}以内の手順";
    /// Waits for the running pieces of work.
    ending_after_pieces():
        "ending after the running pieces; Ctrl-C again aborts them",
        "実行中の処理が終わったら停止します（もう一度Ctrl-Cを押すとすぐに中断します）";
    /// The time that is left, in words.
    time_left(time): "{time} left", "残り{time}";
    /// Waits for the running searches.
    ending_after_positions():
        "ending after the running positions", "探索中の局面が終わったら停止します";

    // --- Matches ---

    /// Games that were played of those planned.
    played_of(games, planned): "{games} of {planned}", "全{planned}中{games}局";
    /// The match was interrupted.
    interrupted(): ", interrupted", "（中断）";
    /// Two players in a title.
    versus(first, second): "{first} – {second}", "{first} 対 {second}";
    /// A message that changes no result.
    note(text): "note: {text}", "注意：{text}";
    /// A message about what may not be meant.
    warning(text): "warning: {text}", "警告：{text}";
    /// A game record stands in place of a subcommand.
    did_you_mean(file):
        "did you mean `raicho analyze {file}`?", "`raicho analyze {file}`ではありませんか？";
    /// Why something is not done.
    error(text): "error: {text}", "エラー：{text}";
    /// Two engines.
    against(first, second): "{first} against {second}", "{first} 対 {second}";
    /// What an engine says that it is.
    engine_checked(name, program): "{name} is {program}", "{name}：{program}";
    /// A game that was lost by a fault, in one line.
    game_lost(game, players, verdict):
        "game {game}, {players}: {verdict}", "第{game}局、{players}：{verdict}";
    /// There is no result yet.
    no_games(): "no games", "対局なし";
    /// Won, drawn and lost games.
    result(wins, draws, losses): "+{wins} ={draws} -{losses}", "{wins}勝{losses}敗{draws}分";
    /// A result with its rates.
    score_and_draws(wins, draws, losses, score, rate):
        "+{wins} ={draws} -{losses}, score {score:.1} %, draws {rate:.1} %",
        "{wins}勝{losses}敗{draws}分、勝率{score:.1}%、引き分け率{rate:.1}%";
    /// The Elo difference with its interval, and the likelihood of superiority.
    elo_within(elo, error, low, high, los):
        "Elo {elo:+.1} ± {error:.1} (95 %: {low:+.1} to {high:+.1}), LOS {los:.1} %",
        "レート差 {elo:+.1} ± {error:.1} Elo（95%：{low:+.1} ～ {high:+.1}）、LOS {los:.1}%";
    /// The Elo difference has no upper bound.
    elo_above(low, los):
        "Elo above {low:+.1} (95 %), LOS {los:.1} %",
        "レート差 {low:+.1}以上（95%）、LOS {los:.1}%";
    /// The Elo difference has no lower bound.
    elo_below(high, los):
        "Elo below {high:+.1} (95 %), LOS {los:.1} %",
        "レート差 {high:+.1}以下（95%）、LOS {los:.1}%";
    /// What games the Elo difference and the score come from.
    elo_of_pairs(paired, all):
        "Elo from the {paired} of complete pairs, score from all {all}",
        "レート差は先後入れ替え2局1組が揃った{paired}、勝率は全{all}による";
    /// No pair of games is complete.
    elo_of_single_games(all):
        "Elo and score from {all}, none of them in a complete pair",
        "レート差と勝率は{all}による（先後入れ替え2局1組が揃った対局なし）";
    /// Pairs of games by points.
    pairs(counts):
        "pairs with 0, ½, 1, 1½, 2 points: {counts}",
        "先後入れ替え2局1組の得点 0、0.5、1、1.5、2：{counts}";
    /// The first hypothesis holds.
    h0_accepted(elo): "H0 accepted: the gain is not {elo} Elo", "H0採択：レート差は{elo}に達しません";
    /// The second hypothesis holds.
    h1_accepted(elo):
        "H1 accepted: the gain is more than {elo} Elo", "H1採択：レート差は{elo}を超えます";
    /// Neither hypothesis holds yet.
    undecided(): "undecided", "未確定";
    /// The heading of scores by ply.
    neighbouring_scores(): "scores of neighbouring plies", "連続する2手の評価値";
    /// The sum of both engines' scores.
    optimism_sum(): "sum (optimism)", "合計（楽観度）";
    /// The heading of the engines.
    column_engine(): "engine", "エンジン";
    /// The heading of the number of games.
    column_games(): "games", "局数";
    /// The heading of the share of points.
    column_points(): "score", "勝率";
    /// The heading of the mean times.
    column_mean_time(): "mean time", "平均時間";
    /// The heading of the longest times.
    column_max_time(): "max time", "最長時間";
    /// The heading of the mean depths.
    column_depth(): "depth", "深さ";
    /// The heading of the speeds.
    column_speed(): "nodes/s", "NPS";
    /// The heading of the time controls.
    column_limits(): "limits", "思考条件";
    /// The label of the black side's results.
    label_black(): "black", "先手";
    /// The black side's results.
    result_of_side(score, wins, draws, losses):
        "{score:.1} %  +{wins} ={draws} -{losses}", "{score:.1}%  {wins}勝{losses}敗{draws}分";
    /// The label of the endings.
    label_endings(): "endings", "終局";
    /// The number of games with an ending.
    ending_count(games, ending): "{games} {ending}", "{ending} {games}";
    /// The label of the referee's times.
    label_referee(): "referee", "対局管理";
    /// Times between an answer and the next question.
    referee_times(mean, most):
        "{mean} mean, {most} at most between answer and question",
        "応答受信から次の送信まで：平均{mean}、最長{most}";
    /// The label of the machine's stalls.
    label_machine(): "machine", "実行環境";
    /// The machine never stalled.
    no_stall(): "no stall", "処理の遅れなし";
    /// It stalled once.
    one_stall(longest): "1 stall of {longest}", "処理の遅れ1回（{longest}）";
    /// It stalled several times.
    stalls(count, longest):
        "{count} stalls, the longest {longest}", "処理の遅れ{count}回（最長{longest}）";
    /// The label of the records' place.
    label_records(): "records", "棋譜";
    /// Games that were lost by faults.
    lost_by_fault(games): "{games} lost by a fault", "反則・異常による負け {games}";
    /// The same in the line of progress.
    lost_by_faults(count): "{count} lost by faults", "反則・異常による負け {count}局";
    /// Games that were lost while the machine stalled.
    lost_in_stall(games):
        "{games} lost on time while the machine stalled", "処理の遅れの間の時間切れ {games}";
    /// A game that was lost by a fault.
    fault(game, engine, reason, detail):
        "game {game}, {engine}: {reason}, {detail}", "第{game}局、{engine}：{reason}、{detail}";
    /// Where a game's record and dialogue are.
    record_and_dialogue(record, dialogue):
        "record {record}, dialogue {dialogue}", "棋譜 {record}、通信記録 {dialogue}";
    /// There is none.
    none(): "none", "なし";

    // --- Servers ---

    /// The client begins.
    csa_starting(): "starting", "準備中";
    /// The server let us in.
    csa_logged_in(): "logged in, waiting for a game", "ログインしました。対局を待っています";
    /// A game is offered.
    csa_game(id, black, white):
        "game {id}: {black} (black) - {white}", "対局 {id}：▲{black} 対 △{white}";
    /// The last game is over.
    csa_between_games(result, ending):
        "{result} by {ending}, between games", "{result}（{ending}）。次の対局を待っています";
    /// The line of a finished game.
    csa_finished(result, opponent, ending, notices, tally):
        "{result} against {opponent} by {ending}, {notices} ({tally})",
        "{opponent}戦：{result}（{ending}、{notices}）、通算{tally}";
    /// The results of an account.
    csa_tally(wins, losses, draws, broken):
        "{wins} won, {losses} lost, {draws} drawn, {broken} broken off",
        "{wins}勝{losses}敗{draws}分、中断{broken}局";
    /// The time for a move after the main time.
    csa_byoyomi(seconds): "byoyomi {seconds} s", "秒読み{seconds}秒";
    /// The time that each move adds.
    csa_increment(seconds): "+{seconds} s a move", "1手{seconds}秒加算";
    /// The number of moves.
    csa_moves(count): "move {count}", "{count}手目";
    /// The label of the score.
    csa_score(): "score of black ", "評価値（先手）";
    /// The pieces in hand.
    csa_hand(pieces): "in hand: {pieces}", "持駒：{pieces}";
    /// The label of all results.
    csa_results(): "results  ", "成績  ";
    /// The label of the results against an opponent.
    csa_against(opponent): "against {opponent}  ", "{opponent}戦  ";
    /// What the keys do.
    csa_keys():
        "k kanji or letters, t turn, Ctrl-C end after the game",
        "k：漢字／英字、t：盤面反転、Ctrl-C：終局後に終了";
    /// What Tab does.
    csa_tab_key(): ", Tab next account", "、Tab：次のアカウント";
    /// What the first Ctrl-C says.
    csa_ending():
        "ending; a running game is played to its end, Ctrl-C again resigns it",
        "終了します。対局中なら終局まで指します（もう一度Ctrl-Cを押すと投了します）";
    /// An account and where it plays; `game` is a name behind a separator, or empty.
    csa_title(name, host, game): "{name} at {host}{game}", "{name}（{host}{game}）";
    /// The question for a password.
    csa_password(account): "password of {account}: ", "{account}のパスワード: ";
    /// The heading of the results by opponent.
    csa_opponent(): "opponent", "相手";
    /// The heading of the games won.
    csa_won(): "won", "勝ち";
    /// The heading of the games lost.
    csa_lost(): "lost", "負け";
    /// The heading of the games drawn.
    csa_drawn(): "drawn", "引分";
    /// The heading of the games broken off.
    csa_broken(): "broken", "中断";
    /// The heading of the points.
    csa_points(): "points", "得点";
    /// All opponents together.
    csa_all(): "all", "合計";

    // --- Tsume problems ---

    /// The table's heading.
    mate_heading():
        "problem  verdict  plies       nodes   seconds  line",
        "   問題  結果      手数    ノード数      秒数  手順";
    /// A mate was found.
    mate(): "mate", "詰み";
    /// There is no mate.
    no_mate(): "nomate", "不詰";
    /// The limit was reached.
    mate_unknown(): "unknown", "不明";
    /// Futile interpositions after the last move that counts.
    futile_rest(moves): " (then futile: {moves})", "（以下無駄合い {moves}）";
    /// A second solution of the last move.
    second_solution_last(number, mv):
        "second solution at move {number}, the last: {mv}", "最終手余詰（{number}手目）：{mv}";
    /// A second solution.
    second_solution(number, mv, plies, all):
        "second solution at move {number}: {mv} mates in {plies}, {all} in all",
        "余詰：{number}手目 {mv}（以下{plies}手、全{all}手）";
    /// A second solution that is shorter than the line.
    quicker_solution(number, mv, plies, all):
        "quicker solution at move {number}: {mv} mates in {plies}, {all} in all",
        "早詰：{number}手目 {mv}（以下{plies}手、全{all}手）";
    /// Second solutions of a line whose length is not proven.
    line_of_no_author():
        "the line need not be the author's, as its length is not proven: see --shortest",
        "最短とは証明されていないため、作意とは限りません（--shortestで最短手順を求めます）";
    /// The length of a mate is an upper bound.
    not_proven_shortest(plies):
        "{plies} plies, shortest not proven",
        "{plies}手（最短とは限りません）";
    /// The record's solution is not the shortest.
    sooner_than_recorded(plies, recorded):
        "mates sooner than the record's {recorded} plies, in {plies}",
        "早詰：棋譜の{recorded}手より短い{plies}手で詰み";
    /// The record's solution has not the longest defence.
    longer_than_recorded(plies, recorded):
        "a defence holds out longer than the record's {recorded} plies, {plies}",
        "変化長手数：棋譜の{recorded}手より長い受けがあり、{plies}手";
    /// Pieces that the attacker does not need.
    left_in_hand(pieces): "left in hand: {pieces}", "駒余り：{pieces}";
    /// An answer as long as that of the line.
    equal_defence(number, mv):
        "variation at move {number}: {mv} holds out as long",
        "変化同手数：{number}手目 {mv}";
    /// The same, but it leaves pieces in hand.
    equal_defence_with_pieces(number, mv):
        "variation at move {number}: {mv} holds out as long, and leaves pieces in hand",
        "変化同手数：{number}手目 {mv}（駒余り）";
    /// The length of a mate, in the title of a diagram.
    mate_in(plies): "mate in {plies}", "{plies}手詰";
    /// There is none.
    no_second_solution(): "no second solution", "余詰なし";
    /// Not all moves were looked at.
    second_solutions_incomplete():
        "not all other moves could be looked at in time",
        "時間内に全ての変化を調べられませんでした";
    /// The totals.
    mate_totals(count, all, mates, refuted, unknown):
        "{count} of {all}: {mates}, {refuted} without, {unknown} unknown",
        "全{all}中{count}問：{mates}、不詰 {refuted}、不明 {unknown}";
    /// The results so far.
    mates_so_far(mates, refuted): "{mates}, {refuted} without", "{mates}、不詰 {refuted}";
    /// The name of a problem of a file.
    problem_number(number): "Problem {number}", "第{number}問";
    /// Problems with second solutions, after the totals.
    with_second_solutions(count): ", {count} with second solutions", "、余詰あり {count}";
    /// Nodes, time and speed, after the totals.
    mate_speed(nodes, seconds, speed):
        ", {nodes}, {seconds} s, {speed} nodes/s",
        "、{nodes}、{seconds}秒、{speed} NPS";

    // --- Opening books ---

    /// The position is in the book with the sides exchanged.
    found_flipped(): "found with the sides exchanged", "先後を入れ替えた局面が見つかりました";
    /// The books are not used at this number of moves.
    book_ply(ply, max):
        "ply {ply} is after BookMoves {max}", "{ply}手目はBookMoves（{max}）を超えています";
    /// No book has the position.
    not_in_book(): "not in the book", "この局面は定跡にありません";
    /// No move is played in this position.
    book_position_refused(): "the position is refused", "この局面では定跡を使いません";
    /// The moves are those of another position.
    book_moves_illegal(): "no move of the book is legal", "定跡の指し手に合法手がありません";
    /// Each move has a reason of its own.
    book_moves_dropped(): "all moves are dropped", "採用できる指し手がありません";
    /// The first move was searched too little.
    book_too_shallow(depth, least):
        "depth {depth} is below BookDepthLimit {least}",
        "深さ{depth}がBookDepthLimit（{least}）未満のため不採用";
    /// The move was played in less than a tenth of the games.
    book_too_rare(count, sum):
        "count {count} of {sum} is below a tenth", "採択回数{count}が全体{sum}の10%未満のため不採用";
    /// The move is worth too little.
    book_value_below(least): "value below {least}", "評価値が{least}未満のため不採用";
    /// The move gives the check that loses.
    book_perpetual_check():
        "loses by perpetual check", "連続王手の千日手で負けになるため不採用";
    /// Counts decide, and the move has none.
    book_count_0(): "count 0", "採択回数が0のため不採用";
    /// The books are switched off.
    books_off(): "USI_OwnBook is false", "USI_OwnBookがfalse";
    /// A declaration wins.
    book_declaration():
        "the game is won by declaration", "入玉宣言で勝てる局面です";
    /// The line of a file has no position.
    no_position(): "no position", "局面がありません";
    /// The heading of the moves of a position.
    book_move(): "move", "指し手";
    /// The answer that the book expects.
    book_answer(): "answer", "応手";
    /// The value of a move.
    book_value(): "value", "評価値";
    /// The depth of a value.
    book_depth(): "depth", "深さ";
    /// How often a move was played.
    book_count(): "count", "採択回数";
    /// The share of that in all moves of the position.
    book_share(): "share", "割合";
    /// The format and the size of a book.
    info_format(format, bytes):
        "format     {format}, {bytes} bytes", "形式        {format}、{bytes}バイト";
    /// Positions.
    info_positions(count): "positions  {count}", "局面        {count}";
    /// Positions without moves.
    info_without_moves(count): ", {count} without moves", "、指し手なし {count}";
    /// Moves in all and of a position.
    info_moves(count, each): "moves      {count}, {each} each", "指し手      {count}、1局面当たり{each}";
    /// Moves with an answer.
    info_answers(count): "answers    {count}", "応手        {count}";
    /// Plies of the positions.
    info_plies(range): "plies      {range}", "手数        {range}";
    /// Values.
    info_values(range): "values     {range}", "評価値      {range}";
    /// Depths.
    info_depths(range): "depths     {range}", "深さ        {range}";
    /// The sum of the counts.
    info_counts(count): "counts     {count} in all", "採択回数    計 {count}";
    /// The positions are in order.
    info_sorted(): "order      sorted", "並び        整列済み";
    /// They are not.
    info_not_sorted(): "order      not sorted", "並び        未整列";
    /// All plies are 1.
    info_plies_are_1():
        "note       all plies are 1: positions are found at any ply",
        "注意        手数が全て1：手数を問わず一致します";
    /// Bad entries.
    info_faults(count):
        "faults     {count}: see raicho book validate",
        "誤り        {count}件（raicho book validateで確認できます）";
    /// A book was written.
    positions_written(positions, name):
        "{positions} written to {name}", "{positions}を {name} に書き出しました";
    /// A book was made of others.
    positions_merged(read, written, name):
        "{read} read, {written} written to {name}",
        "{read}を読み込み、{written}局面を {name} に書き出しました";
    /// Positions were searched, and a book was written.
    positions_searched(searched, written, name):
        "{searched} searched, {written} written to {name}",
        "{searched}を探索し、{written}局面を {name} に書き出しました";
    /// A book cannot grow any further.
    no_position_left():
        "no position is left that these lines reach", "この条件で延ばせる局面はもうありません";
    /// What the written format could not hold.
    left_out(parts): "left out or limited: {parts}", "省略または切り詰め：{parts}";
    /// What is not read of a book.
    not_read(parts): "not read: {parts}", "読み込まない情報：{parts}";
    /// Games that a book is made of.
    games_read(games, bad, low):
        "{games} read, {bad} bad, {low} left out for the ratings",
        "{games}を読み込み（誤り {bad}、レートの条件で除外 {low}）";
    /// The totals of a checked book.
    book_checked(name, positions, faults):
        "{name}: {positions}, {faults}", "{name}：{positions}、{faults}";
    /// Positions of the graph of a book, after their number.
    graph_positions(): "positions", "局面";
    /// Its positions without moves.
    graph_empty():
        "positions without moves, which count as lost", "指し手のない局面（負けと見なす）";
    /// Its moves between them.
    graph_moves(): "moves from one to another", "局面間の指し手";
    /// Its loops.
    graph_loops(): "positions from which a loop can be reached", "千日手に至りうる局面";
    /// Its perpetual checks.
    graph_checks(): "positions in perpetual check", "連続王手の局面";
    /// Rounds of the calculation.
    graph_rounds(): "rounds until no value changed", "値が変わらなくなるまでの反復";
    /// Rules that `peta_shock` does not have.
    other_rules():
        "the rules are not those of peta_shock: its results differ",
        "peta_shock とは異なる規則を使ったため、結果が一致しません";
    /// Loops that `peta_shock` does not solve.
    large_loops(count):
        "loops of perpetual check with too many paths, solved exactly: {count}; peta_shock would \
         not end",
        "経路が多すぎる連続王手の循環を厳密に解きました：{count}（peta_shock では終わりません）";
    /// A file was written.
    written_to(name): "written to {name}", "{name} に書き出しました";
    /// A range of numbers.
    range(least, most): "{least} to {most}", "{least} ～ {most}";
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
        for name in ["", "ja_JP.UTF-8", "EN"] {
            assert!(Lang::fault_of(name).is_none(), "{name}");
        }
        assert!(Lang::fault_of("fr").is_some());
        let error = "unknown language 'fr', expected ja or en".to_owned();
        assert_eq!("fr".parse::<Lang>(), Err(error));
    }

    #[test]
    fn moves_and_sides_are_in_the_language() {
        let mut position = Position::startpos();
        let mv = |position: &Position, text: &str| {
            let mv = position.to_move(text.parse().expect("a move"));
            mv.expect("a move of the position")
        };
        let first = mv(&position, "7g7f");
        assert_eq!(Lang::Ja.mv(&position, first), "▲７六歩");
        assert_eq!(Lang::En.line(&position, &[first]), "7g7f");
        assert_eq!(Lang::Ja.sides(&position), ["先手", "後手"]);
        position.do_move(first);
        let expected = "△３四歩";
        assert_eq!(Lang::Ja.line(&position, &[mv(&position, "3c3d")]), expected);
        let handicap = "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        let handicap = Position::from_sfen(handicap).expect("a position");
        assert_eq!(Lang::Ja.sides(&handicap), ["下手", "上手"]);
        assert!(Lang::Ja.board(&handicap).contains("v玉"));
    }

    #[test]
    fn numbers_have_their_units() {
        let expected = ["1 game", "2 games"];
        assert_eq!([1, 2].map(|count| Lang::En.games(count)), expected);
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
        let ja = "10+0.1秒、秒読み1秒、1,000ノード、深さ5";
        assert_eq!(Lang::Ja.limits(limits), ja);
        assert_eq!(Lang::Ja.limits("movetime 0.5 s"), "1手0.5秒");
    }

    #[test]
    fn texts_have_their_values() {
        let text = |lang: Lang| lang.depth_and_nodes(12, lang.nodes(345), "1.5");
        assert_eq!(text(Lang::En), "depth 12, 345 nodes, 1.5 s");
        assert_eq!(text(Lang::Ja), "深さ12、345ノード、1.5秒");
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
        assert_eq!(width("▲７六歩"), 7);
        assert_eq!(width("▲△½±"), 4);
        assert_eq!(left("評価値", 8), "評価値  ");
        assert_eq!(right("手", 4), "  手");
        assert_eq!(right("long", 2), "long");
        assert_eq!([cut("評価値", 5), cut("評価値", 6)], ["評価", "評価値"]);
    }

    #[test]
    fn lines_break_between_words() {
        for (text, columns, expected) in cases! {
            "to be or not", 5 => vec!["to be", "or", "not"];
            "▲７六歩 △３四歩", 14 => vec!["▲７六歩", "△３四歩"];
            "先手有利、詰めろ", 10 => vec!["先手有利、", "詰めろ"];
            "unbreakable", 4 => vec!["unbreakable"];
            "[,a] [,b][,c]", 8 => vec!["[,a]", "[,b][,c]"];
            "a b\n\nc", 4 => vec!["a b", "", "c"];
        } {
            assert_eq!(wrapped(text, columns), expected);
        }
        for lang in [Lang::En, Lang::Ja] {
            assert!(lang.usi_help().lines().all(|line| width(line) <= 80), "{lang}");
        }
    }
}
