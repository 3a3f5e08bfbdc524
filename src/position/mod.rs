//! A shogi position with its game: pieces, hands, keys, threats to the kings, and the history that
//! repetition needs.
//!
//! [`Position::do_move`] and [`Position::undo_move`] are exact inverses; only legal moves may be
//! made. A stored or typed move becomes a legal one by [`Position::legal_move`]; the search, which
//! checks moves step by step, uses its parts.
//!
//! Architecture invariant: this layer knows no move lists, no ordering, no evaluation and no
//! search.

mod attacks;
mod board;
mod declaration;
mod keys;
mod legality;
mod repetition;
mod see;
mod sfen;
mod validate;

use crate::bitboard::Bitboard;
use crate::types::{Color, Hand, Key64, Move, Piece, PieceType, Square, Value, for_side};
use board::{capture_gain, promotion_gain};
use keys::StructureKeys;
use repetition::BoardFilter;

pub use attacks::{KingThreats, LesserAttacks};
pub use board::Board;
pub use declaration::Declaration;
pub use sfen::{START_SFEN, SfenError};
pub use validate::InvalidPosition;

/// A move of the game and what it changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PastMove {
    /// `None` for a null move.
    pub mv: Option<Move>,
    /// The piece that it captured, if any.
    pub captured: Option<Piece>,
    /// The hand of the side that made it, before the move.
    pub hand: Hand,
}

/// A position and the moves that led to it.
///
/// ```
/// use raicho::position::Position;
///
/// let mut position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")?;
/// assert_eq!(position.legal_move("5c5d".parse()?), None);
/// let mv = position.legal_move("G*5b".parse()?).expect("the drop is legal");
/// position.do_move(mv);
/// assert!(position.in_check());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Position {
    board: Board,
    /// The first position, and one state for each move since; never empty.
    states: Vec<State>,
    seen: BoardFilter,
    /// Ply number of the first position, from 1.
    first_ply: u32,
    /// Points of each side in the first position, for declarations in handicap games.
    first_points: [u32; Color::NUM],
}

/// Facts about a position, and the move that led to it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    /// Board, hands and side to move.
    key: Key64,
    /// Board and side to move, without the hands.
    board_key: Key64,
    /// Keys of parts of the board.
    structure: StructureKeys,
    /// Threats to each king.
    threats: [KingThreats; Color::NUM],
    /// Black's material minus white's, in units of
    /// [`piece_value`](crate::types::value::piece_value).
    material: Value,
    /// Hand of the side to move. Together with the board it determines the other hand.
    hand: Hand,
    /// `None` in the first position and after a null move.
    last_move: Option<Move>,
    captured: Option<Piece>,
    /// Plies since the first position or the last null move.
    plies_from_null: u32,
    /// Number of consecutive moves up to here with which each side gave check.
    consecutive_checks: [u32; Color::NUM],
}

impl State {
    /// The state of a board without history.
    fn of_board(board: &Board) -> Self {
        let board_key = board.board_key();
        Self {
            key: board_key + board.hands_key(),
            board_key,
            structure: StructureKeys::of_board(board),
            threats: Color::ALL.map(|color| board.king_threats(color)),
            material: board.material(),
            hand: board.hand(board.side_to_move()),
            last_move: None,
            captured: None,
            plies_from_null: 0,
            consecutive_checks: [0; Color::NUM],
        }
    }
}

impl Position {
    pub(crate) fn from_board(board: Board, first_ply: u32) -> Result<Self, InvalidPosition> {
        board.validate()?;
        Ok(Self::from_any_board(board, first_ply))
    }

    /// As [`Self::from_board`], but accepts pieces that can never move: what a server sets up is
    /// played, and such pieces do no harm.
    pub(crate) fn from_server_board(board: Board, first_ply: u32) -> Result<Self, InvalidPosition> {
        board.validate_except_dead_ends()?;
        Ok(Self::from_any_board(board, first_ply))
    }

    /// Starts again from `board`, which need not be a valid position, and keeps the allocations.
    pub fn set_up(&mut self, board: Board, first_ply: u32) {
        self.states.clear();
        self.states.push(State::of_board(&board));
        self.seen.reset(self.board_key().low64());
        self.first_points = Color::ALL.map(|color| board.total_points(color));
        self.first_ply = first_ply;
        self.board = board;
    }

