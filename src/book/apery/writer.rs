//! Writes Apery's records.

use std::io::{self, Write as _};
use std::path::Path;

use super::key::key_of_packed;
use super::record::Record;
use crate::book::entry::{BookEntry, BookMove, UNKNOWN_DEPTH};
use crate::book::losses::Losses;
use crate::book::writer_error::WriteError;
use crate::runs::{OutputError, OutputFile};

/// A file that is being written.
pub(in crate::book) struct AperyWriter {
    file: OutputFile,
    last: Option<u64>,
    entries: u64,
    losses: Losses,
}

impl AperyWriter {
    pub(in crate::book) fn create(path: &Path) -> Result<Self, OutputError> {
        Ok(Self {
            file: OutputFile::create(path)?,
            last: None,
            entries: 0,
            losses: Losses::default(),
        })
    }

    pub(in crate::book) fn write(&mut self, entry: &BookEntry) -> Result<(), WriteError> {
        let key = key_of_packed(&entry.position);
        if self.last == Some(key) {
            self.losses.entries += 1;
            return Ok(());
        }
        self.entries += 1;
        if self.last > Some(key) {
            return Err(WriteError::Order {
                number: self.entries,
            });
        }
        self.last = Some(key);
        if entry.moves.is_empty() {
            self.losses.empty += 1;
            return Ok(());
        }
        self.losses.plies += 1;
        let mut moves: Vec<&BookMove> = entry.moves.iter().collect();
        moves.sort_by_key(|known| std::cmp::Reverse(known.count));
        for known in moves {
            self.write_move(key, known)?;
        }
        Ok(())
    }

    fn write_move(&mut self, key: u64, known: &BookMove) -> io::Result<()> {
        let count = known.count.min(u16::MAX.into());
        self.losses.counts += u64::from(count != known.count);
        self.losses.depths += u64::from(![0, UNKNOWN_DEPTH].contains(&known.depth));
        self.losses.ponder_moves += u64::from(known.ponder.is_some());
        let known = BookMove { count, ..*known };
        self.file.write_all(&Record { key, known }.to_bytes())
    }

    pub(in crate::book) fn finish(self) -> io::Result<Losses> {
        self.file.finish()?;
        Ok(self.losses)
    }
}
