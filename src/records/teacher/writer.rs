//! Writes any format.

use std::io::{self, Write};

use thiserror::Error;

use super::chain::Chain;
use super::formats::{Content, Format};
use super::record::Record;

/// Why a record cannot be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The output fails.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A position alone, in a format that needs scores and results.
    #[error("{0} needs scores and results, which a position alone does not have")]
    NoScore(Format),
    /// A position of a search tree, in a format that needs results, or anything else in the format
    /// of such positions.
    #[error("{0} cannot keep this record: positions of search trees have a format of their own")]
    Tree(Format),
    /// The format can only be read.
    #[error(
        "{0} holds one game and is not made of teacher data, expected usi or csa for games as text"
    )]
    ReadOnly(Format),
}

/// Writes records in one format. Fields that the format lacks are dropped; a record that was read
/// from a file of the same format is written byte for byte.
pub struct TeacherWriter<W: Write> {
    out: W,
    format: Format,
    /// Makes games of positions.
    chain: Chain,
    /// Positions written so far.
    positions: u64,
}

impl<W: Write> TeacherWriter<W> {
    /// Writes to `out`, which should be buffered.
    pub fn new(out: W, format: Format) -> Self {
        Self::resume(out, format, 0)
    }

    /// Continues behind as many `positions`.
    pub fn resume(out: W, format: Format, positions: u64) -> Self {
        Self {
            out,
            format,
            chain: Chain::default(),
            positions,
        }
    }

    /// Whether a record belongs to a game that is still open.
    pub fn is_continued_by(&self, record: &Record) -> bool {
        self.chain.is_continued_by(record)
    }

    /// Writes the game that is still open.
    ///
    /// # Errors
    /// The output fails.
    pub fn end_game(&mut self) -> io::Result<()> {
        match self.chain.finish() {
            Some(game) => self.put(&game.into()),
            None => Ok(()),
        }
    }

    /// Writes the game that is still open, flushes, and returns the output and the number of
    /// positions written so far.
    ///
    /// # Errors
    /// The output fails.
    pub fn pause(&mut self) -> io::Result<(&W, u64)> {
        self.end_game()?;
        self.out.flush()?;
        Ok((&self.out, self.positions))
    }

    /// Writes a record. A format of games gets positions when their game has ended.
    ///
    /// # Errors
    /// The output fails, or the format cannot hold the record.
    pub fn write(&mut self, record: &Record) -> Result<(), WriteError> {
        if !self.format.is_writable() {
            return Err(WriteError::ReadOnly(self.format));
        }
        if !self.format.keeps(record) {
            return Err(WriteError::Tree(self.format));
        }
        let is_position = matches!(record, Record::Position(..));
        match self.format.content() {
            Content::Samples | Content::TreePositions | Content::Games if is_position => {
                Err(WriteError::NoScore(self.format))
            }
            Content::Games if !record.is_game() => match self.chain.add(record) {
                Some(game) => Ok(self.put(&game.into())?),
                None => Ok(()),
            },
            _ => Ok(self.put(record)?),
        }
    }

    /// Writes the game that is still open, flushes, and returns the output and the number of
    /// positions written.
    ///
    /// # Errors
    /// The output fails.
    pub fn finish(mut self) -> Result<(W, u64), WriteError> {
        self.pause()?;
        Ok((self.out, self.positions))
    }

    fn put(&mut self, record: &Record) -> io::Result<()> {
        self.positions += self.format.codec().write(record, &mut self.out)?;
        Ok(())
    }
}
