//! Files of three-piece evaluations: all layouts, and folders that cannot be used. The files are
//! sparse, so that they take no space.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::folder::Folder;
use crate::networks::kppt_names::{NAMES, SIZES, is_whole_kpp};
use crate::runner::Text;
use raicho::eval::kppt::scalar::Weights;
use raicho::eval::kppt::{Kind, Tables};

const KK_32: u64 = 52_488;
const KK_16: u64 = 26_244;
const KKP_32: u64 = 81_251_424;
const KKP_16: u64 = 40_625_712;
const KPP_BOTH: u64 = 776_402_496;
const KPP_BOARD: u64 = 388_201_248;

const KK: &str = "KK_synthesized.bin";
const KKP: &str = "KKP_synthesized.bin";
const KPP: &str = "KPP_synthesized.bin";

/// Writes a file of zeros with some numbers at byte offsets.
fn write(folder: &Folder, name: &str, size: u64, numbers: &[(u64, &[u8])]) {
    let mut file = File::create(folder.file(name)).expect("a file can be written");
    file.set_len(size).expect("a sparse file");
    for (offset, bytes) in numbers {
        file.seek(SeekFrom::Start(*offset)).expect("within the file");
        file.write_all(bytes).expect("a number can be written");
    }
}

fn error(folder: &Folder) -> String {
    let error = Tables::open(&folder.0).expect_err("the folder cannot be used");
    error.to_string()
}

/// `[board part, turn part]` in 32 bits.
fn wide(weight: [i32; 2]) -> Vec<u8> {
    weight.iter().flat_map(|part| part.to_le_bytes()).collect()
}

/// `[board part, turn part]` in 16 bits.
fn narrow(weight: [i16; 2]) -> Vec<u8> {
    weight.iter().flat_map(|part| part.to_le_bytes()).collect()
}

/// The place of a KKP weight and of a KPP weight, in weights.
const KKP_PLACE: u64 = (44 * 81 + 36) * 1548 + 120;
const KPP_PLACES: [u64; 2] = [(80 * 1548 + 120) * 1548 + 700, (80 * 1548 + 700) * 1548 + 120];

/// Asserts what the weights at [`KKP_PLACE`] and [`KPP_PLACES`] are, and that those beside are 0.
fn check(folder: &Folder, kind: Kind, kk: [i32; 2], kkp: [i32; 2], kpp: [i32; 2]) {
    let (tables, warning) = Tables::open(&folder.0).expect("a good folder");
    assert_eq!((tables.kind(), warning), (kind, None));
    assert_eq!([tables.kk(44, 36), tables.kk(44, 37)], [kk, [0; 2]]);
    let expected = [kkp, [0; 2]];
    assert_eq!([tables.kkp(44, 36, 120), tables.kkp(44, 36, 121)], expected);
    let places = [(80, 120, 700), (80, 700, 120), (80, 120, 701), (79, 120, 700)];
    let found = places.map(|(king, one, other)| tables.kpp(king, one, other));
    assert_eq!(found, [kpp, kpp, [0; 2], [0; 2]]);
}

#[test]
fn every_layout_is_read() {
    let folder = Folder::new();
    let kk_place = 44 * 81 + 36;
    // KPP_KKPT with KK and KKP of 32 bits.
    let board = (-7_i16).to_le_bytes();
    write(&folder, KK, KK_32, &[(8 * kk_place, &wide([70_000, -3]))]);
    write(&folder, KKP, KKP_32, &[(8 * KKP_PLACE, &wide([-80_000, 4]))]);
    write(&folder, KPP, KPP_BOARD, &KPP_PLACES.map(|place| (2 * place, &board[..])));
    check(&folder, Kind::KppKkpt, [70_000, -3], [-80_000, 4], [-7, 0]);
    // KK and KKP of 16 bits.
    let kkp = narrow([-2, 9]);
    write(&folder, KK, KK_16, &[(4 * kk_place, &narrow([-5, 6]))]);
    write(&folder, KKP, KKP_16, &[(4 * KKP_PLACE, &kkp)]);
    check(&folder, Kind::KppKkpt, [-5, 6], [-2, 9], [-7, 0]);
    // Apery without KK, under the same names.
    folder.remove(KK);
    check(&folder, Kind::KppKkpt, [0, 0], [-2, 9], [-7, 0]);
    drop(folder);
    // Apery's later names, KPP with both parts.
    let folder = Folder::new();
    let both = narrow([-30_000, 31_000]);
    write(&folder, "KKP.bin", KKP_16, &[(4 * KKP_PLACE, &kkp)]);
    write(&folder, "KPP.bin", KPP_BOTH, &KPP_PLACES.map(|place| (4 * place, &both[..])));
    check(&folder, Kind::Kppt, [0, 0], [-2, 9], [-30_000, 31_000]);
    // A file that ends early, or holds more.
    for size in [0, 1, 52_488, KPP_BOARD - 2, KPP_BOTH - 1, KPP_BOTH + 1, KKP_32] {
        write(&folder, "KPP.bin", size, &[]);
        let expected = format!("{KPP_BOTH} (KPPT) or {KPP_BOARD} (KPP_KKPT)");
        let message = format!("KPP.bin has {size} bytes, expected {expected}");
        assert_eq!(error(&folder), message);
    }
}

