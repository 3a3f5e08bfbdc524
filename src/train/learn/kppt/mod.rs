//! Training of three-piece evaluations ([`crate::eval::kppt`]), with weights that are sums of
//! factors.
//!
//! | module | content |
//! |---|---|
//! | `index` | where a king, a piece, a pair lies in the table of each factor |
//! | `view` | the positions of a batch, seen from both kings |
//! | `tables` | the factors and their weights |
//! | `pass` | forward pass, and backward pass with the step of `AdaGrad` |
//! | `fold` | all factors summed to plain KK, KKP and KPP |
//!
//! The learner of Bonanza (Hoki, 2006) with the lowering of dimensions by NDF (2014), as Apery had
//! it until 2016, and `YaneuraOu`'s online steps. A seed gives the same weights on any number of
//! threads.

mod fold;
mod index;
mod pass;
mod tables;
mod view;

use std::io::{self, Read, Write};

use super::LearnError;
use super::learner::{Model, Run};
use super::loss::{HeldOutLosses, Target, Targets};
use super::sample::Sample;
use super::settings::Settings;
use crate::eval::kppt::scalar::Weights;
use fold::Folded;
use pass::Pass;
use tables::Tables;
use view::Batch;

/// Most held-out positions that are evaluated per point of the curve.
const MAX_HELD_OUT: usize = 50_000;

/// Held-out positions that are evaluated at a time.
const HELD_OUT_BATCH: usize = 4096;

/// A run that trains a three-piece evaluation. Shape and decay of its settings have no meaning.
pub type Learner<'a> = Run<'a, Kppt>;

/// The weights of a three-piece evaluation.
pub struct Kppt {
    tables: Tables,
    pass: Pass,
}

impl Model for Kppt {
    const MAGIC: &[u8; 8] = b"RAICHOC3";

    type Batch = Batch;

    /// Weights of 0.
    fn new(_: &Settings) -> Result<Self, LearnError> {
        Ok(Self {
            tables: Tables::new()?,
            pass: Pass::default(),
        })
    }

    fn batch(_: &Settings) -> Batch {
        Batch::new()
    }

    fn fill(batch: &mut Batch, samples: &[Sample], targets: Targets) {
        let samples: Vec<&Sample> = samples.iter().collect();
        batch.fill(&samples, |sample| targets.of(sample));
    }

    fn step(&mut self, batch: &Batch, settings: &Settings, step: u64) -> f64 {
        let rate = settings.rate_at(step) as f32;
        self.pass
            .step(&mut self.tables, batch, settings.scale.into(), Some(rate))
    }

    fn add_losses(&mut self, samples: &[Sample], settings: &Settings, losses: &mut HeldOutLosses) {
        let step = samples.len().div_ceil(MAX_HELD_OUT).max(1);
        let samples: Vec<&Sample> = samples.iter().step_by(step).collect();
        for samples in samples.chunks(HELD_OUT_BATCH) {
            let outputs = self.outputs(samples, settings.scale);
            for (&sample, &output) in samples.iter().zip(outputs) {
                losses.add(sample, output);
            }
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.tables.0.iter().try_for_each(|table| table.write(out))
    }

    fn read(&mut self, input: &mut dyn Read) -> io::Result<()> {
        let mut tables = self.tables.0.iter_mut();
        tables.try_for_each(|table| table.read(input))
    }
}

impl Kppt {
    /// The outputs for positions, in units of the scale.
    fn outputs(&mut self, samples: &[&Sample], scale: u16) -> &[f32] {
        let mut batch = Batch::new();
        batch.fill(samples, |_| Target::exact(0.0));
        self.pass.forward(&self.tables, &batch, scale.into())
    }
}

impl Learner<'_> {
    /// The weights, all factors summed.
    pub fn folded(&self) -> impl Weights + Sync + use<'_> {
        Folded::new(&self.model.tables, self.state.settings.scale)
    }
}

#[cfg(test)]
mod tests;
