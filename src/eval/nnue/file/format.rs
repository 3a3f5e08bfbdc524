//! Byte strings that identify the formats.

/// The first four bytes of `YaneuraOu`'s format, little endian.
pub(in crate::eval::nnue) const MAGIC: u32 = 0x7af3_2f16;

/// The first eight bytes of our own format.
pub(super) const RAICHO_MAGIC: &[u8; 8] = b"RAICHONN";

/// The bytes before a section of LEB128-compressed values.
pub(in crate::eval::nnue) const LEB128_MAGIC: &[u8; 17] = b"COMPRESSED_LEB128";
