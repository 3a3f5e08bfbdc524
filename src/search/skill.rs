//! Playing strength below full: plausible moves, but not always the best.
//!
//! A lower level searches fewer nodes and, but for the highest of them, several lines of which it
//! may play one that is worse than the best. It overlooks what is deep and what the other side
//! threatens, as people do, but it never gives more than a pawn away by a move to where a piece is
//! simply taken, never plays a move that it knows to be mated by, and never misses a mate that it
//! has found. The choice among several lines is Stockfish's idea.

use std::hash::{BuildHasher, RandomState};

use crate::types::Value;
use crate::types::value::{MATE_IN_MAX_PLY, PAWN_VALUE};

/// Playing strength: a level from 0 to 20 in steps of a tenth; 20 is full strength.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Skill {
    tenths: u32,
}

const TENTHS: u32 = 10;

/// How a level plays.
struct Level {
    /// Soft node limit of a search of one line: the first iteration is always completed.
    nodes: f64,
    /// Scale of the value differences that are tolerated, in pawns.
    tolerance: f64,
    /// Rating in Elo points.
    rating: u32,
}

const fn level(nodes: f64, tolerance: f64, rating: u32) -> Level {
    Level { nodes, tolerance, rating }
}

/// All levels, the last of which is full strength: it has no limit, and its nodes, about those of a
/// second, only tell those of the tenths of a level below it. Ratings add up matches of
/// neighbours, 200 games each; a search of depth 1 that counts material has 1000 (see the guide).
const LEVELS: [Level; 21] = [
    level(1.0, 4.1, 620),
    level(1.0, 3.03, 878),
    level(1.0, 2.22, 1110),
    level(1.0, 1.53, 1364),
    level(1.0, 0.91, 1562),
    level(1.0, 0.425, 1803),
    level(164.0, 0.234, 1944),
    level(404.0, 0.208, 2193),
    level(725.0, 0.192, 2316),
    level(1500.0, 0.173, 2531),
    level(2440.0, 0.156, 2718),
    level(3980.0, 0.1405, 2927),
    level(6600.0, 0.1245, 3152),
    level(10_950.0, 0.1125, 3357),
    level(17_900.0, 0.103, 3604),
    level(32_000.0, 0.0, 3816),
    level(55_500.0, 0.0, 3961),
    level(96_000.0, 0.0, 4150),
    level(165_000.0, 0.0, 4283),
    level(285_000.0, 0.0, 4462),
    level(600_000.0, 0.0, 4692),
];

/// Greatest loss of value by a choice, as a multiple of the tolerance.
const MAX_TOLERANCES: f64 = 2.0;
/// From this tolerance on all moves are lines to choose from, in pawns.
const ALL_LINES_TOLERANCE: f64 = 0.5;
/// Lines to choose from with a smaller tolerance.
const LINES: usize = 4;
/// A search of several lines gets this many times the nodes of a search of one line, because the
/// further lines cost about half of them.
const NODES_OF_LINES: f64 = 2.0;

/// Plies of a game that may come from a book, for each level.
const BOOK_PLIES_PER_LEVEL: u32 = 2;

impl Skill {
    /// The highest level, which is full strength.
    pub const HIGHEST_LEVEL: u32 = LEVELS.len() as u32 - 1;
    /// Full strength: no node limit, and always the best move.
    pub const FULL: Self = Self { tenths: Self::HIGHEST_LEVEL * TENTHS };
    /// The rating of level 0.
    pub const LOWEST_RATING: u32 = LEVELS[0].rating;
    /// The rating of the highest level.
    pub const HIGHEST_RATING: u32 = LEVELS[LEVELS.len() - 1].rating;

    /// The strength of a level; levels above the highest are full strength.
    pub fn of_level(level: u32) -> Self {
        Self { tenths: level.min(Self::HIGHEST_LEVEL) * TENTHS }
    }

    /// The strength of a rating, limited to [`Self::LOWEST_RATING`] and [`Self::HIGHEST_RATING`].
    pub fn of_rating(rating: u32) -> Self {
        let tenths = match LEVELS.iter().position(|level| rating < level.rating) {
            Some(0) => 0,
            None => return Self::FULL,
            Some(above) => {
                let (low, high) = (LEVELS[above - 1].rating, LEVELS[above].rating);
                (above as u32 - 1) * TENTHS + (rating - low) * TENTHS / (high - low)
            }
        };
        Self { tenths }
    }

    /// The level, rounded down.
    pub fn level(self) -> u32 {
        self.tenths / TENTHS
    }

    /// Whether this is full strength.
    pub fn is_full(self) -> bool {
        self == Self::FULL
    }

    /// Soft node limit: no new iteration starts after this many nodes. `None` at full strength.
    pub fn nodes(self) -> Option<u64> {
        let factor = if self.multi_pv() > 1 { NODES_OF_LINES } else { 1.0 };
        (!self.is_full()).then(|| (self.between(|level| level.nodes.ln()).exp() * factor) as u64)
    }

    /// The last ply of a game that may be played from a book: two for each level.
    pub fn book_plies(self) -> u32 {
        if self.is_full() { u32::MAX } else { BOOK_PLIES_PER_LEVEL * self.level() }
    }

