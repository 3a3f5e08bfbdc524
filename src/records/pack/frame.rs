//! The bytes of a game, taken apart without knowing shogi: where it ends follows from the bytes alone, so a game with a
//! bad move does not hide the games behind it.

use std::io::{self, Read};

use super::{EVEN_START, MAX_PLIES, OTHER_START, PackFault, PackReason};
use crate::records::game::GameResult;
use crate::records::packed::HuffmanCodedPos;

/// The fields of a stored move.
const FIELD_BITS: u32 = 7;
const FIELD_MASK: u16 = 0x7f;

/// A game before its moves are understood.
pub struct Frame {
    /// `None` for the start position of an even game.
    pub(super) start: Option<(HuffmanCodedPos, u16)>,
    /// As they are stored: the move in the 16 bits of Apery, and the score.
    pub(super) moves: Vec<(u16, i16)>,
    pub(super) result: GameResult,
    pub(super) reason: PackReason,
    /// The number of bytes.
    pub(super) length: u64,
}

/// The 16 bits that end a game: the code of the result in both fields.
pub(super) fn end_marker(result: GameResult) -> u16 {
    let code = u16::from(result.code());
    code | code << FIELD_BITS
}

/// Reads the next game; `None` where the input ends before it.
pub(super) fn read(input: &mut impl Read) -> Result<Option<Frame>, PackFault> {
    let mut input = Counted { input, count: 0 };
    let Some(flag) = input.first_byte()? else {
        return Ok(None);
    };
    let start = match flag {
        EVEN_START => None,
        OTHER_START => {
            let position = HuffmanCodedPos::from_bytes(input.bytes()?);
            Some((position, input.word()?))
        }
        found => return Err(PackFault::Flag { found }),
    };
    let mut moves = Vec::new();
    loop {
        let word = input.word()?;
        if word & FIELD_MASK != word >> FIELD_BITS & FIELD_MASK {
            if moves.len() == MAX_PLIES {
                return Err(PackFault::Endless);
            }
            moves.push((word, input.word()? as i16));
            continue;
        }
        let result = (word >> (2 * FIELD_BITS) == 0)
            .then(|| GameResult::from_code((word & FIELD_MASK) as u8))
            .flatten()
            .ok_or(PackFault::End { found: word })?;
        let [reason] = input.bytes()?;
        return Ok(Some(Frame {
            start,
            moves,
            result,
            reason: PackReason(reason),
            length: input.count,
        }));
    }
}

struct Counted<'a, R> {
    input: &'a mut R,
    count: u64,
}

impl<R: Read> Counted<'_, R> {
    /// `None` at the end of the input.
    fn first_byte(&mut self) -> Result<Option<u8>, PackFault> {
        let mut byte = [0];
        loop {
            match self.input.read(&mut byte) {
                Ok(0) => return Ok(None),
                Ok(_) => {
                    self.count += 1;
                    return Ok(Some(byte[0]));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], PackFault> {
        let mut bytes = [0; N];
        match self.input.read_exact(&mut bytes) {
            Ok(()) => {
                self.count += N as u64;
                Ok(bytes)
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(PackFault::Truncated),
            Err(error) => Err(error.into()),
        }
    }

    fn word(&mut self) -> Result<u16, PackFault> {
        Ok(u16::from_le_bytes(self.bytes()?))
    }
}
