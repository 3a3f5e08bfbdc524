//! Roots: start positions for self-play, taken from the first moves of games of strong players.
//!
//! The idea and the filters are those of dlshogi's `csa_to_roots_hcp.py`. Games are read one at a
//! time; only their positions are kept in memory. [`collect`] counts the positions, and [`check`]
//! plays from each of them and drops those from which games repeat moves.

mod check;
mod games;
mod root;
mod table;

use crate::runs::Watch;
use std::collections::{HashMap, HashSet};

use crate::position::Position;
use crate::records::packed::PackedSfen;
use crate::train::data::pass::{BadRecords, Tally};
use crate::train::data::{DataError, Sources};

pub use check::{CheckError, CheckSettings, CheckedRoot, check};
pub use root::Root;
pub use table::{Column, Table};

use games::{End, Game};

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
    /// Maximum number of games of a position.
    pub max_count: Option<u64>,
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
    games::read(sources, settings.bad_records, &mut tally, watch, |game| {
        counter.take(&game);
    })?;
    let games = counter.games;
    let mut roots: Vec<Root> = counter.positions.into_values().collect();
    let before = Table::of(&roots);
    let threshold = if settings.percentile > 0.0 {
        let column = before.counts.as_ref();
        let least = column.map_or(0.0, |_| {
            table::quantile_of_counts(&roots, settings.percentile)
        });
        settings.min_count.max(least as u64)
    } else {
        settings.min_count
    };
    let most = settings.max_count.unwrap_or(u64::MAX);
    roots.retain(|root| (threshold..=most).contains(&root.count));
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
        } else if game.moves.len() < settings.min_plies {
            &mut self.games.short
        } else if game.end == End::Repetition {
            &mut self.games.repetition
        } else if game.end == End::Unfinished && !settings.with_unfinished {
            &mut self.games.unfinished
        } else {
            self.count(game);
            &mut self.games.used
        };
        *fate += 1;
    }

    fn count(&mut self, game: &Game) {
        let mut position: Position = game.start.clone();
        let mut seen = HashSet::new();
        for &(mv, score) in game.moves.iter().take(self.settings.plies) {
            let limit = self.settings.eval_limit.unwrap_or(u32::MAX);
            let is_decided = score.is_some_and(|score| score.unsigned_abs() > limit);
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

#[cfg(test)]
mod tests;
