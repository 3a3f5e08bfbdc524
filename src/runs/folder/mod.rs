//! The folder of a run: its settings, its journal, and a lock for one writing process at a time.
//!
//! A run can only be resumed with the settings that it began with.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{FolderError, RunKind, io_error};
use super::files::lock;
use super::journal::{self, Journal};
use super::settings;

/// Name of the lock file in folders without a journal.
const LOCK_FILE: &str = "lock";

/// Ownership of a folder that has no journal: no other process can take it until this is dropped.
/// The lock file goes then, and so does the folder if nothing was written there.
#[derive(Debug)]
pub struct FolderLock {
    path: PathBuf,
    _file: File,
}

impl FolderLock {
    /// Creates the folder if necessary and locks it.
    ///
    /// # Errors
    /// The folder cannot be written, or another process holds the lock.
    pub fn take(folder: &Path) -> Result<Self, FolderError> {
        create_folder(folder)?;
        Ok(Self {
            path: folder.to_owned(),
            _file: lock(folder, LOCK_FILE)?,
        })
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(self.path.join(LOCK_FILE)) {
            log::warn!("{}: {error}", self.path.display());
        }
        // Fails where the folder holds anything.
        let _ = fs::remove_dir(&self.path);
    }
}

/// The folder of a run, open for writing. No other process can open it until this is dropped.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    kind: RunKind,
    journal: Journal,
}

impl RunFolder {
    /// Whether the folder holds a run of this kind.
    pub fn exists(path: &Path, kind: RunKind) -> bool {
        path.join(kind.settings).exists()
    }

    /// Checks that a new run can begin in the folder, without writing to it.
    ///
    /// # Errors
    /// The folder holds a run already.
    pub fn check_free(path: &Path, kind: RunKind) -> Result<(), FolderError> {
        if Self::exists(path, kind) {
            return Err(FolderError::Occupied {
                path: path.to_owned(),
                noun: kind.noun,
            });
        }
        Ok(())
    }

    /// Begins a run in a folder, which is created if necessary.
    ///
    /// # Errors
    /// The folder holds a run already, or cannot be written.
    pub fn create<S: Serialize>(
        path: &Path,
        kind: RunKind,
        settings: &S,
    ) -> Result<Self, FolderError> {
        create_folder(path)?;
        Self::check_free(path, kind)?;
        let file = lock(path, kind.journal)?;
        // Checked again under the lock: another process may have been faster.
        Self::check_free(path, kind)?;
        if file.metadata().map_err(io_error(path))?.len() > 0 {
            return Err(FolderError::Content {
                path: path.join(kind.settings),
                line: None,
                reason: format!("is gone, expected it beside {}", kind.journal),
            });
        }
        settings::write(&path.join(kind.settings), kind.format, settings)?;
        Ok(Self {
            path: path.to_owned(),
            kind,
            journal: Journal::new(path.join(kind.journal), file, 0)?,
        })
    }

    /// Resumes the run in a folder and returns its journal entries. An incomplete last line, which
    /// a killed process can leave, is cut off.
    ///
    /// # Errors
    /// The folder holds no run, another process has it open, or a file is not valid.
    pub fn resume<E: DeserializeOwned>(
        path: &Path,
        kind: RunKind,
    ) -> Result<(Self, Vec<E>), FolderError> {
        Self::resume_where(path, kind, |_| true)
    }

    /// As [`RunFolder::resume`], but drops entries from the end of the journal until the last one
    /// `is_complete`: after a power cut the journal can have the line of a piece whose other files
    /// never reached the disk.
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
            // Without the journal all pieces would be done again, over the existing files.
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

    /// As [`RunFolder::resume_where`], if the run has the same settings.
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

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the settings, for example when the run is extended.
    ///
    /// # Errors
    /// The settings file cannot be written.
    pub fn write_settings<S: Serialize>(&self, settings: &S) -> Result<(), FolderError> {
        let path = self.path.join(self.kind.settings);
        settings::write(&path, self.kind.format, settings)
    }

    /// Appends the entry of a finished piece to the journal.
    ///
    /// # Errors
    /// The journal cannot be written; it then ends with the previous entry.
    pub fn append<E: Serialize>(&mut self, entry: &E) -> Result<(), FolderError> {
        self.journal.append(entry)
    }

    /// Writes a file of the folder, and creates the folders on its path.
    ///
    /// # Errors
    /// The file or a folder cannot be written.
    pub fn write_file(&self, name: &Path, content: &[u8]) -> Result<(), FolderError> {
        let path = self.path.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(io_error(parent))?;
        }
        fs::write(&path, content).map_err(io_error(&path))
    }
}

fn create_folder(path: &Path) -> Result<(), FolderError> {
    if path.is_file() {
        return Err(FolderError::Content {
            path: path.to_owned(),
            line: None,
            reason: "is a file, expected a folder".to_owned(),
        });
    }
    fs::create_dir_all(path).map_err(io_error(path))
}

/// Reads the settings of the run in a folder, without writing there.
///
/// # Errors
/// The folder holds no run, or its settings are not valid.
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

/// Reads the journal of the run in a folder, without writing there.
///
/// # Errors
/// The journal cannot be read, or a line is not a valid entry.
pub(crate) fn read_entries<E: DeserializeOwned>(
    path: &Path,
    kind: RunKind,
) -> Result<Vec<E>, FolderError> {
    let lines = journal::read(&path.join(kind.journal))?;
    Ok(lines.into_iter().map(|(entry, _)| entry).collect())
}

#[cfg(test)]
mod tests;
