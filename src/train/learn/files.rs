//! The files that a run learns from, their division into blocks, and the choice of held-out
//! (validation) games.
//!
//! A block is a run of records that is read as a whole, some thousand positions. Where a format
//! stores games, blocks begin with a record, found by going over the file once without checking any
//! move; files of single positions are divided by the size of their records.
//!
//! Whole games are held out, so that training positions are not correlated with them. The choice
//! depends on the seed, the name of the file and the number of the game only: adding files does not
//! change it.

use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom, Take};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use serde::{Deserialize, Serialize};

use super::LearnError;
use super::filter::Filter;
use crate::records::teacher::{Format, Skipped, Span, TeacherReader};
use crate::util::mixed;

/// Positions of a block, about. Blocks of a step are read in parallel, so they are smaller than a
/// batch.
const BLOCK_POSITIONS: usize = 4096;

/// Records between two looks at the stop flag.
const RECORDS_BETWEEN_STOPS: u64 = 4096;

/// Most bytes of a read buffer.
const BUFFER: usize = 1 << 18;

/// Default of `--buffer`.
const DEFAULT_BUFFER: usize = 16_000_000;

/// The smallest buffer of `--buffer`: some batches, so that each batch comes from many places.
const LEAST_BUFFER: usize = 100_000;

/// The files of a run and the selection of their positions: options of `raicho learn`, and stored
/// in checkpoints.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, Args)]
#[command(next_help_heading = "Data")]
pub struct Source {
    /// Files with training positions, by their shares.
    #[arg(skip)]
    pub groups: Vec<FileGroup>,

    /// Share of the games that is held out for validation; ignored for files of positions without
    /// games
    #[arg(long, value_name = "PART", default_value_t = 0.01)]
    pub held_out: f64,

    /// File that is held out as a whole; may be repeated
    #[arg(long = "held-out-file", value_name = "FILE")]
    pub held_out_files: Vec<PathBuf>,

    /// Positions in memory among which the order of visits is random, 48 bytes each; two such
    /// buffers are in memory if there are more positions, which are then read during the run
    #[arg(
        long,
        value_name = "POSITIONS",
        default_value_t = DEFAULT_BUFFER,
        value_parser = parse_buffer
    )]
    pub buffer: usize,

    /// Conditions that positions must meet.
    #[command(flatten)]
    pub filter: Filter,

    /// TD(λ), at least 0 and below 1: how much of each score comes from the following plies of the
    /// game; ignored for files of positions without games
    #[arg(long, value_name = "PART", default_value_t = 0.0)]
    pub lambda: f32,

    /// For TD(λ): the score that corresponds to an output of 1, in units of 1/90 pawn.
    #[arg(skip)]
    pub lambda_scale: u16,

    /// Seed of the choice of held-out games.
    #[arg(skip)]
    pub seed: u64,
}

fn parse_buffer(text: &str) -> Result<usize, String> {
    let positions: usize = text.parse().map_err(|error| format!("{error}"))?;
    if positions < LEAST_BUFFER {
        return Err(format!("expected at least {LEAST_BUFFER}"));
    }
    Ok(positions)
}

/// Files whose positions are visited in the proportion of the parts of their group.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FileGroup {
    /// The files of the group in their order.
    pub files: Vec<PathBuf>,
    /// Parts of all visits that go to these files. A single group has all of them.
    pub parts: u32,
}

