//! A pass over files that can be divided among machines, and resumed after a kill.
//!
//! The input is one sequence of bytes, file after file. A [`Shard`] is a contiguous range of it,
//! moved to the boundaries of records and of games, so that the outputs of all shards, one after
//! the other, are the output of the undivided pass. A [`Checkpoint`] says how far a pass has come;
//! the journal of a run folder keeps one for every 8 MB.

use std::fs::File;
use std::io::{BufReader, Seek as _, SeekFrom};
use std::ops::Range;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{BUFFER, DataError, Source, Sources};
use crate::records::teacher::{Chain, Format, Record, TeacherError, TeacherReader};
use crate::runs::{RunFolder, Shard, Watch};

/// Bytes of input between two checkpoints.
const STEP: u64 = 8 << 20;

/// Records between two looks at the watch.
const WATCH_INTERVAL: u64 = 256;

/// How far a pass has come, as a line of the journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint<R> {
    /// Where the next record begins.
    pub place: Place,
    /// Bytes of the output.
    pub output: u64,
    /// Positions in the output.
    pub positions: u64,
    /// Whether the pass is complete.
    pub is_complete: bool,
    /// What was found until then.
    pub report: R,
}

impl<R> Checkpoint<R> {
    /// On the way, without an output.
    pub(in crate::train) const fn at(place: Place, report: R) -> Self {
        Self {
            place,
            output: 0,
            positions: 0,
            is_complete: false,
            report,
        }
    }

    /// At the end, with as many positions written.
    pub(in crate::train) fn end(positions: u64, report: R) -> Self {
        Self {
            positions,
            is_complete: true,
            ..Self::at(Place::default(), report)
        }
    }
}

/// How a pass is divided and kept.
pub struct Steps<R> {
    shard: Shard,
    folder: Option<RunFolder>,
    last: Option<Checkpoint<R>>,
    /// Bytes of input, over all files, at the last checkpoint.
    kept: u64,
    /// Bytes of input between two checkpoints.
    step: u64,
}

impl<R: Default + Serialize + DeserializeOwned> Steps<R> {
    /// An undivided pass that is not kept.
    pub const fn whole() -> Self {
        Self::new(Shard::WHOLE, None, None)
    }

    /// A part of a pass. The `folder`, if there is one, keeps checkpoints; `last` is its last one.
    pub const fn new(shard: Shard, folder: Option<RunFolder>, last: Option<Checkpoint<R>>) -> Self {
        Self {
            shard,
            folder,
            last,
            kept: 0,
            step: STEP,
        }
    }

    /// The same with other distances between checkpoints.
    #[cfg(test)]
    pub(super) fn of_bytes(mut self, step: u64) -> Self {
        self.step = step;
        self
    }

    /// The part of the pass.
    pub const fn shard(&self) -> Shard {
        self.shard
    }

    /// The last checkpoint of an earlier part of the pass, taken out.
    pub fn take_last(&mut self) -> Option<Checkpoint<R>> {
        self.last.take()
    }

    /// Whether checkpoints are kept at all.
    pub const fn is_kept(&self) -> bool {
        self.folder.is_some()
    }

    /// Whether another checkpoint is due at `bytes` of the input, over all files.
    pub const fn is_due(&self, bytes: u64) -> bool {
        self.is_kept() && bytes >= self.kept + self.step
    }

    /// Keeps a checkpoint at `bytes` of the input.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn keep(&mut self, bytes: u64, checkpoint: &Checkpoint<&R>) -> Result<(), DataError> {
        self.kept = bytes;
        if let Some(folder) = &mut self.folder {
            folder.append(checkpoint)?;
        }
        Ok(())
    }
}

/// Where a pass may be divided among machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::train) enum Division {
    /// Between any two records.
    Records,
    /// Not within games of positions, which the output needs whole.
    Games,
    /// Only before every record of a file whose number is a multiple of this.
    Blocks(u64),
}

/// A record, good or bad, and where it stands.
pub(in crate::train) struct Found<'a> {
    pub(in crate::train) source: &'a Source,
    pub(in crate::train) record: Result<Record, TeacherError>,
    /// The place before it.
    pub(in crate::train) place: Place,
    /// Bytes of all files before it.
    pub(in crate::train) bytes: u64,
}

impl Sources {
    /// Reads every record, valid or not.
    ///
    /// # Errors
    /// A file cannot be opened, the work is stopped, or `visit` fails.
    pub fn read(
        &self,
        watch: &Watch<'_>,
        mut visit: impl FnMut(&Source, Result<Record, TeacherError>) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let start = Place::default();
        self.read_part(Shard::WHOLE, start, Division::Records, watch, |found| {
            visit(found.source, found.record)
        })
    }

