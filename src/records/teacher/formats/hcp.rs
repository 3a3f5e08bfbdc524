//! `.hcp`: the positions of Apery and dlshogi alone, 32 bytes each.

use std::io::{self, BufRead, Write};

use crate::position::Position;
use crate::records::packed::{HuffmanCodedPos, PackedSfen};
use crate::records::teacher::codec::{Codec, read_record, set_up, write_positions};
use crate::records::teacher::fault::Fault;
use crate::records::teacher::record::Record;

/// The ply of a position, which the format does not store.
const PLY: u16 = 1;

pub(super) struct Hcp;

impl Codec for Hcp {
    fn read(
        &self,
        input: &mut dyn BufRead,
        scratch: &mut Position,
    ) -> Result<Option<Record>, Fault> {
        let Some(bytes) = read_record(input)? else {
            return Ok(None);
        };
        let board = HuffmanCodedPos::from_bytes(bytes).unpack_board()?;
        set_up(scratch, board, PLY)?;
        Ok(Some(Record::Position(PackedSfen::of(scratch), PLY)))
    }

    fn write(&self, record: &Record, out: &mut dyn Write) -> io::Result<u64> {
        write_positions(record, out, |position| {
            HuffmanCodedPos::of(position).to_bytes()
        })
    }
}
