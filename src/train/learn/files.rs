//! The files that a run learns from, and their division into blocks.
//!
//! A block is a run of records that is read as a whole, some thousand positions. Where a format
//! stores games, blocks begin with a record, found by going over the file once without checking any
//! move; files of single positions are divided by the size of their records.

use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom, Take};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::filter::Filter;
use super::held_out_games::HeldOutGames;
use crate::records::teacher::{Format, Skipped, TeacherReader};

/// Positions of a block, about. Blocks of a step are read in parallel, so they are smaller than a
/// batch.
const BLOCK_POSITIONS: usize = 4096;

/// Records between two looks at the stop flag.
const RECORDS_BETWEEN_STOPS: u64 = 4096;

/// Most bytes of a read buffer.
const BUFFER: usize = 1 << 18;

/// Default of [`Source::window`].
pub const DEFAULT_WINDOW: usize = 16_000_000;

/// The files of a run and the selection of their positions. Stored in checkpoints.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Source {
    /// Files with training positions, by their shares.
    pub groups: Vec<FileGroup>,
    /// Files of which all positions are held out.
    pub held_out_files: Vec<PathBuf>,
    /// Conditions on positions.
    pub filter: Filter,
    /// λ of TD(λ), 0 to 1 exclusive: the weight of the later scores of a game in each score.
    /// Formats of single positions ignore it.
    pub lambda: f32,
    /// For TD(λ): the score that corresponds to an output of 1, in units of 1/90 pawn.
    pub lambda_scale: u16,
    /// Share of the games of [`Self::groups`] that is held out, 0 to 1. Formats of single positions
    /// ignore it.
    pub held_out: f64,
    /// Seed of the choice of held-out games.
    pub seed: u64,
    /// Positions in memory among which the order of visits is random. Two such windows are in
    /// memory, 48 bytes a position.
    pub window: usize,
}

/// Files whose positions are visited in the proportion of the parts of their group.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FileGroup {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Parts of all visits that go to these files. A single group has all of them.
    pub parts: u32,
}

impl Source {
    /// All files of the groups in their order.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.groups.iter().flat_map(|group| &group.files)
    }
}

/// Why data cannot be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// A file cannot be opened or read.
    #[error("{}: {error}", file.display())]
    Io {
        /// Path of the file.
        file: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The name says no format with scores and results.
    #[error(
        "{}: expected a format with scores and results: {}",
        .0.display(),
        Format::names(Format::has_scores)
    )]
    Format(PathBuf),
    /// A file has become shorter, or its records have other ends.
    #[error(
        "{}: changed while it was read, expected a record to end at byte {end}",
        file.display()
    )]
    Changed {
        /// Path of the file.
        file: PathBuf,
        /// The end of a block.
        end: u64,
    },
    /// No position passed the filter, of this number.
    #[error("no position to learn from among {0}, expected one at least")]
    Empty(u64),
    /// [`Watch::stop`] was set.
    #[error("interrupted")]
    Interrupted,
}

impl LoadError {
    fn io(file: &Path) -> impl FnOnce(io::Error) -> Self {
        let file = file.to_owned();
        |error| Self::Io { file, error }
    }
}

/// Stop flag and progress report of loading, shared by all threads.
pub struct Watch<'a> {
    /// Loading ends with an error when it is set.
    pub stop: &'a AtomicBool,
    /// Receives the number of bytes read since its last call.
    pub on_bytes: &'a (dyn Fn(u64) + Sync),
}

/// A run of records of one file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Index of the file.
    pub(super) file: usize,
    /// The first byte.
    pub(super) offset: u64,
    /// Length in bytes.
    pub(super) bytes: u64,
    /// Whether its held-out positions are read, or else all others.
    pub(super) is_held_out: bool,
    /// What is known of held-out games before the first record.
    pub(super) games: HeldOutGames,
}

impl Block {
    /// The records of the block, which is one of this file.
    pub(super) fn open(
        &self,
        path: &Path,
        format: Format,
    ) -> Result<TeacherReader<BufReader<Take<File>>>, LoadError> {
        let mut file = File::open(path).map_err(LoadError::io(path))?;
        file.seek(SeekFrom::Start(self.offset))
            .map_err(LoadError::io(path))?;
        let buffer = BUFFER.min(self.bytes as usize);
        let input = BufReader::with_capacity(buffer, file.take(self.bytes));
        let reader = TeacherReader::resume(input, format, self.offset, self.games.records());
        Ok(reader.needing_results())
    }

