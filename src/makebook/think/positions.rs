//! The positions to search, from a list or a book.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::book::{BookEntry, BookReader, FaultLog, UNKNOWN_DEPTH};
use crate::makebook::combine::{is_of_games, order, ply_rank};
use crate::makebook::error::MakeError;
use crate::position::Position;
use crate::records::packed::PackedSfen;

/// When a position of a book needs no search. Depths that no search reached, those of books of
/// games and of formats without depths, do not count.
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
        moves.retain(|known| known.depth != UNKNOWN_DEPTH);
        if is_of_games(&moves) {
            return false;
        }
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
    /// The index of each.
    numbers: HashMap<PackedSfen, usize>,
    /// Indices of positions that need no search.
    enough: HashSet<u64>,
}

impl Positions {
    /// Adds a position unless it is there already.
    pub fn add(&mut self, position: &Position) {
        let task = Task {
            position: PackedSfen::of(position),
            ply: position.game_ply(),
        };
        self.push(task, false);
    }

    /// Adds a position, with whether there is enough of it. Of several plies the smallest counts,
    /// as in [`of_one_book`](crate::makebook::combine::of_one_book).
    fn push(&mut self, task: Task, is_enough: bool) {
        let (number, is_later, is_same) = match self.numbers.entry(task.position) {
            Entry::Vacant(free) => {
                let number = *free.insert(self.tasks.len());
                self.tasks.push(task);
                (number, false, false)
            }
            Entry::Occupied(known) => {
                let earlier = &mut self.tasks[*known.get()];
                let order = ply_rank(task.ply).cmp(&ply_rank(earlier.ply));
                if order.is_lt() {
                    earlier.ply = task.ply;
                }
                (*known.get(), order.is_gt(), order.is_eq())
            }
        };
        if is_enough && !is_later {
            self.enough.insert(number as u64);
        } else if !is_later && !is_same {
            self.enough.remove(&(number as u64));
        }
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
                    let task = Task {
                        position: entry.position,
                        ply: entry.ply,
                    };
                    positions.push(task, enough.is_some_and(|enough| enough.holds(&entry)));
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
