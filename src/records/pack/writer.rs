//! Writes games of the archive.

use std::io::{self, Write};

use super::frame::{EVEN_START, OTHER_START, end_marker};
use super::game::{MAX_PLIES, PackGame};
use crate::position::START_SFEN;
use crate::records::apery_move::to_apery;
use crate::records::packed::HuffmanCodedPos;

/// Writes games one after the other.
pub struct PackWriter<W: Write> {
    out: W,
    bytes: Vec<u8>,
}

impl<W: Write> PackWriter<W> {
    /// Writes to `out`, which should be buffered.
    pub const fn new(out: W) -> Self {
        Self {
            out,
            bytes: Vec::new(),
        }
    }

    /// Writes a game in a single call of `out` and returns its size in bytes. A start ply above
    /// 65535 is stored as 65535.
    ///
    /// # Errors
    /// `out` fails, or the game is longer than [`MAX_PLIES`].
    pub fn write(&mut self, game: &PackGame) -> io::Result<usize> {
        if game.moves.len() > MAX_PLIES {
            let text = format!("{} plies, expected at most {MAX_PLIES}", game.moves.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        self.bytes.clear();
        if game.start.to_sfen() == START_SFEN {
            self.bytes.push(EVEN_START);
        } else {
            self.bytes.push(OTHER_START);
            let hcp = HuffmanCodedPos::of(&game.start);
            self.bytes.extend_from_slice(&hcp.to_bytes());
            self.put(u16::try_from(game.start.game_ply()).unwrap_or(u16::MAX));
        }
        for &(mv, score) in &game.moves {
            self.put(to_apery(mv.to_move16()));
            self.put(score as u16);
        }
        self.put(end_marker(game.result));
        self.bytes.push(game.reason.0);
        self.out.write_all(&self.bytes)?;
        Ok(self.bytes.len())
    }

    /// Flushes `out`.
    ///
    /// # Errors
    /// `out` fails.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Returns `out`.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn put(&mut self, word: u16) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }
}
