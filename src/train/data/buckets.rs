//! Temporary files over which records of a fixed size are spread, so that each file fits into
//! memory.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};

use super::DataError;

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
    pub(super) fn open(&self) -> Result<File, DataError> {
        File::open(&self.path).map_err(DataError::at(&self.path))
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
