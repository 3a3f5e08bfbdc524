//! Reads the records of files one after the other, all of them or a part.
//!
//! The input is one sequence of bytes, file after file. A [`Shard`] is a contiguous range of it,
//! moved to the boundaries of records or of blocks of them, so that the outputs of all shards, one
//! after the other, are the output of the undivided pass.

use std::fs::File;
use std::io::{BufReader, Seek as _, SeekFrom};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{BUFFER, DataError, Source, Sources};
use crate::records::teacher::{Format, Record, TeacherError, TeacherReader};
use crate::runs::{Shard, Watch};

/// Records between two looks at the watch.
const WATCH_INTERVAL: u64 = 256;

/// A record, good or bad, and where it stands.
pub(in crate::train) struct Found<'a> {
    pub(in crate::train) source: &'a Source,
    pub(in crate::train) record: Result<Record, TeacherError>,
    /// The place before it.
    pub(in crate::train) place: Place,
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
        self.read_part(Shard::WHOLE, start, 1, watch, |found| {
            visit(found.source, found.record)
        })
    }

    /// Reads every record of a shard, valid or not, from a place on. A shard begins and ends before
    /// a record whose number in its file is a multiple of `block`.
    ///
    /// # Errors
    /// Where a file cannot be opened, where the watch says stop, and what `visit` says.
    pub(in crate::train) fn read_part(
        &self,
        shard: Shard,
        from: Place,
        block: u64,
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
                let mut reading = Reading::begin(self, source, start, range, block)?;
                let mut records = 0_u64;
                while let Some((place, record)) = reading.next() {
                    visit(Found {
                        source,
                        record,
                        place,
                    })?;
                    records += 1;
                    if records.is_multiple_of(WATCH_INTERVAL) {
                        watch.advance(before + place.offset, total)?;
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
    /// The part begins and ends before a record whose number is a multiple of this.
    block: u64,
    /// Whether a record of the part was handed out.
    has_begun: bool,
}

impl Reading {
    fn begin(
        sources: &Sources,
        source: &Source,
        from: Place,
        range: Range<u64>,
        block: u64,
    ) -> Result<Self, DataError> {
        let mut file = File::open(&source.path).map_err(DataError::at(&source.path))?;
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
            .map_err(DataError::at(&source.path))?;
        let input = BufReader::with_capacity(BUFFER, file);
        let mut reader = TeacherReader::resume(input, source.format, start.offset, start.records);
        if sources.needs_results() {
            reader = reader.needing_results();
        }
        Ok(Self {
            reader,
            file: from.file,
            range,
            block,
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
            let goes_on = !place.records.is_multiple_of(self.block);
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
