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

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::settings::MatchSettings;
use crate::util::run_folder::{self, RunFolderError, at};

mod entry;
#[cfg(test)]
mod tests;

pub use entry::{GameEntry, LineFault, Overhead, PlayerFigures, TimeLoss};

const SETTINGS_FILE: &str = "match.json";
const GAMES_FILE: &str = "games.jsonl";
const LINES_FILE: &str = "games.sfen";
/// Raised when old folders can no longer be read.
const FORMAT: u32 = 1;

/// Why results cannot be kept or read.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The folder.
    #[error(transparent)]
    Folder(#[from] RunFolderError),
    /// A new match was to begin where there is one.
    #[error("{} holds a match already: go on with it by --resume, or choose another folder", .0.display())]
    Occupied(PathBuf),
    /// A match was to be read where there is none.
    #[error("{} holds no match: expected a file {SETTINGS_FILE} in it", .0.display())]
    Missing(PathBuf),
}

/// The folder of a match, open for writing.
pub struct Journal {
    folder: PathBuf,
    games: File,
    lines: File,
}

impl Journal {
    /// Begins a match in a folder, which is made if it is not there.
    ///
    /// # Errors
    /// The folder holds a match, or cannot be written.
    pub fn create(folder: &Path, settings: &MatchSettings) -> Result<Self, JournalError> {
        let occupied = || JournalError::Occupied(folder.to_owned());
        fs::create_dir_all(folder).map_err(at(folder))?;
        if folder.join(SETTINGS_FILE).exists() {
            return Err(occupied());
        }
        let journal = Self::open(folder)?;
        // Asked under the lock: another process may have been faster.
        let games = journal.games.metadata().map_err(at(folder))?;
        if folder.join(SETTINGS_FILE).exists() || games.len() > 0 {
            return Err(occupied());
        }
        run_folder::write_settings(&folder.join(SETTINGS_FILE), FORMAT, settings)?;
        Ok(journal)
    }

    /// Goes on with the match in a folder, of which it returns the games. What a kill left of a line is dropped.
    ///
    /// # Errors
    /// There is no match, another process is at it, or a file is broken.
    pub fn resume(
        folder: &Path,
        settings: &MatchSettings,
    ) -> Result<(Self, Vec<GameEntry>), JournalError> {
        if !folder.join(SETTINGS_FILE).exists() {
            return Err(JournalError::Missing(folder.to_owned()));
        }
        let mut journal = Self::open(folder)?;
        let (entries, end) = read_games(folder)?;
        journal.games.set_len(end).map_err(at(folder))?;
        let to_end = |mut file: &File| file.seek(SeekFrom::End(0)).map_err(at(folder));
        to_end(&journal.games)?;
        // The lines are made anew, so that they agree with the results after a kill between the two.
        journal.lines.set_len(0).map_err(at(folder))?;
        to_end(&journal.lines)?;
        for entry in &entries {
            writeln!(journal.lines, "{}", entry.line).map_err(at(&folder.join(LINES_FILE)))?;
        }
        run_folder::write_settings(&folder.join(SETTINGS_FILE), FORMAT, settings)?;
        Ok((journal, entries))
    }

    fn open(folder: &Path) -> Result<Self, JournalError> {
        let mut games = run_folder::open_alone(folder, GAMES_FILE)?;
        let mut lines = run_folder::open(&folder.join(LINES_FILE))?;
        for file in [&mut games, &mut lines] {
            file.seek(SeekFrom::End(0)).map_err(at(folder))?;
        }
        Ok(Self {
            folder: folder.to_owned(),
            games,
            lines,
        })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps a finished game.
    ///
    /// # Errors
    /// The files cannot be written.
    pub fn append(&mut self, entry: &GameEntry) -> Result<(), JournalError> {
        let path = self.folder.join(GAMES_FILE);
        let line = run_folder::line_of(&path, entry)?;
        let end = self.games.stream_position().map_err(at(&path))?;
        if let Err(error) = self.games.write_all(line.as_bytes()) {
            // The next line must not join up with what there is of this one.
            let _ = self.games.set_len(end);
            let _ = self.games.seek(SeekFrom::Start(end));
            return Err(at(&path)(error).into());
        }
        writeln!(self.lines, "{}", entry.line).map_err(at(&self.folder.join(LINES_FILE)))?;
        Ok(())
    }

    /// Writes a file of the folder, and the folders on its way.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_file(&self, name: &Path, content: &[u8]) -> Result<(), JournalError> {
        let path = self.folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(at(parent))?;
        }
        fs::write(&path, content).map_err(at(&path))?;
        Ok(())
    }
}

/// The settings and games of a folder, without writing there.
///
/// # Errors
/// There is no match, or a file is broken.
pub fn read(folder: &Path) -> Result<(MatchSettings, Vec<GameEntry>), JournalError> {
    let settings = read_settings(folder)?;
    Ok((settings, read_games(folder)?.0))
}

/// The settings of the match in a folder.
///
/// # Errors
/// There is no match, or its settings are broken.
pub fn read_settings(folder: &Path) -> Result<MatchSettings, JournalError> {
    let path = folder.join(SETTINGS_FILE);
    if !path.exists() {
        return Err(JournalError::Missing(folder.to_owned()));
    }
    Ok(run_folder::read_settings(&path, FORMAT)?)
}

/// The games, and where the last whole line ends.
fn read_games(folder: &Path) -> Result<(Vec<GameEntry>, u64), JournalError> {
    let entries = run_folder::read_lines(&folder.join(GAMES_FILE))?;
    let end = entries.last().map_or(0, |&(_, end)| end);
    Ok((entries.into_iter().map(|(entry, _)| entry).collect(), end))
}
