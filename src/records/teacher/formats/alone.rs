//! `.kif`, `.ki2` and `.jkf`: a game as text, alone in its file. `raicho convert` writes them from
//! other games as text; from teacher data they are not written.

use std::io::{self, BufRead, Read as _, Write};

use super::game_record::{LONGEST_RECORD, from_record};
use crate::position::Position;
use crate::records::encoding;
use crate::records::game::GameRecord;
use crate::records::jkf::{self, JkfError, JkfFault};
use crate::records::kif::{self, KifError, KifFault};
use crate::records::teacher::class;
use crate::records::teacher::codec::Codec;
use crate::records::teacher::fault::{Fault, FormatFault};
use crate::records::teacher::record::Record;

/// KIF and KI2, which tell themselves apart.
pub(super) struct Kif;

/// JKF.
pub(super) struct Jkf;

impl Codec for Kif {
    fn read(&self, input: &mut dyn BufRead, _: &mut Position) -> Result<Option<Record>, Fault> {
        whole_file(input, |text| Ok(kif::read(text)?))
    }

    fn write(&self, _: &Record, _: &mut dyn Write) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl Codec for Jkf {
    fn read(&self, input: &mut dyn BufRead, _: &mut Position) -> Result<Option<Record>, Fault> {
        whole_file(input, |text| Ok(jkf::read(text)?))
    }

    fn write(&self, _: &Record, _: &mut dyn Write) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Reads the game that fills the file; `None` at its end.
fn whole_file(
    input: &mut dyn BufRead,
    parse: impl FnOnce(&str) -> Result<GameRecord, Fault>,
) -> Result<Option<Record>, Fault> {
    let mut bytes = Vec::new();
    input.take(LONGEST_RECORD + 1).read_to_end(&mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 > LONGEST_RECORD {
        return Err(Fault::LongLine(LONGEST_RECORD));
    }
    let record = parse(&encoding::decode(&bytes))?;
    Ok(Some(from_record(&record).into()))
}

impl FormatFault for KifError {
    fn class(&self) -> &'static str {
        match self.fault {
            KifFault::Illegal { .. } => class::ILLEGAL_MOVE,
            _ => class::BAD_LINE,
        }
    }
}

impl FormatFault for JkfError {
    fn class(&self) -> &'static str {
        match self {
            Self::Entry {
                fault: JkfFault::Illegal { .. },
                ..
            } => class::ILLEGAL_MOVE,
            _ => class::BAD_LINE,
        }
    }
}
