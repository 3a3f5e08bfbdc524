//! A training run: optimiser steps from initial weights to a network, which may be interrupted and
//! resumed.

#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

use std::io;
use std::path::Path;

use rayon::prelude::*;
use thiserror::Error;

use super::Run;
use super::adam::Adam;
use super::checkpoint::{Checkpoint, CheckpointError, State};
use super::chunk::{CHUNK, Chunk};
use super::data::{Data, Fault};
use super::files::{LoadError, Source};
use super::loss::{HeldOutLosses, Target, Targets};
use super::loss_curve::Point;
use super::pass::Pass;
use super::quantise::{self, Grid, Quantised, to_floats};
use super::sample::Sample;
use super::settings::{Settings, SettingsError};
use super::stream::{Place, Stream};
use super::weights::{Layout, Weights};
use crate::eval::nnue::Network;
use crate::eval::nnue::file::NetError;
use crate::eval::nnue::shape::Shape;

/// Most positions that the rounding of hidden layers is fitted to.
const MAX_FITTED: usize = 60_000;

/// Most positions that the rounding error is measured on.
const MAX_COMPARED: usize = 20_000;

/// A run and the data that it learns from.
pub struct Learner<'a> {
    settings: Settings,
    data: &'a Data,
    /// [`Data::fingerprint`] of the data.
    fingerprint: u64,
    stream: Stream<'a>,
    grid: Grid,
    weights: Weights,
    /// The weights, rounded to the grid: those of all passes.
    rounded: Weights,
    adam: Adam,
    /// The gradient, 0 between steps.
    gradient: Weights,
    pass: Pass,
    /// The batch of the next step; `None` before the first step.
    batch: Option<Batch>,
    /// The batch after it, which is prepared during the step.
    spare: Batch,
    /// Sum of the losses of all positions since the last point.
    loss: f64,
    points: Vec<Point>,
}

impl<'a> Learner<'a> {
    /// A new run from random weights.
    ///
    /// # Errors
    /// A setting is out of range.
    pub fn new(settings: Settings, data: &'a Data) -> Result<Self, SettingsError> {
        settings.validate()?;
        let layout = settings.layout()?;
        let weights = Weights::random(layout, settings.seed);
        let stream = Stream::at(data, settings.seed, Place::default());
        Ok(Self::with(
            settings,
            (data, stream),
            weights,
            Adam::new(layout),
        ))
    }

    /// Replaces the random weights of a new run, or only those of the feature transformer where the
    /// weights are those of another head. They must have been opened for the shape of the run.
    ///
    /// # Panics
    /// Panics where they have another width or other zones.
    pub fn init_from(&mut self, weights: InitialWeights) {
        let weights = weights.into_weights(self.settings.scale);
        self.weights.copy_from(&weights);
        self.grid.round(&self.weights, &mut self.rounded);
    }

    /// The data source of a checkpoint; [`Self::resume`] needs its data.
    ///
    /// # Errors
    /// The checkpoint cannot be read.
    pub fn source(path: &Path) -> Result<Source, CheckpointError> {
        Ok(Checkpoint::open(path)?.state.source)
    }

    /// Resumes the run of a checkpoint. It continues exactly as an uninterrupted run.
    ///
    /// # Errors
    /// The checkpoint cannot be read, or belongs to other data.
    pub fn resume(path: &Path, data: &'a Data) -> Result<Self, CheckpointError> {
        let Checkpoint {
            state,
            weights,
            adam,
        } = Checkpoint::open(path)?;
        state.settings.validate()?;
        let stream = Stream::at(data, state.settings.seed, state.place);
        let mut learner = Self::with(state.settings, (data, stream), weights, adam);
        if state.fingerprint != learner.fingerprint {
            return Err(CheckpointError::Data);
        }
        learner.loss = state.loss;
        learner.points = state.points;
        Ok(learner)
    }

    fn with(
        settings: Settings,
        (data, stream): (&'a Data, Stream<'a>),
        weights: Weights,
        adam: Adam,
    ) -> Self {
        let layout = weights.layout();
        let grid = Grid::new(layout, settings.scale);
        let mut rounded = Weights::zeroed(layout);
        grid.round(&weights, &mut rounded);
        Self {
            data,
            fingerprint: data.fingerprint(),
            stream,
            gradient: Weights::zeroed(layout),
            pass: Pass::new(layout),
            batch: None,
            spare: Batch::new(settings.batch, layout),
            loss: 0.0,
            points: Vec::new(),
            settings,
            grid,
            weights,
            rounded,
            adam,
        }
    }

    fn held_out_losses(&mut self) -> [f64; 3] {
        let mut losses = HeldOutLosses::new(&self.settings);
        let mut chunk = Chunk::new(self.weights.layout().feature_set());
        for samples in self.data.held_out.chunks(CHUNK) {
            chunk.fill(samples.iter(), |_| Target::exact(0.0));
            let outputs = self.pass.forward(&self.rounded, &chunk);
            for (sample, &output) in samples.iter().zip(outputs) {
                losses.add(sample, output);
            }
        }
        losses.means()
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
        let (training, scale) = (&self.data.training, self.settings.scale);
        let known = training
            .iter()
            .step_by(training.len().div_ceil(MAX_FITTED).max(1));
        quantise::quantise(&self.rounded, scale, text, known, samples)
    }
}

