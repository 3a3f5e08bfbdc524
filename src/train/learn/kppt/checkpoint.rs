//! Checkpoints: a run between two steps. It continues exactly as if it had not been interrupted.
//!
//! Little endian:
//!
//! | type | content |
//! |---|---|
//! | 8 bytes | `RAICHOC3` |
//! | u32 | version, 2 |
//! | u32, then that many bytes | header: a [`Header`] as JSON |
//! | for each factor: (u32, u32, f32 × 4 × …), … | see below |
//! | u32 | CRC-32 (as in zlib) of all bytes before it |
//!
//! A factor is a sequence of the number of weights that no step has moved, the number of weights
//! that follow, and for each of these its board part, its turn part and the sums of their squared
//! gradients. It ends with the last weight of the factor.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::factors::Options;
use super::tables::{State, Table, Tables, Weight};
use crate::runs;
use crate::train::learn::checkpoint::CheckpointError;
use crate::train::learn::files::Source;
use crate::train::learn::loss_curve::Point;
use crate::train::learn::settings::Settings;
use crate::train::learn::stream::Place;

const MAGIC: &[u8; 8] = b"RAICHOC3";
const VERSION: u32 = 2;

/// Longest header: some megabytes hold the points of any run.
const MAX_HEADER: u32 = 1 << 26;

/// Size of the buffers of files in bytes.
const BUFFER: usize = 1 << 20;

/// Everything but the weights.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) settings: Settings,
    pub(super) options: Options,
    pub(super) source: Source,
    /// [`Data::fingerprint`](crate::train::learn::data::Data::fingerprint) of the data.
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
pub(super) struct Checkpoint {
    pub(super) header: Header,
    pub(super) tables: Tables,
}

impl Checkpoint {
    /// Replaces the file atomically.
    pub(super) fn save(path: &Path, header: &Header, tables: &Tables) -> io::Result<()> {
        let text = serde_json::to_vec(header)?;
        runs::replace_with(path, |file| Self::write(file, &text, tables))
    }

    fn write(file: &mut impl Write, text: &[u8], tables: &Tables) -> io::Result<()> {
        let mut out = Checked::new(file);
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&(text.len() as u32).to_le_bytes())?;
        out.write_all(text)?;
        for table in &tables.0 {
            write_table(&mut out, table)?;
        }
        let checksum = out.hasher.clone().finalize();
        out.inner.write_all(&checksum.to_le_bytes())
    }

    /// Whether a file begins with the magic.
    pub(super) fn is_one(path: &Path) -> io::Result<bool> {
        let mut start = Vec::new();
        File::open(path)?
            .take(MAGIC.len() as u64)
            .read_to_end(&mut start)?;
        Ok(start == MAGIC)
    }

    /// The data source in the header.
    pub(super) fn source(path: &Path) -> Result<Source, CheckpointError> {
        let header = read_header(&mut reader(path)?).map_err(name_cut)?;
        Ok(header.source)
    }

    pub(super) fn open(path: &Path) -> Result<Self, CheckpointError> {
        Self::read(path).map_err(name_cut)
    }

    fn read(path: &Path) -> Result<Self, CheckpointError> {
        let mut input = reader(path)?;
        let header = read_header(&mut input)?;
        header.settings.validate()?;
        let Options { factors, kings } = header.options;
        let mut tables = Tables::new(factors, kings, header.settings.scale)?;
        for table in &mut tables.0 {
            read_table(&mut input, table)?;
        }
        let expected = input.hasher.clone().finalize();
        let found = read_u32(&mut input)?;
        if found != expected {
            return Err(CheckpointError::Checksum { found, expected });
        }
        if input.inner.read(&mut [0])? != 0 {
            let more = "bytes after the checksum";
            return Err(io::Error::new(io::ErrorKind::InvalidData, more).into());
        }
        Ok(Self { header, tables })
    }
}

/// Gives the early end of a file an error of its own.
fn name_cut(error: CheckpointError) -> CheckpointError {
    match error {
        CheckpointError::Io(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => {
            CheckpointError::Cut
        }
        other => other,
    }
}

fn reader(path: &Path) -> io::Result<Checked<BufReader<File>>> {
    Ok(Checked::new(BufReader::with_capacity(
        BUFFER,
        File::open(path)?,
    )))
}

fn read_header(input: &mut impl Read) -> Result<Header, CheckpointError> {
    let mut magic = [0; MAGIC.len()];
    input.read_exact(&mut magic)?;
    if magic != *MAGIC {
        return Err(CheckpointError::Magic);
    }
    let version = read_u32(input)?;
    if version != VERSION {
        return Err(CheckpointError::Version(version));
    }
    let length = read_u32(input)?.min(MAX_HEADER);
    let mut text = vec![0; length as usize];
    input.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

fn read_u32(input: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

/// Whether no step has moved a weight.
#[expect(clippy::float_cmp, reason = "untouched memory is exactly 0")]
fn is_untouched((weight, state): (&Weight, &State)) -> bool {
    *weight == [0.0; 2] && state.squares == [0.0; 2]
}

fn write_table(out: &mut impl Write, table: &Table) -> io::Result<()> {
    let (weights, states) = (&table.weights[..], &table.states[..]);
    let mut at = 0;
    while at < states.len() {
        let from = |at: usize| weights[at..].iter().zip(&states[at..]);
        let skipped = from(at).take_while(|&entry| is_untouched(entry)).count();
        let first = at + skipped;
        let count = from(first)
            .take_while(|&entry| !is_untouched(entry))
            .count();
        out.write_all(&(skipped as u32).to_le_bytes())?;
        out.write_all(&(count as u32).to_le_bytes())?;
        at = first + count;
        for (weight, state) in weights[first..at].iter().zip(&states[first..at]) {
            let [[a, b], [c, d]] = [*weight, state.squares].map(|part| part.map(f32::to_le_bytes));
            out.write_all([a, b, c, d].as_flattened())?;
        }
    }
    Ok(())
}

fn read_table(input: &mut impl Read, table: &mut Table) -> io::Result<()> {
    let length = table.weights.len();
    let mut at = 0;
    while at < length {
        let first = at + read_u32(input)? as usize;
        let end = first + read_u32(input)? as usize;
        if end > length || end == at {
            let text = format!("weight {end} of a factor of {length}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let weights = table.weights[first..end].iter_mut();
        for (weight, state) in weights.zip(&mut table.states[first..end]) {
            let mut bytes = [0; size_of::<[Weight; 2]>()];
            input.read_exact(&mut bytes)?;
            let (words, _) = bytes.as_chunks::<4>();
            let number = |at: usize| f32::from_le_bytes(words[at]);
            *weight = [number(0), number(1)];
            state.squares = [number(2), number(3)];
        }
        at = end;
    }
    Ok(())
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
