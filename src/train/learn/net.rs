//! Networks as what a run trains: weights with Adam, rounded to the integers of the engine.

use std::io::{self, Read, Write};
use std::{iter, ops::Range, path::Path};

use anyhow::{Context as _, Result, ensure};
use bytemuck::{Pod, Zeroable};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::learner::{Model, Run, is_checkpoint, open_checkpoint};
use super::loss::{HeldOutLosses, Target, Targets};
use super::quantise::{self, Grid, MAX_OUTPUT, Quantised, to_floats};
use super::sample::{CHUNK, Chunk, FEATURES, MAX_ACTIVE, Sample};
use super::{Settings, pass::Pass};
use crate::eval::nnue::output_buckets::{OUTPUT_BUCKETS, OutputBuckets};
use crate::eval::nnue::shape::{Head, Shape};
use crate::eval::nnue::{COARSE_ZONES, Network};

/// Most positions that the rounding of hidden layers is fitted to.
const MAX_FITTED: usize = 60_000;

/// Most positions that the rounding error is measured on.
const MAX_COMPARED: usize = 20_000;

/// A run that trains a network.
pub type Learner<'a> = Run<'a, Net>;

/// The weights of a network.
pub struct Net {
    grid: Grid,
    weights: Weights,
    /// The weights, rounded to the grid: those of all passes.
    rounded: Weights,
    adam: Adam,
    /// The gradient, 0 between steps.
    gradient: Weights,
    pass: Pass,
}

impl Model for Net {
    const MAGIC: &[u8; 8] = b"RAICHOCP";

    type Batch = Vec<Chunk>;

    /// Random weights.
    fn new(settings: &Settings) -> Result<Self> {
        let layout = settings.layout()?;
        let mut net = Self {
            grid: Grid::new(layout, settings.scale),
            weights: Weights::random(layout, settings.seed),
            rounded: Weights::zeroed(layout),
            adam: Adam::new(layout),
            gradient: Weights::zeroed(layout),
            pass: Pass::new(layout),
        };
        net.round();
        Ok(net)
    }

    fn batch(settings: &Settings) -> Vec<Chunk> {
        let chunks = 0..settings.batch.div_ceil(CHUNK);
        chunks.map(|_| Chunk::new(settings.shape.features)).collect()
    }

    fn fill(batch: &mut Vec<Chunk>, samples: &[Sample], targets: Targets) {
        let parts = samples.par_chunks(CHUNK).zip(batch);
        parts.for_each(|(samples, chunk)| {
            chunk.fill(samples.iter(), |sample| targets.of(sample));
        });
    }

    fn step(&mut self, batch: &Vec<Chunk>, settings: &Settings, step: u64) -> f64 {
        let factor = (settings.batch as f64).recip() as f32;
        let loss = self.pass.add_gradient(&self.rounded, batch, factor, &mut self.gradient);
        let (rate, decay) = (settings.rate_at(step) as f32, settings.decay as f32);
        self.adam.step(&mut self.weights, &mut self.gradient, step, rate, decay);
        self.round();
        loss
    }

