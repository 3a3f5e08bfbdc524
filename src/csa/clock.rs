//! The time control of a game, as its summary states it, the clocks as the server counts them, and
//! the delays of the network.
//!
//! shogi-server counts from the moment at which it sends a move to the moment at which it receives
//! the answer, drops the fraction of a second, and thus charges the way through the network to the
//! player. A move loses if it leaves nothing of main time, increment and byoyomi.

use std::{collections::VecDeque, time::Duration};

use super::lines::TimeCount;
use crate::{search, types::Color};

const SECOND: Duration = Duration::from_secs(1);
/// Time for each move where a game has no clock.
pub(super) const UNTIMED_MOVE: Duration = Duration::from_secs(10);
/// Longest time of a field; larger numbers mean this. Sums of such times do not overflow.
const LONGEST: Duration = Duration::from_hours(10_000);

/// The clock of one side. Fields that the summary lacks are zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeRule {
    /// `Time_Unit`: the unit of the other fields.
    pub unit: Duration,
    /// `Total_Time`: main time of the game.
    pub total: Duration,
    /// `Byoyomi`: time per move after the main time.
    pub byoyomi: Duration,
    /// `Increment`: time added for each move. The first move has it already.
    pub increment: Duration,
}

impl TimeRule {
    /// Whether there is no clock: a game in which every move loses on time is none.
    pub fn is_untimed(&self) -> bool {
        (self.total + self.byoyomi + self.increment).is_zero()
    }
}

impl Default for TimeRule {
    fn default() -> Self {
        Self {
            unit: SECOND,
            total: Duration::ZERO,
            byoyomi: Duration::ZERO,
            increment: Duration::ZERO,
        }
    }
}

/// `Key:value` lines, the last of which counts.
#[derive(Clone, Default, Debug)]
pub(super) struct Fields(pub(super) Vec<(String, String)>);

impl Fields {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let named = self.0.iter().rev().find(|(key, _)| key == name);
        named.map(|(_, value)| value.trim())
    }

    /// The clock of a `BEGIN Time` block, whose fields may come in any order. `counts_seconds` says
    /// that the numbers are seconds whatever the unit is.
    pub(super) fn rule(&self, counts_seconds: bool) -> TimeRule {
        let unit = self.get("Time_Unit").and_then(parse_unit);
        let unit = unit.unwrap_or(SECOND);
        let counted = if counts_seconds { SECOND } else { unit };
        let time = |name: &str| {
            let count = self.get(name).and_then(TimeCount::parse);
            count.unwrap_or_default().of(counted).min(LONGEST)
        };
        TimeRule {
            unit,
            total: time("Total_Time"),
            byoyomi: time("Byoyomi"),
            increment: time("Increment"),
        }
    }
}

/// Parses `1sec`, `1min`, `1msec`, `sec` and so on.
fn parse_unit(text: &str) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (count, name) = text.split_at(digits);
    let unit = match name {
        "msec" => Duration::from_millis(1),
        "sec" => SECOND,
        "min" => Duration::from_mins(1),
        _ => return None,
    };
    let count: u32 = if count.is_empty() { 1 } else { count.parse().ok()? };
    unit.checked_mul(count).filter(|unit| !unit.is_zero() && *unit <= LONGEST)
}

/// Whether a game of shogi-server has a stop-watch clock, `name-900-060`: its summary names minutes
/// as the unit, but its numbers are seconds.
pub(super) fn is_stop_watch(game_id: &str) -> bool {
    game_id.split('+').any(|part| {
        part.rsplit_once('-').is_some_and(|(before, byoyomi)| {
            let is_number =
                |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let total = before.rsplit_once('-').map_or("", |(_, total)| total);
            byoyomi.len() > 1 && byoyomi.starts_with('0') && is_number(byoyomi) && is_number(total)
        })
    })
}

/// Both clocks, by [`Color::index`].
#[derive(Clone, Debug)]
pub struct GameClock {
    rules: [TimeRule; Color::NUM],
    remaining: [Duration; Color::NUM],
}

impl GameClock {
    /// The clocks before the first move.
    pub fn new(rules: [TimeRule; Color::NUM]) -> Self {
        Self { rules, remaining: rules.map(|rule| rule.total) }
    }

    /// The rule of one side.
    pub const fn rule(&self, color: Color) -> &TimeRule {
        &self.rules[color as usize]
    }

