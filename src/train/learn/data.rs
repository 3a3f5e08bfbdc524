//! The positions of a run: those that are in memory, and the blocks of those that are streamed.
//!
//! Scores of games may include the later ones, by TD(λ): where the best moves are played, the score
//! of a later position also evaluates the earlier one, by a deeper search. The average of all later
//! scores, with weights that decay by λ per ply, is a better target than the first score alone and
//! less noisy than the result of the game (Sutton, "Learning to Predict by the Methods of Temporal
//! Differences", 1988; TDLeaf(λ) of Baxter, Tridgell and Weaver's `KnightCap`, 1998).

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use rayon::prelude::*;
use thiserror::Error;

use super::LearnError;
use super::files::{Block, DataFile, Source, Watch};
use super::filter::{Counts, Filter, Reason, Tactical, line_to_leaf};
use super::loss::logistic;
use super::sample::{Label, Sample};
use crate::position::Position;
use crate::records::teacher::{Record, Span, TeacherError, TeacherGame};
use crate::records::tree::TreePosition;
use crate::types::Move;
use crate::types::value::PAWN_VALUE;

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
    /// The first invalid records of each block.
    pub faults: Vec<Fault>,
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

/// An invalid record, which is skipped.
#[derive(Debug, Error)]
#[error("{}: {error}; left out", file.display())]
pub struct Fault {
    /// The file with the record.
    pub file: PathBuf,
    /// Position in the file and reason.
    pub error: TeacherError,
}

impl Data {
    /// Divides all files into blocks, and reads them in parallel on the rayon pool of the caller:
    /// all of them, or where they do not fit into [`Source::buffer`] some of each group, so that
    /// the others can be streamed.
    ///
    /// # Errors
    /// A file cannot be opened or read, or no training position remains. Invalid records are no
    /// error; they are listed in [`Self::faults`].
    pub fn load(source: &Source, watch: &Watch<'_>) -> Result<Self, LearnError> {
        let files = source.files().map(|file| (file, false));
        let held_out = source.held_out_files.iter().map(|file| (file, true));
        let files: Vec<(&PathBuf, bool)> = files.chain(held_out).collect();
        let files: Result<Vec<DataFile>, LearnError> = files
            .into_par_iter()
            .enumerate()
            .map(|(number, (path, is_held_out))| {
                DataFile::open(number, path, is_held_out, source, watch.stop)
            })
            .collect();
        let mut data = Self {
            source: source.clone(),
            files: files?,
            ..Self::default()
        };
        for file in &data.files {
            data.counts.games += file.games;
            data.counts.held_out_games += file.held_out_games;
        }
        data.load_training(watch)?;
        data.load_held_out(watch)?;
        if data.training.is_empty() {
            return Err(LearnError::Empty(data.counts.positions));
        }
        Ok(data)
    }

