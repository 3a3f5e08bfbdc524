//! A file with one line of JSON per finished piece. A killed process leaves at most one incomplete
//! line at the end, which is ignored.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{FolderError, content_error, io_error};

/// An entry, and the offset of the byte after its line.
pub(super) type Line<E> = (E, u64);

/// A journal that is open for writing.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// Length of the file up to the last complete line, in bytes.
    end: u64,
}

impl Journal {
    /// Continues a file at offset `end`; anything after that is cut off.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn new(path: PathBuf, mut file: File, end: u64) -> Result<Self, FolderError> {
        cut(&mut file, end).map_err(io_error(&path))?;
        Ok(Self { path, file, end })
    }

    /// Appends an entry.
    ///
    /// # Errors
    /// The file cannot be written; it then ends with the previous entry.
    pub(super) fn append<E: Serialize>(&mut self, entry: &E) -> Result<(), FolderError> {
        let text = serde_json::to_string(entry).map_err(content_error(&self.path, None))?;
        let line = text + "\n";
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            // The next entry must not continue the fragment of this one.
            let _ = cut(&mut self.file, self.end);
            return Err(io_error(&self.path)(error));
        }
        self.end += line.len() as u64;
        Ok(())
    }
}

fn cut(file: &mut File, end: u64) -> io::Result<()> {
    // A device such as /dev/full, which tests use, has no length to set.
    if file.metadata()?.len() != end {
        file.set_len(end)?;
    }
    file.seek(SeekFrom::Start(end)).map(drop)
}

/// The entries of a journal; none if the file does not exist. An incomplete last line is ignored.
///
/// # Errors
/// The file cannot be read, or a complete line is not a valid entry.
pub(super) fn read<E: DeserializeOwned>(path: &Path) -> Result<Vec<Line<E>>, FolderError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io_error(path)(error)),
    };
    let mut reader = BufReader::new(file);
    let (mut entries, mut end, mut text) = (Vec::new(), 0, Vec::new());
    for line in 1.. {
        text.clear();
        let length = reader
            .read_until(b'\n', &mut text)
            .map_err(io_error(path))?;
        if text.last() != Some(&b'\n') {
            break;
        }
        end += length as u64;
        let entry = serde_json::from_slice(&text).map_err(content_error(path, Some(line)))?;
        entries.push((entry, end));
    }
    Ok(entries)
}
