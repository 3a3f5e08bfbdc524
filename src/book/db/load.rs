//! Loads a `.db` file into memory, several blocks at a time.

use std::fs::File;
use std::io;
use std::path::Path;

use rayon::prelude::*;

use super::block::Block;
use super::blocks::Blocks;
use crate::book::fault::{BookFault, FaultLog, Place};
use crate::book::memory::{MemoryBook, Node};

/// Blocks for each thread before their results are put together.
const BLOCKS_PER_THREAD: usize = 4;

/// Loads the file.
///
/// # Errors
/// The file cannot be read.
pub(in crate::book) fn load(path: &Path, faults: &mut FaultLog) -> io::Result<MemoryBook> {
    let mut blocks = Blocks::new(File::open(path)?);
    let batch = BLOCKS_PER_THREAD * rayon::current_num_threads();
    let (mut nodes, mut moves, mut lines) = (Vec::new(), Vec::new(), 0);
    loop {
        let texts: Vec<Vec<u8>> = blocks.by_ref().take(batch).collect::<io::Result<_>>()?;
        if texts.is_empty() {
            return Ok(MemoryBook::new(nodes, moves));
        }
        let parts: Vec<Block> = texts.par_iter().map(|text| Block::read(text, 0)).collect();
        for part in parts {
            let first_move = moves.len();
            nodes.extend(part.nodes.into_iter().map(|node| Node {
                first_move: node.first_move + first_move,
                ..node
            }));
            moves.extend(part.moves);
            part.faults
                .into_iter()
                .for_each(|fault| faults.add(after_lines(fault, lines)));
            lines += part.lines;
        }
    }
}

/// The fault with its line counted from the beginning of the file.
fn after_lines(mut fault: BookFault, lines: u64) -> BookFault {
    if let Place::Line(number) = &mut fault.place {
        *number += lines;
    }
    fault
}
