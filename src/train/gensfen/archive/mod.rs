//! The folder of a run of self-play: settings, games and a journal.
//!
//! | File | Content |
//! |---|---|
//! | `gensfen.json` | the settings; a run can only be resumed with the settings it began with |
//! | `gensfen.jsonl` | the journal: one line of JSON per finished game, with its place |
//! | `NAME-0001.pack` … | the games |
//!
//! A game is written as soon as it ends, first the game, then its line. On resume anything after
//! the last complete line is cut off, so that a kill loses only the running games.

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
    /// Number of the current file, from 1. `file` is that file and `end` its length in bytes.
    number: u32,
    file: File,
    end: u64,
    seen: SeenPositions,
}

impl Archive {
    /// Whether the folder holds a run of self-play.
    pub fn exists(folder: &Path) -> bool {
        RunFolder::exists(folder, KIND)
    }

    /// Begins a run in a folder, which is created if necessary.
    ///
    /// # Errors
    /// The folder holds a run already, or cannot be written.
    pub fn create(path: &Path, settings: &GensfenSettings) -> Result<Self, ArchiveError> {
        if file_path(path, settings, 1).exists() {
            return Err(ArchiveError::Folder(FolderError::Occupied {
                path: path.to_owned(),
                noun: KIND.noun,
            }));
        }
        Self::open(RunFolder::create(path, KIND, settings)?, settings, &[])
    }

    /// Resumes the run in a folder and returns its journal entries. An incomplete game, which a
    /// killed process can leave, is cut off.
    ///
    /// # Errors
    /// The folder holds no run or one with other settings, another process has it open, or a file
    /// is not valid.
    pub fn resume(
        path: &Path,
        settings: &GensfenSettings,
    ) -> Result<(Self, Vec<Entry>), ArchiveError> {
        // After a power cut the journal can have a line whose game never reached the disk.
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

    /// Cuts off everything after the last game of the journal, and seeks to the end.
    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end)).map(drop)
    }

    /// Enters the positions of all files, in the order in which they were written.
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

    /// Appends a finished game, without the positions that earlier games had already.
    ///
    /// # Errors
    /// A file cannot be written; both then end with the previous game.
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
            // The next game must not continue the fragment of this one.
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
    // Not in append mode, in which a file cannot be shortened on every system.
    let options = File::options()
        .create(true)
        .write(true)
        .truncate(false)
        .open(path);
    options.map_err(io_error(path))
}

#[cfg(test)]
mod tests;
