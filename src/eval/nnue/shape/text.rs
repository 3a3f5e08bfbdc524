//! The architecture text in the header of a file, written as `YaneuraOu` writes it and parsed
//! leniently, because other programs vary it.

use super::dimensions::{Head, Shape};
use crate::eval::nnue::features::FeatureSet;

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
        let (name, rest) = network
            .split_once('{')
            .ok_or("no '{LayerStack=' after the name")?;
        let shape: Self = name.parse().map_err(|error| format!("{error}"))?;
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
            Some((set, width)) => Err(format!(
                "{}->{width} are not the inputs of {shape}",
                set.name()
            )),
            None => Err("no inputs '[number->width x2]' that are known".to_owned()),
        }
    }
}

/// Whether a text describes a network with layer stacks.
pub(crate) fn describes_stacks(text: &str) -> bool {
    text.contains("SFNN") || text.contains("LayerStack")
}

/// The first activation in a text that no kernel here computes (variants of rshogi and bullet).
pub(crate) fn unsupported_activation(text: &str) -> Option<&'static str> {
    ["SCReLU", "Pairwise", "PSQT"]
        .into_iter()
        .find(|word| text.contains(word))
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
    let end = text
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().ok()
}
