//! The settings of a run and their ranges.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::weights::{Layout, MAX_FIRST, MAX_SECOND};
use crate::eval::nnue::FeatureSet;
use crate::eval::nnue::shape::{Head, MAX_WIDTH, Shape as NetShape, WIDTH_STEP};

/// Width of the feature transformer where none is given.
const DEFAULT_WIDTH: usize = 256;

/// Largest batch. Two batches are in memory, with all active features.
const MAX_BATCH: usize = 1 << 20;

/// Default scale: about the one with which scores of our search predict results best.
pub const DEFAULT_SCALE: u16 = 800;

/// Largest scale that fits into a network file.
const MAX_SCALE: u16 = 4096;

/// Largest weight of positions of search trees.
const MAX_TREE_WEIGHT: f64 = 100.0;

/// Largest weight decay per unit of the learning rate.
const MAX_DECAY: f64 = 1000.0;

/// A setting that is out of range.
#[derive(Clone, PartialEq, Debug, Error)]
#[error("{name} {found}, expected {expected}")]
pub struct SettingsError {
    /// Name of the setting.
    name: &'static str,
    /// The value that is out of range.
    found: String,
    /// The accepted range.
    expected: String,
}

/// The settings that determine the result of a run for given data. Stored in checkpoints.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// Shape of the network, one of our own feature set.
    #[serde(with = "shape_name")]
    pub shape: NetShape,
    /// Number of positions per step.
    pub batch: usize,
    /// Number of steps of the run, at least 1.
    pub steps: u64,
    /// Steps between two points of the loss curve; a checkpoint is written at each.
    pub interval: u64,
    /// The learning rate, 0 to 1 exclusive.
    pub rate: Schedule,
    /// Weight of the result of the game in the target, 0 to 1; the rest is the score.
    pub result_weight: Schedule,
    /// Weight decay: each step subtracts this times the learning rate, less than 1, of each weight.
    pub decay: f64,
    /// Exponent of the loss, |probability - target|^power; 1 to 4.
    pub power: f64,
    /// The score that corresponds to an output of 1, in units of 1/90 pawn; 1 to 4096.
    pub scale: u16,
    /// Weight of positions of search trees.
    #[serde(default)]
    pub trees: TreeWeight,
    /// Seed of the initial weights and the order of positions.
    pub seed: u64,
}

/// The weight of positions of search trees in the loss; that of positions of games is 1.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct TreeWeight {
    /// Weight of a position that was searched to `full_depth` or deeper, at least 0.
    pub weight: f64,
    /// Below this depth in plies the weight is proportional to the depth; 1 to weigh all alike.
    pub full_depth: u8,
}

impl Default for TreeWeight {
    fn default() -> Self {
        Self {
            weight: 1.0,
            full_depth: 8,
        }
    }
}

impl TreeWeight {
    /// weight · min(1, depth / `full_depth`). Depth 0 is a static value, by `rescore --static`,
    /// which has the whole weight: all positions of such a file are alike.
    pub(super) fn of(self, depth: u8) -> f32 {
        if depth == 0 {
            return self.weight as f32;
        }
        let share = f64::from(depth) / f64::from(self.full_depth.max(1));
        (self.weight * share.min(1.0)) as f32
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            shape: NetShape::direct(FeatureSet::Raicho, DEFAULT_WIDTH),
            batch: 16_384,
            steps: 1_000,
            interval: 100,
            rate: Schedule::cosine(1e-3, 1e-5),
            result_weight: Schedule::linear(0.1, 0.4),
            decay: 0.01,
            power: 2.0,
            scale: DEFAULT_SCALE,
            trees: TreeWeight::default(),
            seed: 1,
        }
    }
}

