//! Files of three-piece evaluations: all layouts, and folders that cannot be used. The files are
//! sparse, so that they take no space.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use crate::folder::Folder;
use raicho::eval::kppt::scalar::Weights;
use raicho::eval::kppt::{Kind, Tables};

const KK_32: u64 = 52_488;
const KK_16: u64 = 26_244;
const KKP_32: u64 = 81_251_424;
const KKP_16: u64 = 40_625_712;
const KPP_BOTH: u64 = 776_402_496;
const KPP_BOARD: u64 = 388_201_248;

/// The files of one evaluation.
struct Files(Folder);

impl Files {
    fn new(name: &str) -> Self {
        Self(Folder::new(&format!("kppt-{name}")))
    }

    fn path(&self) -> &Path {
        &self.0.0
    }

    /// Writes a file of zeros with some numbers at byte offsets.
    fn write(&self, name: &str, size: u64, numbers: &[(u64, &[u8])]) -> &Self {
        let mut file = File::create(self.0.file(name)).expect("a file can be written");
        file.set_len(size).expect("a sparse file");
        for (offset, bytes) in numbers {
            file.seek(SeekFrom::Start(*offset))
                .expect("within the file");
            file.write_all(bytes).expect("a number can be written");
        }
        self
    }

    fn remove(&self, name: &str) -> &Self {
        fs::remove_file(self.0.file(name)).expect("the file is there");
        self
    }