    /// The number of training positions; an estimate if they are streamed.
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 blocks")]
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
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 positions")]
    fn load_training(&mut self, watch: &Watch<'_>) -> Result<(), LearnError> {
        let mut read = Self::default();
        let mut first = 0;
        for group in &self.source.groups {
            let files = &self.files[first..first + group.files.len()];
            first += group.files.len();
            let blocks: Vec<Block> = files
                .iter()
                .flat_map(|file| &file.blocks)
                .copied()
                .collect();
            let probed = self.read_evenly(&blocks, PROBED_BLOCKS, watch)?;
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
                read = self.read_evenly(&blocks, blocks.len(), watch)?;
            }
        }
        self.append(read);
        Ok(())
    }

    fn load_held_out(&mut self, watch: &Watch<'_>) -> Result<(), LearnError> {
        let blocks = self.files.iter().flat_map(|file| &file.held_out);
        let blocks: Vec<Block> = blocks.copied().collect();
        let positions = |block: &Block| {
            block.bytes as usize / self.files[block.file].format.bytes_per_position()
        };
        let positions: usize = blocks.iter().map(positions).sum();
        let most = blocks.len() * HELD_OUT_POSITIONS / positions.max(HELD_OUT_POSITIONS);
        let read = self.read_evenly(&blocks, most.max(1), watch)?;
        self.append(read);
        Ok(())
    }

    /// Reads up to `most` of these blocks, evenly spread.
    fn read_evenly(
        &self,
        blocks: &[Block],
        most: usize,
        watch: &Watch<'_>,
    ) -> Result<Self, LearnError> {
        let count = blocks.len().min(most);
        let parts: Vec<Result<Self, LearnError>> = (0..count)
            .into_par_iter()
            .map(|number| {
                if watch.stop.load(Ordering::Relaxed) {
                    return Err(LearnError::Interrupted);
                }
                let block = &blocks[number * blocks.len() / count];
                let read = self.read(block)?;
                (watch.on_bytes)(block.bytes);
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
    pub(super) fn read(&self, block: &Block) -> Result<Self, LearnError> {
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
                    read.add_fault(&file.path, error);
                }
            }
        }
        if reader.offset() != block.end() && !is_cut {
            return Err(LearnError::Changed {
                file: file.path.clone(),
                end: block.end(),
            });
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
            label: Label::Tree {
                bound: node.bound,
                depth: node.depth,
            },
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
        Self {
            score,
            label: Label::Game { result },
        }
    }

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
        #[expect(clippy::cast_precision_loss, reason = "a score is small")]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_moves;
    use crate::records::packed::PackedSfen;
    use crate::types::Bound;

    const SCALE: u16 = 400;

    fn averaged(scores: &[i32], lambda: f32) -> Vec<i32> {
        let mut scores: Vec<Option<i32>> = scores.iter().copied().map(Some).collect();
        apply_td_lambda(&mut scores, lambda, SCALE, 3000);
        scores
            .into_iter()
            .map(|score| score.expect("it had one"))
            .collect()
    }

    #[test]
    fn signs_turn_from_ply_to_ply() {
        // Both sides agree that the first one is winning, or that the position is even.
        assert_eq!(
            averaged(&[400, -400, 400, -400], 0.7),
            [400, -400, 400, -400]
        );
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
        assert_eq!(
            (scores[0], scores[1], scores[3]),
            (Some(100), None, Some(32_000))
        );
        assert!(
            scores[2].is_some_and(|score| (-3000..-1000).contains(&score)),
            "{scores:?}"
        );
    }

    #[test]
    fn scores_and_results_turn_with_the_side_to_move() {
        let sfen = "3k5/9/9/4r4/9/9/4L4/9/3K5 b - 1";
        let mut position = Position::from_sfen(sfen).expect("a good position");
        let moves = legal_moves(&position);
        let capture = moves.iter().find(|mv| mv.to_string() == "5g5d");
        assert!(capture.is_some());
        for (tactical, expected) in [
            (Tactical::Drop, None),
            (Tactical::Keep, Some((500, Some(1)))),
            (Tactical::Leaf, Some((-500, Some(-1)))),
        ] {
            let filter = Filter {
                tactical,
                ..Filter::default()
            };
            let mut data = Data::default();
            data.add(
                filter,
                false,
                &mut position,
                capture.copied(),
                Judged::of_game(500, 1),
            );
            let found = data.training.first();
            let found = found.map(|sample| (sample.score(), sample.result()));
            assert_eq!(found, expected, "{tactical:?}");
            assert_eq!(position.to_sfen(), sfen);
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
            let filter = Filter {
                tactical,
                ..Filter::default()
            };
            let mut data = Data::default();
            data.add_tree_position(filter, false, &node, &mut position);
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
        let filter = Filter {
            tactical: Tactical::Leaf,
            ..Filter::default()
        };
        for (best, count) in [("5g5d", 1), ("9g9e", 0)] {
            let moves = legal_moves(&position);
            let mv = moves.iter().find(|mv| mv.to_string() == best);
            assert!(mv.is_some());
            let mut data = Data::default();
            data.add(
                filter,
                false,
                &mut position,
                mv.copied(),
                Judged::of_game(500, 1),
            );
            assert_eq!(data.training.len(), count, "{best}");
            assert_eq!(position.to_sfen(), sfen);
        }
    }
}
