//! Cuts a `.db` text into blocks of whole positions, so that several threads can read it and no
//! file is ever whole in memory.

use std::io::{self, Read};

use super::line::{BOM, POSITION};
use crate::util::read_up_to;

/// Bytes that are read at a time.
const BLOCK: usize = 1 << 20;
/// Bytes after which a block is cut anywhere if no position has begun.
const LONGEST: usize = 64 << 20;

/// The blocks of a text in order: each ends before a `sfen` line, or with the text.
pub(crate) struct Blocks<R> {
    input: R,
    /// What is read and belongs to the next block.
    rest: Vec<u8>,
    is_first: bool,
    is_done: bool,
}

impl<R: Read> Blocks<R> {
    pub(crate) const fn new(input: R) -> Self {
        Self {
            input,
            rest: Vec::new(),
            is_first: true,
            is_done: false,
        }
    }

    /// Reads until a position begins behind the first byte, and cuts there.
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut block = std::mem::take(&mut self.rest);
        loop {
            let start = block.len();
            block.resize(start + BLOCK, 0);
            let count = read_up_to(&mut self.input, &mut block[start..])?;
            block.truncate(start + count);
            if self.is_first {
                self.is_first = false;
                if block.starts_with(BOM) {
                    block.drain(..BOM.len());
                }
            }
            if count < BLOCK {
                self.is_done = true;
                return Ok(block);
            }
            if let Some(cut) = last_position(&block) {
                self.rest = block.split_off(cut);
                return Ok(block);
            }
            if block.len() >= LONGEST {
                return Ok(block);
            }
        }
    }
}

impl<R: Read> Iterator for Blocks<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let block = self.read();
        self.is_done |= block.is_err();
        Some(block)
    }
}

/// Where the last `sfen` line begins, unless that is the first byte.
fn last_position(block: &[u8]) -> Option<usize> {
    let begins = |window: &[u8]| matches!(window[0], b'\n' | b'\r') && window[1..] == *POSITION;
    let windows = block.windows(POSITION.len() + 1);
    windows
        .rev()
        .position(begins)
        .map(|back| block.len() - POSITION.len() - back)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_begin_with_positions_and_lose_nothing() {
        let line = |number: usize| format!("sfen position {number}\r\n7g7f none 0 0 1\r\n");
        let text: String = (0..100_000).map(line).collect();
        let blocks: Vec<Vec<u8>> = Blocks::new(text.as_bytes())
            .collect::<io::Result<_>>()
            .expect("memory can be read");
        assert!(blocks.len() > 2);
        assert!(blocks.iter().all(|block| block.starts_with(POSITION)));
        assert!(blocks.concat() == text.as_bytes());
        let marked = Blocks::new(&b"\xef\xbb\xbfsfen x"[..]).next();
        assert_eq!(marked.expect("a block").expect("memory"), b"sfen x");
    }
}