impl Source {
    /// Checks that all numbers are in range.
    ///
    /// # Errors
    /// The first one that is not.
    pub fn validate(&self) -> Result<(), LearnError> {
        let numbers = [
            ("--held-out", self.held_out),
            ("--lambda", self.lambda.into()),
        ];
        match numbers
            .into_iter()
            .find(|(_, part)| !(0.0..1.0).contains(part))
        {
            Some((name, part)) => Err(LearnError::Setting {
                name,
                found: part.to_string(),
                expected: "at least 0 and below 1".to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// All files of the groups in their order.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.groups.iter().flat_map(|group| &group.files)
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
    /// The first byte of its first record.
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
    ) -> Result<TeacherReader<BufReader<Take<File>>>, LearnError> {
        let mut file = File::open(path).map_err(LearnError::file(path))?;
        file.seek(SeekFrom::Start(self.offset))
            .map_err(LearnError::file(path))?;
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
    ) -> Result<Self, LearnError> {
        let format = Format::of_path(path).ok();
        let Some(format) = format.filter(|format| format.has_scores()) else {
            return Err(LearnError::Format(path.to_owned()));
        };
        let input = File::open(path).map_err(LearnError::file(path))?;
        let length = input.metadata().map_err(LearnError::file(path))?.len();
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
    ) -> Result<(), LearnError> {
        let size = (BLOCK_POSITIONS * self.format.bytes_per_position()) as u64;
        let input = BufReader::with_capacity(BUFFER, input);
        let mut reader = TeacherReader::new(input, self.format);
        let mut block: Option<Block> = None;
        loop {
            if reader.records().is_multiple_of(RECORDS_BETWEEN_STOPS)
                && stop.load(Ordering::Relaxed)
            {
                return Err(LearnError::Interrupted);
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

/// The choice among the records of one file. Every record must be asked for in order, bad ones
/// included. A copy chooses in the same way from there on.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldOutGames {
    /// Hash of the seed and the file name.
    salt: u64,
    /// Probability of a game, times 2^32.
    share: f64,
    /// Number of records so far.
    count: u64,
    /// The span of the previous record, and whether it is held out.
    last: Option<(Span, bool)>,
}

/// What a record is. The default is one without a game.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Choice {
    /// Whether it begins a game: neither another part of the previous one nor a single position.
    begins_game: bool,
    /// Whether its game is held out.
    pub(super) is_held_out: bool,
}

impl HeldOutGames {
    /// The choice for a file; `share` of its games are held out, 0 to 1.
    fn new(file: &Path, share: f64, seed: u64) -> Self {
        let name = file.file_name().unwrap_or_default();
        let name = u64::from(crc32fast::hash(name.as_encoded_bytes()));
        Self {
            salt: mixed(seed ^ name),
            share: share * f64::from(u32::MAX),
            count: 0,
            last: None,
        }
    }

    /// The choice after this number of records, the last of which is not a game.
    const fn after(mut self, records: u64) -> Self {
        self.count = records;
        self.last = None;
        self
    }

    /// Number of records so far.
    const fn records(&self) -> u64 {
        self.count
    }

    /// Whether the next record is held out, by the part of a game that it holds; `None` stands for
    /// a record that cannot be read or has no game. Positions without a game are never held out.
    ///
    /// All parts of a game are treated alike.
    pub(super) fn choose(&mut self, span: Option<Span>) -> Choice {
        let number = self.count;
        self.count += 1;
        let last = self.last.take();
        let Some(span) = span else {
            return Choice::default();
        };
        let previous = last.filter(|(last, _)| last.goes_on_with(span));
        let is_held_out = previous.map_or_else(
            || f64::from((mixed(self.salt ^ number) >> u32::BITS) as u32) < self.share,
            |(_, is_held_out)| is_held_out,
        );
        self.last = Some((span, is_held_out));
        Choice {
            begins_game: previous.is_none(),
            is_held_out,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::records::game::GameResult;
    use crate::records::pack::{PackGame, PackReason};
    use crate::records::packed::PackedSfen;
    use crate::records::sfen_line::SfenLine;
    use crate::records::teacher::Record;
    use crate::types::Color;

    const COUNT: usize = 10_000;

    fn record(line: &str, winner: Color) -> Record {
        let line: SfenLine = line.parse().expect("a good line");
        Record::from(PackGame {
            start: line.start,
            moves: line.moves.into_iter().map(|mv| (mv, 0)).collect(),
            result: GameResult::Win(winner),
            reason: PackReason::RESIGNATION,
        })
    }

    /// Which of these records are chosen when they come again and again.
    fn chosen(name: &str, seed: u64, records: &[Record]) -> Vec<usize> {
        let records = records.iter().cycle().take(COUNT);
        let mut games = HeldOutGames::new(Path::new(name), 0.1, seed);
        let chosen = records.map(|record| games.choose(Span::of_game(record)).is_held_out);
        let chosen: Vec<bool> = chosen.collect();
        (0..chosen.len()).filter(|&index| chosen[index]).collect()
    }

    #[test]
    fn the_asked_part_of_the_games_is_held_out() {
        let game = record("startpos moves 7g7f 3c3d", Color::Black);
        let games = [game];
        let found = chosen("games-0001.pack", 3, &games);
        assert!((900..1100).contains(&found.len()), "{}", found.len());
        assert_eq!(found, chosen("elsewhere/games-0001.pack", 3, &games));
        assert_ne!(found, chosen("games-0002.pack", 3, &games));
        assert_ne!(found, chosen("games-0001.pack", 4, &games));
    }

    #[test]
    fn the_parts_of_a_game_go_the_same_way() {
        let first = "startpos moves 7g7f 3c3d";
        // A ply is missing between the two.
        let second =
            "sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P4P1/PP1PPPP1P/1B5R1/LNSGKGSNL w - 4 moves 8c8d";
        let (black, white) = (Color::Black, Color::White);
        let of_one = [record(first, black), record(second, black)];
        let found = chosen("a.pack", 1, &of_one);
        assert!(found.len() > 100, "{}", found.len());
        for pair in found.chunks(2) {
            assert_eq!((pair[0] % 2, pair[1]), (0, pair[0] + 1));
        }
        let mut games = HeldOutGames::new(Path::new("a.pack"), 0.1, 1);
        let begins = of_one
            .each_ref()
            .map(|record| games.choose(Span::of_game(record)).begins_game);
        assert_eq!(begins, [true, false]);
        // Another result, or a part that lies before the previous one: other games.
        for games in [
            [record(first, black), record(second, white)],
            [record(second, black), record(second, black)],
        ] {
            let found = chosen("a.pack", 1, &games);
            let is_alone = |&&index: &&usize| !found.contains(&(index ^ 1));
            assert!(found.iter().filter(is_alone).count() > found.len() / 2);
        }
    }

    #[test]
    fn positions_without_games_are_never_held_out() {
        let mut games = HeldOutGames::new(Path::new("a.psv"), 1.0, 1);
        let position: Position = Position::startpos();
        let packed = PackedSfen::of(&position);
        for span in [Span::of_game(&Record::Position(packed, 1)), None] {
            assert_eq!(games.choose(span), Choice::default());
        }
    }
}
