//! Reading of teacher data: every position that passes the filter, in memory.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::filter::{Counts, Filter, Reason, Tactical};
use super::held_out::HeldOutGames;
use super::leaf::line_to_leaf;
use super::lookahead::look_ahead;
use super::sample::Sample;
use crate::position::Position;
use crate::records::teacher::{Format, Record, TeacherError, TeacherGame, TeacherReader};
use crate::types::Move;
use crate::types::value::PAWN_VALUE;

/// Where data come from, and what of them is used. A checkpoint keeps it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Source {
    /// The files to learn from.
    pub files: Vec<PathBuf>,
    /// Files that are held out as a whole.
    pub held_out_files: Vec<PathBuf>,
    /// Which positions.
    pub filter: Filter,
    /// How much of a target is what the later scores of the game say, 0 to 1 (λ); only in formats of whole games.
    #[serde(default)]
    pub lambda: f32,
    /// For that, scores become winning chances: the score that is worth an output of 1.
    #[serde(default)]
    pub lambda_scale: u16,
    /// The part of the games in [`Self::files`] that is held out, 0 to 1; nothing of formats that know no games.
    pub held_out: f64,
    /// Decides which games these are.
    pub seed: u64,
}

/// Positions to learn from, and positions to be measured by.
#[derive(Debug, Default)]
pub struct Data {
    /// Where they come from.
    pub source: Source,
    /// Positions in the order of the files.
    pub training: Vec<Sample>,
    /// Likewise, from other games.
    pub held_out: Vec<Sample>,
    /// How many there were.
    pub counts: Counts,
    /// Records that cannot be used and are left out.
    pub fault_count: u64,
    /// The first ones of each file.
    pub faults: Vec<Fault>,
}

/// A record that cannot be used and is left out.
#[derive(Debug, Error)]
#[error("{}: {error}; left out", file.display())]
pub struct Fault {
    /// The file.
    pub file: PathBuf,
    /// Where in it, and why.
    pub error: TeacherError,
}

/// Why data cannot be read.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("{}: {error}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The name says no format with scores and results.
    #[error(
        "{}: expected a format with scores and results: {}",
        .0.display(),
        Format::names(Format::has_scores)
    )]
    Format(PathBuf),
    /// Nothing passed the filter.
    #[error("no position to learn from among {0}, expected one at least")]
    Empty(u64),
    /// Broken off.
    #[error("interrupted")]
    Interrupted,
}

/// Somebody who watches the reading, from many threads.
pub struct Watch<'a> {
    /// Reading ends when it is set.
    pub stop: &'a AtomicBool,
    /// Hears of bytes that have been read since the last time.
    pub on_bytes: &'a (dyn Fn(u64) + Sync),
}

impl Data {
    /// Reads everything, several files at a time on the thread pool in which it is called.
    ///
    /// # Errors
    /// A file cannot be opened, or there is nothing to learn from. Bad records go to [`Self::faults`].
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

    /// Takes all positions of a record in that the filter lets pass. `position` is where they are set up.
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
        record.for_each_sample(|sample| {
            let Ok(board) = sample.position.unpack_board() else {
                return; // Never: the reader has looked at it.
            };
            position.set_up(board, u32::from(sample.ply.max(1)));
            let mv = sample.mv.and_then(|mv| position.to_move(mv));
            let result = sample.result.for_side(position.side_to_move());
            let judged = (of_centipawns(sample.score), result);
            self.add(filter, is_held_out, position, mv, judged);
        });
    }

    /// Likewise of a game. Positions without a score were not searched.
    fn add_game(&mut self, source: &Source, is_held_out: bool, game: &TeacherGame) {
        self.counts.games += 1;
        let moves = game.scored_moves();
        let scores = moves.clone().map(|(_, score)| score.map(of_centipawns));
        let mut scores: Vec<Option<i32>> = scores.collect();
        let limit = source.filter.score_limit;
        look_ahead(&mut scores, source.lambda, source.lambda_scale, limit);
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

    /// Takes a position in, if the filter lets it pass. `mv` is what was played there, `score` that of the search (a pawn
    /// is 90), `result` how the game ended (1 won, 0 drawn, -1 lost), both for the side to move. The position is the same
    /// afterwards.
    pub fn add(
        &mut self,
        filter: &Filter,
        is_held_out: bool,
        position: &mut Position,
        mv: Option<Move>,
        (score, result): (i32, i8),
    ) {
        let sample = match filter.judge(position, mv, score) {
            Ok(()) => sample(position, score, result),
            Err(Reason::Tactical) if filter.tactical == Tactical::Leaf => {
                leaf_sample(position, score, result)
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

    /// A number that tells these data from others.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(bytemuck::cast_slice(&self.training));
        hasher.update(&(self.training.len() as u64).to_le_bytes());
        hasher.update(bytemuck::cast_slice(&self.held_out));
        let count = (self.training.len() + self.held_out.len()) as u64;
        count << u32::BITS | u64::from(hasher.finalize())
    }
}

fn sample(position: &Position, score: i32, result: i8) -> Result<Sample, Reason> {
    let score = score.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
    Sample::new(position, score, result).ok_or(Reason::NoKing)
}

/// The leaf of a tactical position; score and result change their signs with the side to move.
fn leaf_sample(position: &mut Position, score: i32, result: i8) -> Result<Sample, Reason> {
    let line = line_to_leaf(position);
    for &mv in &line {
        position.do_move(mv);
    }
    let is_same_side = line.len().is_multiple_of(2);
    let sample = match (position.in_check(), is_same_side) {
        (true, _) => Err(Reason::Check),
        (_, true) => sample(position, score, result),
        (_, false) => sample(position, -score, -result),
    };
    for _ in &line {
        position.undo_move();
    }
    sample
}

fn of_centipawns(score: i16) -> i32 {
    i32::from(score) * PAWN_VALUE / 100
}

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
    let mut told = 0;
    while let Some(record) = reader.next() {
        if watch.stop.load(Ordering::Relaxed) {
            return Err(LoadError::Interrupted);
        }
        let is_held_out = games.chooses(record.as_ref().ok()) || is_held_out;
        match record {
            Ok(record) => {
                data.add_record(source, is_held_out, &record, &mut position);
            }
            Err(error) => data.add_fault(file, error),
        }
        if reader.offset() - told >= BUFFER as u64 {
            (watch.on_bytes)(reader.offset() - told);
            told = reader.offset();
        }
    }
    (watch.on_bytes)(reader.offset() - told);
    Ok(data)
}

/// Bytes that are read from a file at a time.
const BUFFER: usize = 1 << 20;

/// Faults of one file that are told.
const FAULTS_KEPT: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_moves;

    #[test]
    fn scores_and_results_turn_with_the_side_to_move() {
        let sfen = "3k5/9/9/4r4/9/9/4L4/9/3K5 b - 1";
        let mut position = Position::from_sfen(sfen).expect("a good position");
        let moves = legal_moves(&position);
        let capture = moves.iter().find(|mv| mv.to_string() == "5g5d");
        assert!(capture.is_some());
        for (tactical, expected) in [
            (Tactical::Drop, None),
            (Tactical::Keep, Some((500, 1))),
            (Tactical::Leaf, Some((-500, -1))),
        ] {
            let filter = Filter {
                tactical,
                ..Filter::default()
            };
            let mut data = Data::default();
            data.add(&filter, false, &mut position, capture.copied(), (500, 1));
            let found = data.training.first();
            let found = found.map(|sample| (sample.score(), sample.result()));
            assert_eq!(found, expected, "{tactical:?}");
            assert_eq!(position.to_sfen(), sfen);
        }
    }
}
