//! Names of shapes as `YaneuraOu` spells them: `halfkp_256x2-32-32`, `SFNN_halfka2_1024_7_64_k3k3`; and of our own:
//! `raicho_512x2-8`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Head, MAX_HIDDEN, MAX_WIDTH, Shape, Shards, WIDTH_STEP};
use crate::eval::nnue::buckets::{Buckets, HandBuckets, KingBuckets, PHASES};
use crate::eval::nnue::inputs::Inputs;

/// What is wrong with a shape or its name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ShapeError {
    /// The width cannot be.
    #[error("width {0}, expected a multiple of {WIDTH_STEP} up to {MAX_WIDTH}")]
    Width(usize),
    /// A hidden layer cannot have so many neurons.
    #[error("hidden layer of {0} neurons, expected 1 to {MAX_HIDDEN}")]
    Hidden(usize),
    /// Nor can the first layer of stacks.
    #[error("first layer of {0} neurons, expected 8n, or 8n-1 with a shortcut")]
    FirstOfStacks(usize),
    /// Common inputs and shards do not make up the width, or groups the neurons.
    #[error(
        "common inputs and shards, which do not add up to the width or do not divide the neurons"
    )]
    Shards,
    /// A word of the name is not known.
    #[error("'{word}' in the name, expected {expected}")]
    Word {
        /// What was found.
        word: String,
        /// What could have stood there.
        expected: &'static str,
    },
    /// The name ends early.
    #[error("name without {0}")]
    Missing(&'static str),
}

const INPUTS: &str =
    "halfkp, kp, ka2, halfkpe9, halfkpvm, halfka1, halfka2, halfkahm1, halfkahm2 or raicho";
const BUCKETS: &str =
    "hand4 to hand1024, k3k3 to k29k29 or progress2 to progress32, each kind once";
const LAYERS: &str = "two hidden layers, or 8 outputs";
const SHARDS: &str = "shards such as c1024_s256x8";

/// The name of the first network of its kind, in files and out of them.
const CLASSIC: &str = "SFNN-1536";

impl Shape {
    /// `YaneuraOu`'s SFNN-1536.
    pub(super) const CLASSIC: Self = Self {
        inputs: Inputs::HalfKaHm2,
        width: 1536,
        hidden: [15, 32],
        head: Head::Stacks {
            buckets: Buckets {
                hand: None::<HandBuckets>,
                king: Some(KingBuckets::K3k3),
                progress: None,
            },
            shards: None,
        },
    };
}

/// The name, which [`Shape::from_str`] reads.
impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, width, [first, second]) = (self.inputs.word(), self.width, self.hidden);
        match self.head {
            Head::Plain => write!(formatter, "{word}_{width}x2-{first}-{second}"),
            Head::Direct => write!(formatter, "{word}_{width}x2-{PHASES}"),
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

/// Reads a name, in capitals or not, with `-` and `_` as one.
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
        let inputs = words.next().ok_or(ShapeError::Missing("inputs"))?;
        let inputs = Inputs::from_word(inputs).ok_or_else(|| unknown(inputs, INPUTS))?;
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
        if !is_sfnn && first == PHASES && words.peek().is_none() {
            let shape = Self::direct(inputs, width);
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
            let buckets = Buckets::from_words(&rest).map_err(|word| unknown(&word, BUCKETS))?;
            Head::Stacks { buckets, shards }
        } else if let Some(word) = words.next() {
            return Err(unknown(word, "nothing"));
        } else {
            Head::Plain
        };
        let shape = Self {
            inputs,
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

/// `c1024`, `s256x8`.
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
