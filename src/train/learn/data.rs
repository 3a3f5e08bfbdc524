//! The positions of a run: those that are in memory, and the blocks of those that are streamed.
//!
//! Scores of games may include the later ones, by TD(λ): where the best moves are played, the score
//! of a later position also evaluates the earlier one, by a deeper search. The average of all later
//! scores, with weights that decay by λ per ply, is a better target than the first score alone and
//! less noisy than the result of the game (Sutton, "Learning to Predict by the Methods of Temporal
//! Differences", 1988; TDLeaf(λ) of Baxter, Tridgell and Weaver's `KnightCap`, 1998).

use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom, Take};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, bail, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::sample::{Counts, Filter, Label, Reason, Sample, Tactical, line_to_leaf};
use super::{loss::logistic, out_of_range};
use crate::records::teacher::{Format, Record, Skipped, Span, TeacherError, TeacherGame};
use crate::util::{AtPath, mixed};
use crate::{position::Position, records::sample::TreePosition, records::teacher::TeacherReader};
use crate::{runs::Watch, types::Move, types::value::PAWN_VALUE};

use rayon::prelude::*;

/// Held-out positions in memory, about; more would not be more precise.
const HELD_OUT_POSITIONS: usize = 200_000;

/// Blocks of a group that are read before a streamed run, evenly spread over its files.
const PROBED_BLOCKS: usize = 128;

/// Most invalid records of one block that are listed.
const FAULTS_KEPT: usize = 10;

/// Averages of TD(λ) are clamped to this distance from 0 and 1, where the score would be infinite.
const MARGIN: f32 = 1e-3;

/// Training positions and held-out positions.
#[derive(Debug, Default)]
pub struct Data {
    /// The source of the data.
    pub source: Source,
    /// Training positions in the order of the files: all of them, or if the run is streamed those
    /// of some blocks.
    pub training: Vec<Sample>,
    /// Held-out positions in the order of the files; of many, an even selection.
    pub held_out: Vec<Sample>,
    /// Counts of games, and of the positions read.
    pub counts: Counts,
    /// Number of records that were skipped because they are invalid.
    pub fault_count: u64,
    /// What is wrong with the first ones of each block, and where.
    pub faults: Vec<String>,
    /// The files of the groups in their order.
    pub(super) files: Vec<DataFile>,
    /// What is streamed; empty where [`Self::training`] has everything.
    pub(super) streams: Vec<BlockGroup>,
}

/// The blocks of a group of files.
#[derive(Debug)]
pub(super) struct BlockGroup {
    pub(super) blocks: Vec<Block>,
    /// Mean number of training positions in a block, estimated from those that were read.
    pub(super) positions: f64,
    /// Parts of all visits that go to this group.
    pub(super) parts: f64,
}

/// How much of all files is read.
struct Progress<'a> {
    watch: &'a Watch<'a>,
    read: AtomicU64,
    total: u64,
}

impl Progress<'_> {
    fn add(&self, bytes: u64) {
        let read = self.read.fetch_add(bytes, Ordering::Relaxed) + bytes;
        (self.watch.progress)(read, self.total);
    }
}

impl Data {
    /// Divides all files into blocks, and reads them in parallel on the rayon pool of the caller:
    /// all of them, or where they do not fit into [`Source::buffer`] some of each group, so that
    /// the others can be streamed.
    ///
    /// # Errors
    /// A file cannot be opened or read, or no training position remains. Invalid records are no
    /// error; they are listed in [`Self::faults`].
    pub fn load(source: &Source, watch: &Watch<'_>) -> Result<Self> {
        let files = source.files().map(|file| (file, false));
        let held_out = source.held_out_files.iter().map(|file| (file, true));
        let files: Vec<(&PathBuf, bool)> = files.chain(held_out).collect();
        let files: Result<Vec<DataFile>> = files
            .into_par_iter()
            .enumerate()
            .map(|(number, (path, is_held_out))| {
                DataFile::open(number, path, is_held_out, source, watch)
            })
            .collect();
        let mut data = Self { source: source.clone(), files: files?, ..Self::default() };
        for file in &data.files {
            data.counts.games += file.games;
            data.counts.held_out_games += file.held_out_games;
        }
        let progress = Progress {
            watch,
            read: AtomicU64::new(0),
            total: data.files.iter().map(|file| file.length).sum(),
        };
        data.load_training(&progress)?;
        data.load_held_out(&progress)?;
        ensure!(
            !data.training.is_empty(),
            "no position to learn from among {}, expected one at least",
            data.counts.positions
        );
        Ok(data)
    }

