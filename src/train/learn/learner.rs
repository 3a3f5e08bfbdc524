//! A training run: optimiser steps from initial weights, which may be interrupted and resumed.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::LearnError;
use super::checkpoint::{self, State};
use super::data::{Data, Fault};
use super::files::Source;
use super::loss::{HeldOutLosses, Targets};
use super::loss_curve::{self, Point};
use super::sample::Sample;
use super::settings::Settings;
use super::stream::{Place, Stream};

/// What a run trains: weights, and what its optimiser knows of them.
pub trait Model: Sized + Send + Sync {
    /// The first bytes of a checkpoint.
    const MAGIC: &[u8; 8];

    /// The positions of a step, prepared for the weights.
    type Batch: Send + Sync;

    /// The weights before the first step.
    ///
    /// # Errors
    /// There is not enough memory.
    fn new(settings: &Settings) -> Result<Self, LearnError>;

    /// A batch without positions.
    fn batch(settings: &Settings) -> Self::Batch;

    /// Replaces the positions of a batch.
    fn fill(batch: &mut Self::Batch, samples: &[Sample], targets: Targets);

    /// One step of the optimiser. Returns the loss before it as the sum over all positions.
    fn step(&mut self, batch: &Self::Batch, settings: &Settings, step: u64) -> f64;

    /// Adds the losses of held-out positions.
    fn add_losses(&mut self, samples: &[Sample], settings: &Settings, losses: &mut HeldOutLosses);

    /// Writes the weights for a checkpoint.
    ///
    /// # Errors
    /// The output fails.
    fn write(&self, out: &mut dyn Write) -> io::Result<()>;

    /// Reads what [`Self::write`] wrote for the same settings.
    ///
    /// # Errors
    /// The input fails, ends early or is invalid.
    fn read(&mut self, input: &mut dyn Read) -> io::Result<()>;
}

/// A run and the data that it learns from.
pub struct Run<'a, M: Model> {
    pub(super) state: State,
    pub(super) data: &'a Data,
    stream: Stream<'a>,
    pub(super) model: M,
    /// The batch of the next step; `None` before the first step.
    batch: Option<Batch<M>>,
    /// The batch after it, which is prepared during the step.
    spare: Batch<M>,
}

impl<'a, M: Model> Run<'a, M> {
    /// A new run.
    ///
    /// # Errors
    /// A setting is out of range, or there is not enough memory.
    pub fn new(settings: Settings, data: &'a Data) -> Result<Self, LearnError> {
        settings.validate()?;
        let model = M::new(&settings)?;
        let state = State {
            settings,
            source: data.source.clone(),
            fingerprint: data.fingerprint(),
            place: Place::default(),
            steps: 0,
            loss: 0.0,
            points: Vec::new(),
        };
        Ok(Self::with(state, model, data))
    }

    /// The data source of a checkpoint; [`Self::resume`] needs its data.
    ///
    /// # Errors
    /// The checkpoint cannot be read.
    pub fn source(path: &Path) -> Result<Source, LearnError> {
        Ok(checkpoint::state::<M>(path)?.source)
    }

    /// Resumes the run of a checkpoint. It continues exactly as an uninterrupted run.
    ///
    /// # Errors
    /// The checkpoint cannot be read, or belongs to other data.
    pub fn resume(path: &Path, data: &'a Data) -> Result<Self, LearnError> {
        let (state, model) = checkpoint::open(path)?;
        if state.fingerprint != data.fingerprint() {
            return Err(LearnError::OtherData);
        }
        Ok(Self::with(state, model, data))
    }

    fn with(state: State, model: M, data: &'a Data) -> Self {
        Self {
            stream: Stream::at(data, state.settings.seed, state.place),
            spare: Batch::new(&state.settings),
            state,
            data,
            model,
            batch: None,
        }
    }

    /// The settings that determine the run.
    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// The data that the run learns from.
    pub fn data(&self) -> &'a Data {
        self.data
    }

    /// Number of steps made.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// The loss curve so far.
    pub fn points(&self) -> &[Point] {
        &self.state.points
    }

    /// Whether all steps are made.
    pub fn is_finished(&self) -> bool {
        self.state.steps >= self.state.settings.steps
    }

    /// The loss curve as comma-separated values, and as an SVG picture once there are two points.
    pub fn curve(&self) -> (String, Option<String>) {
        let points = self.points();
        (loss_curve::to_csv(points), loss_curve::to_svg(points))
    }

    /// Makes steps up to the next point of the loss curve, or until `stop` is set. `on_step`
    /// receives the number of steps made. Runs on the rayon pool of the caller.
    ///
    /// # Errors
    /// A file of a streamed run cannot be read.
    pub fn advance(
        &mut self,
        stop: &AtomicBool,
        on_step: &mut dyn FnMut(u64),
    ) -> Result<(), LearnError> {
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

    /// One step of the optimiser on one batch, on the rayon pool of the caller. The next batch is
    /// prepared in parallel.
    ///
    /// # Errors
    /// A file of a streamed run cannot be read. The run cannot go on, except from a checkpoint.
    pub fn step(&mut self) -> Result<(), LearnError> {
        let Self {
            state,
            stream,
            model,
            spare,
            ..
        } = self;
        let (settings, step) = (&state.settings, state.steps);
        if self.batch.is_none() {
            spare.fill(stream, settings, step)?;
            self.batch = Some(std::mem::replace(spare, Batch::new(settings)));
        }
        let Some(batch) = &mut self.batch else {
            unreachable!("it was filled above");
        };
        let (loss, filled) = rayon::join(
            || model.step(&batch.content, settings, step),
            || spare.fill(stream, settings, step + 1),
        );
        state.loss += loss;
        state.steps += 1;
        filled?;
        std::mem::swap(batch, spare);
        state.place = batch.place;
        Ok(())
    }

    /// The number of invalid records that a streamed run found since the last call, and the first
    /// of them.
    pub fn take_faults(&mut self) -> (u64, Vec<Fault>) {
        self.stream.take_faults()
    }

    /// Appends a point to the loss curve.
    pub fn measure(&mut self) {
        let Self {
            state, data, model, ..
        } = self;
        let held_out = (!data.held_out.is_empty()).then(|| {
            let mut losses = HeldOutLosses::new(&state.settings);
            model.add_losses(&data.held_out, &state.settings, &mut losses);
            losses.means()
        });
        let since = state.points.last().map_or(0, |point| point.step);
        let point = Point::new(&state.settings, since..state.steps, state.loss, held_out);
        state.points.push(point);
        state.loss = 0.0;
    }

    /// Writes a checkpoint. An interruption leaves the old file intact.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        checkpoint::save(path, &self.state, &self.model)
    }
}

/// The positions of one step.
struct Batch<M: Model> {
    /// Where it begins in the order of visits.
    place: Place,
    samples: Vec<Sample>,
    content: M::Batch,
}

impl<M: Model> Batch<M> {
    fn new(settings: &Settings) -> Self {
        Self {
            place: Place::default(),
            samples: Vec::with_capacity(settings.batch),
            content: M::batch(settings),
        }
    }

    /// Replaces the content by the positions of a step.
    fn fill(
        &mut self,
        stream: &mut Stream<'_>,
        settings: &Settings,
        step: u64,
    ) -> Result<(), LearnError> {
        self.place = stream.place();
        stream.take(&mut self.samples, settings.batch)?;
        let targets = Targets::new(settings, settings.result_weight_at(step));
        M::fill(&mut self.content, &self.samples, targets);
        Ok(())
    }
}
