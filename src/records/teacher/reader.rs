//! Reads any format.

use std::io::BufRead;

use super::{Fault, Format, Record, Sample, TeacherError, text};
use crate::position::{Board, Position};
use crate::records::apery_move::from_apery;
use crate::records::hcpe::Hcpe;
use crate::records::hcpe3::Hcpe3Reader;
use crate::records::pack::{PackGame, PackReader};
use crate::records::packed::{HuffmanCodedPos, PackedSfen};
use crate::records::psum::PositionSum;
use crate::records::psv::PackedSfenValue;
use crate::types::{Color, EnteringKingRule, Move16};
use crate::util::read_up_to;

/// Bytes of the longest record of a fixed size.
const LONGEST_RECORD: usize = PositionSum::SIZE;

/// One record after the other. Bad ones are errors, and the next one follows where the format tells where it begins.
pub struct TeacherReader<R: BufRead> {
    source: Source<R>,
    /// Records begun.
    records: u64,
    /// Where the next record begins; games know that themselves.
    offset: u64,
    is_over: bool,
    /// Whether games without a result by play are bad.
    needs_results: bool,
    /// Set up anew for each record.
    position: Position,
}

enum Source<R: BufRead> {
    Fixed(R, Format),
    Lines(R),
    Csa(R),
    Kif(R),
    Pack(Box<PackReader<R>>),
    Hcpe3(Hcpe3Reader<R>),
}

impl<R: BufRead> TeacherReader<R> {
    /// Reads `input` from its beginning.
    pub fn new(input: R, format: Format) -> Self {
        let source = match format {
            Format::Psv | Format::Hcpe | Format::Psum | Format::Hcp => Source::Fixed(input, format),
            Format::Sfen | Format::Usi => Source::Lines(input),
            Format::Csa => Source::Csa(input),
            Format::Kif => Source::Kif(input),
            Format::Pack => Source::Pack(Box::new(PackReader::new(input))),
            Format::Hcpe3 => Source::Hcpe3(Hcpe3Reader::new(input)),
        };
        Self {
            source,
            records: 0,
            offset: 0,
            is_over: false,
            needs_results: false,
            position: Position::startpos(),
        }
    }

    /// Takes games that neither play nor the rules ended for bad records.
    #[must_use]
    pub fn needing_results(mut self) -> Self {
        self.needs_results = true;
        self
    }

    /// Where the next record begins, in bytes.
    pub fn offset(&self) -> u64 {
        match &self.source {
            Source::Fixed(..) | Source::Lines(_) | Source::Csa(_) | Source::Kif(_) => self.offset,
            Source::Pack(reader) => reader.offset(),
            Source::Hcpe3(reader) => reader.offset(),
        }
    }

    fn read(&mut self) -> Result<Option<Record>, Fault> {
        let record = match &mut self.source {
            Source::Fixed(input, format) => {
                let format = *format;
                let mut bytes = [0; LONGEST_RECORD];
                let size = format.record_size().unwrap_or(bytes.len());
                let found = read_up_to(input, &mut bytes[..size])?;
                self.offset += found as u64;
                if found == 0 {
                    return Ok(None);
                }
                if found < size {
                    let expected = size;
                    return Err(Fault::Truncated { found, expected });
                }
                return self.understand(&bytes, format).map(Some);
            }
            Source::Lines(input) => text::next_line(input, &mut self.offset)?,
            Source::Csa(input) => text::next_csa(input, &mut self.offset)?.map(game),
            Source::Kif(input) => text::next_kif(input, &mut self.offset)?.map(game),
            Source::Pack(games) => {
                let next = games.next().transpose();
                next.map_err(|error| error.fault)?.map(game)
            }
            Source::Hcpe3(games) => {
                let next = games.next().transpose().map_err(|error| error.fault)?;
                next.map(|game| Record::Hcpe3(Box::new(game)))
            }
        };
        match &record {
            Some(Record::Game(game)) => both_kings(&game.start)?,
            Some(Record::Hcpe3(game)) => both_kings(&game.start)?,
            _ => {}
        }
        Ok(record)
    }

