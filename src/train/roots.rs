//! Roots: start positions for self-play, taken from the first moves of games of strong players.
//!
//! The idea and the filters are those of dlshogi's `csa_to_roots_hcp.py`. Games are read one at a
//! time; only their positions are kept in memory.

use std::collections::{HashMap, HashSet};
use std::fmt;

use clap::Args;

use super::data::{Sources, Tally};
use crate::records::pack::{PackGame, PackReason};
use crate::{position::Position, records::packed::PackedSfen, records::teacher::TeacherGame};
use crate::{runs::Watch, util::parse_positive};

/// Filters of the games and of their positions: options of `raicho roots`.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Which games and positions")]
pub struct RootsSettings {
    /// Minimum rating, which both players must have; games without ratings are left out
    #[arg(long, value_name = "RATING")]
    pub min_rating: Option<f64>,

    /// Also use games that were interrupted, lost on time or by a foul, and USI lines, whose end is
    /// unknown. Games that ended by repetition are never used
    #[arg(long)]
    pub unfinished: bool,

    /// Number of first moves of each game before which the positions are taken
    #[arg(long, value_name = "PLIES", default_value_t = 16, value_parser = parse_positive::<u16>)]
    pub plies: u16,

    /// Minimum number of games of a position
    #[arg(long, value_name = "GAMES", default_value_t = 1)]
    pub min_count: u64,
}

/// Number of games by what became of them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct GameCounts {
    /// Games from which positions were taken.
    pub used: u64,
    /// Games left out because a player's rating is unknown or too low.
    pub rating: u64,
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
) -> anyhow::Result<Collection> {
    let mut counter = Counter { settings, games: GameCounts::default(), positions: HashMap::new() };
    let tally = sources.read(watch, |_, record| {
        if let Some(game) = record.game() {
            counter.take(game);
        }
        Ok(())
    })?;
    let games = counter.games;
    let mut roots: Vec<Root> = counter.positions.into_values().collect();
    let before = Table::of(&roots);
    roots.retain(|root| root.count >= settings.min_count);
    // The order of the map differs between runs.
    roots.sort_unstable_by_key(|root| (u64::MAX - root.count, root.ply, root.position));
    Ok(Collection {
        // Positions without games do not count.
        tally: Tally { records: tally.games, games: 0, ..tally },
        games,
        before,
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
    fn take(&mut self, game: &TeacherGame) {
        let settings = self.settings;
        let is_too_low = settings.min_rating.is_some_and(|least| {
            let high = |rating: &Option<f64>| rating.is_some_and(|rating| rating >= least);
            !game.ratings.iter().all(high)
        });
        let fate = match game.game.reason {
            _ if is_too_low => &mut self.games.rating,
            PackReason::REPETITION | PackReason::PERPETUAL_CHECK => &mut self.games.repetition,
            PackReason::INTERRUPTED | PackReason::TIME_UP | PackReason::ILLEGAL_MOVE
                if !settings.unfinished =>
            {
                &mut self.games.unfinished
            }
            _ => {
                self.count(&game.game);
                &mut self.games.used
            }
        };
        *fate += 1;
    }

    fn count(&mut self, game: &PackGame) {
        let mut position: Position = game.start.clone();
        let mut seen = HashSet::new();
        for &(mv, _) in game.moves.iter().take(self.settings.plies.into()) {
            let packed = PackedSfen::of(&position);
            // A repeated position leads to nothing new.
            if !seen.insert(packed) {
                break;
            }
            let ply = u16::try_from(position.game_ply()).unwrap_or(u16::MAX);
            let root =
                self.positions.entry(packed).or_insert(Root { position: packed, count: 0, ply });
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
            counts: figures(roots.iter().map(|root| root.count).collect()),
            plies: figures(roots.iter().map(|root| root.ply.into()).collect()),
        }
    }
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
    let [mean, variance] =
        [(sum, count), (numerator, denominator)].map(|(top, bottom)| top as f64 / bottom as f64);
    let [least, low, median, high, most] =
        [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| quantile(&numbers, share));
    Some([mean, variance.sqrt(), least, low, median, high, most])
}

/// The quantile `share` of sorted numbers, with linear interpolation between neighbours.
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
