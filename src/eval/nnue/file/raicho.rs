//! Our own file format, for networks with output neurons directly after the feature transformer
//! ([`Head::Direct`](crate::eval::nnue::shape::Head::Direct)).
//!
//! All numbers are little endian, without padding:
//!
//! | offset | type | content |
//! |---|---|---|
//! | 0 | 8 bytes | magic, `RAICHONN` |
//! | 8 | u32 | version of the format, 2 |
//! | 12 | u32 | length of the header: bytes from here to the biases, 24 and the text |
//! | 16 | u32 | feature set: the index in [`FeatureSet`], from 0; our own are 9 to 11 |
//! | 20 | u32 | width of the feature transformer, a multiple of 32 |
//! | 24 | u32 | output buckets, 8 |
//! | 28 | u32 | largest activation, which stands for 1: 255 |
//! | 32 | u32 | output weight that stands for 1: 64 |
//! | 36 | u32 | scale: the value of an output of 1, in units of 1/90 pawn; 1 to 4096 |
//! | 40 | UTF-8 | text on the origin of the network; one line |
//! | | i16 × width | biases of the feature transformer |
//! | | u32 | bytes of its weights |
//! | | signed LEB128 | its weights, `[feature][column]`, 16 bits each |
//! | | i32 × buckets | biases of the outputs, in units of 1/(255 · 64) |
//! | | i16 × buckets × 2 · width | their weights, `[bucket][side][column]`, -127 to 127 |
//! | | u32 | CRC-32 (as in zlib) of all bytes before it |
//!
//! Output weights of the side to move come first. In version 1, which is read too, the weights of
//! the transformer are plain i16 without the number of their bytes before them. No other program
//! writes this format, so any deviation is refused.

use std::fmt::Display;

use super::{NetError, Reader, leb128};
use crate::eval::nnue::scalar::{MAX_OUTPUT_WEIGHT, QA, QB};
use crate::eval::nnue::shape::{MAX_WIDTH, Shape, WIDTH_STEP};
use crate::eval::nnue::{
    FeatureTransformer, MAX_OUTPUT_SCALE, Network, OutputLayer, to_i16, to_i32,
};
use crate::util::shorten;
use crate::{eval::nnue::features::FeatureSet, eval::nnue::output_buckets::OUTPUT_BUCKETS};

/// The first eight bytes of our own format.
pub(super) const RAICHO_MAGIC: &[u8; 8] = b"RAICHONN";

/// The version of the format that is written.
const VERSION: u32 = 2;

/// The version without compression, which is read too.
const PLAIN: u32 = 1;

/// Size in bytes of the numbers in the header, after the version.
const NUMBERS: usize = 6 * size_of::<u32>();

/// Whether the bytes begin with the magic of this format.
pub(super) fn has_magic(bytes: &[u8]) -> bool {
    bytes.starts_with(RAICHO_MAGIC)
}

/// Reads a network from bytes that begin with the magic.
pub(super) fn read(bytes: &[u8]) -> Result<Network, NetError> {
    let mut reader = Reader::new(bytes);
    reader.take("magic number", RAICHO_MAGIC.len())?;
    let version = reader.number("version")?;
    if ![PLAIN, VERSION].contains(&version) {
        return Err(refused("version", version, &format!("{PLAIN} or {VERSION}")));
    }
    let header = header(&mut reader)?;
    let (features, column) = (header.features, header.width * size_of::<i16>());
    let biases = to_i16(reader.take("biases of the transformer", column)?);
    let field = "weights of the transformer";
    let weights = if version == PLAIN {
        to_i16(reader.take(field, features.count().saturating_mul(column))?)
    } else {
        let size = reader.number("size of the transformer")?;
        let bytes = reader.take(field, size as usize)?;
        leb128::weights(field, bytes, features.count().saturating_mul(header.width))?
    };
    let output_biases = reader.take("biases of the outputs", OUTPUT_BUCKETS * size_of::<i32>())?;
    let output_weights = reader.take("weights of the outputs", OUTPUT_BUCKETS * 2 * column)?;
    let checked = &bytes[..bytes.len() - reader.left()];
    let found = reader.number("checksum")?;
    reader.end()?;
    let expected = crc32fast::hash(checked);
    if found != expected {
        let (found, expected) = (format!("{found:#010x}"), format!("{expected:#010x}"));
        return Err(refused("checksum", found, &expected));
    }
    let output_layer = OutputLayer {
        biases: to_i32(output_biases),
        weights: to_i16(output_weights),
        scale: header.scale,
    };
    let is_too_large = |weight: &i16| !(-MAX_OUTPUT_WEIGHT..=MAX_OUTPUT_WEIGHT).contains(weight);
    if let Some(number) = output_layer.weights.iter().position(is_too_large) {
        let found = output_layer.weights[number];
        let found = format!("{found} at number {number}");
        let expected = format!("-{MAX_OUTPUT_WEIGHT} to {MAX_OUTPUT_WEIGHT}");
        return Err(refused("weights of the outputs", found, &expected));
    }
    let transformer = FeatureTransformer { biases, weights };
    let text = header.text;
    let network = Network::with_output_layer(features, transformer, output_layer, text);
    Ok(network)
}

