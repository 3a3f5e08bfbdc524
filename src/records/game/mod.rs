//! A game record: the players, the moves with times, comments and scores, and the ending.
//!
//! It holds what the formats of people (CSA, KIF, KI2, JKF) can say, so that a game goes from one
//! to another without loss; what a format has no room for is reported by its writer.

mod remarks;
mod variations;

use std::{fmt, time::Duration};

use super::sfen_line::SfenLine;
use crate::position::Position;
use crate::types::{Color, EnteringKingRule, Move, Score};
use remarks::is_time_limit;

pub use remarks::black_score;
pub(super) use remarks::{parse_seconds, possible};
pub(super) use variations::{Builder, EndingWords, Forks, Line, Walk};

/// The heading of KIF for a title, which some programs give instead of the event.
pub(super) const TITLE: &str = "表題";

/// A game that has ended or was interrupted.
///
/// ```
/// use raicho::records::text::TextFormat;
/// use raicho::types::Color;
///
/// let kif = "手合割：平手\n先手：雷鳥\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 投了\n";
/// let game = TextFormat::Kif.read(kif.as_bytes()).remove(0)?;
/// assert_eq!((game.moves.len(), game.winner()), (2, Some(Color::White)));
/// assert_eq!(TextFormat::Usi.text(&game), "startpos moves 7g7f 3c3d\n");
/// # Ok::<(), raicho::records::RecordError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// The name of the match or tournament; empty if unknown.
    pub event: String,
    /// The players' names, by [`Color::index`].
    pub players: [String; Color::NUM],
    /// The players' ratings before the game, by [`Color::index`]; `None` if unknown.
    pub ratings: [Option<f64>; Color::NUM],
    /// The start time in the notation of CSA: `2026/11/21 06:34:00`.
    pub started_at: Option<String>,
    /// The time control in the notation of CSA: `00:10+05` for 10 minutes and 5 seconds of byoyomi.
    pub time_limit: Option<String>,
    /// Further headings by the names of KIF, in their order: `場所`, `戦型`, `備考` …
    pub headings: Vec<(String, String)>,
    /// The position before the first move.
    pub start: Position,
    /// Comments on the start position, a line each.
    pub comments: Vec<String>,
    /// The bookmark (しおり) of the start position.
    pub bookmark: Option<String>,
    /// All moves, those of the opening included.
    pub moves: Vec<RecordedMove>,
    /// How the game ended.
    pub ending: Ending,
    /// The time and the comments that belong to the ending.
    pub closing: Closing,
    /// Other moves than those played (変化), in the order of the file.
    pub variations: Vec<Variation>,
    /// What the reader left out of the record, in words.
    pub omissions: Vec<String>,
    /// What the reader guessed, in words: what it found, and what it read that as.
    pub readings: Vec<String>,
}

/// A move with its time, its comments and the engine's thought.
#[derive(Clone, Debug)]
pub struct RecordedMove {
    /// The move, legal in its position.
    pub mv: Move,
    /// The time used, `None` if unknown, as for moves of the opening.
    pub time: Option<Duration>,
    /// What the engine reported for the move.
    pub thought: Option<Thought>,
    /// Comments on the position after the move, a line each.
    pub comments: Vec<String>,
    /// The bookmark (しおり) of the position after the move.
    pub bookmark: Option<String>,
}

impl From<Move> for RecordedMove {
    /// A move without time, thought or comments.
    fn from(mv: Move) -> Self {
        Self { mv, time: None, thought: None, comments: Vec::new(), bookmark: None }
    }
}

/// What is said at the end of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Closing {
    /// The time that the side to move used before the game ended.
    pub time: Option<Duration>,
    /// Comments, a line each.
    pub comments: Vec<String>,
}

/// A line that branches off.
#[derive(Clone, Debug)]
pub struct Variation {
    /// The line that it branches off from: an index of [`GameRecord::variations`], `None` for the
    /// game. The parent stands before its variations.
    pub parent: Option<usize>,
    /// The number of moves from the start of the game to the branch.
    pub after: usize,
    /// Its moves, each legal in its position.
    pub moves: Vec<RecordedMove>,
    /// How it ended, if the record says so.
    pub ending: Option<Ending>,
    /// The time and the comments of the ending.
    pub closing: Closing,
}

