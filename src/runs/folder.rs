//! The folder of a run: settings with which alone it can be resumed, a journal, and one process at
//! a time that writes there.
//!
//! Settings are written to a file beside and renamed, so that there is always a complete one.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::journal::{self, Journal};
use super::settings;

/// What tells the folders of one tool from those of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunKind {
    /// What a folder holds, such as `match`.
    pub noun: &'static str,
    /// Name of the settings file.
    pub settings: &'static str,
    /// Name of the journal.
    pub journal: &'static str,
    /// Raised when folders of older versions can no longer be read.
    pub format: u32,
}

/// Why the folder of a run cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process writes there.
    #[error("{}: another run is writing there at this moment", .0.display())]
    InUse(PathBuf),
    /// A file cannot be understood.
    #[error("{}{}: {reason}", path.display(), place(*line))]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: Option<usize>,
        /// What is wrong with it.
        reason: String,
    },
    /// A new run was to begin where there is one.
    #[error(
        "{} holds a {noun} already: go on with it by --resume, or choose another folder",
        path.display()
    )]
    Occupied {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        noun: &'static str,
    },
    /// A run was to go on where there is none.
    #[error("{} holds no {}: expected a file {} in it", path.display(), kind.noun, kind.settings)]
    Missing {
        /// The folder.
        path: PathBuf,
        /// What was looked for.
        kind: RunKind,
    },
    /// The run in the folder has other settings.
    #[error("{} holds another {noun}: {difference}", path.display())]
    OtherRun {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        noun: &'static str,
        /// The first difference.
        difference: String,
    },
}

fn place(line: Option<usize>) -> String {
    line.map(|line| format!(" line {line}")).unwrap_or_default()
}

/// For [`Result::map_err`] of something that was done with a file.
pub(crate) fn io_error(path: &Path) -> impl Fn(io::Error) -> FolderError {
    let path = path.to_owned();
    move |source| FolderError::Io {
        path: path.clone(),
        source,
    }
}

/// For something in a file that is no JSON of the right kind.
pub(super) fn content_error(
    path: &Path,
    line: Option<usize>,
) -> impl Fn(serde_json::Error) -> FolderError {
    let path = path.to_owned();
    move |error| FolderError::Content {
        path: path.clone(),
        line,
        reason: error.to_string(),
    }
}

/// Gives a file another content at once.
///
/// # Errors
/// The file cannot be written; its content is the old one then.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), FolderError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let beside = PathBuf::from(name);
    fs::write(&beside, text).map_err(io_error(&beside))?;
    fs::rename(&beside, path).map_err(io_error(path))
}

