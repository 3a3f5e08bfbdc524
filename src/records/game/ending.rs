//! How a game ended, and its result.

use std::fmt;

use crate::types::Color;

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
        matches!(
            self,
            Self::Repetition | Self::MaxMoves | Self::AdjudicatedDraw
        )
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
            Self::IllegalMove {
                text: String::new(),
            },
            Self::IllegalDeclaration,
            Self::AdjudicatedDraw,
            Self::Interrupted,
            Self::NoMate,
        ];
        of_sides
            .chain(plain)
            .find(|ending| ending.to_string() == text)
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
