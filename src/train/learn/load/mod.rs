//! Loading of teacher data: all positions that pass the filter, in memory.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::filter::{Counts, Filter, Reason, Tactical};
use super::held_out_games::HeldOutGames;
use super::leaf::line_to_leaf;
use super::sample::{Label, Sample};
use super::td_lambda::apply_td_lambda;
use crate::position::Position;
use crate::records::teacher::{Format, Record, TeacherError, TeacherGame, TeacherReader};
use crate::records::tree::TreePosition;
use crate::types::Move;
use crate::types::value::PAWN_VALUE;

/// The files of a run and the selection of their positions. Stored in checkpoints.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Source {
    /// Files with training positions.
    pub files: Vec<PathBuf>,
    /// Files of which all positions are held out.
    pub held_out_files: Vec<PathBuf>,
    /// Conditions on positions.
    pub filter: Filter,
    /// λ of TD(λ), 0 to 1 exclusive: the weight of the later scores of a game in each score.
    /// Formats of single positions ignore it.
    #[serde(default)]
    pub lambda: f32,
    /// For TD(λ): the score that corresponds to an output of 1, in units of 1/90 pawn.
    #[serde(default)]
    pub lambda_scale: u16,
    /// Share of the games of [`Self::files`] that is held out, 0 to 1. Formats of single positions
    /// ignore it.
    pub held_out: f64,
    /// Seed of the choice of held-out games.
    pub seed: u64,
}

/// Training positions and held-out positions.
#[derive(Debug, Default)]
pub struct Data {
    /// The source of the data.
    pub source: Source,
    /// Training positions in the order of the files.
    pub training: Vec<Sample>,
    /// Held-out positions in the order of the files.
    pub held_out: Vec<Sample>,
    /// Counts of the positions read.
    pub counts: Counts,
    /// Number of records that were skipped because they are invalid.
    pub fault_count: u64,
    /// The first invalid records of each file.
    pub faults: Vec<Fault>,
}

/// An invalid record, which is skipped.
#[derive(Debug, Error)]
#[error("{}: {error}; left out", file.display())]
pub struct Fault {
    /// The file with the record.
    pub file: PathBuf,
    /// Position in the file and reason.
    pub error: TeacherError,
}

/// Why data cannot be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// A file cannot be opened.
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
    /// No position passed the filter, of this number.
    #[error("no position to learn from among {0}, expected one at least")]
    Empty(u64),
    /// [`Watch::stop`] was set.
    #[error("interrupted")]
    Interrupted,
}

/// Stop flag and progress report of loading, shared by all threads.
pub struct Watch<'a> {
    /// Loading ends with an error when it is set.
    pub stop: &'a AtomicBool,
    /// Receives the number of bytes read since its last call.
    pub on_bytes: &'a (dyn Fn(u64) + Sync),
}

impl Data {
    /// Loads all files in parallel on the rayon pool of the caller.
    ///
    /// # Errors
    /// A file cannot be opened, or no training position remains. Invalid records are no error; they
    /// are listed in [`Self::faults`].
    pub fn load(source: &Source, watch: &Watch<'_>) -> Result<Self, LoadError> {
        let files = source.files.iter().map(|file| (file, false));
        let held_out = source.held_out_files.iter().map(|file| (file, true));
        let files: Vec<(&PathBuf, bool)> = files.chain(held_out).collect();
        let parts: Vec<Result<Self, LoadError>> = files
            .into_par_iter()
            .map(|(file, is_held_out)| load_file(source, file, is_held_out, watch))
            .collect();
        let mut data = Self {
            source: source.clone(),
            ..Self::default()
        };
        for part in parts {
            let part = part?;
            data.training.extend(part.training);
            data.held_out.extend(part.held_out);
            data.counts.add(&part.counts);
            data.fault_count += part.fault_count;
            data.faults.extend(part.faults);
        }
        if data.training.is_empty() {
            return Err(LoadError::Empty(data.counts.positions));
        }
        Ok(data)
    }

    /// Adds all positions of a record that pass the filter. `position` is overwritten.
    fn add_record(
        &mut self,
        source: &Source,
        is_held_out: bool,
        record: &Record,
        position: &mut Position,
    ) {
        let filter = &source.filter;
        if let Some(game) = record.game() {
            return self.add_game(source, is_held_out, game);
        }
        if let Record::Tree(node) = record {
            return self.add_tree_position(filter, is_held_out, node, position);
        }
        record.for_each_sample(|sample| {
            let Ok(board) = sample.position.unpack_board() else {
                return; // Does not happen: the reader has validated the position.
            };
            position.set_up(board, u32::from(sample.ply.max(1)));
            let mv = sample.mv.and_then(|mv| position.to_move(mv));
            let result = sample.result.for_side(position.side_to_move());
            let judged = (of_centipawns(sample.score), result);
            self.add(filter, is_held_out, position, mv, judged);
        });
    }

