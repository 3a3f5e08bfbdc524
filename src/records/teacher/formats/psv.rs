//! `.psv`: samples of `YaneuraOu`.

use std::io::{self, BufRead, Write};

use crate::position::Position;
use crate::records::psv::PackedSfenValue;
use crate::records::score::{centipawns_to_psv, psv_to_ninths};
use crate::records::teacher::codec::{Codec, check_move, read_record, set_up, write_samples};
use crate::records::teacher::fault::Fault;
use crate::records::teacher::record::{Record, ScoredPosition};

pub(super) const NAME: &str = "psv";

pub(super) struct Psv;

impl Codec for Psv {
    fn read(
        &self,
        input: &mut dyn BufRead,
        scratch: &mut Position,
    ) -> Result<Option<Record>, Fault> {
        let Some(bytes) = read_record(input)? else {
            return Ok(None);
        };
        let record = PackedSfenValue::from_bytes(&bytes);
        set_up(scratch, record.position.unpack_board()?, record.ply)?;
        let sample = record.to_sample().ok_or(Fault::Result {
            found: record.result.into(),
            expected: "1, 0 or -1",
        })?;
        check_move(scratch, sample.mv, record.mv)?;
        let mut scored = ScoredPosition::from_bytes(sample, NAME, &bytes, centipawns_to_psv);
        scored.score_ninths = psv_to_ninths(record.score);
        Ok(Some(Record::Sample(scored)))
    }

    fn write(&self, record: &Record, out: &mut dyn Write) -> io::Result<u64> {
        write_samples(NAME, record, out, |sample| {
            PackedSfenValue::from_sample(sample).to_bytes()
        })
    }
}
