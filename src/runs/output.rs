//! An output file that gets its name only when it is complete.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

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
#[derive(Debug)]
pub struct OutputFile {
    out: BufWriter<File>,
    partial: PathBuf,
    path: PathBuf,
    /// Bytes written so far.
    length: u64,
    /// Whether what was written stays when this is dropped unfinished.
    is_kept: bool,
    is_finished: bool,
}

impl OutputFile {
    /// Creates the partial file. One that a killed process left behind is replaced.
    ///
    /// # Errors
    /// The file cannot be created, or another process is writing it.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let partial = beside(path, ".partial");
        let file = match File::create_new(&partial) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                remove_abandoned(&partial)?;
                File::create_new(&partial)?
            }
            created => created?,
        };
        lock(&file)?;
        Ok(Self::new(file, partial, path, 0))
    }

    /// Continues the file of an earlier process behind the byte `length`; what follows is cut off.
    ///
    /// # Errors
    /// There is no such file or it is shorter, or another process writes it.
    pub fn resume(path: &Path, length: u64) -> Result<Self, OutputError> {
        let partial = beside(path, ".partial");
        let mut file = File::options().write(true).open(&partial)?;
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
        Ok(Self::new(file, partial, path, length).kept())
    }

    fn new(file: File, partial: PathBuf, path: &Path, length: u64) -> Self {
        Self {
            out: BufWriter::with_capacity(BUFFER_BYTES, file),
            partial,
            path: path.to_owned(),
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
    /// The system refuses.
    pub fn overwrite(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
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
        self.out.get_ref().sync_data()
    }

    /// Flushes the file to disk and gives it its name.
    ///
    /// # Errors
    /// The file cannot be written or renamed.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        self.out.get_ref().sync_all()?;
        fs::rename(&self.partial, &self.path)?;
        self.is_finished = true;
        Ok(())
    }
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
        if !self.is_finished
            && !self.is_kept
            && let Err(error) = fs::remove_file(&self.partial)
        {
            log::warn!("{}: {error}", self.partial.display());
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
mod tests {
    use super::*;

    fn place(name: &str) -> PathBuf {
        let name = format!("raicho-output-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        folder
    }

    #[test]
    fn it_has_its_name_when_it_is_complete() {
        let folder = place("complete");
        let path = folder.join("x");
        let mut file = OutputFile::create(&path).expect("it can be made");
        file.write_all(b"one").expect("it can be written");
        assert!(!path.exists() && folder.join("x.partial").exists());
        file.finish().expect("it can be finished");
        assert_eq!(fs::read(&path).expect("it is there"), b"one");
        drop(OutputFile::create(&path).expect("it can be made again"));
        assert_eq!(fs::read(&path).expect("the old one stays"), b"one");
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 1);
        let _ = fs::remove_dir_all(folder);
    }

    #[test]
    fn two_writers_never_share_a_file() {
        let folder = place("shared");
        let path = folder.join("x");
        let mut first = OutputFile::create(&path).expect("it can be made");
        let second = OutputFile::create(&path);
        assert!(matches!(second, Err(OutputError::InUse)), "{second:?}");
        first.write_all(b"first").expect("it can be written");
        first.finish().expect("the second one left it alone");
        assert_eq!(fs::read(&path).expect("it is there"), b"first");
        let _ = fs::remove_dir_all(folder);
    }

    #[test]
    fn what_a_kill_left_is_replaced() {
        let folder = place("killed");
        let path = folder.join("x");
        fs::write(folder.join("x.partial"), "half of").expect("it can be written");
        let mut file = OutputFile::create(&path).expect("nobody writes it");
        file.write_all(b"1").expect("it can be written");
        file.finish().expect("it can be finished");
        assert_eq!(fs::read(&path).expect("it is there"), b"1");
        let _ = fs::remove_dir_all(folder);
    }
}