    fn add_losses(&mut self, samples: &[Sample], settings: &Settings, losses: &mut HeldOutLosses) {
        let mut chunk = Chunk::new(settings.shape.features);
        for samples in samples.chunks(CHUNK) {
            chunk.fill(samples.iter(), |_| Target::exact(0.0));
            let outputs = self.pass.forward(&self.rounded, &chunk);
            for (sample, &output) in samples.iter().zip(outputs) {
                losses.add(sample, output);
            }
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for weights in [&self.weights, &self.adam.first, &self.adam.second] {
            for row in rows(weights.layout()) {
                let Some(row) = row else {
                    out.write_all(bytemuck::cast_slice(&weights.top))?;
                    continue;
                };
                for block in weights.blocks() {
                    out.write_all(bytemuck::bytes_of(&block[row]))?;
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, input: &mut dyn Read) -> io::Result<()> {
        for weights in [&mut self.weights, &mut self.adam.first, &mut self.adam.second] {
            for row in rows(weights.layout()) {
                let Some(row) = row else {
                    input.read_exact(bytemuck::cast_slice_mut(&mut weights.top))?;
                    continue;
                };
                for block in weights.blocks_mut() {
                    input.read_exact(bytemuck::bytes_of_mut(&mut block[row]))?;
                }
            }
        }
        self.round();
        Ok(())
    }
}

impl Net {
    fn round(&mut self) {
        self.grid.round(&self.weights, &mut self.rounded);
    }
}

/// The rows of a block in the order of a checkpoint; `None` stands for the top, which is not a row.
fn rows(layout: Layout) -> impl Iterator<Item = Option<usize>> {
    let biases = layout.biases();
    let transformer = iter::once(biases).chain(0..biases).map(Some);
    let next = (layout.outputs().start..layout.rows()).map(Some);
    transformer.chain([None]).chain(next)
}

impl Learner<'_> {
    /// Replaces the random weights of a new run, or only those of the feature transformer where the
    /// weights are those of another head. They must have been opened for the shape of the run.
    ///
    /// # Panics
    /// Panics where they have another width or other zones.
    pub fn init_from(&mut self, weights: InitialWeights) {
        let weights = weights.into_weights(self.state.settings.scale);
        self.model.weights.copy_from(&weights);
        self.model.round();
    }

    /// The quantised network; `text` is stored in its file. The rounding error is measured on
    /// held-out positions, or on the first training positions where none are held out.
    pub fn quantised(&self, text: &str) -> Quantised {
        let samples =
            if self.data.held_out.is_empty() { &self.data.training } else { &self.data.held_out };
        let samples = &samples[..samples.len().min(MAX_COMPARED)];
        let (training, scale) = (&self.data.training, self.state.settings.scale);
        let step = training.len().div_ceil(MAX_FITTED).max(1);
        let known = training.iter().step_by(step);
        quantise::quantise(&self.model.rounded, scale, text, known, samples)
    }
}

/// The weights of a file whose width is that of the run. Where the head is another, only the
/// feature transformer is used; where the run has more zones of the own king, each begins with the
/// weights of the zone that it is a part of.
#[derive(Debug)]
pub struct InitialWeights(Content);

#[derive(Debug)]
enum Content {
    /// The weights of a checkpoint.
    Floats(Weights),
    /// Of a network, still quantised, because the conversion depends on the scale of the run.
    Quantised(Box<Network>),
}

impl InitialWeights {
    /// Reads a checkpoint or a network, which must have the width of the run.
    ///
    /// # Errors
    /// The file cannot be read, is neither, or has another feature set or width, or zones that the
    /// run does not have.
    pub fn open(path: &Path, shape: Shape) -> Result<Self> {
        let (content, found) = if is_checkpoint::<Net>(path)? {
            let (state, net) = open_checkpoint::<Net>(path)?;
            (Content::Floats(net.weights), state.settings.shape)
        } else {
            let network = Network::open(path);
            let (network, _) = network.context("neither a checkpoint nor a network")?;
            let shape = network.shape();
            ensure!(
                Layout::new(shape).is_some(),
                "a network of shape {shape}, expected one of our own (raicho_…)"
            );
            (Content::Quantised(Box::new(network)), shape)
        };
        let (width, expected) = (found.width, shape.width);
        ensure!(width == expected, "width {width}, expected {expected}");
        let zones = |shape| Layout::new(shape).map_or(1, Layout::zones);
        ensure!(
            zones(found) <= zones(shape),
            "a network of shape {found}, whose zones cannot be joined"
        );
        Ok(Self(content))
    }

    /// The weights for a run in which an output of 1 is worth `scale`.
    fn into_weights(self, scale: u16) -> Weights {
        match self.0 {
            Content::Floats(weights) => weights,
            Content::Quantised(network) => {
                to_floats(&network, scale).expect("`open` has checked the shape")
            }
        }
    }
}

// --- The optimiser ---

/// Decay rates of the first and the second moment per step.
const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;

/// Added to the denominator, so that a weight without any gradient stays finite.
const EPSILON: f32 = 1e-8;

/// Weights are clamped to this magnitude, so that those of hidden layers fit into their integers,
/// which end at 127/64.
const MAX_WEIGHT: f32 = 1.98;

/// That of each of the two parts of a weight that zones share: half of it, so that the sums of the
/// accumulator fit into theirs.
const MAX_PART: f32 = MAX_WEIGHT / 2.0;

/// The rate of the weights of a zone, as a part of that of the shared ones: what zones have in
/// common is learnt first.
const ZONE_RATE: f32 = 0.3;

/// The moments of the gradients.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Adam {
    pub(super) first: Weights,
    pub(super) second: Weights,
}

/// The factors of one step.
#[derive(Clone, Copy)]
struct Factors {
    /// Learning rate, including the bias correction of the first moment.
    rate: f32,
    /// Bias correction of the second moment.
    correction: f32,
    /// Factor of weight decay: 1 - rate · decay.
    decay: f32,
    /// Largest magnitude of a weight.
    most: f32,
}

impl Adam {
    pub(super) fn new(layout: Layout) -> Self {
        Self { first: Weights::zeroed(layout), second: Weights::zeroed(layout) }
    }

    /// Moves the weights against the gradient, which is 0 afterwards. `step` is the number of steps
    /// before, `decay` the weight decay per unit of `rate`; biases do not decay.
    pub(super) fn step(
        &mut self,
        weights: &mut Weights,
        gradient: &mut Weights,
        step: u64,
        rate: f32,
        decay: f32,
    ) {
        let power = i32::try_from(step + 1).unwrap_or(i32::MAX);
        let correct = |beta: f32| (1.0 - f64::from(beta).powi(power)).recip() as f32;
        let layout = weights.layout();
        let factors = Factors {
            rate: rate * correct(BETA1),
            correction: correct(BETA2),
            decay: 1.0 - rate * decay,
            most: MAX_WEIGHT,
        };
        let of_shared = Factors { most: MAX_PART, ..factors };
        let of_features = if layout.zones() == 1 {
            factors
        } else {
            Factors {
                rate: factors.rate * ZONE_RATE,
                decay: 1.0 - rate * ZONE_RATE * decay,
                ..of_shared
            }
        };
        let of_biases = Factors { decay: 1.0, ..factors };
        let of_outputs = Factors {
            most: if layout.hidden.is_none() { MAX_OUTPUT } else { MAX_WEIGHT },
            ..factors
        };
        let (first, second) = (&mut self.first, &mut self.second);
        let moments = first.par_blocks_mut().zip(second.par_blocks_mut());
        let blocks = weights.par_blocks_mut().zip(gradient.par_blocks_mut());
        blocks.zip(moments).for_each(|((weights, gradient), (first, second))| {
            let factors = [of_features, of_biases, of_outputs, of_shared];
            pulp::Arch::new().dispatch(
                #[inline(always)]
                || step_block(layout, factors, weights, gradient, [first, second]),
            );
        });
        let moments = self.first.top.iter_mut().zip(&mut self.second.top);
        let top = weights.top.iter_mut().zip(&mut gradient.top).zip(moments);
        for (number, ((weight, gradient), moments)) in top.enumerate() {
            let is_bias = layout.is_bias(number);
            let factors = if is_bias { of_biases } else { factors };
            factors.apply(weight, gradient, moments);
        }
    }
}

impl Factors {
    /// Updates one weight and its moments, and clears its gradient.
    #[inline(always)]
    fn apply(self, weight: &mut f32, gradient: &mut f32, (first, second): (&mut f32, &mut f32)) {
        *first = BETA1 * *first + (1.0 - BETA1) * *gradient;
        *second = BETA2 * *second + (1.0 - BETA2) * *gradient * *gradient;
        *gradient = 0.0;
        let size = (*second * self.correction).sqrt() + EPSILON;
        let moved = *weight * self.decay - self.rate * *first / size;
        *weight = moved.clamp(-self.most, self.most);
    }
}

/// A step of the weights of one block. The factors are those of the weights of features, of their
/// biases, of the weights of the next layer, and of shared weights.
#[inline(always)]
fn step_block(
    layout: Layout,
    factors: [Factors; 4],
    weights: &mut [Row],
    gradient: &mut [Row],
    [first, second]: [&mut [Row]; 2],
) {
    let (features, rest) = gradient.split_at_mut(layout.biases());
    let shared = layout.shared().start - layout.biases();
    for (number, sum) in rest[shared..].iter_mut().enumerate() {
        for row in features.iter().skip(number).step_by(FEATURES) {
            for column in 0..BLOCK {
                sum.0[column] += row.0[column];
            }
        }
    }
    let moments = first.iter_mut().zip(second);
    let rows = weights.iter_mut().zip(gradient).zip(moments);
    for (number, ((weights, gradient), (first, second))) in rows.enumerate() {
        let factors = if number == layout.biases() {
            factors[1]
        } else if layout.outputs().contains(&number) {
            factors[2]
        } else if layout.shared().contains(&number) {
            factors[3]
        } else {
            factors[0]
        };
        let (Row(first), Row(second)) = (first, second);
        for column in 0..BLOCK {
            factors.apply(
                &mut weights.0[column],
                &mut gradient.0[column],
                (&mut first[column], &mut second[column]),
            );
        }
    }
}

// --- Weights ---
//
// The weights of a network in 32-bit floats, in blocks of [`BLOCK`] accumulator columns.
//
// A block holds all weights of its columns, row by row: those of each feature, the biases, and the
// weights of the layer after the feature transformer. It fits into the cache of one core, and its
// gradient is independent of the other blocks, so blocks are the unit of parallelism. The few
// weights that belong to no column are the `top`. Gradients and the moments of the optimiser have
// the same shape and use the same type.
//
// A block has a row for each feature, one for the biases, the weights of the next layer and, where
// the feature set has zones of the own king, a row for each feature without its zone: the *shared*
// weights. The weight of a feature in a zone is then the sum of the shared one and its own, so
// that a rare zone learns from all others (a factoriser, as nodchip's trainer of `HalfKP` has).
// Networks hold only the sums.
//
// The weights of the next layer are:
//
// | head | row | columns |
// |---|---|---|
// | direct | 2 · bucket + side | all |
// | plain | 2 · neuron + side | all |
// | products | neuron | products of the side to move, then of the other side |
//
// With products, the two factors of a product are in the same block: columns n and n + 16.
//
// The top is the biases of the outputs, by bucket, or behind a hidden layer: biases of the first
// layer, weights `[output][input]` and biases of the second, weights and bias of the last.

/// One value for each column of a block.
#[derive(Clone, Copy, PartialEq, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(super) struct Row(pub(super) [f32; BLOCK]);

impl Row {
    pub(super) const ZERO: Self = Self([0.0; BLOCK]);
}

/// One value for each weight of a network.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Weights {
    layout: Layout,
    rows: Vec<Row>,
    /// The weights that belong to no column, in the order of [`Layout`].
    pub(super) top: Vec<f32>,
}

impl Weights {
    /// A network whose weights are all 0.
    pub(super) fn zeroed(layout: Layout) -> Self {
        Self {
            layout,
            rows: bytemuck::zeroed_vec(layout.blocks() * layout.rows()),
            top: vec![0.0; layout.top()],
        }
    }

