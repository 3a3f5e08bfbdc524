//! New scores for old positions: each is searched again, and everything else of its record stays.
//!
//! Games are searched ply by ply with one table and histories, as when they were played. Positions
//! without games are searched in groups of 64 consecutive records of a file; the histories are
//! cleared between groups only, because clearing them costs about as much as a short search. So a
//! score depends on nothing outside its game or group, and the outputs of all shards, one after the
//! other, are the output of the undivided run.

mod scorer;

use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fmt, mem};

use serde::{Deserialize, Serialize};

use super::data::column::{Column, Positions};
use super::data::pass::{BadRecords, Tally};
use super::data::reading::Place;
use super::data::{DataError, Output, Sources};
use super::gensfen::Effort;
use crate::eval::Evaluator;
use crate::records::score::is_mate;
use crate::records::teacher::{Content, Format, Record};
use crate::runs::{
    Execution, Interrupted, Job, Numbers, Plan, RunFolder, Shard, Stop, Watch, execute,
};
use crate::search::{Limits, SOLO_STACK_BYTES};
use crate::types::Depth;
use crate::util::counted;
use scorer::Scorer;

/// Records of positions without games that share histories.
const GROUP: u64 = 64;

/// Nodes of all searches between two checkpoints, about 20 seconds of one core.
const BLOCK_NODES: u64 = 20_000_000;

/// Estimated nodes of a search of depth 0; each ply of depth doubles them.
const NODES_AT_DEPTH_0: u64 = 30;

/// Greatest depth of that estimate. A block holds a single group from there on.
const MAX_ESTIMATED_DEPTH: Depth = 20;

/// Positions between two checkpoints where none is searched, less than a second of one core.
const STATIC_BLOCK: u64 = 500_000;

/// What is searched, and how.
pub struct Rescoring<'a> {
    /// The files to read. All formats must hold the same kind of data as the output.
    pub sources: &'a Sources,
    /// The file to write and its format.
    pub output: (&'a Path, Format),
    /// The evaluation of the searches.
    pub evaluator: &'a Evaluator,
    /// Search limits of each position; `None` takes the static evaluation, without a search.
    pub effort: Option<Effort>,
    /// Size of each thread's transposition table in MB.
    pub hash_mb: usize,
    /// Number of games or groups of positions at a time. Does not change the output.
    pub threads: usize,
    /// What to do with invalid records.
    pub bad_records: BadRecords,
}

/// The counts of a run.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct RescoreReport {
    /// The records read and written.
    pub tally: Tally,
    /// The sums over the positions that got new scores.
    pub searches: Searches,
}

/// Sums over searched positions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Searches {
    /// Number of positions searched or evaluated.
    pub positions: u64,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Positions whose old and new scores are no mates.
    pub compared: u64,
    /// The sum of the changes of their scores, without sign, in centipawns.
    pub change: u64,
}

/// How far a run has come, as a line of the journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint<R = RescoreReport> {
    /// Where the next record begins.
    place: Place,
    /// Bytes of the output.
    pub output: u64,
    /// Positions in the output.
    positions: u64,
    /// Whether the run is complete.
    pub is_complete: bool,
    /// What was found until then.
    report: R,
}

/// The part of a run that is done here, and where its checkpoints are kept.
pub struct Part {
    /// The share of the input.
    pub shard: Shard,
    /// Keeps checkpoints, if there is one.
    pub folder: Option<RunFolder>,
    /// The last checkpoint of an earlier process.
    pub last: Option<Checkpoint>,
}

impl Part {
    /// A part that is not kept.
    pub const fn unkept(shard: Shard) -> Self {
        Self {
            shard,
            folder: None,
            last: None,
        }
    }

    fn keep(&mut self, checkpoint: &Checkpoint<&RescoreReport>) -> Result<(), DataError> {
        let append = |folder: &mut RunFolder| folder.append(checkpoint);
        Ok(self.folder.as_mut().map_or(Ok(()), append)?)
    }
}

