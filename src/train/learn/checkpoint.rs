//! Checkpoints: everything that a run needs to continue exactly as if it had not been interrupted.
//!
//! All numbers are little endian, without padding:
//!
//! | type | content |
//! |---|---|
//! | 8 bytes | magic, `RAICHOCP` |
//! | u32 | version of the format, 3 |
//! | u32 | bytes of the header |
//! | UTF-8 | header: a [`State`] as JSON |
//! | f32 × … | weights, first moments and second moments of the optimiser, each in this order: |
//! | f32 × width | biases of the feature transformer |
//! | f32 × 2344 × width | its weights, `[feature][column]` |
//! | f32 × … | the weights that belong to no column, in the order of `weights` |
//! | f32 × … | the weights of the layer after the feature transformer, row by row as in `weights` |
//! | u32 | CRC-32 (as in zlib) of all bytes before it |
//!
//! Without hidden layers, the order of the weights is that of network files of our own format.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::iter;
use std::path::Path;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::adam::Adam;
use super::files::Source;
use super::loss_curve::Point;
use super::settings::{Settings, SettingsError};
use super::stream::Place;
use super::weights::{BLOCK, Layout, Weights};
use crate::eval::nnue::shape::Shape;
use crate::runs;

const MAGIC: &[u8; 8] = b"RAICHOCP";
const VERSION: u32 = 3;
const CHECKSUM: usize = size_of::<u32>();

/// The header: everything but weights and moments.
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

/// The content of a checkpoint.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Checkpoint {
    pub(super) state: State,
    pub(super) weights: Weights,
    pub(super) adam: Adam,
}

