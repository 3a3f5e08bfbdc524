//! Files that are cut off, forged or odd are refused with the name of the field, or read with a
//! warning.

use super::*;
use crate::{eval::nnue::random, eval::nnue::shape::Shape, util::TestFolder};

const PLAIN: &str = "kp_64x2-8-32";
const STACKS: &str = "SFNN_kp_64_7_32_hand4_progress2";

fn file(name: &str) -> Vec<u8> {
    random::file(&name.parse().unwrap(), 1)
}

/// The message with which a file is refused.
pub(super) fn refusal(bytes: &[u8]) -> String {
    Network::read(bytes).expect_err("a broken file").to_string()
}

#[track_caller]
pub(super) fn begins(text: &str, part: &str) {
    assert!(text.starts_with(part), "{text}, not {part}");
}

#[track_caller]
pub(super) fn contains(text: &str, part: &str) {
    assert!(text.contains(part), "{text} without {part}");
}

/// The shape and the warnings of a file that can be read.
fn accepted(bytes: &[u8]) -> (String, Vec<String>) {
    let (network, warnings) = Network::read(bytes).unwrap();
    (network.shape().to_string(), warnings)
}

fn text_length(file: &[u8]) -> usize {
    u32::from_le_bytes(file[8..12].try_into().unwrap()) as usize
}

/// The file with another architecture text.
fn with_text(file: &[u8], text: &str) -> Vec<u8> {
    let mut changed = file[..8].to_vec();
    changed.extend((text.len() as u32).to_le_bytes());
    changed.extend(text.bytes());
    changed.extend(&file[12 + text_length(file)..]);
    changed
}

fn text(file: &[u8]) -> String {
    String::from_utf8(file[12..12 + text_length(file)].to_vec()).unwrap()
}

#[test]
fn a_plain_file_may_end_nowhere_else() {
    let file = file(PLAIN);
    let fields = [
        (4, "magic number"),
        (4, "file hash"),
        (4, "length of the architecture text"),
        (text_length(&file), "length of the architecture text"),
        (4, "hash of the transformer"),
        (128, "biases of the transformer"),
        (1710 * 128, "weights of the transformer"),
        (4, "hash of stack 0"),
        (8 * (4 + 128), "first layer of stack 0"),
        (32 * (4 + 32), "second layer of stack 0"),
        (4 + 32, "last layer of stack 0"),
    ];
    // Eight bytes fewer look like a file without hashes.
    ends_nowhere_else(&file, &fields, |length| length + 8 != file.len());
}

/// Asserts that a file is refused by the name of the field in which it ends early, unless its
/// length is excluded. Each field has its size.
pub(super) fn ends_nowhere_else(
    file: &[u8],
    fields: &[(usize, &str)],
    is_checked: impl Fn(usize) -> bool,
) {
    let mut start = 0;
    for &(size, field) in fields {
        let end = start + size;
        for length in [start, start + 1, usize::midpoint(start, end), end - 1] {
            if length < end && is_checked(length) {
                begins(&refusal(&file[..length]), field);
            }
        }
        start = end;
    }
    assert_eq!(start, file.len());
}

#[test]
fn a_file_with_stacks_may_end_nowhere_else() {
    let file = file(STACKS);
    let edges = (0..200).chain(file.len() - 200..file.len());
    for length in (0..file.len()).step_by(97).chain(edges) {
        let refusal = refusal(&file[..length]);
        let field = refusal.split(':').next().unwrap();
        let is_named = [
            "magic number",
            "file hash",
            "length of the architecture text",
            "hash of",
            "biases of the transformer",
            "weights of the transformer",
            "bias of progress",
            "weights of progress",
            "first layer of stack",
            "second layer of stack",
            "last layer of stack",
        ];
        let is_named = is_named.iter().any(|name| field.starts_with(name));
        assert!(is_named, "{length}: {refusal}");
    }
}

#[test]
fn a_file_must_not_go_on() {
    for name in [PLAIN, STACKS] {
        let mut file = file(name);
        file.push(0);
        begins(&refusal(&file), "end of the file");
    }
}

#[test]
fn anything_else_is_refused() {
    begins(&refusal(&[]), "magic number");
    for size in [1, 4, 12, 1000, 1_000_000] {
        begins(&refusal(&vec![0; size]), "magic number");
        begins(&refusal(&vec![0xff; size]), "magic number");
    }
    let mut flipped = file(PLAIN);
    flipped[0] ^= 1;
    assert_eq!(
        refusal(&flipped),
        "magic number: found 0x7af32f17, expected 0x7af32f16 or 'RAICHONN'"
    );
}

#[test]
fn a_text_cannot_be_longer_than_the_file() {
    let mut file = file(PLAIN);
    for length in [u32::MAX, 1 << 31, file.len() as u32 - 11] {
        file[8..12].copy_from_slice(&length.to_le_bytes());
        let refusal = refusal(&file);
        let field = "length of the architecture text";
        begins(&refusal, field);
        contains(&refusal, &length.to_string());
    }
}

