//! Temporary files over which records of a fixed size are spread, so that each file fits into
//! memory.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};

use super::pass::{BadRecords, Tally};
use super::{DataError, Sources};
use crate::records::teacher::{Format, TeacherWriter};
use crate::runs::Watch;

/// The most files that are open at a time. A bucket that is still too large is spread again.
const MAX_BUCKETS: u64 = 200;
/// The write buffer of each bucket, in bytes.
const BUFFER: usize = 1 << 15;

/// Plan for this part (one fifth) more than the mean, because buckets get different amounts.
const MARGIN: u64 = 5;

/// The number of buckets for `total` bytes so that each fits into `memory` bytes.
pub(super) fn count(total: u64, memory: u64) -> usize {
    let wanted = (total + total / MARGIN).div_ceil(memory.max(1));
    wanted.clamp(1, MAX_BUCKETS) as usize
}

/// A temporary file, which is removed on drop.
pub(super) struct Bucket {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
}

impl Bucket {
    fn open(&self) -> Result<File, DataError> {
        File::open(&self.path).map_err(DataError::at(&self.path))
    }

    /// Visits the records, of `size` bytes each.
    pub(super) fn for_each(
        &self,
        size: usize,
        mut visit: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), DataError> {
        let mut input = BufReader::with_capacity(super::BUFFER, self.open()?);
        let mut record = vec![0; size];
        for _ in 0..self.bytes / size as u64 {
            input
                .read_exact(&mut record)
                .and_then(|()| visit(&record))
                .map_err(DataError::at(&self.path))?;
        }
        Ok(())
    }

    /// Spreads the records, of `size` bytes each, over smaller buckets so that each fits into
    /// `memory` bytes. `choose` gets a record and the number of buckets.
    pub(super) fn divide(
        self,
        size: usize,
        memory: u64,
        mut choose: impl FnMut(&[u8], usize) -> usize,
    ) -> Result<Vec<Self>, DataError> {
        let count = count(self.bytes, memory).max(2);
        let choose = |record: &[u8]| choose(record, count);
        let mut spread = Spread::create(&self.path, count, choose)?;
        self.for_each(size, |record| spread.write_all(record))?;
        spread.finish()
    }

    pub(super) fn load(&self) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::with_capacity(self.bytes as usize);
        self.open()?
            .read_to_end(&mut bytes)
            .map_err(DataError::at(&self.path))?;
        Ok(bytes)
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
pub(super) fn spread<C: FnMut(&[u8]) -> usize>(
    sources: &Sources,
    bad_records: BadRecords,
    (path, format): (&Path, Format),
    buckets: Spread<C>,
    watch: &Watch<'_>,
) -> Result<(Tally, Vec<Bucket>), DataError> {
    let mut writer = TeacherWriter::new(buckets, format);
    let mut tally = Tally::default();
    sources.read(watch, |source, record| {
        let taken = tally.take(source, record, bad_records)?;
        let kept = taken.filter(|record| tally.keeps(format, record));
        let written = kept.map_or(Ok(()), |record| writer.write(&record));
        written.map_err(DataError::at(path))
    })?;
    let (buckets, positions) = writer.finish().map_err(DataError::at(path))?;
    tally.written = positions;
    Ok((tally, buckets.finish()?))
}

/// Spreads records over buckets: each call of [`Write::write_all`] takes one record, and `choose`
/// names its bucket.
pub(super) struct Spread<C> {
    buckets: Vec<(Bucket, BufWriter<File>)>,
    choose: C,
}

impl<C: FnMut(&[u8]) -> usize> Spread<C> {
    /// Creates `count` files beside `path`. `choose` gets a record and returns a number below
    /// `count`.
    pub(super) fn create(path: &Path, count: usize, choose: C) -> Result<Self, DataError> {
        let mut buckets = Vec::with_capacity(count);
        for index in 0..count {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".part-{index:03}"));
            let path = PathBuf::from(name);
            let file = File::create(&path).map_err(DataError::at(&path))?;
            let out = BufWriter::with_capacity(BUFFER, file);
            buckets.push((Bucket { path, bytes: 0 }, out));
        }
        Ok(Self { buckets, choose })
    }

    /// Flushes the buckets and returns them.
    pub(super) fn finish(self) -> Result<Vec<Bucket>, DataError> {
        let mut finished = Vec::with_capacity(self.buckets.len());
        for (bucket, mut out) in self.buckets {
            out.flush().map_err(DataError::at(&bucket.path))?;
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
