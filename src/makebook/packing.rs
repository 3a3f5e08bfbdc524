//! Entries as records of a [`Sorter`](super::sorter::Sorter): a key in the order of the output
//! file, and bytes.

use crate::book::{BookEntry, BookFormat, BookMove, order_key};
use crate::records::packed::PackedSfen;
use crate::types::Move16;

/// Bytes of a move.
const MOVE: usize = 20;
/// Bytes of the position and its ply.
const HEAD: usize = 36;

/// A key that is equal for equal positions, whatever their plies, and in the order of the positions
/// in files of a format.
pub(super) fn key(format: BookFormat, position: PackedSfen) -> Vec<u8> {
    let order = match format {
        BookFormat::Sbk => BookFormat::Ybb,
        format => format,
    };
    let entry = BookEntry {
        position,
        ply: 1,
        moves: Vec::new(),
    };
    let mut key = order_key(order, &entry);
    if order == BookFormat::Bin {
        // Positions with other hands of the opponent have the same key.
        key.extend(position.to_bytes());
    }
    key
}

/// The bytes of an entry.
pub(super) fn pack(entry: &BookEntry) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + entry.moves.len() * MOVE);
    bytes.extend(entry.position.to_bytes());
    bytes.extend(entry.ply.to_le_bytes());
    for known in &entry.moves {
        bytes.extend(known.mv.to_bits().to_le_bytes());
        bytes.extend(known.ponder.map_or(0, Move16::to_bits).to_le_bytes());
        bytes.extend(known.value.to_le_bytes());
        bytes.extend(known.depth.to_le_bytes());
        bytes.extend(known.count.to_le_bytes());
    }
    bytes
}

/// The entry of bytes that [`pack`] made; `None` for others.
pub(super) fn unpack(bytes: &[u8]) -> Option<BookEntry> {
    let (position, rest) = bytes.split_first_chunk()?;
    let (ply, rest) = rest.split_first_chunk()?;
    let moves = rest.chunks_exact(MOVE).map(unpack_move);
    Some(BookEntry {
        position: PackedSfen::from_bytes(*position),
        ply: u32::from_le_bytes(*ply),
        moves: moves.collect::<Option<_>>()?,
    })
}

fn unpack_move(bytes: &[u8]) -> Option<BookMove> {
    let (mv, rest) = bytes.split_first_chunk()?;
    let (ponder, rest) = rest.split_first_chunk()?;
    let (value, rest) = rest.split_first_chunk()?;
    let (depth, rest) = rest.split_first_chunk()?;
    let (count, _) = rest.split_first_chunk()?;
    Some(BookMove {
        mv: Move16::from_bits(u16::from_le_bytes(*mv))?,
        ponder: Move16::from_bits(u16::from_le_bytes(*ponder)),
        value: i32::from_le_bytes(*value),
        depth: i32::from_le_bytes(*depth),
        count: u64::from_le_bytes(*count),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn entries_come_back() {
        let mv = |text: &str| text.parse().expect("a move");
        let entry = BookEntry {
            position: PackedSfen::of(&Position::startpos()),
            ply: 7,
            moves: vec![
                BookMove {
                    mv: mv("7g7f"),
                    ponder: Some(mv("3c3d")),
                    value: -5,
                    depth: 1 << 20,
                    count: u64::MAX,
                },
                BookMove {
                    mv: mv("2g2f"),
                    ponder: None,
                    value: 0,
                    depth: 0,
                    count: 0,
                },
            ],
        };
        assert_eq!(unpack(&pack(&entry)), Some(entry));
        assert_eq!(unpack(&[0; 20]), None);
    }
}
