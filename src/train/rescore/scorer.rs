//! New scores for the positions of records, on one thread.

use std::sync::Arc;

use super::Searches;
use crate::eval::{Evaluator, ThreadEvaluator};
use crate::position::Position;
use crate::records::psum::PositionSum;
use crate::records::sample::Sample;
use crate::records::score::{self, NINTHS};
use crate::records::teacher::{Record, ScoredPosition, TeacherGame};
use crate::records::tree::TreePosition;
use crate::search::{Generations, Limits, Settings, Solo, SoloLine};
use crate::train::data::column::{Column, ColumnError, Positions};
use crate::transposition::TableError;
use crate::types::Bound;

/// The searcher or evaluator of one thread, with the counts of the current group.
pub(super) struct Scorer<'a> {
    method: Method<'a>,
    searches: Searches,
    /// Why another program's scores cannot be used; nothing has a new score from then on.
    fault: Option<ColumnError>,
}

/// Where scores come from.
enum Method<'a> {
    Search {
        solo: Box<Solo>,
        limits: Arc<Limits>,
    },
    Static(ThreadEvaluator),
    /// Positions are only written, for another program.
    Positions(Positions<'a>),
    /// Scores of another program.
    Column(Column<'a>),
}

/// The new score of a position.
#[derive(Clone, Copy)]
struct Found {
    /// The score in centipawns.
    score: i16,
    /// The best line, if there was a search.
    line: Option<SoloLine>,
}

impl<'a> Scorer<'a> {
    /// A scorer that searches each position.
    pub(super) fn searching(
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
        let solo = Box::new(Solo::new(settings)?);
        Ok(Self::of(Method::Search { solo, limits }))
    }

    /// Scores of static evaluations.
    pub(super) fn evaluating(evaluator: &Evaluator) -> Self {
        Self::of(Method::Static(evaluator.for_thread()))
    }

    /// No scores: the positions are written.
    pub(super) fn writing(positions: Positions<'a>) -> Self {
        Self::of(Method::Positions(positions))
    }

    /// Scores of another program, for positions in the order of its file.
    pub(super) fn reading(column: Column<'a>) -> Self {
        Self::of(Method::Column(column))
    }

    fn of(method: Method<'a>) -> Self {
        Self {
            method,
            searches: Searches::default(),
            fault: None,
        }
    }

    /// Fails if the scores of another program cannot be used.
    pub(super) fn check(&mut self) -> Result<(), ColumnError> {
        self.fault.take().map_or(Ok(()), Err)
    }

    /// The counts, if every score of another program was used.
    pub(super) fn finish(self) -> Result<Searches, ColumnError> {
        if let Method::Column(column) = self.method {
            column.finish()?;
        }
        Ok(self.searches)
    }

    /// Forgets everything, so that the next scores do not depend on earlier ones.
    pub(super) fn begin_group(&mut self) {
        if let Method::Search { solo, .. } = &mut self.method {
            solo.new_game();
        }
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

    /// The new score of a position. `None` if a search finds no legal move.
    fn score(&mut self, position: &Position, old: i16) -> Option<Found> {
        let (score, line, nodes) = match &mut self.method {
            Method::Search { solo, limits } => {
                let result = solo.search(position, limits);
                let best = *result.lines.first()?;
                (
                    score::of_value(best.value),
                    Some(best),
                    result.statistics.nodes,
                )
            }
            Method::Static(evaluator) => (score::of_value(evaluator.evaluate(position)), None, 0),
            Method::Positions(positions) => {
                self.searches.positions += 1;
                self.fault = self.fault.take().or(positions.add(position).err());
                return None;
            }
            Method::Column(column) => {
                if self.fault.is_some() {
                    return None;
                }
                match column.next(position) {
                    Ok(score) => (score, None, 0),
                    Err(error) => {
                        self.fault = Some(error);
                        return None;
                    }
                }
            }
        };
        self.searches.add(nodes, old, score);
        Some(Found { score, line })
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
            let found = old.and_then(|old| self.score(&position, old));
            scores.push(found.map_or(stored, |found| found.score));
            position.do_move(mv);
        }
        Some(game.clone().with_scores(&scores))
    }

    fn score_of_sample(&mut self, sample: &Sample) -> Option<Found> {
        // Without a move the side to move won by declaration, which no search improves.
        sample.mv?;
        let position = sample.position.unpack(sample.ply.max(1).into()).ok()?;
        self.score(&position, sample.score)
    }

    fn sample(&mut self, scored: &ScoredPosition) -> ScoredPosition {
        let found = self.score_of_sample(&scored.sample);
        found.map_or_else(
            || scored.clone(),
            |found| scored.clone().with_score(found.score),
        )
    }

    /// All samples of the sum get the new score.
    fn sum(&mut self, sum: &PositionSum) -> PositionSum {
        let found = self.score_of_sample(&sum.to_sample());
        let count = i64::try_from(sum.count()).unwrap_or(i64::MAX);
        let total = |found: Found| {
            let each = i64::from(found.score) * NINTHS;
            each.saturating_mul(count)
        };
        PositionSum {
            score_sum: found.map_or(sum.score_sum, total),
            ..*sum
        }
    }

    /// The score of a search from the position itself is exact. So is a static evaluation, which
    /// keeps the move and has depth 0.
    fn tree_position(&mut self, node: &TreePosition) -> TreePosition {
        let position = node.position.unpack(node.ply.max(1).into()).ok();
        let found = position.and_then(|position| self.score(&position, node.score));
        found.map_or(*node, |Found { score, line }| TreePosition {
            score,
            mv: line.map_or(node.mv, |line| Some(line.mv.to_move16())),
            depth: line.map_or(0, |line| u8::try_from(line.depth).unwrap_or(u8::MAX)),
            bound: line.map_or(Bound::Exact, |line| line.bound),
            ..*node
        })
    }
}
