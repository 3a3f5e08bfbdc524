//! [`Position`]: its fields, its construction from a board, and its accessors.

use super::attacks::KingThreats;
use super::board::Board;
use super::board_filter::BoardFilter;
use super::state::State;
use super::validate::InvalidPosition;
use crate::bitboard::Bitboard;
use crate::types::{Color, Hand, Key64, Move, Piece, Square, Value};

/// A move of the game and what it changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PastMove {
    /// `None` for a null move.
    pub mv: Option<Move>,
    /// The captured piece.
    pub captured: Option<Piece>,
    /// The hand of the side that made it, before the move.
    pub hand: Hand,
}

/// A position and the moves that led to it.
#[derive(Clone)]
pub struct Position {
    pub(super) board: Board,
    /// The first position, and one state for each move since; never empty.
    pub(super) states: Vec<State>,
    pub(super) seen: BoardFilter,
    /// Ply number of the first position, from 1.
    first_ply: u32,
    /// Points of each side in the first position, for declarations in handicap games.
    pub(super) first_points: [u32; Color::NUM],
}

/// Capacity of a new position, for a long game without reallocation.
const STATES_CAPACITY: usize = 1024;

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
    pub(crate) fn set_up(&mut self, board: Board, first_ply: u32) {
        self.states.clear();
        self.states.push(State::of_board(&board));
        self.seen.clear();
        self.seen.add(self.board_key().low64());
        self.first_points = Color::ALL.map(|color| board.total_points(color));
        self.first_ply = first_ply;
        self.board = board;
    }

    /// A position without history. `board` need not be valid.
    pub(super) fn from_any_board(board: Board, first_ply: u32) -> Self {
        let first_points = Color::ALL.map(|color| board.total_points(color));
        let state = State::of_board(&board);
        let mut seen = BoardFilter::new();
        seen.add(state.board_key.low64());
        let mut states = Vec::with_capacity(STATES_CAPACITY);
        states.push(state);
        Self {
            board,
            states,
            seen,
            first_ply,
            first_points,
        }
    }

    #[inline(always)]
    pub(super) fn state(&self) -> &State {
        self.states
            .last()
            .expect("a position has at least its first state")
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

    /// One side's hand.
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
        let index = self
            .moves_made()
            .checked_sub(back)
            .filter(|&index| index > 0)?;
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
        self.last_move()
            .is_some_and(|mv| self.board.touches_castles(mv))
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
