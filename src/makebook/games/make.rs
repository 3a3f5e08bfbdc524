//! Counts the moves of games and writes them.

use std::io::Write as _;

use super::reader::{self, Game};
use super::settings::{GameFile, GameFilter, GamesOutput, GamesSettings, GamesSummary};
use super::table::{self, MoveCount, Table};
use crate::book::{BookEntry, BookFormat, BookMove, BookWriter};
use crate::makebook::combine::GAMES_DEPTH;
use crate::makebook::error::MakeError;
use crate::makebook::packing::key;
use crate::makebook::sorter::{Sorted, Sorter};
use crate::runs::{OutputFile, Watch};

/// Centipawns by which the odds change e-fold, where values are made of win rates.
const SCALE: f64 = 600.0;
/// Largest value that is made of a win rate.
const MAX_VALUE: f64 = 2_000.0;

const SHOWN_BAD: usize = 10;

/// Makes a book of games.
///
/// # Errors
/// A file cannot be read or written, a game is bad and such are not skipped, or the end is
/// requested. Nothing is left of an incomplete output, nor is a book without positions written.
pub fn from_games(
    files: &[GameFile],
    output: &GamesOutput<'_>,
    settings: &GamesSettings,
    watch: &Watch<'_>,
) -> Result<GamesSummary, MakeError> {
    let half = settings.memory / 2;
    let mut counter = Counter {
        filter: &settings.filter,
        format: output.format,
        table: Table::default(),
        memory: half,
        sorter: Sorter::new(output.path, half),
        summary: GamesSummary::default(),
    };
    reader::read(files, watch, |file, game| match game {
        Ok(game) => counter.take(&game),
        Err(error) if settings.skips_bad => {
            counter.summary.bad_count += 1;
            if counter.summary.bad.len() < SHOWN_BAD {
                counter.summary.bad.push((file.path.clone(), error));
            }
            Ok(())
        }
        Err(error) => Err(MakeError::Games {
            path: file.path.clone(),
            source: error,
        }),
    })?;
    counter.spill()?;
    let mut summary = counter.summary;
    write(counter.sorter.finish()?, output, settings, &mut summary)?;
    Ok(summary)
}

/// Counts moves.
struct Counter<'a> {
    filter: &'a GameFilter,
    format: BookFormat,
    table: Table,
    /// Bytes that the table may take.
    memory: u64,
    sorter: Sorter,
    summary: GamesSummary,
}

impl Counter<'_> {
    fn take(&mut self, game: &Game) -> Result<(), MakeError> {
        self.summary.games += 1;
        if let Some(least) = self.filter.min_rating {
            let is_high = |rating: &Option<f64>| rating.is_some_and(|rating| rating >= least);
            if !game.ratings.iter().all(is_high) {
                self.summary.low_ratings += 1;
                return Ok(());
            }
        }
        self.table.add(game, self.filter.plies, self.filter.side);
        if self.table.bytes() > self.memory {
            self.spill()?;
        }
        Ok(())
    }

    /// Moves the table to the sorter.
    fn spill(&mut self) -> Result<(), MakeError> {
        for (position, node) in self.table.drain() {
            self.sorter
                .push(&key(self.format, position), &node.pack(position))?;
        }
        Ok(())
    }
}

fn write(
    mut sorted: Sorted,
    output: &GamesOutput<'_>,
    settings: &GamesSettings,
    summary: &mut GamesSummary,
) -> Result<(), MakeError> {
    let mut out =
        BookWriter::create(output.path, output.format).map_err(MakeError::output(output.path))?;
    let mut results = match output.results {
        Some(path) => Some((
            OutputFile::create(path).map_err(MakeError::output(path))?,
            path,
        )),
        None => None,
    };
    if let Some((file, path)) = &mut results {
        const HEADER: &str = "#position\tmove\tgames\twins\tdraws\tlosses\tunknown\trate";
        writeln!(file, "{HEADER}").map_err(MakeError::io(path))?;
    }
    let mut next = sorted.next()?;
    while let Some((key, value)) = next {
        let Some((position, mut node)) = table::unpack(&value) else {
            next = sorted.next()?;
            continue;
        };
        loop {
            next = sorted.next()?;
            match &next {
                Some((other, value)) if *other == key => {
                    if let Some((_, later)) = table::unpack(value) {
                        node.append(later);
                    }
                }
                _ => break,
            }
        }
        node.moves
            .retain(|known| known.games() >= settings.filter.min_count.max(1));
        if node.moves.is_empty() {
            continue;
        }
        node.moves
            .sort_by_key(|known| (u64::MAX - known.games(), known.mv.to_bits()));
        let entry = BookEntry {
            position,
            ply: node.ply,
            moves: node
                .moves
                .iter()
                .map(|known| book_move(known, settings))
                .collect(),
        };
        out.write(&entry).map_err(MakeError::write(output.path))?;
        summary.positions += 1;
        if let Some((file, path)) = &mut results {
            let sfen = position.unpack_board().map(|board| board.to_sfen());
            let sfen = format!("{} {}", sfen.unwrap_or_default(), node.ply);
            for known in &node.moves {
                writeln!(file, "{sfen}\t{known}").map_err(MakeError::io(path))?;
            }
        }
    }
    if summary.positions == 0 {
        // The unfinished files are removed.
        return Ok(());
    }
    summary.losses = out.finish().map_err(MakeError::io(output.path))?;
    if let Some((file, path)) = results {
        file.finish().map_err(MakeError::io(path))?;
    }
    Ok(())
}

fn book_move(known: &MoveCount, settings: &GamesSettings) -> BookMove {
    let value = match known.rate() {
        Some(rate) if settings.has_values => {
            let odds = (rate / (1.0 - rate)).ln() * SCALE;
            odds.clamp(-MAX_VALUE, MAX_VALUE).round() as i32
        }
        _ => 0,
    };
    BookMove {
        mv: known.mv,
        ponder: known.ponder,
        value,
        depth: GAMES_DEPTH,
        count: known.games(),
    }
}
