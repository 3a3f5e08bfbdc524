//! Sorts positions that need not fit into memory: in random order, or each position once.
//!
//! Positions are spread over temporary files, the buckets, each of which fits into memory. To
//! shuffle, each position goes into a random bucket, and each bucket is shuffled in memory; the
//! concatenation is a uniformly random permutation (Rao 1961, Sandelius 1962).
//!
//! To remove duplicates, positions go into buckets by a hash, so that equal ones share a bucket;
//! each bucket is sorted and equal neighbours are merged: each position once, with the exact sum of
//! its scores and the counts of its results. Of the positions of search trees each remains once for
//! each kind of bound, as the deepest search has it: an exact value and a bound never mix.
//! Positions are equal if their board, hands and side to move are, however they were packed.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read as _, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use anyhow::Result;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{BUFFER, Output, Sources, Tally};
use crate::records::sample::{PositionSum, TreePosition};
use crate::records::teacher::{Content, Format, Record, TeacherWriter};
use crate::runs::{OutputFile, Watch, beside};
use crate::{records::packed::PackedSfen, util::AtPath};

// --- Random order ---

/// Shuffles all positions into `output` with this many bytes of memory, and returns the counts of
/// what was read. Equal seeds give equal orders.
///
/// # Errors
/// A file fails, the format holds games or cannot hold a record, the work is stopped, or a record
/// is invalid and such records are not skipped.
pub fn shuffle(
    sources: &Sources,
    output: (&Path, Format),
    memory: u64,
    seed: u64,
    watch: &Watch<'_>,
) -> Result<Tally> {
    let (path, format) = output;
    format.check(|format| format.record_size().is_some())?;
    let size = format.bytes_per_position();
    let mut out = OutputFile::create(path).at(path)?;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let count = bucket_count(expected_bytes(sources, size)?, memory);
    let spread = Spread::create(path, count, |_| random.random_range(0..count))?;
    let (tally, buckets) = spread_all(sources, output, spread, watch)?;
    for bucket in buckets {
        gather(bucket, size, memory, &mut random, &mut out, watch)?;
    }
    out.finish().at(path)?;
    Ok(tally)
}

/// An estimate of the size of the output in bytes.
fn expected_bytes(sources: &Sources, size: usize) -> Result<u64> {
    let mut bytes = 0;
    for source in sources.files() {
        let per_position = source.format.bytes_per_position() as u64;
        bytes += source.bytes()? / per_position * size as u64;
    }
    Ok(bytes)
}

/// Appends the records of a bucket in random order.
fn gather(
    bucket: Bucket,
    size: usize,
    memory: u64,
    random: &mut ChaCha8Rng,
    out: &mut OutputFile,
    watch: &Watch<'_>,
) -> Result<()> {
    watch.check_stop()?;
    if bucket.bytes <= memory.max(size as u64) {
        let mut bytes = fs::read(&bucket.path).at(&bucket.path)?;
        shuffle_records(&mut bytes, size, random);
        return out.write_all(&bytes).at(&bucket.path);
    }
    let choose = |_: &[u8], count| random.random_range(0..count);
    let smaller = bucket.divide(size, memory, choose)?;
    for bucket in smaller {
        gather(bucket, size, memory, random, out, watch)?;
    }
    Ok(())
}

/// Shuffles records of `size` bytes (Fisher and Yates).
fn shuffle_records(bytes: &mut [u8], size: usize, random: &mut ChaCha8Rng) {
    for last in (1..bytes.len() / size).rev() {
        let chosen = random.random_range(0..=last);
        if chosen != last {
            let (before, from_last) = bytes.split_at_mut(last * size);
            before[chosen * size..(chosen + 1) * size].swap_with_slice(&mut from_last[..size]);
        }
    }
}

// --- Each position once ---

/// The counts of [`dedup`].
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

/// Writes each position once, sorted within buckets, with this many bytes of memory. The same files
/// and memory give the same bytes.
///
/// # Errors
/// A file fails, the format does not hold samples, the work is stopped, or a record is invalid and
/// such records are not skipped.
pub fn dedup(
    sources: &Sources,
    output: (&Path, Format),
    memory: u64,
    watch: &Watch<'_>,
) -> Result<DedupReport> {
    let is_fit =
        |format: Format| matches!(format.content(), Content::Samples | Content::TreePositions);
    output.1.check(is_fit)?;
    if output.1.content() == Content::TreePositions {
        merge_all::<TreePosition>(sources, output, memory, watch)
    } else {
        merge_all::<PositionSum>(sources, output, memory, watch)
    }
}

fn merge_all<D: Duplicate>(
    sources: &Sources,
    output: (&Path, Format),
    memory: u64,
    watch: &Watch<'_>,
) -> Result<DedupReport> {
    let (path, format) = output;
    // The size of the input is only a guess at that of its positions. Buckets that turn out too
    // large are spread again.
    let count = bucket_count(sources.bytes()?, memory);
    let out = Output::create(path, format)?;
    let spread = Spread::create(path, count, move |bytes| bucket_of(bytes, 0, count))?;
    let (tally, buckets) = spread_all(sources, (path, D::FORMAT), spread, watch)?;
    let mut merged = Merged::<D> {
        out,
        memory: memory as usize / D::SIZE,
        report: DedupReport { tally, ..DedupReport::default() },
        kind: PhantomData,
    };
    for bucket in buckets {
        merged.take(bucket, 1, watch)?;
    }
    let mut report = merged.report;
    report.tally.written = merged.out.finish()?;
    Ok(report)
}