/// Writes all records of a part with new scores. `on_positions` gets the number of positions
/// searched so far, those before an interruption included.
///
/// # Errors
/// A file fails, the formats hold different kinds of data, there is too little memory, a thread
/// cannot be started, the work is stopped, or a record is invalid and such records are not skipped.
pub fn run(
    rescoring: &Rescoring<'_>,
    mut part: Part,
    watch: &Watch<'_>,
    on_positions: &(dyn Fn(u64) + Sync),
) -> Result<RescoreReport, DataError> {
    check_formats(rescoring.sources, rescoring.output.1)?;
    let &Rescoring {
        sources,
        output: (path, format),
        bad_records,
        ..
    } = rescoring;
    let last = part.last.take();
    if let Some(last) = last.as_ref().filter(|last| last.is_complete) {
        return Ok(last.report.clone());
    }
    let is_kept = part.folder.is_some();
    let (from, length, positions) = last.as_ref().map_or_else(Default::default, |last| {
        (last.place, last.output, last.positions)
    });
    let mut report = last.map(|last| last.report).unwrap_or_default();
    let mut out = if is_kept {
        Output::resume(path, format, length, positions)?
    } else {
        Output::create(path, format)?
    };
    let mut block = Block::new(rescoring, watch.stop, on_positions);
    let group = rescoring.group();
    sources.read_part(part.shard, from, group, watch, |found| {
        if found.place.records.is_multiple_of(group) && block.begin_group() {
            block.write(&mut report, &mut out)?;
            if is_kept {
                let (output, positions) = out.pause()?;
                part.keep(&Checkpoint {
                    place: found.place,
                    output,
                    positions,
                    is_complete: false,
                    report: &report,
                })?;
            }
        }
        let tally = &mut report.tally;
        if let Some(record) = tally.take(found.source, found.record, bad_records)? {
            block.push(record);
        }
        Ok(())
    })?;
    block.write(&mut report, &mut out)?;
    let (output, _) = out.pause()?;
    let positions = out.finish()?;
    report.tally.written = positions;
    part.keep(&Checkpoint {
        place: Place::default(),
        output,
        positions,
        is_complete: true,
        report: &report,
    })?;
    Ok(report)
}

/// Writes the positions that would get new scores, for another program, see
/// [`column`](crate::train::data::column). `path` is that of `out`, for messages.
///
/// # Errors
/// A file fails, the work is stopped, or a record is invalid and such records are not skipped.
pub fn write_positions(
    sources: &Sources,
    bad_records: BadRecords,
    (path, out): (&Path, &mut dyn Write),
    watch: &Watch<'_>,
) -> Result<RescoreReport, DataError> {
    let positions = Positions::new(out).map_err(DataError::at(path))?;
    let scorer = Scorer::writing(positions);
    with_column(sources, bad_records, (path, scorer), &mut |_| Ok(()), watch)
}

/// Writes all records with the scores of another program in `column`, whose winning probabilities
/// have this `scale` in units of 1/90 pawn. `path` is that of the column, for messages.
///
/// # Errors
/// A file fails, the column has other positions or no good scores, the formats hold different kinds
/// of data, the work is stopped, or a record is invalid and such records are not skipped.
pub fn take_scores(
    sources: &Sources,
    bad_records: BadRecords,
    (path, column, scale): (&Path, &mut dyn BufRead, u16),
    (output, format): (&Path, Format),
    watch: &Watch<'_>,
) -> Result<RescoreReport, DataError> {
    check_formats(sources, format)?;
    let mut out = Output::create(output, format)?;
    let column = Column::new(column, scale).map_err(DataError::at(path))?;
    let scorer = Scorer::reading(column);
    let put = &mut |record: &Record| out.write(record);
    let mut report = with_column(sources, bad_records, (path, scorer), put, watch)?;
    report.tally.written = out.finish()?;
    Ok(report)
}