/// The fields of the header that vary between files.
struct Header<'a> {
    features: FeatureSet,
    width: usize,
    scale: i32,
    text: &'a str,
}

fn header<'a>(reader: &mut Reader<'a>) -> Result<Header<'a>, NetError> {
    let length = reader.number("length of the header")? as usize;
    let left = reader.left();
    if !(NUMBERS..=left).contains(&length) {
        let expected = format!("{NUMBERS} to the {left} bytes that follow");
        return Err(refused("length of the header", length, &expected));
    }
    let id = reader.number("feature set")?;
    let features = FeatureSet::from_id(id).ok_or_else(|| {
        let last = FeatureSet::ALL.len() - 1;
        refused("feature set", id, &format!("0 to {last}"))
    })?;
    let width = reader.number("width")?;
    if Shape::direct(features, width as usize).validate().is_err() {
        let expected = format!("a multiple of {WIDTH_STEP} up to {MAX_WIDTH}");
        return Err(refused("width", width, &expected));
    }
    check("buckets", reader.number("buckets")?, OUTPUT_BUCKETS as u32)?;
    for (field, expected) in [("largest activation", QA), ("output weight of 1", QB)] {
        check(field, reader.number(field)?, expected as u32)?;
    }
    let scale = reader.number("scale")?;
    if !(1..=MAX_OUTPUT_SCALE).contains(&scale) {
        return Err(refused("scale", scale, &format!("1 to {MAX_OUTPUT_SCALE}")));
    }
    let text = text(reader.take("text", length - NUMBERS)?)?;
    Ok(Header { features, width: width as usize, scale: scale as i32, text })
}

/// The text of the header, which must be one line of UTF-8.
fn text(bytes: &[u8]) -> Result<&str, NetError> {
    let problem = match str::from_utf8(bytes) {
        Ok(text) if !text.contains(char::is_control) => return Ok(text),
        Ok(_) => "a control character",
        Err(_) => "no UTF-8",
    };
    let shown = String::from_utf8_lossy(bytes).replace(char::is_control, "?");
    let text = shorten(&shown);
    Err(NetError::Invalid(format!("architecture text: {problem}, in '{text}'")))
}

/// Checks a number that this version of the format fixes.
fn check(field: &str, found: u32, expected: u32) -> Result<(), NetError> {
    if found == expected { Ok(()) } else { Err(refused(field, found, &expected.to_string())) }
}

fn refused(field: &str, found: impl Display, expected: &str) -> NetError {
    NetError::Invalid(format!("{field}: found {found}, expected {expected}"))
}

