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

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::settings::MatchSettings;

mod entry;
#[cfg(test)]
mod tests;

pub use entry::{GameEntry, LineFault, Overhead, PlayerFigures, TimeLoss};

const SETTINGS_FILE: &str = "match.json";
const GAMES_FILE: &str = "games.jsonl";
const LINES_FILE: &str = "games.sfen";
/// Raised when old folders can no longer be read.
const FORMAT: u32 = 1;

/// The settings file.
#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
    program: String,
    settings: MatchSettings,
}

/// Why results cannot be kept or read.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A new match was to begin where there is one.
    #[error("{} holds a match already: go on with it by --resume, or choose another folder", .0.display())]
    Occupied(PathBuf),
    /// A match was to be read where there is none.
    #[error("{} holds no match: expected a file {SETTINGS_FILE} in it", .0.display())]
    Missing(PathBuf),
    /// Another process writes there.
    #[error("{}: another match is being written there at this moment", .0.display())]
    InUse(PathBuf),
    /// A file cannot be understood.
    #[error("{}{}: {reason}", path.display(), line.map(|line| format!(" line {line}")).unwrap_or_default())]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: Option<usize>,
        /// What is wrong with it.
        reason: String,
    },
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
        write_settings(folder, settings)?;
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
        write_settings(folder, settings)?;
        Ok((journal, entries))
    }

    fn open(folder: &Path) -> Result<Self, JournalError> {
        let open = |name| {
            let path = folder.join(name);
            // Not in append mode, which cannot shorten a file on every system.
            let mut file = OpenOptions::new()
                .create(true)
                .write(true)
                .truncate(false)
                .open(&path)
                .map_err(at(&path))?;
            file.seek(SeekFrom::End(0)).map_err(at(&path))?;
            Ok(file)
        };
        let games: File = open(GAMES_FILE)?;
        match games.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse(folder.to_owned())),
            // Some network file systems know no locks; a match can do without.
            Err(TryLockError::Error(error)) => {
                log::warn!("{} cannot be locked: {error}", folder.display());
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            games,
            lines: open(LINES_FILE)?,
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
        let mut line = serde_json::to_string(entry).map_err(|error| JournalError::Content {
            path: self.folder.join(GAMES_FILE),
            line: None,
            reason: error.to_string(),
        })?;
        line.push('\n');
        let path = self.folder.join(GAMES_FILE);
        let end = self.games.stream_position().map_err(at(&path))?;
        if let Err(error) = self.games.write_all(line.as_bytes()) {
            // The next line must not join up with what there is of this one.
            let _ = self.games.set_len(end);
            let _ = self.games.seek(SeekFrom::Start(end));
            return Err(at(&path)(error));
        }
        writeln!(self.lines, "{}", entry.line).map_err(at(&self.folder.join(LINES_FILE)))
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
        fs::write(&path, content).map_err(at(&path))
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
    let text = fs::read_to_string(&path).map_err(at(&path))?;
    let header: Header = serde_json::from_str(&text).map_err(|error| JournalError::Content {
        path: path.clone(),
        line: Some(error.line()),
        reason: error.to_string(),
    })?;
    if header.format != FORMAT {
        let reason = format!(
            "format {} of {}, this version reads format {FORMAT}",
            header.format, header.program
        );
        return Err(JournalError::Content {
            path,
            line: None,
            reason,
        });
    }
    Ok(header.settings)
}

/// Written beside and renamed, so that there is always a whole file.
fn write_settings(folder: &Path, settings: &MatchSettings) -> Result<(), JournalError> {
    let path = folder.join(SETTINGS_FILE);
    let header = Header {
        format: FORMAT,
        program: concat!("raicho ", env!("CARGO_PKG_VERSION")).to_owned(),
        settings: settings.clone(),
    };
    let text = serde_json::to_string_pretty(&header).map_err(|error| JournalError::Content {
        path: path.clone(),
        line: None,
        reason: error.to_string(),
    })?;
    let beside = folder.join("match.json.new");
    fs::write(&beside, text + "\n").map_err(at(&beside))?;
    fs::rename(&beside, &path).map_err(at(&path))
}

/// The games, and where the last whole line ends.
fn read_games(folder: &Path) -> Result<(Vec<GameEntry>, u64), JournalError> {
    let path = folder.join(GAMES_FILE);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        Err(error) => return Err(at(&path)(error)),
    };
    let mut reader = BufReader::new(file);
    let (mut entries, mut end, mut text) = (Vec::new(), 0, Vec::new());
    for line in 1.. {
        text.clear();
        let length = reader.read_until(b'\n', &mut text).map_err(at(&path))?;
        if text.last() != Some(&b'\n') {
            break;
        }
        let entry = serde_json::from_slice(&text).map_err(|error| JournalError::Content {
            path: path.clone(),
            line: Some(line),
            reason: error.to_string(),
        })?;
        entries.push(entry);
        end += length as u64;
    }
    Ok((entries, end))
}

fn at(path: &Path) -> impl Fn(io::Error) -> JournalError {
    let path = path.to_owned();
    move |source| JournalError::Io {
        path: path.clone(),
        source,
    }
}
