//! Names of shapes: `YaneuraOu`'s, such as `halfkp_256x2-32-32` and `SFNN_halfka2_1024_7_64_k3k3`,
//! and our own, such as `raicho_512x2-8`.

use std::fmt;
use std::str::FromStr;

use super::dimensions::{Head, Shape, Shards};
use super::error::ShapeError;
use crate::eval::nnue::features::FeatureSet;
use crate::eval::nnue::output_buckets::{HandClasses, KingClasses, OUTPUT_BUCKETS, OutputBuckets};

const FEATURE_SETS: &str = "halfkp, kp, ka2, halfkpe9, halfkpvm, halfka1, halfka2, halfkahm1, \
    halfkahm2, raicho or raicho4";
const BUCKETS: &str =
    "hand4 to hand1024, k3k3 to k29k29 or progress2 to progress32, each kind once";
const LAYERS: &str = "two hidden layers, or 8 outputs";
const SHARDS: &str = "shards such as c1024_s256x8";

/// The name of the first SFNN network, in files and elsewhere.
const CLASSIC: &str = "SFNN-1536";

impl Shape {
    /// `YaneuraOu`'s SFNN-1536, whose name does not list its dimensions.
    pub(super) const CLASSIC: Self = Self {
        features: FeatureSet::HalfKaHm2,
        width: 1536,
        hidden: [15, 32],
        head: Head::Stacks {
            buckets: OutputBuckets {
                hand: None::<HandClasses>,
                king: Some(KingClasses::K3k3),
                progress: None,
            },
            shards: None,
        },
    };
}

/// The name that [`Shape::from_str`] parses.
impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, width, [first, second]) = (self.features.word(), self.width, self.hidden);
        match self.head {
            Head::Plain => write!(formatter, "{word}_{width}x2-{first}-{second}"),
            Head::Direct => write!(formatter, "{word}_{width}x2-{OUTPUT_BUCKETS}"),
            Head::Stacks { .. } if *self == Self::CLASSIC => formatter.write_str(CLASSIC),
            Head::Stacks { buckets, shards } => {
                write!(formatter, "SFNN_{word}_{width}_{first}_{second}")?;
                if let Some(Shards {
                    common,
                    size,
                    groups,
                }) = shards
                {
                    write!(formatter, "_c{common}_s{size}x{groups}")?;
                }
                write!(formatter, "{buckets}")
            }
        }
    }
}

/// Parses a name, ignoring case; `-` and `_` are equivalent.
impl FromStr for Shape {
    type Err = ShapeError;

    fn from_str(name: &str) -> Result<Self, ShapeError> {
        if name == CLASSIC {
            return Ok(Self::CLASSIC);
        }
        let name = name.to_ascii_lowercase().replace('-', "_");
        let mut words = name.split('_').filter(|word| !word.is_empty()).peekable();
        let is_sfnn = words.next_if_eq(&"sfnn").is_some();
        words.next_if_eq(&"nnue");
        let features = words.next().ok_or(ShapeError::Missing("inputs"))?;
        let features =
            FeatureSet::from_word(features).ok_or_else(|| unknown(features, FEATURE_SETS))?;
        let width = words.next().ok_or(ShapeError::Missing("a width"))?;
        let width = if is_sfnn {
            number(width, "a width")?
        } else {
            let one_side = width
                .strip_suffix("x2")
                .ok_or_else(|| unknown(width, "a width x2"))?;
            number(one_side, "a width x2")?
        };
        let first = number(
            words.next().ok_or(ShapeError::Missing(LAYERS))?,
            "a number of neurons",
        )?;
        if !is_sfnn && first == OUTPUT_BUCKETS && words.peek().is_none() {
            let shape = Self::direct(features, width);
            shape.validate()?;
            return Ok(shape);
        }
        let second = number(
            words.next().ok_or(ShapeError::Missing(LAYERS))?,
            "a number of neurons",
        )?;
        let head = if is_sfnn {
            let is_sharded = words.peek().is_some_and(|word| word.starts_with('c'));
            let shards = is_sharded
                .then(|| shards(words.next(), words.next()))
                .transpose()?;
            let rest = words.collect::<Vec<_>>().join("_");
            let buckets =
                OutputBuckets::from_words(&rest).map_err(|word| unknown(&word, BUCKETS))?;
            Head::Stacks { buckets, shards }
        } else if let Some(word) = words.next() {
            return Err(unknown(word, "nothing"));
        } else {
            Head::Plain
        };
        let shape = Self {
            features,
            width,
            hidden: [first, second],
            head,
        };
        shape.validate()?;
        Ok(shape)
    }
}

fn unknown(word: &str, expected: &'static str) -> ShapeError {
    let word = word.chars().take(40).collect();
    ShapeError::Word { word, expected }
}

fn number(word: &str, expected: &'static str) -> Result<usize, ShapeError> {
    word.parse().map_err(|_| unknown(word, expected))
}

/// Parses shards such as `c1024`, `s256x8`.
fn shards(common: Option<&str>, shards: Option<&str>) -> Result<Shards, ShapeError> {
    let (common, shards) = (common.unwrap_or_default(), shards.unwrap_or_default());
    let parts = || {
        let (size, groups) = shards.strip_prefix('s')?.split_once('x')?;
        Some(Shards {
            common: common.strip_prefix('c')?.parse().ok()?,
            size: size.parse().ok()?,
            groups: groups.parse().ok()?,
        })
    };
    parts().ok_or_else(|| unknown(&format!("{common}_{shards}"), SHARDS))
}
