//! Training of three-piece evaluations ([`crate::eval::kppt`]), with weights that are sums of
//! factors.
//!
//! | module | content |
//! |---|---|
//! | `factors` | the factors, constants of kings |
//! | `index` | where a king, a piece, a pair lies in the table of each factor |
//! | `view` | the positions of a batch, seen from both kings |
//! | `tables` | the weights |
//! | `pass` | forward pass, and backward pass with the step of `AdaGrad` |
//! | `checkpoint` | interrupted runs |
//! | `fold` | all factors summed to plain KK, KKP and KPP |
//!
//! The learner of Bonanza (Hoki, 2006) with the lowering of dimensions by NDF (2014), as Apery had
//! it until 2016, and `YaneuraOu`'s online steps. A seed gives the same weights on any number of
//! threads.

mod checkpoint;
mod factors;
mod fold;
mod index;
mod pass;
mod tables;
mod view;

use std::io;
use std::path::Path;

use thiserror::Error;

use super::Run;
use super::checkpoint::CheckpointError;
use super::data::{Data, Fault};
use super::files::{LoadError, Source};
use super::loss::{HeldOutLosses, Target, Targets};
use super::loss_curve::Point;
use super::sample::Sample;
use super::settings::{Settings, SettingsError};
use super::stream::{Place, Stream};
use crate::eval::kppt::scalar::Weights;
use checkpoint::{Checkpoint, Header};
use fold::Folded;
use pass::{Pass, Step};
use tables::Tables;
use view::Batch;

pub use factors::{Factor, Factors, FactorsError, KingConstants, Options};

/// Most held-out positions that are evaluated per point of the curve.
const MAX_HELD_OUT: usize = 50_000;

/// Held-out positions that are evaluated at a time.
const HELD_OUT_BATCH: usize = 4096;

/// Why a run cannot begin.
#[derive(Debug, Error)]
pub enum LearnerError {
    /// A setting is out of range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// There is not enough memory.
    #[error("no memory for the weights: {0}")]
    Memory(#[from] io::Error),
}

/// A run and the data that it learns from. Width and decay of the settings have no meaning for it.
pub struct Learner<'a> {
    header: Header,
    data: &'a Data,
    stream: Stream<'a>,
    tables: Tables,
    pass: Pass,
    /// The batch of the next step; `None` before the first step.
    batch: Option<PlacedBatch>,
    /// The batch after it, which is prepared during the step.
    spare: PlacedBatch,
}

impl<'a> Learner<'a> {
    /// A new run from weights of 0.
    ///
    /// # Errors
    /// A setting is out of range, or there is not enough memory.
    pub fn new(settings: Settings, options: Options, data: &'a Data) -> Result<Self, LearnerError> {
        settings.validate()?;
        let tables = Tables::new(options.factors, options.kings, settings.scale)?;
        let header = Header {
            settings,
            options,
            source: data.source.clone(),
            fingerprint: data.fingerprint(),
            place: Place::default(),
            steps: 0,
            loss: 0.0,
            points: Vec::new(),
        };
        Ok(Self::with(header, tables, data))
    }

