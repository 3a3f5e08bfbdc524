//! NNUE evaluation: networks whose first layer is updated incrementally during search.
//!
//! Each side sees a position as about 40 active features out of thousands (a
//! [`FeatureSet`]). The feature transformer adds one column of weights per active feature into an
//! accumulator, which is kept from move to move; small layers or one output neuron turn the
//! accumulators of both sides into a value. The idea is Yu Nasu's (2018). Files are those of
//! `YaneuraOu` or of our own format.
//!
//! [`Network::open`] detects the architecture of a file. [`scalar::evaluate`] is the reference
//! implementation; [`Model`] computes the same value with vector instructions.
//!
//! Must not know: search, options, where files lie.

mod accumulator;
mod explain;
mod features;
pub mod file;
mod layers;
mod material_network;
mod model;
pub mod output_buckets;
pub mod random;
pub mod scalar;
pub mod shape;
pub mod simd;

use crate::util::{Aligned, cores, for_each_part};
use file::NetError;
use output_buckets::Progress;
use shape::{LayerShape, Shape};

pub use explain::explain;
pub use features::{ActiveFeatures, FeatureSet, active_features};
pub(crate) use features::{COARSE_ZONES, features_in_hand, features_on_board, king_bucket};
pub use material_network::material_network;
pub use model::{Accumulator, Model, instruction_set_from_env};

/// `FV_SCALE` of a network that declares none, as in `YaneuraOu`.
pub const DEFAULT_SCALE: i32 = 16;

/// Largest value of an output of 1 in a network of our own, in units of 1/90 pawn.
const MAX_OUTPUT_SCALE: u32 = 4096;

/// A network, read from a file or built in memory.
#[derive(Debug)]
pub struct Network {
    pub(crate) shape: Shape,
    pub(crate) transformer: FeatureTransformer,
    /// One layer stack per bucket; none where there is an [`Self::output_layer`].
    pub(crate) stacks: Vec<LayerStack>,
    /// The output neurons of a network of our own.
    pub(crate) output_layer: Option<OutputLayer>,
    /// The weights of game progress, where output buckets depend on it.
    pub(crate) progress: Option<Progress>,
    /// `FV_SCALE`, at least 1.
    pub(crate) scale: i32,
    pub(crate) source: String,
    pub(crate) text: String,
}

/// The feature transformer. Its weights are doubled where the shape has layer stacks, as in
/// `YaneuraOu`.
#[derive(Debug)]
pub(crate) struct FeatureTransformer {
    /// `[column]`
    pub(crate) biases: Aligned<i16>,
    /// `[feature][column]`
    pub(crate) weights: Aligned<i16>,
}

/// An affine layer. Rows of weights are padded with zeros.
#[derive(Debug)]
pub(crate) struct AffineLayer {
    pub(crate) inputs: usize,
    /// [`Self::inputs`] rounded up to a multiple of 32.
    pub(crate) padded_inputs: usize,
    pub(crate) outputs: usize,
    /// `[output]`
    pub(crate) biases: Vec<i32>,
    /// `[output][input]`, rows of [`Self::padded_inputs`].
    pub(crate) weights: Aligned<i8>,
}

/// The three layers after the feature transformer.
#[derive(Debug)]
pub(crate) struct LayerStack {
    pub(crate) first: AffineLayer,
    pub(crate) second: AffineLayer,
    pub(crate) last: AffineLayer,
}

/// The output neurons of a network of our own, one per bucket.
#[derive(Debug)]
pub(crate) struct OutputLayer {
    /// `[bucket]`, in units of 1/([`QA`](scalar::QA) · [`QB`](scalar::QB)).
    pub(crate) biases: Vec<i32>,
    /// `[bucket][side][column]`, the side to move first; at most
    /// [`MAX_OUTPUT_WEIGHT`] in magnitude.
    pub(crate) weights: Aligned<i16>,
    /// The value of an output of 1, in units of 1/90 pawn.
    pub(crate) scale: i32,
}

impl Network {
    /// A network of our own. The feature transformer determines the width, which the other sizes
    /// must match.
    pub(crate) fn with_output_layer(
        features: FeatureSet,
        transformer: FeatureTransformer,
        output_layer: OutputLayer,
        text: &str,
    ) -> Self {
        let shape = Shape::direct(features, transformer.biases.len());
        debug_assert_eq!(shape.validate(), Ok(()));
        debug_assert_eq!(transformer.weights.len(), features.count() * shape.width);
        debug_assert_eq!(output_layer.biases.len(), shape.buckets());
        debug_assert_eq!(output_layer.weights.len(), shape.buckets() * 2 * shape.width);
        Self {
            shape,
            transformer,
            stacks: Vec::new(),
            output_layer: Some(output_layer),
            progress: None,
            scale: DEFAULT_SCALE,
            source: String::new(),
            text: text.to_owned(),
        }
    }

    /// A network with hidden layers and one layer stack, whose output `scale` divides (`FV_SCALE`).
    pub(crate) fn with_stack(
        shape: Shape,
        transformer: FeatureTransformer,
        stack: LayerStack,
        scale: i32,
        text: &str,
    ) -> Self {
        debug_assert_eq!((shape.validate(), shape.stacks()), (Ok(()), 1));
        debug_assert_eq!(transformer.weights.len(), shape.features.count() * shape.width);
        Self {
            shape,
            transformer,
            stacks: vec![stack],
            output_layer: None,
            progress: None,
            scale,
            source: String::new(),
            text: shape.file_text(scale, text),
        }
    }

