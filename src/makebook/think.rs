//! Searches the positions of a list or a book, and writes the best moves of each as a book.

use std::collections::{BTreeMap, HashMap};
use std::{cmp::Ordering, path::Path, sync::Arc, time::Instant};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::sorter::{Sorter, unpack, write_book};
use super::{for_each_entry, is_of_games, of_one_book, order, ply_rank};
use crate::book::{BookEntry, BookFormat, BookMove, FaultLog, Losses, UNKNOWN_DEPTH};
use crate::records::{PackedSfen, score::mate_score};
use crate::runs::{Job, Numbers, Plan, RunFolder, Shard, Stop};
use crate::search::{Generations, Limits, Settings, Solo, SoloLine};
use crate::types::{Bound, Move16, Score};
use crate::{eval::Evaluator, position::Position, transposition::TableError};

/// How long and how widely positions are searched.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Effort {
    /// Number of best moves to find, at least 1.
    pub multi_pv: usize,
    /// Largest number of nodes.
    pub nodes: Option<u64>,
    /// Largest depth in plies.
    pub depth: Option<i32>,
    /// Size of the transposition table in MB, which is cleared before each search.
    pub hash_mb: usize,
}

impl Effort {
    /// The usual size of the transposition table in MB.
    pub const HASH_MB: usize = 64;
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Thought {
    /// Number of the position in its list or book, from 0.
    pub number: u64,
    /// The position, as an SFEN without the ply.
    pub position: String,
    /// The best moves, the best first.
    pub moves: Vec<ThoughtMove>,
}

/// A move and its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ThoughtMove {
    /// The move in USI notation.
    pub mv: String,
    /// The expected answer.
    pub reply: Option<String>,
    /// Centipawns from the view of the side to move; 32000 minus the plies for a mate.
    pub value: i32,
    /// Depth of the search in plies.
    pub depth: i32,
}

impl Thought {
    /// The moves as a book has them, each with a count of 1. Those that cannot be read are left
    /// out.
    pub fn book_moves(&self) -> Vec<BookMove> {
        let moves = self.moves.iter().filter_map(|known| {
            let reply = known.reply.as_ref();
            Some(BookMove {
                mv: known.mv.parse().ok()?,
                ponder: reply.and_then(|reply| reply.parse::<Move16>().ok()),
                value: known.value,
                depth: known.depth,
                count: 1,
            })
        });
        moves.collect()
    }
}

/// Searches positions one after another on the calling thread, which needs a stack of
/// [`SOLO_STACK_BYTES`](crate::search::SOLO_STACK_BYTES).
pub struct Searcher {
    solo: Solo,
    effort: Effort,
}

impl Searcher {
    /// A searcher with a table of its own.
    ///
    /// # Errors
    /// There is too little memory for the table.
    pub fn new(effort: &Effort, evaluator: &Evaluator) -> Result<Self, TableError> {
        let solo = Solo::new(Settings {
            hash_mb: effort.hash_mb,
            multi_pv: effort.multi_pv,
            evaluator: evaluator.clone(),
            generations: Generations::Strict,
            ..Settings::default()
        })?;
        Ok(Self { solo, effort: effort.clone() })
    }

    /// Searches a position. The result depends on nothing that was searched before.
    pub fn think(&mut self, number: u64, position: &Position) -> Thought {
        self.solo.new_game();
        let limits = Limits {
            nodes: self.effort.nodes,
            depth: self.effort.depth,
            start: Instant::now(),
            ..Limits::default()
        };
        let lines = self.solo.search(position, &Arc::new(limits)).lines;
        // A bound says little; it is kept only where there is nothing better.
        let exact = lines.iter().filter(|line| line.bound == Bound::Exact);
        let mut moves: Vec<ThoughtMove> = exact.map(thought_move).collect();
        if moves.is_empty() {
            moves.extend(lines.first().map(thought_move));
        }
        Thought { number, position: position.board().to_sfen(), moves }
    }
}

fn thought_move(line: &SoloLine) -> ThoughtMove {
    let value = match Score::from_value(line.value) {
        Score::Cp(value) => value,
        Score::Mate(plies) => mate_score(plies).into(),
    };
    ThoughtMove {
        mv: line.mv.to_string(),
        reply: line.reply.map(|reply| reply.to_string()),
        value,
        depth: line.depth,
    }
}

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
    /// The position, without its ply.
    pub position: PackedSfen,
    /// Its ply; 0 if unknown.
    pub ply: u32,
}

impl Task {
    /// The entry of a book with the moves that a search has found.
    pub(super) fn entry(&self, thought: &Thought) -> BookEntry {
        BookEntry { position: self.position, ply: self.ply, moves: thought.book_moves() }
    }
}

/// Positions, each once, in the order of their list or book. Their indices are their numbers.
#[derive(Default, Debug)]
pub struct Positions {
    tasks: Vec<Task>,
    /// Of each whether it needs no search.
    enough: Vec<bool>,
    /// The index of each.
    numbers: HashMap<PackedSfen, usize>,
}

impl Positions {
    /// Adds a position unless it is there already.
    pub fn add(&mut self, position: &Position) {
        let task = Task { position: PackedSfen::of(position), ply: position.game_ply() };
        self.push(task, false);
    }

