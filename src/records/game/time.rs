//! Times of moves as records write them.

use std::time::Duration;

use crate::util::shorten;

/// No move takes longer, so that no sum of times overflows.
const LONGEST: Duration = Duration::from_secs(1_000_000_000);

/// Digits of a second that are kept.
const DECIMALS: usize = 9;

/// Parses a number of seconds, `16` or `16.5`.
pub(in crate::records) fn parse_seconds(text: &str) -> Option<Duration> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let all_digits = |text: &str| text.bytes().all(|letter| letter.is_ascii_digit());
    if !all_digits(whole) || !all_digits(decimals) {
        return None;
    }
    let kept = &decimals[..decimals.len().min(DECIMALS)];
    let nanos = format!("{kept:0<DECIMALS$}").parse().ok()?;
    possible(Duration::new(whole.parse().ok()?, nanos))
}

/// The time, `None` where it is longer than a move can take.
pub(in crate::records) fn possible(time: Duration) -> Option<Duration> {
    (time <= LONGEST).then_some(time)
}

/// The times of a record that cannot be read.
#[derive(Default)]
pub(in crate::records) struct UnreadTimes {
    /// Where the first one is, and what was found.
    first: Option<String>,
    count: usize,
}

impl UnreadTimes {
    /// Counts one. `place` is as in `line 12`.
    pub(in crate::records) fn add(&mut self, place: &str, found: &str) {
        self.count += 1;
        if self.first.is_none() {
            self.first = Some(format!("{place}: '{}' is no time", shorten(found.trim())));
        }
    }

    /// What the reader left out.
    pub(in crate::records) fn omission(self) -> Option<String> {
        let first = self.first?;
        Some(match self.count {
            1 => first,
            count => format!("{first}, and {} more", count - 1),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_may_have_decimals() {
        let milliseconds = |number| Some(Duration::from_millis(number));
        for (text, time) in [
            ("16", milliseconds(16_000)),
            ("16.", milliseconds(16_000)),
            ("3.5", milliseconds(3_500)),
            ("1.987", milliseconds(1_987)),
            ("0.0000000009", milliseconds(0)),
            ("", None),
            ("-5", None),
            ("+5", None),
            ("1e3", None),
            ("abc", None),
            ("9000000000000000000", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(parse_seconds(text), time, "{text}");
        }
    }
}