    fn error(&self) -> String {
        let error = Tables::open(self.path()).expect_err("the folder cannot be used");
        error.to_string()
    }
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
const KPP_PLACES: [u64; 2] = [
    (80 * 1548 + 120) * 1548 + 700,
    (80 * 1548 + 700) * 1548 + 120,
];

fn check(folder: &Path, kind: Kind, kk: [i32; 2], kkp: [i32; 2], kpp: [i32; 2]) {
    let (tables, warning) = Tables::open(folder).expect("a good folder");
    assert_eq!((tables.kind(), warning), (kind, None));
    assert_eq!((tables.kk(44, 36), tables.kk(44, 37)), (kk, [0; 2]));
    assert_eq!(
        (tables.kkp(44, 36, 120), tables.kkp(44, 36, 121)),
        (kkp, [0; 2])
    );
    assert_eq!(
        (tables.kpp(80, 120, 700), tables.kpp(80, 700, 120)),
        (kpp, kpp)
    );
    assert_eq!(
        (tables.kpp(80, 120, 701), tables.kpp(79, 120, 700)),
        ([0; 2], [0; 2])
    );
}

#[test]
fn every_layout_is_read() {
    let folder = Files::new("layouts");
    let kk_place = 44 * 81 + 36;
    // KPP_KKPT with KK and KKP of 32 bits.
    let board = (-7_i16).to_le_bytes();
    let kpp = KPP_PLACES.map(|place| (2 * place, &board[..]));
    folder
        .write(
            "KK_synthesized.bin",
            KK_32,
            &[(8 * kk_place, &wide([70_000, -3]))],
        )
        .write(
            "KKP_synthesized.bin",
            KKP_32,
            &[(8 * KKP_PLACE, &wide([-80_000, 4]))],
        )
        .write("KPP_synthesized.bin", KPP_BOARD, &kpp);
    check(
        folder.path(),
        Kind::KppKkpt,
        [70_000, -3],
        [-80_000, 4],
        [-7, 0],
    );
    // KK and KKP of 16 bits.
    folder
        .write(
            "KK_synthesized.bin",
            KK_16,
            &[(4 * kk_place, &narrow([-5, 6]))],
        )
        .write(
            "KKP_synthesized.bin",
            KKP_16,
            &[(4 * KKP_PLACE, &narrow([-2, 9]))],
        );
    check(folder.path(), Kind::KppKkpt, [-5, 6], [-2, 9], [-7, 0]);
    // Apery without KK, under the same names.
    folder.remove("KK_synthesized.bin");
    check(folder.path(), Kind::KppKkpt, [0, 0], [-2, 9], [-7, 0]);
    drop(folder);
    // Apery's later names, KPP with both parts.
    let folder = Files::new("apery");
    let both = narrow([-30_000, 31_000]);
    folder
        .write("KKP.bin", KKP_16, &[(4 * KKP_PLACE, &narrow([-2, 9]))])
        .write(
            "KPP.bin",
            KPP_BOTH,
            &KPP_PLACES.map(|place| (4 * place, &both[..])),
        );
    check(
        folder.path(),
        Kind::Kppt,
        [0, 0],
        [-2, 9],
        [-30_000, 31_000],
    );
    // A file that ends early, or holds more.
    for size in [
        0,
        1,
        52_488,
        KPP_BOARD - 2,
        KPP_BOTH - 1,
        KPP_BOTH + 1,
        KKP_32,
    ] {
        folder.write("KPP.bin", size, &[]);
        let error = folder.error();
        assert_eq!(
            error,
            format!(
                "KPP.bin has {size} bytes, expected {KPP_BOTH} (KPPT) or {KPP_BOARD} (KPP_KKPT)"
            )
        );
    }
}

fn wrong_size(name: &str, found: u64, [wide, narrow]: [u64; 2]) -> String {
    format!("{name} has {found} bytes, expected {wide} (32 bits) or {narrow} (16 bits)")
}

#[test]
fn what_is_missing_or_swapped_is_named() {
    let folder = Files::new("missing");
    folder
        .write("KK_synthesized.bin", KK_32, &[])
        .write("KKP_synthesized.bin", KKP_32, &[])
        .write("kpp_synthesized.BIN", KPP_BOARD, &[]);
    if !folder.path().join("KPP_synthesized.bin").exists() {
        assert_eq!(
            folder.error(),
            "KPP_synthesized.bin is missing (the file kpp_synthesized.BIN is named otherwise)"
        );
    }
    folder.remove("kpp_synthesized.BIN");
    assert_eq!(folder.error(), "KPP_synthesized.bin is missing");
    folder
        .write("KPP_synthesized.bin", KPP_BOARD, &[])
        .remove("KK_synthesized.bin");
    assert_eq!(
        folder.error(),
        "KK_synthesized.bin is missing, without which KKP has 16 bits"
    );
    folder
        .write("KK_synthesized.bin", KKP_32, &[])
        .write("KKP_synthesized.bin", KK_32, &[]);
    assert_eq!(
        folder.error(),
        wrong_size("KKP_synthesized.bin", KK_32, [KKP_32, KKP_16])
    );
    folder.write("KKP_synthesized.bin", KKP_32, &[]);
    assert_eq!(
        folder.error(),
        wrong_size("KK_synthesized.bin", KKP_32, [KK_32, KK_16])
    );
    folder.remove("KKP_synthesized.bin");
    assert_eq!(folder.error(), "KKP_synthesized.bin is missing");
}

#[test]
fn a_table_that_is_not_symmetric_is_noticed() {
    let folder = Files::new("asymmetric");
    // The weights of one king are the numbers of their columns.
    let block: Vec<u8> = (0..1548_u32 * 1548)
        .flat_map(|index| ((index % 1548) as u16).to_le_bytes())
        .collect();
    let place = 3 * block.len() as u64;
    folder
        .write("KKP.bin", KKP_16, &[])
        .write("KPP.bin", KPP_BOARD, &[(place, &block)]);
    let (_, warning) = Tables::open(folder.path()).expect("it can be used");
    let warning = warning.expect("a warning");
    assert!(
        warning.starts_with("KPP is not symmetric, [3]["),
        "{warning}"
    );
    let (weight, transposed) = warning.split_once(" differs from ").expect("two weights");
    assert!(!weight.ends_with(transposed.split(';').next().unwrap_or_default()));
}
