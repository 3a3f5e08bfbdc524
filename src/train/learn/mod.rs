//! Training of networks of our own feature set on the CPU, with or without hidden layers.
//!
//! | module | content |
//! |---|---|
//! | `settings` | what determines a run, with schedules of rates and weights |
//! | `files`, `data` | blocks of files, and the positions in them that are learnt from |
//! | `sample`, `filter` | 48 bytes of a position in memory; which positions are selected |
//! | `stream` | shuffled order of the visits, reading ahead where memory is too small |
//! | `weights`, `loss` | the network in 32-bit floats; what it is to predict |
//! | `chunk`, `pass` | features of a part of a batch; forward and backward pass |
//! | `adam` | the optimiser |
//! | `learner`, `loss_curve`, `checkpoint` | a run, its loss curve, interrupted runs |
//! | `quantise`, `rounding` | the network in integers |
//! | `kppt` | three-piece evaluations instead of networks |
//!
//! A seed gives the same network on any number of threads, because every sum has a fixed order.

mod adam;
mod checkpoint;
mod chunk;
mod data;
mod files;
mod filter;
pub mod kppt;
mod learner;
mod loss;
mod loss_curve;
mod pass;
mod quantise;
mod rounding;
mod sample;
mod settings;
mod stream;
mod weights;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

pub use checkpoint::CheckpointError;
pub use data::{Data, Fault};
pub use files::{DEFAULT_WINDOW, FileGroup, LoadError, Source, Watch};
pub use filter::{Counts, Filter, Tactical};
pub use learner::{InitError, InitialWeights, Learner};
pub use loss::fit_scale;
pub use loss_curve::{Point, best_before_rise};
pub use quantise::{ErrorReport, Quantised};
pub use sample::{Label, Sample};
pub use settings::{DEFAULT_SCALE, Schedule, Settings, SettingsError, Shape, TreeWeight};

/// A training run: steps from initial weights, with a loss curve and checkpoints.
pub trait Run {
    /// The settings that determine the run.
    fn settings(&self) -> &Settings;

    /// Number of steps made.
    fn steps(&self) -> u64;

    /// The loss curve so far.
    fn points(&self) -> &[Point];

    /// One step of the optimiser on one batch, on the rayon pool of the caller.
    ///
    /// # Errors
    /// A file of a streamed run cannot be read. The run cannot go on, except from a checkpoint.
    fn step(&mut self) -> Result<(), LoadError>;

    /// The number of invalid records that a streamed run found since the last call, and the first
    /// of them.
    fn take_faults(&mut self) -> (u64, Vec<Fault>);

    /// Appends a point to the loss curve.
    fn measure(&mut self);

    /// Writes a checkpoint. An interruption leaves the old file intact.
    ///
    /// # Errors
    /// The file cannot be written.
    fn save(&self, path: &Path) -> io::Result<()>;

    /// Whether all steps are made.
    fn is_finished(&self) -> bool {
        self.steps() >= self.settings().steps
    }

    /// The loss curve as comma-separated values, and as an SVG picture once there are two points.
    fn curve(&self) -> (String, Option<String>) {
        (
            loss_curve::to_csv(self.points()),
            loss_curve::to_svg(self.points()),
        )
    }

    /// Makes steps up to the next point of the loss curve, or until `stop` is set. `on_step`
    /// receives the number of steps made. Runs on the rayon pool of the caller.
    ///
    /// # Errors
    /// A file of a streamed run cannot be read.
    fn advance(
        &mut self,
        stop: &AtomicBool,
        on_step: &mut dyn FnMut(u64),
    ) -> Result<(), LoadError> {
        while !self.is_finished() && !stop.load(Ordering::Relaxed) {
            self.step()?;
            on_step(self.steps());
            if self.steps().is_multiple_of(self.settings().interval) || self.is_finished() {
                self.measure();
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