    /// The main time that is left, without the increment of the next move.
    pub const fn remaining(&self, color: Color) -> Duration {
        self.remaining[color as usize]
    }

    /// A move that takes this long loses.
    pub fn budget(&self, color: Color) -> Duration {
        let rule = self.rule(color);
        let increased = self.remaining(color).saturating_add(rule.increment);
        increased.saturating_add(self.byoyomi(color))
    }

    /// The time of each move beyond the main time.
    fn byoyomi(&self, color: Color) -> Duration {
        let rule = self.rule(color);
        if rule.is_untimed() { UNTIMED_MOVE } else { rule.byoyomi }
    }

    /// The clocks for a search. The increment of the next move is on the clock already.
    pub fn for_search(&self) -> search::Clock {
        let rules = &self.rules;
        search::Clock {
            time: Color::ALL.map(|color| {
                let increment = self.rule(color).increment;
                self.remaining(color).saturating_add(increment)
            }),
            increment: [rules[0].increment, rules[1].increment],
            byoyomi: Color::ALL.map(|color| self.byoyomi(color)),
        }
    }

    /// The time that the server means. Most servers count seconds whatever the unit of the rules
    /// is, others count units: what comes closer to the time that we measured is meant.
    pub fn meaning(&self, color: Color, count: TimeCount, measured: Duration) -> Duration {
        let readings = [SECOND, self.rule(color).unit].map(|unit| count.of(unit));
        let [seconds, units] = readings.map(|time| time.abs_diff(measured));
        if units < seconds { readings[1] } else { readings[0] }
    }

    /// Takes the time of a move off the clock of its side, which gets the increment.
    pub fn charge(&mut self, color: Color, time: Duration) {
        let increment = self.rule(color).increment;
        let remaining = &mut self.remaining[color.index()];
        *remaining = remaining.saturating_add(increment).saturating_sub(time);
    }

    /// Charges a move that was made before the game began; such moves earn no increment.
    pub fn charge_before_start(&mut self, color: Color, time: Duration) {
        let remaining = &mut self.remaining[color.index()];
        *remaining = remaining.saturating_sub(time);
    }

    /// Sets the main times that are left.
    pub fn set_remaining(&mut self, remaining: [Duration; Color::NUM]) {
        self.remaining = remaining;
    }
}

/// The time to keep back for the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delays {
    /// Kept back where a full second is used up (`NetworkDelay`).
    pub usual: Duration,
    /// Kept back at the end of the clock (`NetworkDelay2`).
    pub worst: Duration,
}

/// Number of round trips that are remembered.
const MOST_TRIPS: usize = 32;
/// Longest round trip that counts. Beyond it the server was busy or the network down.
const LONGEST_TRIP: Duration = Duration::from_secs(3);
/// Added to the delays for the time that both ends take.
const USUAL_EXTRA: Duration = Duration::from_millis(50);
const WORST_EXTRA: Duration = Duration::from_millis(200);

/// Measured times from sending a line to its echo.
#[derive(Clone, Default, Debug)]
pub struct RoundTrips {
    latest: VecDeque<Duration>,
}

impl RoundTrips {
    /// Adds a measured round trip.
    pub fn add(&mut self, trip: Duration) {
        if self.latest.len() == MOST_TRIPS {
            self.latest.pop_front();
        }
        self.latest.push_back(trip.min(LONGEST_TRIP));
    }

    /// The mean of the latest round trips; zero if none was measured.
    pub fn mean(&self) -> Duration {
        let sum: Duration = self.latest.iter().sum();
        sum / (self.latest.len().max(1) as u32)
    }

    /// The longest of the latest round trips; zero if none was measured.
    pub fn longest(&self) -> Duration {
        self.latest.iter().max().copied().unwrap_or_default()
    }

