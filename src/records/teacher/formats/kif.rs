//! `.kif`: a game of KIF, which can only be read.

use std::io::{self, BufRead, Read as _, Write};

use super::game_record::{LONGEST_RECORD, from_record};
use crate::position::Position;
use crate::records::encoding;
use crate::records::kif::{self, KifError, KifFault};
use crate::records::teacher::class;
use crate::records::teacher::codec::Codec;
use crate::records::teacher::fault::{Fault, FormatFault};
use crate::records::teacher::record::Record;

pub(super) struct Kif;

impl Codec for Kif {
    fn read(&self, input: &mut dyn BufRead, _: &mut Position) -> Result<Option<Record>, Fault> {
        let mut bytes = Vec::new();
        input.take(LONGEST_RECORD + 1).read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        if bytes.len() as u64 > LONGEST_RECORD {
            return Err(Fault::LongLine(LONGEST_RECORD));
        }
        let record = kif::read(&encoding::decode(&bytes))?;
        Ok(Some(from_record(&record).into()))
    }

    fn write(&self, _: &Record, _: &mut dyn Write) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl FormatFault for KifError {
    fn class(&self) -> &'static str {
        match self.fault {
            KifFault::Illegal { .. } => class::ILLEGAL_MOVE,
            _ => class::BAD_LINE,
        }
    }
}
