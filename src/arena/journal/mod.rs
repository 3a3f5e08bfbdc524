//! The folder of a match: settings, results and records.
//!
//! | File | Content |
//! |---|---|
//! | `match.json` | the settings; a match can only be resumed with the settings it began with |
//! | `games.jsonl` | one line of JSON per finished game, with everything the summary needs |
//! | `games.sfen` | one line per game: `startpos moves …` |
//! | `csa/` | the records in CSA format, with times and evaluations |
//! | `faults/` | the last lines of the dialogue of games that were lost by a fault |
//!
//! A game is written as soon as it ends, so a kill loses only the running games.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use super::settings::MatchSettings;
use crate::runs::{self, FolderError, RunFolder, RunKind, io_error};

mod entry;
#[cfg(test)]
mod tests;

pub use entry::{GameEntry, LineFault, Overhead, PlayerFigures, TimeLoss};

/// The files of a match folder.
pub const KIND: RunKind = RunKind {
    noun: "match",
    settings: "match.json",
    journal: "games.jsonl",
    format: 1,
};
const LINES_FILE: &str = "games.sfen";

/// The folder of a match, open for writing.
pub struct MatchFolder {
    folder: RunFolder,
    lines: File,
}

impl MatchFolder {
    /// Begins a match in a folder, which is created if necessary.
    ///
    /// # Errors
    /// The folder holds a match already, or cannot be written.
    pub fn create(path: &Path, settings: &MatchSettings) -> Result<Self, FolderError> {
        let folder = RunFolder::create(path, KIND, settings)?;
        Self::new(folder, &[])
    }

    /// Resumes the match in a folder, and returns its games. An incomplete last line, which a
    /// killed process can leave, is cut off.
    ///
    /// # Errors
    /// The folder holds no match, another process has it open, or a file is not valid.
    pub fn resume(path: &Path) -> Result<(Self, Vec<GameEntry>), FolderError> {
        let (folder, entries) = RunFolder::resume(path, KIND)?;
        Ok((Self::new(folder, &entries)?, entries))
    }

    /// Replaces the settings, when the match is extended. The games must belong to them.
    ///
    /// # Errors
    /// The settings file cannot be written.
    pub fn write_settings(&self, settings: &MatchSettings) -> Result<(), FolderError> {
        self.folder.write_settings(settings)
    }

    /// Rewrites `games.sfen`, which may lag behind the journal after a kill.
    fn new(folder: RunFolder, entries: &[GameEntry]) -> Result<Self, FolderError> {
        let path = folder.path().join(LINES_FILE);
        let mut lines = File::create(&path).map_err(io_error(&path))?;
        let text: String = entries
            .iter()
            .map(|entry| entry.line.clone() + "\n")
            .collect();
        lines.write_all(text.as_bytes()).map_err(io_error(&path))?;
        Ok(Self { folder, lines })
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Appends a finished game to the journal and to `games.sfen`.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn append(&mut self, entry: &GameEntry) -> Result<(), FolderError> {
        self.folder.append(entry)?;
        let path = self.path().join(LINES_FILE);
        writeln!(self.lines, "{}", entry.line).map_err(io_error(&path))
    }

    /// Writes a file of the folder, and creates the folders on its path.
    ///
    /// # Errors
    /// The file or a folder cannot be written.
    pub fn write_file(&self, name: &Path, content: &[u8]) -> Result<(), FolderError> {
        self.folder.write_file(name, content)
    }
}

/// Reads the settings and games of a folder, without writing there.
///
/// # Errors
/// The folder holds no match, or a file is not valid.
pub fn read(path: &Path) -> Result<(MatchSettings, Vec<GameEntry>), FolderError> {
    Ok((read_settings(path)?, runs::read_entries(path, KIND)?))
}

/// Reads the settings of the match in a folder, without writing there.
///
/// # Errors
/// The folder holds no match, or its settings are not valid.
pub fn read_settings(path: &Path) -> Result<MatchSettings, FolderError> {
    runs::read_settings(path, KIND)
}
