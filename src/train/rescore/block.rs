//! A block of records, which several threads search and which is written when all are done.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::report::{RescoreReport, Searches};
use super::scorer::Scorer;
use super::settings::Rescoring;
use crate::records::teacher::Record;
use crate::runs::{Execution, Interrupted, Job, Numbers, Plan, Shard, Stop, execute};
use crate::search::{Limits, SOLO_STACK_BYTES};
use crate::train::data::{DataError, Output};

/// Records of which each thread takes a group at a time.
pub(super) struct Block<'a> {
    rescoring: &'a Rescoring<'a>,
    /// Limits of each search; `None` where positions are evaluated only.
    limits: Option<Arc<Limits>>,
    stop: &'a Stop,
    on_positions: &'a (dyn Fn(u64) + Sync),
    groups: Vec<Vec<Record>>,
    /// Positions in `groups`.
    positions: u64,
    /// Positions after which a block is full.
    limit: u64,
}

impl<'a> Block<'a> {
    pub(super) fn new(
        rescoring: &'a Rescoring<'a>,
        stop: &'a Stop,
        on_positions: &'a (dyn Fn(u64) + Sync),
    ) -> Self {
        let effort = rescoring.settings.effort.as_ref();
        Self {
            rescoring,
            limits: effort.map(|effort| Arc::new(effort.limits())),
            stop,
            on_positions,
            groups: Vec::new(),
            positions: 0,
            limit: rescoring.block_positions(),
        }
    }

    /// Begins another group, and returns whether the block is full and must be written first.
    pub(super) fn begin_group(&mut self) -> bool {
        let is_full = self.positions >= self.limit;
        if !is_full {
            self.groups.push(Vec::new());
        }
        is_full
    }

    /// Adds a record to the last group.
    pub(super) fn push(&mut self, record: Record) {
        self.positions += record.positions();
        match self.groups.last_mut() {
            Some(group) => group.push(record),
            None => self.groups.push(vec![record]),
        }
    }

    /// Searches all records and writes them in their order. The block is empty then.
    pub(super) fn write(
        &mut self,
        report: &mut RescoreReport,
        out: &mut Output,
    ) -> Result<(), DataError> {
        let groups = mem::take(&mut self.groups);
        self.positions = 0;
        let job = Groups {
            block: self,
            records: &groups,
            positions: AtomicU64::new(report.searches.positions),
        };
        let mut plan = Results {
            numbers: Numbers::new(Some(groups.len() as u64), Shard::WHOLE, []),
            rescored: groups.iter().map(|_| None).collect(),
        };
        let execution = Execution {
            threads: self.rescoring.settings.threads.min(groups.len()),
            name: "rescore",
            stack_bytes: Some(SOLO_STACK_BYTES),
            stop: self.stop,
        };
        execute(&job, &mut plan, &execution)?;
        for group in plan.rescored {
            let group = group.ok_or(Interrupted)?;
            report.searches.merge(&group.searches);
            group
                .records
                .iter()
                .try_for_each(|record| out.write(record))?;
        }
        Ok(())
    }
}

/// The records of a group with their new scores.
struct Rescored {
    records: Vec<Record>,
    searches: Searches,
}

/// The groups as a [`Job`].
struct Groups<'a> {
    block: &'a Block<'a>,
    records: &'a [Vec<Record>],
    /// Positions searched so far.
    positions: AtomicU64,
}

impl Job for Groups<'_> {
    type Worker = Scorer<'static>;
    type Piece = u64;
    type Output = Rescored;
    type Error = DataError;

    fn worker(&self) -> Result<Scorer<'static>, DataError> {
        let Rescoring {
            settings,
            evaluator,
            ..
        } = self.block.rescoring;
        let evaluator = (*evaluator).clone();
        Ok(match &self.block.limits {
            Some(limits) => Scorer::searching(settings.hash_mb, evaluator, Arc::clone(limits))?,
            None => Scorer::evaluating(evaluator),
        })
    }

    fn perform(
        &self,
        scorer: &mut Scorer<'static>,
        &index: &u64,
    ) -> Result<Option<Rescored>, DataError> {
        scorer.begin_group();
        let mut records = Vec::new();
        for record in &self.records[index as usize] {
            match scorer.rescore(record, &|| self.block.stop.is_abort()) {
                Some(record) => records.push(record),
                None => return Ok(None),
            }
        }
        let searches = scorer.take_searches();
        let before = self
            .positions
            .fetch_add(searches.positions, Ordering::Relaxed);
        (self.block.on_positions)(before + searches.positions);
        Ok(Some(Rescored { records, searches }))
    }
}

/// The order of the groups, and their results.
struct Results {
    numbers: Numbers,
    rescored: Vec<Option<Rescored>>,
}

impl Plan<Groups<'_>> for Results {
    fn next(&mut self) -> Result<Option<u64>, DataError> {
        Ok(self.numbers.next())
    }

    fn keep(&mut self, index: u64, rescored: Rescored) -> Result<(), DataError> {
        self.rescored[index as usize] = Some(rescored);
        Ok(())
    }
}