/// Why a checkpoint cannot be used.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The file cannot be opened or read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file does not begin with the magic.
    #[error("no checkpoint: the first 8 bytes are not RAICHOCP")]
    Magic,
    /// The version of the format is not supported.
    #[error("version {0} of the format, expected {VERSION}")]
    Version(u32),
    /// The header is not the expected JSON.
    #[error("the header is not understood: {0}")]
    Header(#[from] serde_json::Error),
    /// The shape in the header cannot be trained.
    #[error("shape {0} in the header, expected one of our own (raicho_…)")]
    Shape(Shape),
    /// The size of the file does not match the header.
    #[error("{found} bytes, expected {expected}")]
    Size {
        /// Size of the file in bytes.
        found: usize,
        /// Size that follows from the header, in bytes.
        expected: usize,
    },
    /// A checkpoint of a three-piece evaluation ends before its checksum.
    #[error("the file is cut off, expected weights and a checksum up to its end")]
    Cut,
    /// The checksum does not match.
    #[error("checksum {found:08x}, expected {expected:08x}: the file is damaged")]
    Checksum {
        /// The CRC-32 in the file.
        found: u32,
        /// The CRC-32 of the bytes before it.
        expected: u32,
    },
    /// A setting in the header is out of range.
    #[error("the header is not understood: {0}")]
    Settings(#[from] SettingsError),
    /// The run learnt from other data than those that were loaded.
    #[error("it belongs to other data, expected the same files, filter, seed and held-out share")]
    Data,
}

impl Checkpoint {
    /// Replaces the file atomically.
    pub(super) fn save(
        path: &Path,
        state: &State,
        weights: &Weights,
        adam: &Adam,
    ) -> io::Result<()> {
        let bytes = to_bytes(state, weights, adam);
        runs::replace_with(path, |file| file.write_all(&bytes))
    }

    pub(super) fn open(path: &Path) -> Result<Self, CheckpointError> {
        Self::from_bytes(&fs::read(path)?)
    }

    /// Whether a file begins with the magic of a checkpoint.
    pub(super) fn is_one(path: &Path) -> io::Result<bool> {
        let mut start = Vec::new();
        let size = MAGIC.len() as u64;
        File::open(path)?.take(size).read_to_end(&mut start)?;
        Ok(start == MAGIC)
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(CheckpointError::Magic)?;
        let (version, rest) = number(rest, bytes.len())?;
        if version != VERSION {
            return Err(CheckpointError::Version(version));
        }
        let (length, rest) = number(rest, bytes.len())?;
        let header = rest.get(..length as usize).ok_or(CheckpointError::Size {
            found: bytes.len(),
            expected: MAGIC.len() + 2 * size_of::<u32>() + length as usize,
        })?;
        let state: State = serde_json::from_slice(header)?;
        let shape = state.settings.shape;
        let layout = Layout::new(shape).ok_or(CheckpointError::Shape(shape))?;
        let (found, expected) = (bytes.len(), size(layout, header.len()));
        if found != expected {
            return Err(CheckpointError::Size { found, expected });
        }
        let (checked, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
        let (found, _) = number(checksum, bytes.len())?;
        let expected = crc32fast::hash(checked);
        if found != expected {
            return Err(CheckpointError::Checksum { found, expected });
        }
        let mut numbers = rest[header.len()..].as_chunks().0.iter();
        let [weights, first, second] = [(); 3].map(|()| {
            let mut weights = Weights::zeroed(layout);
            fill(&mut weights, numbers.by_ref());
            weights
        });
        let steps = state.steps;
        Ok(Self {
            state,
            weights,
            adam: Adam {
                first,
                second,
                steps,
            },
        })
    }
}

fn to_bytes(state: &State, weights: &Weights, adam: &Adam) -> Vec<u8> {
    let header = serde_json::to_vec(state).expect("numbers and names, which JSON can hold");
    let mut bytes = Vec::with_capacity(size(weights.layout(), header.len()));
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header);
    for weights in [weights, &adam.first, &adam.second] {
        for values in parts(weights) {
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
    }
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Size of a file in bytes. `header` is the length of the header.
fn size(layout: Layout, header: usize) -> usize {
    let weights = layout.blocks() * layout.rows() * BLOCK + layout.top();
    let numbers = MAGIC.len() + 2 * size_of::<u32>();
    numbers + header + 3 * weights * size_of::<f32>() + CHECKSUM
}

/// Splits off a 32-bit number. `found` is the size of the file, for the error.
fn number(bytes: &[u8], found: usize) -> Result<(u32, &[u8]), CheckpointError> {
    let expected = MAGIC.len() + 2 * size_of::<u32>();
    let (number, rest) = bytes
        .split_first_chunk()
        .ok_or(CheckpointError::Size { found, expected })?;
    Ok((u32::from_le_bytes(*number), rest))
}

/// The rows of a block in the order of the file; `None` stands for the top, which is not a row.
fn rows(layout: Layout) -> impl Iterator<Item = Option<usize>> {
    let transformer = iter::once(layout.biases())
        .chain(0..layout.biases())
        .map(Some);
    let next = (layout.outputs().start..layout.rows()).map(Some);
    transformer.chain([None]).chain(next)
}

/// All weights in the order of the file.
fn parts(weights: &Weights) -> impl Iterator<Item = &[f32]> {
    rows(weights.layout()).flat_map(move |row| {
        let of_row = row.map(|row| weights.blocks().map(move |block| &block[row].0[..]));
        let top = row.is_none().then_some(&weights.top[..]);
        of_row.into_iter().flatten().chain(top)
    })
}

/// Sets all weights from values in the order of the file.
fn fill<'a>(weights: &mut Weights, mut values: impl Iterator<Item = &'a [u8; 4]>) {
    let mut fill = |part: &mut [f32]| {
        for (value, bytes) in part.iter_mut().zip(values.by_ref()) {
            *value = f32::from_le_bytes(*bytes);
        }
    };
    for row in rows(weights.layout()) {
        let Some(row) = row else {
            fill(&mut weights.top);
            continue;
        };
        for block in weights.blocks_mut() {
            fill(&mut block[row].0);
        }
    }
}
