//! The state of a position at one ply, kept for undo and for repetitions.

use super::attacks::KingThreats;
use super::board::Board;
use super::structure::StructureKeys;
use crate::types::{Color, Hand, Key64, Move, Piece, Value};

/// Facts about a position, and the move that led to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    /// Board, hands and side to move.
    pub(super) key: Key64,
    /// Board and side to move, without the hands.
    pub(super) board_key: Key64,
    /// Keys of parts of the board.
    pub(super) structure: StructureKeys,
    /// Threats to each king.
    pub(super) threats: [KingThreats; Color::NUM],
    /// Black's material minus white's, in units of
    /// [`piece_value`](crate::types::value::piece_value).
    pub(super) material: Value,
    /// Hand of the side to move. Together with the board it determines the other hand.
    pub(super) hand: Hand,
    /// `None` in the first position and after a null move.
    pub(super) last_move: Option<Move>,
    pub(super) captured: Option<Piece>,
    /// Plies since the first position or the last null move.
    pub(super) plies_from_null: u32,
    /// Number of consecutive moves up to here with which each side gave check.
    pub(super) consecutive_checks: [u32; Color::NUM],
}

impl State {
    /// The state of a board without history.
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
