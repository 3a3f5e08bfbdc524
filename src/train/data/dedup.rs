//! Each position once, with the exact sum of its scores and the counts of its results.
//!
//! Positions go into buckets by a hash, so that equal ones meet; each bucket is sorted in memory and its equal neighbours
//! become one. The same position is one with the same pieces, hands and side to move, however it was packed.

use std::io::{BufReader, Read as _, Write as _};
use std::path::Path;

use super::buckets::{self, Bucket, Spread};
use super::files::{self, BUFFER};
use super::pass::{BadRecords, Tally};
use super::{DataError, Sources, Watch};
use crate::records::psum::PositionSum;
use crate::records::teacher::{Content, Format, Record, TeacherWriter};
use crate::runs::OutputFile;

/// How to remove duplicates.
#[derive(Clone, Debug)]
pub struct DedupSettings {
    /// Memory for positions, in bytes.
    pub memory: u64,
    /// What to do with bad records.
    pub bad_records: BadRecords,
}

/// What was found.
#[derive(Default)]
pub struct DedupReport {
    /// What was read, and how many positions were written.
    pub tally: Tally,
    /// Positions that occurred more than once.
    pub repeated: u64,
    /// Among them those whose games ended differently: a format with one result cannot say so.
    pub contested: u64,
}

/// Buckets of buckets of buckets: deeper only equal positions can be too many, and those become one in memory.
const DEEPEST: u32 = 3;

/// Writes each position once, sorted within buckets: the same files give the same bytes for the same memory.
///
/// # Errors
/// Where a file fails, the format keeps games, the watch says stop, or a record is bad and bad ones are not skipped.
pub fn run(
    sources: &Sources,
    output: (&Path, Format),
    settings: &DedupSettings,
    watch: &Watch<'_>,
) -> Result<DedupReport, DataError> {
    let (path, format) = output;
    if format.content() != Content::Samples {
        return Err(DataError::Games(format));
    }
    // The readers of a terabyte of games need no more buckets than those of its positions: too few are spread again.
    let count = buckets::count(sources.bytes()?, settings.memory);
    let out = files::create(path)?;
    let spread = Spread::create(path, count, move |bytes| bucket_of(bytes, 0, count))?;
    let mut sums = TeacherWriter::new(spread, Format::Psum);
    let mut report = DedupReport::default();
    sources.read(watch, |source, record| {
        let taken = report.tally.take(source, record, settings.bad_records)?;
        let written = taken.map_or(Ok(()), |record| sums.write(&record));
        written.map_err(DataError::write(path))
    })?;
    let (spread, _) = sums.finish().map_err(DataError::write(path))?;
    let mut merged = Merged {
        out: TeacherWriter::new(out, format),
        path,
        memory: settings.memory as usize / size_of::<PositionSum>(),
        report,
    };
    for bucket in spread.finish()? {
        merged.take(bucket, 1, watch)?;
    }
    let mut report = merged.report;
    let (out, positions) = merged.out.finish().map_err(DataError::write(path))?;
    report.tally.written = positions;
    out.finish().map_err(DataError::io(path))?;
    Ok(report)
}

/// The bucket of a record, by other bits of the hash on each level. FNV-1a (Fowler, Noll, Vo) over the position.
fn bucket_of(record: &[u8], level: u32, count: usize) -> usize {
    let begin = 0xcbf2_9ce4_8422_2325_u64 ^ u64::from(level);
    let hash = record[..32].iter().fold(begin, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The high bits of the product are the mixed ones.
    let mixed = u128::from(hash.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    ((mixed * count as u128) >> u64::BITS) as usize
}

struct Merged<'a> {
    out: TeacherWriter<OutputFile>,
    path: &'a Path,
    /// Sums that fit into memory.
    memory: usize,
    report: DedupReport,
}

impl Merged<'_> {
    fn take(&mut self, bucket: Bucket, level: u32, watch: &Watch<'_>) -> Result<(), DataError> {
        watch.check_stop()?;
        let records = bucket.bytes as usize / PositionSum::SIZE;
        if records > self.memory && level <= DEEPEST {
            return self.spread(bucket, level, watch);
        }
        let mut sums: Vec<PositionSum> = Vec::with_capacity(records.min(self.memory));
        let mut input = BufReader::with_capacity(BUFFER, bucket.open()?);
        let mut bytes = [0; PositionSum::SIZE];
        for _ in 0..records {
            input
                .read_exact(&mut bytes)
                .map_err(DataError::io(&bucket.path))?;
            sums.push(PositionSum::from_bytes(&bytes));
            if sums.len() == sums.capacity() {
                merge(&mut sums);
            }
        }
        merge(&mut sums);
        for sum in &sums {
            self.write(sum)?;
        }
        Ok(())
    }

    fn spread(&mut self, bucket: Bucket, level: u32, watch: &Watch<'_>) -> Result<(), DataError> {
        let memory = (self.memory * PositionSum::SIZE) as u64;
        let count = buckets::count(bucket.bytes, memory).max(2);
        let choose = move |bytes: &[u8]| bucket_of(bytes, level, count);
        let mut spread = Spread::create(&bucket.path, count, choose)?;
        let mut input = BufReader::with_capacity(BUFFER, bucket.open()?);
        let mut bytes = [0; PositionSum::SIZE];
        for _ in 0..bucket.bytes as usize / PositionSum::SIZE {
            input
                .read_exact(&mut bytes)
                .and_then(|()| spread.write_all(&bytes))
                .map_err(DataError::io(&bucket.path))?;
        }
        let smaller = spread.finish()?;
        drop(bucket);
        smaller
            .into_iter()
            .try_for_each(|bucket| self.take(bucket, level + 1, watch))
    }

    fn write(&mut self, sum: &PositionSum) -> Result<(), DataError> {
        self.report.repeated += u64::from(sum.count() > 1);
        let kinds = sum.results.iter().filter(|&&count| count > 0).count();
        self.report.contested += u64::from(kinds > 1);
        let written = self.out.write(&Record::Sum(*sum));
        written.map_err(DataError::write(self.path))
    }
}

/// Sorts by position and makes equal neighbours one; what came first stays first.
fn merge(sums: &mut Vec<PositionSum>) {
    sums.sort_by_key(|sum| sum.position);
    sums.dedup_by(|next, kept| {
        let is_same = next.position == kept.position;
        if is_same {
            kept.add(next);
        }
        is_same
    });
}
