//! Material balance: from scratch, and the changes that moves make.

use super::board::Board;
use crate::bitboard::Bitboard;
use crate::types::value::piece_value;
use crate::types::{Color, PieceType, Value};

/// Kinds that are counted one by one. Golds and what moves as gold have one value and are counted
/// together.
const COUNTED: [PieceType; 8] = [
    PieceType::Pawn,
    PieceType::Lance,
    PieceType::Knight,
    PieceType::Silver,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Horse,
    PieceType::Dragon,
];

const _: () = assert!(
    piece_value(PieceType::ProPawn) == piece_value(PieceType::Gold)
        && piece_value(PieceType::ProLance) == piece_value(PieceType::Gold)
        && piece_value(PieceType::ProKnight) == piece_value(PieceType::Gold)
        && piece_value(PieceType::ProSilver) == piece_value(PieceType::Gold)
);

impl Board {
    /// Black's material minus white's, on the board and in hand.
    pub(super) fn material(&self) -> Value {
        let (black, white) = (self.color(Color::Black), self.color(Color::White));
        let balance = |pieces: Bitboard| {
            (pieces & black).count() as Value - (pieces & white).count() as Value
        };
        let mut value = piece_value(PieceType::Gold) * balance(self.golds());
        for kind in COUNTED {
            value += piece_value(kind) * balance(self.kind(kind));
        }
        let hands = [self.hand(Color::Black), self.hand(Color::White)];
        for kind in PieceType::HAND {
            let [black, white] = hands.map(|hand| hand.count(kind) as Value);
            value += piece_value(kind) * (black - white);
        }
        value
    }
}

/// Gain of a capture: the opponent loses the piece, and the side to move has it in hand.
#[inline(always)]
pub(super) const fn capture_gain(captured: PieceType) -> Value {
    piece_value(captured) + piece_value(captured.unpromoted())
}

/// Gain of a promotion.
#[inline(always)]
pub(super) const fn promotion_gain(promoted: PieceType) -> Value {
    piece_value(promoted) - piece_value(promoted.unpromoted())
}
