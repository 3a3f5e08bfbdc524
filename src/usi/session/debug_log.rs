//! `DebugLogFile`: logs the dialogue with the GUI, each line with its time.
//!
//! Each line is written at once, so that the file is complete if the program crashes. A file that
//! cannot be written is reported once, and the engine plays on without it.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Zoned;
use thiserror::Error;

/// Local time to the millisecond, as `strftime` writes it.
const TIME: &str = "%F %T%.3f";

/// The log, if it is on.
#[derive(Default)]
pub(super) struct DebugLog(Mutex<Option<Open>>);

struct Open {
    path: PathBuf,
    file: File,
}

/// The source of a line.
#[derive(Clone, Copy)]
pub(super) enum Speaker {
    Gui,
    Engine,
    /// A remark of the log itself.
    Log,
}

/// The log file cannot be used.
#[derive(Debug, Error)]
pub(super) enum LogError {
    #[error("DebugLogFile \"{path}\" cannot be opened: {source}, the dialogue is not written")]
    Open { path: String, source: io::Error },
    #[error(
        "DebugLogFile \"{path}\" cannot be written: {source}, the dialogue is written no further"
    )]
    Write { path: String, source: io::Error },
}

impl DebugLog {
    /// Appends to the file at `path` from now on, beginning with the remark `opening`; without a
    /// path the log ends.
    ///
    /// # Errors
    /// The file cannot be opened or written. The log has ended.
    pub(super) fn set_file(&self, path: Option<&Path>, opening: &str) -> Result<(), LogError> {
        let mut open = self.lock();
        *open = None;
        let Some(path) = path else {
            return Ok(());
        };
        let file = open_file(path).map_err(|source| LogError::Open {
            path: path.display().to_string(),
            source,
        })?;
        let path = path.to_owned();
        open.insert(Open { path, file })
            .write(Speaker::Log, opening)
            .inspect_err(|_| *open = None)
    }

    /// Writes a line, which is given without its line end.
    ///
    /// # Errors
    /// The file cannot be written. The log has ended.
    pub(super) fn write(&self, speaker: Speaker, text: &str) -> Result<(), LogError> {
        let mut guard = self.lock();
        let Some(open) = guard.as_mut() else {
            return Ok(());
        };
        open.write(speaker, text).inspect_err(|_| *guard = None)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens a file, a device or a terminal to append to it. A pipe is refused: to open one, and later
/// to write to it, waits for its reader.
fn open_file(path: &Path) -> io::Result<File> {
    if path.metadata().is_ok_and(|data| is_pipe(&data)) {
        let reason = "it is a pipe, expected a file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    OpenOptions::new().create(true).append(true).open(path)
}

#[cfg(unix)]
fn is_pipe(data: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;

    data.file_type().is_fifo()
}

#[cfg(not(unix))]
const fn is_pipe(_data: &Metadata) -> bool {
    false
}

impl Open {
    fn write(&mut self, speaker: Speaker, text: &str) -> Result<(), LogError> {
        let sign = match speaker {
            Speaker::Gui => " > ",
            Speaker::Engine => " < ",
            Speaker::Log => " # ",
        };
        let time = Zoned::now().strftime(TIME).to_string();
        let mut lines = String::new();
        for line in text.split('\n') {
            lines.extend([time.as_str(), sign, line.trim_end_matches('\r'), "\n"]);
        }
        let written = self.file.write_all(lines.as_bytes());
        written.map_err(|source| LogError::Write {
            path: self.path.display().to_string(),
            source,
        })
    }
}
