//! New scores for old positions: each is searched again, and everything else of its record stays.
//!
//! Games are searched ply by ply with one table and histories, as when they were played. Positions
//! without games are searched in groups of 64 consecutive records of a file; the histories are
//! cleared between groups only, because clearing them costs about as much as a short search. So a
//! score depends on nothing outside its game or group, and neither threads nor interruptions change
//! the output.

use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fmt, mem};
use std::{fmt::Display, path::Path, sync::Arc};

use anyhow::{Result, anyhow, bail};
use serde::{Deserialize, Serialize};

use super::data::{Output, Place, Sources, Tally};
use super::gensfen::{Effort, HASH_MB};
use crate::eval::{Evaluator, ThreadEvaluator};
use crate::records::score::{self, NINTHS, clamp_centipawns, is_mate};
use crate::records::teacher::{Content, Format, Record, ScoredPosition, TeacherGame};
use crate::runs::{EachPiece, Execution, Interrupted, Job, RunFolder, Stop, Watch, execute};
use crate::search::{Generations, Limits, SOLO_STACK_BYTES, Settings, Solo, SoloLine};
use crate::types::{Bound, Depth, EnteringKingRule};
use crate::util::{AtPath, counted, shorten};
use crate::{position::Position, records::sample::PositionSum, records::sample::Sample};
use crate::{records::sample::TreePosition, transposition::TableError, types::value::PAWN_VALUE};

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
    /// Number of games or groups of positions at a time. Does not change the output.
    pub threads: usize,
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
pub struct Checkpoint {
    /// Where the next record begins.
    place: Place,
    /// Bytes of the output.
    pub output: u64,
    /// Positions in the output.
    positions: u64,
    /// Whether the run is complete.
    pub is_complete: bool,
    /// What was found until then.
    report: RescoreReport,
}

/// The folder that keeps the checkpoints of a run, if one does, and the last one of an earlier
/// process.
pub type KeptCheckpoints = (Option<RunFolder>, Option<Checkpoint>);

/// Writes all records with new scores. `on_positions` gets the number of positions
/// searched so far, those before an interruption included.
///
/// # Errors
/// A file fails, the formats hold different kinds of data, there is too little memory, a thread
/// cannot be started, the work is stopped, or a record is invalid and such records are not skipped.
pub fn run(
    rescoring: &Rescoring<'_>,
    (mut folder, last): KeptCheckpoints,
    watch: &Watch<'_>,
    on_positions: &(dyn Fn(u64) + Sync),
) -> Result<RescoreReport> {
    let (sources, (path, format)) = (rescoring.sources, rescoring.output);
    check_formats(sources, format)?;
    if let Some(last) = last.as_ref().filter(|last| last.is_complete) {
        return Ok(last.report.clone());
    }
    let is_kept = folder.is_some();
    let (from, length, positions) = last
        .as_ref()
        .map_or_else(Default::default, |last| (last.place, last.output, last.positions));
    let mut report = last.map(|last| last.report).unwrap_or_default();
    let mut out = if is_kept {
        Output::resume(path, format, length, positions)?
    } else {
        Output::create(path, format)?
    };
    let mut block = Block::new(rescoring, watch.stop, on_positions);
    let group = rescoring.group();
    sources.read_from(from, watch, |place, source, record| {
        if place.records.is_multiple_of(group) && block.begin_group() {
            block.write(&mut report, &mut out)?;
            if let Some(folder) = &mut folder {
                let (output, positions) = out.pause()?;
                folder.append(&Checkpoint {
                    place,
                    output,
                    positions,
                    is_complete: false,
                    report: report.clone(),
                })?;
            }
        }
        if let Some(record) = sources.take(&mut report.tally, source, record)? {
            block.push(record);
        }
        Ok(())
    })?;
    block.write(&mut report, &mut out)?;
    let (output, _) = out.pause()?;
    let positions = out.finish()?;
    report.tally.written = positions;
    if let Some(folder) = &mut folder {
        folder.append(&Checkpoint {
            place: Place::default(),
            output,
            positions,
            is_complete: true,
            report: report.clone(),
        })?;
    }
    Ok(report)
}

