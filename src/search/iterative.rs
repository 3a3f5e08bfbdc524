//! Iterative deepening: the root is searched deeper and deeper, each time within a window around the last value, once
//! for each line that is asked for.

use crate::types::value::{self, INFINITE, MAX_PLY};
use crate::types::{Depth, Value};

use super::node::{Root, Window};
use super::tunables::{
    aspiration_delta, aspiration_divisor, aspiration_growth, time_easy, time_easy_effort,
    time_falling, time_instability,
};
use super::worker::Worker;

const PERCENT: i32 = 100;
const PERMILL: i32 = 1000;
/// A mate is proved; a search so many times deeper (in halves) finds no shorter one worth the time.
const MATE_DEPTH_HALVES: Depth = 5;
const MATE_DEPTH_OFFSET: Depth = 2;
/// Before this depth no move is easy: few nodes say little.
const EASY_DEPTH: Depth = 8;

/// How helpers leave out depths: so many that are searched, then as many that are not, and where in this they begin. Threads
/// that all search the same depths do the same work at the same time; these run ahead and fill the table. From Stockfish
/// 8 to 11.
const RHYTHMS: [(Depth, Depth); 12] = [
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

impl Worker {
    /// Searches deeper and deeper until something ends it. Afterwards the root moves are sorted, the best first.
    pub(super) fn iterate(&mut self) {
        let (lines, shown) = (self.lines(), self.shown_lines());
        let last_depth = self.last_depth();
        for depth in 1..=last_depth {
            if self.skips(depth) && depth < last_depth {
                continue;
            }
            self.root_depth = depth;
            self.best_move_changes /= 2;
            let previous = self.root_moves[0].value;
            let completed = self.completed_lines(lines);
            for root_move in &mut self.root_moves {
                root_move.rank = -INFINITE;
            }
            for pv_index in 0..lines {
                self.pv_index = pv_index;
                self.seldepth = 0;
                self.search_line(depth);
                self.root_moves[..=pv_index].sort_by_key(|known| -known.rank);
                if self.is_stopped() {
                    self.settle(completed);
                    return;
                }
            }
            self.last_line.clone_from(&self.root_moves[0].line);
            self.completed_depth = depth;
            self.report_if_due(shown);
            if self.is_done(depth, previous) {
                return;
            }
        }
    }

    /// Whether one thread may speak for all: several lines belong together, and a choice of moves is the first thread's.
    pub(super) fn has_one_line(&self) -> bool {
        self.lines() <= 1 && self.task.limits.search_moves.is_empty()
    }

    /// Whether this thread has completed the depth that was asked for: whoever is there first has the answer. Not where the
    /// answer has to wait for a permission.
    pub(super) fn answers_first(&self) -> bool {
        let limits = &self.task.limits;
        let has_reached = |limit| self.completed_depth >= limit;
        let may_end = self.has_one_line() && !limits.infinite && !limits.ponder;
        may_end && limits.depth.is_some_and(has_reached)
    }

    /// How many lines are searched.
    pub(super) fn lines(&self) -> usize {
        let settings = &self.task.settings;
        let lines = settings.multi_pv.max(settings.skill.lines());
        lines.clamp(1, self.root_moves.len())
    }

    /// How many of them the user wants to see.
    pub(super) fn shown_lines(&self) -> usize {
        self.task.settings.multi_pv.clamp(1, self.root_moves.len())
    }

    fn last_depth(&self) -> Depth {
        let limit = self.task.limits.depth.unwrap_or(Depth::MAX);
        limit.clamp(1, MAX_PLY as Depth - 1)
    }

    /// Helpers leave out depths, each in its own rhythm.
    fn skips(&self, depth: Depth) -> bool {
        let Some(helper) = self.task.thread.checked_sub(1) else {
            return false;
        };
        let (length, phase) = RHYTHMS[helper % RHYTHMS.len()];
        (depth + phase) / length % 2 == 1
    }

    /// One line at one depth: the window is opened until the value lies inside.
    fn search_line(&mut self, depth: Depth) {
        let best = &self.root_moves[self.pv_index];
        let mut window = Window::FULL;
        let mut delta = aspiration_delta();
        if let Some(square) = best.mean_square {
            delta += (square.abs() / i64::from(aspiration_divisor())) as Value;
            delta = delta.min(INFINITE);
            window = Window {
                alpha: (best.average - delta).max(-INFINITE),
                beta: (best.average + delta).min(INFINITE),
            };
        }
        let mut failed_high = 0;
        loop {
            self.root_width = window.beta - window.alpha;
            self.root_move_nodes = self.statistics.nodes;
            let value = self.search::<Root>(window, (depth - failed_high).max(1), 0, false);
            // The sort is stable: moves without a value keep the order of the last iteration.
            self.root_moves[self.pv_index..].sort_by_key(|known| -known.rank);
            if self.is_stopped() || value > window.alpha && value < window.beta {
                return;
            }
            self.report_bound();
            if value <= window.alpha {
                failed_high = 0;
            } else {
                failed_high += 1;
            }
            window = opened(window, value, delta);
            delta += delta * aspiration_growth() / PERCENT;
        }
    }

    /// Whether no further iteration is needed.
    fn is_done(&mut self, depth: Depth, previous: Value) -> bool {
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
        let factor = self.worth_of_thought(depth, previous);
        self.has_thought_enough(factor) || self.is_stopped()
    }

    /// How much more or less than usual the position is worth to be thought about, in percent: more where the value falls
    /// or the best move changes, less where nearly all nodes go to one move, which the others do not come near.
    fn worth_of_thought(&self, depth: Depth, previous: Value) -> u32 {
        let best = &self.root_moves[0];
        let fallen = if previous == -INFINITE {
            0
        } else {
            (previous - best.value).clamp(0, PERMILL)
        };
        let factor = PERCENT
            + self.best_move_changes as i32 * time_instability()
            + fallen * time_falling() * PERCENT / PERMILL;
        let is_easy = depth >= EASY_DEPTH
            && best.effort * PERCENT as u64 >= self.statistics.nodes * time_easy_effort() as u64;
        let factor = if is_easy {
            factor * time_easy() / PERCENT
        } else {
            factor
        };
        factor as u32
    }
}

/// The window after the value fell out of it.
fn opened(window: Window, value: Value, delta: Value) -> Window {
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
