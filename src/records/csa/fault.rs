//! What can be wrong with a record.

use thiserror::Error;

use crate::position::InvalidPosition;

/// A line that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {fault}")]
pub struct CsaError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: CsaFault,
}

/// What is wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CsaFault {
    /// The line is not a statement of the standard.
    #[error(
        "'{0}' is no line of CSA, expected a header, a position, a move, a time, an ending or a \
         comment"
    )]
    Unknown(String),
    /// A line of the position is wrong.
    #[error("'{found}' in the position, expected {expected}")]
    Setup {
        /// What was found.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// The position breaks a rule, such as two pawns on a file.
    #[error("impossible position: {0}")]
    Impossible(InvalidPosition),
    /// A move or an ending comes before the side to move.
    #[error("'{0}' before the position, expected '+' or '-' for the side to move first")]
    NoPosition(String),
    /// There is no side to move.
    #[error("no line '+' or '-' for the side to move, expected after the position")]
    NoSide,
    /// The statement is not the notation of a move.
    #[error("'{0}' is not a move, expected for example +7776FU or -0055KA")]
    NotAMove(String),
    /// The move is illegal.
    #[error("'{found}', move {number}, is illegal in {sfen}, expected a legal move")]
    Illegal {
        /// The move.
        found: String,
        /// The number of the move in the game, from 1.
        number: usize,
        /// The position.
        sfen: String,
    },
    /// A statement follows the ending.
    #[error("'{0}' after the end of the game")]
    AfterTheEnd(String),
}
