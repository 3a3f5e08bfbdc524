//! How hard a position is, judged by the iterations of its search: the time for it in percent of
//! the optimum.
//!
//! The signals are those of Stockfish: the value falls, within the search and since the last move;
//! the best move changes or has long been the same; nearly all nodes go to one move.

use crate::search::tunables;
use crate::types::{Depth, Value};

const PERCENT: i64 = 100;
const PERMILL: i64 = 1000;
/// What one change of the best move adds to the instability.
const ONE_CHANGE: u32 = 256;
/// A greater fall counts as this one.
const MAX_FALL: Value = 1000;
/// How many iterations back the value is compared with.
const LOOK_BACK: usize = 4;
/// No move is easy before this depth.
const EASY_MIN_DEPTH: Depth = 8;
/// A best move that has been the same for more iterations is settled.
const SETTLED_AFTER: Depth = 8;

/// What an iteration found.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct Iteration {
    pub(in crate::search) depth: Depth,
    /// Value of the best move.
    pub(in crate::search) value: Value,
    /// Nodes searched below the best move, and in all.
    pub(in crate::search) effort: u64,
    pub(in crate::search) nodes: u64,
}

/// How much the signals count, in the units of the tunables of these names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    pub(super) best_move_change_percent: i64,
    pub(super) falling_value_permill: i64,
    pub(super) value_since_last_move_permill: i64,
    pub(super) rising_value_percent: i64,
    pub(super) settled_move_percent: i64,
    pub(super) easy_move_effort_percent: u64,
    pub(super) easy_move_percent: i64,
}

/// The signals of one search, and the value that the last one ended with.
#[derive(Clone, Debug, Default)]
pub(in crate::search) struct Difficulty {
    game_ply: u32,
    /// Recent changes of the best move, each [`ONE_CHANGE`], and half of that in each later
    /// iteration.
    instability: u32,
    /// Depth at which the best move changed last.
    last_change: Depth,
    /// Values of the last iterations, the newest at the end.
    values: [Option<Value>; LOOK_BACK],
    /// Value at the last own move.
    last_move_value: Option<Value>,
    /// Game ply and value of the last search.
    last_search: Option<(u32, Value)>,
}

impl Weights {
    fn tuned() -> Self {
        Self {
            best_move_change_percent: tunables::time_best_move_change_percent().into(),
            falling_value_permill: tunables::time_falling_value_permill().into(),
            value_since_last_move_permill: tunables::time_value_since_last_move_permill().into(),
            rising_value_percent: tunables::time_rising_value_percent().into(),
            settled_move_percent: tunables::time_settled_move_percent().into(),
            easy_move_effort_percent: tunables::time_easy_move_effort_percent() as u64,
            easy_move_percent: tunables::time_easy_move_percent().into(),
        }
    }
}

impl Difficulty {
    /// Starts a search. The value of the last one is compared with if that was two plies earlier in
    /// the game.
    pub(in crate::search) fn begin_search(&mut self, game_ply: u32) {
        let value_at = |(ply, value)| (ply + 2 == game_ply).then_some(value);
        *self = Self {
            game_ply,
            last_move_value: self.last_search.and_then(value_at),
            last_search: self.last_search,
            ..Self::default()
        };
    }

    /// Ends a search with this value.
    pub(in crate::search) fn end_search(&mut self, value: Value) {
        self.last_search = Some((self.game_ply, value));
    }

    /// Starts an iteration: earlier changes of the best move count half.
    pub(in crate::search) fn begin_iteration(&mut self) {
        self.instability /= 2;
    }

    /// The best move changed while this depth was searched.
    pub(in crate::search) fn best_move_changed(&mut self, depth: Depth) {
        self.instability += ONE_CHANGE;
        self.last_change = depth;
    }

    /// The time for the position in percent of the optimum, after an iteration.
    pub(in crate::search) fn end_iteration(&mut self, iteration: Iteration) -> u32 {
        self.time_percent(iteration, &Weights::tuned())
    }

    pub(super) fn time_percent(&mut self, iteration: Iteration, weights: &Weights) -> u32 {
        let Iteration { depth, value, .. } = iteration;
        let fallen_from = |earlier: Option<Value>| {
            let fall = earlier.map_or(0, |earlier| earlier - value);
            i64::from(fall.clamp(-MAX_FALL, MAX_FALL))
        };
        let fallen = fallen_from(self.values[0]) * weights.falling_value_permill
            + fallen_from(self.last_move_value) * weights.value_since_last_move_permill;
        self.values.rotate_left(1);
        self.values[LOOK_BACK - 1] = Some(value);
        let falling_value =
            (PERCENT + fallen * PERCENT / PERMILL).max(weights.rising_value_percent);

        let instability = PERCENT
            + i64::from(self.instability) * weights.best_move_change_percent
                / i64::from(ONE_CHANGE);
        let settled = if depth - self.last_change > SETTLED_AFTER {
            weights.settled_move_percent
        } else {
            PERCENT
        };
        let is_easy = depth >= EASY_MIN_DEPTH
            && iteration.effort * PERCENT as u64
                >= iteration.nodes * weights.easy_move_effort_percent;
        let easy = if is_easy { weights.easy_move_percent } else { PERCENT };
        let percent = falling_value * instability / PERCENT * settled / PERCENT * easy / PERCENT;
        u32::try_from(percent).expect("no factor is negative")
    }
}
