//! How long to think: a plan made from the clocks at the start of a search, and the decision when to stop.
//!
//! The plan never goes beyond the own time plus byoyomi less the worst delay; increments are for later moves. Shape of
//! the plan (horizon, minimum, optimum, maximum, full seconds) after `YaneuraOu`'s `timeman.cpp`.

use std::time::{Duration, Instant};

use crate::types::Color;

use super::signals::PonderHit;
use super::tunables::{time_factor_max, time_iteration_percent};
use super::{Clock, Limits, Settings};

const SECOND: Duration = Duration::from_secs(1);
/// Where less than this is left after the worst delay, a small share of the time is used all the same.
const LEAST_TIME: Duration = Duration::from_millis(100);
const LEAST_TIME_SHARE: u32 = 10;
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
/// The minimum is at most this part of the time in games that a flag ends.
const MINIMUM_SHARE: u32 = 20;
/// Thinking about a forced move is no use.
const FORCED_MOVE_TIME: Duration = Duration::from_millis(500);
const PERCENT: u32 = 100;

/// When a search ends by the clock.
#[derive(Debug)]
pub(super) struct TimeManager {
    us: Color,
    game_ply: u32,
    is_forced: bool,
    settings: Settings,
    /// Thinking time on the own clock counts from here.
    start: Instant,
    plan: Option<Plan>,
}

/// Durations from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Plan {
    /// Think at least so long.
    minimum: Duration,
    /// What the move is worth.
    optimum: Duration,
    /// Stop here in any case. Comes closer when the search decides that it has thought enough.
    maximum: Duration,
    /// Nothing goes beyond.
    remaining: Duration,
    is_exact: bool,
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
            us,
            game_ply,
            is_forced,
            settings: settings.clone(),
            start: limits.start,
            plan: None,
        };
        if limits.infinite {
            return manager;
        }
        manager.plan = match (limits.movetime, &limits.clock) {
            (Some(movetime), _) => Some(Plan {
                minimum: movetime,
                optimum: movetime,
                maximum: movetime,
                remaining: movetime,
                is_exact: true,
            }),
            (None, Some(clock)) => Some(manager.plan(clock)),
            (None, None) => None,
        };
        manager
    }

    /// The opponent made the expected move: the own clock runs from now.
    pub(super) fn ponderhit(&mut self, hit: PonderHit) {
        self.start = hit.at;
        if let (Some(plan), Some(clock)) = (self.plan, hit.clock)
            && !plan.is_exact
        {
            self.plan = Some(self.plan(&clock));
        }
    }

    /// Whether time is up.
    pub(super) fn is_over(&self) -> bool {
        self.plan
            .is_some_and(|plan| self.start.elapsed() >= plan.maximum)
    }

    /// Called after an iteration: whether another one should not begin. `factor` is how much more than the optimum the
    /// position is worth, in percent. With full-second clocks the search may go on to the end of the second.
    pub(super) fn has_thought_enough(&mut self, factor: u32) -> bool {
        let elapsed = self.start.elapsed();
        let round_up = self.settings.round_up_to_full_second;
        let Some(plan) = &mut self.plan else {
            return false;
        };
        if plan.is_exact {
            return elapsed >= plan.maximum;
        }
        let factor = factor.min(time_factor_max() as u32);
        let enough = plan.optimum * factor / PERCENT * time_iteration_percent() as u32 / PERCENT;
        if elapsed < enough {
            return false;
        }
        let end = if round_up {
            round_up_to_second(elapsed, &self.settings).min(plan.remaining)
        } else {
            elapsed
        };
        plan.maximum = plan.maximum.min(end.max(plan.minimum));
        elapsed >= plan.maximum
    }

    fn plan(&self, clock: &Clock) -> Plan {
        let settings = &self.settings;
        let (time, increment, byoyomi) = (
            clock.time[self.us.index()],
            clock.increment[self.us.index()],
            clock.byoyomi[self.us.index()],
        );
        let total = time + byoyomi;
        let remaining = total
            .saturating_sub(settings.network_delay2)
            .max((total / LEAST_TIME_SHARE).min(LEAST_TIME));
        let is_sudden_death = increment.is_zero() && byoyomi.is_zero();
        let moves = self.moves_to_go(is_sudden_death);
        // A second for each move is kept back for clocks that count full ones.
        let reserve = if settings.round_up_to_full_second {
            SECOND * (moves + 1)
        } else {
            Duration::ZERO
        };
        let estimate = (time + (increment + byoyomi) * moves).saturating_sub(reserve);
        let mut minimum = settings
            .minimum_thinking_time
            .saturating_sub(settings.network_delay);
        if settings.round_up_to_full_second {
            minimum = minimum.max(SECOND.saturating_sub(settings.network_delay));
        }
        if byoyomi.is_zero() {
            minimum = minimum.min(remaining / MINIMUM_SHARE);
        }
        let share = estimate / moves;
        let mut optimum = (minimum + share) * settings.slow_mover / PERCENT;
        if settings.ponder {
            optimum += optimum / PONDER_SHARE;
        }
        let mut maximum =
            minimum + (share * MAXIMUM_SHARES).min(estimate / PERCENT * MAXIMUM_PERCENT);
        if !byoyomi.is_zero() && time < byoyomi * FINAL_PUSH_PERCENT / PERCENT {
            (minimum, optimum, maximum) = (total, total, total);
        }
        if self.is_forced {
            minimum = minimum.min(FORCED_MOVE_TIME);
            (optimum, maximum) = (minimum, minimum);
        }
        let end = |planned: Duration| {
            let planned = if settings.round_up_to_full_second && !self.is_forced {
                round_up_to_second(planned, settings)
            } else {
                planned
            };
            planned.min(remaining)
        };
        Plan {
            minimum: end(minimum),
            optimum: optimum.min(remaining),
            maximum: end(maximum.max(optimum)),
            remaining,
            is_exact: false,
        }
    }

    /// For how many own moves the time must last.
    fn moves_to_go(&self, is_sudden_death: bool) -> u32 {
        let (more, opening) = if is_sudden_death {
            (HORIZON_SUDDEN_DEATH, OPENING_SUDDEN_DEATH)
        } else {
            (HORIZON_ENDLESS, OPENING_ENDLESS)
        };
        let horizon = HORIZON + more - self.game_ply.min(opening);
        let plies = match self.settings.max_moves_to_draw {
            0 => horizon,
            last => (last + 2).saturating_sub(self.game_ply).min(horizon),
        };
        (plies / 2).max(1)
    }
}

