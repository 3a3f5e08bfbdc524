//! `.hcpe`: samples of Apery and dlshogi.

use std::io::{self, BufRead, Write};

use crate::position::Position;
use crate::records::hcpe::Hcpe;
use crate::records::packed::PackedSfen;
use crate::records::sample::Sample;
use crate::records::teacher::codec::{Codec, check_move, read_record, set_up, write_samples};
use crate::records::teacher::fault::Fault;
use crate::records::teacher::record::{Record, ScoredPosition};

pub(super) const NAME: &str = "hcpe";

pub(super) struct HcpeCodec;

impl Codec for HcpeCodec {
    fn read(
        &self,
        input: &mut dyn BufRead,
        scratch: &mut Position,
    ) -> Result<Option<Record>, Fault> {
        let Some(bytes) = read_record(input)? else {
            return Ok(None);
        };
        let record = Hcpe::from_bytes(&bytes);
        set_up(scratch, record.position.unpack_board()?, 1)?;
        let result = record.game_result().ok_or(Fault::Result {
            found: record.result.into(),
            expected: "0 (draw), 1 (black won) or 2 (white won) in its lowest two bits",
        })?;
        let sample = Sample {
            position: PackedSfen::of(scratch),
            score: record.score,
            mv: record.best_move(),
            result,
            ply: 0,
        };
        check_move(scratch, sample.mv, record.mv)?;
        let scored = ScoredPosition::from_bytes(sample, NAME, &bytes, |score| score);
        Ok(Some(Record::Sample(scored)))
    }

    fn write(&self, record: &Record, out: &mut dyn Write) -> io::Result<u64> {
        write_samples(NAME, record, out, |sample| {
            Hcpe::from_sample(sample).to_bytes()
        })
    }
}
