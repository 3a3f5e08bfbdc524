//! `.csa`: games of CSA, separated by `/` alone on a line.

use std::io::{self, BufRead, Read as _, Write};

use super::game_record::{LONGEST_RECORD, from_record, to_record};
use crate::position::Position;
use crate::records::csa::{self, CsaError, CsaFault};
use crate::records::encoding;
use crate::records::teacher::class;
use crate::records::teacher::codec::Codec;
use crate::records::teacher::fault::{Fault, FormatFault};
use crate::records::teacher::record::Record;

/// The line between two games.
const SEPARATOR: &str = "/";

pub(super) struct Csa;

impl Codec for Csa {
    fn read(&self, input: &mut dyn BufRead, _: &mut Position) -> Result<Option<Record>, Fault> {
        loop {
            let bytes = next_game(input)?;
            if bytes.is_empty() {
                return Ok(None);
            }
            // A part of comments alone has no game.
            let games = csa::read(&encoding::decode(&bytes))?;
            if let Some(record) = games.first() {
                return Ok(Some(from_record(record).into()));
            }
        }
    }

    fn write(&self, record: &Record, mut out: &mut dyn Write) -> io::Result<u64> {
        let Some(game) = record.game() else {
            return Ok(0);
        };
        csa::write(&to_record(&game.game), &mut out)?;
        writeln!(out, "{SEPARATOR}")?;
        Ok(game.game.moves.len() as u64)
    }
}

/// The bytes of the next game and its separator; none at the end of the input.
fn next_game(input: &mut dyn BufRead) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    loop {
        let begin = bytes.len();
        let length = input.take(LONGEST_RECORD).read_until(b'\n', &mut bytes)?;
        if bytes.len() as u64 > LONGEST_RECORD {
            return Err(Fault::LongLine(LONGEST_RECORD));
        }
        if length == 0 || bytes[begin..].trim_ascii() == SEPARATOR.as_bytes() {
            return Ok(bytes);
        }
    }
}

impl FormatFault for CsaError {
    fn class(&self) -> &'static str {
        match self.fault {
            CsaFault::Illegal { .. } => class::ILLEGAL_MOVE,
            _ => class::BAD_LINE,
        }
    }
}
