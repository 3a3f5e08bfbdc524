//! What `.pack` and `.hcpe3` have in common: games one after the other, each checked move by move.

use std::io::{self, BufRead, Read};

use super::apery_move::from_apery;
use super::teacher::Fault;
use crate::position::Position;
use crate::types::Move;

/// The legal move of Apery's 16 bits. `number` is that of the move in its game, from 1.
///
/// # Errors
/// The bits are not a move, or the move is illegal in the position.
pub(super) fn legal_move(position: &Position, bits: u16, number: usize) -> Result<Move, Fault> {
    let stored = from_apery(bits);
    stored
        .and_then(|mv| position.to_move(mv))
        .filter(|&mv| position.pseudo_legal(mv) && position.legal(mv))
        .ok_or_else(|| Fault::GameMove {
            number,
            text: stored.map_or_else(|| format!("{bits:#06x}"), |mv| mv.to_string()),
            sfen: position.to_sfen(),
        })
}

/// Reads `N` bytes of a game.
pub(super) fn read_bytes<const N: usize>(input: &mut impl Read) -> Result<[u8; N], Fault> {
    let mut bytes = [0; N];
    match input.read_exact(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(Fault::CutGame),
        Err(error) => Err(error.into()),
    }
}

/// Reads 16 bits of a game.
pub(super) fn read_word(input: &mut impl Read) -> Result<u16, Fault> {
    Ok(u16::from_le_bytes(read_bytes(input)?))
}

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
