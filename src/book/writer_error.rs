//! Why an entry cannot be written.

use std::io;

use thiserror::Error;

/// Why an entry cannot be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// An error of the system.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A format with an order got an entry that belongs before the last one.
    #[error("entry {number} belongs before the one before it: `raicho book sort` first")]
    Order {
        /// Number of the entry, from 1.
        number: u64,
    },
}