    /// The delays to plan with: at least `least`, and more where the network needs it.
    pub fn delays(&self, least: Delays) -> Delays {
        Delays {
            usual: least.usual.max(2 * self.mean() + USUAL_EXTRA),
            worst: least.worst.max(2 * self.longest() + WORST_EXTRA),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_without_a_clock_has_time_for_each_move() {
        let mut clock = GameClock::new([TimeRule::default(); 2]);
        clock.charge(Color::Black, seconds(8));
        assert_eq!(clock.budget(Color::Black), UNTIMED_MOVE);
        assert_eq!(clock.for_search().byoyomi, [UNTIMED_MOVE; 2]);
    }

    const fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    fn clock(total: u64, byoyomi: u64, increment: u64) -> GameClock {
        let rule = TimeRule {
            total: seconds(total),
            byoyomi: seconds(byoyomi),
            increment: seconds(increment),
            ..TimeRule::default()
        };
        GameClock::new([rule; 2])
    }

    #[test]
    fn the_first_move_has_its_increment() {
        let mut clock = clock(300, 0, 10);
        assert_eq!(clock.budget(Color::Black), seconds(310));
        clock.charge(Color::Black, seconds(4));
        assert_eq!(clock.remaining(Color::Black), seconds(306));
        assert_eq!(clock.for_search().time, [316, 310].map(seconds));
        assert_eq!(clock.for_search().increment, [10, 10].map(seconds));
    }

    #[test]
    fn byoyomi_begins_anew() {
        let mut clock = clock(5, 3, 0);
        clock.charge(Color::White, seconds(7));
        assert_eq!(clock.remaining(Color::White), Duration::ZERO);
        assert_eq!(clock.budget(Color::White), seconds(3));
        clock.charge(Color::White, seconds(2));
        assert_eq!(clock.budget(Color::White), seconds(3));
    }

    #[test]
    fn the_reading_that_fits_is_meant() {
        let mut clock = clock(3, 0, 0);
        let count = |text: &str| TimeCount::parse(text).expect("a number");
        let meant = |clock: &GameClock, text, measured| {
            clock.meaning(Color::Black, count(text), Duration::from_millis(measured)).as_millis()
        };
        assert_eq!(meant(&clock, "2", 2400), 2000);
        clock.rules[0].unit = Duration::from_millis(1);
        assert_eq!(meant(&clock, "340", 345), 340);
        assert_eq!(meant(&clock, "1", 1200), 1000);
        clock.rules[0].unit = Duration::from_mins(1);
        assert_eq!(meant(&clock, "12", 12_300), 12_000);
    }

    #[test]
    fn slow_networks_raise_the_delays() {
        let least =
            Delays { usual: Duration::from_millis(120), worst: Duration::from_millis(1120) };
        let mut trips = RoundTrips::default();
        assert_eq!(trips.delays(least), least);
        for _ in 0..100 {
            trips.add(Duration::from_millis(250));
        }
        trips.add(seconds(100));
        let delays = trips.delays(least);
        assert_eq!(delays.worst, Duration::from_millis(6200));
        assert!(delays.usual > Duration::from_millis(550) && delays.usual < seconds(1));
    }

    fn rule(lines: &str) -> TimeRule {
        let field = |line: &str| {
            let (key, value) = line.split_once(':').expect("a field");
            (key.to_owned(), value.to_owned())
        };
        Fields(lines.split_whitespace().map(field).collect()).rule(false)
    }

    #[test]
    fn units_apply_wherever_they_stand() {
        let found = rule("Total_Time:3000 Increment:300 Time_Unit:1msec");
        assert_eq!(found.total, Duration::from_secs(3));
        assert_eq!(found.increment, Duration::from_millis(300));
        let expected = Duration::from_mins(1);
        assert_eq!(rule("Total_Time:1 Time_Unit:1min").total, expected);
        let expected = Duration::from_secs(20);
        assert_eq!(rule("Byoyomi:2 Time_Unit:10sec").byoyomi, expected);
        assert_eq!(rule(""), TimeRule::default());
    }

    #[test]
    fn nonsense_is_harmless() {
        for lines in
            ["Total_Time:x Byoyomi:-1 Time_Unit:3days", "Time_Unit:0sec Time_Unit:99999999999min"]
        {
            assert_eq!(rule(lines), TimeRule::default(), "{lines}");
        }
        let long = rule("Total_Time:18446744073709551 Time_Unit:1min");
        assert_eq!(long.total, LONGEST);
    }

    #[test]
    fn stop_watches_are_known_by_their_name() {
        assert!(is_stop_watch("wdoor+test-900-060+a+b+20260101"));
        for other in ["e+test-900-60+a+b+1", "e+floodgate-300-10F+a+b+1", "e+x-900-0+a+b", ""] {
            assert!(!is_stop_watch(other), "{other}");
        }
    }
}
