//! The book while it grows.

use std::collections::HashMap;
use std::path::Path;

use crate::book::{BookEntry, BookFormat, BookReader, BookWriter, FaultLog, Losses};
use crate::makebook::combine::of_one_book;
use crate::makebook::error::MakeError;
use crate::makebook::minimax::{Graph, Rules};
use crate::makebook::packing::key;
use crate::movegen::legal_on_board;
use crate::position::Board;
use crate::records::packed::PackedSfen;
use crate::types::{Move16, MoveList};

/// The greatest value that counts.
const MAX_VALUE: i32 = 32_000;

/// Positions in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct GrowingBook {
    entries: Vec<BookEntry>,
    boards: Vec<Board>,
    numbers: HashMap<PackedSfen, usize>,
}

impl GrowingBook {
    /// The positions of a file, without those that have legal moves but none in the book: they are
    /// searched like positions outside of it. `faults` gets what is wrong with the file.
    ///
    /// # Errors
    /// The file cannot be read or is no book.
    pub fn read(path: &Path, faults: &mut FaultLog) -> Result<Self, MakeError> {
        let mut book = Self::default();
        for entry in BookReader::open(path)? {
            match entry {
                Ok(entry) if entry.moves.is_empty() && has_moves(&entry)? => {}
                Ok(entry) => book.add(entry)?,
                Err(fault) => MakeError::log(path, fault, faults)?,
            }
        }
        Ok(book)
    }

    /// Adds a position, or more moves to one.
    ///
    /// # Errors
    /// The bytes of the position are not valid.
    pub fn add(&mut self, entry: BookEntry) -> Result<(), MakeError> {
        if let Some(&number) = self.numbers.get(&entry.position) {
            let earlier = &mut self.entries[number];
            let both = vec![earlier.clone(), entry];
            if let Some(united) = of_one_book(both) {
                *earlier = united;
            }
            return Ok(());
        }
        self.boards.push(entry.position.unpack_board()?);
        self.numbers.insert(entry.position, self.entries.len());
        self.entries.push(entry);
        Ok(())
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of a position, and whether it stands there with the colours swapped.
    pub(super) fn find(&self, board: &Board) -> Option<(usize, bool)> {
        let as_is = self.numbers.get(&PackedSfen::of_board(board));
        if let Some(&number) = as_is {
            return Some((number, false));
        }
        let turned = PackedSfen::of_board(&board.rotated());
        self.numbers.get(&turned).map(|&number| (number, true))
    }

    /// The position with this number.
    pub(super) fn board(&self, number: usize) -> &Board {
        &self.boards[number]
    }

    /// The graph of all positions. Its nodes have their numbers.
    pub(super) fn graph(&self) -> Graph {
        let values = |entry: &BookEntry| {
            let moves = entry.moves.iter().map(|known| {
                let value = known.value.clamp(-MAX_VALUE, MAX_VALUE) as i16;
                (known.mv, value)
            });
            moves.collect::<Vec<(Move16, i16)>>()
        };
        let moves: Vec<Vec<(Move16, i16)>> = self.entries.iter().map(values).collect();
        let moves = moves.iter().map(Vec::as_slice);
        Graph::of_positions(self.boards.iter().zip(moves), Rules::default())
    }

    /// A checksum of all positions and moves.
    pub fn checksum(&self) -> u32 {
        let mut checksum = crc32fast::Hasher::new();
        for entry in &self.entries {
            checksum.update(&crate::makebook::packing::pack(entry));
        }
        checksum.finalize()
    }

    /// Writes the positions that have moves, in the order of the format. Returns their number and
    /// what the format could not hold.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path, format: BookFormat) -> Result<(u64, Losses), MakeError> {
        let mut entries: Vec<&BookEntry> = self.entries.iter().collect();
        entries.retain(|entry| !entry.moves.is_empty());
        entries.sort_by_cached_key(|entry| key(format, entry.position));
        let mut out = BookWriter::create(path, format).map_err(MakeError::output(path))?;
        for entry in &entries {
            out.write(entry).map_err(MakeError::write(path))?;
        }
        let losses = out.finish().map_err(MakeError::io(path))?;
        Ok((entries.len() as u64, losses))
    }
}

/// Whether the side to move has a legal move.
fn has_moves(entry: &BookEntry) -> Result<bool, MakeError> {
    let mut moves = MoveList::new();
    legal_on_board::<true>(&entry.position.unpack_board()?, &mut moves);
    Ok(!moves.is_empty())
}