    /// The byte after the last one.
    pub(super) const fn end(&self) -> u64 {
        self.offset + self.bytes
    }
}

/// A file and its blocks.
#[derive(Debug)]
pub(super) struct DataFile {
    pub(super) path: PathBuf,
    pub(super) format: Format,
    pub(super) length: u64,
    /// All records, those of held-out games included, which a reader of these blocks leaves out.
    pub(super) blocks: Vec<Block>,
    /// The records of held-out games.
    pub(super) held_out: Vec<Block>,
    /// Whether all positions are held out.
    pub(super) is_whole_held_out: bool,
    pub(super) games: u64,
    pub(super) held_out_games: u64,
}

impl DataFile {
    /// Divides the file with this index into blocks.
    pub(super) fn open(
        number: usize,
        path: &Path,
        is_held_out: bool,
        source: &Source,
        stop: &AtomicBool,
    ) -> Result<Self, LoadError> {
        let format = Format::of_path(path).ok();
        let Some(format) = format.filter(|format| format.has_scores()) else {
            return Err(LoadError::Format(path.to_owned()));
        };
        let input = File::open(path).map_err(LoadError::io(path))?;
        let length = input.metadata().map_err(LoadError::io(path))?.len();
        let mut file = Self {
            path: path.to_owned(),
            format,
            length,
            blocks: Vec::new(),
            held_out: Vec::new(),
            is_whole_held_out: is_held_out,
            games: 0,
            held_out_games: 0,
        };
        let share = if is_held_out { 0.0 } else { source.held_out };
        let games = HeldOutGames::new(path, share, source.seed);
        match format.record_size() {
            Some(size) => file.divide_evenly(number, size as u64, games),
            None => file.divide_at_records(number, input, games, stop)?,
        }
        if is_held_out {
            file.held_out = std::mem::take(&mut file.blocks);
            for block in &mut file.held_out {
                block.is_held_out = true;
            }
            file.held_out_games = file.games;
        }
        Ok(file)
    }

    /// Blocks of records of equal size, which are single positions: no game is held out.
    fn divide_evenly(&mut self, number: usize, size: u64, games: HeldOutGames) {
        let step = size * BLOCK_POSITIONS as u64;
        let mut offset = 0;
        while offset < self.length {
            self.blocks.push(Block {
                file: number,
                offset,
                bytes: step.min(self.length - offset),
                is_held_out: false,
                games: games.after(offset / size),
            });
            offset += step;
        }
    }

    fn divide_at_records(
        &mut self,
        number: usize,
        input: File,
        mut games: HeldOutGames,
        stop: &AtomicBool,
    ) -> Result<(), LoadError> {
        let size = (BLOCK_POSITIONS * self.format.bytes_per_position()) as u64;
        let input = BufReader::with_capacity(BUFFER, input);
        let mut reader = TeacherReader::new(input, self.format);
        let mut block: Option<Block> = None;
        loop {
            if reader.records().is_multiple_of(RECORDS_BETWEEN_STOPS)
                && stop.load(Ordering::Relaxed)
            {
                return Err(LoadError::Interrupted);
            }
            let begin = Block {
                file: number,
                offset: reader.offset(),
                bytes: 0,
                is_held_out: false,
                games,
            };
            // An invalid record is reported when its block is read.
            let span = match reader.skip_record() {
                Ok(Some(Skipped::Game(span))) => Some(span),
                Ok(Some(Skipped::Position)) | Err(_) => None,
                Ok(None) => break,
            };
            let bytes = reader.offset() - begin.offset;
            let choice = games.choose(span);
            let game = u64::from(choice.begins_game);
            self.games += game;
            if choice.is_held_out {
                self.held_out_games += game;
                match self.held_out.last_mut().filter(|_| !choice.begins_game) {
                    Some(last) => last.bytes = reader.offset() - last.offset,
                    None => self.held_out.push(Block {
                        bytes,
                        is_held_out: true,
                        ..begin
                    }),
                }
            }
            let current = block.get_or_insert(begin);
            current.bytes += bytes;
            if current.bytes >= size {
                self.blocks.extend(block.take());
            }
        }
        self.blocks.extend(block);
        Ok(())
    }
}
