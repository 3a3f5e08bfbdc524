//! Reading of network files: `nn.bin` files of `YaneuraOu`'s format, with header, feature
//! transformer, progress weights and layer stacks, and files of our own format (`raicho`), told by
//! their magic.
//!
//! The format of `nn.bin` is defined by `YaneuraOu`'s `source/eval/nnue/evaluate_nnue.cpp`; all
//! numbers are little endian. Programs that write such files are careless with hashes and texts, so
//! the size decides: where header or text do not match but exactly one known shape has the size,
//! the network is read with a warning. No more memory is allocated than the size of the file
//! justifies.

mod detect;
mod error;
pub(super) mod format;
mod header;
mod leb128;
mod raicho;
mod reader;
mod writer;

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use super::network::{AffineLayer, DEFAULT_SCALE, FeatureTransformer, LayerStack, Network, to_i32};
use super::output_buckets::Progress;
use super::shape::{Head, LayerShape, PROGRESS_HASH, Shape};
use crate::util::system::given_file;
use crate::util::{Aligned, ZeroedPages};

pub use error::{Field, NetError, Warning};

use detect::Detected;
use format::RAICHO_MAGIC;
use header::Header;
use reader::Reader;

/// The name of the network file in an evaluation folder.
pub const FILE_NAME: &str = "nn.bin";

/// Range of `FV_SCALE`, as that of `YaneuraOu`'s option.
const SCALES: std::ops::RangeInclusive<usize> = 1..=128;

impl Network {
    /// Reads a file, or `nn.bin` in a folder. The warnings name oddities that are tolerated.
    ///
    /// # Errors
    /// The file cannot be read, or [`Self::read`] refuses it.
    pub fn open(path: &Path) -> Result<(Self, Vec<Warning>), NetError> {
        if let Some(file) = given_file(path) {
            return Self::read_from(path, &file?);
        }
        let path = in_folder(path);
        let metadata = path.metadata()?;
        // Before it is opened: to open a pipe waits for its writer.
        if !metadata.is_file() {
            return Err(NetError::NotRegular);
        }
        let mut file = File::open(&path)?;
        // The magic is checked first, because a file that is no network may be of any size.
        let mut magic = Vec::new();
        let size = RAICHO_MAGIC.len() as u64;
        file.by_ref().take(size).read_to_end(&mut magic)?;
        if !raicho::has_magic(&magic) {
            Reader::new(&magic).magic()?;
        }
        // Not memory-mapped: truncating a mapped file crashes every process that reads it.
        let length = usize::try_from(metadata.len()).map_err(|_| NetError::NoMemory)?;
        let mut bytes = ZeroedPages::on_demand(length).map_err(|_| NetError::NoMemory)?;
        file.rewind()?;
        file.read_exact(&mut bytes)?;
        Self::read_from(&path, &bytes)
    }

    /// Reads a network from the bytes of the file at `path`.
    fn read_from(path: &Path, bytes: &[u8]) -> Result<(Self, Vec<Warning>), NetError> {
        let (mut network, warnings) = Self::read(bytes)?;
        network.source = path.display().to_string();
        Ok((network, warnings))
    }

    /// Reads a network from the bytes of a file. The warnings name oddities that are tolerated.
    ///
    /// # Errors
    /// The bytes are damaged, or not those of a known shape.
    pub fn read(bytes: &[u8]) -> Result<(Self, Vec<Warning>), NetError> {
        if raicho::has_magic(bytes) {
            return Ok((raicho::read(bytes)?, Vec::new()));
        }
        let mut reader = Reader::new(bytes);
        let header = reader.header()?;
        let mut warnings = Vec::new();
        let found = detect::shape(&header, reader.rest(), &mut warnings)?;
        let shape = found.shape;
        warnings.extend(Warning::of_hash(
            Field::FileHash,
            header.hash,
            shape.file_hash(),
        ));
        let body = Body {
            reader,
            found,
            warnings,
        };
        let (mut network, mut warnings) = body.read()?;
        network.scale = scale(&header, &mut warnings);
        network.text = header.text;
        Ok((network, warnings))
    }
}

/// The path itself, or that of `nn.bin` in it where it is a folder.
pub fn in_folder(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join(FILE_NAME)
    } else {
        path.to_owned()
    }
}

/// The `FV_SCALE` of a header, or the default with a warning where it is out of range.
fn scale(header: &Header, warnings: &mut Vec<Warning>) -> i32 {
    let declared = header.scale();
    let scale = declared.filter(|scale| SCALES.contains(scale));
    if let (Some(declared), None) = (declared, scale) {
        warnings.push(Warning::Scale(declared));
    }
    scale.map_or(DEFAULT_SCALE, |scale| scale as i32)
}

