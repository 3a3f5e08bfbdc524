//! The folder of a run: settings with which alone it can be resumed, a journal, and one process at
//! a time that writes there.
//!
//! Settings are written to a file beside and renamed, so that there is always a complete one.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{FolderError, RunKind, io_error};
use super::files::lock;
use super::journal::{self, Journal};
use super::settings;

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
