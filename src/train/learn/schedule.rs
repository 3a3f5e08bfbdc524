//! Schedules of the learning rate and of the weight of results over a run.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

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
    /// In equal steps.
    Linear,
    /// Half a period of a cosine: slow at both ends.
    Cosine,
}

impl Schedule {
    /// A linear schedule.
    pub const fn linear(first: f64, last: f64) -> Self {
        Self {
            first,
            last,
            shape: Shape::Linear,
        }
    }

    /// A cosine schedule.
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
