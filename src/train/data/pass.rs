//! One pass over files: check every record, and write the good ones in whatever format. `convert` and `validate`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::signs::Signs;
use super::steps::{Checkpoint, Steps};
use super::{DataError, Output, Source, Sources, Watch};
use crate::records::teacher::{Chain, Content, Format, Record, TeacherError};

/// Bad records of a class that are kept with their places; more are only counted.
const EXAMPLES: usize = 5;

/// What to do with bad records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadRecords {
    /// The first one ends the work.
    Stop,
    /// They are counted and left out.
    Skip,
}

/// The records of a run, good and bad.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Tally {
    /// Good records: positions, or games.
    pub records: u64,
    /// Good records that are games.
    pub games: u64,
    /// Positions in the output.
    pub written: u64,
    /// Bad records by class.
    pub faults: BTreeMap<String, FaultClass>,
}

/// The bad records of a class.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct FaultClass {
    /// How many.
    pub count: u64,
    /// The file and the place of the first ones, in words.
    pub examples: Vec<String>,
}

impl Tally {
    /// How many bad records there are.
    pub fn bad(&self) -> u64 {
        self.faults.values().map(|class| class.count).sum()
    }

    /// Adds the records of the next part of the same files.
    pub fn merge(&mut self, next: &Self) {
        self.records += next.records;
        self.games += next.games;
        self.written += next.written;
        for (name, class) in &next.faults {
            let ours = self.faults.entry(name.clone()).or_default();
            ours.count += class.count;
            let room = EXAMPLES - ours.examples.len().min(EXAMPLES);
            ours.examples
                .extend(class.examples.iter().take(room).cloned());
        }
    }

    /// Counts a record and hands it back if it is good; a bad one is an error where bad ones are not skipped.
    pub(super) fn take(
        &mut self,
        source: &Source,
        record: Result<Record, TeacherError>,
        bad_records: BadRecords,
    ) -> Result<Option<Record>, DataError> {
        let is_game = record.as_ref().is_ok_and(Record::is_game);
        self.games += u64::from(is_game);
        self.take_any(source, record, bad_records)
    }

    /// The same for what was made of a record.
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
            Err(error) => Err(DataError::Bad {
                path: path.clone(),
                error,
            }),
        }
    }
}

/// What a pass found.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct PassReport {
    /// The records.
    pub tally: Tally,
    /// Positions with a score and a result, those of games included.
    pub samples: u64,
    /// Positions that were held out.
    pub held_out: u64,
    /// Whether scores and results point the same way.
    pub signs: Signs,
}

impl PassReport {
    /// Adds what the next part of the same pass found.
    pub fn merge(&mut self, next: &Self) {
        self.tally.merge(&next.tally);
        self.samples += next.samples;
        self.held_out += next.held_out;
        self.signs.merge(&next.signs);
    }
}

/// Games that go into a file of their own, so that nothing is learnt from them.
#[derive(Clone, Debug)]
pub struct HeldOut {
    /// The file.
    pub path: PathBuf,
    /// Its format.
    pub format: Format,
    /// The share of the games, from 0 to 1.
    pub share: f64,
    /// Other games for another number.
    pub seed: u64,
}

/// Where the good records go.
#[derive(Clone, Default, Debug)]
pub struct Destination {
    /// The output.
    pub output: Option<(PathBuf, Format)>,
    /// Games for another file. Positions that follow each other by their moves are a game, too.
    pub held_out: Option<HeldOut>,
    /// Only positions with a king in the enemy's camp, each alone, are written.
    pub entered_kings: bool,
}