#[test]
fn the_size_decides_where_text_and_hashes_are_wrong() {
    let mut file = file("kp_128x2-16-64");
    let body = 12 + text_length(&file);
    file[4] ^= 0x10;
    file[body] ^= 0x10;
    let (shape, warnings) = accepted(&file);
    assert_eq!(shape, "kp_128x2-16-64");
    assert_eq!(warnings.len(), 2);
    begins(&warnings[0], "file hash: found 0x");
    begins(&warnings[1], "hash of the transformer");
    for text in ["", "Features=HalfKP(Friend)[125388->256x2]", "\u{96ea}\n\r\0"] {
        let (shape, warnings) = accepted(&with_text(&file, text));
        assert_eq!((shape.as_str(), warnings.len()), ("kp_128x2-16-64", 3));
        begins(&warnings[0], "architecture text: found");
        assert!(!warnings[0].contains(char::is_control), "{}", warnings[0]);
    }
    // A valid text of another shape is overruled by the size.
    let other = Shape::plain(crate::eval::nnue::FeatureSet::HalfKp, 256, [32, 32]).text();
    assert_eq!(accepted(&with_text(&file, &other)).0, "kp_128x2-16-64");
}

#[test]
fn a_size_that_fits_nothing_is_refused() {
    let file = with_text(&file(PLAIN), "Features=?");
    for size in [file.len() - 1, file.len() - 9, 30, 22] {
        let refusal = refusal(&file[..size]);
        begins(&refusal, "size: found");
        let found = format!(" {} bytes", size - 12 - "Features=?".len());
        for part in [&found, "is nearest with", "'Features=?'"] {
            contains(&refusal, part);
        }
    }
}

#[test]
fn of_several_shapes_the_hash_or_the_text_tells_which() {
    let name = "kp_256x2-8-128";
    let mut file = with_text(&file(name), "?");
    let (shape, warnings) = accepted(&file);
    assert_eq!((shape.as_str(), warnings.len()), (name, 1));
    file[4] ^= 1;
    let refusal = refusal(&file);
    begins(&refusal, "size: found");
    contains(&refusal, "kp_256x2-8-128, kp_256x2-16-16");
    let text = name.parse::<Shape>().unwrap().text();
    let (shape, warnings) = accepted(&with_text(&file, &text));
    assert_eq!((shape.as_str(), warnings.len()), (name, 1));
    begins(&warnings[0], "file hash");
}

#[test]
fn a_shape_that_only_the_text_tells_is_read() {
    let name = "kp_64x2-12-40";
    let file = file(name);
    assert_eq!(accepted(&file), (name.to_owned(), Vec::new()));
    begins(&refusal(&with_text(&file, "")), "size");
}

#[test]
fn hashes_between_the_sections_may_be_missing() {
    let file = file(PLAIN);
    let body = 12 + text_length(&file);
    let stack = body + 4 + 128 + 1710 * 128;
    let without = [&file[..body], &file[body + 4..stack], &file[stack + 4..]].concat();
    let warnings = vec!["hashes of the sections: found none".to_owned()];
    assert_eq!(accepted(&without), (PLAIN.to_owned(), warnings));
}

#[test]
fn the_text_may_tell_a_scale() {
    let file = file(PLAIN);
    let scaled = |scale: &str| with_text(&file, &format!("{},fv_scale={scale}", text(&file)));
    for (declared, scale, warned) in
        [("24", 24, 0), ("1", 1, 0), ("0", 16, 1), ("1000", 16, 1), ("x", 16, 0)]
    {
        let (network, warnings) = Network::read(&scaled(declared)).unwrap();
        let expected = (scale, warned);
        assert_eq!((network.scale(), warnings.len()), expected, "{declared}");
    }
    let (mut network, _) = Network::read(&file).unwrap();
    network.set_scale(24);
    assert_eq!(network.scale(), 24);
    network.set_scale(0);
    assert_eq!(network.scale(), 1);
}

#[test]
fn texts_with_stacks_decide() {
    let file = file(STACKS);
    let good = text(&file);
    for (from, to) in [
        ("HAND4", "HAND5"),
        ("LayerStack=8", "LayerStack=9"),
        ("Network=", ""),
        ("ModelType", "SCReLU"),
        ("SFNN_KP_64", "SFNN_KP_65"),
    ] {
        let changed = with_text(&file, &good.replace(from, to));
        begins(&refusal(&changed), "architecture text");
    }
    for other in ["", "?", &"kp_64x2-8-32".parse::<Shape>().unwrap().text()] {
        let refusal = refusal(&with_text(&file, other));
        contains(&refusal, "compressed, expected 'ModelType=SFNN");
    }
    // Larger than the file: nothing is allocated for it.
    for (name, field) in cases! {
        "SFNN_halfkpe9_8192_7_32" => "biases of the transformer";
        "SFNN_kp_64_7_32_hand1024_k29k29" => "of stack ";
        "SFNN_kp_64_255_256_hand1024_k29k29_progress32" => "first layer of stack";
        "SFNN_kp_64_7_32_k3k3" => "end of the file";
        "SFNN_halfkp_64_7_32_k3k3" => "weights of the transformer";
    } {
        let shape: Shape = name.parse().unwrap();
        contains(&refusal(&with_text(&file, &shape.text())), field);
    }
}

