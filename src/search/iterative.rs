//! Iterative deepening: the root is searched deeper and deeper, each time within a window around the last value, once
//! for each line that is asked for.

use crate::types::value::{self, INFINITE, MAX_PLY};
use crate::types::{Depth, Value};

use super::node::{Root, Window};
use super::tunables::{
    aspiration_delta, aspiration_growth, aspiration_min_depth, time_falling, time_instability,
};
use super::worker::Worker;

const PERCENT: i32 = 100;
const PERMILL: i32 = 1000;
/// A mate is searched so many times its length deep before a search with a clock ends early.
const MATE_DEPTH_FACTOR: Depth = 3;

impl Worker {
    /// Searches deeper and deeper until something ends it. Afterwards the root moves are sorted, the best first.
    pub(super) fn iterate(&mut self) {
        let lines = self.task.settings.multi_pv.clamp(1, self.root_moves.len());
        let last_depth = self.last_depth();
        for depth in 1..=last_depth {
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
            self.completed_depth = depth;
            self.report_if_due(lines);
            if self.is_done(depth, previous) {
                return;
            }
        }
    }

    fn last_depth(&self) -> Depth {
        let limit = self.task.limits.depth.unwrap_or(Depth::MAX);
        limit.clamp(1, MAX_PLY as Depth - 1)
    }

    /// One line at one depth: the window is opened until the value lies inside.
    fn search_line(&mut self, depth: Depth) {
        let expected = self.root_moves[self.pv_index].value;
        let mut delta = aspiration_delta();
        let mut window = Window::FULL;
        if depth >= aspiration_min_depth() && expected.abs() < value::MAX_EVALUATION {
            window = Window {
                alpha: (expected - delta).max(-INFINITE),
                beta: (expected + delta).min(INFINITE),
            };
        }
        loop {
            let value = self.search::<Root>(window, depth, 0, false);
            // The sort is stable: moves without a value keep the order of the last iteration.
            self.root_moves[self.pv_index..].sort_by_key(|known| -known.rank);
            if self.is_stopped() || value > window.alpha && value < window.beta {
                return;
            }
            self.report_bound();
            window = opened(window, value, delta);
            delta += delta * aspiration_growth() / PERCENT;
        }
    }

    /// Whether no further iteration is needed.
    fn is_done(&mut self, depth: Depth, previous: Value) -> bool {
        let best = &self.root_moves[0];
        let value = best.value;
        if self.time.is_none() {
            self.poll();
            return self.is_stopped();
        }
        let has_clock = self.task.limits.clock.is_some() && !self.task.limits.infinite;
        if has_clock
            && !self.task.signals.is_pondering()
            && value::is_mate(value)
            && depth >= MATE_DEPTH_FACTOR * (value::MATE - value.abs())
        {
            return true;
        }
        let fallen = if previous == -INFINITE {
            0
        } else {
            (previous - value).clamp(0, PERMILL)
        };
        let factor = PERCENT
            + self.best_move_changes as i32 * time_instability()
            + fallen * time_falling() * PERCENT / PERMILL;
        self.has_thought_enough(factor as u32) || self.is_stopped()
    }
}

/// The window after the value fell out of it.
fn opened(window: Window, value: Value, delta: Value) -> Window {
    let delta = if value.abs() > value::MAX_EVALUATION {
        INFINITE
    } else {
        delta
    };
    if value <= window.alpha {
        Window {
            alpha: (value - delta).max(-INFINITE),
            beta: Value::midpoint(window.alpha, window.beta),
        }
    } else {
        Window {
            alpha: window.alpha,
            beta: (value + delta).min(INFINITE),
        }
    }
}
