//! The factors of which a weight is the sum, and the constants of kings.
//!
//! NDF (2014) and Apery (until 2016) learnt each weight as a sum of weights that many positions
//! share, so that rare ones, such as those of a king in the enemy's camp, know what the common ones
//! have learnt.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::types::Rank;

/// A kind of weights that share a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Factor {
    /// KPP: a king and two pieces.
    Kpp,
    /// Two pieces relative to the king.
    RelativeKpp,
    /// Two pieces and the rank of the king.
    RankPp,
    /// Two pieces, wherever the king is.
    Pp,
    /// Two pieces relative to each other.
    RelativePp,
    /// KKP: both kings and a piece.
    Kkp,
    /// A king and a piece.
    Kp,
    /// A piece relative to the king.
    RelativeKp,
    /// KK: both kings.
    Kk,
    /// A king's square. Switched by [`KingConstants`], not by [`Factors`].
    King,
}

impl Factor {
    /// Number of kinds of weights.
    pub(super) const NUM: usize = 10;

    /// All factors, in the order of checkpoints.
    pub(super) const ALL: [Self; Self::NUM] = [
        Self::Kpp,
        Self::RelativeKpp,
        Self::RankPp,
        Self::Pp,
        Self::RelativePp,
        Self::Kkp,
        Self::Kp,
        Self::RelativeKp,
        Self::Kk,
        Self::King,
    ];

    /// The factors that can be switched off, by the names of the command line.
    const NAMES: [(Self, &'static str); 9] = [
        (Self::Kpp, "kpp"),
        (Self::RelativeKpp, "relative-kpp"),
        (Self::RankPp, "rank-pp"),
        (Self::Pp, "pp"),
        (Self::RelativePp, "relative-pp"),
        (Self::Kkp, "kkp"),
        (Self::Kp, "kp"),
        (Self::RelativeKp, "relative-kp"),
        (Self::Kk, "kk"),
    ];
}

/// The factors that are learnt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Factors(u16);

impl Factors {
    /// All factors that can be switched off.
    pub const ALL: Self = Self((1 << Factor::NAMES.len()) - 1);

    /// Whether a factor is learnt.
    pub const fn has(self, factor: Factor) -> bool {
        self.0 >> factor as u16 & 1 != 0
    }
}

/// A list of factors that is not understood.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FactorsError {
    /// A name is none of the known ones.
    #[error(
        "\"{found}\" is no factor, expected some of {}, separated by commas",
        Factors::ALL
    )]
    Name {
        /// The name that is not known.
        found: String,
    },
    /// A name occurs twice.
    #[error("{0} is named twice")]
    Twice(&'static str),
}

impl FromStr for Factors {
    type Err = FactorsError;

    fn from_str(text: &str) -> Result<Self, FactorsError> {
        let mut factors = Self(0);
        for name in text.split(',') {
            let found = Factor::NAMES
                .iter()
                .find(|(_, known)| *known == name.trim());
            let &(factor, name) = found.ok_or_else(|| FactorsError::Name {
                found: name.to_owned(),
            })?;
            if factors.has(factor) {
                return Err(FactorsError::Twice(name));
            }
            factors.0 |= 1 << factor as u16;
        }
        Ok(factors)
    }
}

impl fmt::Display for Factors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Factor::NAMES.iter().filter(|(factor, _)| self.has(*factor));
        let names: Vec<&str> = names.map(|(_, name)| *name).collect();
        formatter.write_str(&names.join(","))
    }
}

/// Where the value of a king's square comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum KingConstants {
    /// A square of a king has no value of its own.
    Zero,
    /// The value of each square is learnt.
    #[default]
    Learnt,
    /// Apery's table of 2015 to May 2016, set by hand: a king is worth more the nearer it is to the
    /// enemy's corners. All else is learnt around it.
    Apery,
}

/// What is learnt, besides the settings that all runs have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Options {
    /// The factors of which weights are the sums.
    pub factors: Factors,
    /// Where the value of a king's square comes from.
    pub kings: KingConstants,
}

/// Apery's values by file (1 to 5) and rank (1 to 9), a pawn being 90. Apery gives file 8 a little
/// more than file 2; here both have what file 2 has, so that mirrored positions are worth the same.
const APERY: [[i16; Rank::NUM]; 5] = [
    [2000, 1700, 1350, 1000, 650, 350, 100, 0, 0],
    [1800, 1500, 1250, 1000, 650, 350, 100, 0, 0],
    [1800, 1500, 1250, 1000, 650, 350, 100, 0, 0],
    [1700, 1400, 1150, 900, 550, 250, 0, 0, 0],
    [1600, 1300, 1050, 800, 450, 150, 0, 0, 0],
];

/// Apery's values by the square of a king on files 1 to 5.
pub(super) fn apery_values() -> impl Iterator<Item = f32> {
    APERY.into_iter().flatten().map(f32::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_factors_are_read_and_written() {
        for text in [
            "kpp",
            "kpp,kkp,kk",
            "relative-kpp,rank-pp,pp,relative-pp,kp,relative-kp",
        ] {
            let factors: Factors = text.parse().expect("a good list");
            assert_eq!(factors.to_string(), text);
        }
        let all: Factors = Factors::ALL.to_string().parse().expect("a good list");
        assert_eq!(all, Factors::ALL);
        assert!(
            "kpp, kk"
                .parse::<Factors>()
                .expect("a good list")
                .has(Factor::Kk)
        );
        for bad in ["", "kpp,", "KPP", "kpp;kk", "kpp,kkk", "kpp,kpp"] {
            let error = bad.parse::<Factors>().expect_err(bad).to_string();
            assert!(
                error.contains("expected") || error.contains("twice"),
                "{error}"
            );
        }
    }
}
