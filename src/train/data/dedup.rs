//! Removes duplicates: each position once, with the exact sum of its scores and the counts of its
//! results. Of the positions of search trees each remains once for each kind of bound, as the
//! deepest search has it: an exact value and a bound never mix.
//!
//! Positions go into buckets by a hash, so that equal ones share a bucket; each bucket is sorted in
//! memory and equal neighbours are merged. Positions are equal if their board, hands and side to
//! move are, however they were packed.

use std::marker::PhantomData;
use std::path::Path;

use super::buckets::{self, Bucket, Spread};
use super::pass::{BadRecords, Tally};
use super::{DataError, Sources, create_output};
use crate::records::packed::PackedSfen;
use crate::records::psum::PositionSum;
use crate::records::teacher::{Content, Format, Record, TeacherWriter};
use crate::records::tree::TreePosition;
use crate::runs::{OutputFile, Watch};

/// Settings of a run.
#[derive(Clone, Debug)]
pub struct DedupSettings {
    /// Memory for positions, in bytes.
    pub memory: u64,
    /// What to do with bad records.
    pub bad_records: BadRecords,
}

/// The counts of a run.
#[derive(Default)]
pub struct DedupReport {
    /// The records read and the positions written.
    pub tally: Tally,
    /// Positions that occurred more than once.
    pub repeated: u64,
    /// Those of them whose games had different results, which a format with one result cannot
    /// store.
    pub contested: u64,
}

/// Levels of buckets within buckets. A larger bucket on the last level can only have many equal
/// positions, which are merged in memory.
const MAX_LEVEL: u32 = 3;

/// Writes each position once, sorted within buckets. The same files and memory give the same bytes.
///
/// # Errors
/// A file fails, the format does not hold samples, the work is stopped, or a record is invalid and
/// such records are not skipped.
pub fn run(
    sources: &Sources,
    output: (&Path, Format),
    settings: &DedupSettings,
    watch: &Watch<'_>,
) -> Result<DedupReport, DataError> {
    match output.1.content() {
        Content::Samples => merge_all::<PositionSum>(sources, output, settings, watch),
        Content::TreePositions => merge_all::<TreePosition>(sources, output, settings, watch),
        Content::Positions | Content::Games => Err(DataError::Unwritable {
            format: output.1,
            expected: Format::names(|format| {
                matches!(format.content(), Content::Samples | Content::TreePositions)
            }),
        }),
    }
}

fn merge_all<D: Duplicate>(
    sources: &Sources,
    output: (&Path, Format),
    settings: &DedupSettings,
    watch: &Watch<'_>,
) -> Result<DedupReport, DataError> {
    let (path, format) = output;
    // The size of the input is only a guess at that of its positions. Buckets that turn out too
    // large are spread again.
    let count = buckets::count(sources.bytes()?, settings.memory);
    let out = create_output(path)?;
    let spread = Spread::create(path, count, move |bytes| bucket_of(bytes, 0, count))?;
    let (tally, buckets) = buckets::spread(
        sources,
        settings.bad_records,
        (path, D::FORMAT),
        spread,
        watch,
    )?;
    let mut merged = Merged::<D> {
        out: TeacherWriter::new(out, format),
        path,
        memory: settings.memory as usize / D::SIZE,
        report: DedupReport {
            tally,
            ..DedupReport::default()
        },
        kind: PhantomData,
    };
    for bucket in buckets {
        merged.take(bucket, 1, watch)?;
    }
    let mut report = merged.report;
    let (out, positions) = merged.out.finish().map_err(DataError::at(path))?;
    report.tally.written = positions;
    out.finish().map_err(DataError::at(path))?;
    Ok(report)
}

