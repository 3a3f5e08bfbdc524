//! What can be wrong with a record.

use thiserror::Error;

use crate::position::SfenError;

/// A line that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {fault}")]
pub struct KifError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: KifFault,
}

/// What is wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum KifFault {
    /// The handicap is unknown.
    #[error("handicap '{0}', expected 平手, a known handicap such as 香落ち, or a drawn board")]
    Handicap(String),
    /// A line of a board diagram is wrong.
    #[error("'{found}' in the board, expected {expected}")]
    Board {
        /// What was found.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// The position is invalid.
    #[error("{0}")]
    Position(SfenError),
    /// The text is neither a move nor an ending.
    #[error(
        "'{found}', move {number}, is neither a move nor an ending, expected for example \
         ７六歩(77), 同　銀(31), ５五角打 or 投了, or ▲７六歩 in KI2"
    )]
    NotAMove {
        /// What was found.
        found: String,
        /// The number of the move in the game, from 1.
        number: usize,
    },
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
    /// The text fits several legal moves.
    #[error("'{found}', move {number}, may be more than one move of {sfen}, expected 右, 左, 上 …")]
    Ambiguous {
        /// The move.
        found: String,
        /// The number of the move in the game, from 1.
        number: usize,
        /// The position.
        sfen: String,
    },
    /// A line of the position follows the first move.
    #[error("'{0}' after the first move, expected moves")]
    LatePosition(String),
    /// A row follows the ending.
    #[error("'{0}' after the end of the game")]
    AfterTheEnd(String),
    /// A line branches off where no move was made.
    #[error("'{0}' branches off behind the end of the game")]
    Branch(String),
    /// The text has no moves and no position.
    #[error("no game, expected headers, a board or numbered moves")]
    Empty,
}