fn wrong_size(name: &str, found: u64, [wide, narrow]: [u64; 2]) -> String {
    format!("{name} has {found} bytes, expected {wide} (32 bits) or {narrow} (16 bits)")
}

#[test]
fn what_is_missing_or_swapped_is_named() {
    let folder = Folder::new();
    write(&folder, KK, KK_32, &[]);
    write(&folder, KKP, KKP_32, &[]);
    write(&folder, "kpp_synthesized.BIN", KPP_BOARD, &[]);
    let missing = "KPP_synthesized.bin is missing";
    if !folder.has(KPP) {
        let other = "(the file kpp_synthesized.BIN is named otherwise)";
        assert_eq!(error(&folder), format!("{missing} {other}"));
    }
    folder.remove("kpp_synthesized.BIN");
    assert_eq!(error(&folder), missing);
    write(&folder, KPP, KPP_BOARD, &[]);
    folder.remove(KK);
    let narrow = "KK_synthesized.bin is missing, without which KKP has 16 bits";
    assert_eq!(error(&folder), narrow);
    write(&folder, KK, KKP_32, &[]);
    write(&folder, KKP, KK_32, &[]);
    assert_eq!(error(&folder), wrong_size(KKP, KK_32, [KKP_32, KKP_16]));
    write(&folder, KKP, KKP_32, &[]);
    assert_eq!(error(&folder), wrong_size(KK, KKP_32, [KK_32, KK_16]));
    folder.remove(KKP);
    assert_eq!(error(&folder), "KKP_synthesized.bin is missing");
}

#[test]
fn a_table_that_is_not_symmetric_is_noticed() {
    let folder = Folder::new();
    // The weights of one king are the numbers of their columns.
    let columns = (0..1548_u32 * 1548).map(|index| (index % 1548) as u16);
    let block: Vec<u8> = columns.flat_map(u16::to_le_bytes).collect();
    write(&folder, "KKP.bin", KKP_16, &[]);
    write(&folder, "KPP.bin", KPP_BOARD, &[(3 * block.len() as u64, &block)]);
    let (_, warning) = Tables::open(&folder.0).expect("it can be used");
    let warning = warning.expect("a warning");
    warning.must_begin("KPP is not symmetric, [3][");
    let (weight, transposed) = warning.split_once(" differs from ").expect("two weights");
    assert!(!weight.ends_with(transposed.split(';').next().unwrap_or_default()));
}

/// Folders with random names and sizes: they are refused with a message, and never read as
/// something that they are not.
#[test]
fn random_folders_are_refused_with_a_message() {
    let mut random = ChaCha8Rng::seed_from_u64(41);
    let mut messages = BTreeSet::new();
    for _ in 0..600 {
        let folder = Folder::new();
        for name in NAMES {
            if random.random_range(0..3) == 0 {
                continue;
            }
            let right = SIZES[random.random_range(0..SIZES.len())];
            let size = match random.random_range(0..8) {
                0 => 0,
                1 => right - 1,
                2 => right + 1,
                3 => random.random_range(0..right),
                4 => right / 2,
                _ => right,
            };
            let size =
                if is_whole_kpp(name, size) { size - random.random_range(1..size) } else { size };
            if random.random_range(0..20) == 0 {
                folder.make(name);
            } else {
                write(&folder, name, size, &[]);
            }
        }
        // No KPP has a right size.
        let message = error(&folder);
        assert!(!message.is_empty() && !message.contains('\n'), "{message}");
        // The numbers of bytes differ from round to round.
        messages.insert(message.split(" has ").next().map(str::to_owned));
    }
    assert!(messages.len() >= 4, "{messages:?}");
}