    /// The number of training positions; an estimate if they are streamed.
    pub fn positions(&self) -> u64 {
        if self.streams.is_empty() {
            return self.training.len() as u64;
        }
        let groups = self.streams.iter();
        let each = groups.map(|group| group.positions * group.blocks.len() as f64);
        each.sum::<f64>().round() as u64
    }

    /// Whether the training positions are read during the run, because they do not fit into
    /// [`Source::buffer`].
    pub const fn is_streamed(&self) -> bool {
        !self.streams.is_empty()
    }

    /// Reads all blocks or, if they hold too many positions, some of each group.
    fn load_training(&mut self, progress: &Progress<'_>) -> Result<()> {
        let mut read = Self::default();
        let mut first = 0;
        for group in &self.source.groups {
            let files = &self.files[first..first + group.files.len()];
            first += group.files.len();
            let blocks = files.iter().flat_map(|file| &file.blocks);
            let blocks: Vec<Block> = blocks.copied().collect();
            let probed = self.read_evenly(&blocks, PROBED_BLOCKS, progress)?;
            let count = blocks.len().clamp(1, PROBED_BLOCKS);
            self.streams.push(BlockGroup {
                blocks,
                positions: probed.training.len() as f64 / count as f64,
                parts: group.parts.into(),
            });
            read.append(probed);
        }
        // A group of which nothing passes the filter would be read for ever in vain.
        self.streams.retain(|group| group.positions > 0.0);
        if self.streams.len() == 1 && self.positions() <= self.source.buffer as u64 {
            let blocks = std::mem::take(&mut self.streams).swap_remove(0).blocks;
            if blocks.len() > PROBED_BLOCKS {
                read = self.read_evenly(&blocks, blocks.len(), progress)?;
            }
        }
        self.append(read);
        Ok(())
    }

    fn load_held_out(&mut self, progress: &Progress<'_>) -> Result<()> {
        let blocks = self.files.iter().flat_map(|file| &file.held_out);
        let blocks: Vec<Block> = blocks.copied().collect();
        let positions = |block: &Block| {
            block.bytes as usize / self.files[block.file].format.bytes_per_position()
        };
        let positions: usize = blocks.iter().map(positions).sum();
        let most = blocks.len() * HELD_OUT_POSITIONS / positions.max(HELD_OUT_POSITIONS);
        let read = self.read_evenly(&blocks, most.max(1), progress)?;
        self.append(read);
        Ok(())
    }

    /// Reads up to `most` of these blocks, evenly spread.
    fn read_evenly(&self, blocks: &[Block], most: usize, progress: &Progress<'_>) -> Result<Self> {
        let count = blocks.len().min(most);
        let parts: Vec<Result<Self>> = (0..count)
            .into_par_iter()
            .map(|number| {
                progress.watch.check_stop()?;
                let block = &blocks[number * blocks.len() / count];
                let read = self.read(block)?;
                progress.add(block.bytes);
                Ok(read)
            })
            .collect();
        let mut read = Self::default();
        for part in parts {
            read.append(part?);
        }
        Ok(read)
    }