/// Reads everything of a part; writes what is good where there is an output. What games are held
/// out depends on all games before, so that such a pass is neither divided nor kept.
///
/// # Errors
/// Where a file fails, an output cannot hold a record, the watch says stop, and at the first bad
/// record unless they are to be skipped.
pub fn run(
    sources: &Sources,
    destination: &Destination,
    bad_records: BadRecords,
    steps: &mut Steps<PassReport>,
    watch: &Watch<'_>,
) -> Result<PassReport, DataError> {
    let last = steps.take_last();
    let (from, length, positions) = last.as_ref().map_or_else(Default::default, |last| {
        (last.place, last.output, last.positions)
    });
    if let Some(last) = last.as_ref().filter(|last| last.is_complete) {
        return Ok(last.report.clone());
    }
    let mut report = last.map(|last| last.report).unwrap_or_default();
    let mut out = match &destination.output {
        Some((path, format)) if steps.is_kept() => {
            Some(Output::resume(path, *format, length, positions)?)
        }
        Some((path, format)) => Some(Output::create(path, *format)?),
        None => None,
    };
    let held_out = destination.held_out.as_ref();
    let mut lottery = held_out.map(Lottery::new).transpose()?;
    let shard = steps.shard();
    sources.read_part(shard, from, destination.makes_games(), watch, |found| {
        if steps.is_due(found.bytes) && !is_in_game(out.as_ref(), found.record.as_ref().ok()) {
            let (output, positions) = pause(out.as_mut())?;
            steps.keep(
                found.bytes,
                &Checkpoint {
                    output,
                    positions,
                    ..Checkpoint::at(found.place, &report)
                },
            )?;
        }
        let record = report.tally.take(found.source, found.record, bad_records)?;
        let Some(record) = record else {
            return Ok(());
        };
        record.for_each_sample(|sample| {
            report.samples += 1;
            report.signs.add(sample);
        });
        if let Some(lottery) = &mut lottery
            && lottery.draws(&record)
        {
            return lottery.out.write(&record);
        }
        let Some(out) = &mut out else {
            return Ok(());
        };
        if destination.entered_kings {
            write_entered_kings(&record, out)
        } else {
            out.write(&record)
        }
    })?;
    if let Some(out) = out {
        report.tally.written = out.finish()?;
    }
    if let Some(lottery) = lottery {
        report.held_out = lottery.out.finish()?;
    }
    steps.keep(0, &Checkpoint::end(report.tally.written, &report))?;
    Ok(report)
}

/// Whether a record belongs to a game that the output has not written yet.
fn is_in_game(out: Option<&Output>, record: Option<&Record>) -> bool {
    out.zip(record)
        .is_some_and(|(out, record)| out.is_continued_by(record))
}

fn pause(out: Option<&mut Output>) -> Result<(u64, u64), DataError> {
    out.map_or(Ok((0, 0)), Output::pause)
}

impl Destination {
    /// Whether positions that follow each other become games.
    fn makes_games(&self) -> bool {
        let format = self.output.as_ref().map(|(_, format)| format.content());
        format == Some(Content::Games) && !self.entered_kings
    }
}

fn write_entered_kings(record: &Record, out: &mut Output) -> Result<(), DataError> {
    let mut result = Ok(());
    record.for_each_sample(|sample| {
        if result.is_ok() && sample.has_entered_king() {
            result = out.write(&Record::from(*sample));
        }
    });
    result
}

/// Decides for each game whether it is held out.
struct Lottery {
    out: Output,
    share: f64,
    random: ChaCha8Rng,
    /// Tells where a game ends in positions.
    chain: Chain,
    is_drawn: Option<bool>,
}

impl Lottery {
    fn new(held_out: &HeldOut) -> Result<Self, DataError> {
        Ok(Self {
            out: Output::create(&held_out.path, held_out.format)?,
            share: held_out.share.clamp(0.0, 1.0),
            random: ChaCha8Rng::seed_from_u64(held_out.seed),
            chain: Chain::default(),
            is_drawn: None,
        })
    }

    fn draws(&mut self, record: &Record) -> bool {
        let goes_on = match record {
            Record::Sample(_) => self.chain.add(record).is_none(),
            _ => false,
        };
        let share = self.share;
        let drawn = self.is_drawn.filter(|_| goes_on);
        let drawn = drawn.unwrap_or_else(|| self.random.random_bool(share));
        self.is_drawn = Some(drawn);
        drawn
    }
}

/// The table for people.
impl fmt::Display for PassReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{} scored positions", self.samples)?;
        write!(formatter, "{}{}", self.tally, self.signs)
    }
}

/// The table for people.
impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} good records", self.records)?;
        if self.games > 0 {
            write!(formatter, ", {} of them games", self.games)?;
        }
        writeln!(formatter)?;
        writeln!(formatter, "{} bad records", self.bad())?;
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
