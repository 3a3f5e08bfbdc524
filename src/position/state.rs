//! What a position remembers about each ply of the game, so that moves can be taken back and
//! repetitions found.

use super::attacks::KingThreats;
use super::board::Board;
use super::structure::StructureKeys;
use crate::types::{Color, Hand, Key64, Move, Piece, Value};

/// One ply: facts about the position, and the move that led to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    /// Board, hands and side to move.
    pub(super) key: Key64,
    /// Board and side to move, without the hands.
    pub(super) board_key: Key64,
    /// Parts of the board by kind of piece.
    pub(super) structure: StructureKeys,
    /// Threats to each king.
    pub(super) threats: [KingThreats; Color::NUM],
    /// Material of black minus that of white, in
    /// [`piece_value`](crate::types::value::piece_value)s.
    pub(super) material: Value,
    /// Hand of the side to move: with the board it determines the other hand.
    pub(super) hand: Hand,
    /// `None` in the first position and after a null move.
    pub(super) last_move: Option<Move>,
    pub(super) captured: Option<Piece>,
    /// Plies since the first position or the last null move.
    pub(super) plies_from_null: u32,
    /// How many moves in a row, up to this position, each side has made that gave check.
    pub(super) consecutive_checks: [u32; Color::NUM],
}

impl State {
    /// Of a board without a history.
    pub(super) fn of_board(board: &Board) -> Self {
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
