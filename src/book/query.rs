//! What is asked of a book: a position, and whether its ply counts.

use crate::position::{Board, Position};
use crate::records::packed::PackedSfen;

/// A position to look up.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) board: Board,
    pub(super) packed: PackedSfen,
    /// The ply that an entry must have; `None` for any.
    pub(super) ply: Option<u32>,
}

impl Query {
    pub(super) fn new(position: &Position, ignores_ply: bool) -> Self {
        let ply = (!ignores_ply).then(|| position.game_ply());
        Self::of_board(position.board().clone(), ply)
    }

    fn of_board(board: Board, ply: Option<u32>) -> Self {
        let packed = PackedSfen::of_board(&board);
        Self { board, packed, ply }
    }

    /// The same position with the sides exchanged.
    pub(super) fn rotated(&self) -> Self {
        Self::of_board(self.board.rotated(), self.ply)
    }

    /// The same at any ply.
    pub(super) fn at_any_ply(&self) -> Self {
        Self {
            ply: None,
            ..self.clone()
        }
    }
}