    /// Feature set, widths and head.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The divisor of the output (`FV_SCALE`), at least 1. Networks of our own ignore it, because
    /// their file holds their scale.
    pub const fn scale(&self) -> i32 {
        self.scale
    }

    /// Sets the divisor of the output; values below 1 are taken as 1.
    pub fn set_scale(&mut self, scale: i32) {
        self.scale = scale.max(1);
    }

    /// Multiplies the values of a network of our own by `factor`. Returns the new value of an
    /// output of 1, in units of 1/90 pawn.
    ///
    /// # Errors
    /// The network has another head, or the new scale does not fit into a file. The network is then
    /// unchanged.
    pub fn rescale(&mut self, factor: f64) -> Result<u32, NetError> {
        let shape = self.shape;
        let Some(output_layer) = &mut self.output_layer else {
            let reason = "expected a network of our own; for others there is FV_SCALE";
            return Err(NetError::Invalid(format!("{shape}: {reason}")));
        };
        let scale = (f64::from(output_layer.scale) * factor).round() as u32;
        if !(1..=MAX_OUTPUT_SCALE).contains(&scale) {
            return Err(NetError::Invalid(format!(
                "an output of 1 would be worth {scale}, expected 1 to {MAX_OUTPUT_SCALE}"
            )));
        }
        output_layer.scale = scale as i32;
        Ok(scale)
    }

    /// The path of the file, or `<embedded>`; empty for a network that was built in memory.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The architecture text, or the text on the origin of a network of our own; one line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Adds what was done with the weights to the text.
    pub fn add_to_text(&mut self, remark: &str) {
        self.text.push_str("; ");
        self.text.push_str(remark);
    }
}

impl AffineLayer {
    /// Parses biases and padded weights. The caller has checked the sizes.
    pub(crate) fn from_bytes(shape: LayerShape, biases: &[u8], weights: &[u8]) -> Self {
        let padded_inputs = shape.padded_inputs();
        let mut aligned = Aligned::zeroed(weights.len());
        aligned.copy_from_slice(bytemuck::cast_slice(weights));
        for row in aligned.chunks_exact_mut(padded_inputs) {
            // Writers may leave anything in the padding; cleared, kernels need not mask it.
            row[shape.inputs..].fill(0);
        }
        Self {
            inputs: shape.inputs,
            padded_inputs,
            outputs: shape.outputs,
            biases: to_i32(biases),
            weights: aligned,
        }
    }

    /// The weights of one neuron, without padding.
    pub(crate) fn row(&self, output: usize) -> &[i8] {
        &self.weights[output * self.padded_inputs..][..self.inputs]
    }
}

impl OutputLayer {
    /// The weights of one bucket: the half of the side to move, then that of the other side.
    pub(crate) fn row(&self, bucket: usize) -> &[i16] {
        let inputs = self.weights.len() / self.biases.len();
        &self.weights[bucket * inputs..][..inputs]
    }
}

/// From this many integers on, conversion runs on all cores, because page faults on the source
/// dominate.
const PARALLEL_FROM: usize = 1 << 22;

/// Parses little-endian 16-bit integers.
fn to_i16(bytes: &[u8]) -> Aligned<i16> {
    let (values, _) = bytes.as_chunks();
    let mut aligned = Aligned::zeroed(values.len());
    let copy = |(to, from): (&mut [i16], &[[u8; 2]])| {
        for (to, from) in to.iter_mut().zip(from) {
            *to = i16::from_le_bytes(*from);
        }
    };
    if values.len() >= PARALLEL_FROM {
        let part = values.len().div_ceil(cores());
        let parts = aligned.chunks_mut(part).zip(values.chunks(part));
        if for_each_part(parts, copy).is_ok() {
            return aligned;
        }
    }
    copy((&mut aligned, values));
    aligned
}

/// Parses little-endian 32-bit integers.
fn to_i32(bytes: &[u8]) -> Vec<i32> {
    let (values, _) = bytes.as_chunks();
    values.iter().copied().map(i32::from_le_bytes).collect()
}

// --- The embedded network ---

/// The network inside the executable, a file of our own format; `nets/README.md` describes its
/// training.
static EMBEDDED: &[u8] = include_bytes!("../../../nets/raicho.nnue");

/// Name of the embedded network in messages. `EvalFile` never reads this text as a path.
const EMBEDDED_SOURCE: &str = "<embedded>";

impl Network {
    /// The embedded network. Each call reads it anew.
    ///
    /// # Panics
    /// Panics if the embedded file is damaged, which a test excludes.
    pub fn embedded() -> Self {
        let (mut network, _) = Self::read(EMBEDDED).expect("the embedded network is whole");
        network.source = String::from(EMBEDDED_SOURCE);
        network
    }

    /// Whether it is the network inside the executable.
    pub fn is_embedded(&self) -> bool {
        self.source == EMBEDDED_SOURCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_network_can_be_read() {
        let network = Network::embedded();
        assert_eq!(network.source(), "<embedded>");
        assert!(network.text().starts_with("Raicho"));
        assert_eq!(network.shape().to_string(), "raicho4_256x2-8");
    }
}
