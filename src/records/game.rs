//! A game record: the players, the moves with times and scores, and the ending.

use std::fmt;
use std::time::Duration;

use super::sfen_line::SfenLine;
use crate::position::Position;
use crate::types::{Color, Move, Score};

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
    /// The position before the first move.
    pub start: Position,
    /// All moves, those of the opening included.
    pub moves: Vec<RecordedMove>,
    /// How the game ended.
    pub ending: Ending,
}

/// A move with its time and the engine's thought.
#[derive(Clone, Debug)]
pub struct RecordedMove {
    /// The move, legal in its position.
    pub mv: Move,
    /// The time used, `None` if unknown, as for moves of the opening.
    pub time: Option<Duration>,
    /// What the engine reported for the move.
    pub thought: Option<Thought>,
}

/// The last search result that an engine reported before it moved.
#[derive(Clone, Debug)]
pub struct Thought {
    /// The score of the side that moved.
    pub score: Option<Score>,
    /// The search depth in plies.
    pub depth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// The principal variation. It begins with another move if the engine's did.
    pub pv: Vec<Move>,
}

/// The result of a game, without the reason.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameResult {
    /// Nobody won.
    Draw,
    /// This side won.
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
        /// The answer.
        text: String,
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
        /// The winner.
        winner: Color,
    },
    /// The game was adjudicated as a draw by the scores.
    AdjudicatedDraw,
    /// 中断: the game was interrupted for reasons outside it and has no result.
    Interrupted,
}

impl Ending {
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
            Self::PerpetualCheck { loser } => Some(!*loser),
            Self::AdjudicatedWin { winner } => Some(*winner),
            Self::Repetition | Self::MaxMoves | Self::AdjudicatedDraw | Self::Interrupted => None,
        }
    }

    /// Whether the game was drawn by the rules or by adjudication. An interrupted game is not a
    /// draw.
    pub fn is_draw(&self) -> bool {
        matches!(
            self,
            Self::Repetition | Self::MaxMoves | Self::AdjudicatedDraw
        )
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
            Self::IllegalDeclaration => "illegal declaration",
            Self::Disconnection { .. } => "disconnection",
            Self::AdjudicatedWin { .. } => "adjudicated win",
            Self::AdjudicatedDraw => "adjudicated draw",
            Self::Interrupted => "interrupted",
        }
    }
}

/// The name and its details, if any: `illegal move 7g7e`.
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
