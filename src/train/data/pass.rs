//! One pass over files, for `convert` and `validate`: checks every record and writes the valid ones
//! in another format.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::signs::Signs;
use super::{DataError, Output, Source, Sources};
use crate::records::sample::has_entered_king;
use crate::records::teacher::{Chain, Format, Record, Span, TeacherError};
use crate::runs::Watch;
use crate::util::counted;

/// The number of invalid records of a class that are kept as examples.
const EXAMPLES: usize = 5;

/// What to do with invalid records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadRecords {
    /// The first one is an error.
    Stop,
    /// They are counted and skipped.
    Skip,
}

/// Counts of the valid and invalid records of a run.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Tally {
    /// Valid records, which are positions or games.
    pub records: u64,
    /// Valid records that are games.
    pub games: u64,
    /// Number of positions in the output.
    pub written: u64,
    /// Positions that the format of the output cannot keep, see [`Format::keeps`].
    #[serde(default)]
    pub left_out: u64,
    /// Invalid records by class.
    pub faults: BTreeMap<String, FaultClass>,
}

/// The invalid records of a class.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct FaultClass {
    /// The number of records.
    pub count: u64,
    /// The file and place of the first ones, as text.
    pub examples: Vec<String>,
}

impl Tally {
    /// The number of invalid records.
    pub fn bad(&self) -> u64 {
        self.faults.values().map(|class| class.count).sum()
    }

    /// Counts a record and returns it if it is valid. An invalid one is an error unless such
    /// records are skipped.
    pub(in crate::train) fn take(
        &mut self,
        source: &Source,
        record: Result<Record, TeacherError>,
        bad_records: BadRecords,
    ) -> Result<Option<Record>, DataError> {
        let is_game = record.as_ref().is_ok_and(Record::is_game);
        self.games += u64::from(is_game);
        self.take_any(source, record, bad_records)
    }

    /// Whether the output can keep a record. If not, its positions count as left out.
    pub(super) fn keeps(&mut self, format: Format, record: &Record) -> bool {
        let is_kept = format.keeps(record);
        if !is_kept {
            self.left_out += record.positions();
        }
        is_kept
    }

    /// As [`Self::take`], for a value that was made of a record.
    pub(in crate::train) fn take_any<T>(
        &mut self,
        source: &Source,
        record: Result<T, TeacherError>,
        bad_records: BadRecords,
    ) -> Result<Option<T>, DataError> {
        let path = &source.path;
        match record {
            Ok(record) => {
                self.records += 1;
                Ok(Some(record))
            }
            Err(error) if bad_records == BadRecords::Skip => {
                let class = self
                    .faults
                    .entry(error.fault.class().to_owned())
                    .or_default();
                class.count += 1;
                if class.examples.len() < EXAMPLES {
                    class.examples.push(format!("{}: {error}", path.display()));
                }
                Ok(None)
            }
            Err(error) => Err(DataError::at(path)(error)),
        }
    }
}

/// The counts of a pass.
#[derive(Default, Debug)]
pub struct PassReport {
    /// Counts of the valid and invalid records.
    pub tally: Tally,
    /// Positions with score and result, including those of games.
    pub samples: u64,
    /// Positions of search trees.
    pub tree_positions: u64,
    /// Positions of held-out games.
    pub held_out: u64,
    /// The check of the signs of scores and results.
    pub signs: Signs,
}

/// Where the valid records are written.
#[derive(Clone, Default, Debug)]
pub struct Destination {
    /// The output and its format; `None` to check only.
    pub output: Option<(PathBuf, Format)>,
    /// Another file for some games. Consecutive samples whose moves lead to each other count as a
    /// game, and so do consecutive parts of one.
    pub held_out: Option<HeldOut>,
    /// Whether only positions with a king in its promotion zone are written, as samples.
    pub entered_kings: bool,
}

