//! The fields of a stored game. Its end follows from the bytes alone, so that the games after one
//! with an illegal move can still be read.

use std::io::{self, Read};

use super::fault::PackFault;
use super::game::{MAX_PLIES, PackReason};
use crate::records::game::GameResult;
use crate::records::packed::HuffmanCodedPos;
use crate::util::read_up_to;

/// The first byte of a game from the start position of an even game.
pub(super) const EVEN_START: u8 = 1;
/// The first byte of a game from another position.
pub(super) const OTHER_START: u8 = 0;

/// The width of a square field of a stored move.
const FIELD_BITS: u32 = 7;
const FIELD_MASK: u16 = 0x7f;

/// A game whose moves are not checked yet.
pub struct Frame {
    /// The start position and its ply; `None` for that of an even game.
    pub(super) start: Option<(HuffmanCodedPos, u16)>,
    /// The moves in Apery's 16 bits, and their scores.
    pub(super) moves: Vec<(u16, i16)>,
    pub(super) result: GameResult,
    pub(super) reason: PackReason,
}

impl Frame {
    /// The ply of the first move, the number of moves and the result.
    pub fn extent(&self) -> (u32, usize, GameResult) {
        let first = self.start.map_or(1, |(_, ply)| u32::from(ply).max(1));
        (first, self.moves.len(), self.result)
    }
}

/// The 16 bits that end a game: the code of the result in both square fields.
pub(super) fn end_marker(result: GameResult) -> u16 {
    let code = u16::from(result.code());
    code | code << FIELD_BITS
}

/// Reads the next game; `None` at the end of the input.
pub(super) fn read(input: &mut impl Read) -> Result<Option<Frame>, PackFault> {
    let mut flag = [0];
    if read_up_to(input, &mut flag)? == 0 {
        return Ok(None);
    }
    let [flag] = flag;
    let start = match flag {
        EVEN_START => None,
        OTHER_START => {
            let position = HuffmanCodedPos::from_bytes(bytes(input)?);
            Some((position, word(input)?))
        }
        found => return Err(PackFault::Flag { found }),
    };
    let mut moves = Vec::new();
    loop {
        let mv = word(input)?;
        if mv & FIELD_MASK != mv >> FIELD_BITS & FIELD_MASK {
            if moves.len() == MAX_PLIES {
                return Err(PackFault::Endless);
            }
            moves.push((mv, word(input)? as i16));
            continue;
        }
        let result = (mv >> (2 * FIELD_BITS) == 0)
            .then(|| GameResult::from_code((mv & FIELD_MASK) as u8))
            .flatten()
            .ok_or(PackFault::End { found: mv })?;
        let [reason] = bytes(input)?;
        return Ok(Some(Frame {
            start,
            moves,
            result,
            reason: PackReason(reason),
        }));
    }
}

fn bytes<const N: usize>(input: &mut impl Read) -> Result<[u8; N], PackFault> {
    let mut bytes = [0; N];
    match input.read_exact(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(PackFault::Truncated),
        Err(error) => Err(error.into()),
    }
}

fn word(input: &mut impl Read) -> Result<u16, PackFault> {
    Ok(u16::from_le_bytes(bytes(input)?))
}