/// Reading of all sections after the header.
struct Body<'a> {
    reader: Reader<'a>,
    found: Detected,
    warnings: Vec<Warning>,
}

impl Body<'_> {
    fn read(mut self) -> Result<(Network, Vec<Warning>), NetError> {
        let shape = self.found.shape;
        self.hash(Field::TransformerHash, shape.transformer_hash())?;
        let transformer = match shape.head {
            Head::Stacks { .. } => self.compressed_transformer(shape)?,
            Head::Plain | Head::Direct => self.transformer(shape)?,
        };
        let progress = if shape.has_progress() {
            Some(self.progress()?)
        } else {
            None
        };
        // A text may declare more stacks than the file has bytes for.
        let room = self.reader.left() / shape.stack_bytes();
        let mut stacks = Vec::with_capacity(room.min(shape.stacks()));
        for number in 0..shape.stacks() {
            stacks.push(self.stack(shape, number)?);
        }
        self.reader.end()?;
        let network = Network {
            shape,
            transformer,
            stacks,
            output_layer: None,
            progress,
            scale: DEFAULT_SCALE,
            source: String::new(),
            text: String::new(),
        };
        Ok((network, self.warnings))
    }

    /// Reads and checks a hash, where the file has hashes between its sections.
    fn hash(&mut self, field: Field, expected: u32) -> Result<(), NetError> {
        if self.found.has_hashes {
            let found = self.reader.number(field)?;
            self.warnings
                .extend(Warning::of_hash(field, found, expected));
        }
        Ok(())
    }

    fn transformer(&mut self, shape: Shape) -> Result<FeatureTransformer, NetError> {
        let column = shape.width * size_of::<i16>();
        let biases = self.reader.take(Field::TransformerBiases, column)?;
        let size = shape.features.count() * column;
        let weights = self.reader.take(Field::TransformerWeights, size)?;
        Ok(FeatureTransformer::from_bytes(biases, weights))
    }

    fn compressed_transformer(&mut self, shape: Shape) -> Result<FeatureTransformer, NetError> {
        let count = shape.features.count() * shape.width;
        Ok(FeatureTransformer {
            biases: self.compressed(Field::TransformerBiases, shape.width)?,
            weights: self.compressed(Field::TransformerWeights, count)?,
        })
    }

    /// Reads a section of compressed values and doubles them, as `YaneuraOu` does.
    fn compressed(&mut self, field: Field, count: usize) -> Result<Aligned<i16>, NetError> {
        let bytes = self.reader.compressed(field)?;
        // Checked before the allocation: each value takes at least one byte.
        if bytes.len() < count {
            return Err(NetError::Compressed {
                field,
                problem: format!("{} bytes for {count} values", bytes.len()),
            });
        }
        let mut values = Aligned::zeroed(count);
        leb128::decode(bytes, &mut values)
            .map_err(|problem| NetError::Compressed { field, problem })?;
        for value in values.iter_mut() {
            *value = value.wrapping_mul(2);
        }
        Ok(values)
    }

    fn progress(&mut self) -> Result<Progress, NetError> {
        self.hash(Field::ProgressHash, PROGRESS_HASH)?;
        let bias = self.reader.number(Field::ProgressBias)? as i32;
        let size = Progress::WEIGHTS * size_of::<i32>();
        let weights = self.reader.take(Field::ProgressWeights, size)?;
        Ok(Progress::new(bias, to_i32(weights)))
    }

    fn stack(&mut self, shape: Shape, number: usize) -> Result<LayerStack, NetError> {
        self.hash(Field::NetworkHash(number), shape.network_hash())?;
        let [first, second, last] = shape.layers();
        let mut stack = LayerStack {
            first: self.affine(first, Field::First(number))?,
            second: self.affine(second, Field::Second(number))?,
            last: self.affine(last, Field::Last(number))?,
        };
        if let Head::Stacks {
            shards: Some(shards),
            ..
        } = shape.head
        {
            // The file holds the dense matrix; weights outside of the shards are ignored.
            let layer = &mut stack.first;
            for output in 0..layer.outputs {
                let row = &mut layer.weights[output * layer.padded_inputs..][..layer.inputs];
                for (input, weight) in row.iter_mut().enumerate() {
                    if !shards.connects(layer.outputs, output, input) {
                        *weight = 0;
                    }
                }
            }
        }
        Ok(stack)
    }

    fn affine(&mut self, shape: LayerShape, field: Field) -> Result<AffineLayer, NetError> {
        let biases = self.reader.take(field, shape.outputs * size_of::<i32>())?;
        let weights = self
            .reader
            .take(field, shape.outputs * shape.padded_inputs())?;
        Ok(AffineLayer::from_bytes(shape, biases, weights))
    }
}

#[cfg(test)]
mod tests;
