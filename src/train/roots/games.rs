//! Reads games of any format, with what roots need of them.

use crate::runs::Watch;
use std::fs::{self, File};
use std::io::BufReader;

use super::super::data::pass::{BadRecords, Tally};
use super::super::data::{DataError, Source, Sources};
use crate::position::Position;
use crate::records::game::{Ending, GameRecord};
use crate::records::pack::{PackGame, PackReason};
use crate::records::teacher::{Fault, Format, Record, TeacherError, TeacherReader};
use crate::records::{csa, encoding};
use crate::types::{Color, Move, Score};

/// A game, with what roots need of it.
pub(super) struct Game {
    pub(super) start: Position,
    /// The moves and their scores in centipawns, if known; the sign is not used. A mate is above
    /// any limit.
    pub(super) moves: Vec<(Move, Option<i32>)>,
    pub(super) end: End,
    pub(super) ratings: [Option<f64>; Color::NUM],
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// By play, by the rules, or at the move limit.
    Played,
    /// By the fourth occurrence of a position, perpetual check included.
    Repetition,
    /// In another way or unknown.
    Unfinished,
}

/// Calls `visit` for every good game and counts good and bad records. Positions without games are
/// skipped.
pub(super) fn read(
    sources: &Sources,
    bad_records: BadRecords,
    tally: &mut Tally,
    watch: &Watch<'_>,
    mut visit: impl FnMut(Game),
) -> Result<(), DataError> {
    let total = sources.bytes()?;
    let mut done = 0;
    for source in sources.files() {
        let mut take = |record: Result<Game, TeacherError>| {
            if let Some(game) = tally.take_any(source, record, bad_records)? {
                visit(game);
            }
            Ok(())
        };
        if source.format == Format::Csa {
            read_csa(source, &mut take)?;
        } else {
            read_others(source, &mut take)?;
        }
        done += fs::metadata(&source.path).map_or(0, |file| file.len());
        watch.advance(done, total)?;
    }
    Ok(())
}

/// Reads a CSA file as a whole, because only this reader provides ratings. Files of floodgate hold
/// one game.
fn read_csa(
    source: &Source,
    take: &mut impl FnMut(Result<Game, TeacherError>) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let bytes = fs::read(&source.path).map_err(DataError::io(&source.path))?;
    let fault = |record, fault| TeacherError {
        record,
        offset: 0,
        fault,
    };
    match csa::read(&encoding::decode(&bytes)) {
        Ok(records) => (1..).zip(records).try_for_each(|(number, record)| {
            let kingless = |&color: &Color| record.start.king(color).is_none();
            take(match Color::ALL.into_iter().find(kingless) {
                Some(color) => Err(fault(number, Fault::NoKing { color })),
                None => Ok(Game::of_record(&record)),
            })
        }),
        Err(error) => take(Err(fault(1, error.into()))),
    }
}

fn read_others(
    source: &Source,
    take: &mut impl FnMut(Result<Game, TeacherError>) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let file = File::open(&source.path).map_err(DataError::io(&source.path))?;
    for record in TeacherReader::new(BufReader::new(file), source.format) {
        match record {
            Ok(Record::Game(game)) => take(Ok(Game::of_pack(&game.game)))?,
            Ok(_) => {}
            Err(error) => take(Err(error))?,
        }
    }
    Ok(())
}

impl Game {
    fn of_record(record: &GameRecord) -> Self {
        let score = |score| match score {
            Score::Cp(score) => score,
            Score::Mate(_) => i32::MAX,
        };
        let moves = record.moves.iter().map(|played| {
            let thought = played.thought.as_ref();
            (
                played.mv,
                thought.and_then(|thought| thought.score).map(score),
            )
        });
        Self {
            start: record.start.clone(),
            moves: moves.collect(),
            end: match record.ending {
                Ending::Resignation
                | Ending::Checkmate
                | Ending::Declaration
                | Ending::MaxMoves
                | Ending::AdjudicatedWin { .. }
                | Ending::AdjudicatedDraw => End::Played,
                Ending::Repetition | Ending::PerpetualCheck { .. } => End::Repetition,
                Ending::TimeUp
                | Ending::IllegalMove { .. }
                | Ending::IllegalAction { .. }
                | Ending::IllegalDeclaration
                | Ending::Disconnection { .. }
                | Ending::Interrupted
                | Ending::NoMate
                | Ending::Forfeit { .. }
                | Ending::Unfinished => End::Unfinished,
            },
            ratings: record.ratings,
        }
    }

    fn of_pack(game: &PackGame) -> Self {
        let moves = game.moves.iter();
        Self {
            start: game.start.clone(),
            moves: moves.map(|&(mv, score)| (mv, Some(score.into()))).collect(),
            end: match game.reason {
                PackReason::REPETITION | PackReason::PERPETUAL_CHECK => End::Repetition,
                PackReason::INTERRUPTED | PackReason::TIME_UP | PackReason::ILLEGAL_MOVE => {
                    End::Unfinished
                }
                _ => End::Played,
            },
            ratings: [None; Color::NUM],
        }
    }
}
