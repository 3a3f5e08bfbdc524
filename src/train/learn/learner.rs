//! A training run: optimiser steps from initial weights, which may be interrupted and resumed.

use std::io::{self, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs::File, path::Path};

use anyhow::{Context as _, Result, anyhow, ensure};
use serde::{Deserialize, Serialize};

use super::data::{Data, Source};
use super::loss::{self, HeldOutLosses, Point, Targets};
use super::stream::{Place, Stream};
use super::{Settings, sample::Sample};
use crate::{runs, util::Summed};

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
    fn new(settings: &Settings) -> Result<Self>;

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
    pub fn new(settings: Settings, data: &'a Data) -> Result<Self> {
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
    pub fn source(path: &Path) -> Result<Source> {
        let state = read_state::<M>(&mut reader(path)?).map_err(name_cut)?;
        Ok(state.source)
    }

    /// Resumes the run of a checkpoint. It continues exactly as an uninterrupted run.
    ///
    /// # Errors
    /// The checkpoint cannot be read, or belongs to other data.
    pub fn resume(path: &Path, data: &'a Data) -> Result<Self> {
        let (state, model) = open_checkpoint(path)?;
        ensure!(
            state.fingerprint == data.fingerprint(),
            "it belongs to other data, expected the same files, filter, seed and held-out share"
        );
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
        (loss::to_csv(points), loss::to_svg(points))
    }

    /// Makes steps up to the next point of the loss curve, or until `stop` is set. `on_step`
    /// receives the number of steps made. Runs on the rayon pool of the caller.
    ///
    /// # Errors
    /// A file of a streamed run cannot be read.
    pub fn advance(&mut self, stop: &AtomicBool, on_step: &mut dyn FnMut(u64)) -> Result<()> {
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
    pub fn step(&mut self) -> Result<()> {
        let (settings, step) = (&self.state.settings, self.state.steps);
        let batch = match &mut self.batch {
            Some(batch) => batch,
            none => {
                let mut first = Batch::new(settings);
                first.fill(&mut self.stream, settings, step)?;
                none.insert(first)
            }
        };
        let (loss, filled) = rayon::join(
            || self.model.step(&batch.content, settings, step),
            || self.spare.fill(&mut self.stream, settings, step + 1),
        );
        self.state.loss += loss;
        self.state.steps += 1;
        filled?;
        std::mem::swap(batch, &mut self.spare);
        self.state.place = batch.place;
        Ok(())
    }

    /// The number of invalid records that a streamed run found since the last call, and the first
    /// of them.
    pub fn take_faults(&mut self) -> (u64, Vec<String>) {
        self.stream.take_faults()
    }

    /// Appends a point to the loss curve.
    pub fn measure(&mut self) {
        let (state, held_out) = (&mut self.state, &self.data.held_out);
        let held_out = (!held_out.is_empty()).then(|| {
            let mut losses = HeldOutLosses::new(&state.settings);
            self.model.add_losses(held_out, &state.settings, &mut losses);
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
        let header = serde_json::to_vec(&self.state)?;
        runs::replace_with(path, |file| {
            let mut out = Summed::new(file);
            out.write_all(M::MAGIC)?;
            out.write_all(&VERSION.to_le_bytes())?;
            out.write_all(&(header.len() as u32).to_le_bytes())?;
            out.write_all(&header)?;
            self.model.write(&mut out)?;
            let checksum = out.sum.clone().finalize();
            out.inner.write_all(&checksum.to_le_bytes())
        })
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
    fn fill(&mut self, stream: &mut Stream<'_>, settings: &Settings, step: u64) -> Result<()> {
        self.place = stream.place();
        stream.take(&mut self.samples, settings.batch)?;
        let targets = Targets::new(settings, settings.result_weight_at(step));
        M::fill(&mut self.content, &self.samples, targets);
        Ok(())
    }
}

// --- Checkpoints ---
//
// Checkpoints: everything that a run needs to continue exactly as if it had not been interrupted.
//
// All numbers are little endian, without padding:
//
// | type | content |
// |---|---|
// | 8 bytes | magic, `RAICHOCP` for a network, `RAICHOC3` for a three-piece evaluation |
// | u32 | version of the format, 4 |
// | u32 | bytes of the header |
// | UTF-8 | header: a [`State`] as JSON |
// | | the weights and what the optimiser knows of them, see [`Model::write`] |
// | u32 | CRC-32 (as in zlib) of all bytes before it |
//
// Of a network, weights, first moments and second moments of the optimiser follow on the header,
// each in this order:
//
// | type | content |
// |---|---|
// | f32 × width | biases of the feature transformer |
// | f32 × 2344 × width | its weights, `[feature][column]` |
// | f32 × … | the weights that belong to no column, in the order of `weights` |
// | f32 × … | the weights of the layer after the feature transformer, row by row as in `weights` |
//
// Without hidden layers, the order of the weights is that of network files of our own format. For
// three-piece evaluations see `kppt/tables.rs`.

const VERSION: u32 = 4;

/// Longest header: some megabytes hold the points of any run.
const MAX_HEADER: u32 = 1 << 26;

/// Size of the buffers of files in bytes.
const BUFFER: usize = 1 << 20;

/// The header: everything but the weights and what the optimiser knows of them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) settings: Settings,
    pub(super) source: Source,
    /// [`Data::fingerprint`](super::data::Data::fingerprint) of the data that the run learns from.
    pub(super) fingerprint: u64,
    /// Where the batch of the next step begins in the order of visits.
    pub(super) place: Place,
    /// Number of steps made.
    pub(super) steps: u64,
    /// Sum of the losses of all positions since the last point of the loss curve.
    pub(super) loss: f64,
    pub(super) points: Vec<Point>,
}

/// Whether a file begins with the magic of a checkpoint.
pub(super) fn is_checkpoint<M: Model>(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    let size = M::MAGIC.len() as u64;
    File::open(path)?.take(size).read_to_end(&mut start)?;
    Ok(start == M::MAGIC)
}

pub(super) fn open_checkpoint<M: Model>(path: &Path) -> Result<(State, M)> {
    read(path).map_err(name_cut)
}

fn read<M: Model>(path: &Path) -> Result<(State, M)> {
    let mut input = reader(path)?;
    let state = read_state::<M>(&mut input)?;
    state.settings.validate()?;
    let mut model = M::new(&state.settings)?;
    model.read(&mut input)?;
    let expected = input.sum.clone().finalize();
    let found = read_u32(&mut input)?;
    ensure!(
        found == expected,
        "checksum {found:08x}, expected {expected:08x}: the file is damaged"
    );
    ensure!(input.inner.read(&mut [0])? == 0, "bytes after the checksum");
    Ok((state, model))
}

/// Gives the early end of a file an error of its own.
fn name_cut(error: anyhow::Error) -> anyhow::Error {
    let cause = error.downcast_ref::<io::Error>();
    if cause.is_some_and(|cause| cause.kind() == io::ErrorKind::UnexpectedEof) {
        return anyhow!("the file is cut off, expected weights and a checksum up to its end");
    }
    error
}

fn reader(path: &Path) -> io::Result<Summed<BufReader<File>>> {
    let file = File::open(path)?;
    Ok(Summed::new(BufReader::with_capacity(BUFFER, file)))
}

fn read_state<M: Model>(input: &mut impl Read) -> Result<State> {
    let mut magic = Vec::new();
    let length = M::MAGIC.len() as u64;
    input.by_ref().take(length).read_to_end(&mut magic)?;
    ensure!(
        magic == M::MAGIC,
        "no checkpoint: the first 8 bytes are not {}",
        String::from_utf8_lossy(M::MAGIC)
    );
    let version = read_u32(input)?;
    ensure!(
        version == VERSION,
        "version {version} of the format, expected {VERSION}: the run was begun by another version \
         of this program"
    );
    let length = read_u32(input)?.min(MAX_HEADER);
    let mut text = vec![0; length as usize];
    input.read_exact(&mut text)?;
    serde_json::from_slice(&text).context("the header is not understood")
}

/// Reads a 32-bit number.
pub(super) fn read_u32(input: &mut (impl Read + ?Sized)) -> io::Result<u32> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}
