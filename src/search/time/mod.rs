//! Time management: decides when a search ends, by a plan made from the clocks at its start.
//!
//! The cost of a move is measured on the own clock, from the start or the ponderhit. Whether the
//! optimum is used up is measured from the start, including the opponent's time. With `nodes_time`
//! both are measured in nodes, so that games are reproducible; the real clock then only prevents a
//! loss on time.
//!
//! No plan exceeds the main time plus byoyomi, minus a reserve for delays; increments are for later
//! moves. Horizon, minimum, optimum, maximum and full seconds follow `YaneuraOu`'s `timeman.cpp`.
//! Two changes make the default settings work with fast clocks: reserve and minimum are limited to
//! a share of the available time, and seconds are rounded up only where all clocks show full
//! seconds.

mod difficulty;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::{types::Color, util::system::Instant};

use super::limits::{Clock, Limits, Settings};
use super::{signals::PonderHit, tunables};

pub(super) use difficulty::{Difficulty, Iteration};

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
            situation: Situation { us, game_ply, is_forced },
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

    /// What is left of the time that a level below full strength takes for a move, as a person
    /// does: from a tenth to six tenths of the optimum by `share` from 0 to 1, half of it in the
    /// opening, and at least [`Settings::minimum_thinking_time`] where half of the optimum allows
    /// it. Zero without clocks.
    pub(super) fn pace(&self, share: f64) -> Duration {
        let Some(plan) = self.plan.filter(|plan| !plan.is_fixed) else {
            return Duration::ZERO;
        };
        if self.settings.nodes_time > 0 {
            return Duration::ZERO;
        }
        let is_opening = self.situation.game_ply < PACE_OPENING;
        let part = PACE.0 + (PACE.1 - PACE.0) * share;
        let part = if is_opening { part / 2.0 } else { part };
        let wanted =
            self.settings.minimum_thinking_time.saturating_sub(self.settings.network_delay);
        let pace = plan.optimum.mul_f64(part).max(wanted.min(plan.optimum / 2));
        pace.saturating_sub(self.start.elapsed())
    }

    fn limit_after_optimum(&mut self, nodes: u64) {
        let (elapsed, total_elapsed) = (self.elapsed(nodes), self.total_elapsed(nodes));
        let Some(plan) = &mut self.plan else {
            return;
        };
        let factor = self.factor.min(tunables::time_factor_max_percent() as u32);
        let enough = plan.optimum * factor / PERCENT
            * tunables::time_new_iteration_percent() as u32
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

/// The time that a number of nodes stands for on a clock that counts `per_millisecond` nodes, at
/// least 1, as a millisecond.
pub fn nodes_to_time(nodes: u64, per_millisecond: u64) -> Duration {
    Duration::from_micros(nodes.saturating_mul(MICROSECONDS_PER_MILLISECOND) / per_millisecond)
}

// --- The plan for one move ---

const SECOND: Duration = Duration::from_secs(1);
/// The reserve is at most the available time divided by this: with a few seconds per game there is
/// no network delay of a second, and a fixed reserve would use up all the time.
const RESERVE_DIVISOR: u32 = 3;
/// The reserve that is kept whatever the setting: the available time divided by this, at most the
/// second. A search notices a moment late that its time is over.
const LEAST_RESERVE_DIVISOR: u32 = 40;
const MOST_LEAST_RESERVE: Duration = Duration::from_millis(10);
/// Without byoyomi a move takes at most the remaining time divided by this, so that a machine that
/// stalls does not lose on time.
const SUDDEN_DEATH_DIVISOR: u32 = 2;
/// Limits of the minimum: the average time per move divided by the first, and its share of the
/// optimum, the average main time per move divided by the second.
const MINIMUM_DIVISOR: u32 = 2;
const MINIMUM_IN_OPTIMUM_DIVISOR: u32 = 4;
/// Planned game length in plies, and the plies added without byoyomi and increment, and with them.
const HORIZON: u32 = 160;
const HORIZON_SUDDEN_DEATH: u32 = 40;
const HORIZON_INCREMENT: u32 = 20;
/// Plies of the opening, during which the horizon does not shrink, for the same two kinds of games.
const OPENING_SUDDEN_DEATH: u32 = 40;
const OPENING_INCREMENT: u32 = 80;
/// The maximum is this multiple of the average time per move, and at most this percentage of the
/// estimated total time.
const MAXIMUM_MULTIPLE: u32 = 5;
const MAXIMUM_PERCENT: u32 = 30;
/// With pondering the optimum is increased by the optimum divided by this.
const PONDER_BONUS_DIVISOR: u32 = 4;
/// With less main time than this percentage of byoyomi, all time is used for the move.
const FINAL_PUSH_PERCENT: u32 = 120;
/// Maximum time for the only legal move.
const FORCED_MOVE_TIME: Duration = Duration::from_millis(500);
/// The least and the greatest part of the optimum that a level below full strength takes, and the
/// ply of a game below which it takes half of that.
const PACE: (f64, f64) = (0.1, 0.6);
const PACE_OPENING: u32 = 20;
const PERCENT: u32 = 100;

/// The plan for one move, in durations on the own clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Plan {
    /// Least time, even if the search has settled.
    minimum: Duration,
    /// Time for a position of average difficulty; no new iteration starts after about this time.
    optimum: Duration,
    /// The search stops here. Lowered once the optimum is used up.
    maximum: Duration,
    /// Hard limit by the clock.
    remaining: Duration,
    /// Whether to use each second that was begun to its end.
    full_seconds: bool,
    /// Whether the time is fixed (`movetime`), so that the optimum does not end the search early.
    is_fixed: bool,
}