/// The bucket of a record: the FNV-1a hash (Fowler, Noll, Vo) of its position, with another seed on
/// each level.
fn bucket_of(record: &[u8], level: u32, count: usize) -> usize {
    let begin = 0xcbf2_9ce4_8422_2325_u64 ^ u64::from(level);
    let hash = record[..32]
        .iter()
        .fold(begin, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    // The high bits of the product are the well mixed ones.
    let mixed = u128::from(hash.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    ((mixed * count as u128) >> u64::BITS) as usize
}

struct Merged<D> {
    out: Output,
    /// The number of positions that fit into memory.
    memory: usize,
    report: DedupReport,
    kind: PhantomData<D>,
}

impl<D: Duplicate> Merged<D> {
    fn take(&mut self, bucket: Bucket, level: u32, watch: &Watch<'_>) -> Result<()> {
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

    fn spread(&mut self, bucket: Bucket, level: u32, watch: &Watch<'_>) -> Result<()> {
        let memory = (self.memory * D::SIZE) as u64;
        let choose = move |bytes: &[u8], count| bucket_of(bytes, level, count);
        let mut smaller = bucket.divide(D::SIZE, memory, choose)?.into_iter();
        smaller.try_for_each(|bucket| self.take(bucket, level + 1, watch))
    }

    /// Writes a position that was found `count` times.
    fn write(&mut self, position: D, count: u64) -> Result<()> {
        self.report.repeated += u64::from(count > 1 || position.is_repeated());
        self.report.contested += u64::from(position.is_contested());
        self.out.write(&position.into_record())
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

// --- Buckets ---

/// The most files that are open at a time. A bucket that is still too large is spread again.
const MAX_BUCKETS: u64 = 200;
/// The write buffer of each bucket, in bytes.
const BUCKET_BUFFER: usize = 1 << 15;

/// Plan for this part (one fifth) more than the mean, because buckets get different amounts.
const MARGIN: u64 = 5;

/// The number of buckets for `total` bytes so that each fits into `memory` bytes.
fn bucket_count(total: u64, memory: u64) -> usize {
    let wanted = (total + total / MARGIN).div_ceil(memory.max(1));
    wanted.clamp(1, MAX_BUCKETS) as usize
}

/// A temporary file, which is removed on drop.
struct Bucket {
    path: PathBuf,
    bytes: u64,
}

impl Bucket {
    /// Visits the records, of `size` bytes each.
    fn for_each(&self, size: usize, mut visit: impl FnMut(&[u8]) -> io::Result<()>) -> Result<()> {
        let file = File::open(&self.path).at(&self.path)?;
        let mut input = BufReader::with_capacity(BUFFER, file);
        let mut record = vec![0; size];
        for _ in 0..self.bytes / size as u64 {
            let read = input.read_exact(&mut record);
            read.and_then(|()| visit(&record)).at(&self.path)?;
        }
        Ok(())
    }

    /// Spreads the records, of `size` bytes each, over smaller buckets so that each fits into
    /// `memory` bytes. `choose` gets a record and the number of buckets.
    fn divide(
        self,
        size: usize,
        memory: u64,
        mut choose: impl FnMut(&[u8], usize) -> usize,
    ) -> Result<Vec<Self>> {
        let count = bucket_count(self.bytes, memory).max(2);
        let choose = |record: &[u8]| choose(record, count);
        let mut spread = Spread::create(&self.path, count, choose)?;
        self.for_each(size, |record| spread.write_all(record))?;
        spread.finish()
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            log::warn!("{}: {error}", self.path.display());
        }
    }
}

/// Spreads the positions of all files over buckets, in a format that holds them. Returns the counts
/// of what was read, with the positions written, and the buckets. `path` is that of the output.
fn spread_all<C: FnMut(&[u8]) -> usize>(
    sources: &Sources,
    (path, format): (&Path, Format),
    buckets: Spread<C>,
    watch: &Watch<'_>,
) -> Result<(Tally, Vec<Bucket>)> {
    let mut writer = TeacherWriter::new(buckets, format);
    let mut left_out = 0;
    let mut tally = sources.read(watch, |_, record| {
        if !format.keeps(&record) {
            left_out += record.positions();
            return Ok(());
        }
        writer.write(&record).at(path)
    })?;
    let (buckets, positions) = writer.finish().at(path)?;
    tally.left_out = left_out;
    tally.written = positions;
    Ok((tally, buckets.finish()?))
}

/// Spreads records over buckets: each call of [`Write::write_all`] takes one record, and `choose`
/// names its bucket.
struct Spread<C> {
    buckets: Vec<(Bucket, BufWriter<File>)>,
    choose: C,
}

impl<C: FnMut(&[u8]) -> usize> Spread<C> {
    /// Creates `count` files beside `path`. `choose` gets a record and returns a number below
    /// `count`.
    fn create(path: &Path, count: usize, choose: C) -> Result<Self> {
        let mut buckets = Vec::with_capacity(count);
        for index in 0..count {
            let path = beside(path, &format!(".part-{index:03}"));
            let file = File::create(&path).at(&path)?;
            let out = BufWriter::with_capacity(BUCKET_BUFFER, file);
            buckets.push((Bucket { path, bytes: 0 }, out));
        }
        Ok(Self { buckets, choose })
    }

    /// Flushes the buckets and returns them.
    fn finish(self) -> Result<Vec<Bucket>> {
        let mut finished = Vec::with_capacity(self.buckets.len());
        for (bucket, mut out) in self.buckets {
            out.flush().at(&bucket.path)?;
            finished.push(bucket);
        }
        Ok(finished)
    }
}

impl<C: FnMut(&[u8]) -> usize> Write for Spread<C> {
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        let (bucket, out) = &mut self.buckets[(self.choose)(record)];
        out.write_all(record)?;
        bucket.bytes += record.len() as u64;
        Ok(record.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.buckets.iter_mut().try_for_each(|(_, out)| out.flush())
    }
}
