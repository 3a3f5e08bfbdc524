//! Files of our own format that are cut off, changed or forged are refused with the name of the
//! field.

use super::*;
use crate::eval::nnue::random;

const NAME: &str = "raicho_64x2-8";

/// Bytes before the text.
const BEFORE_TEXT: usize = 40;

fn file() -> Vec<u8> {
    random::file(&NAME.parse().unwrap(), 1)
}

/// The message with which a file is refused.
fn refusal(bytes: &[u8]) -> String {
    Network::read(bytes).expect_err("a broken file").to_string()
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

fn text_length(file: &[u8]) -> usize {
    u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize - NUMBERS
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
    assert!(
        output_layer.weights.contains(&MAX_OUTPUT_WEIGHT)
            && output_layer.weights.contains(&-MAX_OUTPUT_WEIGHT)
    );
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
    let payload = BEFORE_TEXT + text_length(&file);
    let mut fields = vec![
        (0, "magic number"),
        (8, "version"),
        (12, "length of the header"),
        (payload, "biases of the transformer"),
    ];
    let mut next = payload + 128;
    for (size, field) in [
        (2344 * 128, "weights of the transformer"),
        (8 * 4, "biases of the outputs"),
        (8 * 2 * 128, "weights of the outputs"),
        (4, "checksum"),
    ] {
        fields.push((next, field));
        next += size;
    }
    assert_eq!(next, file.len());
    for (index, &(start, field)) in fields.iter().enumerate() {
        let end = fields.get(index + 1).map_or(file.len(), |next| next.0);
        for length in [start, start + 1, usize::midpoint(start, end), end - 1] {
            let refusal = refusal(&file[..length]);
            assert!(
                refusal.starts_with(field),
                "{length}: {refusal}, not {field}"
            );
        }
    }
    let longer = [&file[..], &[0]].concat();
    assert!(refusal(&longer).starts_with("end of the file"));
}

#[test]
fn every_number_of_the_header_is_checked() {
    let length = file().len() as u32;
    for (offset, field, wrong) in [
        (8, "version", &[0, 2, u32::MAX][..]),
        (12, "length of the header", &[0, 23, length, u32::MAX]),
        (16, "feature set", &[11, u32::MAX]),
        (20, "width", &[0, 63, 65, 8256, u32::MAX]),
        (24, "buckets", &[0, 1, 9, u32::MAX]),
        (28, "largest activation", &[127, 256]),
        (32, "output weight of 1", &[0, 128]),
        (36, "scale", &[0, 4097, u32::MAX]),
    ] {
        for &number in wrong {
            let refusal = refusal(&forged(offset, &number.to_le_bytes()));
            let expected = format!("{field}: found {number}, expected ");
            assert!(refusal.starts_with(&expected), "{refusal}, not {expected}");
        }
    }
}

/// Other feature sets and widths need other sizes; nothing is allocated for missing bytes.
#[test]
fn the_size_must_be_that_of_the_shape() {
    for (offset, number, field) in [
        (16, 0_u32, "weights of the transformer"),
        (16, 3, "weights of the transformer"),
        (16, 10, "weights of the transformer"),
        (16, 1, "checksum"),
        (20, 128, "weights of the transformer"),
        (20, 8192, "weights of the transformer"),
    ] {
        let refusal = refusal(&forged(offset, &number.to_le_bytes()));
        // With fewer features, weights are taken for the checksum and bytes are left over.
        let is_named = refusal.starts_with(field) || refusal.starts_with("end of the file");
        assert!(is_named, "{refusal}, not {field}");
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
            assert!(refusal(&changed).starts_with("checksum: found 0x"));
        }
    }
}

#[test]
fn output_weights_have_a_range() {
    let end = file().len() - 4;
    for (weight, is_good) in [
        (127_i16, true),
        (-127, true),
        (128, false),
        (-128, false),
        (i16::MAX, false),
        (i16::MIN, false),
    ] {
        let file = forged(end - 2, &weight.to_le_bytes());
        if is_good {
            assert!(Network::read(&file).is_ok(), "{weight}");
        } else {
            let expected =
                format!("weights of the outputs: found {weight} at number 1023, expected ");
            assert!(refusal(&file).starts_with(&expected));
        }
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
        assert!(refusal.contains(problem), "{refusal}");
        assert!(!refusal.contains(char::is_control), "{refusal}");
    }
    let (mut network, _) = Network::read(&file()).unwrap();
    network.text = "雷鳥\nsecond line".to_owned();
    let (network, _) = Network::read(&network.to_bytes().unwrap()).unwrap();
    assert_eq!(network.text(), "雷鳥 second line");
}