/// The last search result that an engine reported before it moved.
#[derive(Clone, Debug)]
pub struct Thought {
    /// The score of the side that moved.
    pub score: Option<Score>,
    /// The search depth in plies.
    pub depth: Option<u32>,
    /// Nodes that the search visited.
    pub nodes: Option<u64>,
    /// The principal variation. It begins with another move if the engine's did.
    pub pv: Vec<Move>,
}

impl Default for GameRecord {
    /// A record of an even game, without moves and names.
    fn default() -> Self {
        Self::new(Position::startpos())
    }
}

impl GameRecord {
    /// A record of a start position, without moves and names.
    pub fn new(start: Position) -> Self {
        Self {
            event: String::new(),
            players: Default::default(),
            ratings: [None; Color::NUM],
            started_at: None,
            time_limit: None,
            headings: Vec::new(),
            start,
            comments: Vec::new(),
            bookmark: None,
            moves: Vec::new(),
            ending: Ending::Unfinished,
            closing: Closing::default(),
            variations: Vec::new(),
            omissions: Vec::new(),
            readings: Vec::new(),
        }
    }

    /// What the reader left out, and what it guessed.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        let notes = self.omissions.iter().chain(&self.readings);
        notes.map(String::as_str)
    }

    /// The value of a heading by its name in KIF.
    pub fn heading(&self, name: &str) -> Option<&str> {
        let named = self.headings.iter().find(|(found, _)| found == name);
        named.map(|(_, value)| value.as_str())
    }

    /// The rule for wins by declaration that a heading names: `27点法`, `24`, `トライルール`, `なし` or
    /// a name of the option, under 持将棋 (`$JISHOGI` of CSA) or a heading of 入玉.
    pub fn entering_king_rule(&self) -> Option<EnteringKingRule> {
        let is_of_rule = |name: &str| name == "持将棋" || name.starts_with("入玉");
        let mut rules = self.headings.iter().filter(|(name, _)| is_of_rule(name));
        rules.find_map(|(_, value)| rule_of(value))
    }

    /// Takes a heading by its name in KIF.
    pub(super) fn set_heading(&mut self, name: &str, value: String) {
        match name {
            "先手" | "下手" => self.players[0] = value,
            "後手" | "上手" => self.players[1] = value,
            "棋戦" => self.event = value,
            "開始日時" => self.started_at = Some(value),
            "持ち時間" if is_time_limit(&value) => self.time_limit = Some(value),
            _ => self.headings.push((name.to_owned(), value)),
        }
    }

    /// The event, or else the heading 表題, in which some programs keep it.
    pub fn title(&self) -> &str {
        match self.event.as_str() {
            "" => self.heading(TITLE).unwrap_or_default(),
            event => event,
        }
    }

    /// The moves from the start of the game to the branch of a variation.
    pub fn moves_before(&self, variation: &Variation) -> Vec<Move> {
        self.before(variation, |played| played.mv)
    }

    /// The times that the players have used at the branch of a variation, by [`Color::index`].
    fn totals_before(&self, variation: &Variation) -> [Duration; Color::NUM] {
        let mut totals = [Duration::ZERO; Color::NUM];
        let mut side = self.start.side_to_move();
        for time in self.before(variation, |played| played.time) {
            let total = &mut totals[side.index()];
            *total = total.saturating_add(time.unwrap_or_default());
            side = !side;
        }
        totals
    }

    /// A `part` of each of the moves from the start of the game to the branch of a variation.
    fn before<T>(&self, variation: &Variation, part: impl Fn(&RecordedMove) -> T) -> Vec<T> {
        let mut line = Vec::new();
        let (mut parent, mut end) = (variation.parent, variation.after);
        loop {
            let before = parent.and_then(|parent| self.variations.get(parent));
            let (begin, moves) = before.map_or((0, &self.moves), |line| (line.after, &line.moves));
            let own = moves[..moves.len().min(end.saturating_sub(begin))].iter();
            line.extend(own.rev().map(&part));
            end = begin.min(end);
            match before {
                Some(before) => parent = before.parent,
                None => break,
            }
        }
        line.reverse();
        line
    }

    /// The side to move at the end of the game.
    pub fn side_to_move_at_end(&self) -> Color {
        let side = self.start.side_to_move();
        let is_even = self.moves.len().is_multiple_of(2);
        if is_even { side } else { !side }
    }

    /// The winner; `None` for a draw and for no result.
    pub fn winner(&self) -> Option<Color> {
        self.ending.winner(self.side_to_move_at_end())
    }

    /// The start and the moves as one line of USI.
    pub fn line(&self) -> SfenLine {
        SfenLine {
            start: self.start.clone(),
            moves: self.moves.iter().map(|recorded| recorded.mv).collect(),
        }
    }
}

