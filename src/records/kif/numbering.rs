//! The numbers of the rows of moves.

use super::digits;

/// What the numbers of the rows so far tell.
#[derive(Default)]
pub(super) struct Numbering {
    /// The number of the first row, which is not 1 for games that begin from a drawn board.
    first: Option<usize>,
    /// Whether a row had another number than expected.
    is_wrong: bool,
}

impl Numbering {
    /// Checks the number of a row after as many moves. The first wrong one is told.
    pub(super) fn check(&mut self, row: usize, moves: usize) -> Option<String> {
        let expected = self.first.get_or_insert(row).saturating_add(moves);
        if row == expected || self.is_wrong {
            return None;
        }
        self.is_wrong = true;
        Some(format!("the number {row}, expected {expected}"))
    }

    /// Whether a game that ends after `moves` is shorter than the number of its last move, `last`.
    pub(super) fn is_short(&self, moves: usize, last: usize) -> bool {
        last > moves + self.first.unwrap_or(1).saturating_sub(1)
    }

    /// The moves before the variation `：12手`.
    pub(super) fn moves_before(&self, variation: &str) -> Option<usize> {
        digits::number_of(variation)?.checked_sub(self.first.unwrap_or(1))
    }
}
