//! Positions for games of self-play to begin from, out of games that strong players played: what many of them had on the
//! board in the first moves.
//!
//! The idea and the filters are those of dlshogi's `csa_to_roots_hcp.py`. Games are read one at a time; what is kept is the
//! positions. [`collect`] counts them, [`check`] lets the engine play from each and drops those from which games repeat
//! moves instead of being played.

mod check;
mod games;
mod root;
mod table;

use std::collections::{HashMap, HashSet};

use crate::position::Position;
use crate::records::packed::PackedSfen;
use crate::train::data::pass::{BadRecords, Tally};
use crate::train::data::{DataError, Sources, Watch};

pub use check::{CheckError, CheckSettings, CheckedRoot, check};
pub use root::Root;
pub use table::{Column, Table};

use games::{End, Game};

/// Which games count, and which of their positions are kept.
#[derive(Clone, Debug)]
pub struct RootsSettings {
    /// Both players' ratings must be known and at least this.
    pub min_rating: Option<f64>,
    /// Shorter games do not count.
    pub min_plies: usize,
    /// Positions before so many first moves are taken.
    pub plies: usize,
    /// A game is left at a move of which its engine said that a side is more than so many centipawns ahead.
    pub eval_limit: Option<u32>,
    /// Whether games count that were broken off, lost on time or by a foul, or do not say how they ended.
    pub with_unfinished: bool,
    /// Positions of fewer games are dropped.
    pub min_count: u64,
    /// Positions of more games are dropped.
    pub max_count: Option<u64>,
    /// Positions are dropped that are rarer than those at this share of all, ordered by their counts; 0 drops none.
    pub percentile: f64,
    /// What to do with games that cannot be read.
    pub bad_records: BadRecords,
}

/// What became of the games.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct GameCounts {
    /// Those that positions were taken from.
    pub used: u64,
    /// Left out because a player's rating is unknown or too low.
    pub rating: u64,
    /// Left out because of few moves.
    pub short: u64,
    /// Left out because they ended by repetition or perpetual check.
    pub repetition: u64,
    /// Left out because neither play nor the rules ended them.
    pub unfinished: u64,
}

/// What was found.
pub struct Collection {
    /// What was read.
    pub tally: Tally,
    /// The games.
    pub games: GameCounts,
    /// Of all positions.
    pub before: Table,
    /// The fewest games that a kept position has: the given minimum, or more because of the percentile.
    pub threshold: u64,
    /// The positions that are kept, the most frequent first.
    pub roots: Vec<Root>,
}

/// Reads the games and chooses the positions.
///
/// # Errors
/// Where a file cannot be read, the watch says stop, and at the first bad game unless those are to be skipped.
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
    // The map has an order of its own in every run.
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
            // From a position that comes again the game goes in a circle.
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
