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

use super::error::ArchiveError;
use super::game::PlayedGame;
use super::packing;
use super::seen::SeenPositions;
use super::settings::GensfenSettings;
use super::tally::Entry;
use crate::runs::{FolderError, RunFolder, RunKind, io_error};

const KIND: RunKind = RunKind {
    noun: "run of gensfen",
    settings: "gensfen.json",
    journal: "gensfen.jsonl",
    format: 1,
};
const BYTES_PER_MEGABYTE: u64 = 1 << 20;

/// The folder of a run, open for writing.
pub struct Archive {
    folder: RunFolder,
    settings: GensfenSettings,
    /// The number of the file that grows, from 1, the file, and its size.
    number: u32,
    file: File,
    end: u64,
    seen: SeenPositions,
}

impl Archive {
    /// Whether a folder holds a run.
    pub fn exists(folder: &Path) -> bool {
        RunFolder::exists(folder, KIND)
    }

    /// Begins a run in a folder, which is made if it is not there.
    ///
    /// # Errors
    /// The folder holds a run, or cannot be written.
    pub fn create(path: &Path, settings: &GensfenSettings) -> Result<Self, ArchiveError> {
        if file_path(path, settings, 1).exists() {
            return Err(ArchiveError::Folder(FolderError::Occupied {
                path: path.to_owned(),
                noun: KIND.noun,
            }));
        }
        Self::open(RunFolder::create(path, KIND, settings)?, settings, &[])
    }

    /// Resumes the run in a folder, of which it returns the games. The part of a game that a kill
    /// left is cut off.
    ///
    /// # Errors
    /// There is no run or another one, another process is at it, or a file is broken.
    pub fn resume(
        path: &Path,
        settings: &GensfenSettings,
    ) -> Result<(Self, Vec<Entry>), ArchiveError> {
        // After a power cut the end of a file can be missing though its line is there.
        let is_complete = |entry: &Entry| {
            let file = fs::metadata(file_path(path, settings, entry.file));
            file.map_or(0, |file| file.len()) >= entry.end
        };
        let (folder, entries) = RunFolder::resume_same(path, KIND, settings, is_complete)?;
        let mut archive = Self::open(folder, settings, &entries)?;
        archive.remember()?;
        Ok((archive, entries))
    }

    fn open(
        folder: RunFolder,
        settings: &GensfenSettings,
        entries: &[Entry],
    ) -> Result<Self, ArchiveError> {
        let (number, end) = entries.last().map_or((1, 0), |last| (last.file, last.end));
        let path = file_path(folder.path(), settings, number);
        let mut archive = Self {
            file: open(&path)?,
            folder,
            settings: settings.clone(),
            number,
            end,
            seen: SeenPositions::new(settings.writing.dedup_mb),
        };
        archive.cut().map_err(io_error(&path))?;
        Ok(archive)
    }

    /// Cuts off what no line of the journal tells of, and goes to the end.
    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end)).map(drop)
    }

    /// Enters the positions of all files in the order in which they were written.
    fn remember(&mut self) -> Result<(), ArchiveError> {
        if self.settings.writing.dedup_mb == 0 {
            return Ok(());
        }
        for number in 1..=self.number {
            let path = file_path(self.folder.path(), &self.settings, number);
            let file = File::open(&path).map_err(io_error(&path))?;
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
        let path = file_path(self.folder.path(), &self.settings, self.number);
        let bytes = packing::bytes(&game).map_err(io_error(&path))?;
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
        let written = self.file.write_all(&bytes).map_err(io_error(&path));
        if let Err(error) = written.and_then(|()| self.folder.append(&entry)) {
            // The next game must not join up with the beginning of this one.
            let _ = self.cut();
            return Err(error.into());
        }
        self.end = entry.end;
        self.seen.enter(&game.segments);
        Ok(entry)
    }

    fn next_file(&mut self) -> Result<(), ArchiveError> {
        let path = self.folder.path();
        self.file.sync_data().map_err(io_error(path))?;
        self.number += 1;
        let path = file_path(self.folder.path(), &self.settings, self.number);
        self.file = open(&path)?;
        self.end = 0;
        self.cut().map_err(io_error(&path))?;
        Ok(())
    }
}

fn file_path(folder: &Path, settings: &GensfenSettings, number: u32) -> PathBuf {
    folder.join(format!("{}-{number:04}.pack", settings.writing.name))
}

fn open(path: &Path) -> Result<File, FolderError> {
    // Not in append mode, which cannot shorten a file on every system.
    let options = File::options()
        .create(true)
        .write(true)
        .truncate(false)
        .open(path);
    options.map_err(io_error(path))
}

#[cfg(test)]
mod tests;
