//! Training of networks of our own feature set on the CPU, with or without hidden layers, and of
//! three-piece evaluations.
//!
//! | module | content |
//! |---|---|
//! | `data` | blocks of files, and the positions in them that are learnt from |
//! | `sample` | 48 bytes of a position in memory; which positions are selected |
//! | `stream` | shuffled order of the visits, reading ahead where memory is too small |
//! | `learner` | a run, its checkpoints and their resumption |
//! | `net` | the network in 32-bit floats, and its optimiser |
//! | `loss` | what it is to predict, and the loss curve |
//! | `pass` | forward and backward pass |
//! | `quantise` | the network in integers |
//! | `kppt` | three-piece evaluations instead of networks |
//!
//! A seed gives the same network on any number of threads, because every sum has a fixed order.

mod data;
pub mod kppt;
mod learner;
mod loss;
mod net;
mod pass;
mod quantise;
mod sample;
mod stream;

use std::{f64::consts::PI, fmt::Display};

use anyhow::{Result, anyhow};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::eval::nnue::FeatureSet;
use crate::eval::nnue::shape::{MAX_WIDTH, Shape, WIDTH_STEP};
use net::{Layout, MAX_FIRST, MAX_SECOND};

pub use data::{Data, Judged};
pub use data::{FileGroup, Source};
pub use learner::{Model, Run};
pub use loss::fit_scale;
pub use loss::{Point, best_before_rise};
pub use net::{InitialWeights, Learner};
pub use quantise::{ErrorReport, Quantised};
pub use sample::{Counts, Filter, Tactical};
pub use sample::{Label, Sample};

/// The error of a setting that is out of range.
fn out_of_range(name: &str, found: impl Display, expected: impl Display) -> anyhow::Error {
    anyhow!("{name} {found}, expected {expected}")
}

// --- The settings of a run ---

/// Width of the feature transformer where none is given.
const DEFAULT_WIDTH: usize = 256;

/// Largest batch. Two batches are in memory, with all active features.
const MAX_BATCH: usize = 1 << 20;

/// Default scale: about the one with which scores of our search predict results best.
pub const DEFAULT_SCALE: u16 = 800;

/// Largest scale that fits into a network file.
const MAX_SCALE: u16 = 4096;

/// Below this depth in plies the weight of a position of a search tree is proportional to the
/// depth.
const FULL_DEPTH: u8 = 8;

/// Largest weight decay per unit of the learning rate.
const MAX_DECAY: f64 = 1000.0;

/// The settings that determine the result of a run for given data: options of `raicho learn`, and
/// stored in checkpoints.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, Args)]
#[command(next_help_heading = "Course")]
pub struct Settings {
    /// Shape of the network: `raicho_256x2-8` (8 outputs), `raicho_256x2-32-32` (two hidden layers)
    /// or `SFNN_raicho_512_15_32` (two hidden layers over pairwise products), with other numbers;
    /// `raicho4` or `raicho12` instead of `raicho` has four or twelve zones of the own king
    #[arg(long, value_name = "NAME", default_value_t = Self::default().shape)]
    #[serde(with = "crate::runs::as_text")]
    pub shape: Shape,

    /// Positions per step [default: 16384, with --kind kppt 4096]
    #[arg(long, value_name = "POSITIONS", default_value_t = Self::default().batch,
          hide_default_value = true)]
    pub batch: usize,

    /// Number of steps of the run, at least 1.
    #[arg(skip)]
    pub steps: u64,

    /// Steps between two points of the loss curve; a checkpoint is written at each.
    #[arg(skip)]
    pub interval: u64,

    /// Initial learning rate, which falls to 0.00001
    #[arg(long, default_value_t = Self::default().rate)]
    pub rate: f64,

    /// Final learning rate.
    #[arg(skip = Self::default().last_rate)]
    pub last_rate: f64,

    /// Weight of the game result in the target, 0 to 1; the rest is the score. FIRST:LAST changes
    /// linearly
    #[arg(long, value_name = "PART|FIRST:LAST", default_value = "0.1:0.4",
          value_parser = parse_result_weight)]
    pub wdl: ResultWeight,

    /// Weight of a position of a search tree of 8 plies and more in the loss, proportionally less
    /// below; that of the position of a game is 1.
    #[arg(skip = Self::default().tree_weight)]
    pub tree_weight: f64,

    /// Weight decay of a network: each step subtracts this times the learning rate from each weight
    #[arg(long, default_value_t = Self::default().decay)]
    pub decay: f64,

    /// Scale of the scores, in units in which a pawn is 90: they are divided by it before they
    /// become winning probabilities
    #[arg(long, conflicts_with = "fit_scale", default_value_t = DEFAULT_SCALE)]
    pub scale: u16,

    /// Seed of the initial weights, the order of the positions and the held-out games
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            shape: Shape::direct(FeatureSet::Raicho, DEFAULT_WIDTH),
            batch: 16_384,
            steps: 1_000,
            interval: 100,
            rate: 1e-3,
            last_rate: 1e-5,
            wdl: ResultWeight { first: 0.1, last: 0.4 },
            tree_weight: 1.0,
            decay: 0.01,
            scale: DEFAULT_SCALE,
            seed: 1,
        }
    }
}