    /// Random initial weights, small enough that few columns and neurons saturate.
    pub(super) fn random(layout: Layout, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut uniform = |limit: f32| (random.random::<f32>() * 2.0 - 1.0) * limit;
        // The standard deviation of a column is then a quarter of the activation range.
        let input = 0.25 * (3.0 / MAX_ACTIVE as f32).sqrt();
        let output = (1.0 / layout.first_inputs() as f32).sqrt();
        let mut weights = Self::zeroed(layout);
        for block in weights.blocks_mut() {
            for (number, row) in block.iter_mut().enumerate() {
                for weight in &mut row.0 {
                    *weight = if number == layout.biases() {
                        FIRST_BIAS
                    } else if layout.outputs().contains(&number) {
                        uniform(output)
                    } else if layout.zones() == 1 || layout.shared().contains(&number) {
                        uniform(input)
                    } else {
                        0.0
                    };
                }
            }
        }
        if let Some(hidden) = layout.hidden {
            weights.top[hidden.first_biases()].fill(FIRST_BIAS);
            weights.top[hidden.second_biases()].fill(FIRST_BIAS);
            for (range, inputs) in [
                (hidden.second_weights(), hidden.second_inputs()),
                (hidden.last_weights(), hidden.second),
            ] {
                let limit = (1.0 / inputs as f32).sqrt();
                weights.top[range].fill_with(|| uniform(limit));
            }
        }
        weights
    }

