//! Shuffles positions uniformly with bounded memory.
//!
//! Each position goes into a random bucket, and each bucket is shuffled in memory. The
//! concatenation of the buckets is a uniformly random permutation (Rao 1961, Sandelius 1962).

use std::io::Write as _;
use std::path::Path;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::buckets::{self, Bucket, Spread};
use super::pass::{BadRecords, Tally};
use super::{DataError, Sources, create_output};
use crate::records::teacher::Format;
use crate::runs::{OutputFile, Watch};

/// Settings of a run.
#[derive(Clone, Debug)]
pub struct ShuffleSettings {
    /// Memory for positions, in bytes.
    pub memory: u64,
    /// The seed: equal seeds give equal orders.
    pub seed: u64,
    /// What to do with bad records.
    pub bad_records: BadRecords,
}

/// Shuffles all positions into `output` and returns the counts of what was read.
///
/// # Errors
/// A file fails, the format holds games or cannot hold a record, the work is stopped, or a record
/// is invalid and such records are not skipped.
pub fn run(
    sources: &Sources,
    output: (&Path, Format),
    settings: &ShuffleSettings,
    watch: &Watch<'_>,
) -> Result<Tally, DataError> {
    let (path, format) = output;
    let size = format.record_size().ok_or_else(|| DataError::Unwritable {
        format,
        expected: Format::names(|format| format.record_size().is_some()),
    })?;
    let mut out = create_output(path)?;
    let mut random = ChaCha8Rng::seed_from_u64(settings.seed);
    let count = buckets::count(expected_bytes(sources, size)?, settings.memory);
    let spread = Spread::create(path, count, |_| random.random_range(0..count))?;
    let (tally, buckets) = buckets::spread(sources, settings.bad_records, output, spread, watch)?;
    for bucket in buckets {
        gather(bucket, size, settings.memory, &mut random, &mut out, watch)?;
    }
    out.finish().map_err(DataError::at(path))?;
    Ok(tally)
}

/// An estimate of the size of the output in bytes.
fn expected_bytes(sources: &Sources, size: usize) -> Result<u64, DataError> {
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
) -> Result<(), DataError> {
    watch.check_stop()?;
    if bucket.bytes <= memory.max(size as u64) {
        let mut bytes = bucket.load()?;
        shuffle_records(&mut bytes, size, random);
        return out.write_all(&bytes).map_err(DataError::at(&bucket.path));
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
