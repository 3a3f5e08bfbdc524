//! Setting up a position from notation, and what can be wrong with it.

use thiserror::Error;

use super::Engine;
use crate::position::{Position, SfenError};
use crate::types::{Move, Move16};
use crate::util::shorten;

/// Why a position cannot be set up.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PositionError {
    /// The start of the game is no position.
    #[error(transparent)]
    Sfen(#[from] SfenError),
    /// A move of the game cannot be made.
    #[error("{error}, move {number} of {count}")]
    Move {
        /// Its number, from 1.
        number: usize,
        /// How many moves there are.
        count: usize,
        /// What is wrong with it.
        error: MoveError,
    },
}

/// Why a move cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MoveError {
    /// Not the notation of a move.
    #[error("\"{0}\" is not a move, expected for example 7g7f, 8h2b+ or P*5e")]
    NotAMove(String),
    /// No piece of the side to move goes so: it is another's, cannot reach the square, promote or be dropped there.
    #[error("illegal move {0}, no piece of the side to move can make it")]
    Impossible(String),
    /// As above, and there is a check to answer.
    #[error(
        "illegal move {0}, the king is in check and no piece of the side to move can answer so"
    )]
    NoAnswerToCheck(String),
    /// The king would be taken.
    #[error("illegal move {0}, it leaves the king in check")]
    LeavesKingInCheck(String),
    /// 打ち歩詰め.
    #[error("illegal move {0}, a dropped pawn must not mate")]
    PawnDropMate(String),
}

impl Engine {
    /// Sets up the position after `moves` from `sfen`, or from the usual start position.
    ///
    /// # Errors
    /// Says what is wrong and where. The position stays the last good one, and [`Engine::refusal`] repeats the error
    /// until a position is set up.
    pub fn set_position(
        &mut self,
        sfen: Option<&str>,
        moves: &[String],
    ) -> Result<(), PositionError> {
        match build(sfen, moves) {
            Ok(position) => {
                self.position = position;
                self.refusal = None;
                Ok(())
            }
            Err(error) => {
                self.refuse_position(error.to_string());
                Err(error)
            }
        }
    }

    /// Notes that a position was asked for which could not even be read.
    pub fn refuse_position(&mut self, reason: String) {
        self.refusal = Some(reason);
    }

    /// The move of the current position that `text` names.
    ///
    /// # Errors
    /// Says why there is no such move.
    pub fn read_move(&self, text: &str) -> Result<Move, MoveError> {
        read_move(&self.position, text)
    }
}

fn build(sfen: Option<&str>, moves: &[String]) -> Result<Position, PositionError> {
    let mut position = sfen.map_or_else(|| Ok(Position::startpos()), Position::from_sfen)?;
    for (index, text) in moves.iter().enumerate() {
        let mv = read_move(&position, text).map_err(|error| PositionError::Move {
            number: index + 1,
            count: moves.len(),
            error,
        })?;
        position.do_move(mv);
    }
    Ok(position)
}

fn read_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    let move16: Move16 = text
        .parse()
        .map_err(|_| MoveError::NotAMove(shorten(text)))?;
    let is_possible = |mv: &Move| position.pseudo_legal(*mv);
    match position.to_move(move16).filter(is_possible) {
        None if position.in_check() => Err(MoveError::NoAnswerToCheck(shorten(text))),
        None => Err(MoveError::Impossible(shorten(text))),
        Some(mv) if position.legal(mv) => Ok(mv),
        // A drop that goes where it may never uncovers the king: what is left is the pawn that mates.
        Some(mv) if mv.is_drop() => Err(MoveError::PawnDropMate(shorten(text))),
        Some(_) => Err(MoveError::LeavesKingInCheck(shorten(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(moves: &[&str]) -> Vec<String> {
        moves.iter().map(|&mv| mv.to_owned()).collect()
    }

    #[test]
    fn a_bad_position_keeps_the_last_good_one() {
        let mut engine = Engine::new();
        assert_eq!(engine.set_position(None, &texts(&["7g7f"])), Ok(()));
        let good = engine.position().to_sfen();
        assert!(engine.set_position(Some("lnsgkgsnl w"), &[]).is_err());
        assert!(engine.refusal().is_some());
        assert!(
            engine
                .set_position(None, &texts(&["7g7f", "3c3d", "8h2c+"]))
                .is_err()
        );
        assert_eq!(
            engine.refusal(),
            Some("illegal move 8h2c+, no piece of the side to move can make it, move 3 of 3")
        );
        assert_eq!(engine.position().to_sfen(), good);
        assert_eq!(engine.set_position(None, &[]), Ok(()));
        assert_eq!(engine.refusal(), None);
        assert_ne!(engine.position().to_sfen(), good);
    }

    #[test]
    fn moves_are_refused_with_their_reason() {
        let reason = |sfen: &str, mv: &str| {
            let mut engine = Engine::new();
            engine.set_position(Some(sfen), &[]).expect("a position");
            engine.read_move(mv).map_err(|error| error.to_string())
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