/// Writes the positions that would get new scores, for another program. `path` is that of `out`,
/// for messages.
///
/// # Errors
/// A file fails, the work is stopped, or a record is invalid and such records are not skipped.
pub fn write_positions(
    sources: &Sources,
    (path, out): (&Path, &mut dyn Write),
    watch: &Watch<'_>,
) -> Result<RescoreReport> {
    let positions = Positions::new(out).at(path)?;
    let scorer = Scorer::of(Method::Positions(positions));
    with_column(sources, (path, scorer), &mut |_| Ok(()), watch)
}

/// Writes all records with the scores of another program in `column`, whose winning probabilities
/// have this `scale` in units of 1/90 pawn. `path` is that of the column, for messages.
///
/// # Errors
/// A file fails, the column has other positions or no good scores, the formats hold different kinds
/// of data, the work is stopped, or a record is invalid and such records are not skipped.
pub fn take_scores(
    sources: &Sources,
    (path, column, scale): (&Path, &mut dyn BufRead, u16),
    (output, format): (&Path, Format),
    watch: &Watch<'_>,
) -> Result<RescoreReport> {
    check_formats(sources, format)?;
    let mut out = Output::create(output, format)?;
    let column = Column::new(column, scale).at(path)?;
    let scorer = Scorer::of(Method::Column(column));
    let put = &mut |record: &Record| out.write(record);
    let mut report = with_column(sources, (path, scorer), put, watch)?;
    report.tally.written = out.finish()?;
    Ok(report)
}

