//! Reads a `.db` file position by position.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::path::Path;

use super::block::Block;
use super::blocks::Blocks;
use crate::book::entry::BookEntry;
use crate::book::fault::{BookFault, Place};

/// The positions of a file in order.
pub(in crate::book) struct DbReader {
    blocks: Blocks<File>,
    ready: VecDeque<Result<(u64, BookEntry), BookFault>>,
    /// Number of lines of the blocks that were read.
    lines: u64,
    /// Line of the last entry.
    line: u64,
    is_strict: bool,
}

impl DbReader {
    /// Opens a file. A strict reader also returns a fault for each position that other programs
    /// would not find.
    pub(in crate::book) fn open(path: &Path, is_strict: bool) -> io::Result<Self> {
        Ok(Self {
            blocks: Blocks::new(File::open(path)?),
            ready: VecDeque::new(),
            lines: 0,
            line: 0,
            is_strict,
        })
    }

    /// Line of the last entry, from 1.
    pub(in crate::book) const fn line(&self) -> u64 {
        self.line
    }

    fn read_block(&mut self, text: &[u8]) {
        let block = if self.is_strict {
            Block::read_strictly(text, self.lines)
        } else {
            Block::read(text, self.lines)
        };
        self.lines += block.lines;
        self.ready.extend(block.faults.into_iter().map(Err));
        let nodes = block.nodes.iter().zip(&block.node_lines);
        self.ready.extend(nodes.map(|(node, &line)| {
            let entry = BookEntry {
                position: node.position,
                ply: node.ply,
                moves: block.moves[node.moves()].to_vec(),
            };
            Ok((line, entry))
        }));
    }
}

impl Iterator for DbReader {
    type Item = Result<BookEntry, BookFault>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() {
            match self.blocks.next()? {
                Ok(text) => self.read_block(&text),
                Err(error) => return Some(Err(BookFault::new(Place::File, error.into()))),
            }
        }
        let next = self.ready.pop_front()?;
        Some(next.map(|(line, entry)| {
            self.line = line;
            entry
        }))
    }
}
