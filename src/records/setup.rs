//! Start positions as records draw them: pieces on squares and in hand.

use super::RecordError;
use crate::position::{Board, InvalidPosition};
use crate::types::{Color, Piece, PieceType, Square};

/// The pieces that the lines so far describe.
pub(super) struct Setup {
    pub(super) squares: [Option<Piece>; Square::NUM],
    /// By [`Color::index`] and [`PieceType::index`].
    pub(super) hands: [[u32; PieceType::NUM]; Color::NUM],
    /// The side that holds all pieces that are nowhere else (`00AL`, 残り全部).
    pub(super) rest: Option<Color>,
}

impl Default for Setup {
    fn default() -> Self {
        Self { squares: [None; Square::NUM], hands: [[0; PieceType::NUM]; Color::NUM], rest: None }
    }
}

impl Setup {
    /// The board with this side to move. It may be impossible.
    pub(super) fn board(&self, side: Color) -> Result<Board, RecordError> {
        let mut board = Board::EMPTY;
        board.set_side_to_move(side);
        for (place, piece) in Square::ALL.into_iter().zip(self.squares) {
            if let Some(piece) = piece {
                board.put(piece, place);
            }
        }
        for kind in PieceType::HAND {
            let mut held = self.hands.map(|hand| hand[kind.index()]);
            if let Some(color) = self.rest {
                let is_same = |piece: &&Piece| piece.kind().unpromoted() == kind;
                let placed = self.squares.iter().flatten().filter(is_same).count() as u32;
                let elsewhere = placed + held.iter().sum::<u32>();
                held[color.index()] += kind.count_in_set().saturating_sub(elsewhere);
            }
            for color in Color::ALL {
                let given = board.give(color, kind, held[color.index()]);
                given.map_err(impossible)?;
            }
        }
        Ok(board)
    }
}

/// The error of a position that cannot occur.
pub(super) fn impossible(invalid: InvalidPosition) -> RecordError {
    RecordError::new(format_args!("impossible position: {invalid}"))
}
