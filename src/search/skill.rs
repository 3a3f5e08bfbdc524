//! Playing strength below full: plausible moves, but not always the best.
//!
//! A lower level searches fewer nodes and several lines, and may play one that is slightly worse
//! than the best. It overlooks what is deep, as people do, but never plays a move that it knows to
//! lose, and never misses a mate that it has found. The choice among several lines is Stockfish's
//! idea.

use std::hash::{BuildHasher, RandomState};

use crate::types::Value;
use crate::types::value::{MATE_IN_MAX_PLY, PAWN_VALUE};

/// Playing strength: a level from 0 to 20 in steps of a tenth; 20 is full strength.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Skill {
    tenths: u32,
}

const TENTHS: u32 = 10;
/// Nodes per move at level 0, and the factor per level.
const BASE_NODES: f64 = 200.0;
const NODES_GROWTH: f64 = 1.35;
/// Scale of the value differences that level 0 tolerates, in pawns. It shrinks with the square of
/// the distance to the highest level.
const BASE_TOLERANCE: f64 = 2.0;
/// Greatest loss of value by a choice, as a multiple of the tolerance.
const MAX_TOLERANCES: f64 = 1.5;
/// Number of lines at the highest level below full strength, and the levels per further line.
const MIN_LINES: u32 = 3;
const LEVELS_PER_LINE: u32 = 4;
/// The rating of level 0 and of each fourth level above, estimated from matches between levels (see
/// the guide).
const RATINGS: [u32; 6] = [500, 750, 1250, 1750, 2050, 2550];
const LEVELS_PER_RATING: u32 = 4;

impl Skill {
    /// The highest level, which is full strength.
    pub const HIGHEST_LEVEL: u32 = 20;
    /// Full strength.
    pub const FULL: Self = Self {
        tenths: Self::HIGHEST_LEVEL * TENTHS,
    };
    /// The rating of level 0.
    pub const LOWEST_RATING: u32 = RATINGS[0];
    /// The rating of the highest level.
    pub const HIGHEST_RATING: u32 = RATINGS[RATINGS.len() - 1];

    /// The strength of a level; levels above the highest are full strength.
    pub fn of_level(level: u32) -> Self {
        Self {
            tenths: level.min(Self::HIGHEST_LEVEL) * TENTHS,
        }
    }

    /// The strength of a rating, limited to [`Self::LOWEST_RATING`] and [`Self::HIGHEST_RATING`].
    pub fn of_rating(rating: u32) -> Self {
        let above = RATINGS.iter().position(|&above| rating < above);
        let tenths = match above {
            Some(0) => 0,
            None => return Self::FULL,
            Some(index) => {
                let (low, high) = (RATINGS[index - 1], RATINGS[index]);
                let span = LEVELS_PER_RATING * TENTHS;
                (index as u32 - 1) * span + (rating - low) * span / (high - low)
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
        (!self.is_full()).then(|| (BASE_NODES * NODES_GROWTH.powf(self.exact_level())) as u64)
    }

    /// Least number of lines to search.
    pub(super) fn multi_pv(self) -> usize {
        let below = (Self::FULL.tenths - self.tenths) / (TENTHS * LEVELS_PER_LINE);
        if self.is_full() {
            1
        } else {
            (MIN_LINES + below) as usize
        }
    }

    /// The index of the line to play. `values` are those of the lines, the best first.
    pub(super) fn pick(self, values: &[Value]) -> usize {
        // Each state has new random keys.
        let random = RandomState::new().hash_one(0) as u32;
        self.pick_by(values, f64::from(random) / f64::from(u32::MAX))
    }

    /// The same with a given random number `chance`, from 0 to 1.
    fn pick_by(self, values: &[Value], chance: f64) -> usize {
        let Some(&best) = values.first() else {
            return 0;
        };
        if self.is_full() || best.abs() >= MATE_IN_MAX_PLY {
            return 0;
        }
        let lack = 1.0 - self.exact_level() / f64::from(Self::HIGHEST_LEVEL);
        let tolerance = BASE_TOLERANCE * lack * lack * f64::from(PAWN_VALUE);
        let weight = |&value: &Value| {
            let loss = f64::from(best - value) / tolerance;
            if loss > MAX_TOLERANCES {
                0.0
            } else {
                (-loss).exp()
            }
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

    fn exact_level(self) -> f64 {
        f64::from(self.tenths) / f64::from(TENTHS)
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
            assert!(low < high && low.nodes() < high.nodes() && low.multi_pv() >= high.multi_pv());
        }
        assert_eq!(Skill::of_level(20), Skill::default());
        assert_eq!((Skill::FULL.nodes(), Skill::FULL.multi_pv()), (None, 1));
    }

    #[test]
    fn ratings_are_levels() {
        for (index, &rating) in RATINGS.iter().enumerate() {
            assert_eq!(Skill::of_rating(rating), Skill::of_level(index as u32 * 4));
        }
        assert_eq!(Skill::of_rating(0), Skill::of_level(0));
        assert_eq!(Skill::of_rating(9999), Skill::FULL);
        let between = Skill::of_rating(RATINGS[0].midpoint(RATINGS[1]));
        assert_eq!(between, Skill::of_level(2));
    }

    #[test]
    fn known_mates_and_blunders_are_no_choice() {
        for level in 0..=Skill::HIGHEST_LEVEL {
            let skill = Skill::of_level(level);
            for step in 0..100 {
                let chance = f64::from(step) / 100.0;
                let pick = |values: &[Value]| skill.pick_by(values, chance);
                assert_eq!(pick(&[mate_in(1), mate_in(3), 900]), 0);
                assert_eq!(pick(&[50, mated_in(2), mated_in(2)]), 0);
                assert_eq!(pick(&[50, 50 - 4 * PAWN_VALUE]), 0);
                assert_eq!(pick(&[mated_in(9), mated_in(2)]), 0);
                assert_eq!(pick(&[7]), 0);
            }
        }
    }

    #[test]
    fn equal_moves_are_equally_likely_but_not_for_full_strength() {
        for level in 0..Skill::HIGHEST_LEVEL {
            assert_eq!(Skill::of_level(level).pick_by(&[30, 30], 0.49), 0);
            assert_eq!(Skill::of_level(level).pick_by(&[30, 30], 0.51), 1);
        }
        assert_eq!(Skill::FULL.pick_by(&[30, 30], 0.99), 0);
        let indices: Vec<usize> = (0..64)
            .map(|_| Skill::of_level(0).pick(&[30, 30]))
            .collect();
        assert!(indices.contains(&0) && indices.contains(&1));
    }
}