/// Opens a file of a folder, made if it is not there, that only one process at a time can have;
/// by it the process has the folder, until the file is closed.
///
/// # Errors
/// The system refuses, or another process has it.
pub(super) fn lock(folder: &Path, name: &str) -> Result<File, FolderError> {
    let path = folder.join(name);
    // Not in append mode, which cannot shorten a file on every system.
    let file = OpenOptions::new()
        .create(true)
        .read(true)
        .write(true)
        .truncate(false)
        .open(&path)
        .map_err(io_error(&path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(FolderError::InUse(folder.to_owned())),
        // Some network file systems know no locks; a run can do without.
        Err(TryLockError::Error(error)) => {
            log::warn!("{} cannot be locked: {error}", folder.display());
        }
    }
    Ok(file)
}

/// A folder without a journal that one process at a time writes to, for as long as this lives.
#[derive(Debug)]
pub struct FolderLock(#[expect(dead_code, reason = "closing the file releases the lock")] File);

impl FolderLock {
    /// Makes the folder if it is not there, and takes it.
    ///
    /// # Errors
    /// The system refuses, or another process has it.
    pub fn take(folder: &Path) -> Result<Self, FolderError> {
        fs::create_dir_all(folder).map_err(io_error(folder))?;
        Ok(Self(lock(folder, "lock")?))
    }
}

/// The folder of a run, open for writing. No other process can write there until it is dropped.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    kind: RunKind,
    journal: Journal,
}

impl RunFolder {
    /// Whether a folder holds a run of this kind.
    pub fn exists(path: &Path, kind: RunKind) -> bool {
        path.join(kind.settings).exists()
    }

    /// Makes sure that a run can begin in a folder, as far as that shows without touching it.
    ///
    /// # Errors
    /// There is one already.
    pub fn check_free(path: &Path, kind: RunKind) -> Result<(), FolderError> {
        if Self::exists(path, kind) {
            return Err(FolderError::Occupied {
                path: path.to_owned(),
                noun: kind.noun,
            });
        }
        Ok(())
    }

    /// Begins a run in a folder, which is made if it is not there.
    ///
    /// # Errors
    /// The folder holds a run, or cannot be written.
    pub fn create<S: Serialize>(
        path: &Path,
        kind: RunKind,
        settings: &S,
    ) -> Result<Self, FolderError> {
        fs::create_dir_all(path).map_err(io_error(path))?;
        Self::check_free(path, kind)?;
        let file = lock(path, kind.journal)?;
        // Asked again under the lock: another process may have been faster.
        Self::check_free(path, kind)?;
        if file.metadata().map_err(io_error(path))?.len() > 0 {
            return Err(FolderError::Occupied {
                path: path.to_owned(),
                noun: kind.noun,
            });
        }
        settings::write(&path.join(kind.settings), kind.format, settings)?;
        Ok(Self {
            path: path.to_owned(),
            kind,
            journal: Journal::new(path.join(kind.journal), file, 0)?,
        })
    }

    /// Resumes the run in a folder, of which it returns the entries. The part of a line that a
    /// kill left is dropped.
    ///
    /// # Errors
    /// There is no run, another process is at it, or a file is broken.
    pub fn resume<E: DeserializeOwned>(
        path: &Path,
        kind: RunKind,
    ) -> Result<(Self, Vec<E>), FolderError> {
        Self::resume_where(path, kind, |_| true)
    }

    /// The same without the last entries up to the first one, from the end, that `is_complete`: a
    /// power cut can leave the line of a piece whose other files never reached the disk.
    ///
    /// # Errors
    /// As [`RunFolder::resume`].
    pub fn resume_where<E: DeserializeOwned>(
        path: &Path,
        kind: RunKind,
        is_complete: impl Fn(&E) -> bool,
    ) -> Result<(Self, Vec<E>), FolderError> {
        if !Self::exists(path, kind) {
            return Err(FolderError::Missing {
                path: path.to_owned(),
                kind,
            });
        }
        let journal = path.join(kind.journal);
        if !journal.exists() {
            // Without it everything would be done again, over what is there.
            return Err(FolderError::Content {
                path: journal,
                line: None,
                reason: format!("is gone, expected it beside {}", kind.settings),
            });
        }
        let file = lock(path, kind.journal)?;
        let mut lines: Vec<journal::Line<E>> = journal::read(&journal)?;
        while lines.last().is_some_and(|(last, _)| !is_complete(last)) {
            lines.pop();
        }
        let end = lines.last().map_or(0, |&(_, end)| end);
        let folder = Self {
            path: path.to_owned(),
            kind,
            journal: Journal::new(journal, file, end)?,
        };
        Ok((folder, lines.into_iter().map(|(entry, _)| entry).collect()))
    }

    /// Resumes the run in a folder if it has these settings.
    ///
    /// # Errors
    /// As [`RunFolder::resume`], and [`FolderError::OtherRun`].
    pub fn resume_same<S: Serialize + DeserializeOwned, E: DeserializeOwned>(
        path: &Path,
        kind: RunKind,
        settings: &S,
        is_complete: impl Fn(&E) -> bool,
    ) -> Result<(Self, Vec<E>), FolderError> {
        let old: S = read_settings(path, kind)?;
        if let Some(difference) = settings::difference(settings, &old) {
            return Err(FolderError::OtherRun {
                path: path.to_owned(),
                noun: kind.noun,
                difference,
            });
        }
        Self::resume_where(path, kind, is_complete)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Changes the settings, such as the length of the run.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_settings<S: Serialize>(&self, settings: &S) -> Result<(), FolderError> {
        let path = self.path.join(self.kind.settings);
        settings::write(&path, self.kind.format, settings)
    }

    /// Keeps a finished piece.
    ///
    /// # Errors
    /// The journal cannot be written; it then ends with the piece before.
    pub fn append<E: Serialize>(&mut self, entry: &E) -> Result<(), FolderError> {
        self.journal.append(entry)
    }

    /// Writes a file of the folder, and makes the folders on its way.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_file(&self, name: &Path, content: &[u8]) -> Result<(), FolderError> {
        let path = self.path.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(io_error(parent))?;
        }
        fs::write(&path, content).map_err(io_error(&path))
    }
}

/// The settings of the run in a folder, without writing there.
///
/// # Errors
/// There is no run, or its settings are broken.
pub(crate) fn read_settings<S: DeserializeOwned>(
    path: &Path,
    kind: RunKind,
) -> Result<S, FolderError> {
    if !RunFolder::exists(path, kind) {
        return Err(FolderError::Missing {
            path: path.to_owned(),
            kind,
        });
    }
    settings::read(&path.join(kind.settings), kind.format)
}

/// The entries of the run in a folder, without writing there.
///
/// # Errors
/// The journal cannot be read, or a line is broken.
pub(crate) fn read_entries<E: DeserializeOwned>(
    path: &Path,
    kind: RunKind,
) -> Result<Vec<E>, FolderError> {
    let lines = journal::read(&path.join(kind.journal))?;
    Ok(lines.into_iter().map(|(entry, _)| entry).collect())
}

#[cfg(test)]
mod tests;
