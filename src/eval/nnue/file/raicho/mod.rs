//! Our own file format, for networks with output neurons directly after the feature transformer
//! ([`Head::Direct`](crate::eval::nnue::shape::Head::Direct)).
//!
//! All numbers are little endian, without padding:
//!
//! | offset | type | content |
//! |---|---|---|
//! | 0 | 8 bytes | magic, `RAICHONN` |
//! | 8 | u32 | version of the format, 1 |
//! | 12 | u32 | length of the header: bytes from here to the biases, 24 and the text |
//! | 16 | u32 | feature set: the index in [`FeatureSet`], from 0; our own is 9 |
//! | 20 | u32 | width of the feature transformer, a multiple of 64 |
//! | 24 | u32 | output buckets, 8 |
//! | 28 | u32 | largest activation, which stands for 1: 255 |
//! | 32 | u32 | output weight that stands for 1: 64 |
//! | 36 | u32 | scale: the value of an output of 1, in units of 1/90 pawn; 1 to 4096 |
//! | 40 | UTF-8 | text on the origin of the network; one line |
//! | | i16 × width | biases of the feature transformer |
//! | | i16 × features × width | its weights, `[feature][column]` |
//! | | i32 × buckets | biases of the outputs, in units of 1/(255 · 64) |
//! | | i16 × buckets × 2 · width | their weights, `[bucket][side][column]`, -127 to 127 |
//! | | u32 | CRC-32 (as in zlib) of all bytes before it |
//!
//! Output weights of the side to move come first. No other program writes this format, so any
//! deviation is refused.

use super::error::{Field, NetError};
use super::format::RAICHO_MAGIC;
use super::reader::Reader;
use super::writer;
use crate::eval::nnue::features::FeatureSet;
use crate::eval::nnue::network::{
    FeatureTransformer, MAX_OUTPUT_SCALE, Network, OutputLayer, to_i16, to_i32,
};
use crate::eval::nnue::output_buckets::OUTPUT_BUCKETS;
use crate::eval::nnue::scalar::{MAX_OUTPUT_WEIGHT, QA, QB};
use crate::eval::nnue::shape::{MAX_WIDTH, Shape, WIDTH_STEP};
use crate::util::shorten;

/// The version of the format that is read and written.
const VERSION: u32 = 1;

/// Size in bytes of the numbers in the header, after the version.
const NUMBERS: usize = 6 * size_of::<u32>();

/// Whether the bytes begin with the magic of this format.
pub(super) fn has_magic(bytes: &[u8]) -> bool {
    bytes.starts_with(RAICHO_MAGIC)
}

/// Reads a network from bytes that begin with the magic.
pub(super) fn read(bytes: &[u8]) -> Result<Network, NetError> {
    let mut reader = Reader::new(bytes);
    reader.take(Field::Magic, RAICHO_MAGIC.len())?;
    let version = reader.number(Field::Version)?;
    check(Field::Version, version, VERSION)?;
    let Header {
        features,
        width,
        scale,
        text,
    } = header(&mut reader)?;
    let column = width * size_of::<i16>();
    let biases = reader.take(Field::TransformerBiases, column)?;
    let size = features.count().saturating_mul(column);
    let weights = reader.take(Field::TransformerWeights, size)?;
    let output_biases = reader.take(Field::OutputBiases, OUTPUT_BUCKETS * size_of::<i32>())?;
    let output_weights = reader.take(Field::OutputWeights, OUTPUT_BUCKETS * 2 * column)?;
    let checked = &bytes[..bytes.len() - reader.left()];
    let found = reader.number(Field::Checksum)?;
    reader.end()?;
    let expected = crc32fast::hash(checked);
    if found != expected {
        return Err(NetError::Checksum { found, expected });
    }
    let output_layer = OutputLayer {
        biases: to_i32(output_biases),
        weights: to_i16(output_weights),
        scale,
    };
    let is_too_large = |weight: &i16| !(-MAX_OUTPUT_WEIGHT..=MAX_OUTPUT_WEIGHT).contains(weight);
    if let Some(number) = output_layer.weights.iter().position(is_too_large) {
        return Err(NetError::Weight {
            number,
            found: output_layer.weights[number],
        });
    }
    let transformer = FeatureTransformer::from_bytes(biases, weights);
    Ok(Network::with_output_layer(
        features,
        transformer,
        output_layer,
        text,
    ))
}

/// The fields of the header that vary between files.
struct Header<'a> {
    features: FeatureSet,
    width: usize,
    scale: i32,
    text: &'a str,
}

