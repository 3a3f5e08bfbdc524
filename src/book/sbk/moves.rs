//! Moves in the 32 bits of `ShogiGUI`: rank and file of origin and target, promotion, the captured
//! piece, the piece before the move, and the colour.

use crate::position::Board;
use crate::types::{Color, File, Move, Move16, Piece, PieceType, Rank, Square};

/// Mask of the square of origin, 0 for a drop.
const ORIGIN: u32 = 0xff;
const TO_SHIFT: u32 = 8;
const PROMOTION: u32 = 1 << 19;
const CAPTURED_SHIFT: u32 = 20;
const PIECE_SHIFT: u32 = 24;
const WHITE: u32 = 1 << 31;
/// Added to the code of a kind for a promoted piece, and for White's.
const PROMOTED: u32 = 8;
const OF_WHITE: u32 = 16;
/// The code of the king; below it are those of the other kinds, from 1, in the order of
/// [`PieceType::HAND_OF_APERY`].
const KING: u32 = 8;

/// Reads a move; `None` if a field is out of range.
pub(super) fn move_of(bits: u32) -> Option<Move16> {
    let to = square(bits >> TO_SHIFT)?;
    if bits & ORIGIN == 0 {
        let code = bits >> PIECE_SHIFT & (PROMOTED - 1);
        let kind = *PieceType::HAND_OF_APERY.get((code as usize).checked_sub(1)?)?;
        return Some(Move::drop(Piece::new(Color::Black, kind), to).to_move16());
    }
    let from = square(bits)?;
    // Only the squares and the promotion remain in 16 bits, so that any piece will do.
    let mv = match (from == to, bits & PROMOTION != 0) {
        (true, _) => return None,
        (false, true) => Move::promotion(from, to, Piece::BlackHorse),
        (false, false) => Move::normal(from, to, Piece::BlackRook),
    };
    Some(mv.to_move16())
}

/// The bits of a legal move of a position.
pub(super) fn bits_of(board: &Board, mv: Move) -> u32 {
    let us = board.side_to_move();
    let mut bits = code(mv.piece_before()) << PIECE_SHIFT | number(mv.to()) << TO_SHIFT;
    if let Some(from) = mv.from() {
        bits |= number(from);
    }
    if mv.is_promotion() {
        bits |= PROMOTION;
    }
    if let Some(captured) = board.piece_on(mv.to()) {
        bits |= (code(captured) & (OF_WHITE - 1)) << CAPTURED_SHIFT;
    }
    if us == Color::White {
        bits | WHITE
    } else {
        bits
    }
}

/// A square in eight bits: rank in the low half, file in the high half, both from 1.
fn square(bits: u32) -> Option<Square> {
    let rank = Rank::from_index((bits as usize & 15).checked_sub(1)?)?;
    let file = File::from_index((bits as usize >> 4 & 15).checked_sub(1)?)?;
    Some(Square::new(file, rank))
}

fn number(square: Square) -> u32 {
    let (file, rank) = (square.file().index(), square.rank().index());
    (file as u32 + 1) << 4 | (rank as u32 + 1)
}

fn code(piece: Piece) -> u32 {
    let kind = piece.kind();
    let kinds = PieceType::HAND_OF_APERY;
    let place = kinds.iter().position(|&known| known == kind.unpromoted());
    let mut code = place.map_or(KING, |place| place as u32 + 1);
    if kind.is_promoted() {
        code += PROMOTED;
    }
    if piece.color() == Color::White {
        code += OF_WHITE;
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_moves;
    use crate::position::Position;

    #[test]
    fn every_legal_move_comes_back() {
        for sfen in [
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
            "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        ] {
            let position = Position::from_sfen(sfen).expect("a position");
            for mv in legal_moves(&position) {
                let bits = bits_of(position.board(), mv);
                assert_eq!(move_of(bits), Some(mv.to_move16()), "{mv} {bits:x}");
            }
        }
    }

    #[test]
    fn the_bits_are_those_of_shogihome() {
        let position = Position::startpos();
        let mv = position.to_move("7g7f".parse().expect("a move"));
        let bits = bits_of(position.board(), mv.expect("it is possible"));
        assert_eq!(bits, 0x0100_7677);
        for bits in [0, 0x0a00, 0x00ff, 0x1111, 0x0800_5500] {
            assert_eq!(move_of(bits), None, "{bits:x}");
        }
    }
}