    /// Copies the weights of a network of the same width with as many zones or fewer: all weights
    /// where the head is the same, else those of the feature transformer.
    ///
    /// # Panics
    /// Panics where the widths differ, or where there are more zones.
    pub(super) fn copy_from(&mut self, from: &Self) {
        let (own, other) = (self.layout, from.layout);
        assert_eq!(own.shape.width, other.shape.width);
        assert!(other.zones() <= own.zones());
        // Where columns are in blocks differs between heads.
        let mut places = vec![(0, 0); other.shape.width];
        for block in 0..other.blocks() {
            for place in 0..BLOCK {
                places[other.column(block, place)] = (block, place);
            }
        }
        let mut rows = vec![(own.biases(), other.biases())];
        if own.zones() == other.zones() {
            rows.extend((0..own.biases()).map(|row| (row, row)));
            rows.extend(own.shared().zip(other.shared()));
        } else if other.zones() == 1 {
            rows.extend(own.shared().zip(0..));
        } else {
            for (zone, &of_other) in COARSE_ZONES.iter().enumerate() {
                let start = of_other as usize * FEATURES;
                rows.extend((0..FEATURES).map(|row| (zone * FEATURES + row, start + row)));
            }
            rows.extend(own.shared().zip(other.shared()));
        }
        if own.hidden == other.hidden {
            rows.extend(own.outputs().zip(other.outputs()));
            self.top.copy_from_slice(&from.top);
        }
        for (number, block) in self.blocks_mut().enumerate() {
            if own.zones() > other.zones() {
                block[..own.biases()].fill(Row::ZERO);
            }
            for &(row, from_row) in &rows {
                for (place, to) in block[row].0.iter_mut().enumerate() {
                    let (block, place) = places[own.column(number, place)];
                    *to = from.rows[block * other.rows() + from_row].0[place];
                }
            }
        }
    }