/// Passes all records through a scorer that reads or writes the file `path`.
fn with_column(
    sources: &Sources,
    (path, mut scorer): (&Path, Scorer<'_>),
    put: &mut dyn FnMut(&Record) -> Result<()>,
    watch: &Watch<'_>,
) -> Result<RescoreReport> {
    let tally = sources.read(watch, |_, record| {
        let rescored = scorer.rescore(&record, &|| false);
        if let Some(fault) = scorer.fault.take() {
            return Err(fault).at(path);
        }
        rescored.map_or(Ok(()), |record| put(&record))
    })?;
    let searches = scorer.finish().at(path)?;
    Ok(RescoreReport { tally, searches })
}

/// Whether records of a format can get new scores and be written in the format of the output.
pub fn can_rescore(format: Format, output: Format) -> bool {
    format.content() == output.content() && output.keeps_scores()
}

/// Checks that new scores can be written in the format of the output.
///
/// # Errors
/// It has no scores, or cannot be written.
pub fn check_output(format: Format) -> Result<()> {
    Ok(format.check(|format| format.keeps_scores() && format.is_writable())?)
}

/// Checks that all files can get new scores and be written in the format of the output.
fn check_formats(sources: &Sources, output: Format) -> Result<()> {
    check_output(output)?;
    let mut files = sources.files().iter();
    if let Some(source) = files.find(|source| !can_rescore(source.format, output)) {
        let (path, found) = (source.path.display(), source.format);
        bail!("{path}: {found} is not written as {output}, expected the same kind of data");
    }
    Ok(())
}

impl Rescoring<'_> {
    /// Records of a group; a game is a group by itself.
    fn group(&self) -> u64 {
        let are_games = self.output.1.content() == Content::Games;
        if are_games { 1 } else { GROUP }
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
    fn write(&mut self, report: &mut RescoreReport, out: &mut Output) -> Result<()> {
        let groups = mem::take(&mut self.groups);
        self.positions = 0;
        let job = Groups {
            block: self,
            records: &groups,
            positions: AtomicU64::new(report.searches.positions),
        };
        let mut rescored: Vec<Option<Rescored>> = groups.iter().map(|_| None).collect();
        let mut plan = EachPiece::new(0..groups.len(), |index: usize, group| {
            rescored[index] = Some(group);
            Ok(())
        });
        let execution = Execution {
            threads: self.rescoring.threads.min(groups.len()),
            name: "rescore",
            stack_bytes: Some(SOLO_STACK_BYTES),
            stop: self.stop,
        };
        execute(&job, &mut plan, &execution)?;
        for group in rescored {
            let group = group.ok_or(Interrupted)?;
            report.searches.merge(&group.searches);
            for record in &group.records {
                out.write(record)?;
            }
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
    type Piece = usize;
    type Output = Rescored;
    type Error = anyhow::Error;

    fn worker(&self) -> Result<Scorer<'static>> {
        let evaluator = self.block.rescoring.evaluator.clone();
        Ok(match &self.block.limits {
            Some(limits) => Scorer::searching(evaluator, Arc::clone(limits))?,
            None => Scorer::of(Method::Static(evaluator.for_thread())),
        })
    }

    fn perform(&self, scorer: &mut Scorer<'static>, &index: &usize) -> Result<Option<Rescored>> {
        scorer.begin_group();
        let mut records = Vec::new();
        for record in &self.records[index] {
            match scorer.rescore(record, &|| self.block.stop.is_abort()) {
                Some(record) => records.push(record),
                None => return Ok(None),
            }
        }
        let searches = scorer.searches;
        let before = self.positions.fetch_add(searches.positions, Ordering::Relaxed);
        (self.block.on_positions)(before + searches.positions);
        Ok(Some(Rescored { records, searches }))
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
impl Display for RescoreReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = &self.searches;
        let positions = counted(found.positions, "position");
        write!(formatter, "{}", self.tally)?;
        if found.nodes == 0 {
            writeln!(formatter, "{positions} evaluated")?;
        } else {
            let each = found.nodes as f64 / found.positions.max(1) as f64;
            writeln!(formatter, "{positions} searched, {each:.0} nodes each")?;
        }
        let change = found.change as f64 / found.compared.max(1) as f64;
        writeln!(formatter, "mean change of the score {change:.1} centipawns")
    }
}

// --- New scores on one thread ---

/// The searcher or evaluator of one thread, with the counts of the current group.
struct Scorer<'a> {
    method: Method<'a>,
    searches: Searches,
    /// Why another program's scores cannot be used; nothing has a new score from then on.
    fault: Option<anyhow::Error>,
}

/// Where scores come from.
enum Method<'a> {
    Search {
        solo: Box<Solo>,
        limits: Arc<Limits>,
    },
    Static(ThreadEvaluator),
    /// Positions are only written, for another program.
    Positions(Positions<'a>),
    /// Scores of another program.
    Column(Column<'a>),
}

/// The new score of a position.
#[derive(Clone, Copy)]
struct Found {
    /// The score in centipawns.
    score: i16,
    /// The best line, if there was a search.
    line: Option<SoloLine>,
}

impl<'a> Scorer<'a> {
    /// A scorer that searches each position.
    fn searching(evaluator: Evaluator, limits: Arc<Limits>) -> Result<Self, TableError> {
        let settings = Settings {
            hash_mb: HASH_MB,
            // Both sides value a draw at 0.
            draw_value: [0; 2],
            evaluator,
            generations: Generations::Strict,
            ..Settings::default()
        };
        let solo = Box::new(Solo::new(settings)?);
        Ok(Self::of(Method::Search { solo, limits }))
    }

    /// A scorer that takes scores from elsewhere.
    fn of(method: Method<'a>) -> Self {
        Self { method, searches: Searches::default(), fault: None }
    }

    /// The counts, if every score of another program was used.
    fn finish(self) -> Result<Searches> {
        if let Method::Column(column) = self.method {
            column.finish()?;
        }
        Ok(self.searches)
    }

    /// Forgets everything, so that the next scores do not depend on earlier ones.
    fn begin_group(&mut self) {
        if let Method::Search { solo, .. } = &mut self.method {
            solo.new_game();
        }
        self.searches = Searches::default();
    }

    /// The record with new scores; `None` if `is_aborted` returned true.
    fn rescore(&mut self, record: &Record, is_aborted: &dyn Fn() -> bool) -> Option<Record> {
        if is_aborted() {
            return None;
        }
        Some(match record {
            Record::Game(game) => Record::Game(Box::new(self.game(game, is_aborted)?)),
            Record::Sample(scored) => Record::Sample(self.sample(scored)),
            Record::Sum(sum) => Record::Sum(self.sum(sum)),
            Record::Tree(node) => Record::Tree(self.tree_position(node)),
            Record::Position(..) => record.clone(),
        })
    }

    /// The new score of a position. `None` if a search finds no legal move.
    fn score(&mut self, position: &Position, old: i16) -> Option<Found> {
        let (score, line, nodes) = match &mut self.method {
            Method::Search { solo, limits } => {
                let result = solo.search(position, limits);
                let best = *result.lines.first()?;
                (score::of_value(best.value), Some(best), result.statistics.nodes)
            }
            Method::Static(evaluator) => (score::of_value(evaluator.evaluate(position)), None, 0),
            Method::Positions(positions) => {
                self.searches.positions += 1;
                self.fault = self.fault.take().or(positions.add(position).err());
                return None;
            }
            Method::Column(column) => {
                if self.fault.is_some() {
                    return None;
                }
                match column.next(position) {
                    Ok(score) => (score, None, 0),
                    Err(error) => {
                        self.fault = Some(error);
                        return None;
                    }
                }
            }
        };
        self.searches.add(nodes, old, score);
        Some(Found { score, line })
    }

    fn game(&mut self, game: &TeacherGame, is_aborted: &dyn Fn() -> bool) -> Option<TeacherGame> {
        let mut position = game.game.start.clone();
        let mut scores = Vec::with_capacity(game.game.moves.len());
        for (index, (mv, old)) in game.scored_moves().enumerate() {
            if is_aborted() {
                return None;
            }
            // A move that was not searched is not to be learnt from: it keeps what is stored.
            let stored = game.game.moves[index].1;
            let found = old.and_then(|old| self.score(&position, old));
            scores.push(found.map_or(stored, |found| found.score));
            position.do_move(mv);
        }
        Some(game.clone().with_scores(&scores))
    }

    fn score_of_sample(&mut self, sample: &Sample) -> Option<Found> {
        let position = sample.position.unpack(sample.ply.max(1).into()).ok()?;
        // A won declaration, the end of a game without a move, is improved by no search.
        let rule = EnteringKingRule::default();
        let is_end = sample.mv.is_none() && position.declaration(rule).is_some();
        if is_end { None } else { self.score(&position, sample.score) }
    }

    fn sample(&mut self, scored: &ScoredPosition) -> ScoredPosition {
        let found = self.score_of_sample(&scored.sample);
        found.map_or_else(|| scored.clone(), |found| scored.clone().with_score(found.score))
    }

    /// All samples of the sum get the new score.
    fn sum(&mut self, sum: &PositionSum) -> PositionSum {
        let found = self.score_of_sample(&sum.to_sample());
        let count = i64::try_from(sum.count()).unwrap_or(i64::MAX);
        let total = |found: Found| {
            let each = i64::from(found.score) * NINTHS;
            each.saturating_mul(count)
        };
        PositionSum { score_sum: found.map_or(sum.score_sum, total), ..*sum }
    }

    /// The score of a search from the position itself is exact. So is a static evaluation, which
    /// keeps the move and has depth 0.
    fn tree_position(&mut self, node: &TreePosition) -> TreePosition {
        let position = node.position.unpack(node.ply.max(1).into()).ok();
        let found = position.and_then(|position| self.score(&position, node.score));
        found.map_or(*node, |Found { score, line }| TreePosition {
            score,
            mv: line.map_or(node.mv, |line| Some(line.mv.to_move16())),
            depth: line.map_or(0, |line| u8::try_from(line.depth).unwrap_or(u8::MAX)),
            bound: line.map_or(Bound::Exact, |line| line.bound),
            ..*node
        })
    }
}

// --- Scores of another program ---
//
// Scores of another program: positions go out, a column of scores comes back.
//
// Both files are text with a header line and one line for each position that `rescore` would
// give a new score, in the same order. Columns are separated by a tab.
//
// | file | header | line |
// |---|---|---|
// | positions | `key sfen` | the 64-bit key of the position in hexadecimal, and the position |
// | scores | `key cp` | the same key, and the score for the side to move in centipawns |
// | scores | `key win_rate` | the same key, and the side to move's winning probability, 0 to 1 |

/// The header of a file of positions.
const POSITIONS: &str = "key\tsfen";

/// The headers of files of scores.
const CENTIPAWNS: &str = "key\tcp";
const WIN_RATES: &str = "key\twin_rate";

/// Longest line of a file of scores in bytes.
const MAX_LINE: u64 = 200;

/// Writes positions for another program.
pub(in crate::train) struct Positions<'a> {
    out: &'a mut dyn Write,
}

impl<'a> Positions<'a> {
    /// Begins with the header.
    pub(in crate::train) fn new(out: &'a mut dyn Write) -> Result<Self> {
        writeln!(out, "{POSITIONS}")?;
        Ok(Self { out })
    }

    pub(in crate::train) fn add(&mut self, position: &Position) -> Result<()> {
        let key = position.key().low64();
        Ok(writeln!(self.out, "{key:016x}\t{}", position.to_sfen())?)
    }
}

/// Reads the scores, one for each position in their order.
pub(in crate::train) struct Column<'a> {
    input: &'a mut dyn BufRead,
    /// The score in units of 1/90 pawn that corresponds to a winning probability of e / (1 + e);
    /// `None` where the column has centipawns.
    scale: Option<f64>,
    /// Lines read so far, the header included.
    lines: u64,
    line: String,
}

