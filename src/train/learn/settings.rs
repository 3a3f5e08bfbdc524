//! What a run is asked to do.

use serde::{Deserialize, Serialize};

use thiserror::Error;

use super::schedule::Schedule;
use crate::eval::nnue::inputs::Inputs;
use crate::eval::nnue::shape::{MAX_WIDTH, Shape, WIDTH_STEP};

/// The largest batch: its positions are in memory twice, with all their inputs.
const MAX_BATCH: usize = 1 << 20;

/// The scale where none is asked for: about that with which scores of our search predict results best.
pub const DEFAULT_SCALE: u16 = 800;

/// The largest scale that a network's file can have.
const MAX_SCALE: u16 = 4096;

/// Each step takes this times the learning rate from each weight, at most.
const MAX_DECAY: f64 = 1000.0;

/// Settings with which nothing can be learnt.
#[derive(Clone, PartialEq, Debug, Error)]
#[error("{name} {found}, expected {expected}")]
pub struct SettingsError {
    /// What is set.
    name: &'static str,
    /// To what.
    found: String,
    /// What it can be.
    expected: String,
}

/// Everything that decides what a run makes of its data. A checkpoint keeps it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// Columns of the transformer, a multiple of 64.
    pub width: usize,
    /// Positions of a step.
    pub batch: usize,
    /// Steps of the run.
    pub steps: u64,
    /// Between two points of the loss curve, in steps; a checkpoint is written at each.
    pub interval: u64,
    /// The learning rate.
    pub rate: Schedule,
    /// How much of the target is the result of the game, 0 to 1; the rest is the score.
    pub result_weight: Schedule,
    /// Weight decay: each step takes this times the rate from each weight, a part below 1 of it.
    pub decay: f64,
    /// The loss is this power of the distance to the target.
    pub power: f64,
    /// What an output of 1 is worth in the unit of scores, in which a pawn is 90; 1 to 4096.
    pub scale: u16,
    /// Decides the first weights and the order of the positions.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            width: 256,
            batch: 16_384,
            steps: 1_000,
            interval: 100,
            rate: Schedule::cosine(1e-3, 1e-5),
            result_weight: Schedule::linear(0.1, 0.4),
            decay: 0.01,
            power: 2.0,
            scale: DEFAULT_SCALE,
            seed: 1,
        }
    }
}

impl Settings {
    /// Whether something can be learnt with them.
    ///
    /// # Errors
    /// What cannot be.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let check = |is_good: bool, name, found: &dyn ToString, expected: String| {
            let found = || found.to_string();
            is_good.then_some(()).ok_or_else(|| SettingsError {
                name,
                found: found(),
                expected,
            })
        };
        let shape = Shape::direct(Inputs::Own, self.width);
        let widths = format!("a multiple of {WIDTH_STEP} up to {MAX_WIDTH}");
        check(shape.validate().is_ok(), "width", &self.width, widths)?;
        let is_good = (1..=MAX_BATCH).contains(&self.batch);
        check(is_good, "batch", &self.batch, format!("1 to {MAX_BATCH}"))?;
        check(
            self.steps > 0,
            "steps",
            &self.steps,
            "at least 1".to_owned(),
        )?;
        check(
            self.interval > 0,
            "interval",
            &self.interval,
            "at least 1".to_owned(),
        )?;
        let is_good = (1..=MAX_SCALE).contains(&self.scale);
        check(is_good, "scale", &self.scale, format!("1 to {MAX_SCALE}"))?;
        for rate in [self.rate.first, self.rate.last] {
            check(
                (0.0..1.0).contains(&rate),
                "rate",
                &rate,
                "0 to 1".to_owned(),
            )?;
        }
        for weight in [self.result_weight.first, self.result_weight.last] {
            let is_good = (0.0..=1.0).contains(&weight);
            check(is_good, "result weight", &weight, "0 to 1".to_owned())?;
        }
        let is_good = (0.0..=MAX_DECAY).contains(&self.decay)
            && [self.rate.first, self.rate.last]
                .iter()
                .all(|rate| rate * self.decay < 1.0);
        check(
            is_good,
            "decay",
            &self.decay,
            format!("0 to {MAX_DECAY}, and times the rate less than 1"),
        )?;
        let is_good = (1.0..=4.0).contains(&self.power);
        check(is_good, "power", &self.power, "1 to 4".to_owned())
    }

    /// What part of the run is done after so many steps, 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "nobody makes 2^52 steps")]
    pub(super) fn share(&self, step: u64) -> f64 {
        // The last step is the end.
        step as f64 / (self.steps - 1).max(1) as f64
    }
}