    /// A position without history. `board` need not be valid.
    fn from_any_board(board: Board, first_ply: u32) -> Self {
        let first_points = Color::ALL.map(|color| board.total_points(color));
        let state = State::of_board(&board);
        Self {
            board,
            seen: BoardFilter::new(state.board_key.low64()),
            states: vec![state],
            first_ply,
            first_points,
        }
    }

    #[inline(always)]
    fn state(&self) -> &State {
        self.states.last().expect("a position has at least its first state")
    }

    /// Pieces, hands and side to move, without the history.
    #[inline(always)]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The side to move.
    #[inline(always)]
    pub fn side_to_move(&self) -> Color {
        self.board.side_to_move()
    }

    /// The piece on a square.
    #[inline(always)]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board.piece_on(square)
    }

    /// The pieces in hand of `color`.
    #[inline(always)]
    pub fn hand(&self, color: Color) -> Hand {
        self.board.hand(color)
    }

    /// The king's square, `None` where the side has no king.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.board.king(color)
    }

    /// The key before the last `back` moves, `None` if fewer were made.
    #[inline(always)]
    pub fn key_before(&self, back: usize) -> Option<Key64> {
        let index = self.moves_made().checked_sub(back)?;
        Some(self.states[index].key)
    }

    /// The move made before the last `back` moves: 0 is the last one. `None` if fewer were made.
    #[inline(always)]
    pub fn past_move(&self, back: usize) -> Option<PastMove> {
        let index = self.moves_made().checked_sub(back).filter(|&index| index > 0)?;
        let after = &self.states[index];
        Some(PastMove {
            mv: after.last_move,
            captured: after.captured,
            hand: self.states[index - 1].hand,
        })
    }

    /// Material on the board and in hand, from the point of view of the side to move, in units of
    /// [`piece_value`](crate::types::value::piece_value).
    #[inline(always)]
    pub fn material(&self) -> Value {
        let material = self.state().material;
        match self.side_to_move() {
            Color::Black => material,
            Color::White => -material,
        }
    }

    /// Key of board, hands and side to move; bit 0 is set when white is to move.
    #[inline(always)]
    pub fn key(&self) -> Key64 {
        self.state().key
    }

    /// The key after a pseudo-legal move, to prefetch table entries before the move is made.
    #[inline(always)]
    pub fn key_after(&self, mv: Move) -> Key64 {
        self.board.key_after(self.key(), mv)
    }

    /// Key of board and side to move, without the hands.
    #[inline(always)]
    pub fn board_key(&self) -> Key64 {
        self.state().board_key
    }

    /// Key of both sides' pawns: 32 random bits.
    #[inline(always)]
    pub fn pawn_key(&self) -> u32 {
        self.state().structure.pawns()
    }

    /// Key of both sides' lances, knights, silvers and golds, promoted ones included: 32 random
    /// bits.
    #[inline(always)]
    pub fn minor_piece_key(&self) -> u32 {
        self.state().structure.minor_pieces()
    }

    /// Key of one side's pieces other than pawns: 32 random bits.
    #[inline(always)]
    pub fn non_pawn_key(&self, color: Color) -> u32 {
        self.state().structure.non_pawns(color)
    }

    /// Keys of both castles by colour, 32 random bits each: a king and its own pieces on the
    /// squares around it. 0 without a king. Computed on each call.
    #[inline]
    pub fn castle_keys(&self) -> [u32; Color::NUM] {
        Color::ALL.map(|color| self.board.castle_key(color))
    }

    /// Whether the last move can have changed a castle: false only where
    /// [`Self::castle_keys`] are what they were before it. False after a null move.
    #[inline(always)]
    pub fn last_move_touches_castles(&self) -> bool {
        self.last_move().is_some_and(|mv| self.board.touches_castles(mv))
    }

    /// Key of both hands: 32 random bits.
    #[inline(always)]
    pub fn hand_key(&self) -> u32 {
        let state = self.state();
        let mut hands = state.key;
        hands -= state.board_key;
        (hands.low64() >> u32::BITS) as u32
    }

    /// The pieces that give check to the side to move.
    #[inline(always)]
    pub fn checkers(&self) -> Bitboard {
        self.king_threats(self.side_to_move()).checkers
    }

    /// Whether the side to move is in check.
    #[inline(always)]
    pub fn in_check(&self) -> bool {
        self.checkers().is_any()
    }

    /// Checkers, blockers and pinners of one side's king.
    #[inline(always)]
    pub fn king_threats(&self, color: Color) -> &KingThreats {
        &self.state().threats[color.index()]
    }

    /// The move that led here, `None` in the first position and after a null move.
    #[inline(always)]
    pub fn last_move(&self) -> Option<Move> {
        self.state().last_move
    }

    /// What the last move captured.
    #[inline(always)]
    pub fn captured_piece(&self) -> Option<Piece> {
        self.state().captured
    }

    /// Number of the next move as in SFEN: 1 in the start position.
    pub fn game_ply(&self) -> u32 {
        self.first_ply.saturating_add(self.moves_made() as u32)
    }

    /// Number of moves since the first position, null moves included.
    pub fn moves_made(&self) -> usize {
        self.states.len() - 1
    }
}

