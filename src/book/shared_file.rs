//! A file that is read in places, by any thread.
//!
//! Books of gigabytes are searched where they lie. The file is read, not mapped into memory: a
//! mapped file that another program cuts short would end this one.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::util::read_up_to;

/// An open file and its size.
#[derive(Debug)]
pub(super) struct SharedFile {
    file: Mutex<File>,
    size: u64,
}

impl SharedFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        Ok(Self {
            file: Mutex::new(file),
            size,
        })
    }

    /// Size in bytes when it was opened.
    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    /// Fills `bytes` from `offset` on, or up to the end of the file; returns the number of bytes.
    pub(super) fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        // A panic of another reader leaves a valid file.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        read_up_to(&mut *file, bytes)
    }
}
