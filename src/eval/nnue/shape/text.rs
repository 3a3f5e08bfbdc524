//! Shapes as text: names, and the architecture text in the header of a file.
//!
//! Names are `YaneuraOu`'s, such as `halfkp_256x2-32-32` and `SFNN_halfka2_1024_7_64_k3k3`, and our
//! own, such as `raicho_512x2-8`. Architecture texts are written as `YaneuraOu` writes them and
//! parsed leniently, because other programs vary them.

use std::{fmt, str::FromStr};

use super::{Head, Shape, Shards};
use crate::eval::nnue::features::FeatureSet;
use crate::eval::nnue::output_buckets::{HandClasses, KingClasses, OUTPUT_BUCKETS, OutputBuckets};

const FEATURE_SETS: &str = "halfkp, kp, ka2, halfkpe9, halfkpvm, halfka1, halfka2, halfkahm1, \
    halfkahm2, raicho, raicho4 or raicho12";
const BUCKETS: &str =
    "hand4 to hand1024, k3k3 to k29k29 or progress2 to progress32, each kind once";
const LAYERS: &str = "two hidden layers, or 8 outputs";
const SHARDS: &str = "shards such as c1024_s256x8";

/// The name of the first SFNN network, in files and elsewhere.
const CLASSIC: &str = "SFNN-1536";

impl Shape {
    /// `YaneuraOu`'s SFNN-1536, whose name does not list its dimensions.
    const CLASSIC: Self = Self {
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
                if let Some(Shards { common, size, groups }) = shards {
                    write!(formatter, "_c{common}_s{size}x{groups}")?;
                }
                write!(formatter, "{buckets}")
            }
        }
    }
}

/// Parses a name, ignoring case; `-` and `_` are equivalent.
impl FromStr for Shape {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name == CLASSIC {
            return Ok(Self::CLASSIC);
        }
        let name = name.to_ascii_lowercase().replace('-', "_");
        let mut words = name.split('_').filter(|word| !word.is_empty()).peekable();
        let is_sfnn = words.next_if_eq(&"sfnn").is_some();
        words.next_if_eq(&"nnue");
        let word = words.next().ok_or("name without inputs")?;
        let features = FeatureSet::from_word(word).ok_or_else(|| unknown(word, FEATURE_SETS))?;
        let word = words.next().ok_or("name without a width")?;
        let width = if is_sfnn {
            number(word, "a width")?
        } else {
            let one_side = word.strip_suffix("x2");
            number(one_side.unwrap_or_default(), "").map_err(|_| unknown(word, "a width x2"))?
        };
        let mut neurons = || {
            let word = words.next();
            let word = word.ok_or_else(|| format!("name without {LAYERS}"))?;
            number(word, "a number of neurons").map(|number| (number, words.peek().is_none()))
        };
        let (first, is_last) = neurons()?;
        if !is_sfnn && first == OUTPUT_BUCKETS && is_last {
            return Self::direct(features, width).validated();
        }
        let (second, _) = neurons()?;
        let head = if is_sfnn {
            let is_sharded = words.peek().is_some_and(|word| word.starts_with('c'));
            let shards = is_sharded.then(|| shards(words.next(), words.next())).transpose()?;
            let rest = words.collect::<Vec<_>>().join("_");
            let buckets =
                OutputBuckets::from_words(&rest).map_err(|word| unknown(&word, BUCKETS))?;
            Head::Stacks { buckets, shards }
        } else if let Some(word) = words.next() {
            return Err(unknown(word, "nothing"));
        } else {
            Head::Plain
        };
        let shape = Self { features, width, hidden: [first, second], head };
        shape.validated()
    }
}

impl Shape {
    /// The shape, if it is valid.
    fn validated(self) -> Result<Self, String> {
        self.validate().map(|()| self)
    }
}

fn unknown(word: &str, expected: &str) -> String {
    let word: String = word.chars().take(40).collect();
    format!("'{word}' in the name, expected {expected}")
}

fn number(word: &str, expected: &str) -> Result<usize, String> {
    word.parse().map_err(|_| unknown(word, expected))
}

