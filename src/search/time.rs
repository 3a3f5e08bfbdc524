//! How long to think: the decision when to stop, by a plan that is made from the clocks at the start of a search.
//!
//! Two clocks count. What a move costs runs on the own clock, from the start or from a ponderhit; whether there was thought
//! enough runs from the start, the opponent's time included. With `nodes_time` both run in nodes, so that a game can be
//! repeated; the real clock then only forbids to lose by it.

mod plan;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use crate::types::Color;

use super::limits::{Clock, Limits};
use super::settings::Settings;
use super::signals::PonderHit;
use super::tunables;
use plan::{PERCENT, Plan, Situation, end_of_second};

/// What is thought about a move before anything is known of it, in percent of the optimum.
const USUAL_FACTOR: u32 = PERCENT;
/// With less time than this the clock is looked at more often.
const URGENT: Duration = Duration::from_secs(1);
const URGENT_POLL_INTERVAL: u64 = 64;
const POLL_INTERVAL: u64 = 512;
const MICROSECONDS_PER_MILLISECOND: u64 = 1000;

/// When a search ends by the clock.
#[derive(Debug)]
pub(super) struct TimeManager {
    situation: Situation,
    settings: Settings,
    /// The search began here.
    asked: Instant,
    /// The own clock runs from here, and from so many nodes.
    start: Instant,
    start_nodes: u64,
    plan: Option<Plan>,
    /// How much more than the optimum the position seems to be worth, in percent.
    factor: u32,
}

impl TimeManager {
    /// The plan for a search by `us`; `is_forced` where there is one move only.
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
            asked: limits.start,
            start: limits.start,
            start_nodes: 0,
            plan: None,
            factor: USUAL_FACTOR,
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

    /// The opponent made the expected move: the own clock runs from now. A search that has thought enough already uses up
    /// no more than it must.
    pub(super) fn ponderhit(&mut self, hit: PonderHit, nodes: u64) {
        if let (Some(plan), Some(clock)) = (self.plan, hit.clock)
            && !plan.is_exact
        {
            self.plan = Some(self.plan(&clock));
        }
        self.start = hit.at;
        self.start_nodes = nodes;
        self.end_if_enough(nodes);
    }

    /// Whether time is up; `nodes` counts those of all threads, which is asked for only where time runs in nodes.
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

    /// Nodes between two looks at the clock and the signals: fewer where there is so little time that a slow machine could
    /// lose by them.
    pub(super) fn poll_interval(manager: Option<&Self>) -> u64 {
        match manager.and_then(|manager| manager.plan) {
            Some(plan) if plan.remaining < URGENT => URGENT_POLL_INTERVAL,
            _ => POLL_INTERVAL,
        }
    }

    /// Called after an iteration: whether another one should not begin. `factor` is how much more than the optimum the
    /// position is worth, in percent. Where seconds are counted, the search may go on to the end of one.
    pub(super) fn should_stop(&mut self, factor: u32, nodes: u64) -> bool {
        self.factor = factor;
        self.end_if_enough(nodes);
        self.is_over(|| nodes)
    }

    /// Called instead while the opponent's clock runs.
    pub(super) fn set_factor(&mut self, factor: u32) {
        self.factor = factor;
    }

    fn end_if_enough(&mut self, nodes: u64) {
        let (elapsed, thought) = (self.elapsed(nodes), self.thought(nodes));
        let Some(plan) = &mut self.plan else {
            return;
        };
        let factor = self.factor.min(tunables::time_factor_max_percent() as u32);
        let enough = plan.optimum * factor / PERCENT
            * tunables::time_new_iteration_percent() as u32
            / PERCENT;
        if plan.is_exact || thought < enough {
            return;
        }
        let end = if plan.full_seconds {
            end_of_second(elapsed, &self.settings).min(plan.remaining)
        } else {
            elapsed
        };
        plan.maximum = plan.maximum.min(end.max(plan.minimum));
    }

    /// What the move has cost.
    fn elapsed(&self, nodes: u64) -> Duration {
        match self.settings.nodes_time {
            0 => self.start.elapsed(),
            per_millisecond => in_time(nodes.saturating_sub(self.start_nodes), per_millisecond),
        }
    }

    /// How long the position was thought about.
    fn thought(&self, nodes: u64) -> Duration {
        match self.settings.nodes_time {
            0 => self.asked.elapsed(),
            per_millisecond => in_time(nodes, per_millisecond),
        }
    }

    fn plan(&self, clock: &Clock) -> Plan {
        let plan = Plan::of(clock, &self.settings, self.situation);
        log::debug!("{:?} {clock:?} {plan:?}", self.situation);
        plan
    }
}

/// The time that so many nodes stand for.
fn in_time(nodes: u64, per_millisecond: u64) -> Duration {
    Duration::from_micros(nodes.saturating_mul(MICROSECONDS_PER_MILLISECOND) / per_millisecond)
}
