//! The formats of fixed size, `.psv`, `.hcpe`, `.psum`, `.tree` and `.hcp`, and the packed games of
//! `.pack` and `.hcpe3`.

use std::io::{self, BufRead, Write};

use super::Codec;
use super::{Format, check_move, read_record, set_up, write_each, write_positions, write_samples};
use crate::records::pack::{self, PackWriter};
use crate::records::packed::{HuffmanCodedPos, PackedSfen};
use crate::records::sample::{Hcpe, PackedSfenValue, PositionSum, Sample, TreePosition};
use crate::records::teacher::{Fault, Record, ScoredPosition, Skipped, Span, TeacherGame};
use crate::{position::Position, records::hcpe3, records::score::psv_to_ninths, types::Move16};

// --- Records of one size ---

/// A format whose records have `N` bytes, each a position.
pub(super) struct FixedSize<const N: usize> {
    /// Checks and decodes a record. The position may be set up for the checks.
    decode: fn(&[u8; N], &mut Position) -> Result<Record, Fault>,
    write: fn(&Record, &mut dyn Write) -> io::Result<u64>,
}

impl<const N: usize> Codec for FixedSize<N> {
    fn read(
        &self,
        input: &mut dyn BufRead,
        scratch: &mut Position,
    ) -> Result<Option<Record>, Fault> {
        let record = read_record(input)?;
        record.map(|bytes| (self.decode)(&bytes, scratch)).transpose()
    }

    fn write(&self, record: &Record, out: &mut dyn Write) -> io::Result<u64> {
        (self.write)(record, out)
    }
}

pub(super) const PSV: FixedSize<{ PackedSfenValue::SIZE }> = FixedSize {
    decode: |bytes, scratch| {
        let record = PackedSfenValue::from_bytes(bytes);
        set_up(scratch, record.position.unpack_board()?, record.ply)?;
        let sample = record
            .to_sample()
            .ok_or(Fault::Result { found: record.result.into(), expected: "1, 0 or -1" })?;
        check_move(scratch, sample.mv, record.mv)?;
        let mut scored = ScoredPosition::from_bytes(sample, Format::Psv, bytes);
        scored.score_ninths = psv_to_ninths(record.score);
        Ok(Record::Sample(scored))
    },
    write: |record, out| {
        write_samples(Format::Psv, record, out, |sample| {
            PackedSfenValue::from_sample(sample).to_bytes()
        })
    },
};

pub(super) const HCPE: FixedSize<{ Hcpe::SIZE }> = FixedSize {
    decode: |bytes, scratch| {
        let record = Hcpe::from_bytes(bytes);
        set_up(scratch, record.position.unpack_board()?, PLY)?;
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
        let scored = ScoredPosition::from_bytes(sample, Format::Hcpe, bytes);
        Ok(Record::Sample(scored))
    },
    write: |record, out| {
        write_samples(Format::Hcpe, record, out, |sample| Hcpe::from_sample(sample).to_bytes())
    },
};

pub(super) const PSUM: FixedSize<{ PositionSum::SIZE }> = FixedSize {
    decode: |bytes, scratch| {
        let sum = PositionSum::from_bytes(bytes);
        set_up(scratch, sum.position.unpack_board()?, sum.ply)?;
        if sum.count() == 0 {
            return Err(Fault::Result { found: 0, expected: "at least one win, draw or loss" });
        }
        if !sum.is_possible() {
            return Err(Fault::Sum { found: sum.score_sum, count: sum.count() });
        }
        check_move(scratch, Move16::from_bits(sum.mv), sum.mv)?;
        Ok(Record::Sum(sum))
    },
    write: |record, out| write_each(out, |put| record.for_each_sum(|sum| put(sum.to_bytes()))),
};

pub(super) const TREE: FixedSize<{ TreePosition::SIZE }> = FixedSize {
    decode: |bytes, scratch| {
        let found = TreePosition::from_bytes(bytes);
        let found = found.ok_or(Fault::Bound(bytes[TreePosition::SIZE - 1]))?;
        set_up(scratch, found.position.unpack_board()?, found.ply)?;
        if let Some(mv) = found.mv {
            check_move(scratch, Some(mv), Move16::to_bits(mv))?;
        }
        Ok(Record::Tree(found))
    },
    write: |record, out| {
        let Record::Tree(position) = record else {
            return Ok(0);
        };
        out.write_all(&position.to_bytes())?;
        Ok(1)
    },
};

/// The ply of positions of formats that do not store it.
const PLY: u16 = 1;

pub(super) const HCP: FixedSize<{ size_of::<HuffmanCodedPos>() }> = FixedSize {
    decode: |bytes, scratch| {
        let board = HuffmanCodedPos::from_bytes(*bytes).unpack_board()?;
        set_up(scratch, board, PLY)?;
        Ok(Record::Position(PackedSfen::of(scratch), PLY))
    },
    write: |record, out| {
        write_positions(record, out, |position| HuffmanCodedPos::of(position).to_bytes())
    },
};

// --- Games ---

pub(super) struct PackCodec;

impl Codec for PackCodec {
    fn read(&self, mut input: &mut dyn BufRead, _: &mut Position) -> Result<Option<Record>, Fault> {
        let Some(frame) = pack::Frame::read(&mut input)? else {
            return Ok(None);
        };
        Ok(Some(frame.decode()?.into()))
    }

    fn skip_record(
        &self,
        mut input: &mut dyn BufRead,
        _: &mut Position,
    ) -> Result<Option<Skipped>, Fault> {
        let frame = pack::Frame::read(&mut input)?;
        Ok(frame.map(|frame| {
            let (first, moves, result) = frame.extent();
            Skipped::Game(Span::new(first, moves, result))
        }))
    }

    fn write(&self, record: &Record, out: &mut dyn Write) -> io::Result<u64> {
        let Some(game) = record.game() else {
            return Ok(0);
        };
        let mut writer = PackWriter::new(out);
        if game.has_unsearched() {
            for part in game.searched_parts() {
                writer.write(&part)?;
            }
        } else {
            writer.write(&game.game)?;
        }
        Ok(record.positions())
    }
}

pub(super) struct Hcpe3Codec;

impl Codec for Hcpe3Codec {
    fn read(&self, mut input: &mut dyn BufRead, _: &mut Position) -> Result<Option<Record>, Fault> {
        let Some(bytes) = hcpe3::read_game(&mut input)? else {
            return Ok(None);
        };
        let (game, unsearched) = hcpe3::decode(&bytes)?;
        let source = (Format::Hcpe3, bytes.into());
        let game = TeacherGame::from_bytes(game, unsearched, source);
        Ok(Some(Record::Game(Box::new(game))))
    }

    fn write(&self, record: &Record, out: &mut dyn Write) -> io::Result<u64> {
        let Some(game) = record.game() else {
            return Ok(0);
        };
        match record.source_bytes(Format::Hcpe3) {
            Some(bytes) => out.write_all(bytes)?,
            None => out.write_all(&hcpe3::encode(&game.game)?)?,
        }
        Ok(record.positions())
    }
}
