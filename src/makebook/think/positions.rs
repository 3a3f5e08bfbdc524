//! The positions to search, from a list or a book.

use std::collections::HashSet;
use std::path::Path;

use crate::book::{BookEntry, BookReader, FaultLog};
use crate::makebook::combine::order;
use crate::makebook::error::MakeError;
use crate::position::Position;
use crate::records::packed::PackedSfen;

/// When a position of a book needs no search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Enough {
    /// Its first move was searched deeper than this; or as deep, and there are enough moves.
    pub depth: i32,
    /// Number of moves that are enough.
    pub moves: usize,
}

impl Enough {
    fn holds(self, entry: &BookEntry) -> bool {
        let mut moves = entry.moves.clone();
        order(&mut moves);
        moves.first().is_some_and(|first| {
            let is_deep = first.depth >= self.depth && moves.len() >= self.moves;
            first.depth > self.depth || is_deep
        })
    }
}

/// A position to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Task {
    /// The position.
    pub position: PackedSfen,
    /// Its ply; 0 if unknown.
    pub ply: u32,
}

/// Positions, each once, in the order of their list or book. Their indices are their numbers.
#[derive(Default, Debug)]
pub struct Positions {
    tasks: Vec<Task>,
    seen: HashSet<PackedSfen>,
    /// Indices of positions that need no search.
    enough: HashSet<u64>,
}

impl Positions {
    /// Adds a position unless it is there already.
    pub fn add(&mut self, position: &Position) {
        self.push(Task {
            position: PackedSfen::of(position),
            ply: position.game_ply(),
        });
    }

    fn push(&mut self, task: Task) -> bool {
        let is_new = self.seen.insert(task.position);
        if is_new {
            self.tasks.push(task);
        }
        is_new
    }

    /// The positions of a book. Those of which there is `enough` are kept but not searched.
    /// `faults` gets what is wrong with the book.
    ///
    /// # Errors
    /// The file cannot be read or is no book.
    pub fn of_book(
        path: &Path,
        enough: Option<Enough>,
        faults: &mut FaultLog,
    ) -> Result<Self, MakeError> {
        let mut positions = Self::default();
        for entry in BookReader::open(path)? {
            match entry {
                Ok(entry) => {
                    let index = positions.tasks.len() as u64;
                    let is_new = positions.push(Task {
                        position: entry.position,
                        ply: entry.ply,
                    });
                    if is_new && enough.is_some_and(|enough| enough.holds(&entry)) {
                        positions.enough.insert(index);
                    }
                }
                Err(fault) => MakeError::log(path, fault, faults)?,
            }
        }
        Ok(positions)
    }

    /// All positions.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Numbers of those that need no search.
    pub const fn enough(&self) -> &HashSet<u64> {
        &self.enough
    }

    /// A checksum of all positions and of which are searched.
    pub fn checksum(&self) -> u32 {
        let mut checksum = crc32fast::Hasher::new();
        for (task, number) in self.tasks.iter().zip(0..) {
            checksum.update(&task.position.to_bytes());
            checksum.update(&[u8::from(self.enough.contains(&number))]);
        }
        checksum.finalize()
    }
}