// --- Moves ---

impl Position {
    /// Makes a move, which must be legal.
    pub fn do_move(&mut self, mv: Move) {
        debug_assert!(self.is_legal(mv), "{mv:?} in {}", self.to_sfen());
        for_side!(self.side_to_move(), |us| self.do_move_of(us, mv));
    }

    #[inline(always)]
    fn do_move_of(&mut self, us: Color, mv: Move) {
        let before = self.state();
        let mut board_key = before.board_key.flipped();
        let mut hand_key = before.key;
        hand_key -= before.board_key;
        let plies_from_null = before.plies_from_null + 1;
        let mut consecutive_checks = before.consecutive_checks;

        let mut structure = before.structure;
        let (material_before, mut gain) = (before.material, 0);

        let captured = self.board.apply(mv);
        board_key += Key64::of_piece(mv.piece(), mv.to());
        structure.add(mv.piece(), mv.to());
        match mv.from() {
            None => hand_key -= Key64::of_hand(us, mv.piece().kind()),
            Some(from) => {
                board_key -= Key64::of_piece(mv.piece_before(), from);
                structure.remove(mv.piece_before(), from);
                if let Some(captured) = captured {
                    board_key -= Key64::of_piece(captured, mv.to());
                    structure.remove(captured, mv.to());
                    hand_key += Key64::of_hand(us, captured.kind().unpromoted());
                    gain += capture_gain(captured.kind());
                }
                if mv.is_promotion() {
                    gain += promotion_gain(mv.piece().kind());
                }
            }
        }
        let material = match us {
            Color::Black => material_before + gain,
            Color::White => material_before - gain,
        };
        debug_assert_eq!(material, self.board.material());

        let before = &self.state().threats;
        let threats_to_them = self.board.threats_by(!us, mv, &before[us.opponent().index()]);
        let threats_to_us = self.board.threats_left(us, mv, &before[us.index()]);
        debug_assert_eq!(threats_to_us, self.board.king_threats(us));
        debug_assert_eq!(threats_to_them, self.board.king_threats(!us));
        let checks = &mut consecutive_checks[us.index()];
        *checks = if threats_to_them.checkers.is_any() { *checks + 1 } else { 0 };
        let threats = match us {
            Color::Black => [threats_to_us, threats_to_them],
            Color::White => [threats_to_them, threats_to_us],
        };
        self.push(State {
            key: board_key + hand_key,
            board_key,
            structure,
            threats,
            material,
            hand: self.board.hand(!us),
            last_move: Some(mv),
            captured,
            plies_from_null,
            consecutive_checks,
        });
    }

    /// Takes back the last move.
    ///
    /// # Panics
    /// Panics where the last move was a null move or none has been made.
    pub fn undo_move(&mut self) {
        let state = self.pop();
        let mv = state.last_move.expect("undo_move follows do_move");
        self.board.revert(mv, state.captured);
    }

    /// Takes a piece out of a hand and out of the game, until [`Self::give_back_to_hand`]: before
    /// the last move is taken back.
    pub(crate) fn take_from_hand(&mut self, color: Color, kind: PieceType) {
        self.board.hand_mut(color).remove(kind);
        self.update_hand(color);
    }

    /// Takes back [`Self::take_from_hand`].
    pub(crate) fn give_back_to_hand(&mut self, color: Color, kind: PieceType) {
        self.board.hand_mut(color).add(kind);
        self.update_hand(color);
    }

