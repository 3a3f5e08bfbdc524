//! The folder of a run of self-play: settings, games and a journal.
//!
//! | File | Content |
//! |---|---|
//! | `gensfen.json` | the settings; a run can only be resumed with the settings it began with |
//! | `gensfen.jsonl` | the journal: one line of JSON per finished game, with its place |
//! | `NAME-0001.pack` … | the games |
//! | `NAME-0001.tree` … | inner nodes of their searches, if the settings want them |
//!
//! A game is written as soon as it ends, first the game, then its nodes, then its line. On resume
//! anything after the last complete line is cut off, so that a kill loses only the running games.

use std::cell::Cell;
use std::fs::File;
use std::path::Path;

use super::error::ArchiveError;
use super::game::PlayedGame;
use super::packing;
use super::seen::SeenPositions;
use super::series::{Names, Place, Series};
use super::settings::GensfenSettings;
use super::tally::{Entry, TreeEntry};
use crate::records::tree::TreePosition;
use crate::runs::{FolderError, RunFolder, RunKind, io_error};

const KIND: RunKind = RunKind {
    noun: "run of gensfen",
    settings: "gensfen.json",
    journal: "gensfen.jsonl",
    format: 1,
};
const BYTES_PER_MEGABYTE: u64 = 1 << 20;

/// The most that a run killed in its first game leaves beside an empty journal.
const GAME_BYTES: u64 = 1 << 16;

/// The folder of a run, open for writing.
pub struct Archive {
    folder: RunFolder,
    settings: GensfenSettings,
    games: Series,
    /// The inner nodes of searches, if the settings want them.
    trees: Option<Series>,
    seen: SeenPositions,
    /// Number of games of the journal that are not in the files.
    lost: u64,
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
        RunFolder::check_free(path, KIND)?;
        let games = game_files(path, settings).path(1);
        if games.exists() {
            return Err(ArchiveError::Folder(FolderError::Content {
                path: games,
                line: None,
                reason: format!("there are games already, but no {}", KIND.settings),
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
        let (games, trees) = (game_files(path, settings), tree_files(path, settings));
        // After a power cut the journal can have a line whose game never reached the disk.
        let lost = Cell::new(0);
        let is_complete = |entry: &Entry| {
            let has_trees = |entry: TreeEntry| trees.reaches(entry.place);
            let is_complete = games.reaches(entry.place()) && entry.trees.is_none_or(has_trees);
            lost.set(lost.get() + u64::from(!is_complete));
            is_complete
        };
        let (folder, entries) = RunFolder::resume_same(path, KIND, settings, is_complete)?;
        if entries.is_empty() && (games.size(1) > GAME_BYTES || games.path(2).exists()) {
            return Err(ArchiveError::Folder(FolderError::Content {
                path: path.join(KIND.journal),
                line: None,
                reason: "has no game, expected those of the files beside it".to_owned(),
            }));
        }
        games.check(entries.iter().map(Entry::place))?;
        trees.check(entries.iter().filter_map(|entry| Some(entry.trees?.place)))?;
        let mut archive = Self::open(folder, settings, &entries)?;
        archive.lost = lost.get();
        archive.remember()?;
        Ok((archive, entries))
    }

    fn open(
        folder: RunFolder,
        settings: &GensfenSettings,
        entries: &[Entry],
    ) -> Result<Self, ArchiveError> {
        let limit = settings.writing.file_mb * BYTES_PER_MEGABYTE;
        let last = entries.last();
        let place = last.map_or(Place::START, Entry::place);
        let games = game_files(folder.path(), settings);
        let trees = settings.trees.as_ref().map(|_| {
            let place = last.and_then(|last| last.trees);
            let place = place.map_or(Place::START, |trees| trees.place);
            Series::open(tree_files(folder.path(), settings), limit, place)
        });
        Ok(Self {
            games: Series::open(games, limit, place)?,
            trees: trees.transpose()?,
            folder,
            settings: settings.clone(),
            seen: SeenPositions::new(settings.writing.dedup_mb),
            lost: 0,
        })
    }

    /// Number of games of the journal that the last file no longer has when a run is resumed. They
    /// are played again.
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// Enters the positions of all files, in the order in which they were written.
    fn remember(&mut self) -> Result<(), ArchiveError> {
        if self.settings.writing.dedup_mb == 0 {
            return Ok(());
        }
        let names = game_files(self.folder.path(), &self.settings);
        for number in 1..=self.games.place().file {
            let path = names.path(number);
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
        let repeated = self.seen.cut(&mut game.segments);
        let written = self.write(&game, repeated);
        match written.and_then(|entry| self.folder.append(&entry).map(|()| entry)) {
            Ok(entry) => {
                self.games.keep(entry.place());
                if let (Some(series), Some(trees)) = (&mut self.trees, entry.trees) {
                    series.keep(trees.place);
                }
                self.seen.enter(&game.segments);
                Ok(entry)
            }
            Err(error) => {
                // The next game must not continue the fragment of this one.
                let _ = self.games.cut();
                let _ = self.trees.as_mut().map(Series::cut);
                Err(error.into())
            }
        }
    }

    /// Writes a game, and returns its entry for the journal.
    fn write(&mut self, game: &PlayedGame, repeated: u64) -> Result<Entry, FolderError> {
        let bytes = packing::bytes(game).map_err(io_error(self.folder.path()))?;
        let place = self.games.write(&bytes)?;
        let nodes = game.trees.as_deref().unwrap_or_default();
        let trees = match &mut self.trees {
            Some(series) => Some(TreeEntry {
                positions: nodes.len() as u64,
                place: series.write(&tree_bytes(nodes))?,
            }),
            None => None,
        };
        Ok(Entry {
            game: game.number,
            file: place.file,
            end: place.end,
            written: game.segments.iter().map(|s| s.moves.len() as u64).sum(),
            plies: game.plies,
            repeated,
            nodes: game.nodes,
            rejected: game.rejected,
            winner: game.outcome.winner,
            reason: game.outcome.reason,
            entering_king: game.entering_king,
            trees,
        })
    }
}

impl Entry {
    /// The place behind the game.
    const fn place(&self) -> Place {
        Place {
            file: self.file,
            end: self.end,
        }
    }
}

fn tree_bytes(nodes: &[TreePosition]) -> Vec<u8> {
    nodes.iter().flat_map(TreePosition::to_bytes).collect()
}

fn game_files(folder: &Path, settings: &GensfenSettings) -> Names {
    Names {
        folder: folder.to_owned(),
        prefix: settings.writing.name.clone(),
        ending: "pack",
    }
}

fn tree_files(folder: &Path, settings: &GensfenSettings) -> Names {
    Names {
        ending: "tree",
        ..game_files(folder, settings)
    }
}

#[cfg(test)]
mod tests;