    /// Whether a file is the checkpoint of such a run.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn is_checkpoint(path: &Path) -> io::Result<bool> {
        Checkpoint::is_one(path)
    }

    /// The data source of a checkpoint; [`Self::resume`] needs its data.
    ///
    /// # Errors
    /// The checkpoint cannot be read.
    pub fn source(path: &Path) -> Result<Source, CheckpointError> {
        Checkpoint::source(path)
    }

    /// Resumes the run of a checkpoint. It continues exactly as an uninterrupted run.
    ///
    /// # Errors
    /// The checkpoint cannot be read, or belongs to other data.
    pub fn resume(path: &Path, data: &'a Data) -> Result<Self, CheckpointError> {
        let Checkpoint { header, tables } = Checkpoint::open(path)?;
        if header.fingerprint != data.fingerprint() {
            return Err(CheckpointError::Data);
        }
        Ok(Self::with(header, tables, data))
    }

    fn with(header: Header, tables: Tables, data: &'a Data) -> Self {
        Self {
            stream: Stream::at(data, header.settings.seed, header.place),
            header,
            data,
            tables,
            pass: Pass::default(),
            batch: None,
            spare: PlacedBatch::new(),
        }
    }

    /// Which factors are learnt, and where the constants of kings come from.
    pub fn options(&self) -> Options {
        self.header.options
    }

    /// Bytes of all weights with what the optimiser knows of them. The system provides memory only
    /// where there are weights that some position has.
    pub fn bytes(&self) -> usize {
        self.tables.bytes()
    }

    /// The weights, all factors summed. With `is_spread`, those of both kings are spread over their
    /// weights with the 38 pieces, so that KK is 0.
    pub fn folded(&self, is_spread: bool) -> impl Weights + Sync + use<'_> {
        Folded::new(&self.tables, self.header.settings.scale, is_spread)
    }

    /// The outputs for positions, in units of the scale.
    #[cfg(test)]
    fn outputs(&mut self, samples: &[&Sample]) -> Vec<f32> {
        let mut batch = Batch::new();
        batch.fill(samples, |_| Target::exact(0.0));
        let scale = f32::from(self.header.settings.scale);
        self.pass.forward(&self.tables, &batch, scale).to_vec()
    }

    #[cfg(test)]
    fn tables(&mut self) -> &mut Tables {
        &mut self.tables
    }
}

impl Run for Learner<'_> {
    fn settings(&self) -> &Settings {
        &self.header.settings
    }

    fn steps(&self) -> u64 {
        self.header.steps
    }

    fn points(&self) -> &[Point] {
        &self.header.points
    }

    /// The next batch is prepared in parallel.
    fn step(&mut self) -> Result<(), LoadError> {
        let Self {
            header,
            stream,
            tables,
            pass,
            spare,
            ..
        } = self;
        let Header {
            settings, options, ..
        } = &*header;
        let number = header.steps;
        if self.batch.is_none() {
            spare.fill(stream, settings, number)?;
            self.batch = Some(std::mem::replace(spare, PlacedBatch::new()));
        }
        let Some(batch) = &mut self.batch else {
            unreachable!("it was filled above");
        };
        let step = Step {
            power: settings.power as f32,
            rate: Some(settings.rate.at(settings.share(number)) as f32),
            scale: f32::from(settings.scale),
            kings: options.kings,
        };
        let (loss, filled) = rayon::join(
            || pass.step(tables, &batch.batch, step),
            || spare.fill(stream, settings, number + 1),
        );
        header.loss += loss;
        header.steps += 1;
        filled?;
        std::mem::swap(batch, spare);
        header.place = batch.place;
        Ok(())
    }

    fn take_faults(&mut self) -> (u64, Vec<Fault>) {
        self.stream.take_faults()
    }

    fn measure(&mut self) {
        let held_out = &self.data.held_out;
        let step = held_out.len().div_ceil(MAX_HELD_OUT).max(1);
        let held_out: Vec<&Sample> = held_out.iter().step_by(step).collect();
        let settings = &self.header.settings;
        let mut losses = HeldOutLosses::new(settings);
        let mut batch = Batch::new();
        for samples in held_out.chunks(HELD_OUT_BATCH) {
            batch.fill(samples, |_| Target::exact(0.0));
            let scale = f32::from(settings.scale);
            let outputs = self.pass.forward(&self.tables, &batch, scale);
            for (&sample, &output) in samples.iter().zip(outputs) {
                losses.add(sample, output);
            }
        }
        let held_out = (!held_out.is_empty()).then(|| losses.means());
        let since = self.header.points.last().map_or(0, |point| point.step);
        let steps = since..self.header.steps;
        let point = Point::new(settings, steps, self.header.loss, held_out);
        self.header.points.push(point);
        self.header.loss = 0.0;
    }

    fn save(&self, path: &Path) -> io::Result<()> {
        Checkpoint::save(path, &self.header, &self.tables)
    }
}

/// The positions of one step.
struct PlacedBatch {
    /// Where it begins in the order of visits.
    place: Place,
    samples: Vec<Sample>,
    batch: Batch,
}

impl PlacedBatch {
    fn new() -> Self {
        Self {
            place: Place::default(),
            samples: Vec::new(),
            batch: Batch::new(),
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
        let samples: Vec<&Sample> = self.samples.iter().collect();
        self.batch.fill(&samples, |sample| targets.of(sample));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
