//! Iterative deepening: each iteration searches the root one ply deeper, for each line of `MultiPV`
//! in an aspiration window around its average value.

use crate::types::value::{self, INFINITE, MAX_PLY};
use crate::types::{Depth, Value};

use super::node::{Root, Window};
use super::params::Params;
use super::time::Iteration;
use super::tunables;
use super::worker::Worker;

const PERCENT: i32 = 100;
/// A mate score ends the search at a depth of this many halves times the plies to mate (plus an
/// offset): a deeper search hardly finds a shorter mate.
const MATE_DEPTH_HALVES: Depth = 5;
const MATE_DEPTH_OFFSET: Depth = 2;

/// The depths that helper threads skip, as (size, phase): alternately `size` depths are searched
/// and `size` are skipped, shifted by `phase`. Helpers that skip depths run ahead and fill the
/// table instead of repeating the main thread's work. From Stockfish 8 to 11.
const SKIP_SIZE_AND_PHASE: [(Depth, Depth); 12] = [
    (1, 0),
    (1, 1),
    (2, 0),
    (2, 1),
    (2, 2),
    (2, 3),
    (3, 0),
    (3, 1),
    (3, 2),
    (3, 3),
    (3, 4),
    (3, 5),
];

impl<P: Params> Worker<P> {
    /// Runs iterations until a limit or a stop. Afterwards the root moves are sorted, the best
    /// first.
    pub(super) fn iterative_deepening(&mut self) {
        self.iterate();
        if self.adopt_root_mate() {
            self.report_if_due(self.shown_multi_pv());
        }
    }

    fn iterate(&mut self) {
        let (lines, shown) = (self.multi_pv(), self.shown_multi_pv());
        let last_depth = self.last_depth();
        for depth in 1..=last_depth {
            if self.skips_depth(depth) && depth < last_depth {
                continue;
            }
            self.root_depth = depth;
            self.difficulty.begin_iteration();
            let completed = self.snapshot(lines);
            for root_move in &mut self.root_moves {
                root_move.sort_value = -INFINITE;
            }
            for pv_index in 0..lines {
                self.pv_index = pv_index;
                self.seldepth = 0;
                self.search_line(depth);
                self.root_moves[..=pv_index].sort_by_key(|known| -known.sort_value);
                if self.is_stopped() {
                    self.restore_completed(completed);
                    return;
                }
            }
            self.adopt_root_mate();
            self.previous_pv.clone_from(&self.root_moves[0].pv);
            self.completed_depth = depth;
            self.report_if_due(shown);
            if self.is_finished(depth) {
                return;
            }
        }
    }

    /// Whether the result of any thread may be played: not with several lines, which are compared
    /// within one thread, and not with chosen moves.
    pub(super) fn allows_vote(&self) -> bool {
        self.multi_pv() <= 1 && self.task.limits.search_moves.is_empty()
    }

    /// Whether this thread has completed the requested depth, so that the search can end. Not for
    /// searches that wait for a stop or ponderhit.
    pub(super) fn has_reached_target_depth(&self) -> bool {
        let limits = &self.task.limits;
        let has_reached = |limit| self.completed_depth >= limit;
        let may_end = self.allows_vote() && !limits.infinite && !limits.ponder;
        may_end && limits.depth.is_some_and(has_reached)
    }

    /// Number of lines to search, including those that a lower skill level chooses from.
    pub(super) fn multi_pv(&self) -> usize {
        let settings = &self.task.settings;
        let lines = settings.multi_pv.max(settings.skill.multi_pv());
        lines.clamp(1, self.root_moves.len())
    }

    /// Number of lines to report.
    pub(super) fn shown_multi_pv(&self) -> usize {
        self.task.settings.multi_pv.clamp(1, self.root_moves.len())
    }

    fn last_depth(&self) -> Depth {
        let limit = self.task.limits.depth.unwrap_or(Depth::MAX);
        limit.clamp(1, MAX_PLY as Depth - 1)
    }

    /// Whether this helper thread skips the depth.
    fn skips_depth(&self, depth: Depth) -> bool {
        let Some(helper) = self.task.thread.checked_sub(1) else {
            return false;
        };
        let (length, phase) = SKIP_SIZE_AND_PHASE[helper % SKIP_SIZE_AND_PHASE.len()];
        (depth + phase) / length % 2 == 1
    }

    /// Searches one line at one depth, and widens the aspiration window until the value is inside.
    fn search_line(&mut self, depth: Depth) {
        let best = &self.root_moves[self.pv_index];
        let mut window = Window::FULL;
        let mut delta = tunables::aspiration_window_base::<P>();
        if let Some(square) = best.mean_squared_value {
            delta += (square.abs()
                / i64::from(tunables::aspiration_window_mean_square_divisor::<P>()))
                as Value;
            delta = delta.min(INFINITE);
            window = Window {
                alpha: (best.average_value - delta).max(-INFINITE),
                beta: (best.average_value + delta).min(INFINITE),
            };
        }
        loop {
            self.root_delta = window.beta - window.alpha;
            self.nodes_at_last_root_move = self.statistics.nodes;
            let value = self.search::<Root>(window, depth, 0, false);
            // The sort is stable: moves that failed low keep the order of the last iteration.
            self.root_moves[self.pv_index..].sort_by_key(|known| -known.sort_value);
            if self.is_stopped() || value > window.alpha && value < window.beta {
                return;
            }
            self.report_bound();
            window = widened(window, value, delta);
            delta += delta * tunables::aspiration_window_growth_percent::<P>() / PERCENT;
        }
    }

    /// Whether no further iteration starts.
    fn is_finished(&mut self, depth: Depth) -> bool {
        let best = &self.root_moves[0];
        let value = best.value;
        let plies_to_mate = value::MATE - value.abs();
        let is_settled = value::is_mate(value)
            && self.task.settings.multi_pv <= 1
            && (plies_to_mate + MATE_DEPTH_OFFSET) * MATE_DEPTH_HALVES / 2 < depth;
        let limits = &self.task.limits;
        let has_spent = |soft: u64| self.statistics.nodes >= soft;
        if is_settled || limits.soft_nodes.is_some_and(has_spent) {
            return true;
        }
        if self.time.is_none() {
            self.poll();
            return self.is_stopped();
        }
        let best = &self.root_moves[0];
        let iteration = Iteration {
            depth,
            value: best.value,
            effort: best.effort,
            nodes: self.statistics.nodes,
        };
        let factor = self.difficulty.end_iteration(iteration);
        self.should_stop(factor) || self.is_stopped()
    }
}

/// The aspiration window after the value fell out of it.
fn widened(window: Window, value: Value, delta: Value) -> Window {
    let delta = if value::is_decisive(value) {
        INFINITE
    } else {
        delta
    };
    if value <= window.alpha {
        Window {
            alpha: (value - delta).max(-INFINITE),
            beta: window.alpha,
        }
    } else {
        Window {
            alpha: (window.beta - delta).max(window.alpha),
            beta: (value + delta).min(INFINITE),
        }
    }
}
