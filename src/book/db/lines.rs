//! Lines of a text file from any byte on.

use std::io;

use super::line::split_line;
use crate::book::shared_file::SharedFile;

/// Bytes that are read at a time, unless others are wanted.
pub(super) const BLOCK: usize = 1 << 12;
/// A longer line is cut, so that no file takes unlimited memory.
const LONGEST: usize = 1 << 20;

/// Reads lines one after another.
pub(super) struct Lines<'a> {
    file: &'a SharedFile,
    /// Bytes that are read at a time.
    block: usize,
    buffer: Vec<u8>,
    /// Length of the part of the buffer that was returned.
    used: usize,
    /// Offset of the buffer in the file.
    start: u64,
}

impl<'a> Lines<'a> {
    /// The lines from the byte `offset` on, where the first may be the rest of one.
    pub(super) const fn from(file: &'a SharedFile, offset: u64) -> Self {
        Self {
            file,
            block: BLOCK,
            buffer: Vec::new(),
            used: 0,
            start: offset,
        }
    }

    /// Sets the number of bytes that a read fetches.
    pub(super) const fn in_blocks_of(mut self, block: usize) -> Self {
        self.block = block;
        self
    }

    /// Offset of the line that is returned next.
    pub(super) const fn offset(&self) -> u64 {
        self.start + self.used as u64
    }

    /// The next line without its end, `None` at the end of the file.
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            let text = &self.buffer[self.used..];
            let (line, rest) = split_line(text);
            let end = line.len();
            // The last byte may be the first half of a line end of two bytes.
            let is_whole = !rest.is_empty() || text.ends_with(b"\n");
            if is_whole || text.len() >= LONGEST || self.is_at_end() {
                if text.is_empty() {
                    return Ok(None);
                }
                let length = text.len() - rest.len();
                let begin = self.used;
                self.used += length;
                return Ok(Some(&self.buffer[begin..begin + end]));
            }
            self.read_block()?;
        }
    }

    fn is_at_end(&self) -> bool {
        self.start + self.buffer.len() as u64 >= self.file.size()
    }

    fn read_block(&mut self) -> io::Result<()> {
        self.start = self.offset();
        self.buffer.drain(..self.used);
        self.used = 0;
        let length = self.buffer.len();
        self.buffer.resize(length + self.block, 0);
        let offset = self.start + length as u64;
        let count = self.file.read_at(offset, &mut self.buffer[length..])?;
        self.buffer.truncate(length + count);
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }
}