impl<'a> Column<'a> {
    /// Reads the header. `scale` is that of winning probabilities.
    pub(in crate::train) fn new(input: &'a mut dyn BufRead, scale: u16) -> Result<Self> {
        let mut column = Self { input, scale: None, lines: 0, line: String::new() };
        column.read_line()?;
        column.scale = match column.line.as_str() {
            CENTIPAWNS => None,
            WIN_RATES => Some(scale.into()),
            _ => return Err(column.expected("'key' and 'cp' or 'win_rate', separated by a tab")),
        };
        Ok(column)
    }

    /// The score of the next position in centipawns.
    pub(in crate::train) fn next(&mut self, position: &Position) -> Result<i16> {
        let expected = position.key().low64();
        if !self.read_line()? {
            let (scores, sfen) = (self.lines - 1, position.to_sfen());
            bail!("ends after {scores} scores, expected one for {sfen} next");
        }
        let (key, value) = self.line.split_once('\t').unwrap_or((&self.line, ""));
        if key.len() != 16 || u64::from_str_radix(key, 16) != Ok(expected) {
            let sfen = position.to_sfen();
            return Err(self.expected(format_args!("the key {expected:016x} of {sfen}")));
        }
        let is_score = |&score: &i32| i16::try_from(score).is_ok_and(|score| !is_mate(score));
        let (score, expected) = match self.scale {
            None => (value.parse().ok().filter(is_score), "a score in centipawns, -30999 to 30999"),
            Some(scale) => (win_rate_to_centipawns(value, scale), "a winning probability, 0 to 1"),
        };
        let score = score.map(clamp_centipawns);
        score.ok_or_else(|| self.expected(expected))
    }

