//! The worker's list of root moves: updates during an iteration, and the choice at the end.

use crate::types::value::{self, MATE_IN_MAX_PLY};
use crate::types::{Bound, Move, Value};

use super::node::Node;
use super::params::Params;
use super::root_move::RootMove;
use super::task::ThreadResult;
use super::worker::Worker;

/// What a move may lose on its square, in the units of exchanges, and still be one that a weak
/// player chooses.
const SMALL_LOSS: Value = value::PAWN_VALUE;

impl<P: Params> Worker<P> {
    /// The best root move of this thread, `None` where there is no legal move.
    pub(super) fn result(&self) -> Option<ThreadResult> {
        let best = self.root_moves.first()?.clone();
        Some(ThreadResult {
            best,
            completed_depth: self.completed_depth,
        })
    }

    /// Makes a root move the current one, if it is searched now: moves of better lines (`MultiPV`)
    /// are not.
    pub(super) fn begin_root_move(&mut self, mv: Move) -> bool {
        let candidates = &self.root_moves[self.pv_index..];
        let found = candidates.iter().position(|known| known.mv == mv);
        if let Some(index) = found {
            self.root_index = self.pv_index + index;
        }
        found.is_some()
    }

    /// Records the value that the search of the current root move returned.
    pub(super) fn update_root_move(&mut self, node: &Node, mv: Move, value: Value) {
        debug_assert_eq!(self.root_moves[self.root_index].mv, mv);
        let (depth, seldepth) = (self.root_depth, self.seldepth);
        let window = node.window;
        let nodes = self.statistics.nodes;
        let effort = nodes - std::mem::replace(&mut self.nodes_at_last_root_move, nodes);
        let root_move = &mut self.root_moves[self.root_index];
        root_move.effort += effort;
        root_move.update_means(value);
        if node.move_count > 1 && value <= window.alpha {
            // Failed low: the sort is stable, so the move keeps its place among the others.
            root_move.sort_value = -value::INFINITE;
            return;
        }
        let bound = if value >= window.beta {
            Bound::Lower
        } else if value <= window.alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        root_move.update(value, bound, depth, &self.pv_lines[1]);
        root_move.seldepth = seldepth;
        if node.move_count > 1 && self.pv_index == 0 {
            self.difficulty.best_move_changed(self.root_depth);
        }
    }

    /// Replaces the root move with the same move, and moves it to the front.
    pub(super) fn put_first(&mut self, best: RootMove) {
        if let Some(index) = self.root_moves.iter().position(|own| own.mv == best.mv) {
            self.root_moves[index] = best;
            self.root_moves[..=index].rotate_right(1);
        }
    }

    /// Below full strength, may move another of the best moves to the front.
    pub(super) fn choose_by_skill(&mut self) {
        let lines = &self.root_moves[..self.multi_pv()];
        let lines = lines.iter().filter(|line| line.is_searched());
        let values: Vec<Option<Value>> = lines
            .enumerate()
            .map(|(index, line)| {
                let gives_away = index > 0 && !self.position.see_ge(line.mv, -SMALL_LOSS);
                (!gives_away).then_some(line.value)
            })
            .collect();
        let chosen = self.task.settings.skill.pick(&values);
        self.root_moves[..=chosen].rotate_right(1);
    }

    /// A copy of the root moves that [`Self::restore_completed`] may need: all of them where
    /// several lines are searched, otherwise the best.
    pub(super) fn snapshot(&self, lines: usize) -> Vec<RootMove> {
        let count = if lines > 1 { self.root_moves.len() } else { 1 };
        self.root_moves[..count].to_vec()
    }

    /// After an interrupted iteration: goes back to `completed`, the snapshot taken before it,
    /// where the unfinished result must not be used.
    pub(super) fn restore_completed(&mut self, mut completed: Vec<RootMove>) {
        if !completed[0].is_searched() {
            return;
        }
        if completed.len() > 1 {
            // Values of several lines are comparable only within one iteration.
            self.root_moves = completed;
        } else if self.root_moves[0].value <= -MATE_IN_MAX_PLY {
            // A loss is proved only by an iteration that has searched every move.
            self.put_first(completed.remove(0));
        }
    }
}