    /// Adds a position, with whether there is enough of it. Of several plies the smallest counts,
    /// as in [`of_one_book`](super::of_one_book).
    fn push(&mut self, task: Task, is_enough: bool) {
        let number = *self.numbers.entry(task.position).or_insert_with(|| {
            self.tasks.push(task);
            self.enough.push(is_enough);
            self.tasks.len() - 1
        });
        let (known, enough) = (&mut self.tasks[number], &mut self.enough[number]);
        match ply_rank(task.ply).cmp(&ply_rank(known.ply)) {
            Ordering::Less => (known.ply, *enough) = (task.ply, is_enough),
            Ordering::Equal => *enough |= is_enough,
            Ordering::Greater => {}
        }
    }

    /// The positions of a book. Those of which there is `enough` are kept but not searched.
    /// `faults` gets what is wrong with the book.
    ///
    /// # Errors
    /// The file cannot be read or is no book.
    pub fn of_book(path: &Path, enough: Option<Enough>, faults: &mut FaultLog) -> Result<Self> {
        let mut positions = Self::default();
        for_each_entry(path, faults, |entry| {
            let task = Task { position: entry.position, ply: entry.ply };
            positions.push(task, enough.is_some_and(|enough| enough.holds(&entry)));
            Ok(())
        })?;
        Ok(positions)
    }

    /// The positions to search, in the order in which they were added.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Whether the position with this number needs no search.
    pub fn has_enough(&self, number: u64) -> bool {
        self.enough[number as usize]
    }

    /// A checksum of all positions and of which are searched.
    pub fn checksum(&self) -> u32 {
        let mut checksum = crc32fast::Hasher::new();
        for (task, &is_enough) in self.tasks.iter().zip(&self.enough) {
            checksum.update(&task.position.to_bytes());
            checksum.update(&[u8::from(is_enough)]);
        }
        checksum.finalize()
    }
}

/// Searches positions as a [`Job`]: a piece is a number and its position.
pub struct Thinking<'a> {
    /// How long positions are searched.
    pub effort: &'a Effort,
    /// What judges the positions.
    pub evaluator: &'a Evaluator,
    /// The request to end.
    pub stop: &'a Stop,
}

impl Job for Thinking<'_> {
    type Worker = Searcher;
    type Piece = (u64, Task);
    type Output = Thought;
    type Error = anyhow::Error;

    fn worker(&self) -> Result<Searcher> {
        Ok(Searcher::new(self.effort, self.evaluator)?)
    }

    fn perform(
        &self,
        searcher: &mut Searcher,
        &(number, task): &(u64, Task),
    ) -> Result<Option<Thought>> {
        if self.stop.is_abort() {
            return Ok(None);
        }
        let position: Position = task.position.unpack(task.ply.max(1))?;
        Ok(Some(searcher.think(number, &position)))
    }
}

/// The order of the positions, and what was found.
pub struct ThinkingPlan<'a> {
    tasks: &'a [Task],
    numbers: Numbers,
    folder: Option<RunFolder>,
    thoughts: BTreeMap<u64, Thought>,
    progress: &'a (dyn Fn(u64) + Sync),
}

impl<'a> ThinkingPlan<'a> {
    /// A plan for the positions with these `numbers`. `known` was found by an earlier part of the
    /// run; `progress` gets the number of results.
    pub fn new(
        tasks: &'a [Task],
        numbers: Numbers,
        folder: Option<RunFolder>,
        known: Vec<Thought>,
        progress: &'a (dyn Fn(u64) + Sync),
    ) -> Self {
        let known = known.into_iter();
        Self {
            tasks,
            numbers,
            folder,
            thoughts: known.map(|thought| (thought.number, thought)).collect(),
            progress,
        }
    }

    /// What was found, by number.
    pub fn into_thoughts(self) -> BTreeMap<u64, Thought> {
        self.thoughts
    }
}

impl Plan<Thinking<'_>> for ThinkingPlan<'_> {
    fn next(&mut self) -> Result<Option<(u64, Task)>> {
        let number = self.numbers.next();
        Ok(number.map(|number| (number, self.tasks[number as usize])))
    }

    fn keep(&mut self, (number, _): (u64, Task), thought: Thought) -> Result<()> {
        if let Some(folder) = &mut self.folder {
            folder.append(&thought)?;
        }
        self.thoughts.insert(number, thought);
        (self.progress)(self.thoughts.len() as u64);
        Ok(())
    }
}

/// Writes what was found, in the order of the format. Where the positions came from a `book`, those
/// of it in `shard` that were not searched are written as they are there. Returns the number of
/// positions, and what the format could not hold.
///
/// # Errors
/// A file cannot be read or written.
pub fn write_thoughts(
    positions: &Positions,
    thoughts: &BTreeMap<u64, Thought>,
    book: Option<(&Path, Shard)>,
    output: (&Path, BookFormat),
    memory: u64,
) -> Result<(u64, Losses)> {
    let (path, format) = output;
    let mut sorter = Sorter::new(path, memory);
    for (&number, thought) in thoughts {
        if let Some(task) = positions.tasks.get(number as usize) {
            sorter.push_entry(format, &task.entry(thought))?;
        }
    }
    if let Some((book, shard)) = book {
        // Faults were reported when the positions were read.
        for_each_entry(book, &mut FaultLog::default(), |entry| {
            let number = positions.numbers.get(&entry.position);
            let is_written = number.is_some_and(|&number| {
                let number = number as u64;
                shard.has(number) && !thoughts.contains_key(&number)
            });
            if is_written {
                sorter.push_entry(format, &entry)?;
            }
            Ok(())
        })?;
    }
    write_book(sorter, output, |group| {
        let entries = group.iter().filter_map(|value| unpack(value));
        let entry = of_one_book(&entries.collect::<Vec<_>>());
        Ok(entry.filter(|entry| !entry.moves.is_empty()))
    })
}
