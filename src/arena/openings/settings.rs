//! The settings of openings, and ranges of plies.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::util::shorten;

/// The settings of the openings of a match. Together with the version of the program they determine
/// every opening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningSettings {
    /// The source of the openings.
    pub source: Source,
    /// The order of the openings of a file.
    pub order: Order,
    /// Maximum advantage of either side in centipawns, by the values of a book or else by our own
    /// search. `None` accepts every opening.
    pub max_imbalance: Option<u32>,
    /// Seed of the random order and of random openings.
    pub seed: u64,
}

/// Openings of at least this many random moves do not depend on each other: of 200,000 with 8 to 12
/// moves, 5 repeat another one.
const INDEPENDENT_PLIES: u32 = 8;

impl OpeningSettings {
    /// Whether each opening can be made without the others. Two may then be the same by chance.
    pub(crate) fn are_independent(&self) -> bool {
        match self.source {
            Source::Random { plies } => plies.least >= INDEPENDENT_PLIES,
            Source::Startpos | Source::File(_) => false,
        }
    }
}

/// A source of openings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Only the standard start position.
    Startpos,
    /// The lines of a file, or the positions of a book.
    File(PathBuf),
    /// Random moves from the start position.
    Random {
        /// Range of the number of moves.
        plies: Plies,
    },
}

/// The order in which the openings of a file are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The order of the file.
    #[default]
    Sequential,
    /// A random order that depends on the seed.
    Random,
}

/// A range of plies, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Plies {
    least: u32,
    most: u32,
}

/// Maximum number of plies of a random opening. Games of random moves end soon after that.
const MOST_PLIES: u32 = 100;

/// A text that is not a range of plies.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "'{0}' is no range of plies, expected two numbers from 1 to {MOST_PLIES} such as 8..12 (both \
    included), or one"
)]
pub struct PliesError(String);

impl Plies {
    /// The range from `least` to `most`; `None` unless 1 <= `least` <= `most` <= 100.
    pub fn new(least: u32, most: u32) -> Option<Self> {
        (1 <= least && least <= most && most <= MOST_PLIES).then_some(Self { least, most })
    }

    /// The lower end of the range.
    pub const fn least(self) -> u32 {
        self.least
    }

    /// The upper end of the range.
    pub const fn most(self) -> u32 {
        self.most
    }
}

impl FromStr for Plies {
    type Err = PliesError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        let most = most.strip_prefix('=').unwrap_or(most);
        let number = |text: &str| text.trim().parse::<u32>().ok();
        number(least)
            .zip(number(most))
            .and_then(|(least, most)| Self::new(least, most))
            .ok_or_else(|| PliesError(shorten(text)))
    }
}

impl fmt::Display for Plies {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.least == self.most {
            write!(formatter, "{}", self.least)
        } else {
            write!(formatter, "{}..{}", self.least, self.most)
        }
    }
}

impl TryFrom<String> for Plies {
    type Error = PliesError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Plies> for String {
    fn from(plies: Plies) -> Self {
        plies.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_plies_have_both_ends() {
        for (text, least, most) in [
            ("8..12", 8, 12),
            ("8..=12", 8, 12),
            ("10", 10, 10),
            (" 1 .. 100 ", 1, 100),
        ] {
            assert_eq!(text.parse().ok(), Plies::new(least, most), "{text}");
        }
        for text in [
            "",
            "..",
            "8..",
            "..12",
            "0..4",
            "12..8",
            "8-12",
            "1..101",
            "8..12..16",
            "-1",
        ] {
            assert!(text.parse::<Plies>().is_err(), "{text}");
        }
        let error = "12..8".parse::<Plies>().map_err(|error| error.to_string());
        assert!(error.is_err_and(|text| text.contains("'12..8'") && text.contains("8..12")));
    }

    #[test]
    fn settings_survive_json() {
        for source in [
            Source::Startpos,
            Source::File(PathBuf::from("a/b.sfen")),
            Source::Random {
                plies: Plies { least: 8, most: 12 },
            },
        ] {
            let settings = OpeningSettings {
                source,
                order: Order::Random,
                max_imbalance: Some(100),
                seed: u64::MAX,
            };
            let text = serde_json::to_string(&settings).expect("settings are JSON");
            let read: OpeningSettings = serde_json::from_str(&text).expect("what was written");
            assert_eq!(read, settings, "{text}");
        }
        assert!(serde_json::from_str::<Plies>("\"12..8\"").is_err());
    }
}