/// Parses shards such as `c1024`, `s256x8`.
fn shards(common: Option<&str>, shards: Option<&str>) -> Result<Shards, String> {
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

// --- Architecture texts ---

impl Shape {
    /// The architecture text of this shape.
    pub(crate) fn text(&self) -> String {
        let (name, count, width) = (self.features.name(), self.features.count(), self.width);
        let features = format!("Features={name}[{count}->{width}x2],Network=");
        match self.head {
            Head::Plain => {
                let [first, second] = self.hidden;
                let both = 2 * width;
                format!(
                    "{features}AffineTransform[1<-{second}](ClippedReLU[{second}](\
                     AffineTransform[{second}<-{first}](ClippedReLU[{first}](\
                     AffineTransformSparseInput[{first}<-{both}](\
                     InputSlice[{both}(0:{both})])))))"
                )
            }
            Head::Stacks { .. } => {
                let name = self.to_string().to_ascii_uppercase();
                let stacks = self.stacks();
                format!("ModelType=SFNNWithoutPsqt;{features}{name}{{LayerStack={stacks}}}")
            }
            Head::Direct => format!("{features}{self}"),
        }
    }

    /// The text of a file of this shape with `FV_SCALE` and a description, on one line.
    pub(crate) fn file_text(&self, scale: i32, description: &str) -> String {
        let comma = if description.is_empty() { "" } else { "," };
        let description = description.replace(char::is_control, " ");
        format!("{},fv_scale={scale}{comma}{description}", self.text())
    }

    /// The plain shape that a text describes, `None` where it describes none or is inconsistent.
    pub(crate) fn from_plain_text(text: &str) -> Option<Self> {
        let (set, width) = features(text)?;
        let network = text.split_once("Network=")?.1;
        let layers: Vec<(usize, usize)> = network.split('[').filter_map(layer).collect();
        let [(1, second_again), (second, first_again), (first, both)] = layers[..] else {
            return None;
        };
        let shape = Self::plain(set, width, [first, second]);
        shape.validate().ok()?;
        let is_consistent = second == second_again && first == first_again && both == 2 * width;
        is_consistent.then_some(shape)
    }

    /// The shape with layer stacks that a text describes.
    ///
    /// # Errors
    /// The part of the text that is missing, inconsistent or unknown.
    pub(crate) fn from_stacks_text(text: &str) -> Result<Self, String> {
        let network = text.split_once("Network=").ok_or("no 'Network='")?.1;
        let (name, rest) = network.split_once('{').ok_or("no '{LayerStack=' after the name")?;
        let shape: Self = name.parse()?;
        if !matches!(shape.head, Head::Stacks { .. }) {
            return Err(format!("{shape} is no SFNN network"));
        }
        let stacks = rest.strip_prefix("LayerStack=").and_then(leading_number);
        if stacks != Some(shape.stacks()) {
            let expected = shape.stacks();
            return Err(format!("LayerStack is not the {expected} of {shape}"));
        }
        match features(text) {
            Some((set, width)) if (set, width) == (shape.features, shape.width) => Ok(shape),
            Some((set, width)) => {
                Err(format!("{}->{width} are not the inputs of {shape}", set.name()))
            }
            None => Err("no inputs '[number->width x2]' that are known".to_owned()),
        }
    }
}

/// Feature set, width and number of layer stacks of a text that does not list the layers
/// of a stack reliably. Trainers write `SFNN-1024{LayerStack=9}`, `SFNN-1024-7-64-V2{…}` or the
/// layers of a plain network, whatever the network has.
pub(crate) fn short_stacks(text: &str) -> Option<(FeatureSet, usize, usize)> {
    let (set, width) = features(text)?;
    let (name, rest) = text.split_once("Network=")?.1.split_once('{')?;
    let is_short = name.starts_with("AffineTransform[")
        || name.strip_prefix("SFNN-").and_then(leading_number) == Some(width);
    let stacks = rest.strip_prefix("LayerStack=").and_then(leading_number)?;
    is_short.then_some((set, width, stacks))
}

/// Whether a text describes a network with layer stacks.
pub(crate) fn describes_stacks(text: &str) -> bool {
    text.contains("SFNN") || text.contains("LayerStack")
}

/// The first activation in a text that no kernel here computes (variants of rshogi and bullet).
pub(crate) fn unsupported_activation(text: &str) -> Option<&'static str> {
    ["SCReLU", "Pairwise", "PSQT"].into_iter().find(|word| text.contains(word))
}

/// The number after `fv_scale=`, `None` where the text has none.
pub(crate) fn fv_scale(text: &str) -> Option<usize> {
    leading_number(text.split_once("fv_scale=")?.1)
}

/// Feature set and width of `Features=HalfKP(Friend)[125388->256x2]`. Where another program uses a
/// different name for the set, the feature count identifies it.
fn features(text: &str) -> Option<(FeatureSet, usize)> {
    let (name, rest) = text.split_once("Features=")?.1.split_once('[')?;
    let (count, rest) = rest.split_once("->")?;
    let count: usize = count.parse().ok()?;
    let set = FeatureSet::from_name(name).or_else(|| FeatureSet::from_count(count))?;
    let width = leading_number(rest)?;
    (set.count() == count).then_some((set, width))
}

/// Outputs and inputs of a layer, from `32<-512](…`.
fn layer(text: &str) -> Option<(usize, usize)> {
    let (outputs, inputs) = text.split_once(']')?.0.split_once("<-")?;
    Some((outputs.parse().ok()?, inputs.parse().ok()?))
}

fn leading_number(text: &str) -> Option<usize> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}
