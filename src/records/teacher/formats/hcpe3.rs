//! `.hcpe3`: games of dlshogi with the candidates of each search.

use std::io::{self, BufRead, Write};

use crate::position::Position;
use crate::records::game_reader::GameFormat;
use crate::records::hcpe3::{Hcpe3, Hcpe3Fault, Hcpe3Game};
use crate::records::teacher::class;
use crate::records::teacher::codec::Codec;
use crate::records::teacher::fault::{Fault, FormatFault};
use crate::records::teacher::record::{Record, TeacherGame};

pub(super) const NAME: &str = "hcpe3";

pub(super) struct Hcpe3Codec;

impl Codec for Hcpe3Codec {
    fn read(&self, mut input: &mut dyn BufRead, _: &mut Position) -> Result<Option<Record>, Fault> {
        let Some(frame) = Hcpe3::read_frame(&mut input)? else {
            return Ok(None);
        };
        let game = Hcpe3.decode(frame)?;
        let mut bytes = Vec::new();
        game.write(&mut bytes)?;
        let moves = game.moves.iter().enumerate();
        let unsearched = moves.filter(|(_, played)| !played.is_searched());
        let game = TeacherGame::from_bytes(
            game.to_pack(),
            unsearched.map(|(index, _)| index).collect(),
            (NAME, bytes.into()),
            Hcpe3Game::set_scores,
        );
        Ok(Some(Record::Game(Box::new(game))))
    }

    fn write(&self, record: &Record, mut out: &mut dyn Write) -> io::Result<u64> {
        let Some(game) = record.game() else {
            return Ok(0);
        };
        match record.source_bytes(NAME) {
            Some(bytes) => out.write_all(bytes)?,
            None => Hcpe3Game::from_pack(&game.game).write(&mut out)?,
        }
        Ok(record.positions())
    }
}

impl FormatFault for Hcpe3Fault {
    fn class(&self) -> &'static str {
        match self {
            Self::Io(_) => class::UNREADABLE,
            Self::Truncated => class::TRUNCATED,
            Self::Ending { .. } => class::BAD_RESULT,
            Self::Start(error) => class::of_position(error),
            Self::Move(_) | Self::Candidate { .. } => class::ILLEGAL_MOVE,
        }
    }

    fn is_fatal(&self) -> bool {
        Hcpe3::is_fatal(self)
    }
}
