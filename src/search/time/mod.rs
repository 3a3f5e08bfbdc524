//! Time management: decides when a search ends, by a plan made from the clocks at its start.
//!
//! The cost of a move is measured on the own clock, from the start or the ponderhit. Whether the
//! optimum is used up is measured from the start, including the opponent's time. With `nodes_time`
//! both are measured in nodes, so that games are reproducible; the real clock then only prevents a
//! loss on time.

mod difficulty;
mod plan;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::types::Color;
use crate::util::system::Instant;

use super::limits::{Clock, Limits};
use super::params::Tuned;
use super::settings::Settings;
use super::signals::PonderHit;
use super::tunables;
pub(super) use difficulty::{Difficulty, Iteration};
use plan::{PERCENT, Plan, Situation, end_of_second};

/// Time factor before the first iteration, in percent of the optimum.
const INITIAL_FACTOR: u32 = PERCENT;
/// With less time than this the clock is polled more often.
const LOW_TIME: Duration = Duration::from_secs(1);
const LOW_TIME_POLL_INTERVAL: u64 = 64;
const POLL_INTERVAL: u64 = 512;
const MICROSECONDS_PER_MILLISECOND: u64 = 1000;

/// Decides when a search ends by the clock.
#[derive(Debug)]
pub(super) struct TimeManager {
    situation: Situation,
    settings: Settings,
    /// Start of the search.
    search_start: Instant,
    /// Start of the own clock, and the node count then.
    start: Instant,
    start_nodes: u64,
    plan: Option<Plan>,
    /// Time factor of the position, in percent of the optimum.
    factor: u32,
}

impl TimeManager {
    /// The plan for a search by `us`; `is_forced` if there is only one legal move.
    pub(super) fn new(
        limits: &Limits,
        settings: &Settings,
        us: Color,
        game_ply: u32,
        is_forced: bool,
    ) -> Self {
        let mut manager = Self {
            situation: Situation {
                us,
                game_ply,
                is_forced,
            },
            settings: settings.clone(),
            search_start: limits.start,
            start: limits.start,
            start_nodes: 0,
            plan: None,
            factor: INITIAL_FACTOR,
        };
        if !limits.infinite {
            manager.plan = match (limits.movetime, &limits.clock) {
                (Some(movetime), _) => Some(Plan::fixed(movetime)),
                (None, Some(clock)) => Some(manager.plan(clock)),
                (None, None) => None,
            };
        }
        manager
    }

    /// Starts the own clock after a ponderhit. If the optimum is already used up, the search ends
    /// at the minimum.
    pub(super) fn ponderhit(&mut self, hit: PonderHit, nodes: u64) {
        if let (Some(plan), Some(clock)) = (self.plan, hit.clock)
            && !plan.is_fixed
        {
            self.plan = Some(self.plan(&clock));
        }
        self.start = hit.at;
        self.start_nodes = nodes;
        self.limit_after_optimum(nodes);
    }

    /// Whether time is up. `nodes`, the count of all threads, is called only with `nodes_time`.
    pub(super) fn is_over(&self, nodes: impl FnOnce() -> u64) -> bool {
        self.plan.is_some_and(|plan| {
            let real = self.start.elapsed();
            let elapsed = match self.settings.nodes_time {
                0 => real,
                _ => self.elapsed(nodes()),
            };
            elapsed >= plan.maximum || real >= plan.remaining
        })
    }

    /// Number of nodes between two polls: fewer where so little time is left that a slow machine
    /// could lose on time.
    pub(super) fn poll_interval(manager: Option<&Self>) -> u64 {
        match manager.and_then(|manager| manager.plan) {
            Some(plan) if plan.remaining < LOW_TIME => LOW_TIME_POLL_INTERVAL,
            _ => POLL_INTERVAL,
        }
    }

    /// Called after an iteration: whether no new one may start. `factor` is the time for the
    /// position in percent of the optimum. On clocks of full seconds the search may go on to the
    /// end of a second.
    pub(super) fn should_stop(&mut self, factor: u32, nodes: u64) -> bool {
        self.factor = factor;
        self.limit_after_optimum(nodes);
        self.is_over(|| nodes)
    }

    /// Called after an iteration while pondering, instead of [`Self::should_stop`].
    pub(super) fn set_factor(&mut self, factor: u32) {
        self.factor = factor;
    }

    fn limit_after_optimum(&mut self, nodes: u64) {
        let (elapsed, total_elapsed) = (self.elapsed(nodes), self.total_elapsed(nodes));
        let Some(plan) = &mut self.plan else {
            return;
        };
        let factor = self
            .factor
            .min(tunables::time_factor_max_percent::<Tuned>() as u32);
        let enough = plan.optimum * factor / PERCENT
            * tunables::time_new_iteration_percent::<Tuned>() as u32
            / PERCENT;
        if plan.is_fixed || total_elapsed < enough {
            return;
        }
        let end = if plan.full_seconds {
            end_of_second(elapsed, &self.settings).min(plan.remaining)
        } else {
            elapsed
        };
        plan.maximum = plan.maximum.min(end.max(plan.minimum));
    }

    /// Time used on the own clock.
    fn elapsed(&self, nodes: u64) -> Duration {
        match self.settings.nodes_time {
            0 => self.start.elapsed(),
            per_millisecond => {
                nodes_to_time(nodes.saturating_sub(self.start_nodes), per_millisecond)
            }
        }
    }

    /// Time since the start of the search.
    fn total_elapsed(&self, nodes: u64) -> Duration {
        match self.settings.nodes_time {
            0 => self.search_start.elapsed(),
            per_millisecond => nodes_to_time(nodes, per_millisecond),
        }
    }

    fn plan(&self, clock: &Clock) -> Plan {
        let plan = Plan::of(clock, &self.settings, self.situation);
        log::debug!("{:?} {clock:?} {plan:?}", self.situation);
        plan
    }
}

/// The longest time that a search on these clocks takes for a move of `us`, from the start or the
/// ponderhit. Front ends log it beside what was used.
pub fn longest_move(clock: &Clock, settings: &Settings, us: Color, game_ply: u32) -> Duration {
    let situation = Situation {
        us,
        game_ply,
        is_forced: false,
    };
    Plan::of(clock, settings, situation).maximum
}

/// The time that a number of nodes stands for on a clock that counts `per_millisecond` nodes, at
/// least 1, as a millisecond.
pub fn nodes_to_time(nodes: u64, per_millisecond: u64) -> Duration {
    Duration::from_micros(nodes.saturating_mul(MICROSECONDS_PER_MILLISECOND) / per_millisecond)
}
