//! Durations as numbers of seconds, in journals and in the JSON of a game.

use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A duration that is stored as seconds.
struct Seconds(Duration);

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0.as_secs_f64())
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        let time = Duration::try_from_secs_f64(seconds).map_err(D::Error::custom)?;
        Ok(Self(time))
    }
}

pub(super) fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    Seconds(*time).serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Duration, D::Error> {
    Ok(Seconds::deserialize(deserializer)?.0)
}

/// The same for durations that may be unknown.
pub(super) mod optional {
    use super::{Deserialize, Deserializer, Duration, Seconds, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub(in crate::analysis) fn serialize<S: Serializer>(
        time: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(Seconds).serialize(serializer)
    }

    pub(in crate::analysis) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        let time = Option::<Seconds>::deserialize(deserializer)?;
        Ok(time.map(|Seconds(time)| time))
    }
}
