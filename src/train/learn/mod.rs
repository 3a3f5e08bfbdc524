//! Training of networks of our own feature set on the CPU, with or without hidden layers, and of
//! three-piece evaluations.
//!
//! | module | content |
//! |---|---|
//! | `settings` | what determines a run |
//! | `data` | blocks of files, and the positions in them that are learnt from |
//! | `sample`, `filter` | 48 bytes of a position in memory; which positions are selected |
//! | `stream` | shuffled order of the visits, reading ahead where memory is too small |
//! | `learner` | a run, its checkpoints and their resumption |
//! | `net`, `weights` | the network in 32-bit floats, and its optimiser |
//! | `loss` | what it is to predict, and the loss curve |
//! | `pass` | forward and backward pass |
//! | `quantise` | the network in integers |
//! | `kppt` | three-piece evaluations instead of networks |
//!
//! A seed gives the same network on any number of threads, because every sum has a fixed order.

mod data;
mod filter;
pub mod kppt;
mod learner;
mod loss;
mod net;
mod pass;
mod quantise;
mod sample;
mod settings;
mod stream;
mod weights;

use std::fmt::Display;

use anyhow::anyhow;

pub use data::{Data, Judged};
pub use data::{FileGroup, Source};
pub use filter::{Counts, Filter, Tactical};
pub use learner::{Model, Run};
pub use loss::fit_scale;
pub use loss::{Point, best_before_rise};
pub use net::{InitialWeights, Learner};
pub use quantise::{ErrorReport, Quantised};
pub use sample::{Label, Sample};
pub use settings::{DEFAULT_SCALE, ResultWeight, Settings};

/// The error of a setting that is out of range.
fn out_of_range(name: &str, found: impl Display, expected: impl Display) -> anyhow::Error {
    anyhow!("{name} {found}, expected {expected}")
}

#[cfg(test)]
mod tests;
