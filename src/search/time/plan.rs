//! The plan for one move: how long to think at least, usually and at most, as the clocks allow.
//!
//! It never goes beyond the own time plus byoyomi less the reserve for delays; increments are for later moves. Horizon,
//! minimum, optimum, maximum and full seconds are ideas of `YaneuraOu`'s `timeman.cpp`. What differs serves fast clocks
//! without other settings: the reserve and the minimum are never more than a share of what the clock allows, and full seconds
//! are counted only where the clocks show nothing else.

use std::time::Duration;

use crate::search::limits::Clock;
use crate::search::settings::Settings;
use crate::types::Color;

const SECOND: Duration = Duration::from_secs(1);
/// The reserve for delays is at most one part in so many of the time there is. Who plays with less than a few seconds has no
/// delay of a second, and would lose all his time to it.
const RESERVE_PART: u32 = 3;
/// Without byoyomi no move takes more than one part in so many of the rest: after a machine that stood still there must be
/// something left.
const MOST_PART: u32 = 2;
/// The minimum is at most one part in so many of what a move may cost on average, and adds less to the optimum.
const MINIMUM_PART: u32 = 2;
const MINIMUM_PART_OF_OPTIMUM: u32 = 4;
/// A game is planned for so many plies from its start, more in games without byoyomi and increment.
const HORIZON: u32 = 160;
const HORIZON_SUDDEN_DEATH: u32 = 40;
const HORIZON_ENDLESS: u32 = 20;
/// The opening, in which the horizon does not come closer yet; likewise.
const OPENING_SUDDEN_DEATH: u32 = 40;
const OPENING_ENDLESS: u32 = 80;
/// The maximum is so many times the share of one move, and at most this part of all estimated time.
const MAXIMUM_SHARES: u32 = 5;
const MAXIMUM_PERCENT: u32 = 30;
/// Pondering saves time: so much of the optimum is added.
const PONDER_SHARE: u32 = 4;
/// With less time than this share of byoyomi left, everything is used for this move.
const FINAL_PUSH_PERCENT: u32 = 120;
/// Thinking about a forced move is no use.
const FORCED_MOVE_TIME: Duration = Duration::from_millis(500);
pub(super) const PERCENT: u32 = 100;

/// Durations on the own clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Plan {
    /// Think at least so long.
    pub(super) minimum: Duration,
    /// What the move is worth.
    pub(super) optimum: Duration,
    /// Stop here in any case. Comes closer when the search decides that it has thought enough.
    pub(super) maximum: Duration,
    /// Nothing goes beyond.
    pub(super) remaining: Duration,
    /// A begun second is used up.
    pub(super) full_seconds: bool,
    /// The time was given, not planned.
    pub(super) is_exact: bool,
}

/// Who is to move, and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    pub(super) us: Color,
    pub(super) game_ply: u32,
    /// There is one move only.
    pub(super) is_forced: bool,
}

impl Plan {
    /// Exactly so long.
    pub(super) fn fixed(time: Duration) -> Self {
        Self {
            minimum: time,
            optimum: time,
            maximum: time,
            remaining: time,
            full_seconds: false,
            is_exact: true,
        }
    }

    /// As long as the clocks allow.
    pub(super) fn of(clock: &Clock, settings: &Settings, situation: Situation) -> Self {
        let us = situation.us.index();
        let (time, increment, byoyomi) = (clock.time[us], clock.increment[us], clock.byoyomi[us]);
        let total = time + byoyomi;
        let reserve = settings.network_delay2.min(total / RESERVE_PART);
        let remaining = total.saturating_sub(reserve);
        let full_seconds = settings.round_up_to_full_second && shows_full_seconds(clock);
        let is_sudden_death = increment.is_zero() && byoyomi.is_zero();
        let moves = moves_to_go(settings, situation.game_ply, is_sudden_death);
        let own = time.saturating_sub(reserve);
        let estimate = own + (increment + byoyomi) * moves;
        let mut minimum = minimum_time(settings, estimate / moves, full_seconds);
        // A second for each move is kept back for clocks that count full ones.
        let begun = if full_seconds {
            SECOND * (moves + 1)
        } else {
            Duration::ZERO
        };
        let estimate = estimate.saturating_sub(begun);
        let share = estimate / moves;
        let base = minimum.min(own / moves / MINIMUM_PART_OF_OPTIMUM);
        let mut optimum = (base + share) * settings.slow_mover / PERCENT;
        if settings.ponder {
            optimum += optimum / PONDER_SHARE;
        }
        let mut maximum =
            minimum + (share * MAXIMUM_SHARES).min(estimate / PERCENT * MAXIMUM_PERCENT);
        if !byoyomi.is_zero() && time < byoyomi * FINAL_PUSH_PERCENT / PERCENT {
            (minimum, optimum, maximum) = (total, total, total);
        }
        if situation.is_forced {
            minimum = minimum.min(FORCED_MOVE_TIME);
            (optimum, maximum) = (minimum, minimum);
        }
        let most = if byoyomi.is_zero() {
            remaining / MOST_PART
        } else {
            remaining
        };
        let end = |planned: Duration| {
            let planned = if full_seconds && !situation.is_forced {
                end_of_second(planned, settings)
            } else {
                planned
            };
            planned.min(most)
        };
        Self {
            minimum: end(minimum),
            optimum: optimum.min(most),
            maximum: end(maximum.max(optimum)),
            remaining,
            full_seconds,
            is_exact: false,
        }
    }
}

/// The least time for a move, of those that cost so much on average.
fn minimum_time(settings: &Settings, average: Duration, full_seconds: bool) -> Duration {
    let wanted = settings
        .minimum_thinking_time
        .saturating_sub(settings.network_delay);
    let minimum = wanted.min(average / MINIMUM_PART);
    if full_seconds {
        // The first second costs nothing, or is lost anyway.
        minimum.max(SECOND.saturating_sub(settings.network_delay))
    } else {
        minimum
    }
}

/// Whether the clocks may be such that count full seconds only: those show no others. One that counts milliseconds looks
/// so before the first move, and hardly ever again.
fn shows_full_seconds(clock: &Clock) -> bool {
    [clock.time, clock.increment, clock.byoyomi]
        .as_flattened()
        .iter()
        .all(|duration| duration.subsec_nanos() == 0)
}

/// For how many own moves the time must last.
fn moves_to_go(settings: &Settings, game_ply: u32, is_sudden_death: bool) -> u32 {
    let (more, opening) = if is_sudden_death {
        (HORIZON_SUDDEN_DEATH, OPENING_SUDDEN_DEATH)
    } else {
        (HORIZON_ENDLESS, OPENING_ENDLESS)
    };
    let horizon = HORIZON + more - game_ply.min(opening);
    let plies = match settings.max_moves_to_draw {
        0 => horizon,
        last => (last + 2).saturating_sub(game_ply).min(horizon),
    };
    (plies / 2).max(1)
}

/// The end of the begun second less the usual delay.
pub(super) fn end_of_second(planned: Duration, settings: &Settings) -> Duration {
    let seconds = planned.as_secs() + u64::from(planned.subsec_nanos() > 0);
    let end = Duration::from_secs(seconds).saturating_sub(settings.network_delay);
    let end = if end < planned { end + SECOND } else { end };
    end.max(planned)
}
