//! Durations as people write them: `500ms`, `3s`, `1.5s`, `2m`, or a number alone.

use std::time::Duration;

/// The unit of a number alone, and the numbers that people mean by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BareNumber {
    /// Milliseconds, 50 or more.
    Milliseconds,
    /// Seconds, fewer than this.
    SecondsBelow(u32),
}

/// Fewer milliseconds without a unit may be meant as seconds.
const FEW: f64 = 50.0;

/// USI counts milliseconds in 32 bits.
const LONGEST: Duration = Duration::from_secs(1_000_000);

impl BareNumber {
    /// Parses a duration. The error says what was expected.
    pub(crate) fn parse(self, text: &str) -> Result<Duration, String> {
        let (bare, name) = match self {
            Self::Milliseconds => (0.001, "milliseconds"),
            Self::SecondsBelow(_) => (1.0, "seconds"),
        };
        let text = text.trim();
        let (number, unit) = [("ms", 0.001), ("s", 1.0), ("m", 60.0)]
            .iter()
            .find_map(|(suffix, unit)| text.strip_suffix(suffix).map(|number| (number, *unit)))
            .unwrap_or((text, bare));
        let seconds = number.trim().parse().map(|number: f64| number * unit).ok();
        seconds
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .filter(|duration| *duration <= LONGEST)
            .ok_or_else(|| format!("expected {name}, or a number with a unit: 500ms, 3s, 1.5m"))
    }

    /// Asks whether another unit is meant, if the text is a number alone and an absurd one.
    pub(crate) fn doubt(self, text: &str) -> Option<String> {
        let text = text.trim();
        let number: f64 = text.parse().ok()?;
        let (is_absurd, unit, suffix, other) = match self {
            Self::Milliseconds => (number > 0.0 && number < FEW, "milliseconds", "s", "seconds"),
            Self::SecondsBelow(limit) => (number >= limit.into(), "seconds", "ms", "milliseconds"),
        };
        is_absurd.then(|| format!("{text} is {text} {unit}, {text}{suffix} would be {other}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECONDS: BareNumber = BareNumber::SecondsBelow(100);

    #[test]
    fn a_number_alone_has_the_unit_of_its_option_and_others_say_theirs() {
        for (text, bare, milliseconds) in cases! {
            "250", BareNumber::Milliseconds => 250;
            "0.1", SECONDS => 100;
            "40ms", SECONDS => 40;
            " 1.5s ", BareNumber::Milliseconds => 1500;
            ".5 s", BareNumber::Milliseconds => 500;
            "2m", SECONDS => 120_000;
        } {
            assert_eq!(bare.parse(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for wrong in ["", "-1", "soon", "1h", "nan", "infs", "1e300", "s", "1000001s"] {
            let error = SECONDS.parse(wrong).expect_err(wrong);
            assert!(error.starts_with("expected seconds, or"), "{wrong}: {error}");
            let error = BareNumber::Milliseconds.parse(wrong).expect_err(wrong);
            assert!(error.starts_with("expected milliseconds, or"), "{wrong}: {error}");
        }
    }

    #[test]
    fn an_absurd_number_alone_is_doubted() {
        let doubt = |bare: BareNumber, text| bare.doubt(text).unwrap_or_default();
        for (bare, text, expected) in cases! {
            BareNumber::Milliseconds, "3" => "3 is 3 milliseconds, 3s would be seconds";
            BareNumber::Milliseconds, ".5" => ".5 is .5 milliseconds, .5s would be seconds";
            BareNumber::Milliseconds, "0" => "";
            BareNumber::Milliseconds, "50" => "";
            BareNumber::Milliseconds, "3ms" => "";
            SECONDS, "500" => "500 is 500 seconds, 500ms would be milliseconds";
            SECONDS, "99" => "";
            SECONDS, "500s" => "";
            SECONDS, "soon" => "";
        } {
            assert_eq!(doubt(bare, text), expected, "{text}");
        }
    }
}
