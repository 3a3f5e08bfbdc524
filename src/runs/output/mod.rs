//! An output file that gets its name only when it is complete.

mod place;

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use place::{Place, open_stream};

pub use place::{is_same_output, is_stream, output_place, would_replace};

/// Size of the write buffer in bytes. Large, because several files are read and written in turn.
const BUFFER_BYTES: usize = 1 << 18;

/// Why an output file cannot be created.
#[derive(Debug, Error)]
pub enum OutputError {
    /// An error of the system.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Another process is writing a file of this name.
    #[error("another run is writing this file")]
    InUse,
}

/// A file that is being written. It is called `NAME.partial` until [`OutputFile::finish`], and is
/// removed if it is dropped before that. A lock keeps two processes from writing the same file.
///
/// Links are followed, so that a link stays one. A pipe or device is written as it is: what was
/// written cannot be taken back.
#[derive(Debug)]
pub struct OutputFile {
    out: BufWriter<File>,
    /// `None` for a pipe or device.
    names: Option<Names>,
    /// Bytes written so far.
    length: u64,
    /// Whether what was written stays when this is dropped unfinished.
    is_kept: bool,
    is_finished: bool,
}

/// What a file is called.
#[derive(Debug)]
struct Names {
    /// While it is written.
    partial: PathBuf,
    /// Once it is complete.
    path: PathBuf,
}

impl OutputFile {
    /// Creates the partial file. One that a killed process left behind is replaced. A pipe waits
    /// for its reader.
    ///
    /// # Errors
    /// The file cannot be created, or another process is writing it.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let path = match Place::of(path)? {
            Place::File(path) => path,
            Place::Stream(path) => return Ok(Self::new(open_stream(&path)?, None, 0)),
        };
        let partial = beside(&path, ".partial");
        let file = match File::create_new(&partial) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                remove_abandoned(&partial)?;
                File::create_new(&partial)?
            }
            created => created?,
        };
        lock(&file)?;
        Ok(Self::new(file, Some(Names { partial, path }), 0))
    }

    /// Continues the file of an earlier process behind the byte `length`; what follows is cut off.
    ///
    /// # Errors
    /// There is no such file or it is shorter, or another process writes it.
    pub fn resume(path: &Path, length: u64) -> Result<Self, OutputError> {
        let path = match Place::of(path)? {
            Place::File(path) => path,
            Place::Stream(_) => return Err(no_stream("continued").into()),
        };
        let partial = beside(&path, ".partial");
        let with_name = |error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", partial.display()))
        };
        let mut file = File::options()
            .write(true)
            .open(&partial)
            .map_err(with_name)?;
        lock(&file)?;
        let found = file.metadata()?.len();
        if found < length {
            let reason = format!(
                "{found} bytes of {} are left, expected {length}",
                partial.display()
            );
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, reason).into());
        }
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        let names = Some(Names { partial, path });
        Ok(Self::new(file, names, length).kept())
    }

    fn new(file: File, names: Option<Names>, length: u64) -> Self {
        Self {
            out: BufWriter::with_capacity(BUFFER_BYTES, file),
            names,
            length,
            is_kept: false,
            is_finished: false,
        }
    }

    /// Keeps what was written when this is dropped unfinished, for [`OutputFile::resume`].
    #[must_use]
    pub fn kept(mut self) -> Self {
        self.is_kept = true;
        self
    }

    /// Bytes written so far.
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Replaces bytes that were written before, such as a header that gives a length.
    ///
    /// # Errors
    /// The system refuses, or this is a pipe or device.
    pub fn overwrite(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        if self.names.is_none() {
            return Err(no_stream("written out of order"));
        }
        debug_assert!(offset + bytes.len() as u64 <= self.length);
        self.out.seek(SeekFrom::Start(offset))?;
        self.out.write_all(bytes)?;
        self.out.seek(SeekFrom::Start(self.length))?;
        Ok(())
    }

    /// Puts what was flushed on the disk.
    ///
    /// # Errors
    /// The system refuses.
    pub fn sync(&self) -> io::Result<()> {
        if self.names.is_none() {
            return Ok(());
        }
        self.out.get_ref().sync_data()
    }

    /// Flushes the file to disk and gives it its name.
    ///
    /// # Errors
    /// The file cannot be written or renamed.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        if let Some(names) = &self.names {
            self.out.get_ref().sync_all()?;
            fs::rename(&names.partial, &names.path)?;
        }
        self.is_finished = true;
        Ok(())
    }
}

fn no_stream(what: &str) -> io::Error {
    let reason = format!("a pipe or device cannot be {what}: expected a file");
    io::Error::new(io::ErrorKind::Unsupported, reason)
}

/// Removes a partial file if no process is writing it.
fn remove_abandoned(partial: &Path) -> Result<(), OutputError> {
    match File::open(partial) {
        Ok(file) => lock(&file)?,
        // The other process has just finished it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    match fs::remove_file(partial) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

fn lock(file: &File) -> Result<(), OutputError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(OutputError::InUse),
        // Some network file systems have no locks.
        Err(TryLockError::Error(error)) => {
            log::warn!("a file cannot be locked: {error}");
            Ok(())
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let Some(Names { partial, .. }) = &self.names
            && !self.is_finished
            && !self.is_kept
            && let Err(error) = fs::remove_file(partial)
        {
            log::warn!("{}: {error}", partial.display());
        }
    }
}

/// The path with `ending` appended to its file name.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests;
