//! Reads games of any format, with their ratings and results.

use crate::runs::Watch;
use std::fs::{self, File};
use std::io::BufReader;

use super::settings::GameFile;
use crate::makebook::error::MakeError;
use crate::position::Position;
use crate::records::game::{GameRecord, GameResult};
use crate::records::pack::{PackGame, PackReason};
use crate::records::teacher::{Fault, Format, Record, TeacherError, TeacherReader};
use crate::records::{csa, encoding};
use crate::types::{Color, Move};

/// A game, with what a book needs of it.
pub(super) struct Game {
    pub(super) start: Position,
    pub(super) moves: Vec<Move>,
    /// `None` if unknown.
    pub(super) result: Option<GameResult>,
    pub(super) ratings: [Option<f64>; Color::NUM],
}

/// Calls `visit` for every game of the files, and for what cannot be read as one. Positions without
/// games are skipped.
pub(super) fn read(
    files: &[GameFile],
    watch: &Watch<'_>,
    mut visit: impl FnMut(&GameFile, Result<Game, TeacherError>) -> Result<(), MakeError>,
) -> Result<(), MakeError> {
    let size = |file: &GameFile| fs::metadata(&file.path).map_or(0, |found| found.len());
    let total = files.iter().map(size).sum();
    let mut done = 0;
    for file in files {
        if file.format == Format::Csa {
            read_csa(file, &mut visit)?;
        } else {
            read_others(file, &mut visit)?;
        }
        done += size(file);
        watch.advance(done, total)?;
    }
    Ok(())
}

/// Reads a CSA file as a whole, because only this reader provides ratings.
fn read_csa(
    file: &GameFile,
    visit: &mut impl FnMut(&GameFile, Result<Game, TeacherError>) -> Result<(), MakeError>,
) -> Result<(), MakeError> {
    let bytes = fs::read(&file.path).map_err(MakeError::io(&file.path))?;
    match csa::read(&encoding::decode(&bytes)) {
        Ok(records) => records
            .iter()
            .try_for_each(|record| visit(file, Ok(Game::of_record(record)))),
        Err(error) => {
            let error = TeacherError {
                record: 1,
                offset: 0,
                fault: Fault::from(error),
            };
            visit(file, Err(error))
        }
    }
}

fn read_others(
    file: &GameFile,
    visit: &mut impl FnMut(&GameFile, Result<Game, TeacherError>) -> Result<(), MakeError>,
) -> Result<(), MakeError> {
    let input = File::open(&file.path).map_err(MakeError::io(&file.path))?;
    for record in TeacherReader::new(BufReader::new(input), file.format) {
        match record {
            Ok(Record::Game(game)) => visit(file, Ok(Game::of_pack(game.game)))?,
            Ok(_) => {}
            Err(error) => visit(file, Err(error))?,
        }
    }
    Ok(())
}

impl Game {
    fn of_record(record: &GameRecord) -> Self {
        let winner = record.winner().map(GameResult::Win);
        Self {
            start: record.start.clone(),
            moves: record.moves.iter().map(|played| played.mv).collect(),
            result: winner.or_else(|| record.ending.is_draw().then_some(GameResult::Draw)),
            ratings: record.ratings,
        }
    }

    fn of_pack(game: PackGame) -> Self {
        let is_unknown = game.reason == PackReason::INTERRUPTED;
        Self {
            start: game.start,
            moves: game.moves.into_iter().map(|(mv, _)| mv).collect(),
            result: (!is_unknown).then_some(game.result),
            ratings: [None; Color::NUM],
        }
    }
}