    /// Reads every record of a shard, valid or not, from a place on. The ends of the shard are
    /// moved to where the `division` allows them.
    ///
    /// # Errors
    /// Where a file cannot be opened, where the watch says stop, and what `visit` says.
    pub(in crate::train) fn read_part(
        &self,
        shard: Shard,
        from: Place,
        division: Division,
        watch: &Watch<'_>,
        mut visit: impl FnMut(Found<'_>) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let total = self.bytes()?;
        let part = shard.range(total);
        let mut before = 0;
        for (file, source) in self.files().iter().enumerate().skip(from.file) {
            if file == from.file {
                before = self.bytes_before(file)?;
            }
            let end = before + source.bytes()?;
            if part.start < end && before < part.end {
                let start = if file == from.file {
                    from
                } else {
                    Place {
                        file,
                        ..Place::default()
                    }
                };
                let range = part.start.saturating_sub(before)..part.end - before;
                let division = if shard.is_whole() {
                    Division::Records
                } else {
                    division
                };
                let mut reading = Reading::begin(self, source, start, range, division)?;
                let mut records = 0_u64;
                while let Some((place, record)) = reading.next() {
                    let bytes = before + place.offset;
                    visit(Found {
                        source,
                        record,
                        place,
                        bytes,
                    })?;
                    records += 1;
                    if records.is_multiple_of(WATCH_INTERVAL) {
                        watch.advance(bytes, total)?;
                    }
                }
            }
            before = end;
        }
        Ok(watch.advance(total, total)?)
    }

    fn bytes_before(&self, file: usize) -> Result<u64, DataError> {
        self.files()[..file].iter().map(Source::bytes).sum()
    }
}

/// One file of a part.
struct Reading {
    reader: TeacherReader<BufReader<File>>,
    file: usize,
    /// Bytes of the file that belong to the part; the end may lie beyond the file.
    range: Range<u64>,
    division: Division,
    /// Tells where a game of positions ends.
    chain: Chain,
    /// Whether a record of the part was handed out.
    has_begun: bool,
}

impl Reading {
    fn begin(
        sources: &Sources,
        source: &Source,
        from: Place,
        range: Range<u64>,
        division: Division,
    ) -> Result<Self, DataError> {
        let mut file = File::open(&source.path).map_err(DataError::io(&source.path))?;
        let is_resumed = from.offset > 0;
        let start = if is_resumed {
            from
        } else {
            Place {
                file: from.file,
                ..record_before(source.format, range.start)
            }
        };
        file.seek(SeekFrom::Start(start.offset))
            .map_err(DataError::io(&source.path))?;
        let input = BufReader::with_capacity(BUFFER, file);
        let mut reader = TeacherReader::resume(input, source.format, start.offset, start.records);
        if sources.needs_results() {
            reader = reader.needing_results();
        }
        Ok(Self {
            reader,
            file: from.file,
            range,
            division,
            chain: Chain::default(),
            // A checkpoint lies where the pass may be divided.
            has_begun: is_resumed,
        })
    }

    /// The next record of the part and the place before it.
    fn next(&mut self) -> Option<(Place, Result<Record, TeacherError>)> {
        loop {
            let place = Place {
                file: self.file,
                offset: self.reader.offset(),
                records: self.reader.records(),
            };
            let record = self.reader.next()?;
            let goes_on = match self.division {
                Division::Records => false,
                Division::Games => self.continues_game(record.as_ref().ok()),
                Division::Blocks(length) => !place.records.is_multiple_of(length),
            };
            if place.offset >= self.range.end && !(goes_on && self.has_begun) {
                return None;
            }
            // What a record before the part began belongs to the part before.
            self.has_begun |= place.offset >= self.range.start && !goes_on;
            if self.has_begun {
                return Some((place, record));
            }
        }
    }

    /// Whether a record, `None` for a bad one, belongs to the game of the records before it.
    fn continues_game(&mut self, record: Option<&Record>) -> bool {
        let goes_on = record.is_some_and(|record| self.chain.is_continued_by(record));
        match record {
            Some(record) => drop(self.chain.add(record)),
            None => drop(self.chain.finish()),
        }
        goes_on
    }
}

/// A place that reading can begin with to find the records from `offset` on, and one before them if
/// there is one. Without a fixed size of records this is the beginning of the file.
fn record_before(format: Format, offset: u64) -> Place {
    let Some(size) = format.record_size().map(|size| size as u64) else {
        return Place::default();
    };
    let records = offset.div_ceil(size).saturating_sub(1);
    Place {
        file: 0,
        offset: records * size,
        records,
    }
}

/// A place between two records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Place {
    /// Index of the file.
    pub file: usize,
    /// Bytes of the file before the place.
    pub offset: u64,
    /// Records of the file before the place.
    pub records: u64,
}