/// The rule for wins by declaration that the value of a heading names.
fn rule_of(value: &str) -> Option<EnteringKingRule> {
    /// What the values contain; points come in narrow and wide digits.
    const WORDS: &[(&str, EnteringKingRule)] = &[
        ("24", EnteringKingRule::CsaRule24),
        ("２４", EnteringKingRule::CsaRule24),
        ("27", EnteringKingRule::CsaRule27),
        ("２７", EnteringKingRule::CsaRule27),
        ("トライ", EnteringKingRule::TryRule),
        ("なし", EnteringKingRule::NoEnteringKing),
        ("無し", EnteringKingRule::NoEnteringKing),
    ];
    let word = || WORDS.iter().find(|(word, _)| value.contains(word));
    let named = value.trim().parse().ok();
    named.or_else(|| word().map(|&(_, rule)| rule))
}

// --- How a game ended, and its result ---

/// How a game ended. "The side to move" is the one after the last recorded move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// 投了: the side to move resigned.
    Resignation,
    /// 詰み: the side to move has no legal move.
    Checkmate,
    /// 入玉宣言勝ち: the side to move declared a win under the rule of the game. Under the try rule it
    /// named the king's move, which is not recorded.
    Declaration,
    /// 千日手: the fourth occurrence of a position, a draw.
    Repetition,
    /// 連続王手の千日手: the fourth occurrence of a position where all moves of one side were checks;
    /// that side loses.
    PerpetualCheck {
        /// The side that gave the checks.
        loser: Color,
    },
    /// The game reached the maximum number of plies, a draw.
    MaxMoves,
    /// 切れ負け: the side to move lost on time.
    TimeUp,
    /// The side to move answered with something other than a legal move.
    IllegalMove {
        /// The answer as the engine gave it.
        text: String,
    },
    /// 反則: an illegal action of the side that is not to move, which loses.
    IllegalAction {
        /// The side that acted.
        loser: Color,
    },
    /// The side to move declared a win against the rule, and loses.
    IllegalDeclaration,
    /// The engine of the side to move exited or was disconnected.
    Disconnection {
        /// What happened to the engine.
        reason: String,
    },
    /// The game was adjudicated as won by the scores.
    AdjudicatedWin {
        /// The side that won.
        winner: Color,
    },
    /// The game was adjudicated as a draw by the scores.
    AdjudicatedDraw,
    /// 中断: the game was interrupted for reasons outside it and has no result.
    Interrupted,
    /// 不詰: no mate was found in a problem.
    NoMate,
    /// 不戦勝, 不戦敗: a player did not appear.
    Forfeit {
        /// The side that won.
        winner: Color,
    },
    /// The record ends without saying how the game did.
    Unfinished,
}

impl Ending {
    /// An adjudicated draw in a comment of the Japanese formats.
    pub(in crate::records) const JAPANESE_DRAW: &str = "引き分け（判定）";

