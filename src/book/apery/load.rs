//! Apery's book in memory.

use std::io;
use std::path::Path;

use super::key::key_of;
use super::record::{Record, of_key, read_all};
use crate::book::entry::{BookMove, merge_moves};
use crate::book::fault::FaultLog;
use crate::position::Board;

/// All records, in order of the key.
#[derive(Debug)]
pub(in crate::book) struct AperyBook {
    records: Vec<Record>,
}

impl AperyBook {
    /// Loads a file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(in crate::book) fn load(path: &Path, faults: &mut FaultLog) -> io::Result<Self> {
        let bytes = std::fs::read(path)?;
        let records = read_all(&bytes, |fault| faults.add(fault));
        Ok(Self { records })
    }

    /// Number of positions.
    pub(in crate::book) fn positions(&self) -> usize {
        self.records
            .chunk_by(|one, next| one.key == next.key)
            .count()
    }

    /// The moves of a position. Those of another position with the same key may be among them.
    pub(in crate::book) fn find(&self, board: &Board) -> Vec<BookMove> {
        let mut moves = Vec::new();
        for record in of_key(&self.records, key_of(board)) {
            merge_moves(&mut moves, &[record.known]);
        }
        moves
    }
}