/// Reads all records, and writes the valid ones if there is an output.
///
/// # Errors
/// A file fails, an output cannot hold a record, the work is stopped, or a record is invalid and
/// such records are not skipped.
pub fn run(
    sources: &Sources,
    destination: &Destination,
    bad_records: BadRecords,
    watch: &Watch<'_>,
) -> Result<PassReport, DataError> {
    let mut report = PassReport::default();
    let mut out = match &destination.output {
        Some((path, format)) => Some(Output::create(path, *format)?),
        None => None,
    };
    let held_out = destination.held_out.as_ref();
    let mut sampler = held_out.map(HoldoutSampler::new).transpose()?;
    let mut last_file = std::ptr::null();
    sources.read(watch, |source, record| {
        if !std::ptr::eq(source, last_file) {
            // A game does not go on in the next file.
            last_file = source;
            out.as_mut().map_or(Ok(()), Output::end_game)?;
        }
        let Some(record) = report.tally.take(source, record, bad_records)? else {
            return Ok(());
        };
        report.tree_positions += u64::from(matches!(record, Record::Tree(_)));
        record.for_each_sample(|sample| {
            report.samples += 1;
            report.signs.add(sample);
        });
        let is_drawn = sampler
            .as_mut()
            .is_some_and(|sampler| sampler.draws(&record));
        let target = match &mut sampler {
            Some(sampler) if is_drawn => Some(&mut sampler.out),
            _ => out.as_mut(),
        };
        match target {
            Some(out) if report.tally.keeps(out.format(), &record) => {
                if destination.entered_kings {
                    write_entered_kings(&record, out)
                } else {
                    out.write(&record)
                }
            }
            _ => Ok(()),
        }
    })?;
    if let Some(out) = out {
        report.tally.written = out.finish()?;
    }
    if let Some(sampler) = sampler {
        report.held_out = sampler.out.finish()?;
    }
    Ok(report)
}

fn write_entered_kings(record: &Record, out: &mut Output) -> Result<(), DataError> {
    if let Record::Tree(node) = record {
        return if has_entered_king(&node.position) {
            out.write(record)
        } else {
            Ok(())
        };
    }
    let mut result = Ok(());
    record.for_each_sample(|sample| {
        if result.is_ok() && has_entered_king(&sample.position) {
            result = out.write(&Record::from(*sample));
        }
    });
    result
}

/// The report of the command `validate`.
impl fmt::Display for PassReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", counted(self.samples, "scored position"))?;
        if self.tree_positions > 0 {
            writeln!(
                formatter,
                "{} of search trees",
                counted(self.tree_positions, "position")
            )?;
        }
        write!(formatter, "{}{}", self.tally, self.signs)
    }
}

/// The counts and the examples of each class of faults.
impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", counted(self.records, "good record"))?;
        if self.games > 0 {
            write!(formatter, ", {} of them games", self.games)?;
        }
        writeln!(formatter)?;
        if self.left_out > 0 {
            writeln!(
                formatter,
                "{} left out: no format keeps both positions of games and those of search trees",
                counted(self.left_out, "position")
            )?;
        }
        writeln!(formatter, "{}", counted(self.bad(), "bad record"))?;
        for (name, class) in &self.faults {
            writeln!(formatter, "  {:>10}  {name}", class.count)?;
            for example in &class.examples {
                writeln!(formatter, "              {example}")?;
            }
            if class.count > class.examples.len() as u64 {
                writeln!(formatter, "              …")?;
            }
        }
        Ok(())
    }
}

/// Games that go into a file of their own, so that nothing is learnt from them.
#[derive(Clone, Debug)]
pub struct HeldOut {
    /// The file of the held-out games.
    pub path: PathBuf,
    /// The format of that file.
    pub format: Format,
    /// The share of the games that go there, 0 to 1.
    pub share: f64,
    /// The seed of the choice.
    pub seed: u64,
}

/// Draws for each game whether it is held out.
struct HoldoutSampler {
    out: Output,
    share: f64,
    random: ChaCha8Rng,
    /// Finds the ends of games among samples.
    chain: Chain,
    /// The span of the previous record.
    last: Option<Span>,
    is_drawn: Option<bool>,
}

impl HoldoutSampler {
    fn new(held_out: &HeldOut) -> Result<Self, DataError> {
        Ok(Self {
            out: Output::create(&held_out.path, held_out.format)?,
            share: held_out.share.clamp(0.0, 1.0),
            random: ChaCha8Rng::seed_from_u64(held_out.seed),
            chain: Chain::default(),
            last: None,
            is_drawn: None,
        })
    }

    /// Whether a record belongs to a game that is held out. Every record must be asked for in
    /// order.
    fn draws(&mut self, record: &Record) -> bool {
        let span = Span::of(record);
        let goes_on = self.chain.is_continued_by(record)
            || self
                .last
                .zip(span)
                .is_some_and(|(last, next)| last.goes_on_with(next));
        self.last = span;
        if matches!(record, Record::Sample(_) | Record::Sum(_)) {
            self.chain.add(record);
        } else {
            self.chain.finish();
        }
        let share = self.share;
        let drawn = self.is_drawn.filter(|_| goes_on);
        let drawn = drawn.unwrap_or_else(|| self.random.random_bool(share));
        self.is_drawn = Some(drawn);
        drawn
    }
}