fn header<'a>(reader: &mut Reader<'a>) -> Result<Header<'a>, NetError> {
    let length = reader.number(Field::HeaderLength)? as usize;
    let left = reader.left();
    if !(NUMBERS..=left).contains(&length) {
        return Err(NetError::HeaderLength {
            found: length,
            expected: NUMBERS,
            left,
        });
    }
    let id = reader.number(Field::FeatureSet)?;
    let features = FeatureSet::from_id(id).ok_or_else(|| {
        let last = FeatureSet::ALL.len() - 1;
        refused(Field::FeatureSet, id, format!("0 to {last}"))
    })?;
    let width = reader.number(Field::Width)?;
    if Shape::direct(features, width as usize).validate().is_err() {
        let expected = format!("a multiple of {WIDTH_STEP} up to {MAX_WIDTH}");
        return Err(refused(Field::Width, width, expected));
    }
    check(
        Field::Buckets,
        reader.number(Field::Buckets)?,
        OUTPUT_BUCKETS as u32,
    )?;
    for (field, expected) in [(Field::MaxActivation, QA), (Field::OneOfWeights, QB)] {
        check(field, reader.number(field)?, expected as u32)?;
    }
    let scale = reader.number(Field::Scale)?;
    if !(1..=MAX_OUTPUT_SCALE).contains(&scale) {
        return Err(refused(
            Field::Scale,
            scale,
            format!("1 to {MAX_OUTPUT_SCALE}"),
        ));
    }
    let text = text(reader.take(Field::Text, length - NUMBERS)?)?;
    Ok(Header {
        features,
        width: width as usize,
        scale: scale as i32,
        text,
    })
}

/// The text of the header, which must be one line of UTF-8.
fn text(bytes: &[u8]) -> Result<&str, NetError> {
    let problem = match str::from_utf8(bytes) {
        Ok(text) if !text.contains(char::is_control) => return Ok(text),
        Ok(_) => "a control character",
        Err(_) => "no UTF-8",
    };
    let shown = String::from_utf8_lossy(bytes).replace(char::is_control, "?");
    Err(NetError::Text {
        problem: problem.to_owned(),
        text: shorten(&shown),
    })
}

/// Checks a number that this version of the format fixes.
fn check(field: Field, found: u32, expected: u32) -> Result<(), NetError> {
    if found == expected {
        Ok(())
    } else {
        Err(refused(field, found, expected.to_string()))
    }
}

fn refused(field: Field, found: u32, expected: String) -> NetError {
    NetError::Number {
        field,
        found,
        expected,
    }
}

impl Network {
    /// The CRC-32 of the bytes of a file, without the one that ends files of our own format: with
    /// it the CRC-32 of every such file is the same number, the residue of the code. `None` as
    /// [`Self::to_bytes`].
    pub fn checksum(&self) -> Option<u32> {
        let bytes = self.to_bytes()?;
        let own = self.output_layer.as_ref().map_or(0, |_| size_of::<u32>());
        Some(crc32fast::hash(&bytes[..bytes.len() - own]))
    }

    /// The bytes of a file, of our own format without hidden layers and of `YaneuraOu`'s with them;
    /// `None` where output buckets depend on the progress of the game. [`Self::read`] restores the
    /// same network from them.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let Some(output_layer) = &self.output_layer else {
            return writer::to_bytes(self);
        };
        let shape = self.shape;
        let text = self.text.replace(char::is_control, " ");
        let transformer = shape.transformer_bytes();
        let outputs =
            output_layer.biases.len() * size_of::<i32>() + size_of_val(&*output_layer.weights);
        let header = RAICHO_MAGIC.len() + 2 * size_of::<u32>() + NUMBERS + text.len();
        let mut bytes = Vec::with_capacity(header + transformer + outputs + size_of::<u32>());
        bytes.extend(RAICHO_MAGIC);
        for number in [
            VERSION,
            (NUMBERS + text.len()) as u32,
            shape.features.id(),
            shape.width as u32,
            shape.buckets() as u32,
            QA as u32,
            QB as u32,
            output_layer.scale as u32,
        ] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(text.bytes());
        for values in [&self.transformer.biases, &self.transformer.weights] {
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes.extend(
            output_layer
                .biases
                .iter()
                .flat_map(|value| value.to_le_bytes()),
        );
        bytes.extend(
            output_layer
                .weights
                .iter()
                .flat_map(|value| value.to_le_bytes()),
        );
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Some(bytes)
    }
}

#[cfg(test)]
mod tests;
