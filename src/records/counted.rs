//! An input that counts the bytes taken from it, so that an error can name the offset of its
//! record.

use std::io::{self, BufRead, Read};

/// A reader and the number of bytes that were taken from it.
pub(super) struct Counted<R> {
    input: R,
    count: u64,
}

impl<R> Counted<R> {
    /// Counts from `count` on, which is the offset that `input` stands at.
    pub(super) const fn new(input: R, count: u64) -> Self {
        Self { input, count }
    }

    /// Bytes taken so far, which is the offset of the next byte.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(bytes)?;
        self.count += length as u64;
        Ok(length)
    }

    fn read_exact(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.input.read_exact(bytes)?;
        self.count += bytes.len() as u64;
        Ok(())
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        self.input.consume(length);
        self.count += length as u64;
    }
}
