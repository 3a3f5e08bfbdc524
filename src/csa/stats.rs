//! Statistics over a journal: results by opponent, and an estimate of the own rating.

use std::collections::BTreeMap;

use super::journal::{Entry, GameResult};
use crate::records::game::Ending;

/// Results against somebody, or all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games won.
    pub wins: u32,
    /// Games lost.
    pub losses: u32,
    /// Games without a winner.
    pub draws: u32,
    /// Games that were broken off.
    pub broken: u32,
}

impl Tally {
    /// The results of these games.
    pub fn of<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Self {
        let mut tally = Self::default();
        entries.into_iter().for_each(|entry| tally.add(entry));
        tally
    }

    /// Adds a game.
    pub fn add(&mut self, entry: &Entry) {
        match entry.result {
            GameResult::Win => self.wins += 1,
            GameResult::Loss => self.losses += 1,
            GameResult::Draw => self.draws += 1,
            GameResult::None if entry.is_complete && is_drawn(entry) => self.draws += 1,
            GameResult::None => self.broken += 1,
        }
    }

    /// Number of games with a result.
    pub const fn games(&self) -> u32 {
        self.wins + self.losses + self.draws
    }

    /// Wins, and draws as halves.
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }
}

/// Whether the ending alone says that nobody won. Other endings without a result were broken off.
fn is_drawn(entry: &Entry) -> bool {
    let drawn = [
        Ending::Repetition,
        Ending::MaxMoves,
        Ending::AdjudicatedDraw,
    ];
    drawn.iter().any(|ending| entry.ending == ending.name())
}

/// The results against each opponent, by name, in alphabetical order.
pub fn by_opponent(entries: &[Entry]) -> BTreeMap<&str, Tally> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for entry in entries {
        tallies.entry(&entry.opponent).or_default().add(entry);
    }
    tallies
}

/// An estimate of the own rating.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The rating on the scale of the opponents' ratings.
    pub rating: f64,
    /// Standard error in Elo points.
    pub error: f64,
    /// Number of games that it rests on.
    pub games: u32,
}

/// Elo points for a factor of e in the odds.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;
/// Half a point against the mean of the opponents is added to the score on either side, so that a
/// clean score has a finite rating.
const PRIOR_GAMES: f64 = 1.0;
const MOST_STEPS: usize = 100;
/// A step below this ends the iteration, in Elo points.
const PRECISION: f64 = 0.01;

/// The rating that explains the results against opponents of known rating best; `None` if there is
/// no such game.
pub fn estimate(games: &[(Tally, f64)]) -> Option<Estimate> {
    let count: u32 = games.iter().map(|(tally, _)| tally.games()).sum();
    if count == 0 {
        return None;
    }
    let weighted = games
        .iter()
        .map(|(tally, rating)| f64::from(tally.games()) * rating);
    let mean = weighted.sum::<f64>() / f64::from(count);
    let points = games.iter().map(|(tally, _)| tally.points()).sum::<f64>() + PRIOR_GAMES / 2.0;
    let mut rating = mean;
    for _ in 0..MOST_STEPS {
        let (expected, information) = expectation(games, mean, rating);
        let step = ((points - expected) / information * SCALE).clamp(-SCALE, SCALE);
        rating += step;
        if step.abs() < PRECISION {
            break;
        }
    }
    let (_, information) = expectation(games, mean, rating);
    Some(Estimate {
        rating,
        error: SCALE / information.sqrt(),
        games: count,
    })
}

/// The expected points and the sum of the variances at this rating, the prior games included.
fn expectation(games: &[(Tally, f64)], mean: f64, rating: f64) -> (f64, f64) {
    let known = games
        .iter()
        .map(|(tally, other)| (f64::from(tally.games()), *other));
    let mut sums = (0.0, 0.0);
    for (count, other) in known.chain([(PRIOR_GAMES, mean)]) {
        let chance = 1.0 / (1.0 + ((other - rating) / SCALE).exp());
        sums.0 += count * chance;
        sums.1 += count * chance * (1.0 - chance);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(wins: u32, losses: u32) -> Tally {
        Tally {
            wins,
            losses,
            ..Tally::default()
        }
    }

    #[test]
    fn three_of_four_is_about_190_elo() {
        let estimate = estimate(&[(tally(300, 100), 2000.0)]).expect("games");
        assert!((2187.0..2192.0).contains(&estimate.rating), "{estimate:?}");
        assert!((19.0..21.0).contains(&estimate.error), "{estimate:?}");
    }

    #[test]
    fn clean_scores_are_finite_and_strong_opponents_raise() {
        let rating = |games: &[(Tally, f64)]| estimate(games).map(|estimate| estimate.rating);
        let clean = rating(&[(tally(10, 0), 1500.0)]).expect("games");
        assert!((1900.0..2200.0).contains(&clean), "{clean}");
        let both = rating(&[(tally(5, 5), 1000.0), (tally(5, 5), 2000.0)]).expect("games");
        assert!((1499.0..1501.0).contains(&both), "{both}");
        assert_eq!(rating(&[(tally(0, 0), 1000.0)]), None);
    }
}
