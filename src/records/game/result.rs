//! The result of a game.

use crate::types::Color;

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