    /// Reads a block: the training positions of one of [`DataFile::blocks`], the held-out ones of
    /// one of [`DataFile::held_out`].
    pub(super) fn read(&self, block: &Block) -> Result<Self> {
        let file = &self.files[block.file];
        let mut read = Self::default();
        let mut reader = block.open(&file.path, file.format)?;
        let mut games = block.games;
        let mut is_cut = false;
        while let Some(record) = reader.next() {
            let span = record.as_ref().ok().and_then(Span::of_game);
            let is_held_out = games.choose(span).is_held_out || file.is_whole_held_out;
            match record {
                Ok(record) if is_held_out == block.is_held_out => {
                    read.add_record(&self.source, is_held_out, &record, reader.position());
                }
                Ok(_) => {}
                Err(error) => {
                    is_cut = error.fault.is_fatal();
                    read.add_fault(&file.path, &error);
                }
            }
        }
        if reader.offset() != block.end() && !is_cut {
            let (path, end) = (file.path.display(), block.end());
            bail!("{path}: changed while it was read, expected a record to end at byte {end}");
        }
        Ok(read)
    }

    /// Adds the positions, counts and faults of other blocks.
    pub(super) fn append(&mut self, other: Self) {
        self.training.extend(other.training);
        self.held_out.extend(other.held_out);
        self.counts.add(&other.counts);
        self.fault_count += other.fault_count;
        self.faults.extend(other.faults);
    }

    /// Adds all positions of a record that pass the filter. `position` is that of a record that is
    /// no game.
    fn add_record(
        &mut self,
        source: &Source,
        is_held_out: bool,
        record: &Record,
        position: &mut Position,
    ) {
        match record {
            Record::Game(game) => self.add_game(source, is_held_out, game),
            Record::Tree(node) => {
                self.add_tree_position(source.filter, is_held_out, node, position);
            }
            _ => record.for_each_sample(|sample| {
                let mv = sample.mv.and_then(|mv| position.to_move(mv));
                let result = sample.result.for_side(position.side_to_move());
                let judged = Judged::of_game(of_centipawns(sample.score), result);
                self.add(source.filter, is_held_out, position, mv, judged);
            }),
        }
    }

    /// Adds an inner node of a search, `position`, if it passes the filter.
    fn add_tree_position(
        &mut self,
        filter: Filter,
        is_held_out: bool,
        node: &TreePosition,
        position: &mut Position,
    ) {
        self.counts.tree_positions += 1;
        let mut mv = node.mv.and_then(|mv| position.to_move(mv));
        if mv.is_none() && !position.in_check() {
            // Where all moves failed low, a capture that wins material makes a position tactical.
            mv = line_to_leaf(position).first().copied();
        }
        let judged = Judged {
            score: of_centipawns(node.score),
            label: Label::Tree { bound: node.bound, depth: node.depth },
        };
        self.add(filter, is_held_out, position, mv, judged);
    }

    /// Adds all positions of a game that have a score and pass the filter.
    fn add_game(&mut self, source: &Source, is_held_out: bool, game: &TeacherGame) {
        let moves = game.scored_moves();
        let scores = moves.clone().map(|(_, score)| score.map(of_centipawns));
        let mut scores: Vec<Option<i32>> = scores.collect();
        let limit = source.filter.eval_limit;
        apply_td_lambda(&mut scores, source.lambda, source.lambda_scale, limit);
        let mut position = game.game.start.clone();
        let result = game.game.result;
        for ((mv, _), score) in moves.zip(scores) {
            if let Some(score) = score {
                let judged = Judged::of_game(score, result.for_side(position.side_to_move()));
                self.add(source.filter, is_held_out, &mut position, Some(mv), judged);
            }
            position.do_move(mv);
        }
    }

    /// Adds a position if it passes the filter. `mv` is the move played in it. The position is
    /// restored.
    pub fn add(
        &mut self,
        filter: Filter,
        is_held_out: bool,
        position: &mut Position,
        mv: Option<Move>,
        judged: Judged,
    ) {
        let sample = match filter.judge(position, mv, judged.score) {
            Ok(()) => judged.sample(position),
            Err(Reason::Tactical) if filter.tactical == Tactical::Leaf => {
                judged.leaf_sample(position, mv)
            }
            Err(reason) => Err(reason),
        };
        self.counts.count(sample.map(|_| ()));
        if let Ok(sample) = sample {
            let samples = if is_held_out { &mut self.held_out } else { &mut self.training };
            samples.push(sample);
        }
    }

    fn add_fault(&mut self, file: &Path, error: &TeacherError) {
        self.fault_count += 1;
        if self.faults.len() < FAULTS_KEPT {
            self.faults.push(format!("{}: {error}; left out", file.display()));
        }
    }

