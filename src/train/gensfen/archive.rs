//! What a run leaves behind: a folder with its settings, its games and a journal.
//!
//! | File | Content |
//! |---|---|
//! | `gensfen.json` | the settings: a run can only go on as it began |
//! | `gensfen.jsonl` | the journal: one line of JSON a finished game, with where it lies |
//! | `NAME-0001.pack` … | the games |
//!
//! A game is written at once when it ends, first itself, then its line: what a kill leaves behind the last whole line is
//! cut off, so that it costs the running games only.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::game::PlayedGame;
use super::packing;
use super::seen::SeenPositions;
use super::settings::GensfenSettings;
use super::tally::Entry;
use crate::records::pack::PackError;

const SETTINGS_FILE: &str = "gensfen.json";
const JOURNAL_FILE: &str = "gensfen.jsonl";
/// Raised when old folders can no longer be read.
const FORMAT: u32 = 1;
const BYTES_PER_MEGABYTE: u64 = 1 << 20;

/// The settings file.
#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
    program: String,
    settings: GensfenSettings,
}

/// Why games cannot be kept.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A new run was to begin where there is one.
    #[error("{} holds games already: go on with them by --resume, or choose another folder", .0.display())]
    Occupied(PathBuf),
    /// A run was to go on where there is none.
    #[error("{} holds no games: expected a file {SETTINGS_FILE} in it", .0.display())]
    Missing(PathBuf),
    /// Another process writes there.
    #[error("{}: another run is writing there at this moment", .0.display())]
    InUse(PathBuf),
    /// The run in the folder is another one.
    #[error("{} holds another run: {difference}", path.display())]
    OtherRun {
        /// The folder.
        path: PathBuf,
        /// The first difference.
        difference: String,
    },
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
    /// The games cannot be read again.
    #[error("{}: {source}", path.display())]
    Games {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<PackError>,
    },
}

/// The folder of a run, open for writing.
pub struct Archive {
    folder: PathBuf,
    settings: GensfenSettings,
    journal: File,
    journal_end: u64,
    /// The number of the file that grows, from 1, the file, and its size.
    number: u32,
    file: File,
    end: u64,
    seen: SeenPositions,
}

impl Archive {
    /// Whether a folder holds a run.
    pub fn exists(folder: &Path) -> bool {
        folder.join(SETTINGS_FILE).exists()
    }

    /// Begins a run in a folder, which is made if it is not there.
    ///
    /// # Errors
    /// The folder holds a run, or cannot be written.
    pub fn create(folder: &Path, settings: &GensfenSettings) -> Result<Self, ArchiveError> {
        fs::create_dir_all(folder).map_err(at(folder))?;
        let journal = lock(folder)?;
        let occupied = Self::exists(folder)
            || journal.metadata().map_err(at(folder))?.len() > 0
            || file_path(folder, settings, 1).exists();
        if occupied {
            return Err(ArchiveError::Occupied(folder.to_owned()));
        }
        write_settings(folder, settings)?;
        Self::open(folder, settings, journal, &[], 0)
    }

    /// Goes on with the run in a folder, of which it returns the games. What a kill left of a game is cut off.
    ///
    /// # Errors
    /// There is no run or another one, another process is at it, or a file is broken.
    pub fn resume(
        folder: &Path,
        settings: &GensfenSettings,
    ) -> Result<(Self, Vec<Entry>), ArchiveError> {
        let old = read_settings(folder)?;
        if let Some(difference) = settings.difference(&old) {
            return Err(ArchiveError::OtherRun {
                path: folder.to_owned(),
                difference,
            });
        }
        let path = folder.join(JOURNAL_FILE);
        if !path.exists() {
            // Without it everything would be cut off.
            let reason = "is gone, expected it beside the games".to_owned();
            let line = None;
            return Err(ArchiveError::Content { path, line, reason });
        }
        let journal = lock(folder)?;
        let (mut entries, mut ends) = read_journal(folder)?;
        // After a power cut the end of a file can be missing though its line is there.
        while let Some(last) = entries.last() {
            let length =
                fs::metadata(file_path(folder, settings, last.file)).map_or(0, |m| m.len());
            if length >= last.end {
                break;
            }
            entries.pop();
            ends.pop();
        }
        let journal_end = ends.last().copied().unwrap_or(0);
        journal.set_len(journal_end).map_err(at(folder))?;
        let mut archive = Self::open(folder, settings, journal, &entries, journal_end)?;
        archive.remember()?;
        Ok((archive, entries))
    }

    fn open(
        folder: &Path,
        settings: &GensfenSettings,
        journal: File,
        entries: &[Entry],
        journal_end: u64,
    ) -> Result<Self, ArchiveError> {
        let (number, end) = entries.last().map_or((1, 0), |last| (last.file, last.end));
        let mut archive = Self {
            folder: folder.to_owned(),
            settings: settings.clone(),
            journal,
            journal_end,
            number,
            file: open_for_writing(&file_path(folder, settings, number))?,
            end,
            seen: SeenPositions::new(settings.writing.dedup_mb),
        };
        archive.cut().map_err(at(folder))?;
        Ok(archive)
    }

    /// Cuts off what no line of the journal tells of, and goes to the ends.
    fn cut(&mut self) -> io::Result<()> {
        for (file, end) in [
            (&mut self.journal, self.journal_end),
            (&mut self.file, self.end),
        ] {
            file.set_len(end)?;
            file.seek(SeekFrom::Start(end))?;
        }
        Ok(())
    }

