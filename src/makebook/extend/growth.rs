//! The growth of a book as a [`Plan`]: batches of leaves are searched, and after each batch the
//! values are carried back and the next leaves are chosen.

use std::collections::HashMap;

use super::growing::GrowingBook;
use super::leaves::{Leaf, Reach, leaves};
use crate::book::BookEntry;
use crate::makebook::error::MakeError;
use crate::makebook::think::{Task, Thinking, Thought};
use crate::position::Position;
use crate::runs::{Plan, RunFolder};

/// How much a book grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GrowthLimits {
    /// Positions that are chosen at a time.
    pub batch: usize,
    /// Positions to search in all.
    pub positions: u64,
}

/// A book and what is searched next.
///
/// What is chosen depends on the book and the settings only: not on the number of threads, nor on
/// where a run was interrupted.
pub struct Growth<'a> {
    book: GrowingBook,
    roots: &'a [Position],
    reach: &'a Reach,
    limits: GrowthLimits,
    folder: Option<RunFolder>,
    /// Results of an earlier part of the run that were not needed yet.
    known: HashMap<u64, Thought>,
    batch: Vec<Leaf>,
    /// Number of the first leaf of the batch.
    first: u64,
    /// Leaves of the batch that were handed out or are known.
    handed: usize,
    results: Vec<Option<Thought>>,
    progress: &'a (dyn Fn(u64, i32) + Sync),
}

impl<'a> Growth<'a> {
    /// Begins with `book`. `known` are the results of an earlier part of the run; `progress` is
    /// told how many positions were searched, and what the line to the last of the batch has lost.
    ///
    /// # Errors
    /// A known result belongs to another position: the run had other settings.
    pub fn new(
        book: GrowingBook,
        roots: &'a [Position],
        reach: &'a Reach,
        limits: GrowthLimits,
        folder: Option<RunFolder>,
        known: Vec<Thought>,
        progress: &'a (dyn Fn(u64, i32) + Sync),
    ) -> Result<Self, MakeError> {
        let known = known.into_iter();
        let mut growth = Self {
            book,
            roots,
            reach,
            limits,
            folder,
            known: known.map(|thought| (thought.number, thought)).collect(),
            batch: Vec::new(),
            first: 0,
            handed: 0,
            results: Vec::new(),
            progress,
        };
        growth.choose()?;
        Ok(growth)
    }

    /// Takes the results of whole batches into the book and chooses the next batch.
    fn choose(&mut self) -> Result<(), MakeError> {
        loop {
            self.batch = leaves(&self.book, self.roots, self.reach, self.limits.batch);
            self.results = vec![None; self.batch.len()];
            self.handed = 0;
            for (index, leaf) in self.batch.iter().enumerate() {
                let number = self.first + index as u64;
                if let Some(thought) = self.known.remove(&number) {
                    let board = leaf.task.position.unpack_board()?;
                    if board.to_sfen() != thought.position {
                        return Err(MakeError::OtherPosition {
                            number,
                            found: thought.position,
                            expected: board.to_sfen(),
                        });
                    }
                    self.results[index] = Some(thought);
                }
            }
            if self.batch.is_empty() || self.results.iter().any(Option::is_none) {
                return Ok(());
            }
            self.take_results()?;
        }
    }

    /// Adds the results of the batch to the book.
    fn take_results(&mut self) -> Result<(), MakeError> {
        for (leaf, result) in self.batch.iter().zip(&mut self.results) {
            if let Some(thought) = result.take() {
                self.book.add(BookEntry {
                    position: leaf.task.position,
                    ply: leaf.task.ply,
                    moves: thought.book_moves(),
                })?;
            }
        }
        self.first += self.batch.len() as u64;
        self.batch.clear();
        Ok(())
    }

    /// Number of positions that were searched.
    pub fn searched(&self) -> u64 {
        self.first + self.results.iter().flatten().count() as u64
    }

    /// The next leaves, at most a batch, those that lose least first.
    pub fn next_leaves(&self) -> &[Leaf] {
        &self.batch
    }

    /// The book with all results so far.
    ///
    /// # Errors
    /// Never: positions were checked when they were chosen.
    pub fn into_book(mut self) -> Result<GrowingBook, MakeError> {
        self.take_results()?;
        Ok(self.book)
    }
}

impl Plan<Thinking<'_>> for Growth<'_> {
    fn next(&mut self) -> Result<Option<(u64, Task)>, MakeError> {
        while let Some(leaf) = self.batch.get(self.handed) {
            let number = self.first + self.handed as u64;
            if number >= self.limits.positions {
                break;
            }
            self.handed += 1;
            if self.results[self.handed - 1].is_none() {
                return Ok(Some((number, leaf.task)));
            }
        }
        Ok(None)
    }

    fn keep(&mut self, (number, _): (u64, Task), thought: Thought) -> Result<(), MakeError> {
        if let Some(folder) = &mut self.folder {
            folder.append(&thought)?;
        }
        self.results[(number - self.first) as usize] = Some(thought);
        let loss = self.batch.last().map_or(0, |leaf| leaf.loss);
        (self.progress)(self.searched(), loss);
        if self.results.iter().all(Option::is_some) {
            self.take_results()?;
            self.choose()?;
        }
        Ok(())
    }
}
