//! Loads a `.ybb` file into memory.

use std::path::Path;

use super::layout::{Header, INDEX_ENTRY, IndexEntry, read_moves};
use crate::book::fault::{BookFault, FaultLog, Place, Problem, Reason};
use crate::book::memory::{MemoryBook, Node};

/// Loads the file.
///
/// # Errors
/// The file cannot be read, or its header or index is wrong.
pub(in crate::book) fn load(path: &Path, faults: &mut FaultLog) -> Result<MemoryBook, Reason> {
    read(&std::fs::read(path)?, faults)
}

/// Reads the bytes of a file.
///
/// # Errors
/// Its header or index is wrong.
pub(in crate::book) fn read(bytes: &[u8], faults: &mut FaultLog) -> Result<MemoryBook, Reason> {
    let size = bytes.len() as u64;
    let header = Header::read(bytes, size)?;
    let start = header.moves_offset().unwrap_or(size) as usize;
    let (index, area) = (&bytes[super::layout::HEADER..start], &bytes[start..]);
    let (mut nodes, mut moves) = (Vec::new(), Vec::new());
    let mut last = None;
    for (number, entry) in index.as_chunks::<INDEX_ENTRY>().0.iter().enumerate() {
        let entry = IndexEntry::read(entry);
        let length = usize::from(entry.move_count) * header.move_bytes();
        let end = entry.offset.saturating_add(length as u64);
        if end > area.len() as u64 {
            let place = Place::Index(number as u64);
            faults.add(BookFault::new(place, Problem::MovesOutside));
            continue;
        }
        if last.replace(entry.position) == Some(entry.position) {
            let place = Place::Index(number as u64);
            faults.add(BookFault::new(place, Problem::Duplicate));
            continue;
        }
        let first_move = moves.len();
        moves.extend(read_moves(
            &area[entry.offset as usize..end as usize],
            &header,
        ));
        nodes.push(Node {
            position: entry.position,
            ply: entry.ply.into(),
            first_move,
            move_count: (moves.len() - first_move) as u32,
        });
    }
    Ok(MemoryBook::new(nodes, moves))
}
