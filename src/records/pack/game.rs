//! A game of the archive.

use crate::position::Position;
use crate::records::game::GameResult;
use crate::types::Move;

/// The most plies of a game that is read or written. A longer one can only be a damaged file.
pub const MAX_PLIES: usize = 65_535;

/// Why a game ended, in the codes of the format. Codes of other programs are kept as they are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PackReason(pub u8);

impl PackReason {
    /// The loser resigned, was mated, or was adjudicated to have lost.
    pub const RESIGNATION: Self = Self(0);
    /// 千日手, a draw.
    pub const REPETITION: Self = Self(1);
    /// The game reached the maximum number of plies, a draw.
    pub const MAX_MOVES: Self = Self(2);
    /// The game was interrupted for reasons outside it and counts as a draw.
    pub const INTERRUPTED: Self = Self(3);
    /// The side to move overstepped its time.
    pub const TIME_UP: Self = Self(4);
    /// The side to move made an illegal move.
    pub const ILLEGAL_MOVE: Self = Self(5);
    /// 連続王手の千日手: the side that gave the checks lost.
    pub const PERPETUAL_CHECK: Self = Self(6);
    /// 入玉宣言勝ち by the 24-point rule.
    pub const DECLARATION_24: Self = Self(10);
    /// A draw by declaration under the 24-point rule.
    pub const DECLARATION_24_DRAW: Self = Self(11);
    /// 入玉宣言勝ち by the 27-point rule.
    pub const DECLARATION_27: Self = Self(12);
    /// トライ: the winner's king reached the start square of the other king.
    pub const TRY: Self = Self(13);
}

/// A game of the archive.
#[derive(Clone, Debug)]
pub struct PackGame {
    /// The position before the first move.
    pub start: Position,
    /// The moves, each legal in its position, with the score of the side that makes it in
    /// centipawns (a pawn is 100).
    pub moves: Vec<(Move, i16)>,
    /// The result.
    pub result: GameResult,
    /// The reason of the result.
    pub reason: PackReason,
}
