//! Files of our own format, read and written: networks whose transformer is followed by outputs only
//! ([`Head::Direct`](crate::eval::nnue::shape::Head::Direct)).
//!
//! Everything is little endian and without gaps:
//!
//! | offset | type | what |
//! |---|---|---|
//! | 0 | 8 bytes | magic, `RAICHONN` |
//! | 8 | u32 | version of the format, 1 |
//! | 12 | u32 | length of the header: bytes from here to the biases, 24 and the text |
//! | 16 | u32 | inputs: the place in [`Inputs`], from 0; our own are 9 |
//! | 20 | u32 | width, a multiple of 64 |
//! | 24 | u32 | buckets, 8 |
//! | 28 | u32 | the largest activation, which stands for 1: 255 |
//! | 32 | u32 | the output weight that stands for 1: 64 |
//! | 36 | u32 | scale: what an output of 1 is worth in the unit of values, in which a pawn is 90; 1 to 4096 |
//! | 40 | UTF-8 | text: who made it, from what; one line |
//! | | i16 × width | biases of the transformer |
//! | | i16 × inputs × width | its weights, `[input][column]` |
//! | | i32 × buckets | biases of the outputs, in units of 1/(255 · 64) |
//! | | i16 × buckets × 2 · width | their weights, `[bucket][side][column]`, the side to move first, -127 to 127 |
//! | | u32 | CRC-32 (that of zlib) of all bytes before it |
//!
//! A file is whole or refused: there are no other programs whose carelessness would have to be forgiven.

use super::error::{Field, NetError};
use super::reader::Reader;
use crate::eval::nnue::buckets::PHASES;
use crate::eval::nnue::inputs::Inputs;
use crate::eval::nnue::network::{Direct, MAX_OUTPUT_SCALE, Network, Transformer, to_i16, to_i32};
use crate::eval::nnue::scalar::{MAX_WEIGHT, ONE_OF_SUMS, ONE_OF_WEIGHTS};
use crate::eval::nnue::shape::{MAX_WIDTH, Shape, WIDTH_STEP};
use crate::util::shorten;

/// The first bytes of every file.
pub(super) const MAGIC: &[u8; 8] = b"RAICHONN";

/// The version of the format.
const VERSION: u32 = 1;

/// Bytes of the numbers in the header.
const NUMBERS: usize = 6 * size_of::<u32>();

/// Whether a file begins as ours do.
pub(super) fn is_own(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The network of a file that [`is_own`].
pub(super) fn read(bytes: &[u8]) -> Result<Network, NetError> {
    let mut reader = Reader::new(bytes);
    reader.take(Field::Magic, MAGIC.len())?;
    let version = reader.number(Field::Version)?;
    check(Field::Version, version, VERSION)?;
    let Header {
        inputs,
        width,
        scale,
        text,
    } = header(&mut reader)?;
    let column = width * size_of::<i16>();
    let biases = reader.take(Field::TransformerBiases, column)?;
    let size = inputs.count().saturating_mul(column);
    let weights = reader.take(Field::TransformerWeights, size)?;
    let output_biases = reader.take(Field::OutputBiases, PHASES * size_of::<i32>())?;
    let output_weights = reader.take(Field::OutputWeights, PHASES * 2 * column)?;
    let checked = &bytes[..bytes.len() - reader.left()];
    let found = reader.number(Field::Checksum)?;
    reader.end()?;
    let expected = crc32fast::hash(checked);
    if found != expected {
        return Err(NetError::Checksum { found, expected });
    }
    let direct = Direct {
        biases: to_i32(output_biases),
        weights: to_i16(output_weights),
        scale,
    };
    let is_too_large = |weight: &i16| !(-MAX_WEIGHT..=MAX_WEIGHT).contains(weight);
    if let Some(number) = direct.weights.iter().position(is_too_large) {
        return Err(NetError::Weight {
            number,
            found: direct.weights[number],
        });
    }
    let transformer = Transformer::from_bytes(biases, weights);
    Ok(Network::of_direct(inputs, transformer, direct, text))
}

/// What the header says that can differ.
struct Header<'a> {
    inputs: Inputs,
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
    let id = reader.number(Field::Inputs)?;
    let inputs = Inputs::from_id(id).ok_or_else(|| {
        let last = Inputs::ALL.len() - 1;
        refused(Field::Inputs, id, format!("0 to {last}"))
    })?;
    let width = reader.number(Field::Width)?;
    if Shape::direct(inputs, width as usize).validate().is_err() {
        let expected = format!("a multiple of {WIDTH_STEP} up to {MAX_WIDTH}");
        return Err(refused(Field::Width, width, expected));
    }
    check(
        Field::Buckets,
        reader.number(Field::Buckets)?,
        PHASES as u32,
    )?;
    for (field, expected) in [
        (Field::MaxActivation, ONE_OF_SUMS),
        (Field::OneOfWeights, ONE_OF_WEIGHTS),
    ] {
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
        inputs,
        width: width as usize,
        scale: scale as i32,
        text,
    })
}

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
    /// The file of a network of our own, `None` for any other. [`Self::read`] gives the same network back.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let direct = self.direct.as_ref()?;
        let shape = self.shape;
        let text = self.text.replace(char::is_control, " ");
        let transformer = shape.transformer_bytes();
        let outputs = direct.biases.len() * size_of::<i32>() + size_of_val(&*direct.weights);
        let header = MAGIC.len() + 2 * size_of::<u32>() + NUMBERS + text.len();
        let mut bytes = Vec::with_capacity(header + transformer + outputs + size_of::<u32>());
        bytes.extend(MAGIC);
        for number in [
            VERSION,
            (NUMBERS + text.len()) as u32,
            shape.inputs.id(),
            shape.width as u32,
            shape.buckets() as u32,
            ONE_OF_SUMS as u32,
            ONE_OF_WEIGHTS as u32,
            direct.scale as u32,
        ] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(text.bytes());
        for values in [&self.transformer.biases, &self.transformer.weights] {
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes.extend(direct.biases.iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend(direct.weights.iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Some(bytes)
    }
}

#[cfg(test)]
mod tests;
