//! The bytes of the header, of an entry of the index, and of a move. All numbers are little endian.

use crate::book::entry::BookMove;
use crate::book::fault::Reason;
use crate::records::packed::PackedSfen;
use crate::types::Move16;

/// What a file begins with.
const MAGIC: &[u8; 16] = b"YANE-BINBOOK-V1\0";
/// What the files of all versions begin with.
const NAME: &[u8] = b"YANE-BINBOOK";
/// Bytes of the header: magic, number of positions, flags.
pub(super) const HEADER: usize = 32;
/// Bytes of an entry of the index: position, offset of its moves, ply, number of moves.
pub(super) const INDEX_ENTRY: usize = 44;
/// The flag of moves with a depth.
const WITH_DEPTH: u64 = 1;

/// Whether the first bytes of a file are those of this format, in any version.
pub(in crate::book) fn is_named_so(head: &[u8]) -> bool {
    head.starts_with(NAME)
}

/// The header of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub(super) positions: u64,
    pub(super) has_depth: bool,
}

impl Header {
    /// Reads the header of a file of `size` bytes.
    ///
    /// # Errors
    /// It is no header, or its index does not fit into the file.
    pub(super) fn read(bytes: &[u8], size: u64) -> Result<Self, Reason> {
        let Some((magic, numbers)) = bytes.get(..HEADER).and_then(<[u8]>::split_first_chunk) else {
            return Err(Reason::ShortHeader {
                found: size,
                expected: HEADER as u64,
            });
        };
        if magic != MAGIC {
            let text = String::from_utf8_lossy(magic);
            return Err(Reason::Magic(text.trim_end_matches('\0').to_owned()));
        }
        let (positions, flags) = (u64_at(numbers, 0), u64_at(numbers, 8));
        if flags & !WITH_DEPTH != 0 {
            return Err(Reason::Flags(flags));
        }
        let header = Self {
            positions,
            has_depth: flags & WITH_DEPTH != 0,
        };
        match header.moves_offset() {
            Some(offset) if offset <= size => Ok(header),
            _ => Err(Reason::Index {
                positions,
                bytes: size,
            }),
        }
    }

    pub(super) fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..16].copy_from_slice(MAGIC);
        bytes[16..24].copy_from_slice(&self.positions.to_le_bytes());
        let flags = if self.has_depth { WITH_DEPTH } else { 0 };
        bytes[24..].copy_from_slice(&flags.to_le_bytes());
        bytes
    }

    /// Where the moves begin, `None` beyond 64 bits.
    pub(super) fn moves_offset(&self) -> Option<u64> {
        let index = self.positions.checked_mul(INDEX_ENTRY as u64)?;
        index.checked_add(HEADER as u64)
    }

    /// Bytes of a move.
    pub(super) const fn move_bytes(&self) -> usize {
        if self.has_depth { 6 } else { 4 }
    }
}

/// An entry of the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct IndexEntry {
    pub(super) position: PackedSfen,
    /// Offset of its moves from the first move of the file, in bytes.
    pub(super) offset: u64,
    pub(super) ply: u16,
    pub(super) move_count: u16,
}

impl IndexEntry {
    pub(super) fn read(bytes: &[u8; INDEX_ENTRY]) -> Self {
        let mut position = [0; 32];
        position.copy_from_slice(&bytes[..32]);
        Self {
            position: PackedSfen::from_bytes(position),
            offset: u64_at(bytes, 32),
            ply: u16_at(bytes, 40),
            move_count: u16_at(bytes, 42),
        }
    }

    pub(super) fn to_bytes(self) -> [u8; INDEX_ENTRY] {
        let mut bytes = [0; INDEX_ENTRY];
        bytes[..32].copy_from_slice(&self.position.to_bytes());
        bytes[32..40].copy_from_slice(&self.offset.to_le_bytes());
        bytes[40..42].copy_from_slice(&self.ply.to_le_bytes());
        bytes[42..].copy_from_slice(&self.move_count.to_le_bytes());
        bytes
    }
}

/// Reads moves of 4 or 6 bytes each. Those without a move are left out.
pub(super) fn read_moves(bytes: &[u8], header: &Header) -> impl Iterator<Item = BookMove> {
    bytes.chunks_exact(header.move_bytes()).filter_map(|bytes| {
        let depth = bytes.get(4..6).map_or(0, |_| u16_at(bytes, 4));
        Some(BookMove {
            mv: Move16::from_bits(u16_at(bytes, 0))?,
            ponder: None,
            value: (u16_at(bytes, 2) as i16).into(),
            depth: depth.into(),
            count: 0,
        })
    })
}

/// A number of two bytes, which must be there.
fn u16_at(bytes: &[u8], offset: usize) -> u16 {
    u16::from_le_bytes([bytes[offset], bytes[offset + 1]])
}

/// A number of eight bytes, which must be there.
fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[offset..offset + 8]);
    u64::from_le_bytes(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back_and_is_checked() {
        let header = Header {
            positions: 2,
            has_depth: true,
        };
        let bytes = header.to_bytes();
        assert_eq!(Header::read(&bytes, 200).expect("a header"), header);
        let reason = |bytes: &[u8], size| match Header::read(bytes, size) {
            Ok(header) => format!("{header:?}"),
            Err(reason) => reason.to_string(),
        };
        assert!(reason(&bytes, 100).contains("index of 2 positions"));
        assert!(reason(&bytes[..20], 20).contains("20 bytes"));
        let mut other = bytes;
        other[14] = b'2';
        assert!(reason(&other, 200).contains("YANE-BINBOOK-V2\""));
        let mut flags = bytes;
        flags[24] = 3;
        assert!(reason(&flags, 200).contains("flags 0x3"));
        let mut huge = bytes;
        huge[23] = 0x80;
        assert!(reason(&huge, 200).contains("does not fit"));
    }

    #[test]
    fn an_entry_of_the_index_comes_back() {
        let entry = IndexEntry {
            position: PackedSfen::from_bytes([7; 32]),
            offset: 1 << 40,
            ply: 300,
            move_count: 12,
        };
        assert_eq!(IndexEntry::read(&entry.to_bytes()), entry);
    }
}
