//! Attack counts of the pieces on the board, for [`FeatureSet::HalfKpE9`].
//!
//! [`FeatureSet::HalfKpE9`]: crate::eval::nnue::FeatureSet::HalfKpE9

use crate::eval::bona_piece::{HAND_END, PIECES_END};
use crate::eval::perspective::{SQUARES, seen_by};
use crate::position::Position;
use crate::types::{Color, PieceType, Square};

/// Number of attackers of each side on each occupied square, `[side][square]`: 0, 1 or 2 (2 and
/// more).
#[derive(Clone, Debug)]
pub(in crate::eval::nnue) struct Attacks([[u8; Square::NUM]; Color::NUM]);

impl Attacks {
    pub(in crate::eval::nnue) fn of(position: &Position) -> Self {
        let board = position.board();
        let mut attacks = [[0; Square::NUM]; Color::NUM];
        for square in board.occupied() - board.kind(PieceType::King) {
            for side in Color::ALL {
                let attackers = board.attackers_by(side, square, board.occupied());
                attacks[side.index()][square.index()] = attackers.count().min(2) as u8;
            }
        }
        Self(attacks)
    }

    /// Index of the attack class of a piece number: 3 · own attackers + enemy attackers, 0 to 8; 0
    /// for pieces in hand.
    pub(super) fn class(&self, perspective: Color, number: u32) -> u32 {
        if !(HAND_END..PIECES_END).contains(&number) {
            return 0;
        }
        let square = Square::ALL[((number - HAND_END) % SQUARES) as usize];
        let square = seen_by(square, perspective).index();
        let count = |side: Color| u32::from(self.0[side.index()][square]);
        count(perspective) * 3 + count(!perspective)
    }
}
