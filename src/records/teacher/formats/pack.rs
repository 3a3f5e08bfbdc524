//! `.pack`: games of the archive.

use std::io::{self, BufRead, Write};
use std::sync::LazyLock;

use crate::position::Position;
use crate::records::game_reader::GameFormat;
use crate::records::pack::{Pack, PackFault, PackWriter};
use crate::records::teacher::class;
use crate::records::teacher::codec::Codec;
use crate::records::teacher::fault::{Fault, FormatFault};
use crate::records::teacher::record::Record;
use crate::records::teacher::span::{Skipped, Span};

pub(super) struct PackCodec;

impl Codec for PackCodec {
    fn read(&self, mut input: &mut dyn BufRead, _: &mut Position) -> Result<Option<Record>, Fault> {
        static PACK: LazyLock<Pack> = LazyLock::new(Pack::default);
        let Some(frame) = Pack::read_frame(&mut input)? else {
            return Ok(None);
        };
        Ok(Some(PACK.decode(frame)?.into()))
    }

    fn skip_record(
        &self,
        mut input: &mut dyn BufRead,
        _: &mut Position,
    ) -> Result<Option<Skipped>, Fault> {
        let frame = Pack::read_frame(&mut input)?;
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

impl FormatFault for PackFault {
    fn class(&self) -> &'static str {
        match self {
            Self::Io(_) => class::UNREADABLE,
            Self::Truncated => class::TRUNCATED,
            Self::Flag { .. } | Self::Endless => "no game",
            Self::End { .. } => class::BAD_RESULT,
            Self::Start(error) => class::of_position(error),
            Self::Move(_) => class::ILLEGAL_MOVE,
        }
    }

    fn is_fatal(&self) -> bool {
        Pack::is_fatal(self)
    }
}
