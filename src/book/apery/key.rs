//! Apery's book keys: the exclusive or of a number for each piece on the board, one for each count
//! in the hand of the side to move, and one for White's turn. The other hand is not part of it.

use std::sync::LazyLock;

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

// The 64-bit Mersenne twister (Nishimura and Matsumoto), from whose first numbers the keys are
// made.
const LENGTH: usize = 312;
const MIDDLE: usize = 156;
const SEED: u64 = 5489;
const MATRIX: u64 = 0xb502_6f5a_a966_19e9;
const INITIAL_FACTOR: u64 = 6_364_136_223_846_793_005;
/// The bits that come from one word, and from the next.
const UPPER: u64 = !LOWER;
const LOWER: u64 = 0x7fff_ffff;

/// A Mersenne twister in its initial state.
struct MersenneTwister {
    state: [u64; LENGTH],
    next: usize,
}

impl MersenneTwister {
    fn new() -> Self {
        let mut state = [SEED; LENGTH];
        for index in 1..LENGTH {
            let last = state[index - 1];
            state[index] = (last ^ last >> 62)
                .wrapping_mul(INITIAL_FACTOR)
                .wrapping_add(index as u64);
        }
        Self {
            state,
            next: LENGTH,
        }
    }

    fn next(&mut self) -> u64 {
        if self.next == LENGTH {
            self.renew();
        }
        let mut number = self.state[self.next];
        self.next += 1;
        number ^= number >> 29 & 0x5555_5555_5555_5555;
        number ^= number << 17 & 0x71d6_7fff_eda6_0000;
        number ^= number << 37 & 0xfff7_eee0_0000_0000;
        number ^ number >> 43
    }

    fn renew(&mut self) {
        for index in 0..LENGTH {
            let word = self.state[index] & UPPER | self.state[(index + 1) % LENGTH] & LOWER;
            let mixed = word >> 1 ^ if word & 1 == 1 { MATRIX } else { 0 };
            self.state[index] = self.state[(index + MIDDLE) % LENGTH] ^ mixed;
        }
        self.next = 0;
    }
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

    #[test]
    fn the_known_number_comes_out() {
        let mut twister = MersenneTwister::new();
        (1..10_000).for_each(|_| {
            twister.next();
        });
        assert_eq!(twister.next(), 9_981_545_732_273_789_042);
    }
}
