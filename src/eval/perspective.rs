//! How one side sees the board: white sees it rotated.

use crate::types::{Color, Square};

/// Squares of the board, as an offset between blocks of numbers.
pub(super) const SQUARES: u32 = Square::NUM as u32;

/// The square as `perspective` sees it: rotated by 180 degrees for white.
pub(super) fn seen_by(square: Square, perspective: Color) -> Square {
    match perspective {
        Color::Black => square,
        Color::White => square.rotated(),
    }
}
