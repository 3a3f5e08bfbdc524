//! Any bytes as a network, and good networks with other texts, bytes changed, and their ends cut
//! off: refused, or a network that evaluates. Those of our own format get a checksum that fits, or
//! hardly any would be looked at.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use raicho::eval::nnue::shape::Shape;
use raicho::eval::nnue::{Network, random, scalar};
use raicho::position::Position;

/// Small files of both formats, each divided behind its architecture text.
static FILES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let names = [
        "kp_64x2-8-32",
        "SFNN_kp_64_7_32_hand4_progress2",
        "SFNN_ka2_64_8_32",
    ];
    names.into_iter().map(parts).collect()
});

fn parts(name: &str) -> (String, Vec<u8>) {
    let shape: Shape = name.parse().expect("a known shape");
    let file = random::file(&shape, 1);
    let length = file[8..12]
        .iter()
        .rev()
        .fold(0, |sum, &byte| sum << 8 | usize::from(byte));
    let text = String::from_utf8(file[12..12 + length].to_vec()).expect("text");
    (text, file[12 + length..].to_vec())
}

/// A small file of our own format.
static OWN: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let shape = "raicho_64x2-8".parse().expect("a known shape");
    random::file(&shape, 1)
});

fn changed(mut bytes: Vec<u8>, changes: &[(u32, u8)], cut: u32) -> Vec<u8> {
    let length = bytes.len();
    for &(offset, byte) in changes {
        bytes[offset as usize % length] = byte;
    }
    if cut % 2 == 1 {
        bytes.truncate(length - cut as usize % length);
    }
    bytes
}

fn check(bytes: &[u8]) {
    if let Ok((network, _)) = Network::read(bytes) {
        assert!(scalar::evaluate(&network, &Position::startpos()).is_some());
    }
}

fuzz_target!(|input: (&[u8], u8, Option<&str>, Vec<(u32, u8)>, u32)| {
    let (raw, number, text, changes, cut) = input;
    check(raw);
    let (good_text, body) = &FILES[usize::from(number) % FILES.len()];
    let text = text.unwrap_or(good_text);
    let mut bytes = vec![0x16, 0x2f, 0xf3, 0x7a, 0, 0, 0, 0];
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.bytes());
    bytes.extend(body);
    check(&changed(bytes, &changes, cut));
    let mut own = changed(OWN.clone(), &changes, cut);
    check(&own);
    own.truncate(own.len().saturating_sub(4));
    own.extend(crc32fast::hash(&own).to_le_bytes());
    check(&own);
});
