//! Networks as what a run trains: weights with Adam, rounded to the integers of the engine.

#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

use std::io::{self, Read, Write};
use std::iter;
use std::path::Path;

use rayon::prelude::*;

use super::LearnError;
use super::adam::Adam;
use super::checkpoint;
use super::chunk::{CHUNK, Chunk};
use super::learner::{Model, Run};
use super::loss::{HeldOutLosses, Target, Targets};
use super::pass::Pass;
use super::quantise::{self, Grid, Quantised, to_floats};
use super::sample::Sample;
use super::settings::Settings;
use super::weights::{Layout, Row, Weights};
use crate::eval::nnue::Network;
use crate::eval::nnue::shape::Shape;

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
    fn new(settings: &Settings) -> Result<Self, LearnError> {
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
        chunks
            .map(|_| Chunk::new(settings.shape.features))
            .collect()
    }

    fn fill(batch: &mut Vec<Chunk>, samples: &[Sample], targets: Targets) {
        let parts = samples.par_chunks(CHUNK).zip(batch);
        parts.for_each(|(samples, chunk)| {
            chunk.fill(samples.iter(), |sample| targets.of(sample));
        });
    }

    fn step(&mut self, batch: &Vec<Chunk>, settings: &Settings, step: u64) -> f64 {
        let factor = (settings.batch as f64).recip() as f32;
        let loss = self
            .pass
            .add_gradient(&self.rounded, batch, factor, &mut self.gradient);
        let (rate, decay) = (settings.rate_at(step) as f32, settings.decay as f32);
        self.adam
            .step(&mut self.weights, &mut self.gradient, step, rate, decay);
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
                    write_values(out, &weights.top)?;
                    continue;
                };
                for block in weights.blocks() {
                    write_values(out, &block[row].0)?;
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, input: &mut dyn Read) -> io::Result<()> {
        for weights in [
            &mut self.weights,
            &mut self.adam.first,
            &mut self.adam.second,
        ] {
            for row in rows(weights.layout()) {
                let Some(row) = row else {
                    read_values(input, &mut weights.top)?;
                    continue;
                };
                for block in weights.blocks_mut() {
                    let Row(values) = &mut block[row];
                    read_values(input, values)?;
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
    let transformer = iter::once(layout.biases())
        .chain(0..layout.biases())
        .map(Some);
    let next = (layout.outputs().start..layout.rows()).map(Some);
    transformer.chain([None]).chain(next)
}

fn write_values(out: &mut dyn Write, values: &[f32]) -> io::Result<()> {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes());
    out.write_all(&bytes.collect::<Vec<u8>>())
}

fn read_values(input: &mut dyn Read, values: &mut [f32]) -> io::Result<()> {
    let mut bytes = vec![0; size_of_val(values)];
    input.read_exact(&mut bytes)?;
    for (value, &bytes) in values.iter_mut().zip(bytes.as_chunks().0) {
        *value = f32::from_le_bytes(bytes);
    }
    Ok(())
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
        let samples = if self.data.held_out.is_empty() {
            &self.data.training
        } else {
            &self.data.held_out
        };
        let samples = &samples[..samples.len().min(MAX_COMPARED)];
        let (training, scale) = (&self.data.training, self.state.settings.scale);
        let known = training
            .iter()
            .step_by(training.len().div_ceil(MAX_FITTED).max(1));
        quantise::quantise(&self.model.rounded, scale, text, known, samples)
    }
}

/// The weights of a file whose width is that of the run. Where the head is another, only the
/// feature transformer is used; where the run has zones of the own king and the file has none, all
/// zones begin with the same weights.
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
    pub fn open(path: &Path, shape: Shape) -> Result<Self, LearnError> {
        let (content, found) = if checkpoint::is_one::<Net>(path)? {
            let (state, net) = checkpoint::open::<Net>(path)?;
            (Content::Floats(net.weights), state.settings.shape)
        } else {
            let (network, _) = Network::open(path)?;
            let shape = network.shape();
            if Layout::new(shape).is_none() {
                return Err(LearnError::Shape(shape));
            }
            (Content::Quantised(Box::new(network)), shape)
        };
        if found.width != shape.width {
            return Err(LearnError::Width {
                found: found.width,
                expected: shape.width,
            });
        }
        let zones = |shape| Layout::new(shape).map_or(1, Layout::zones);
        if zones(found) > zones(shape) {
            return Err(LearnError::Zones(found));
        }
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