    /// Enters the positions of all files in the order in which they were written.
    fn remember(&mut self) -> Result<(), ArchiveError> {
        if self.settings.writing.dedup_mb == 0 {
            return Ok(());
        }
        for number in 1..=self.number {
            let path = file_path(&self.folder, &self.settings, number);
            let file = File::open(&path).map_err(at(&path))?;
            packing::read(file, |segment| self.seen.enter(&[segment])).map_err(|source| {
                ArchiveError::Games {
                    path: path.clone(),
                    source: Box::new(source),
                }
            })?;
        }
        Ok(())
    }

    /// Keeps a finished game, without what other games have had.
    ///
    /// # Errors
    /// The files cannot be written; they then end with the game before.
    pub(super) fn append(&mut self, mut game: PlayedGame) -> Result<Entry, ArchiveError> {
        if self.end >= self.settings.writing.file_mb * BYTES_PER_MEGABYTE {
            self.next_file()?;
        }
        let repeated = self.seen.cut(&mut game.segments);
        let bytes = packing::bytes(&game).map_err(at(&self.folder))?;
        let entry = Entry {
            game: game.number,
            file: self.number,
            end: self.end + bytes.len() as u64,
            written: game.segments.iter().map(|s| s.moves.len() as u64).sum(),
            plies: game.plies,
            repeated,
            nodes: game.nodes,
            rejected: game.rejected,
            winner: game.outcome.winner,
            reason: game.outcome.reason,
            entering_king: game.entering_king,
        };
        let line = serde_json::to_string(&entry).map_err(|error| ArchiveError::Content {
            path: self.folder.join(JOURNAL_FILE),
            line: None,
            reason: error.to_string(),
        })? + "\n";
        let written = self
            .file
            .write_all(&bytes)
            .and_then(|()| self.journal.write_all(line.as_bytes()));
        if let Err(source) = written {
            // The next game must not join up with what there is of this one.
            let _ = self.cut();
            return Err(at(&self.folder)(source));
        }
        self.end = entry.end;
        self.journal_end += line.len() as u64;
        self.seen.enter(&game.segments);
        Ok(entry)
    }

    fn next_file(&mut self) -> Result<(), ArchiveError> {
        self.file.sync_data().map_err(at(&self.folder))?;
        self.number += 1;
        let path = file_path(&self.folder, &self.settings, self.number);
        self.file = open_for_writing(&path)?;
        self.end = 0;
        self.cut().map_err(at(&path))
    }
}

fn file_path(folder: &Path, settings: &GensfenSettings, number: u32) -> PathBuf {
    folder.join(format!("{}-{number:04}.pack", settings.writing.name))
}

fn open_for_writing(path: &Path) -> Result<File, ArchiveError> {
    // Not in append mode, which cannot shorten a file on every system.
    OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(false)
        .open(path)
        .map_err(at(path))
}

/// The journal, which only one process has at a time.
fn lock(folder: &Path) -> Result<File, ArchiveError> {
    let journal = open_for_writing(&folder.join(JOURNAL_FILE))?;
    match journal.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(ArchiveError::InUse(folder.to_owned())),
        // Some network file systems know no locks; a run can do without.
        Err(TryLockError::Error(error)) => {
            log::warn!("{} cannot be locked: {error}", folder.display());
        }
    }
    Ok(journal)
}

fn read_settings(folder: &Path) -> Result<GensfenSettings, ArchiveError> {
    let path = folder.join(SETTINGS_FILE);
    if !path.exists() {
        return Err(ArchiveError::Missing(folder.to_owned()));
    }
    let text = fs::read_to_string(&path).map_err(at(&path))?;
    let header: Header = serde_json::from_str(&text).map_err(|error| ArchiveError::Content {
        path: path.clone(),
        line: Some(error.line()),
        reason: error.to_string(),
    })?;
    if header.format != FORMAT {
        let reason = format!(
            "format {} of {}, this version reads format {FORMAT}",
            header.format, header.program
        );
        return Err(ArchiveError::Content {
            path,
            line: None,
            reason,
        });
    }
    Ok(header.settings)
}

/// Written beside and renamed, so that there is always a whole file.
fn write_settings(folder: &Path, settings: &GensfenSettings) -> Result<(), ArchiveError> {
    let path = folder.join(SETTINGS_FILE);
    let header = Header {
        format: FORMAT,
        program: concat!("raicho ", env!("CARGO_PKG_VERSION")).to_owned(),
        settings: settings.clone(),
    };
    let text = serde_json::to_string_pretty(&header).map_err(|error| ArchiveError::Content {
        path: path.clone(),
        line: None,
        reason: error.to_string(),
    })?;
    let beside = path.with_extension("json.new");
    fs::write(&beside, text + "\n").map_err(at(&beside))?;
    fs::rename(&beside, &path).map_err(at(&path))
}

/// The games, and where the line of each ends. What comes after the last whole line does not count.
fn read_journal(folder: &Path) -> Result<(Vec<Entry>, Vec<u64>), ArchiveError> {
    let path = folder.join(JOURNAL_FILE);
    let text = fs::read(&path).map_err(at(&path))?;
    let (mut entries, mut ends, mut end) = (Vec::new(), Vec::new(), 0);
    for (index, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
        if line.last() != Some(&b'\n') {
            break;
        }
        let entry = serde_json::from_slice(line).map_err(|error| ArchiveError::Content {
            path: path.clone(),
            line: Some(index + 1),
            reason: error.to_string(),
        })?;
        end += line.len() as u64;
        entries.push(entry);
        ends.push(end);
    }
    Ok((entries, ends))
}

fn at(path: &Path) -> impl Fn(io::Error) -> ArchiveError {
    let path = path.to_owned();
    move |source| ArchiveError::Io {
        path: path.clone(),
        source,
    }
}

#[cfg(test)]
mod tests;
