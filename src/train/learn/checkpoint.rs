//! Checkpoints: everything that a run needs to continue exactly as if it had not been interrupted.
//!
//! All numbers are little endian, without padding:
//!
//! | type | content |
//! |---|---|
//! | 8 bytes | magic, `RAICHOCP` for a network, `RAICHOC3` for a three-piece evaluation |
//! | u32 | version of the format, 4 |
//! | u32 | bytes of the header |
//! | UTF-8 | header: a [`State`] as JSON |
//! | | the weights and what the optimiser knows of them, see [`Model::write`] |
//! | u32 | CRC-32 (as in zlib) of all bytes before it |
//!
//! Of a network, weights, first moments and second moments of the optimiser follow on the header,
//! each in this order:
//!
//! | type | content |
//! |---|---|
//! | f32 × width | biases of the feature transformer |
//! | f32 × 2344 × width | its weights, `[feature][column]` |
//! | f32 × … | the weights that belong to no column, in the order of `weights` |
//! | f32 × … | the weights of the layer after the feature transformer, row by row as in `weights` |
//!
//! Without hidden layers, the order of the weights is that of network files of our own format. For
//! three-piece evaluations see `kppt/tables.rs`.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::LearnError;
use super::files::Source;
use super::learner::Model;
use super::loss_curve::Point;
use super::settings::Settings;
use super::stream::Place;
use crate::runs;

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

/// Replaces the file atomically.
pub(super) fn save<M: Model>(path: &Path, state: &State, model: &M) -> io::Result<()> {
    let header = serde_json::to_vec(state)?;
    runs::replace_with(path, |file| {
        let mut out = Checked::new(file);
        out.write_all(M::MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&(header.len() as u32).to_le_bytes())?;
        out.write_all(&header)?;
        model.write(&mut out)?;
        let checksum = out.hasher.clone().finalize();
        out.inner.write_all(&checksum.to_le_bytes())
    })
}

/// Whether a file begins with the magic of a checkpoint.
pub(super) fn is_one<M: Model>(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    let size = M::MAGIC.len() as u64;
    File::open(path)?.take(size).read_to_end(&mut start)?;
    Ok(start == M::MAGIC)
}

/// The header of a checkpoint.
pub(super) fn state<M: Model>(path: &Path) -> Result<State, LearnError> {
    read_state::<M>(&mut reader(path)?).map_err(name_cut)
}

/// Reads a checkpoint.
pub(super) fn open<M: Model>(path: &Path) -> Result<(State, M), LearnError> {
    read(path).map_err(name_cut)
}

fn read<M: Model>(path: &Path) -> Result<(State, M), LearnError> {
    let mut input = reader(path)?;
    let state = read_state::<M>(&mut input)?;
    state.settings.validate()?;
    let mut model = M::new(&state.settings)?;
    model.read(&mut input)?;
    let expected = input.hasher.clone().finalize();
    let found = read_u32(&mut input)?;
    if found != expected {
        return Err(LearnError::Checksum { found, expected });
    }
    if input.inner.read(&mut [0])? != 0 {
        let more = "bytes after the checksum";
        return Err(io::Error::new(io::ErrorKind::InvalidData, more).into());
    }
    Ok((state, model))
}

/// Gives the early end of a file an error of its own.
fn name_cut(error: LearnError) -> LearnError {
    match error {
        LearnError::Io(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => LearnError::Cut,
        other => other,
    }
}

fn reader(path: &Path) -> io::Result<Checked<BufReader<File>>> {
    let file = File::open(path)?;
    Ok(Checked::new(BufReader::with_capacity(BUFFER, file)))
}

fn read_state<M: Model>(input: &mut impl Read) -> Result<State, LearnError> {
    let mut magic = Vec::new();
    let length = M::MAGIC.len() as u64;
    input.by_ref().take(length).read_to_end(&mut magic)?;
    if magic != M::MAGIC {
        let expected = String::from_utf8_lossy(M::MAGIC).into_owned();
        return Err(LearnError::Magic(expected));
    }
    let version = read_u32(input)?;
    if version != VERSION {
        return Err(LearnError::Version {
            found: version,
            expected: VERSION,
        });
    }
    let length = read_u32(input)?.min(MAX_HEADER);
    let mut text = vec![0; length as usize];
    input.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// Reads a 32-bit number.
pub(super) fn read_u32(input: &mut (impl Read + ?Sized)) -> io::Result<u32> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

/// A stream with the checksum of what has passed.
struct Checked<T> {
    inner: T,
    hasher: crc32fast::Hasher,
}

impl<T> Checked<T> {
    fn new(inner: T) -> Self {
        let hasher = crc32fast::Hasher::new();
        Self { inner, hasher }
    }
}

impl<T: Write> Write for Checked<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Checked<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.hasher.update(&bytes[..read]);
        Ok(read)
    }
}