/// Trainers write the width only, or the layers of another network.
#[test]
fn the_size_of_a_stack_tells_its_layers_where_the_text_does_not() {
    for (name, network) in cases! {
        "SFNN_kp_64_7_32_k3k3" => "SFNN-64";
        "SFNN_ka2_96_15_64_k3k3" => "SFNN-96-15-64-V2";
        "SFNN_kp_64_15_32_k3k3" => "AffineTransform[1<-32](ClippedReLU[32](…))";
        "SFNN_kp_64_7_64" => "SFNN-64";
        "SFNN_kp_32_31_32_progress8" => "SFNN-32";
        // The name of one shape, the inputs of another.
        "SFNN_kp_1536_15_32_k3k3" => "SFNN-1536";
        "SFNN_kp_1536_7_64_k3k3" => "SFNN-1536-V2";
    } {
        let file = file(name);
        let good = text(&file);
        let long = name.parse::<Shape>().unwrap().to_string().to_uppercase();
        let changed = with_text(&file, &good.replace(&long, network));
        let (shape, warnings) = accepted(&changed);
        assert_eq!((shape.as_str(), warnings.len()), (name, 1), "{network}");
        begins(&warnings[0], "architecture text: found");
        let answer = refusal(&changed[..changed.len() - 1]);
        contains(&answer, "have the size of a stack");
    }
    for (name, network, problem) in cases! {
        // As large as with a shortcut and a neuron less.
        "SFNN_kp_64_8_32_k3k3", "SFNN-64" => "have the size of a stack";
        "SFNN_kp_64_7_32_k9k9", "SFNN-64" => "LayerStack=81 does not tell";
        "SFNN_kp_64_7_32_k3k3_progress2", "SFNN-64" => "LayerStack=18 does not tell";
        "SFNN_kp_64_7_32_k3k3", "SFNN-128" => "'128' in the name";
    } {
        let file = file(name);
        let changed = with_text(&file, &text(&file).replace(&name.to_uppercase(), network));
        contains(&refusal(&changed), problem);
    }
}

#[test]
fn compressed_sections_are_checked() {
    let file = file(STACKS);
    let body = 12 + text_length(&file);
    let size = body + 4 + LEB128_MAGIC.len();
    let length = u32::from_le_bytes(file[size..size + 4].try_into().unwrap());
    for (offset, bytes) in [
        (body + 4, &b"compressed"[..]),
        (size, &[0xff; 4]),
        (size, &[0; 4]),
        (size, &(length - 1).to_le_bytes()),
        (size, &(length + 1).to_le_bytes()),
        (size + 4, &[0x80; 3]),
        (size + 4 + length as usize - 1, &[0x80]),
    ] {
        let mut damaged = file.clone();
        damaged[offset..offset + bytes.len()].copy_from_slice(bytes);
        begins(&refusal(&damaged), "biases of the transformer: ");
    }
}

#[test]
fn what_is_read_can_be_written() {
    for name in [
        "kp_256x2-32-32",
        "halfkp_64x2-8-16",
        "raicho_64x2-32-32",
        "SFNN_raicho_128_15_32",
        "SFNN_halfkahm2_128_15_32_k3k3",
        "raicho_64x2-8",
    ] {
        let file = file(name);
        let (mut network, _) = Network::read(&file).unwrap();
        assert!(network.to_bytes().unwrap() == file, "{name}");
        if network.output_layer.is_none() {
            network.set_scale(23);
            let (again, warnings) = Network::read(&network.to_bytes().unwrap()).unwrap();
            assert_eq!((again.scale(), again.shape()), (23, network.shape()));
            assert!(warnings.is_empty(), "{name}: {warnings:?}");
        }
    }
    let (network, _) = Network::read(&file("SFNN_halfkahm2_64_15_32_progress8")).unwrap();
    assert_eq!(network.to_bytes(), None);
}

#[test]
fn missing_files_and_folders() {
    let folder = TestFolder::new();
    let open = |path: &Path| Network::open(path).expect_err("no network").to_string();
    assert!(!open(&folder.file("no-such-file")).is_empty());
    let nets = &folder.0;
    assert!(!open(nets).is_empty());
    folder.write(FILE_NAME, [0; 3]);
    begins(&open(nets), "magic number");
    folder.write(FILE_NAME, file(PLAIN));
    let (network, warnings) = Network::open(nets).unwrap();
    assert_eq!((&*network.shape().to_string(), warnings.len()), (PLAIN, 0));
    assert!(network.source().ends_with(FILE_NAME));
    let own = folder.write("own.nnue", file("raicho_64x2-8"));
    let (network, _) = Network::open(&own).unwrap();
    assert_eq!(network.shape().to_string(), "raicho_64x2-8");
    folder.write("own.nnue", b"RAICHONNE");
    begins(&open(&own), "version");
}
