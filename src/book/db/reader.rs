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
    ready: VecDeque<Result<Read, BookFault>>,
    /// Number of lines of the blocks that were read.
    lines: u64,
    /// Line of the last entry.
    line: u64,
    /// Lines of its moves, where the reader is strict.
    move_lines: Vec<u64>,
    is_strict: bool,
}

/// An entry and its lines.
struct Read {
    line: u64,
    move_lines: Vec<u64>,
    entry: BookEntry,
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
            move_lines: Vec::new(),
            is_strict,
        })
    }

    /// Line of the last entry, from 1.
    pub(in crate::book) const fn line(&self) -> u64 {
        self.line
    }

    /// Lines of its moves, from 1; none unless the reader is strict.
    pub(in crate::book) fn move_lines(&self) -> &[u64] {
        &self.move_lines
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
            let move_lines = block.move_lines.get(node.moves());
            Ok(Read {
                line,
                move_lines: move_lines.unwrap_or_default().to_vec(),
                entry,
            })
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
        Some(next.map(|read| {
            (self.line, self.move_lines) = (read.line, read.move_lines);
            read.entry
        }))
    }
}