impl Settings {
    /// Checks that every setting is in range.
    ///
    /// # Errors
    /// The first setting that is not.
    pub fn validate(&self) -> Result<()> {
        self.layout()?;
        let check = |is_good: bool, name, found: &dyn Display, expected: &str| {
            if is_good {
                return Ok(());
            }
            Err(out_of_range(name, found, expected))
        };
        let is_good = (1..=MAX_BATCH).contains(&self.batch);
        check(is_good, "batch", &self.batch, &format!("1 to {MAX_BATCH}"))?;
        check(self.steps > 0, "steps", &self.steps, "at least 1")?;
        check(self.interval > 0, "interval", &self.interval, "at least 1")?;
        let is_good = (1..=MAX_SCALE).contains(&self.scale);
        check(is_good, "scale", &self.scale, &format!("1 to {MAX_SCALE}"))?;
        for rate in [self.rate, self.last_rate] {
            let is_good = (0.0..1.0).contains(&rate);
            check(is_good, "rate", &rate, "0 to 1")?;
        }
        for weight in [self.wdl.first, self.wdl.last] {
            let is_good = (0.0..=1.0).contains(&weight);
            check(is_good, "result weight", &weight, "0 to 1")?;
        }
        let is_good = (0.0..=MAX_DECAY).contains(&self.decay)
            && self.rate.max(self.last_rate) * self.decay < 1.0;
        let expected = format!("0 to {MAX_DECAY}, and times the rate less than 1");
        check(is_good, "decay", &self.decay, &expected)
    }

    /// The layout of the weights.
    fn layout(&self) -> Result<Layout> {
        Layout::new(self.shape).ok_or_else(|| {
            let expected = format_args!(
                "raicho_Wx2-8, raicho_Wx2-F-S or SFNN_raicho_W_F_S with W a multiple of \
                {WIDTH_STEP} up to {MAX_WIDTH}, F up to {MAX_FIRST} (SFNN: 8n or 8n-1) and S up to \
                {MAX_SECOND}"
            );
            out_of_range("shape", self.shape, expected)
        })
    }

    /// The share of the run that is done at a step, 0 to 1.
    fn share(&self, step: u64) -> f64 {
        // 1 at the last step, whose number is `steps - 1`.
        step as f64 / (self.steps - 1).max(1) as f64
    }

    /// The learning rate of a step: half a period of a cosine, slow at both ends.
    fn rate_at(&self, step: u64) -> f64 {
        let way = 0.5 - 0.5 * (PI * self.share(step)).cos();
        self.rate + (self.last_rate - self.rate) * way
    }

    /// The weight of the result in the target of a step.
    fn result_weight_at(&self, step: u64) -> f64 {
        let ResultWeight { first, last } = self.wdl;
        first + (last - first) * self.share(step)
    }
}

/// The weight of a position of a search tree of this depth. Depth 0 is a static value, by
/// `rescore --static`, which has the whole weight: all positions of such a file are alike.
fn tree_weight(weight: f64, depth: u8) -> f32 {
    if depth == 0 {
        return weight as f32;
    }
    let share = f64::from(depth) / f64::from(FULL_DEPTH);
    (weight * share.min(1.0)) as f32
}

/// Weight of the result of the game in the target, which changes by the same amount at each step.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ResultWeight {
    /// Value at the first step.
    pub first: f64,
    /// Value at the last step.
    pub last: f64,
}

fn parse_result_weight(text: &str) -> Result<ResultWeight, String> {
    let number = |text: &str| text.parse::<f64>().map_err(|error| format!("{text:?}: {error}"));
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    Ok(ResultWeight { first: number(first)?, last: number(last)? })
}

#[cfg(test)]
mod settings_tests {
    use super::*;

    #[test]
    fn shallow_tree_positions_weigh_less_and_static_values_do_not() {
        for (depth, weight) in [(0, 0.5), (2, 0.125), (8, 0.5), (9, 0.5)] {
            assert!((tree_weight(0.5, depth) - weight).abs() < 1e-6, "{depth}");
        }
    }

    #[test]
    fn both_ends_are_met() {
        let settings = Settings { steps: 101, ..Settings::default() };
        let is_near = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
        assert!(is_near(settings.rate_at(0), settings.rate));
        assert!(is_near(settings.rate_at(100), settings.last_rate));
        let middle = f64::midpoint(settings.rate, settings.last_rate);
        assert!(is_near(settings.rate_at(50), middle));
        assert!(settings.rate_at(10) > 0.97 * settings.rate);
        for (step, weight) in [(0, 0.1), (50, 0.25), (100, 0.4)] {
            assert!(is_near(settings.result_weight_at(step), weight));
        }
    }
}

#[cfg(test)]
mod tests;