/// The bytes of a file.
pub(super) fn to_bytes(network: &Network, output_layer: &OutputLayer) -> Vec<u8> {
    let shape = network.shape;
    let text = network.text.replace(char::is_control, " ");
    // Nearly all weights take one byte.
    let mut bytes = Vec::with_capacity(shape.transformer_bytes() * 5 / 8);
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
    bytes.extend(network.transformer.biases.iter().flat_map(|value| value.to_le_bytes()));
    let size = bytes.len();
    bytes.extend([0; size_of::<u32>()]);
    let first = bytes.len();
    for &weight in network.transformer.weights.iter() {
        leb128::encode(weight, &mut bytes);
    }
    let written = (bytes.len() - first) as u32;
    bytes[size..first].copy_from_slice(&written.to_le_bytes());
    let (biases, weights) = (&output_layer.biases, &output_layer.weights);
    bytes.extend(biases.iter().flat_map(|value| value.to_le_bytes()));
    bytes.extend(weights.iter().flat_map(|value| value.to_le_bytes()));
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::tests::{begins, contains, ends_nowhere_else, refusal};
    use super::*;
    use crate::eval::nnue::random;

    const NAME: &str = "raicho_64x2-8";

    /// Bytes before the text.
    const BEFORE_TEXT: usize = 40;

    fn file() -> Vec<u8> {
        random::file(&NAME.parse().unwrap(), 1)
    }

    /// The file with other bytes at an offset and a matching checksum.
    fn forged(offset: usize, bytes: &[u8]) -> Vec<u8> {
        let mut file = file();
        file[offset..offset + bytes.len()].copy_from_slice(bytes);
        signed(file)
    }

    fn signed(mut file: Vec<u8>) -> Vec<u8> {
        file.truncate(file.len() - 4);
        file.extend(crc32fast::hash(&file).to_le_bytes());
        file
    }

    fn number(file: &[u8], offset: usize) -> usize {
        u32::from_le_bytes(file[offset..offset + 4].try_into().unwrap()) as usize
    }

    fn text_length(file: &[u8]) -> usize {
        number(file, 12) - NUMBERS
    }

    /// Offset of the number of bytes of the transformer's weights.
    fn size_offset(file: &[u8]) -> usize {
        BEFORE_TEXT + text_length(file) + 128
    }

    fn transformer_bytes(file: &[u8]) -> usize {
        number(file, size_offset(file))
    }

    #[test]
    fn a_network_survives_its_file() {
        let file = file();
        let (network, warnings) = Network::read(&file).unwrap();
        assert_eq!(network.shape().to_string(), NAME);
        assert!(warnings.is_empty());
        assert_eq!(network.to_bytes().as_ref(), Some(&file));
        assert_eq!(network.text(), network.shape().text());
        let output_layer = network.output_layer.as_ref().unwrap();
        assert_eq!((output_layer.scale, output_layer.biases.len()), (64, 8));
        assert_eq!(output_layer.row(7).len(), 128);
        for weight in [MAX_OUTPUT_WEIGHT, -MAX_OUTPUT_WEIGHT] {
            assert!(output_layer.weights.contains(&weight));
        }
    }

    #[test]
    fn the_first_version_is_read_too() {
        let file = file();
        let (network, _) = Network::read(&file).unwrap();
        let weights = network.transformer.weights.iter().flat_map(|value| value.to_le_bytes());
        let mut first = file.clone();
        first[8] = PLAIN as u8;
        let size = size_offset(&file);
        first.splice(size..size + 4 + transformer_bytes(&file), weights);
        let (again, _) = Network::read(&signed(first)).unwrap();
        assert_eq!(again.to_bytes(), Some(file));
    }

    #[test]
    fn weights_must_be_as_many_as_the_shape_has() {
        let file = file();
        let (size, bytes) = (size_offset(&file), transformer_bytes(&file));
        let mut longer = file.clone();
        longer[size..size + 4].copy_from_slice(&(bytes as u32 + 1).to_le_bytes());
        longer.insert(size + 4 + bytes, 0);
        let expected = "weights of the transformer: 1 byte too many for 150016 values";
        begins(&refusal(&signed(longer)), expected);
        let mut cut_off = file;
        cut_off[size + 3 + bytes] |= 0x80;
        let expected = "weights of the transformer: value 150015 of 150016 is cut off";
        begins(&refusal(&signed(cut_off)), expected);
    }

    #[test]
    fn checksums_tell_networks_apart() {
        let checksum = |file: &[u8]| Network::read(file).unwrap().0.checksum().unwrap();
        for shape in [NAME, "raicho_64x2-8-8"] {
            let shape = shape.parse().unwrap();
            let [one, other] = [1, 2].map(|seed| checksum(&random::file(&shape, seed)));
            assert_ne!(one, other, "{shape}");
        }
        // The number that the file ends in.
        let file = file();
        let (_, end) = file.split_last_chunk().unwrap();
        assert_eq!(checksum(&file), u32::from_le_bytes(*end));
    }

    #[test]
    fn a_file_may_end_nowhere_else() {
        let file = file();
        let fields = [
            (8, "magic number"),
            (4, "version"),
            (4, "length of the header"),
            (NUMBERS + text_length(&file), "length of the header"),
            (128, "biases of the transformer"),
            (4, "size of the transformer"),
            (transformer_bytes(&file), "weights of the transformer"),
            (8 * 4, "biases of the outputs"),
            (8 * 2 * 128, "weights of the outputs"),
            (4, "checksum"),
        ];
        ends_nowhere_else(&file, &fields, |_| true);
        let longer = [&file[..], &[0]].concat();
        begins(&refusal(&longer), "end of the file");
    }

    #[test]
    fn every_number_of_the_header_is_checked() {
        let length = file().len() as u32;
        for (offset, field, wrong) in [
            (8, "version", &[0, 3, u32::MAX][..]),
            (12, "length of the header", &[0, 23, length, u32::MAX]),
            (16, "feature set", &[12, u32::MAX]),
            (20, "width", &[0, 63, 65, 8256, u32::MAX]),
            (24, "buckets", &[0, 1, 9, u32::MAX]),
            (28, "largest activation", &[127, 256]),
            (32, "output weight of 1", &[0, 128]),
            (36, "scale", &[0, 4097, u32::MAX]),
        ] {
            for &number in wrong {
                let refusal = refusal(&forged(offset, &number.to_le_bytes()));
                let expected = format!("{field}: found {number}, expected ");
                begins(&refusal, &expected);
            }
        }
    }

    /// Other feature sets and widths need other sizes; nothing is allocated for missing bytes.
    #[test]
    fn the_size_must_be_that_of_the_shape() {
        for (offset, number) in [(16, 0_u32), (16, 3), (16, 10), (16, 1), (20, 128), (20, 8192)] {
            let refusal = refusal(&forged(offset, &number.to_le_bytes()));
            begins(&refusal, "weights of the transformer: ");
        }
    }

    #[test]
    fn any_changed_byte_is_noticed() {
        let file = file();
        let offsets = (0..64).chain((64..file.len()).step_by(997));
        for offset in offsets.chain(file.len() - 8..file.len()) {
            let mut changed = file.clone();
            changed[offset] ^= 0x40;
            refusal(&changed);
            if offset > BEFORE_TEXT + text_length(&file) {
                begins(&refusal(&changed), "checksum: found 0x");
            }
        }
    }

    #[test]
    fn output_weights_have_a_range() {
        let end = file().len() - 4;
        let read = |weight: i16| Network::read(&forged(end - 2, &weight.to_le_bytes()));
        for weight in [127, -127] {
            assert!(read(weight).is_ok(), "{weight}");
        }
        for weight in [128, -128, i16::MAX, i16::MIN] {
            let expected =
                format!("weights of the outputs: found {weight} at number 1023, expected ");
            let refusal = read(weight).expect_err("a wrong weight").to_string();
            begins(&refusal, &expected);
        }
    }

    #[test]
    fn the_text_is_one_line() {
        for (letters, problem) in [
            (&b"\xff\xfe"[..], "no UTF-8"),
            (b"\n", "a control character"),
            (b"\0", "a control character"),
        ] {
            let refusal = refusal(&forged(BEFORE_TEXT, letters));
            contains(&refusal, problem);
            assert!(!refusal.contains(char::is_control), "{refusal}");
        }
        let (mut network, _) = Network::read(&file()).unwrap();
        network.text = "雷鳥\nsecond line".to_owned();
        let (network, _) = Network::read(&network.to_bytes().unwrap()).unwrap();
        assert_eq!(network.text(), "雷鳥 second line");
    }
}