    /// Least number of lines to search.
    pub(super) fn multi_pv(self) -> usize {
        if self.tolerance() == 0.0 {
            1
        } else if self.tolerance() >= ALL_LINES_TOLERANCE {
            usize::MAX
        } else {
            LINES
        }
    }

    /// The index of the line to play. `values` are those of the lines, the best first; `None` for
    /// lines that no player of any level would choose unless it is the best.
    pub(super) fn pick(self, values: &[Option<Value>]) -> usize {
        // Each state has new random keys.
        let random = RandomState::new().hash_one(0) as u32;
        self.pick_by(values, f64::from(random) / f64::from(u32::MAX))
    }

    /// The same with a given random number `chance`, from 0 to 1.
    fn pick_by(self, values: &[Option<Value>], chance: f64) -> usize {
        let Some(best) = values.iter().flatten().max() else {
            return 0;
        };
        if self.tolerance() == 0.0 || best.abs() >= MATE_IN_MAX_PLY {
            return 0;
        }
        let tolerance = self.tolerance() * f64::from(PAWN_VALUE);
        let weight = |&value: &Option<Value>| {
            let loss = value.map_or(f64::INFINITY, |value| f64::from(best - value)) / tolerance;
            if loss > MAX_TOLERANCES { 0.0 } else { (-loss).exp() }
        };
        let weights: Vec<f64> = values.iter().map(weight).collect();
        let mut left = chance * weights.iter().sum::<f64>();
        for (index, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return index;
            }
        }
        0
    }

    fn tolerance(self) -> f64 {
        self.between(|level| level.tolerance)
    }

    /// A number of this level, interpolated between its neighbours.
    fn between(self, number: impl Fn(&Level) -> f64) -> f64 {
        let level = &LEVELS[self.level() as usize];
        let part = f64::from(self.tenths % TENTHS) / f64::from(TENTHS);
        match LEVELS.get(self.level() as usize + 1) {
            Some(next) => number(level) + (number(next) - number(level)) * part,
            None => number(level),
        }
    }
}

impl Default for Skill {
    fn default() -> Self {
        Self::FULL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::value::{mate_in, mated_in};

    #[test]
    fn higher_levels_look_deeper_and_choose_less() {
        for level in 0..Skill::HIGHEST_LEVEL - 1 {
            let (low, high) = (Skill::of_level(level), Skill::of_level(level + 1));
            assert!(low < high && low.multi_pv() >= high.multi_pv());
            let nodes = |level: u32| LEVELS[level as usize].nodes;
            assert!(nodes(level) <= nodes(level + 1) && low.tolerance() >= high.tolerance());
            let rise = nodes(level + 1) > nodes(level) || high.tolerance() < low.tolerance();
            assert!(rise && low.book_plies() < high.book_plies());
        }
        assert_eq!(Skill::of_level(20), Skill::default());
        assert_eq!((Skill::FULL.nodes(), Skill::FULL.multi_pv()), (None, 1));
        let half = Skill { tenths: 195 };
        assert!(half.nodes() > Skill::of_level(19).nodes());
    }

    #[test]
    fn ratings_are_levels() {
        for (index, level) in LEVELS.iter().enumerate() {
            let skill = Skill::of_level(index as u32);
            assert_eq!(Skill::of_rating(level.rating), skill);
        }
        assert_eq!(Skill::of_rating(0), Skill::of_level(0));
        assert_eq!(Skill::of_rating(9999), Skill::FULL);
        let (low, high) = (LEVELS[3].rating, LEVELS[4].rating);
        let between = Skill::of_rating(low.midpoint(high));
        assert!(Skill::of_level(3) < between && between < Skill::of_level(4));
    }

    #[test]
    fn known_mates_and_blunders_are_no_choice() {
        for level in 0..=Skill::HIGHEST_LEVEL {
            let skill = Skill::of_level(level);
            for step in 0..100 {
                let chance = f64::from(step) / 100.0;
                let pick = |values: &[Value]| {
                    let values: Vec<_> = values.iter().copied().map(Some).collect();
                    skill.pick_by(&values, chance)
                };
                assert_eq!(pick(&[mate_in(1), mate_in(3), 900]), 0);
                assert_eq!(pick(&[50, mated_in(2), mated_in(2)]), 0);
                assert_eq!(pick(&[50, 50 - 10 * PAWN_VALUE]), 0);
                assert_eq!(pick(&[mated_in(9), mated_in(2)]), 0);
                assert_eq!(pick(&[7]), 0);
                assert_eq!(skill.pick_by(&[Some(7), None, None], chance), 0);
            }
        }
    }

    #[test]
    fn equal_moves_are_equally_likely_where_several_lines_are_searched() {
        let equal = [Some(30); 2];
        for level in 0..Skill::HIGHEST_LEVEL {
            let skill = Skill::of_level(level);
            let second = usize::from(skill.multi_pv() > 1);
            assert_eq!(skill.pick_by(&equal, 0.49), 0);
            assert_eq!(skill.pick_by(&equal, 0.51), second);
        }
        assert_eq!(Skill::FULL.pick_by(&equal, 0.99), 0);
        let indices: Vec<usize> = (0..64).map(|_| Skill::of_level(0).pick(&equal)).collect();
        assert!(indices.contains(&0) && indices.contains(&1));
    }
}