    /// The winner, if `side_to_move` was to move at the end; `None` for a draw and for no result.
    pub fn winner(&self, side_to_move: Color) -> Option<Color> {
        match self {
            Self::Declaration => Some(side_to_move),
            Self::Resignation
            | Self::Checkmate
            | Self::TimeUp
            | Self::IllegalMove { .. }
            | Self::IllegalDeclaration
            | Self::Disconnection { .. } => Some(!side_to_move),
            Self::PerpetualCheck { loser } | Self::IllegalAction { loser } => Some(!*loser),
            Self::AdjudicatedWin { winner } | Self::Forfeit { winner } => Some(*winner),
            Self::Repetition
            | Self::MaxMoves
            | Self::AdjudicatedDraw
            | Self::Interrupted
            | Self::NoMate
            | Self::Unfinished => None,
        }
    }

    /// Whether the game was drawn by the rules or by adjudication. An interrupted game is not a
    /// draw.
    pub fn is_draw(&self) -> bool {
        matches!(self, Self::Repetition | Self::MaxMoves | Self::AdjudicatedDraw)
    }

    /// Whether the ending may follow a move that the rules forbid.
    pub(in crate::records) fn explains_an_illegal_move(&self) -> bool {
        matches!(
            self,
            Self::IllegalMove { .. }
                | Self::IllegalAction { .. }
                | Self::IllegalDeclaration
                | Self::PerpetualCheck { .. }
                | Self::AdjudicatedWin { .. }
                | Self::Disconnection { .. }
        )
    }

    /// The ending that [`Display`](fmt::Display) writes as `text`, which writers add as a comment
    /// where the words of a format are not exact.
    pub fn from_text(text: &str) -> Option<Self> {
        if text == Self::JAPANESE_DRAW {
            return Some(Self::AdjudicatedDraw);
        }
        if let Some(text) = text.strip_prefix("illegal move ") {
            let text = text.to_owned();
            return Some(Self::IllegalMove { text });
        }
        if let Some(reason) = text.strip_prefix("disconnection: ") {
            let reason = reason.to_owned();
            return Some(Self::Disconnection { reason });
        }
        let of_sides = Color::ALL.into_iter().flat_map(|winner| {
            [
                Self::PerpetualCheck { loser: winner },
                Self::IllegalAction { loser: winner },
                Self::AdjudicatedWin { winner },
                Self::Forfeit { winner },
            ]
        });
        let plain = [
            Self::Resignation,
            Self::Checkmate,
            Self::Declaration,
            Self::Repetition,
            Self::MaxMoves,
            Self::TimeUp,
            Self::IllegalMove { text: String::new() },
            Self::IllegalDeclaration,
            Self::AdjudicatedDraw,
            Self::Interrupted,
            Self::NoMate,
        ];
        of_sides.chain(plain).find(|ending| ending.to_string() == text)
    }

    /// The name without the details, for tables: `resignation`, `time up`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Resignation => "resignation",
            Self::Checkmate => "checkmate",
            Self::Declaration => "declaration",
            Self::Repetition => "repetition",
            Self::PerpetualCheck { .. } => "perpetual check",
            Self::MaxMoves => "max moves",
            Self::TimeUp => "time up",
            Self::IllegalMove { .. } => "illegal move",
            Self::IllegalAction { .. } => "illegal action",
            Self::IllegalDeclaration => "illegal declaration",
            Self::Disconnection { .. } => "disconnection",
            Self::AdjudicatedWin { .. } => "adjudicated win",
            Self::AdjudicatedDraw => "adjudicated draw",
            Self::Interrupted => "interrupted",
            Self::NoMate => "no mate",
            Self::Forfeit { .. } => "forfeit",
            Self::Unfinished => "unfinished",
        }
    }
}

/// The name and its details, if any: `illegal move 7g7e`.
impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())?;
        match self {
            Self::IllegalMove { text } if text.is_empty() => Ok(()),
            Self::IllegalMove { text } => write!(formatter, " {text}"),
            Self::Disconnection { reason } => write!(formatter, ": {reason}"),
            Self::PerpetualCheck { loser } | Self::IllegalAction { loser } => {
                write!(formatter, " by {}", loser.name())
            }
            Self::AdjudicatedWin { winner } => write!(formatter, " of {}", winner.name()),
            Self::Forfeit { winner } => write!(formatter, " won by {}", winner.name()),
            _ => Ok(()),
        }
    }
}

