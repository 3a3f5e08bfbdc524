//! `.tree`: inner nodes of searches.

use std::io::{self, BufRead, Write};

use thiserror::Error;

use crate::position::Position;
use crate::records::teacher::codec::{Codec, check_move, read_record, set_up};
use crate::records::teacher::fault::{Fault, FormatFault};
use crate::records::teacher::record::Record;
use crate::records::tree::TreePosition;
use crate::types::Move16;

pub(super) struct Tree;

/// The last byte of a record is no bound.
#[derive(Debug, Error)]
#[error("bound {0}, expected 1 (at most), 2 (at least) or 3 (exact)")]
struct BoundFault(u8);

impl Codec for Tree {
    fn read(
        &self,
        input: &mut dyn BufRead,
        scratch: &mut Position,
    ) -> Result<Option<Record>, Fault> {
        let Some(bytes) = read_record::<{ TreePosition::SIZE }>(input)? else {
            return Ok(None);
        };
        let found = TreePosition::from_bytes(&bytes);
        let found = found.ok_or(BoundFault(bytes[TreePosition::SIZE - 1]))?;
        set_up(scratch, found.position.unpack_board()?, found.ply)?;
        if let Some(mv) = found.mv {
            check_move(scratch, Some(mv), Move16::to_bits(mv))?;
        }
        Ok(Some(Record::Tree(found)))
    }

    fn write(&self, record: &Record, out: &mut dyn Write) -> io::Result<u64> {
        let Record::Tree(position) = record else {
            return Ok(0);
        };
        out.write_all(&position.to_bytes())?;
        Ok(1)
    }
}

impl FormatFault for BoundFault {
    fn class(&self) -> &'static str {
        "bad bound"
    }
}