    /// Adds an inner node of a search if it passes the filter. `position` is overwritten.
    fn add_tree_position(
        &mut self,
        filter: &Filter,
        is_held_out: bool,
        node: &TreePosition,
        position: &mut Position,
    ) {
        let Ok(board) = node.position.unpack_board() else {
            return; // Does not happen: the reader has validated the position.
        };
        position.set_up(board, u32::from(node.ply.max(1)));
        self.counts.tree_positions += 1;
        let mut mv = node.mv.and_then(|mv| position.to_move(mv));
        if mv.is_none() && !position.in_check() {
            // Where all moves failed low, a capture that wins material makes a position tactical.
            mv = line_to_leaf(position).first().copied();
        }
        let label = Label::Tree {
            bound: node.bound,
            depth: node.depth,
        };
        let judged = Judged {
            score: of_centipawns(node.score),
            label,
        };
        self.enter(filter, is_held_out, position, mv, judged);
    }

    /// Adds all positions of a game that have a score and pass the filter.
    fn add_game(&mut self, source: &Source, is_held_out: bool, game: &TeacherGame) {
        let moves = game.scored_moves();
        let scores = moves.clone().map(|(_, score)| score.map(of_centipawns));
        let mut scores: Vec<Option<i32>> = scores.collect();
        let limit = source.filter.score_limit;
        apply_td_lambda(&mut scores, source.lambda, source.lambda_scale, limit);
        let mut position = game.game.start.clone();
        let result = game.game.result;
        for ((mv, _), score) in moves.zip(scores) {
            if let Some(score) = score {
                let judged = (score, result.for_side(position.side_to_move()));
                self.add(&source.filter, is_held_out, &mut position, Some(mv), judged);
            }
            position.do_move(mv);
        }
    }

    /// Adds a position if it passes the filter. `mv` is the move played in it, `score` that of the
    /// search in units of 1/90 pawn, `result` that of the game (1 win, 0 draw, -1 loss), both for
    /// the side to move. The position is restored.
    pub fn add(
        &mut self,
        filter: &Filter,
        is_held_out: bool,
        position: &mut Position,
        mv: Option<Move>,
        (score, result): (i32, i8),
    ) {
        let label = Label::Game { result };
        let judged = Judged { score, label };
        self.enter(filter, is_held_out, position, mv, judged);
    }

    fn enter(
        &mut self,
        filter: &Filter,
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
            let samples = if is_held_out {
                &mut self.held_out
            } else {
                &mut self.training
            };
            samples.push(sample);
        }
    }

    fn add_fault(&mut self, file: &Path, error: TeacherError) {
        self.fault_count += 1;
        if self.faults.len() < FAULTS_KEPT {
            let file = file.to_owned();
            self.faults.push(Fault { file, error });
        }
    }

    /// A number that identifies the data: their count and a checksum.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(bytemuck::cast_slice(&self.training));
        hasher.update(&(self.training.len() as u64).to_le_bytes());
        hasher.update(bytemuck::cast_slice(&self.held_out));
        let count = (self.training.len() + self.held_out.len()) as u64;
        count << u32::BITS | u64::from(hasher.finalize())
    }
}

/// What is known about a position, for the side to move.
#[derive(Clone, Copy)]
struct Judged {
    /// The score of the search in units of 1/90 pawn.
    score: i32,
    label: Label,
}

impl Judged {
    fn sample(self, position: &Position) -> Result<Sample, Reason> {
        let score = self.score.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        Sample::new(position, score, self.label).ok_or(Reason::NoKing)
    }

    /// For the other side to move.
    const fn flipped(self) -> Self {
        Self {
            score: -self.score,
            label: self.label.flipped(),
        }
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

/// Loads one file.
fn load_file(
    source: &Source,
    file: &Path,
    is_held_out: bool,
    watch: &Watch<'_>,
) -> Result<Data, LoadError> {
    let format = Format::of_path(file).ok();
    let Some(format) = format.filter(|format| format.has_scores()) else {
        return Err(LoadError::Format(file.to_owned()));
    };
    let input = File::open(file).map_err(|error| LoadError::Io {
        file: file.to_owned(),
        error,
    })?;
    let mut data = Data::default();
    let input = BufReader::with_capacity(BUFFER, input);
    let mut reader = TeacherReader::new(input, format).needing_results();
    let mut position = Position::startpos();
    let mut games = HeldOutGames::new(file, source.held_out, source.seed);
    let mut reported = 0;
    while let Some(record) = reader.next() {
        if watch.stop.load(Ordering::Relaxed) {
            return Err(LoadError::Interrupted);
        }
        let choice = games.choose(record.as_ref().ok());
        let is_held_out = choice.is_held_out || is_held_out;
        let begins_game = u64::from(choice.begins_game);
        data.counts.games += begins_game;
        data.counts.held_out_games += begins_game * u64::from(is_held_out);
        match record {
            Ok(record) => {
                data.add_record(source, is_held_out, &record, &mut position);
            }
            Err(error) => data.add_fault(file, error),
        }
        if reader.offset() - reported >= BUFFER as u64 {
            (watch.on_bytes)(reader.offset() - reported);
            reported = reader.offset();
        }
    }
    (watch.on_bytes)(reader.offset() - reported);
    Ok(data)
}

/// Size of the read buffer in bytes, and interval of progress reports.
const BUFFER: usize = 1 << 20;

/// Most invalid records of one file that are listed.
const FAULTS_KEPT: usize = 10;

#[cfg(test)]
mod tests;
