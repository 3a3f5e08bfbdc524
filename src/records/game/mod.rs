//! A game record: the players, the moves with times, comments and scores, and the ending.
//!
//! It holds what the formats of people (CSA, KIF, KI2, JKF) can say, so that a game goes from one
//! to another without loss; what a format has no room for is reported by its writer.

mod ending;
mod remarks;
mod variations;

use std::time::Duration;

use super::sfen_line::SfenLine;
use crate::position::Position;
use crate::types::{Color, EnteringKingRule, Move, Score};
use remarks::is_time_limit;

pub use ending::{Ending, GameResult};
pub use remarks::black_score;
pub(super) use remarks::{parse_seconds, possible};
pub(super) use variations::{Builder, EndingWords, Forks, Line, Walk};

/// The heading of KIF for a title, which some programs give instead of the event.
pub(super) const TITLE: &str = "表題";

/// A game that has ended or was interrupted.
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
        Self {
            mv,
            time: None,
            thought: None,
            comments: Vec::new(),
            bookmark: None,
        }
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
        if self.moves.len().is_multiple_of(2) {
            side
        } else {
            !side
        }
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
        assert_eq!(
            winner(black_to_move, Ending::Resignation),
            Some(Color::White)
        );
        assert_eq!(winner(white_to_move, Ending::TimeUp), Some(Color::Black));
        assert_eq!(
            winner(white_to_move, Ending::Declaration),
            Some(Color::White)
        );
        let loser = Color::Black;
        for line in [black_to_move, white_to_move] {
            assert_eq!(
                winner(line, Ending::PerpetualCheck { loser }),
                Some(Color::White)
            );
            assert_eq!(winner(line, Ending::Repetition), None);
            assert_eq!(winner(line, Ending::Interrupted), None);
        }
        let handicap = "sfen lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        assert_eq!(winner(handicap, Ending::Resignation), Some(Color::Black));
        assert!(Ending::MaxMoves.is_draw() && !Ending::Interrupted.is_draw());
    }

    #[test]
    fn endings_have_words() {
        let text = "7g7e".to_owned();
        assert_eq!(
            Ending::IllegalMove { text }.to_string(),
            "illegal move 7g7e"
        );
        let winner = Color::White;
        assert_eq!(
            Ending::AdjudicatedWin { winner }.to_string(),
            "adjudicated win of white"
        );
        assert_eq!(Ending::TimeUp.to_string(), "time up");
    }

    #[test]
    fn the_game_fits_in_a_line() {
        let text = "startpos moves 7g7f 3c3d 8h2b+";
        assert_eq!(record(text, Ending::Resignation).line().to_string(), text);
    }
}
