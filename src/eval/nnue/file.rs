//! Reading of network files: `nn.bin` files with header, transformer, progress, stacks of layers; and files of our own format
//! (`own`), which the magic tells.
//!
//! The format of `nn.bin` is `YaneuraOu`'s (`source/eval/nnue/evaluate_nnue.cpp`), everything little endian. Programs that write such
//! files are careless with hashes and texts, so the size decides: where header or text do not fit but exactly one known
//! shape does, the network loads with a warning. No memory is taken that the size of the file does not justify.

mod detect;
mod error;
mod leb128;
mod own;
mod reader;

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use super::buckets::Progress;
use super::network::{Affine, DEFAULT_SCALE, Network, Stack, Transformer, to_i32};
use super::shape::{Head, LayerShape, PROGRESS_HASH, Shape};
use crate::util::{Aligned, ZeroedPages};

pub use error::{Field, NetError, Warning};

use detect::{Found, Header};
use reader::Reader;

/// The first four bytes of every file but our own.
pub(super) const MAGIC: u32 = 0x7af3_2f16;

/// What stands before a section of compressed values.
pub(super) const LEB128_MAGIC: &[u8; 17] = b"COMPRESSED_LEB128";

/// The file in a folder of evaluations.
const FILE_NAME: &str = "nn.bin";

/// What a scale can be, as `YaneuraOu`'s option `FV_SCALE`.
const SCALES: std::ops::RangeInclusive<usize> = 1..=128;

impl Network {
    /// Reads a file, or `nn.bin` in a folder, and says what is odd about it.
    ///
    /// # Errors
    /// The file cannot be read, or [`Self::read`] refuses it.
    pub fn open(path: &Path) -> Result<(Self, Vec<Warning>), NetError> {
        let path = in_folder(path);
        let metadata = path.metadata()?;
        // Before it is opened: to open a pipe waits for its writer.
        if !metadata.is_file() {
            return Err(NetError::NotRegular);
        }
        let mut file = File::open(&path)?;
        // The magic first: what is no network may be of any size.
        let mut magic = Vec::new();
        let size = own::MAGIC.len() as u64;
        file.by_ref().take(size).read_to_end(&mut magic)?;
        if !own::is_own(&magic) {
            Reader::new(&magic).magic()?;
        }
        // Not mapped: who shortens a mapped file kills all who read it.
        let length = usize::try_from(metadata.len()).map_err(|_| NetError::NoMemory)?;
        let mut bytes = ZeroedPages::on_demand(length).map_err(|_| NetError::NoMemory)?;
        file.rewind()?;
        file.read_exact(&mut bytes)?;
        let (mut network, warnings) = Self::read(&bytes)?;
        network.source = path.display().to_string();
        Ok((network, warnings))
    }

    /// The network of a file's bytes, and what is odd about them.
    ///
    /// # Errors
    /// The bytes are not those of a network of a known shape.
    pub fn read(bytes: &[u8]) -> Result<(Self, Vec<Warning>), NetError> {
        if own::is_own(bytes) {
            return Ok((own::read(bytes)?, Vec::new()));
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
        network.text = header.into_text();
        Ok((network, warnings))
    }
}

/// The file itself, where `path` is the folder of one.
pub fn in_folder(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join(FILE_NAME)
    } else {
        path.to_owned()
    }
}

fn scale(header: &Header, warnings: &mut Vec<Warning>) -> i32 {
    let told = header.scale();
    let scale = told.filter(|scale| SCALES.contains(scale));
    if let (Some(told), None) = (told, scale) {
        warnings.push(Warning::Scale(told));
    }
    scale.map_or(DEFAULT_SCALE, |scale| scale as i32)
}

/// Everything behind the header.
struct Body<'a> {
    reader: Reader<'a>,
    found: Found,
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
        // A text may tell more stacks than there are bytes for.
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
            direct: None,
            progress,
            scale: DEFAULT_SCALE,
            source: String::new(),
            text: String::new(),
        };
        Ok((network, self.warnings))
    }

    /// A hash, where the file has them.
    fn hash(&mut self, field: Field, expected: u32) -> Result<(), NetError> {
        if self.found.has_hashes {
            let found = self.reader.number(field)?;
            self.warnings
                .extend(Warning::of_hash(field, found, expected));
        }
        Ok(())
    }

    fn transformer(&mut self, shape: Shape) -> Result<Transformer, NetError> {
        let column = shape.width * size_of::<i16>();
        let biases = self.reader.take(Field::TransformerBiases, column)?;
        let size = shape.inputs.count() * column;
        let weights = self.reader.take(Field::TransformerWeights, size)?;
        Ok(Transformer::from_bytes(biases, weights))
    }

    fn compressed_transformer(&mut self, shape: Shape) -> Result<Transformer, NetError> {
        let count = shape.inputs.count() * shape.width;
        Ok(Transformer {
            biases: self.compressed(Field::TransformerBiases, shape.width)?,
            weights: self.compressed(Field::TransformerWeights, count)?,
        })
    }

    /// A section of compressed values, doubled as `YaneuraOu` doubles them.
    fn compressed(&mut self, field: Field, count: usize) -> Result<Aligned<i16>, NetError> {
        let bytes = self.reader.compressed(field)?;
        // Each value takes a byte at least.
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

    fn stack(&mut self, shape: Shape, number: usize) -> Result<Stack, NetError> {
        self.hash(Field::NetworkHash(number), shape.network_hash())?;
        let [first, second, last] = shape.layers();
        let mut stack = Stack {
            first: self.affine(first, Field::First(number))?,
            second: self.affine(second, Field::Second(number))?,
            last: self.affine(last, Field::Last(number))?,
        };
        if let Head::Stacks {
            shards: Some(shards),
            ..
        } = shape.head
        {
            // The file has the whole matrix; what connects nothing is as good as zero.
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

    fn affine(&mut self, shape: LayerShape, field: Field) -> Result<Affine, NetError> {
        let biases = self.reader.take(field, shape.outputs * size_of::<i32>())?;
        let weights = self
            .reader
            .take(field, shape.outputs * shape.padded_inputs())?;
        Ok(Affine::from_bytes(shape, biases, weights))
    }
}

#[cfg(test)]
mod tests;
