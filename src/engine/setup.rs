//! Positions and moves from USI notation, with the reason for each refusal.

use thiserror::Error;

use crate::position::{Position, SfenError};
use crate::types::{Move, Move16};
use crate::util::shorten;

/// Why `position` is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PositionError {
    /// The SFEN of the start position.
    #[error(transparent)]
    Sfen(#[from] SfenError),
    /// One of the moves.
    #[error("{error}, move {number} of {count}")]
    Move {
        /// Number of the move, from 1.
        number: usize,
        /// Number of moves in the command.
        count: usize,
        /// Why it is refused.
        error: MoveError,
    },
}

/// Why a move is refused. Each variant holds the text of the move.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MoveError {
    /// The text is not a move in USI notation.
    #[error("\"{0}\" is not a move, expected for example 7g7f, 8h2b+ or P*5e")]
    NotAMove(String),
    /// Not pseudo-legal: no piece of the side to move can move, promote or be dropped so.
    #[error("illegal move {0}, no piece of the side to move can make it")]
    Impossible(String),
    /// Not pseudo-legal while in check.
    #[error(
        "illegal move {0}, the king is in check and no piece of the side to move can answer so"
    )]
    NoAnswerToCheck(String),
    /// The king would be capturable.
    #[error("illegal move {0}, it leaves the king in check")]
    LeavesKingInCheck(String),
    /// A pawn drop that mates (打ち歩詰め).
    #[error("illegal move {0}, a dropped pawn must not mate")]
    PawnDropMate(String),
}

/// The position after `moves` from `sfen`, or from the start position of the game.
///
/// # Errors
/// Says what is wrong, and with which move.
pub(super) fn build_position(
    sfen: Option<&str>,
    moves: &[String],
) -> Result<Position, PositionError> {
    let mut position = sfen.map_or_else(|| Ok(Position::startpos()), Position::from_sfen)?;
    for (index, text) in moves.iter().enumerate() {
        let mv = parse_move(&position, text).map_err(|error| PositionError::Move {
            number: index + 1,
            count: moves.len(),
            error,
        })?;
        position.do_move(mv);
    }
    Ok(position)
}

/// The legal move of `position` that `text` names.
///
/// # Errors
/// Says why there is no such move.
pub(super) fn parse_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    let move16: Move16 = text
        .parse()
        .map_err(|_| MoveError::NotAMove(shorten(text)))?;
    let is_possible = |mv: &Move| position.pseudo_legal(*mv);
    match position.to_move(move16).filter(is_possible) {
        None if position.in_check() => Err(MoveError::NoAnswerToCheck(shorten(text))),
        None => Err(MoveError::Impossible(shorten(text))),
        Some(mv) if position.legal(mv) => Ok(mv),
        // A pseudo-legal drop never exposes the own king, so only pawn-drop mate is left.
        Some(mv) if mv.is_drop() => Err(MoveError::PawnDropMate(shorten(text))),
        Some(_) => Err(MoveError::LeavesKingInCheck(shorten(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_refused_with_their_reason() {
        let reason = |sfen: &str, mv: &str| {
            let position = build_position(Some(sfen), &[]).expect("a position");
            parse_move(&position, mv).map_err(|error| error.to_string())
        };
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        assert!(reason(start, "7g7f").is_ok());
        assert_eq!(
            reason(start, "hello"),
            Err("\"hello\" is not a move, expected for example 7g7f, 8h2b+ or P*5e".to_owned())
        );
        assert_eq!(
            reason(start, "3c3d"),
            Err("illegal move 3c3d, no piece of the side to move can make it".to_owned())
        );
        assert_eq!(
            reason("4k4/9/9/9/4r4/9/9/4G4/4K4 b - 1", "5h6h"),
            Err("illegal move 5h6h, it leaves the king in check".to_owned())
        );
        assert_eq!(
            reason("7nk/9/7S1/8N/9/9/9/9/4K4 b P 1", "P*1b"),
            Err("illegal move P*1b, a dropped pawn must not mate".to_owned())
        );
    }
}