    /// A number that identifies the data: the count of positions that were read and a checksum of
    /// them and of the blocks of all files.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = crc32fast::Hasher::new();
        for group in &self.streams {
            hasher.update(&group.parts.to_le_bytes());
            for block in &group.blocks {
                hasher.update(&block.offset.to_le_bytes());
                hasher.update(&block.bytes.to_le_bytes());
            }
        }
        hasher.update(bytemuck::cast_slice(&self.training));
        hasher.update(&(self.training.len() as u64).to_le_bytes());
        hasher.update(bytemuck::cast_slice(&self.held_out));
        let count = (self.training.len() + self.held_out.len()) as u64;
        count << u32::BITS | u64::from(hasher.finalize())
    }
}

/// What is known about a position, for the side to move.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// The score of the search in units of 1/90 pawn.
    score: i32,
    label: Label,
}

impl Judged {
    /// The position of a game with this result: 1 win, 0 draw, -1 loss.
    pub const fn of_game(score: i32, result: i8) -> Self {
        Self { score, label: Label::Game { result } }
    }

    fn sample(self, position: &Position) -> Result<Sample, Reason> {
        let score = self.score.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        Sample::new(position, score, self.label).ok_or(Reason::NoKing)
    }

    /// For the other side to move.
    const fn flipped(self) -> Self {
        Self { score: -self.score, label: self.label.flipped() }
    }

    /// The leaf of a tactical position. Score, result and bound turn with the side to move. Where
    /// the line begins with another move than the one that was searched best, `mv`, the score says
    /// nothing about its leaf.
    fn leaf_sample(self, position: &mut Position, mv: Option<Move>) -> Result<Sample, Reason> {
        let line = line_to_leaf(position);
        if mv.is_some() && !line.is_empty() && mv.as_ref() != line.first() {
            return Err(Reason::Tactical);
        }
        for &mv in &line {
            position.do_move(mv);
        }
        let is_same_side = line.len().is_multiple_of(2);
        let sample = match (position.in_check(), is_same_side) {
            (true, _) => Err(Reason::Check),
            (_, true) => self.sample(position),
            (_, false) => self.flipped().sample(position),
        };
        for _ in &line {
            position.undo_move();
        }
        sample
    }
}

/// Converts centipawns to units of 1/90 pawn.
fn of_centipawns(score: i16) -> i32 {
    i32::from(score) * PAWN_VALUE / 100
}

/// Replaces each score of a game by its TD(λ) average with the later scores. Scores are those of
/// the side to move, in units of 1/90 pawn.
///
/// With `lambda` 0 scores are unchanged; the nearer it is to 1, the more the later scores count.
/// Averages are taken over winning probabilities, the logistic function of score / `scale`. A score
/// beyond `limit` in magnitude is unchanged but contributes to earlier ones, which are clamped to
/// `limit`. A ply without a score (a move that the search did not choose) ends the averaging.
fn apply_td_lambda(scores: &mut [Option<i32>], lambda: f32, scale: u16, limit: u16) {
    let scale = f32::from(scale.max(1));
    if lambda <= 0.0 {
        return;
    }
    let mut later = None;
    for entry in scores.iter_mut().rev() {
        let Some(score) = entry else {
            later = None;
            continue;
        };
        let own = logistic(*score as f32 / scale);
        let chance = later.map_or(own, |later: f32| own + lambda * (1.0 - later - own));
        if score.unsigned_abs() <= limit.into() {
            let chance = chance.clamp(MARGIN, 1.0 - MARGIN);
            let averaged = (scale * (chance / (1.0 - chance)).ln()).round() as i32;
            *score = averaged.clamp(-i32::from(limit), limit.into());
        }
        later = Some(chance);
    }
}

