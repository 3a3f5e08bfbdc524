//! Validation of positions.

use thiserror::Error;

use super::Board;
use crate::bitboard::Bitboard;
use crate::types::{Color, File, PieceType, Square};

/// Reasons why a position cannot occur in a game or problem. Missing pieces, and one king or none,
/// are valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum InvalidPosition {
    /// More pieces of a kind than a full set has.
    #[error("{found} {}s on board and in hand, expected at most \
        {}", kind.name(), kind.count_in_set())]
    TooMany {
        /// The kind, which counts together with its promoted form.
        kind: PieceType,
        /// How many there are.
        found: u32,
    },
    /// More than one king of a colour.
    #[error("{found} kings of {}, expected at most one", color.name())]
    TooManyKings {
        /// The side that has them.
        color: Color,
        /// How many there are.
        found: u32,
    },
    /// Two unpromoted pawns of one colour on a file.
    #[error("two {} pawns on file {}", color.name(), file.to_char())]
    DoublePawn {
        /// The side that has them.
        color: Color,
        /// The file with two pawns.
        file: File,
    },
    /// A pawn, lance or knight that can never move.
    #[error("the {} {} on {square} can never move", color.name(), kind.name())]
    DeadEnd {
        /// The side of the piece.
        color: Color,
        /// The kind of the piece.
        kind: PieceType,
        /// The square of the piece.
        square: Square,
    },
    /// The king of the side that is not to move could be taken.
    #[error(
        "the {} king on {square} is in check, but {} is to move",
        color.name(),
        color.opponent().name()
    )]
    OpponentInCheck {
        /// The side that is in check.
        color: Color,
        /// The square of its king.
        square: Square,
    },
}

impl Board {
    /// Checks that the position is possible.
    pub(crate) fn validate(&self) -> Result<(), InvalidPosition> {
        self.validate_except_dead_ends()?;
        Color::ALL.into_iter().try_for_each(|color| self.validate_dead_ends(color))
    }

    /// As [`Self::validate`], but pieces that can never move are accepted.
    pub(crate) fn validate_except_dead_ends(&self) -> Result<(), InvalidPosition> {
        self.validate_counts()?;
        Color::ALL.into_iter().try_for_each(|color| self.validate_pawns(color))?;
        let them = !self.side_to_move();
        match self.king(them) {
            Some(square) if self.king_threats(them).checkers.is_any() => {
                Err(InvalidPosition::OpponentInCheck { color: them, square })
            }
            _ => Ok(()),
        }
    }

    fn validate_counts(&self) -> Result<(), InvalidPosition> {
        for kind in PieceType::HAND {
            let in_hands: u32 =
                Color::ALL.into_iter().map(|color| self.hand(color).count(kind)).sum();
            let promoted = kind.promoted().map_or(0, |promoted| self.kind(promoted).count());
            let found = in_hands + (self.kind(kind).count() + promoted) as u32;
            if found > kind.count_in_set() {
                return Err(InvalidPosition::TooMany { kind, found });
            }
        }
        for color in Color::ALL {
            let found = self.pieces(color, PieceType::King).count() as u32;
            if found > 1 {
                return Err(InvalidPosition::TooManyKings { color, found });
            }
        }
        Ok(())
    }

    fn validate_pawns(&self, color: Color) -> Result<(), InvalidPosition> {
        let pawns = self.pieces(color, PieceType::Pawn);
        let crowded = |&file: &File| (pawns & Bitboard::file(file)).has_several();
        match File::ALL.into_iter().find(crowded) {
            Some(file) => Err(InvalidPosition::DoublePawn { color, file }),
            None => Ok(()),
        }
    }

    fn validate_dead_ends(&self, color: Color) -> Result<(), InvalidPosition> {
        for kind in [PieceType::Pawn, PieceType::Lance, PieceType::Knight] {
            let dead_ends = Bitboard::far_ranks(color, kind.dead_end_ranks());
            if let Some(square) = (self.pieces(color, kind) & dead_ends).first() {
                return Err(InvalidPosition::DeadEnd { color, kind, square });
            }
        }
        Ok(())
    }
}