/// Passes all records through a scorer that reads or writes the file `path`.
fn with_column(
    sources: &Sources,
    bad_records: BadRecords,
    (path, mut scorer): (&Path, Scorer<'_>),
    put: &mut dyn FnMut(&Record) -> Result<(), DataError>,
    watch: &Watch<'_>,
) -> Result<RescoreReport, DataError> {
    let mut report = RescoreReport::default();
    sources.read(watch, |source, record| {
        let Some(record) = report.tally.take(source, record, bad_records)? else {
            return Ok(());
        };
        let rescored = scorer.rescore(&record, &|| false);
        scorer.check().map_err(DataError::at(path))?;
        rescored.map_or(Ok(()), |record| put(&record))
    })?;
    report.searches = scorer.finish().map_err(DataError::at(path))?;
    Ok(report)
}

/// Whether records of a format can get new scores and be written in the format of the output.
pub fn can_rescore(format: Format, output: Format) -> bool {
    format.content() == output.content() && output.keeps_scores()
}

/// Checks that new scores can be written in the format of the output.
///
/// # Errors
/// It has no scores, or cannot be written.
pub fn check_output(format: Format) -> Result<(), DataError> {
    let is_fit = |format: Format| format.keeps_scores() && format.is_writable();
    if is_fit(format) {
        return Ok(());
    }
    let expected = Format::names(is_fit);
    Err(DataError::Unwritable { format, expected })
}

/// Checks that all files can get new scores and be written in the format of the output.
fn check_formats(sources: &Sources, output: Format) -> Result<(), DataError> {
    check_output(output)?;
    let mut files = sources.files().iter();
    match files.find(|source| !can_rescore(source.format, output)) {
        Some(source) => Err(DataError::OtherKind {
            path: source.path.clone(),
            found: source.format,
            output,
        }),
        None => Ok(()),
    }
}

impl Rescoring<'_> {
    /// Records of a group; a game is a group by itself.
    fn group(&self) -> u64 {
        if self.output.1.content() == Content::Games {
            1
        } else {
            GROUP
        }
    }

    /// Positions between two checkpoints.
    fn block_positions(&self) -> u64 {
        let Some(effort) = &self.effort else {
            return STATIC_BLOCK;
        };
        let of_depth = |depth: Depth| NODES_AT_DEPTH_0 << depth.clamp(0, MAX_ESTIMATED_DEPTH);
        let nodes = effort.nodes.or_else(|| effort.depth.map(of_depth));
        let nodes = nodes.unwrap_or(BLOCK_NODES);
        (BLOCK_NODES / nodes.max(1)).max(GROUP)
    }
}

/// A block of records, which several threads search, a group at a time, and which is written when
/// all are done.
struct Block<'a> {
    rescoring: &'a Rescoring<'a>,
    /// Limits of each search; `None` where positions are evaluated only.
    limits: Option<Arc<Limits>>,
    stop: &'a Stop,
    on_positions: &'a (dyn Fn(u64) + Sync),
    groups: Vec<Vec<Record>>,
    /// Number of positions in `groups`.
    positions: u64,
    /// Positions after which a block is full.
    limit: u64,
}

impl<'a> Block<'a> {
    fn new(
        rescoring: &'a Rescoring<'a>,
        stop: &'a Stop,
        on_positions: &'a (dyn Fn(u64) + Sync),
    ) -> Self {
        let effort = rescoring.effort.as_ref();
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
    fn begin_group(&mut self) -> bool {
        let is_full = self.positions >= self.limit;
        if !is_full {
            self.groups.push(Vec::new());
        }
        is_full
    }

    /// Adds a record to the last group.
    fn push(&mut self, record: Record) {
        self.positions += record.positions();
        match self.groups.last_mut() {
            Some(group) => group.push(record),
            None => self.groups.push(vec![record]),
        }
    }

    /// Searches all records and writes them in their order. The block is empty then.
    fn write(&mut self, report: &mut RescoreReport, out: &mut Output) -> Result<(), DataError> {
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
            threads: self.rescoring.threads.min(groups.len()),
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
        let &Rescoring {
            evaluator, hash_mb, ..
        } = self.block.rescoring;
        let evaluator = evaluator.clone();
        Ok(match &self.block.limits {
            Some(limits) => Scorer::searching(hash_mb, evaluator, Arc::clone(limits))?,
            None => Scorer::evaluating(&evaluator),
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

impl Searches {
    /// Counts a position with its old and new score in centipawns.
    pub(super) fn add(&mut self, nodes: u64, old: i16, new: i16) {
        self.positions += 1;
        self.nodes += nodes;
        if !is_mate(old) && !is_mate(new) {
            self.compared += 1;
            self.change += u64::from(old.abs_diff(new));
        }
    }

    /// Adds the sums of another group.
    const fn merge(&mut self, other: &Self) {
        self.positions += other.positions;
        self.nodes += other.nodes;
        self.compared += other.compared;
        self.change += other.change;
    }
}

/// The report of the command `rescore`.
#[expect(clippy::cast_precision_loss, reason = "figures for people")]
impl fmt::Display for RescoreReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Searches {
            positions,
            nodes,
            compared,
            change,
        } = self.searches;
        write!(formatter, "{}", self.tally)?;
        if nodes == 0 {
            writeln!(formatter, "{} evaluated", counted(positions, "position"))?;
        } else {
            let each = nodes as f64 / positions.max(1) as f64;
            writeln!(
                formatter,
                "{} searched, {each:.0} nodes each",
                counted(positions, "position")
            )?;
        }
        writeln!(
            formatter,
            "mean change of the score {:.1} centipawns",
            change as f64 / compared.max(1) as f64
        )
    }
}

#[cfg(test)]
mod tests;