/// What the plan depends on besides the clocks.
#[derive(Clone, Copy, Debug)]
struct Situation {
    us: Color,
    game_ply: u32,
    /// Whether there is only one legal move.
    is_forced: bool,
}

impl Plan {
    /// A plan for a fixed time per move.
    fn fixed(time: Duration) -> Self {
        Self {
            minimum: time,
            optimum: time,
            maximum: time,
            remaining: time,
            full_seconds: false,
            is_fixed: true,
        }
    }

    /// A plan from the clocks.
    fn of(clock: &Clock, settings: &Settings, situation: Situation) -> Self {
        let us = situation.us.index();
        let (time, increment, byoyomi) = (clock.time[us], clock.increment[us], clock.byoyomi[us]);
        let total = time + byoyomi;
        let least = (total / LEAST_RESERVE_DIVISOR).min(MOST_LEAST_RESERVE);
        let reserve = settings.network_delay2.max(least);
        let reserve = reserve.min(total / RESERVE_DIVISOR);
        let remaining = total.saturating_sub(reserve);
        let full_seconds = settings.round_up_to_full_second && shows_full_seconds(clock);
        let is_sudden_death = increment.is_zero() && byoyomi.is_zero();
        let moves = moves_to_go(settings, situation.game_ply, is_sudden_death);
        let own = time.saturating_sub(reserve);
        let estimate = own + (increment + byoyomi) * moves;
        let mut minimum = minimum_time(settings, estimate / moves, full_seconds);
        // On clocks of full seconds, one second per move is kept in reserve.
        let begun = if full_seconds { SECOND * (moves + 1) } else { Duration::ZERO };
        let estimate = estimate.saturating_sub(begun);
        let share = estimate / moves;
        let base = minimum.min(own / moves / MINIMUM_IN_OPTIMUM_DIVISOR);
        let mut optimum = (base + share) * settings.slow_mover / PERCENT;
        if settings.ponder {
            optimum += optimum / PONDER_BONUS_DIVISOR;
        }
        let mut maximum =
            minimum + (share * MAXIMUM_MULTIPLE).min(estimate / PERCENT * MAXIMUM_PERCENT);
        if !byoyomi.is_zero() && time < byoyomi * FINAL_PUSH_PERCENT / PERCENT {
            (minimum, optimum, maximum) = (total, total, total);
        }
        if situation.is_forced {
            minimum = minimum.min(FORCED_MOVE_TIME);
            (optimum, maximum) = (minimum, minimum);
        }
        let longest = if byoyomi.is_zero() { remaining / SUDDEN_DEATH_DIVISOR } else { remaining };
        let end = |planned: Duration| {
            let planned = if full_seconds && !situation.is_forced {
                end_of_second(planned, settings)
            } else {
                planned
            };
            planned.min(longest)
        };
        Self {
            minimum: end(minimum),
            optimum: optimum.min(longest),
            maximum: end(maximum.max(optimum)),
            remaining,
            full_seconds,
            is_fixed: false,
        }
    }
}

/// The minimum time of a move; `average` is the average time per move.
fn minimum_time(settings: &Settings, average: Duration, full_seconds: bool) -> Duration {
    let wanted = settings.minimum_thinking_time.saturating_sub(settings.network_delay);
    let minimum = wanted.min(average / MINIMUM_DIVISOR);
    if full_seconds {
        // On these clocks the first second is free, or lost anyway.
        minimum.max(SECOND.saturating_sub(settings.network_delay))
    } else {
        minimum
    }
}

/// Whether all clocks show full seconds, as those do that count nothing else. Clocks that count
/// milliseconds do so before the first move, but hardly ever later.
fn shows_full_seconds(clock: &Clock) -> bool {
    [clock.time, clock.increment, clock.byoyomi]
        .as_flattened()
        .iter()
        .all(|duration| duration.subsec_nanos() == 0)
}

/// The number of own moves for which the time must last, at least 1.
fn moves_to_go(settings: &Settings, game_ply: u32, is_sudden_death: bool) -> u32 {
    let (more, opening) = if is_sudden_death {
        (HORIZON_SUDDEN_DEATH, OPENING_SUDDEN_DEATH)
    } else {
        (HORIZON_INCREMENT, OPENING_INCREMENT)
    };
    let horizon = HORIZON + more - game_ply.min(opening);
    let plies = match settings.max_moves_to_draw {
        0 => horizon,
        last if game_ply > last => horizon,
        last => (last + 2).saturating_sub(game_ply).min(horizon),
    };
    (plies / 2).max(1)
}

/// The planned time rounded up to a full second minus the network delay.
fn end_of_second(planned: Duration, settings: &Settings) -> Duration {
    let seconds = planned.as_secs() + u64::from(planned.subsec_nanos() > 0);
    let end = Duration::from_secs(seconds).saturating_sub(settings.network_delay);
    let end = if end < planned { end + SECOND } else { end };
    end.max(planned)
}
