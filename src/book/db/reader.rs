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
    ready: VecDeque<Result<BookEntry, BookFault>>,
    lines: u64,
}

impl DbReader {
    pub(in crate::book) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            blocks: Blocks::new(File::open(path)?),
            ready: VecDeque::new(),
            lines: 0,
        })
    }

    fn read_block(&mut self, text: &[u8]) {
        let block = Block::read(text, self.lines);
        self.lines += block.lines;
        self.ready.extend(block.faults.into_iter().map(Err));
        self.ready.extend(block.nodes.iter().map(|node| {
            Ok(BookEntry {
                position: node.position,
                ply: node.ply,
                moves: block.moves[node.moves()].to_vec(),
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
        self.ready.pop_front()
    }
}