    /// The last line is something else.
    fn expected(&self, expected: impl Display) -> anyhow::Error {
        let (line, found) = (self.lines.max(1), shorten(&self.line));
        anyhow!("line {line}: {found}, expected {expected}")
    }

    /// Checks that no score is left.
    pub(in crate::train) fn finish(mut self) -> Result<()> {
        let scores = self.lines - 1;
        if !self.read_line()? {
            return Ok(());
        }
        Err(self.expected(format_args!("the end after {scores} scores")))
    }

    /// Reads the next line without its end; `false` at the end of the input.
    fn read_line(&mut self) -> Result<bool> {
        self.line.clear();
        let mut input = io::Read::take(&mut *self.input, MAX_LINE);
        let length = input.read_line(&mut self.line)?;
        self.line.truncate(self.line.trim_end_matches(['\r', '\n']).len());
        self.lines += u64::from(length > 0);
        Ok(length > 0)
    }
}

/// The score with this winning probability; `None` if it is not a number from 0 to 1.
fn win_rate_to_centipawns(text: &str, scale: f64) -> Option<i32> {
    let rate: f64 = text.parse().ok()?;
    if !(0.0..=1.0).contains(&rate) {
        return None;
    }
    let score = scale * (rate / (1.0 - rate)).ln() * 100.0 / f64::from(PAWN_VALUE);
    // Infinite at both ends of the range, where the conversion saturates.
    Some(score.round() as i32)
}

#[cfg(test)]
mod tests;
