//! The time control of a game, as its summary states it.

use std::time::Duration;

use super::server_line::TimeCount;

const SECOND: Duration = Duration::from_secs(1);
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
    /// `Delay`: time of each move before the clock runs.
    pub delay: Duration,
    /// `Least_Time_Per_Move`: a move costs at least this much.
    pub least: Duration,
    /// `Time_Roundup`: whether a second that was begun is charged in full.
    pub rounds_up: bool,
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
            delay: Duration::ZERO,
            least: Duration::ZERO,
            rounds_up: false,
        }
    }
}

/// The fields of a `BEGIN Time` block, which may come in any order.
#[derive(Clone, Default, Debug)]
pub(super) struct TimeFields {
    fields: Vec<(String, String)>,
}

impl TimeFields {
    pub(super) fn add(&mut self, key: &str, value: &str) {
        self.fields.push((key.to_owned(), value.to_owned()));
    }

    /// The rule. `counts_seconds` says that the numbers are seconds whatever the unit is.
    pub(super) fn rule(&self, counts_seconds: bool) -> TimeRule {
        let field = |name: &str| {
            let named = self.fields.iter().rev().find(|(key, _)| key == name);
            named.map(|(_, value)| value.trim())
        };
        let unit = field("Time_Unit").and_then(parse_unit).unwrap_or(SECOND);
        let time = |name: &str| {
            let count: TimeCount = field(name)
                .and_then(|text| text.parse().ok())
                .unwrap_or_default();
            count
                .of(if counts_seconds { SECOND } else { unit })
                .min(LONGEST)
        };
        TimeRule {
            unit,
            total: time("Total_Time"),
            byoyomi: time("Byoyomi"),
            increment: time("Increment"),
            delay: time("Delay"),
            least: time("Least_Time_Per_Move"),
            rounds_up: field("Time_Roundup") == Some("YES"),
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
    let count: u32 = if count.is_empty() {
        1
    } else {
        count.parse().ok()?
    };
    unit.checked_mul(count)
        .filter(|unit| !unit.is_zero() && *unit <= LONGEST)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(lines: &str) -> TimeRule {
        let mut fields = TimeFields::default();
        for line in lines.split_whitespace() {
            let (key, value) = line.split_once(':').expect("a field");
            fields.add(key, value);
        }
        fields.rule(false)
    }

    #[test]
    fn units_apply_wherever_they_stand() {
        let found = rule("Total_Time:3000 Increment:300 Time_Unit:1msec");
        assert_eq!(found.total, Duration::from_secs(3));
        assert_eq!(found.increment, Duration::from_millis(300));
        assert_eq!(
            rule("Total_Time:1 Time_Unit:1min").total,
            Duration::from_mins(1)
        );
        assert_eq!(
            rule("Byoyomi:2 Time_Unit:10sec").byoyomi,
            Duration::from_secs(20)
        );
        assert!(rule("Time_Roundup:YES").rounds_up);
        assert_eq!(rule(""), TimeRule::default());
    }

    #[test]
    fn nonsense_is_harmless() {
        for lines in [
            "Total_Time:x Byoyomi:-1 Time_Unit:3days",
            "Time_Unit:0sec Time_Unit:99999999999min",
        ] {
            assert_eq!(rule(lines), TimeRule::default(), "{lines}");
        }
        assert_eq!(
            rule("Total_Time:18446744073709551 Time_Unit:1min").total,
            LONGEST
        );
    }

    #[test]
    fn stop_watches_are_known_by_their_name() {
        assert!(is_stop_watch("wdoor+test-900-060+a+b+20260101"));
        for other in [
            "e+test-900-60+a+b+1",
            "e+floodgate-300-10F+a+b+1",
            "e+x-900-0+a+b",
            "",
        ] {
            assert!(!is_stop_watch(other), "{other}");
        }
    }
}
