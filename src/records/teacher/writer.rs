//! Writes any format from any other.

use std::io::{self, Write};

use thiserror::Error;

use super::{Chain, Format, Record, Sample, text};
use crate::records::apery_move::to_apery;
use crate::records::hcpe::Hcpe;
use crate::records::hcpe3::Hcpe3Game;
use crate::records::pack::{PackGame, PackWriter};
use crate::records::packed::{HuffmanCodedPos, PackedSfen};
use crate::records::psum::PositionSum;

/// Why a record cannot be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The output fails.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A mere position, where scores and results are needed.
    #[error("{0} needs scores and results, which a mere position has not")]
    MerePosition(Format),
    /// A format that is only read.
    #[error("{0} is read but not written, expected usi or csa for games as text")]
    ReadOnly(Format),
}

/// Writes records in a format. What its format cannot hold is lost, and a record of its own format comes out byte for byte.
pub struct TeacherWriter<W: Write> {
    out: PackWriter<W>,
    format: Format,
    chain: Chain,
    positions: u64,
}

impl<W: Write> TeacherWriter<W> {
    /// Writes to `out`, which should be buffered.
    pub fn new(out: W, format: Format) -> Self {
        Self {
            out: PackWriter::new(out),
            format,
            chain: Chain::default(),
            positions: 0,
        }
    }

    /// Writes a record. Positions that become games come out when their game has ended.
    ///
    /// # Errors
    /// Where the output fails, and for a mere position in a format that needs more.
    pub fn write(&mut self, record: &Record) -> Result<(), WriteError> {
        let is_mere = matches!(record, Record::Position(..));
        match self.format {
            Format::Hcp | Format::Sfen => self.write_positions(record),
            Format::Kif => Err(WriteError::ReadOnly(self.format)),
            _ if is_mere => Err(WriteError::MerePosition(self.format)),
            Format::Psv => match record {
                Record::Psv(record) => Ok(self.put(&record.to_bytes())?),
                _ => self.write_samples(record, |sample| sample.to_psv().to_bytes().to_vec()),
            },
            Format::Hcpe => match record {
                Record::Hcpe(record, _) => Ok(self.put(&record.to_bytes())?),
                _ => self.write_samples(record, hcpe_bytes),
            },
            Format::Psum => {
                let mut result = Ok(());
                PositionSum::for_each(record, |sum| {
                    if result.is_ok() {
                        result = self.put(&sum.to_bytes());
                    }
                });
                Ok(result?)
            }
            Format::Pack | Format::Hcpe3 | Format::Usi | Format::Csa => match record {
                Record::Game(game) => self.write_game(game),
                Record::Hcpe3(game) if self.format == Format::Hcpe3 => {
                    self.positions += game.moves.len() as u64;
                    Ok(game.write(self.out.get_mut())?)
                }
                Record::Hcpe3(game) => self.write_game(&game.to_pack()),
                _ => match self.chain.add(record) {
                    Some(game) => self.write_game(&game),
                    None => Ok(()),
                },
            },
        }
    }

    /// Writes what is still open, flushes, and gives back what was written to and how many positions that are.
    ///
    /// # Errors
    /// Where the output fails.
    pub fn finish(mut self) -> Result<(W, u64), WriteError> {
        if let Some(game) = self.chain.finish() {
            self.write_game(&game)?;
        }
        self.out.flush()?;
        Ok((self.out.into_inner(), self.positions))
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.positions += 1;
        self.out.get_mut().write_all(bytes)
    }

    fn write_samples(
        &mut self,
        record: &Record,
        bytes: impl Fn(&Sample) -> Vec<u8>,
    ) -> Result<(), WriteError> {
        let mut result = Ok(());
        record.for_each_sample(|sample| {
            if result.is_ok() {
                result = self.put(&bytes(sample));
            }
        });
        Ok(result?)
    }

    fn write_positions(&mut self, record: &Record) -> Result<(), WriteError> {
        let is_packed = self.format == Format::Hcp;
        let mut result = Ok(());
        record.for_each_position(|position, ply| {
            // The reader has proved it; a position that is none would be left out.
            let Ok(position) = position.unpack(u32::from(ply.max(1))) else {
                return;
            };
            if result.is_ok() {
                result = if is_packed {
                    self.put(&HuffmanCodedPos::of(&position).to_bytes())
                } else {
                    self.put(format!("{}\n", position.to_sfen()).as_bytes())
                };
            }
        });
        Ok(result?)
    }

    fn write_game(&mut self, game: &PackGame) -> Result<(), WriteError> {
        self.positions += game.moves.len() as u64;
        match self.format {
            Format::Hcpe3 => Hcpe3Game::of_pack(game).write(self.out.get_mut())?,
            Format::Csa => text::write_csa(game, self.out.get_mut())?,
            Format::Usi => writeln!(self.out.get_mut(), "{}", text::of_game(game))?,
            _ => drop(self.out.write(game)?),
        }
        Ok(())
    }
}

fn hcpe_bytes(sample: &Sample) -> Vec<u8> {
    let record = Hcpe {
        position: recoded(&sample.position),
        score: sample.score,
        mv: sample.mv.map_or(0, to_apery),
        result: sample.result.code(),
        padding: 0,
    };
    record.to_bytes().to_vec()
}

/// The position in the other packing. The reader has proved that it is one.
fn recoded(position: &PackedSfen) -> HuffmanCodedPos {
    let board = position.unpack_board();
    board.map_or_else(
        |_| HuffmanCodedPos::from_bytes([0; 32]),
        |board| HuffmanCodedPos::of_board(&board),
    )
}
