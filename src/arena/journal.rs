//! What a match leaves behind: a folder with its settings, its results and its records.
//!
//! | File | Content |
//! |---|---|
//! | `match.json` | the settings: a match can only go on as it began |
//! | `games.jsonl` | one line of JSON a finished game: all that the summary is made of |
//! | `games.sfen` | one line a game: `startpos moves …` |
//! | `csa/` | the records with times and evaluations |
//! | `faults/` | the last lines of the dialogue of games that an engine lost by a fault |
//!
//! A line is written at once when its game ends, so a kill costs the running games only.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use super::settings::MatchSettings;
use crate::runs::{self, FolderError, RunFolder, RunKind, io_error};

mod entry;
#[cfg(test)]
mod tests;

pub use entry::{GameEntry, LineFault, Overhead, PlayerFigures, TimeLoss};

/// The folder of a match.
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
    /// Begins a match in a folder, which is made if it is not there.
    ///
    /// # Errors
    /// The folder holds a match, or cannot be written.
    pub fn create(path: &Path, settings: &MatchSettings) -> Result<Self, FolderError> {
        let folder = RunFolder::create(path, KIND, settings)?;
        Self::new(folder, &[])
    }

    /// Resumes the match in a folder, of which it returns the games. The part of a line that a
    /// kill left is dropped.
    ///
    /// # Errors
    /// There is no match, another process is at it, or a file is broken.
    pub fn resume(
        path: &Path,
        settings: &MatchSettings,
    ) -> Result<(Self, Vec<GameEntry>), FolderError> {
        let (folder, entries) = RunFolder::resume(path, KIND)?;
        folder.write_settings(settings)?;
        Ok((Self::new(folder, &entries)?, entries))
    }

    /// Writes the lines anew, so that they agree with the results after a kill between the two.
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

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Keeps a finished game.
    ///
    /// # Errors
    /// The files cannot be written.
    pub fn append(&mut self, entry: &GameEntry) -> Result<(), FolderError> {
        self.folder.append(entry)?;
        let path = self.path().join(LINES_FILE);
        writeln!(self.lines, "{}", entry.line).map_err(io_error(&path))
    }

    /// Writes a file of the folder, and makes the folders on its way.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_file(&self, name: &Path, content: &[u8]) -> Result<(), FolderError> {
        self.folder.write_file(name, content)
    }
}

/// The settings and games of a folder, without writing there.
///
/// # Errors
/// There is no match, or a file is broken.
pub fn read(path: &Path) -> Result<(MatchSettings, Vec<GameEntry>), FolderError> {
    Ok((read_settings(path)?, runs::read_entries(path, KIND)?))
}

/// The settings of the match in a folder.
///
/// # Errors
/// There is no match, or its settings are broken.
pub fn read_settings(path: &Path) -> Result<MatchSettings, FolderError> {
    runs::read_settings(path, KIND)
}
