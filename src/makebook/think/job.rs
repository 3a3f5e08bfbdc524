//! The positions as a [`Job`], and their order and results as a [`Plan`].

use std::collections::BTreeMap;

use super::positions::Task;
use super::searcher::{Effort, Searcher, Thought};
use crate::eval::Evaluator;
use crate::makebook::error::MakeError;
use crate::position::Position;
use crate::runs::{Job, Numbers, Plan, RunFolder, Stop};

/// Searches positions as a [`Job`]: a piece is a number and its position.
pub struct Thinking<'a> {
    /// How long positions are searched.
    pub effort: &'a Effort,
    /// The evaluation.
    pub evaluator: &'a Evaluator,
    /// The request to end.
    pub stop: &'a Stop,
}

impl Job for Thinking<'_> {
    type Worker = Searcher;
    type Piece = (u64, Task);
    type Output = Thought;
    type Error = MakeError;

    fn worker(&self) -> Result<Searcher, MakeError> {
        Ok(Searcher::new(self.effort, self.evaluator)?)
    }

    fn perform(
        &self,
        searcher: &mut Searcher,
        &(number, task): &(u64, Task),
    ) -> Result<Option<Thought>, MakeError> {
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
    /// run; `progress` is told how many results there are.
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
    fn next(&mut self) -> Result<Option<(u64, Task)>, MakeError> {
        let number = self.numbers.next();
        Ok(number.map(|number| (number, self.tasks[number as usize])))
    }

    fn keep(&mut self, (number, _): (u64, Task), thought: Thought) -> Result<(), MakeError> {
        if let Some(folder) = &mut self.folder {
            folder.append(&thought)?;
        }
        self.thoughts.insert(number, thought);
        (self.progress)(self.thoughts.len() as u64);
        Ok(())
    }
}
