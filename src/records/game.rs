//! A game as it was played: the players, the moves with what was thought of them, and how it ended.

use std::fmt;
use std::time::Duration;

use super::sfen_line::SfenLine;
use crate::position::Position;
use crate::types::{Color, Move, Score};

/// A finished (or broken off) game.
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// The name of the match or tournament, empty for none.
    pub event: String,
    /// The players' names, by [`Color::index`].
    pub players: [String; Color::NUM],
    /// Their ratings before the game, where the record tells them.
    pub ratings: [Option<f64>; Color::NUM],
    /// When it began, in the notation of CSA: `2026/11/21 06:34:00`.
    pub started_at: Option<String>,
    /// The time control in the notation of CSA: `00:10+05` for ten minutes and five seconds of byoyomi.
    pub time_limit: Option<String>,
    /// Where the record begins; no moves have been made in it.
    pub start: Position,
    /// All moves, those of the opening included.
    pub moves: Vec<RecordedMove>,
    /// How it ended.
    pub ending: Ending,
}

/// A move and what is known about it.
#[derive(Clone, Debug)]
pub struct RecordedMove {
    /// The move, legal where it was made.
    pub mv: Move,
    /// The time it took, `None` for moves of the opening.
    pub time: Option<Duration>,
    /// What the engine said about it.
    pub thought: Option<Thought>,
}

/// The last word of an engine about the position in which it moved.
#[derive(Clone, Debug)]
pub struct Thought {
    /// The score, from the mover's point of view.
    pub score: Option<Score>,
    /// Plies searched.
    pub depth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// The line it expected; begins with the move itself if the engine's line did.
    pub pv: Vec<Move>,
}

/// What a game ended in, without the reason.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameResult {
    /// Nobody won.
    Draw,
    /// This side won.
    Win(Color),
}

impl GameResult {
    /// The result of a game that ended so; a game without a winner is a draw here.
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

    /// The result with this code.
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Draw),
            1 => Some(Self::Win(Color::Black)),
            2 => Some(Self::Win(Color::White)),
            _ => None,
        }
    }

    /// 1 where `side` won, 0 for a draw, -1 where it lost.
    pub fn for_side(self, side: Color) -> i8 {
        match self {
            Self::Draw => 0,
            Self::Win(winner) if winner == side => 1,
            Self::Win(_) => -1,
        }
    }
}

/// How a game ended. "The side to move" is the one whose turn it is after the last recorded move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// 投了: the side to move resigned.
    Resignation,
    /// 詰み: the side to move has no legal move.
    Checkmate,
    /// 入玉宣言勝ち: the side to move declared, rightly. Under the try rule it did so by naming the king's move, which is
    /// not made.
    Declaration,
    /// 千日手: the fourth occurrence of a position, a draw.
    Repetition,
    /// 連続王手の千日手: the fourth occurrence of a position after nothing but checks of one side, which loses.
    PerpetualCheck {
        /// Who gave the checks.
        loser: Color,
    },
    /// The longest game that the match allows was reached, a draw.
    MaxMoves,
    /// 切れ負け: the side to move overstepped its time.
    TimeUp,
    /// The side to move answered with something that is no legal move.
    IllegalMove {
        /// What it answered.
        text: String,
    },
    /// The side to move declared wrongly.
    IllegalDeclaration,
    /// The engine of the side to move was gone.
    Disconnection {
        /// What became of it.
        reason: String,
    },
    /// Broken off because the scores left no doubt.
    AdjudicatedWin {
        /// Who was winning.
        winner: Color,
    },
    /// Broken off because the scores showed a dead draw.
    AdjudicatedDraw,
    /// 中断: broken off for reasons outside the game; it counts for nobody.
    Interrupted,
}

impl Ending {
    /// Who won when it was `side_to_move`'s turn; `None` for a draw and where there is no result.
    pub fn winner(&self, side_to_move: Color) -> Option<Color> {
        match self {
            Self::Declaration => Some(side_to_move),
            Self::Resignation
            | Self::Checkmate
            | Self::TimeUp
            | Self::IllegalMove { .. }
            | Self::IllegalDeclaration
            | Self::Disconnection { .. } => Some(!side_to_move),
            Self::PerpetualCheck { loser } => Some(!*loser),
            Self::AdjudicatedWin { winner } => Some(*winner),
            Self::Repetition | Self::MaxMoves | Self::AdjudicatedDraw | Self::Interrupted => None,
        }
    }

    /// Whether the game ended without a winner by the rules or by the referee; a broken-off game is no draw.
    pub fn is_draw(&self) -> bool {
        matches!(
            self,
            Self::Repetition | Self::MaxMoves | Self::AdjudicatedDraw
        )
    }

    /// A word or two without the details, for tables: `resignation`, `time up`.
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
            Self::IllegalDeclaration => "illegal declaration",
            Self::Disconnection { .. } => "disconnection",
            Self::AdjudicatedWin { .. } => "adjudicated win",
            Self::AdjudicatedDraw => "adjudicated draw",
            Self::Interrupted => "interrupted",
        }
    }
}

/// The name, and the details where there are any: `illegal move 7g7e`.
impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())?;
        match self {
            Self::IllegalMove { text } => write!(formatter, " {text}"),
            Self::Disconnection { reason } => write!(formatter, ": {reason}"),
            Self::PerpetualCheck { loser } => write!(formatter, " by {}", side_name(*loser)),
            Self::AdjudicatedWin { winner } => write!(formatter, " of {}", side_name(*winner)),
            _ => Ok(()),
        }
    }
}

const fn side_name(color: Color) -> &'static str {
    match color {
        Color::Black => "black",
        Color::White => "white",
    }
}

impl GameRecord {
    /// Whose turn it was when the game ended.
    pub fn side_to_move_at_end(&self) -> Color {
        let side = self.start.side_to_move();
        if self.moves.len().is_multiple_of(2) {
            side
        } else {
            !side
        }
    }

    /// Who won; `None` for a draw and where there is no result.
    pub fn winner(&self) -> Option<Color> {
        self.ending.winner(self.side_to_move_at_end())
    }

    /// The moves alone, to write the game in one line.
    pub fn line(&self) -> SfenLine {
        SfenLine {
            start: self.start.clone(),
            moves: self.moves.iter().map(|recorded| recorded.mv).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(line: &str, ending: Ending) -> GameRecord {
        let line: SfenLine = line.parse().expect("the line of a test");
        let moves = line.moves.into_iter();
        GameRecord {
            event: String::new(),
            players: Default::default(),
            ratings: [None; Color::NUM],
            started_at: None,
            time_limit: None,
            start: line.start,
            moves: moves
                .map(|mv| RecordedMove {
                    mv,
                    time: None,
                    thought: None,
                })
                .collect(),
            ending,
        }
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
