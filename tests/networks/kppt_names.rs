//! Names and sizes of three-piece files, for the random folders of `kppt_files.rs` and of the fuzz
//! target `kppt`.

/// Names of all kinds, in the wrong case too, and of no kind.
pub(crate) const NAMES: [&str; 10] = [
    "KK_synthesized.bin",
    "KKP_synthesized.bin",
    "KPP_synthesized.bin",
    "KKP.bin",
    "KPP.bin",
    "kk_synthesized.bin",
    "kkp_synthesized.bin",
    "KPP_SYNTHESIZED.BIN",
    "kks.kk.bin",
    "nn.txt",
];

/// Sizes of KK, KKP and KPP, each with 32 and with 16 bits.
pub(crate) const SIZES: [u64; 6] =
    [52_488, 26_244, 81_251_424, 40_625_712, 776_402_496, 388_201_248];

/// From this size on a file is a KPP.
const KPP_FROM: u64 = 100_000_000;

/// Whether the file is a whole KPP. Folders with one are left out: to read them takes seconds.
pub(crate) fn is_whole_kpp(name: &str, size: u64) -> bool {
    name.to_lowercase().starts_with("kpp") && SIZES.contains(&size) && size > KPP_FROM
}