/// The end of the begun second, or of the minimum thinking time, less the usual delay.
fn round_up_to_second(planned: Duration, settings: &Settings) -> Duration {
    let seconds = planned.as_secs() + u64::from(planned.subsec_nanos() > 0);
    let end = Duration::from_secs(seconds)
        .max(settings.minimum_thinking_time)
        .saturating_sub(settings.network_delay);
    if end < planned { end + SECOND } else { end }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    fn manager(time: u32, increment: u32, byoyomi: u32, settings: &Settings) -> TimeManager {
        let limits = Limits {
            clock: Some(Clock {
                time: [MILLISECOND * time; 2],
                increment: [MILLISECOND * increment; 2],
                byoyomi: [MILLISECOND * byoyomi; 2],
            }),
            ..Limits::default()
        };
        TimeManager::new(&limits, settings, Color::Black, 30, false)
    }

    #[test]
    fn nothing_is_planned_beyond_the_own_time() {
        let exact = Settings {
            round_up_to_full_second: false,
            minimum_thinking_time: MILLISECOND,
            ..Settings::default()
        };
        for settings in [Settings::default(), exact] {
            for time in [0, 1, 500, 1119, 1121, 5000, 60_000, 7_200_000] {
                for increment in [0, 100, 10_000] {
                    for byoyomi in [0, 1, 1000, 10_000, 60_000] {
                        let plan = manager(time, increment, byoyomi, &settings)
                            .plan
                            .expect("clocks were given");
                        let total = MILLISECOND * (time + byoyomi);
                        let allowed = total
                            .saturating_sub(settings.network_delay2)
                            .max((total / LEAST_TIME_SHARE).min(LEAST_TIME));
                        assert!(plan.minimum <= plan.maximum && plan.optimum <= plan.maximum);
                        assert!(plan.maximum <= allowed, "{time} {byoyomi} {plan:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn without_any_time_it_moves_at_once() {
        assert!(manager(0, 0, 0, &Settings::default()).is_over());
        assert!(manager(0, 5000, 0, &Settings::default()).is_over());
    }

    #[test]
    fn byoyomi_is_used_up_when_time_is_gone() {
        let plan = manager(0, 0, 10_000, &Settings::default()).plan;
        assert_eq!(plan.map(|plan| plan.minimum), Some(MILLISECOND * 8880));
    }

    #[test]
    fn a_long_game_leaves_time_for_later() {
        let plan = manager(600_000, 0, 0, &Settings::default()).plan;
        let plan = plan.expect("clocks were given");
        assert!(
            plan.optimum >= SECOND && plan.optimum <= SECOND * 15,
            "{plan:?}"
        );
        assert!(plan.maximum <= SECOND * 60, "{plan:?}");
    }
}
