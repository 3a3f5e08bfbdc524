//! Searches the positions of records on one thread.

use std::sync::Arc;

use super::report::Searches;
use crate::eval::Evaluator;
use crate::position::Position;
use crate::records::psum::PositionSum;
use crate::records::score::NINTHS;
use crate::records::teacher::{Record, ScoredPosition, TeacherGame};
use crate::records::tree::TreePosition;
use crate::search::{Generations, Limits, Settings, Solo, SoloLine};
use crate::train::gensfen::centipawns;
use crate::transposition::TableError;

/// A searcher and what it found in the current group.
pub(super) struct Scorer {
    solo: Solo,
    limits: Arc<Limits>,
    searches: Searches,
}

impl Scorer {
    pub(super) fn new(
        hash_mb: usize,
        evaluator: Evaluator,
        limits: Arc<Limits>,
    ) -> Result<Self, TableError> {
        let settings = Settings {
            hash_mb,
            // Both sides value a draw at 0.
            draw_value: [0; 2],
            evaluator,
            generations: Generations::Strict,
            ..Settings::default()
        };
        Ok(Self {
            solo: Solo::new(settings)?,
            limits,
            searches: Searches::default(),
        })
    }

    /// Forgets everything, so that the next scores do not depend on earlier ones.
    pub(super) fn begin_group(&mut self) {
        self.solo.new_game();
        self.searches = Searches::default();
    }

    /// The searches since [`Self::begin_group`].
    pub(super) const fn take_searches(&self) -> Searches {
        self.searches
    }

    /// The record with new scores; `None` if `is_aborted` returned true.
    pub(super) fn rescore(
        &mut self,
        record: &Record,
        is_aborted: &dyn Fn() -> bool,
    ) -> Option<Record> {
        if is_aborted() {
            return None;
        }
        Some(match record {
            Record::Game(game) => Record::Game(Box::new(self.game(game, is_aborted)?)),
            Record::Sample(scored) => Record::Sample(self.sample(scored)),
            Record::Sum(sum) => Record::Sum(self.sum(sum)),
            Record::Tree(node) => Record::Tree(self.tree_position(node)),
            Record::Position(..) => record.clone(),
        })
    }

    /// Searches a position. `None` if it has no legal move.
    fn search(&mut self, position: &Position, old: i16) -> Option<SoloLine> {
        let result = self.solo.search(position, &self.limits);
        let best = *result.lines.first()?;
        let new = centipawns(best.value);
        self.searches.add(result.statistics.nodes, old, new);
        Some(best)
    }

    fn game(&mut self, game: &TeacherGame, is_aborted: &dyn Fn() -> bool) -> Option<TeacherGame> {
        let mut position = game.game.start.clone();
        let mut scores = Vec::with_capacity(game.game.moves.len());
        for (index, (mv, old)) in game.scored_moves().enumerate() {
            if is_aborted() {
                return None;
            }
            // A move that was not searched is not to be learnt from: it keeps what is stored.
            let stored = game.game.moves[index].1;
            let best = old.and_then(|old| self.search(&position, old));
            scores.push(best.map_or(stored, |best| centipawns(best.value)));
            position.do_move(mv);
        }
        Some(game.clone().with_scores(&scores))
    }

    fn sample(&mut self, scored: &ScoredPosition) -> ScoredPosition {
        let sample = &scored.sample;
        // Without a move the side to move won by declaration, which no search improves.
        let position = sample
            .mv
            .and(sample.position.unpack(sample.ply.max(1).into()).ok());
        let best = position.and_then(|position| self.search(&position, sample.score));
        best.map_or_else(
            || scored.clone(),
            |best| scored.clone().with_score(centipawns(best.value)),
        )
    }

    /// All samples of the sum get the new score.
    fn sum(&mut self, sum: &PositionSum) -> PositionSum {
        let sample = sum.to_sample();
        let position = sample
            .mv
            .and(sample.position.unpack(sample.ply.max(1).into()).ok());
        let best = position.and_then(|position| self.search(&position, sample.score));
        let count = i64::try_from(sum.count()).unwrap_or(i64::MAX);
        let total = |best: SoloLine| {
            let each = i64::from(centipawns(best.value)) * NINTHS;
            each.saturating_mul(count)
        };
        PositionSum {
            score_sum: best.map_or(sum.score_sum, total),
            ..*sum
        }
    }

    /// The score of a search from the position itself is exact.
    fn tree_position(&mut self, node: &TreePosition) -> TreePosition {
        let position = node.position.unpack(node.ply.max(1).into()).ok();
        let best = position.and_then(|position| self.search(&position, node.score));
        best.map_or(*node, |best| TreePosition {
            score: centipawns(best.value),
            mv: Some(best.mv.to_move16()),
            depth: u8::try_from(best.depth).unwrap_or(u8::MAX),
            bound: best.bound,
            ..*node
        })
    }
}
