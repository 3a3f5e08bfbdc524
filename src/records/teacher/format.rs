//! The names of the formats.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use thiserror::Error;

use crate::records::hcpe::Hcpe;
use crate::records::psum::PositionSum;
use crate::records::psv::PackedSfenValue;

/// A format of teacher data, of games or of positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Positions of `YaneuraOu`.
    Psv,
    /// Positions of Apery and dlshogi.
    Hcpe,
    /// Games of dlshogi with the moves that it considered.
    Hcpe3,
    /// Positions with the sums of several games.
    Psum,
    /// Games, the archive.
    Pack,
    /// Positions without score and result, packed.
    Hcp,
    /// Positions without score and result, one a line; games of USI are read too.
    Sfen,
    /// Games of USI without scores, one a line.
    Usi,
    /// Games of CSA; `/` alone on a line separates them.
    Csa,
    /// A game of KIF, read only.
    Kif,
}

/// Nothing is known by this name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "unknown format '{0}', expected psv (or bin), hcpe, psum, hcpe3, pack, hcp, sfen, usi, csa or kif"
)]
pub struct UnknownFormat(pub String);

impl Format {
    /// Every format.
    pub const ALL: [Self; 10] = [
        Self::Psv,
        Self::Hcpe,
        Self::Psum,
        Self::Hcpe3,
        Self::Pack,
        Self::Hcp,
        Self::Sfen,
        Self::Usi,
        Self::Csa,
        Self::Kif,
    ];

    /// The name, which is also the ending of file names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Psv => "psv",
            Self::Hcpe => "hcpe",
            Self::Psum => "psum",
            Self::Hcpe3 => "hcpe3",
            Self::Pack => "pack",
            Self::Hcp => "hcp",
            Self::Sfen => "sfen",
            Self::Usi => "usi",
            Self::Csa => "csa",
            Self::Kif => "kif",
        }
    }

    /// The format that the ending of a file name says.
    ///
    /// # Errors
    /// Where the name has no ending, or an unknown one.
    pub fn of_path(path: &Path) -> Result<Self, UnknownFormat> {
        let ending = path.extension().unwrap_or_default();
        ending.to_string_lossy().parse()
    }

    /// Whether it keeps scores and results, to learn from.
    pub const fn has_scores(self) -> bool {
        match self {
            Self::Psv | Self::Hcpe | Self::Hcpe3 | Self::Pack | Self::Psum => true,
            Self::Hcp | Self::Sfen | Self::Usi | Self::Csa | Self::Kif => false,
        }
    }

    /// Bytes of a record where all have the same.
    pub const fn record_size(self) -> Option<usize> {
        match self {
            Self::Psv => Some(PackedSfenValue::SIZE),
            Self::Hcpe => Some(Hcpe::SIZE),
            Self::Psum => Some(PositionSum::SIZE),
            Self::Hcp => Some(32),
            Self::Hcpe3 | Self::Pack | Self::Sfen | Self::Usi | Self::Csa | Self::Kif => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lower = text.to_ascii_lowercase();
        let name = match lower.as_str() {
            "bin" => "psv",
            "kifu" => "kif",
            name => name,
        };
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}