    /// Sets what the current state says of hands from the board.
    fn update_hand(&mut self, color: Color) {
        let (key, material) = (self.board.hands_key(), self.board.material());
        let hand = self.board.hand(color);
        let is_to_move = self.side_to_move() == color;
        if let Some(state) = self.states.last_mut() {
            state.key = state.board_key + key;
            state.material = material;
            if is_to_move {
                state.hand = hand;
            }
        }
    }

    /// Makes a null move. Repetitions do not look back across it.
    pub fn do_null_move(&mut self) {
        debug_assert!(!self.in_check(), "no null move in check");
        let them = self.side_to_move().opponent();
        self.board.set_side_to_move(them);
        let before = self.state();
        let state = State {
            key: before.key.flipped(),
            board_key: before.board_key.flipped(),
            structure: before.structure,
            threats: before.threats,
            material: before.material,
            hand: self.board.hand(them),
            last_move: None,
            captured: None,
            plies_from_null: 0,
            consecutive_checks: [0; Color::NUM],
        };
        self.push(state);
    }

    /// Takes back a null move.
    pub fn undo_null_move(&mut self) {
        let state = self.pop();
        debug_assert!(state.last_move.is_none());
        self.board.set_side_to_move(self.side_to_move().opponent());
    }

    fn push(&mut self, state: State) {
        self.seen.add(state.board_key.low64());
        self.states.push(state);
    }

    fn pop(&mut self) -> State {
        let state = self.states.pop().expect("a move was made");
        self.seen.remove(state.board_key.low64());
        state
    }
}

// --- Positions with one piece less, to explain what each piece is worth ---

impl Position {
    /// The position without the piece on `square`; `None` where the square is empty or has a king.
    ///
    /// It has no history and may be impossible in a game: the side that is not to move may be in
    /// check. It is for evaluation only; no moves may be made on it.
    pub fn without_piece(&self, square: Square) -> Option<Self> {
        let piece = self.piece_on(square)?;
        let mut board = self.board.clone();
        board.take(square);
        let is_possible = piece.kind() != PieceType::King;
        is_possible.then(|| Self::from_any_board(board, self.game_ply()))
    }

    /// The position with one piece of this kind removed from the hand of `owner`; `None` where
    /// there is none. As with [`Self::without_piece`], no moves may be made on it.
    pub fn without_piece_in_hand(&self, owner: Color, kind: PieceType) -> Option<Self> {
        if !self.hand(owner).has(kind) {
            return None;
        }
        let mut board = self.board.clone();
        board.hand_mut(owner).remove(kind);
        Some(Self::from_any_board(board, self.game_ply()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_piece_is_gone() {
        let position: Position =
            Position::from_sfen("4k4/9/9/9/9/4R4/9/9/4K3L w G2P 5").expect("good");
        let sfen = |position: Option<Position>| position.map(|position| position.to_sfen());
        let without = |square| sfen(position.without_piece(square));
        let expected = Some("4k4/9/9/9/9/9/9/9/4K3L w G2P 5");
        assert_eq!(without(Square::S56).as_deref(), expected);
        let expected = Some("4k4/9/9/9/9/4R4/9/9/4K4 w G2P 5");
        assert_eq!(without(Square::S19).as_deref(), expected);
        assert_eq!(without(Square::S59), None);
        assert_eq!(without(Square::S11), None);
        let in_hand = |owner, kind| sfen(position.without_piece_in_hand(owner, kind));
        let expected = Some("4k4/9/9/9/9/4R4/9/9/4K3L w GP 5");
        assert_eq!(in_hand(Color::Black, PieceType::Pawn).as_deref(), expected);
        assert_eq!(in_hand(Color::White, PieceType::Pawn), None);
        assert_eq!(in_hand(Color::Black, PieceType::Dragon), None);
    }

    /// A pinned piece leaves its king in check, whoever is to move.
    #[test]
    fn the_rest_may_be_impossible() {
        let position: Position =
            Position::from_sfen("4k4/4p4/9/9/9/4R4/9/9/4K4 b - 1").expect("good");
        let without = position.without_piece(Square::S52).expect("a pawn");
        assert!(without.king_threats(Color::White).checkers.is_any());
    }
}
