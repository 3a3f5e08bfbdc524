//! What can be wrong with a record.

use thiserror::Error;

use crate::position::InvalidPosition;

/// A record that cannot be read.
#[derive(Debug, Error)]
pub enum JkfError {
    /// The text is not JSON, or not that of a record.
    #[error("{0}")]
    Json(serde_json::Error),
    /// The start position is wrong.
    #[error("'initial': {0}")]
    Start(JkfFault),
    /// An entry of the moves is wrong.
    #[error("'moves', entry {entry} (move {number}): {fault}")]
    Entry {
        /// The index of the entry in the list of moves.
        entry: usize,
        /// The number of the move in the game, from 1.
        number: usize,
        /// What is wrong with it.
        fault: JkfFault,
    },
}

/// What is wrong with a part of a record.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum JkfFault {
    /// The name of the start position is unknown.
    #[error("the preset '{0}' is unknown, expected HIRATE, KY, …, 10, or OTHER with data")]
    Preset(String),
    /// A square, a piece or a count is wrong.
    #[error("{found}, expected {expected}")]
    Setup {
        /// What was found.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// The position breaks a rule, such as two pawns on a file.
    #[error("impossible position: {0}")]
    Impossible(InvalidPosition),
    /// The move is illegal.
    #[error("{found} is illegal in {sfen}, expected a legal move")]
    Illegal {
        /// The move.
        found: String,
        /// The position.
        sfen: String,
    },
    /// A move follows the ending.
    #[error("{0} after the end of the game")]
    AfterTheEnd(String),
}
