//! Apery's book keys: the exclusive or of a number for each piece on the board, one for each count
//! in the hand of the side to move, and one for White's turn. The other hand is not part of it.

use std::sync::LazyLock;

use super::random::MersenneTwister;
use crate::position::Board;
use crate::records::packed::PackedSfen;
use crate::types::{Color, Move, Piece, PieceType, Square};

/// Codes of pieces, holes included.
const PIECES: usize = 31;
/// Counts of a kind in hand, from 0.
const COUNTS: usize = 19;

struct Numbers {
    // [piece][square]
    board: Vec<[u64; Square::NUM]>,
    // [place in `PieceType::HAND_OF_APERY`][count]
    hand: [[u64; COUNTS]; PieceType::HAND_OF_APERY.len()],
    turn: u64,
}

static NUMBERS: LazyLock<Numbers> = LazyLock::new(|| {
    let mut twister = MersenneTwister::new();
    Numbers {
        board: (0..PIECES)
            .map(|_| std::array::from_fn(|_| twister.next()))
            .collect(),
        hand: std::array::from_fn(|_| std::array::from_fn(|_| twister.next())),
        turn: twister.next(),
    }
});

/// The number of a piece on a square.
fn piece_number(piece: Piece, square: Square) -> u64 {
    NUMBERS.board[piece.index()][square.index()]
}

/// The part of the key that comes from the turn and the hand of the side to move.
fn number_of_side(board: &Board, us: Color) -> u64 {
    let hand = board.hand(us);
    let mut key = if us == Color::White { NUMBERS.turn } else { 0 };
    for (numbers, kind) in NUMBERS.hand.iter().zip(PieceType::HAND_OF_APERY) {
        key ^= numbers[hand.count(kind) as usize];
    }
    key
}

/// The numbers of all pieces on the board.
fn numbers_of_pieces(board: &Board) -> u64 {
    let pieces = board.occupied().into_iter();
    let numbers = pieces.filter_map(|square| {
        let piece = board.piece_on(square)?;
        Some(piece_number(piece, square))
    });
    numbers.fold(0, |key, number| key ^ number)
}

/// The key of a position.
pub(super) fn key_of(board: &Board) -> u64 {
    numbers_of_pieces(board) ^ number_of_side(board, board.side_to_move())
}

/// The keys after the moves of a position, without making them.
pub(super) struct ChildKeys(u64);

impl ChildKeys {
    pub(super) fn of(board: &Board) -> Self {
        // A move does not change the hand of the side that moves next.
        let next = number_of_side(board, !board.side_to_move());
        Self(numbers_of_pieces(board) ^ next)
    }

    /// The key after a legal move of the same position.
    pub(super) fn after(&self, board: &Board, mv: Move) -> u64 {
        let mut key = self.0 ^ piece_number(mv.piece(), mv.to());
        if let Some(from) = mv.from() {
            key ^= piece_number(mv.piece_before(), from);
        }
        if let Some(captured) = board.piece_on(mv.to()) {
            key ^= piece_number(captured, mv.to());
        }
        key
    }
}

/// The key of a packed position, 0 for bytes that are none.
pub(in crate::book) fn key_of_packed(position: &PackedSfen) -> u64 {
    position.unpack_board().map_or(0, |board| key_of(&board))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn the_start_position_has_its_known_key() {
        assert_eq!(key_of(Position::startpos().board()), 0xeebe_8ee7_e1ad_7e15);
    }

    #[test]
    fn keys_after_moves_are_those_of_the_positions_after_them() {
        let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
        let mut position = Position::from_sfen(sfen).expect("a position");
        let keys = ChildKeys::of(position.board());
        for mv in crate::movegen::legal_moves(&position) {
            let key = keys.after(position.board(), mv);
            position.do_move(mv);
            assert_eq!(key, key_of(position.board()), "{mv}");
            position.undo_move();
        }
    }
}
