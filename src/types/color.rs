//! Colours. Black (先手) moves first.

use std::fmt;
use std::ops::Not;

use crate::util::simple_enum;

simple_enum! {
    /// A side of the game.
    #[derive(serde::Serialize, serde::Deserialize)]
    #[expect(
        clippy::unsafe_derive_deserialize,
        reason = "what is read is one of the two names, never an index"
    )]
    #[serde(rename_all = "lowercase")]
    pub enum Color {
        /// 先手, moves first and plays up the board, towards rank 1.
        Black,
        /// 後手, plays down the board, towards rank 9.
        White,
    }
}

impl Color {
    /// The other side.
    #[inline]
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

/// Evaluates code that is compiled once for each side, so that the compiler folds directions and
/// tables.
macro_rules! for_side {
    ($side:expr, |$us:ident| $code:expr) => {
        match $side {
            $crate::types::Color::Black => {
                let $us = $crate::types::Color::Black;
                $code
            }
            $crate::types::Color::White => {
                let $us = $crate::types::Color::White;
                $code
            }
        }
    };
}

pub(crate) use for_side;

impl Not for Color {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        self.opponent()
    }
}

/// The side as SFEN writes it: `b` or `w`.
impl fmt::Display for Color {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Black => "b",
            Self::White => "w",
        })
    }
}
