//! What all runs have in common, whatever they train.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::data::Fault;
use super::files::LoadError;
use super::loss_curve::{self, Point};
use super::settings::Settings;

/// A training run: steps from initial weights, with a loss curve and checkpoints.
pub trait Run {
    /// The settings.
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