impl Run for Learner<'_> {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn steps(&self) -> u64 {
        self.adam.steps
    }

    fn points(&self) -> &[Point] {
        &self.points
    }

    /// The next batch is prepared in parallel.
    fn step(&mut self) -> Result<(), LoadError> {
        let Self {
            settings,
            stream,
            grid,
            weights,
            rounded,
            adam,
            gradient,
            pass,
            spare,
            ..
        } = self;
        let step = adam.steps;
        if self.batch.is_none() {
            spare.fill(stream, settings, step)?;
            self.batch = Some(std::mem::replace(
                spare,
                Batch::new(settings.batch, weights.layout()),
            ));
        }
        let Some(batch) = &mut self.batch else {
            unreachable!("it was filled above");
        };
        let learn = || {
            let factor = (settings.batch as f64).recip() as f32;
            let power = settings.power as f32;
            let loss = pass.add_gradient(rounded, &batch.chunks, power, factor, gradient);
            let rate = settings.rate.at(settings.share(step)) as f32;
            adam.step(weights, gradient, rate, settings.decay as f32);
            grid.round(weights, rounded);
            loss
        };
        let fill = || spare.fill(stream, settings, step + 1);
        let (loss, filled) = rayon::join(learn, fill);
        self.loss += loss;
        filled?;
        std::mem::swap(batch, spare);
        Ok(())
    }

    fn take_faults(&mut self) -> (u64, Vec<Fault>) {
        self.stream.take_faults()
    }

    fn measure(&mut self) {
        let held_out = (!self.data.held_out.is_empty()).then(|| self.held_out_losses());
        let since = self.points.last().map_or(0, |point| point.step);
        let steps = since..self.adam.steps;
        let point = Point::new(&self.settings, steps, self.loss, held_out);
        self.loss = 0.0;
        self.points.push(point);
    }

    fn save(&self, path: &Path) -> io::Result<()> {
        let state = State {
            settings: self.settings.clone(),
            source: self.data.source.clone(),
            fingerprint: self.fingerprint,
            place: self
                .batch
                .as_ref()
                .map_or(self.stream.place(), |batch| batch.place),
            steps: self.steps(),
            loss: self.loss,
            points: self.points.clone(),
        };
        Checkpoint::save(path, &state, &self.weights, &self.adam)
    }
}

/// The positions of one step, in chunks.
#[derive(Debug)]
struct Batch {
    /// Where it begins in the order of visits.
    place: Place,
    samples: Vec<Sample>,
    chunks: Vec<Chunk>,
}

impl Batch {
    fn new(positions: usize, layout: Layout) -> Self {
        let chunks = positions.div_ceil(CHUNK);
        Self {
            place: Place::default(),
            samples: Vec::with_capacity(positions),
            chunks: (0..chunks)
                .map(|_| Chunk::new(layout.feature_set()))
                .collect(),
        }
    }

    /// Replaces the content by the positions of a step.
    fn fill(
        &mut self,
        stream: &mut Stream<'_>,
        settings: &Settings,
        step: u64,
    ) -> Result<(), LoadError> {
        self.place = stream.place();
        stream.take(&mut self.samples, settings.batch)?;
        let targets = Targets::new(settings, settings.result_weight.at(settings.share(step)));
        let parts = self.samples.par_chunks(CHUNK).zip(&mut self.chunks);
        parts.for_each(|(samples, chunk)| {
            chunk.fill(samples.iter(), |sample| targets.of(sample));
        });
        Ok(())
    }
}

/// Why the weights of a file cannot be used as initial weights.
#[derive(Debug, Error)]
pub enum InitError {
    /// The file cannot be opened or read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is a checkpoint, but damaged or of another version.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The file is neither a checkpoint nor a network.
    #[error("neither a checkpoint nor a network")]
    Network(#[from] NetError),
    /// The network has another shape than those that can be trained.
    #[error("a network of shape {0}, expected one of our own (raicho_…)")]
    Shape(Shape),
    /// The network has zones of the own king, and that of the run has none.
    #[error("a network of shape {0}, whose zones cannot be joined")]
    Zones(Shape),
    /// The width differs from that of the run.
    #[error("width {found}, expected {expected}")]
    Width {
        /// Width of the weights in the file.
        found: usize,
        /// Width of the run.
        expected: usize,
    },
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
    pub fn open(path: &Path, shape: Shape) -> Result<Self, InitError> {
        let (content, found) = if Checkpoint::is_one(path)? {
            let checkpoint = Checkpoint::open(path)?;
            let shape = checkpoint.state.settings.shape;
            (Content::Floats(checkpoint.weights), shape)
        } else {
            let (network, _) = Network::open(path)?;
            let shape = network.shape();
            if Layout::new(shape).is_none() {
                return Err(InitError::Shape(shape));
            }
            (Content::Quantised(Box::new(network)), shape)
        };
        if found.width != shape.width {
            return Err(InitError::Width {
                found: found.width,
                expected: shape.width,
            });
        }
        let zones = |shape| Layout::new(shape).map_or(1, Layout::zones);
        if zones(found) > zones(shape) {
            return Err(InitError::Zones(found));
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