/// The bucket of a record: the FNV-1a hash (Fowler, Noll, Vo) of its position, with another seed on
/// each level.
fn bucket_of(record: &[u8], level: u32, count: usize) -> usize {
    let begin = 0xcbf2_9ce4_8422_2325_u64 ^ u64::from(level);
    let hash = record[..32].iter().fold(begin, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The high bits of the product are the well mixed ones.
    let mixed = u128::from(hash.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    ((mixed * count as u128) >> u64::BITS) as usize
}

struct Merged<'a, D> {
    out: TeacherWriter<OutputFile>,
    path: &'a Path,
    /// The number of positions that fit into memory.
    memory: usize,
    report: DedupReport,
    kind: PhantomData<D>,
}

impl<D: Duplicate> Merged<'_, D> {
    fn take(&mut self, bucket: Bucket, level: u32, watch: &Watch<'_>) -> Result<(), DataError> {
        watch.check_stop()?;
        let records = bucket.bytes as usize / D::SIZE;
        if records > self.memory && level <= MAX_LEVEL {
            return self.spread(bucket, level, watch);
        }
        let mut found: Vec<(D, u64)> = Vec::with_capacity(records.min(self.memory));
        bucket.for_each(D::SIZE, |bytes| {
            found.extend(D::from_bytes(bytes).map(|position| (position, 1)));
            if found.len() == found.capacity() {
                merge(&mut found);
            }
            Ok(())
        })?;
        merge(&mut found);
        for (position, count) in found {
            self.write(position, count)?;
        }
        Ok(())
    }

    fn spread(&mut self, bucket: Bucket, level: u32, watch: &Watch<'_>) -> Result<(), DataError> {
        let memory = (self.memory * D::SIZE) as u64;
        let choose = move |bytes: &[u8], count| bucket_of(bytes, level, count);
        let smaller = bucket.divide(D::SIZE, memory, choose)?;
        smaller
            .into_iter()
            .try_for_each(|bucket| self.take(bucket, level + 1, watch))
    }

    /// Writes a position that was found `count` times.
    fn write(&mut self, position: D, count: u64) -> Result<(), DataError> {
        self.report.repeated += u64::from(count > 1 || position.is_repeated());
        self.report.contested += u64::from(position.is_contested());
        let written = self.out.write(&position.into_record());
        written.map_err(DataError::at(self.path))
    }
}

/// Sorts the positions, merges equal ones and adds up how often they were found. The sort is
/// stable, so that the first one is kept.
fn merge<D: Duplicate>(found: &mut Vec<(D, u64)>) {
    found.sort_by_key(|(position, _)| position.order());
    found.dedup_by(|(next, count), (kept, total)| {
        let is_same = next.order() == kept.order();
        if is_same {
            kept.merge(next);
            *total += *count;
        }
        is_same
    });
}

/// A position of which several can be merged into one.
trait Duplicate: Sized {
    /// The format of the temporary files.
    const FORMAT: Format;
    /// Bytes of a position in that format.
    const SIZE: usize;

    /// Reads [`Self::SIZE`] bytes; `None` if they are no such position.
    fn from_bytes(bytes: &[u8]) -> Option<Self>;

    /// The order of the output; equal positions are merged. Positions that differ in the second
    /// part never mix.
    fn order(&self) -> (PackedSfen, u8);

    /// Adds what an equal position says.
    fn merge(&mut self, other: &Self);

    /// Whether it is known by itself to come from several records.
    fn is_repeated(&self) -> bool {
        false
    }

    /// Whether it comes from games with different results.
    fn is_contested(&self) -> bool {
        false
    }

    /// The record to write.
    fn into_record(self) -> Record;
}

impl Duplicate for PositionSum {
    const FORMAT: Format = Format::Psum;
    const SIZE: usize = Self::SIZE;

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self::from_bytes(bytes.try_into().ok()?))
    }

    fn order(&self) -> (PackedSfen, u8) {
        (self.position, 0)
    }

    fn merge(&mut self, other: &Self) {
        self.add(other);
    }

    fn is_repeated(&self) -> bool {
        self.count() > 1
    }

    fn is_contested(&self) -> bool {
        self.results.iter().filter(|&&count| count > 0).count() > 1
    }

    fn into_record(self) -> Record {
        Record::Sum(self)
    }
}

impl Duplicate for TreePosition {
    const FORMAT: Format = Format::Tree;
    const SIZE: usize = Self::SIZE;

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Self::from_bytes(bytes.try_into().ok()?)
    }

    fn order(&self) -> (PackedSfen, u8) {
        (self.position, self.bound as u8)
    }

    /// The value of the deeper search remains.
    fn merge(&mut self, other: &Self) {
        if other.depth > self.depth {
            *self = *other;
        }
    }

    fn into_record(self) -> Record {
        Record::Tree(self)
    }
}
