//! A large table of history entries that is cleared in proportion to what was written.
//!
//! The tables of one thread take some 150 MB, of which a game of short searches writes a small
//! part. Filling all of it between two games took longer than many of their moves.

use std::io;

use super::history_entry::PIECE_TO;
use crate::util::ZeroedPages;

/// Rows of entries by moved piece and target square ([`piece_to`](super::history_entry::piece_to)).
pub(super) struct HistoryRows {
    entries: ZeroedPages<i16>,
    /// By row: whether one of its entries was written since the last [`Self::clear`].
    is_written: Box<[bool]>,
}

impl HistoryRows {
    /// Rows of zeros, whose memory is taken on first use.
    ///
    /// # Errors
    /// There is no address space left.
    pub(super) fn new(rows: usize) -> io::Result<Self> {
        Ok(Self {
            entries: ZeroedPages::on_demand(rows * PIECE_TO)?,
            is_written: vec![false; rows].into_boxed_slice(),
        })
    }

    /// All entries of a row.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> &[i16; PIECE_TO] {
        &self.entries.as_chunks().0[row]
    }

    /// The entry of a moved piece and target square.
    #[inline(always)]
    pub(super) fn entry(&self, row: usize, piece_to: usize) -> &i16 {
        &self.entries[row * PIECE_TO + piece_to]
    }

    /// The same, to be written.
    #[inline(always)]
    pub(super) fn entry_mut(&mut self, row: usize, piece_to: usize) -> &mut i16 {
        self.is_written[row] = true;
        &mut self.entries[row * PIECE_TO + piece_to]
    }

    /// Has the system provide all memory now, so that no search waits for it.
    pub(super) fn fetch(&mut self) {
        self.entries.fill(0);
        self.is_written.fill(false);
    }

    /// Resets all entries to zero.
    pub(super) fn clear(&mut self) {
        let rows = self.entries.as_chunks_mut::<PIECE_TO>().0;
        for (row, is_written) in rows.iter_mut().zip(&mut self.is_written) {
            if std::mem::take(is_written) {
                row.fill(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_was_written_is_cleared() {
        let mut rows = HistoryRows::new(5).expect("some kilobytes can be had");
        for round in 1..4 {
            for row in [0, 2, 4] {
                *rows.entry_mut(row, round) = 7;
                *rows.entry_mut(row, PIECE_TO - round) = -7;
            }
            assert_eq!(*rows.entry(2, round), 7);
            assert_eq!(rows.row(4)[PIECE_TO - round], -7);
            rows.clear();
            assert!((0..5).all(|row| *rows.row(row) == [0; PIECE_TO]));
        }
    }
}
