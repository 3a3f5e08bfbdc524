//! The time plan for one move: minimum, optimum and maximum, computed from the clocks.
//!
//! No plan exceeds the main time plus byoyomi, minus a reserve for delays; increments are for later
//! moves. Horizon, minimum, optimum, maximum and full seconds follow `YaneuraOu`'s `timeman.cpp`.
//! Two changes make the default settings work with fast clocks: reserve and minimum are limited to
//! a share of the available time, and seconds are rounded up only where all clocks show full
//! seconds.

use std::time::Duration;

use crate::search::limits::Clock;
use crate::search::settings::Settings;
use crate::types::Color;

const SECOND: Duration = Duration::from_secs(1);
/// The reserve is at most the available time divided by this: with a few seconds per game there is
/// no network delay of a second, and a fixed reserve would use up all the time.
const RESERVE_DIVISOR: u32 = 3;
/// The reserve that is kept whatever the setting: the available time divided by this, at most so
/// much. A search notices a moment late that its time is over.
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
pub(super) const PERCENT: u32 = 100;

/// The plan for one move, in durations on the own clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Plan {
    /// Least time, even if the search has settled.
    pub(super) minimum: Duration,
    /// Time for a position of average difficulty; no new iteration starts after about this time.
    pub(super) optimum: Duration,
    /// The search stops here. Lowered once the optimum is used up.
    pub(super) maximum: Duration,
    /// Hard limit by the clock.
    pub(super) remaining: Duration,
    /// Whether to use each second that was begun to its end.
    pub(super) full_seconds: bool,
    /// Whether the time is fixed (`movetime`), so that the optimum does not end the search early.
    pub(super) is_fixed: bool,
}

/// What the plan depends on besides the clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    pub(super) us: Color,
    pub(super) game_ply: u32,
    /// Whether there is only one legal move.
    pub(super) is_forced: bool,
}

impl Plan {
    /// A plan for a fixed time per move.
    pub(super) fn fixed(time: Duration) -> Self {
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
    pub(super) fn of(clock: &Clock, settings: &Settings, situation: Situation) -> Self {
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
        let begun = if full_seconds {
            SECOND * (moves + 1)
        } else {
            Duration::ZERO
        };
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
        let longest = if byoyomi.is_zero() {
            remaining / SUDDEN_DEATH_DIVISOR
        } else {
            remaining
        };
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
    let wanted = settings
        .minimum_thinking_time
        .saturating_sub(settings.network_delay);
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
pub(super) fn end_of_second(planned: Duration, settings: &Settings) -> Duration {
    let seconds = planned.as_secs() + u64::from(planned.subsec_nanos() > 0);
    let end = Duration::from_secs(seconds).saturating_sub(settings.network_delay);
    let end = if end < planned { end + SECOND } else { end };
    end.max(planned)
}