    fn understand(
        &mut self,
        bytes: &[u8; LONGEST_RECORD],
        format: Format,
    ) -> Result<Record, Fault> {
        match format {
            Format::Hcpe => {
                let mut stored = [0; Hcpe::SIZE];
                stored.copy_from_slice(&bytes[..Hcpe::SIZE]);
                self.understand_hcpe(&Hcpe::from_bytes(&stored))
            }
            Format::Hcp => {
                let mut stored = [0; 32];
                stored.copy_from_slice(&bytes[..32]);
                self.set_up(HuffmanCodedPos::from_bytes(stored).unpack_board()?, 1)?;
                Ok(Record::Position(PackedSfen::of(&self.position), 1))
            }
            Format::Psum => {
                let sum = PositionSum::from_bytes(bytes);
                self.set_up(sum.position.unpack_board()?, sum.ply)?;
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
                self.prove_move(Move16::from_bits(sum.mv), sum.mv)?;
                Ok(Record::Sum(sum))
            }
            _ => {
                let mut stored = [0; PackedSfenValue::SIZE];
                stored.copy_from_slice(&bytes[..PackedSfenValue::SIZE]);
                self.understand_psv(PackedSfenValue::from_bytes(&stored))
            }
        }
    }

    fn set_up(&mut self, board: Board, ply: u16) -> Result<(), Fault> {
        self.position.set_up(board, u32::from(ply.max(1)));
        both_kings(&self.position)
    }

    fn understand_psv(&mut self, record: PackedSfenValue) -> Result<Record, Fault> {
        self.set_up(record.position.unpack_board()?, record.ply)?;
        if Sample::of_psv(&record).is_none() {
            return Err(Fault::Result {
                found: record.result.into(),
                expected: "1, 0 or -1",
            });
        }
        self.prove_move(record.best_move(), record.mv)?;
        Ok(Record::Psv(record))
    }

    fn understand_hcpe(&mut self, record: &Hcpe) -> Result<Record, Fault> {
        self.set_up(record.position.unpack_board()?, 1)?;
        let result = record.game_result().ok_or(Fault::Result {
            found: record.result.into(),
            expected: "0 (draw), 1 (black won) or 2 (white won) in its lowest two bits",
        })?;
        let mv = from_apery(record.mv);
        self.prove_move(mv, record.mv)?;
        let sample = Sample {
            position: PackedSfen::of(&self.position),
            score: record.score,
            mv,
            result,
            ply: 0,
        };
        Ok(Record::Hcpe(*record, sample))
    }

    /// The move must be legal; none (0) is fine where the side to move can declare.
    fn prove_move(&self, mv: Option<Move16>, bits: u16) -> Result<(), Fault> {
        let position = &self.position;
        if bits == 0 {
            let declares = |rule| position.declaration(rule).is_some();
            return if EnteringKingRule::ALL.into_iter().any(declares) {
                Ok(())
            } else {
                let sfen = position.to_sfen();
                Err(Fault::NoMove { sfen })
            };
        }
        let possible = mv.and_then(|mv| position.to_move(mv));
        if possible.is_some_and(|mv| position.pseudo_legal(mv) && position.legal(mv)) {
            return Ok(());
        }
        Err(Fault::Move {
            text: mv.map_or_else(|| format!("{bits:#06x}"), |mv| mv.to_string()),
            sfen: position.to_sfen(),
        })
    }
}

fn game(game: PackGame) -> Record {
    Record::Game(Box::new(game))
}

fn both_kings(position: &Position) -> Result<(), Fault> {
    let missing = Color::ALL
        .into_iter()
        .find(|&color| position.king(color).is_none());
    missing.map_or(Ok(()), |color| Err(Fault::NoKing { color }))
}

impl<R: BufRead> Iterator for TeacherReader<R> {
    type Item = Result<Record, TeacherError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let offset = self.offset();
        self.records += 1;
        let record = self.read().and_then(|record| match &record {
            Some(record) if self.needs_results && !record.is_finished() => Err(Fault::Unfinished),
            _ => Ok(record),
        });
        let record = record.map_err(|fault| TeacherError {
            record: self.records,
            offset,
            fault,
        });
        self.is_over = match &record {
            Ok(record) => record.is_none(),
            Err(error) => error.fault.is_fatal(),
        };
        record.transpose()
    }
}