    /// Divides the weights of features by zone into what all zones have in common, their mean, and
    /// the rest.
    pub(super) fn share(&mut self) {
        let layout = self.layout;
        for block in self.blocks_mut() {
            let (features, rest) = block.split_at_mut(layout.biases());
            let shared = layout.shared().start - layout.biases();
            for (number, shared) in rest[shared..].iter_mut().enumerate() {
                for column in 0..BLOCK {
                    let own = features.iter().skip(number).step_by(FEATURES);
                    let sum: f32 = own.map(|row| row.0[column]).sum();
                    shared.0[column] = sum / layout.zones() as f32;
                }
                for row in features.iter_mut().skip(number).step_by(FEATURES) {
                    for column in 0..BLOCK {
                        row.0[column] -= shared.0[column];
                    }
                }
            }
        }
    }

    pub(super) const fn layout(&self) -> Layout {
        self.layout
    }

    pub(super) fn blocks(&self) -> std::slice::ChunksExact<'_, Row> {
        self.rows.chunks_exact(self.layout.rows())
    }

    pub(super) fn blocks_mut(&mut self) -> std::slice::ChunksExactMut<'_, Row> {
        self.rows.chunks_exact_mut(self.layout.rows())
    }

    /// The blocks, to be processed in parallel.
    pub(super) fn par_blocks(&self) -> rayon::slice::ChunksExact<'_, Row> {
        self.rows.par_chunks_exact(self.layout.rows())
    }

    /// The blocks, to be changed in parallel.
    pub(super) fn par_blocks_mut(&mut self) -> rayon::slice::ChunksExactMut<'_, Row> {
        self.rows.par_chunks_exact_mut(self.layout.rows())
    }
}

/// Initial bias of columns and neurons: a quarter of the activation range.
const FIRST_BIAS: f32 = 0.25;

/// Columns of a block: two cache lines per row.
pub(super) const BLOCK: usize = 32;

/// The layout of the weights of a shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    /// The shape of the network.
    pub(super) shape: Shape,
    /// The sizes of its hidden layers, if it has any.
    pub(super) hidden: Option<Hidden>,
}

/// The sizes of two hidden layers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Hidden {
    /// Neurons of the first layer, without the shortcut; up to [`BLOCK`] with it.
    pub(super) first: usize,
    /// Neurons of the second layer.
    pub(super) second: usize,
    /// Whether the inputs are pairwise products, else clipped columns.
    pub(super) is_products: bool,
    /// Whether the last neuron of the first layer is added to the output.
    pub(super) has_shortcut: bool,
}

