//! Roots: start positions for self-play, taken from the first moves of games of strong players.
//!
//! The idea and the filters are those of dlshogi's `csa_to_roots_hcp.py`. Games are read one at a
//! time; only their positions are kept in memory. [`collect`] counts the positions, and [`check`]
//! plays from each of them and drops those from which games repeat moves.

mod check;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs::{self, File};
use std::io::BufReader;

use super::data::pass::{BadRecords, Tally};
use super::data::{DataError, Source, Sources};
use crate::position::Position;
use crate::records::pack::{PackGame, PackReason};
use crate::records::packed::PackedSfen;
use crate::records::teacher::{Fault, Format, Record, TeacherError, TeacherReader, from_record};
use crate::records::{csa, encoding};
use crate::runs::Watch;
use crate::types::Color;

pub use check::{CheckError, CheckSettings, CheckedRoot, check};

/// Filters of the games and of their positions.
#[derive(Clone, Debug)]
pub struct RootsSettings {
    /// Minimum rating, which both players must have.
    pub min_rating: Option<f64>,
    /// Minimum length of a game in plies.
    pub min_plies: usize,
    /// Number of first moves of a game before which the positions are taken.
    pub plies: usize,
    /// Score in centipawns, of either side, above which no further positions of the game are taken.
    pub eval_limit: Option<u32>,
    /// Whether to use games that were interrupted, lost on time or by a foul, or whose end is
    /// unknown.
    pub with_unfinished: bool,
    /// Minimum number of games of a position.
    pub min_count: u64,
    /// Quantile of the number of games, 0 to 1: less frequent positions are dropped; 0 drops none.
    pub percentile: f64,
    /// How to treat games that cannot be read.
    pub bad_records: BadRecords,
}

/// Number of games by what became of them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct GameCounts {
    /// Games from which positions were taken.
    pub used: u64,
    /// Games left out because a player's rating is unknown or too low.
    pub rating: u64,
    /// Games left out because they are too short.
    pub short: u64,
    /// Games left out because they ended by repetition or perpetual check.
    pub repetition: u64,
    /// Games left out because they were not played to the end.
    pub unfinished: u64,
}

/// The result of [`collect`].
pub struct Collection {
    /// Number of records, good and bad.
    pub tally: Tally,
    /// Number of games by what became of them.
    pub games: GameCounts,
    /// Statistics of all positions before the filters.
    pub before: Table,
    /// Minimum number of games of a kept position: the given minimum, or that of the percentile if
    /// it is higher.
    pub threshold: u64,
    /// The kept positions, the most frequent first.
    pub roots: Vec<Root>,
}

/// Reads the games and selects the positions.
///
/// # Errors
/// A file cannot be read, `watch` requests the end, or a game is bad and bad records are not
/// skipped.
pub fn collect(
    sources: &Sources,
    settings: &RootsSettings,
    watch: &Watch<'_>,
) -> Result<Collection, DataError> {
    let mut counter = Counter {
        settings,
        games: GameCounts::default(),
        positions: HashMap::new(),
    };
    let mut tally = Tally::default();
    read_games(sources, settings.bad_records, &mut tally, watch, |game| {
        counter.take(&game);
    })?;
    let games = counter.games;
    let mut roots: Vec<Root> = counter.positions.into_values().collect();
    let before = Table::of(&roots);
    let threshold = if settings.percentile > 0.0 {
        settings
            .min_count
            .max(quantile_of_counts(&roots, settings.percentile) as u64)
    } else {
        settings.min_count
    };
    roots.retain(|root| root.count >= threshold);
    // The order of the map differs between runs.
    roots.sort_unstable_by_key(|root| (u64::MAX - root.count, root.ply, root.position));
    Ok(Collection {
        tally,
        games,
        before,
        threshold,
        roots,
    })
}

/// Counts the positions of games.
struct Counter<'a> {
    settings: &'a RootsSettings,
    games: GameCounts,
    positions: HashMap<PackedSfen, Root>,
}

impl Counter<'_> {
    fn take(&mut self, game: &Game) {
        let settings = self.settings;
        let is_known_and_high = |least: f64| {
            let high = |rating: &Option<f64>| rating.is_some_and(|rating| rating >= least);
            game.ratings.iter().all(high)
        };
        let fate = if settings
            .min_rating
            .is_some_and(|least| !is_known_and_high(least))
        {
            &mut self.games.rating
        } else if game.game.moves.len() < settings.min_plies {
            &mut self.games.short
        } else {
            match game.game.reason {
                PackReason::REPETITION | PackReason::PERPETUAL_CHECK => &mut self.games.repetition,
                PackReason::INTERRUPTED | PackReason::TIME_UP | PackReason::ILLEGAL_MOVE
                    if !settings.with_unfinished =>
                {
                    &mut self.games.unfinished
                }
                _ => {
                    self.count(&game.game);
                    &mut self.games.used
                }
            }
        };
        *fate += 1;
    }

    fn count(&mut self, game: &PackGame) {
        let mut position: Position = game.start.clone();
        let mut seen = HashSet::new();
        for &(mv, score) in game.moves.iter().take(self.settings.plies) {
            let limit = self.settings.eval_limit.unwrap_or(u32::MAX);
            let is_decided = u32::from(score.unsigned_abs()) > limit;
            let packed = PackedSfen::of(&position);
            // A repeated position leads to nothing new.
            if is_decided || !seen.insert(packed) {
                break;
            }
            let ply = u16::try_from(position.game_ply()).unwrap_or(u16::MAX);
            let root = self.positions.entry(packed).or_insert(Root {
                position: packed,
                count: 0,
                ply,
            });
            root.count += 1;
            root.ply = root.ply.min(ply);
            position.do_move(mv);
        }
    }
}

