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

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::game::PlayedGame;
use super::packing;
use super::seen::SeenPositions;
use super::settings::GensfenSettings;
use super::tally::Entry;
use crate::records::pack::PackError;
use crate::util::run_folder::{self, RunFolderError, at, open};

const SETTINGS_FILE: &str = "gensfen.json";
const JOURNAL_FILE: &str = "gensfen.jsonl";
/// Raised when old folders can no longer be read.
const FORMAT: u32 = 1;
const BYTES_PER_MEGABYTE: u64 = 1 << 20;

/// Why games cannot be kept.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The folder.
    #[error(transparent)]
    Folder(#[from] RunFolderError),
    /// A new run was to begin where there is one.
    #[error("{} holds games already: go on with them by --resume, or choose another folder", .0.display())]
    Occupied(PathBuf),
    /// A run was to go on where there is none.
    #[error("{} holds no games: expected a file {SETTINGS_FILE} in it", .0.display())]
    Missing(PathBuf),
    /// The run in the folder is another one.
    #[error("{} holds another run: {difference}", path.display())]
    OtherRun {
        /// The folder.
        path: PathBuf,
        /// The first difference.
        difference: String,
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
        let journal = run_folder::open_alone(folder, JOURNAL_FILE)?;
        let occupied = Self::exists(folder)
            || journal.metadata().map_err(at(folder))?.len() > 0
            || file_path(folder, settings, 1).exists();
        if occupied {
            return Err(ArchiveError::Occupied(folder.to_owned()));
        }
        run_folder::write_settings(&folder.join(SETTINGS_FILE), FORMAT, settings)?;
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
            return Err(RunFolderError::Content { path, line, reason }.into());
        }
        let journal = run_folder::open_alone(folder, JOURNAL_FILE)?;
        let mut lines: Vec<(Entry, u64)> = run_folder::read_lines(&path)?;
        // After a power cut the end of a file can be missing though its line is there.
        while let Some((last, _)) = lines.last() {
            let length =
                fs::metadata(file_path(folder, settings, last.file)).map_or(0, |m| m.len());
            if length >= last.end {
                break;
            }
            lines.pop();
        }
        let journal_end = lines.last().map_or(0, |&(_, end)| end);
        let entries: Vec<Entry> = lines.into_iter().map(|(entry, _)| entry).collect();
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
            file: open(&file_path(folder, settings, number))?,
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
        let line = run_folder::line_of(&self.folder.join(JOURNAL_FILE), &entry)?;
        let written = self
            .file
            .write_all(&bytes)
            .and_then(|()| self.journal.write_all(line.as_bytes()));
        if let Err(source) = written {
            // The next game must not join up with what there is of this one.
            let _ = self.cut();
            return Err(at(&self.folder)(source).into());
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
        self.file = open(&path)?;
        self.end = 0;
        self.cut().map_err(at(&path))?;
        Ok(())
    }
}

fn file_path(folder: &Path, settings: &GensfenSettings, number: u32) -> PathBuf {
    folder.join(format!("{}-{number:04}.pack", settings.writing.name))
}

fn read_settings(folder: &Path) -> Result<GensfenSettings, ArchiveError> {
    let path = folder.join(SETTINGS_FILE);
    if !path.exists() {
        return Err(ArchiveError::Missing(folder.to_owned()));
    }
    Ok(run_folder::read_settings(&path, FORMAT)?)
}

#[cfg(test)]
mod tests;