impl Layout {
    /// The layout of a shape, `None` where it cannot be trained.
    pub(super) fn new(shape: Shape) -> Option<Self> {
        if !shape.features.is_own() || shape.validate().is_err() {
            return None;
        }
        let is_products = match shape.head {
            Head::Direct => {
                return Some(Self { shape, hidden: None });
            }
            Head::Plain => false,
            Head::Stacks { buckets, shards: None } if buckets == OutputBuckets::default() => true,
            Head::Stacks { .. } => return None,
        };
        let [first, second] = shape.hidden;
        let hidden = Hidden { first, second, is_products, has_shortcut: shape.has_shortcut() };
        (hidden.first_outputs() <= MAX_FIRST && second <= MAX_SECOND)
            .then_some(Self { shape, hidden: Some(hidden) })
    }

    /// Number of blocks of columns.
    pub(super) const fn blocks(self) -> usize {
        self.shape.width / BLOCK
    }

    /// Number of zones of the own king.
    pub(super) const fn zones(self) -> usize {
        self.biases() / FEATURES
    }

    /// The row of the biases in a block; the rows of the features come before it.
    pub(super) const fn biases(self) -> usize {
        self.shape.features.count()
    }

    /// The rows of the weights of the next layer.
    pub(super) const fn outputs(self) -> Range<usize> {
        let start = self.biases() + 1;
        let rows = match self.hidden {
            None => 2 * OUTPUT_BUCKETS,
            Some(hidden) => hidden.first_outputs() * hidden.activations(),
        };
        start..start + rows
    }

    /// The rows of the shared weights; none where there is only one zone.
    pub(super) const fn shared(self) -> Range<usize> {
        let start = self.outputs().end;
        start..start + if self.zones() > 1 { FEATURES } else { 0 }
    }

    /// Number of rows of a block.
    pub(super) const fn rows(self) -> usize {
        self.shared().end
    }

    /// Number of weights that belong to no column.
    pub(super) const fn top(self) -> usize {
        match self.hidden {
            None => OUTPUT_BUCKETS,
            Some(hidden) => hidden.last_bias() + 1,
        }
    }

    /// Number of inputs of the layer after the feature transformer.
    pub(super) const fn first_inputs(self) -> usize {
        match self.hidden {
            Some(hidden) if hidden.is_products => self.shape.width,
            _ => 2 * self.shape.width,
        }
    }

    /// Whether a weight of the top is a bias, which does not decay.
    pub(super) fn is_bias(self, number: usize) -> bool {
        self.hidden.is_none_or(|hidden| {
            !hidden.second_weights().contains(&number) && !hidden.last_weights().contains(&number)
        })
    }

    /// The column of the feature transformer that is in this place of a block.
    pub(super) fn column(self, block: usize, place: usize) -> usize {
        match self.hidden {
            Some(hidden) if hidden.is_products => {
                let half = BLOCK / 2;
                place / half * (self.shape.width / 2) + block * half + place % half
            }
            _ => block * BLOCK + place,
        }
    }

    /// The input of the first hidden layer that an activation of a block is: one of this side, or
    /// with products, of either.
    pub(super) fn first_input(self, block: usize, side: usize, place: usize) -> usize {
        let column = self.column(block, place);
        match self.hidden {
            Some(hidden) if hidden.is_products => column,
            _ => side * self.shape.width + column,
        }
    }
}

/// Most neurons of the first hidden layer, with the shortcut.
pub(super) const MAX_FIRST: usize = BLOCK;

/// Most neurons of the second hidden layer.
pub(super) const MAX_SECOND: usize = 64;

impl Hidden {
    /// Rows of activations of a block in a position: one of each side, or products of both in one.
    pub(super) const fn activations(self) -> usize {
        if self.is_products { 1 } else { 2 }
    }

    /// Neurons of the first layer with the shortcut.
    pub(super) const fn first_outputs(self) -> usize {
        self.first + self.has_shortcut as usize
    }

    /// Inputs of the second layer: clipped sums, with products squares before them.
    pub(super) const fn second_inputs(self) -> usize {
        if self.is_products { 2 * self.first } else { self.first }
    }

    pub(super) const fn first_biases(self) -> Range<usize> {
        0..self.first_outputs()
    }

    pub(super) const fn second_weights(self) -> Range<usize> {
        let start = self.first_biases().end;
        start..start + self.second * self.second_inputs()
    }

    pub(super) const fn second_biases(self) -> Range<usize> {
        let start = self.second_weights().end;
        start..start + self.second
    }

    pub(super) const fn last_weights(self) -> Range<usize> {
        let start = self.second_biases().end;
        start..start + self.second
    }

    pub(super) const fn last_bias(self) -> usize {
        self.last_weights().end
    }
}
