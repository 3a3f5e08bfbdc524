//! `.psum`: positions with the exact sums of several samples.

use std::io::{self, BufRead, Write};

use crate::position::Position;
use crate::records::psum::PositionSum;
use crate::records::teacher::codec::{Codec, check_move, read_record, set_up};
use crate::records::teacher::fault::Fault;
use crate::records::teacher::record::Record;
use crate::types::Move16;

pub(super) struct Psum;

impl Codec for Psum {
    fn read(
        &self,
        input: &mut dyn BufRead,
        scratch: &mut Position,
    ) -> Result<Option<Record>, Fault> {
        let Some(bytes) = read_record(input)? else {
            return Ok(None);
        };
        let sum = PositionSum::from_bytes(&bytes);
        set_up(scratch, sum.position.unpack_board()?, sum.ply)?;
        if sum.count() == 0 {
            return Err(Fault::Result {
                found: 0,
                expected: "at least one win, draw or loss",
            });
        }
        if !sum.is_possible() {
            return Err(Fault::Sum {
                found: sum.score_sum,
                count: sum.count(),
            });
        }
        check_move(scratch, Move16::from_bits(sum.mv), sum.mv)?;
        Ok(Some(Record::Sum(sum)))
    }

    fn write(&self, record: &Record, out: &mut dyn Write) -> io::Result<u64> {
        let mut written = Ok(0);
        record.for_each_sum(|sum| {
            if let Ok(count) = &mut written {
                *count += 1;
                if let Err(error) = out.write_all(&sum.to_bytes()) {
                    written = Err(error);
                }
            }
        });
        written
    }
}
