//! A file that is read in places, by any thread.
//!
//! Books of gigabytes are searched where they lie. The file is read, not mapped into memory: a
//! mapped file that another program cuts short would end this one.

use std::fs::File;
use std::io;
use std::path::Path;

/// An open file and its size.
#[derive(Debug)]
pub(super) struct SharedFile {
    file: File,
    size: u64,
}

impl SharedFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        Ok(Self { file, size })
    }

    /// Size in bytes when it was opened.
    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    /// Fills `bytes` from `offset` on, or up to the end of the file; returns the number of bytes.
    pub(super) fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < bytes.len() {
            match read_some(&self.file, offset + filled as u64, &mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

#[cfg(unix)]
fn read_some(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, offset)
}

/// Elsewhere files have no places, as far as the standard library knows.
#[cfg(not(any(unix, windows)))]
fn read_some(_file: &File, _offset: u64, _bytes: &mut [u8]) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(windows)]
fn read_some(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, offset)
}