impl Settings {
    /// Checks that every setting is in range.
    ///
    /// # Errors
    /// The first setting that is not.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let check = |is_good: bool, name, found: &dyn ToString, expected: String| {
            let found = || found.to_string();
            is_good.then_some(()).ok_or_else(|| SettingsError {
                name,
                found: found(),
                expected,
            })
        };
        self.layout()?;
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
        let weight = self.trees.weight;
        let is_good = (0.0..=MAX_TREE_WEIGHT).contains(&weight);
        let expected = format!("0 to {MAX_TREE_WEIGHT}");
        check(is_good, "weight of search trees", &weight, expected)?;
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

    /// The layout of the weights.
    pub(super) fn layout(&self) -> Result<Layout, SettingsError> {
        Layout::new(self.shape).ok_or_else(|| {
            let is_direct = self.shape.head == Head::Direct;
            let own = self.shape.features.is_own();
            if is_direct && own {
                return SettingsError {
                    name: "width",
                    found: self.shape.width.to_string(),
                    expected: format!("a multiple of {WIDTH_STEP} up to {MAX_WIDTH}"),
                };
            }
            SettingsError {
                name: "shape",
                found: self.shape.to_string(),
                expected: format!(
                    "raicho_Wx2-8, raicho_Wx2-F-S or SFNN_raicho_W_F_S with W a multiple of \
                    {WIDTH_STEP} up to {MAX_WIDTH}, F up to {MAX_FIRST} (SFNN: 8n or 8n-1) and S \
                    up to {MAX_SECOND}"
                ),
            }
        })
    }

    /// The share of the run that is done at a step, 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "nobody makes 2^52 steps")]
    pub(super) fn share(&self, step: u64) -> f64 {
        // 1 at the last step, whose number is `steps - 1`.
        step as f64 / (self.steps - 1).max(1) as f64
    }
}

/// Shapes in JSON: their names.
mod shape_name {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::eval::nnue::shape::Shape;

    pub(super) fn serialize<S: Serializer>(
        shape: &Shape,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(shape)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<Shape, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(D::Error::custom)
    }
}

/// A quantity that changes from one value to another over a run.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Schedule {
    /// Value at the first step.
    pub first: f64,
    /// Value at the last step.
    pub last: f64,
    /// Course between the two.
    pub shape: Shape,
}

/// The course from the first to the last value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Shape {
    /// By the same amount at each step.
    Linear,
    /// Half a period of a cosine: slow at both ends.
    Cosine,
}

impl Schedule {
    /// A schedule from `first` to `last` in equal steps.
    pub const fn linear(first: f64, last: f64) -> Self {
        Self {
            first,
            last,
            shape: Shape::Linear,
        }
    }

    /// A schedule from `first` to `last` over half a period of a cosine.
    pub const fn cosine(first: f64, last: f64) -> Self {
        Self {
            first,
            last,
            shape: Shape::Cosine,
        }
    }

    /// The value after `share` of the run, 0 to 1.
    pub fn at(self, share: f64) -> f64 {
        let way = match self.shape {
            Shape::Linear => share,
            Shape::Cosine => 0.5 - 0.5 * (PI * share).cos(),
        };
        self.first + (self.last - self.first) * way
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shallow_tree_positions_weigh_less_and_static_values_do_not() {
        let trees = TreeWeight {
            weight: 0.5,
            full_depth: 4,
        };
        for (depth, weight) in [(0, 0.5), (1, 0.125), (4, 0.5), (9, 0.5)] {
            assert!((trees.of(depth) - weight).abs() < 1e-6, "{depth}");
        }
    }

    #[test]
    fn both_ends_are_met() {
        for schedule in [Schedule::linear(0.1, 0.4), Schedule::cosine(1e-3, 1e-5)] {
            assert!((schedule.at(0.0) - schedule.first).abs() < 1e-12);
            assert!((schedule.at(1.0) - schedule.last).abs() < 1e-12);
            let middle = f64::midpoint(schedule.first, schedule.last);
            assert!((schedule.at(0.5) - middle).abs() < 1e-12);
        }
        assert!(Schedule::cosine(1.0, 0.0).at(0.1) > 0.97);
    }
}