/// The result of a game, without the reason.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameResult {
    /// Nobody won, whatever the reason.
    Draw,
    /// The side that won.
    Win(Color),
}

impl GameResult {
    /// The result of a game with this winner; no winner is a draw.
    pub const fn of_winner(winner: Option<Color>) -> Self {
        match winner {
            Some(color) => Self::Win(color),
            None => Self::Draw,
        }
    }

    /// The code of Apery: 0 draw, 1 black won, 2 white won.
    pub const fn code(self) -> u8 {
        match self {
            Self::Draw => 0,
            Self::Win(Color::Black) => 1,
            Self::Win(Color::White) => 2,
        }
    }

    /// The result of a code of Apery, `None` if it is unknown.
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Draw),
            1 => Some(Self::Win(Color::Black)),
            2 => Some(Self::Win(Color::White)),
            _ => None,
        }
    }

    /// 1 if `side` won, 0 for a draw, -1 if it lost.
    pub fn for_side(self, side: Color) -> i8 {
        match self {
            Self::Draw => 0,
            Self::Win(winner) if winner == side => 1,
            Self::Win(_) => -1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(line: &str, ending: Ending) -> GameRecord {
        let line: SfenLine = line.parse().expect("the line of a test");
        GameRecord {
            moves: line.moves.into_iter().map(RecordedMove::from).collect(),
            ending,
            ..GameRecord::new(line.start)
        }
    }

    #[test]
    fn headings_name_the_rule_of_declarations() {
        let rule = |name: &str, value: &str| {
            let mut record = record("startpos", Ending::Unfinished);
            record.set_heading(name, value.to_owned());
            record.entering_king_rule().map(EnteringKingRule::name)
        };
        assert_eq!(rule("持将棋", "27"), Some("CSARule27"));
        assert_eq!(rule("持将棋", "２４点法"), Some("CSARule24"));
        assert_eq!(rule("入玉ルール", "トライルール"), Some("TryRule"));
        assert_eq!(rule("入玉宣言", "なし"), Some("NoEnteringKing"));
        assert_eq!(rule("入玉", "csarule27h"), Some("CSARule27H"));
        assert_eq!(rule("持将棋", "?"), None);
        assert_eq!(rule("場所", "27"), None);
    }

    #[test]
    fn the_winner_follows_from_the_ending_and_the_turn() {
        let winner = |line: &str, ending: Ending| record(line, ending).winner();
        let black_to_move = "startpos moves 7g7f 3c3d";
        let white_to_move = "startpos moves 7g7f";
        let [black, white] = Color::ALL.map(Some);
        assert_eq!(winner(black_to_move, Ending::Resignation), white);
        assert_eq!(winner(white_to_move, Ending::TimeUp), black);
        assert_eq!(winner(white_to_move, Ending::Declaration), white);
        let loser = Color::Black;
        for line in [black_to_move, white_to_move] {
            assert_eq!(winner(line, Ending::PerpetualCheck { loser }), white);
            assert_eq!(winner(line, Ending::Repetition), None);
            assert_eq!(winner(line, Ending::Interrupted), None);
        }
        let handicap = "sfen lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        assert_eq!(winner(handicap, Ending::Resignation), black);
        assert!(Ending::MaxMoves.is_draw() && !Ending::Interrupted.is_draw());
    }

    #[test]
    fn endings_have_words() {
        let text = "7g7e".to_owned();
        let expected = "illegal move 7g7e";
        assert_eq!(Ending::IllegalMove { text }.to_string(), expected);
        let winner = Color::White;
        let expected = "adjudicated win of white";
        assert_eq!(Ending::AdjudicatedWin { winner }.to_string(), expected);
        assert_eq!(Ending::TimeUp.to_string(), "time up");
    }

    #[test]
    fn the_game_fits_in_a_line() {
        let text = "startpos moves 7g7f 3c3d 8h2b+";
        assert_eq!(record(text, Ending::Resignation).line().to_string(), text);
    }
}