// --- Files and their blocks ---
//
// The files that a run learns from, their division into blocks, and the choice of held-out
// (validation) games.
//
// A block is a run of records that is read as a whole, some thousand positions. Where a format
// stores games, blocks begin with a record, found by going over the file once without checking any
// move; files of single positions are divided by the size of their records.
//
// Whole games are held out, so that training positions are not correlated with them. The choice
// depends on the seed, the name of the file and the number of the game only: adding files does not
// change it.

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
    #[arg(long, value_name = "POSITIONS", default_value_t = DEFAULT_BUFFER,
          value_parser = parse_buffer)]
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
    pub fn validate(&self) -> Result<()> {
        let parts = [self.held_out, self.lambda.into()];
        for (name, part) in ["--held-out", "--lambda"].into_iter().zip(parts) {
            if !(0.0..1.0).contains(&part) {
                return Err(out_of_range(name, part, "at least 0 and below 1"));
            }
        }
        Ok(())
    }

    /// All files of the groups in their order.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.groups.iter().flat_map(|group| &group.files)
    }
}

/// A run of records of one file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Index of the file.
    pub(super) file: usize,
    /// The first byte of its first record.
    pub(super) offset: u64,
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
    ) -> Result<TeacherReader<BufReader<Take<File>>>> {
        let mut file = File::open(path).at(path)?;
        file.seek(SeekFrom::Start(self.offset)).at(path)?;
        let buffer = BUFFER.min(self.bytes as usize);
        let input = BufReader::with_capacity(buffer, file.take(self.bytes));
        let reader = TeacherReader::resume(input, format, self.offset, self.games.count);
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
        watch: &Watch<'_>,
    ) -> Result<Self> {
        let format = Format::of_path(path).ok();
        let Some(format) = format.filter(|format| format.has_scores()) else {
            let (path, names) = (path.display(), Format::names(Format::has_scores));
            bail!("{path}: expected a format with scores and results: {names}");
        };
        let input = File::open(path).at(path)?;
        let length = input.metadata().at(path)?.len();
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
            None => file.divide_at_records(number, input, games, watch)?,
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
                games: HeldOutGames { count: offset / size, ..games },
            });
            offset += step;
        }
    }

    fn divide_at_records(
        &mut self,
        number: usize,
        input: File,
        mut games: HeldOutGames,
        watch: &Watch<'_>,
    ) -> Result<()> {
        let size = (BLOCK_POSITIONS * self.format.bytes_per_position()) as u64;
        let input = BufReader::with_capacity(BUFFER, input);
        let mut reader = TeacherReader::new(input, self.format);
        let mut block: Option<Block> = None;
        loop {
            if reader.records().is_multiple_of(RECORDS_BETWEEN_STOPS) {
                watch.check_stop()?;
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
                    None => self.held_out.push(Block { bytes, is_held_out: true, ..begin }),
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
        Self { salt: mixed(seed ^ name), share: share * f64::from(u32::MAX), count: 0, last: None }
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
        Choice { begins_game: previous.is_none(), is_held_out }
    }
}

#[cfg(test)]
mod files_tests {
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
        let begins =
            of_one.each_ref().map(|record| games.choose(Span::of_game(record)).begins_game);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_moves;
    use crate::records::packed::PackedSfen;
    use crate::types::Bound;

    const SCALE: u16 = 400;

    /// What such a filter keeps of one position of a game that black wins.
    fn kept(tactical: Tactical, position: &mut Position, best: &str) -> Data {
        let moves = legal_moves(position);
        let mv = moves.iter().find(|mv| mv.to_string() == best).copied();
        assert!(mv.is_some(), "{best}");
        let mut data = Data::default();
        let sfen = position.to_sfen();
        data.add(filter(tactical), false, position, mv, Judged::of_game(500, 1));
        assert_eq!(position.to_sfen(), sfen);
        data
    }

    fn filter(tactical: Tactical) -> Filter {
        Filter { tactical, ..Filter::default() }
    }

    fn averaged(scores: &[i32], lambda: f32) -> Vec<i32> {
        let mut scores: Vec<Option<i32>> = scores.iter().copied().map(Some).collect();
        apply_td_lambda(&mut scores, lambda, SCALE, 3000);
        scores.into_iter().map(|score| score.expect("it had one")).collect()
    }

    #[test]
    fn signs_turn_from_ply_to_ply() {
        // Both sides agree that the first one is winning, or that the position is even.
        let expected = [400, -400, 400, -400];
        assert_eq!(averaged(&[400, -400, 400, -400], 0.7), expected);
        assert_eq!(averaged(&[0, 0, 0], 0.7), [0, 0, 0]);
        // The first scores are corrected by later ones of the other sign.
        let found = averaged(&[200, -200, 200, 600, -600], 0.7);
        assert!(found[0] < 0 && found[1] > 0 && found[2] < 0, "{found:?}");
        assert_eq!(found[3..], [600, -600]);
    }

    #[test]
    fn each_ply_counts_less_by_lambda() {
        assert_eq!(averaged(&[100, 300, -50], 0.0), [100, 300, -50]);
        let scale = f32::from(SCALE);
        let chance = |score: f32| logistic(score / scale);
        let expected = 0.5 * chance(100.0) + 0.25 * chance(-300.0) + 0.25 * chance(-50.0);
        let expected = (scale * (expected / (1.0 - expected)).ln()).round() as i32;
        assert_eq!(averaged(&[100, 300, -50], 0.5)[0], expected);
    }

    #[test]
    fn no_score_is_moved_beyond_the_limit() {
        let mut scores = [Some(2000), Some(-32_000)];
        apply_td_lambda(&mut scores, 0.99, 1000, 3000);
        assert_eq!(scores, [Some(3000), Some(-32_000)]);
    }

    #[test]
    fn nothing_goes_over_a_gap_and_mates_stay_mates() {
        let mut scores = [Some(100), None, Some(-500), Some(32_000)];
        apply_td_lambda(&mut scores, 0.9, SCALE, 3000);
        let expected = (Some(100), None, Some(32_000));
        assert_eq!((scores[0], scores[1], scores[3]), expected);
        assert!(scores[2].is_some_and(|score| (-3000..-1000).contains(&score)), "{scores:?}");
    }

    #[test]
    fn scores_and_results_turn_with_the_side_to_move() {
        let sfen = "3k5/9/9/4r4/9/9/4L4/9/3K5 b - 1";
        let mut position = Position::from_sfen(sfen).expect("a good position");
        for (tactical, expected) in [
            (Tactical::Drop, None),
            (Tactical::Keep, Some((500, Some(1)))),
            (Tactical::Leaf, Some((-500, Some(-1)))),
        ] {
            let data = kept(tactical, &mut position, "5g5d");
            let found = data.training.first();
            let found = found.map(|sample| (sample.score(), sample.result()));
            assert_eq!(found, expected, "{tactical:?}");
        }
    }

    #[test]
    fn bounds_turn_with_the_side_to_move() {
        let sfen = "3k5/9/9/4r4/9/9/4L4/9/3K5 b - 1";
        let mut position = Position::from_sfen(sfen).expect("a good position");
        let node = TreePosition {
            position: PackedSfen::of(&position),
            score: 1000,
            mv: None,
            ply: 1,
            depth: 4,
            bound: Bound::Upper,
        };
        let label = |bound| Label::Tree { bound, depth: 4 };
        for (tactical, expected) in [
            (Tactical::Drop, None),
            (Tactical::Keep, Some((900, label(Bound::Upper)))),
            (Tactical::Leaf, Some((-900, label(Bound::Lower)))),
        ] {
            let mut data = Data::default();
            data.add_tree_position(filter(tactical), false, &node, &mut position);
            let found = data.training.first();
            let found = found.map(|sample| (sample.score(), sample.label()));
            assert_eq!(found, expected, "{tactical:?}");
            assert_eq!(data.counts.tree_positions, 1);
        }
    }

    #[test]
    fn a_line_that_begins_with_another_move_than_the_best_has_no_score() {
        let sfen = "3k5/9/9/4r4/p8/9/L3L4/9/3K5 b - 1";
        let mut position = Position::from_sfen(sfen).expect("a good position");
        for (best, count) in [("5g5d", 1), ("9g9e", 0)] {
            let data = kept(Tactical::Leaf, &mut position, best);
            assert_eq!(data.training.len(), count, "{best}");
        }
    }
}