/// A position and its number of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Root {
    /// The position with which games begin.
    pub position: PackedSfen,
    /// Number of games in which it occurred.
    pub count: u64,
    /// The lowest move number at which it occurred.
    pub ply: u16,
}

/// A game and the ratings of its players.
struct Game {
    game: PackGame,
    ratings: [Option<f64>; Color::NUM],
}

/// Calls `visit` for every good game and counts good and bad records. Positions without games are
/// skipped.
fn read_games(
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
    let bytes = fs::read(&source.path).map_err(DataError::at(&source.path))?;
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
                None => Ok(Game {
                    game: from_record(&record),
                    ratings: record.ratings,
                }),
            })
        }),
        Err(error) => take(Err(fault(1, error.into()))),
    }
}

fn read_others(
    source: &Source,
    take: &mut impl FnMut(Result<Game, TeacherError>) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let file = File::open(&source.path).map_err(DataError::at(&source.path))?;
    for record in TeacherReader::new(BufReader::new(file), source.format) {
        match record {
            Ok(Record::Game(game)) => take(Ok(Game {
                game: game.game,
                ratings: [None; Color::NUM],
            }))?,
            Ok(_) => {}
            Err(error) => take(Err(error))?,
        }
    }
    Ok(())
}

/// The distribution of the positions of a collection, by which users choose thresholds.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// Number of different positions.
    pub positions: usize,
    /// Number of games per position; `None` without positions.
    pub counts: Option<Figures>,
    /// Lowest move number per position; `None` without positions.
    pub plies: Option<Figures>,
}

/// Mean, sample standard deviation (divided by one less than the count), minimum, lower quartile,
/// median, upper quartile and maximum of a list of numbers.
pub type Figures = [f64; 7];

impl Table {
    /// The statistics of these positions.
    pub fn of(roots: &[Root]) -> Self {
        Self {
            positions: roots.len(),
            counts: figures(counts(roots)),
            plies: figures(roots.iter().map(|root| root.ply.into()).collect()),
        }
    }
}

/// The quantile `share` (0 to 1) of the number of games per position.
fn quantile_of_counts(roots: &[Root], share: f64) -> f64 {
    let mut numbers = counts(roots);
    numbers.sort_unstable();
    quantile(&numbers, share)
}

fn counts(roots: &[Root]) -> Vec<u64> {
    roots.iter().map(|root| root.count).collect()
}

fn figures(mut numbers: Vec<u64>) -> Option<Figures> {
    numbers.sort_unstable();
    if numbers.is_empty() {
        return None;
    }
    // Sums are exact: with millions of games floats would lose their low digits.
    let count = numbers.len() as u128;
    let sum_of = |power| -> u128 { numbers.iter().map(|&n| u128::from(n).pow(power)).sum() };
    let (sum, squares) = (sum_of(1), sum_of(2));
    let numerator = count * squares - sum * sum;
    let denominator = count * (count - 1).max(1);
    #[expect(clippy::cast_precision_loss, reason = "shown with few digits")]
    let [mean, variance] =
        [(sum, count), (numerator, denominator)].map(|(top, bottom)| top as f64 / bottom as f64);
    let [least, low, median, high, most] =
        [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| quantile(&numbers, share));
    Some([mean, variance.sqrt(), least, low, median, high, most])
}

/// The quantile `share` of sorted numbers, with linear interpolation between neighbours.
#[expect(clippy::cast_precision_loss, reason = "a threshold of few digits")]
fn quantile(sorted: &[u64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let [low, high] = [below, (below + 1).min(last)].map(|index| sorted[index] as f64);
    low + (high - low) * (place - below as f64)
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{:>12}  positions", self.positions)?;
        let (Some(counts), Some(plies)) = (&self.counts, &self.plies) else {
            return Ok(());
        };
        writeln!(formatter, "{:>12} {:>12} {:>12}", "", "games", "ply")?;
        let names = ["mean", "std", "min", "25 %", "50 %", "75 %", "max"];
        for ((name, count), ply) in names.into_iter().zip(counts).zip(plies) {
            writeln!(formatter, "{name:>12} {count:>12.2} {ply:>12.2}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
