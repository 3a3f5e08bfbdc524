//! Playing strength below full: the mistakes of people, not random moves.
//!
//! A lower level searches fewer nodes, and it overlooks things: answers of the other side, for
//! which the move is then as good as its static value, and captures, checks and mates of its own.
//! What is far away or dropped is overlooked more often than what is near, a recapture hardly ever,
//! a mate the more often the longer it is. One answer that is overlooked is overlooked after every
//! move, as a threat is. Among the moves that then look about equal it chooses at random, better
//! ones more often (Stockfish's idea), so that quiet moves stay sensible at every level.

use std::hash::{BuildHasher, RandomState};

use crate::types::value::{MATE, MATE_IN_MAX_PLY, PAWN_VALUE};
use crate::types::{Move, Square, Value};

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
    /// How likely a capture three squares away is overlooked; above 1 nearer ones are, too.
    oversight: f64,
    /// Rating in Elo points.
    rating: u32,
}

const fn level(nodes: f64, tolerance: f64, oversight: f64, rating: u32) -> Level {
    Level { nodes, tolerance, oversight, rating }
}

/// All levels, the last of which is full strength: it has no limit, and its nodes, about those of a
/// second, only tell those of the tenths of a level below it. Ratings add up matches of
/// neighbours, measured or estimated (see the guide); level 0 has 0.
const LEVELS: [Level; 21] = [
    level(1.0, 0.8, 3.3, 0),
    level(1.0, 0.7, 2.2, 260),
    level(1.0, 0.65, 1.4, 502),
    level(1.0, 0.6, 1.13, 753),
    level(1.0, 0.5, 0.8, 1004),
    level(1.0, 0.4, 0.45, 1255),
    level(1.0, 0.4, 0.215, 1506),
    level(1.0, 0.4, 0.1, 1757),
    level(4000.0, 0.3, 0.1, 2008),
    level(4000.0, 0.3, 0.055, 2259),
    level(8000.0, 0.27, 0.029, 2510),
    level(1100.0, 0.183, 0.015, 2761),
    level(2250.0, 0.159, 0.012, 3012),
    level(4000.0, 0.14, 0.01, 3263),
    level(6900.0, 0.1235, 0.008, 3514),
    level(12_500.0, 0.11, 0.0, 3765),
    level(21_000.0, 0.0, 0.0, 4016),
    level(52_000.0, 0.0, 0.0, 4267),
    level(115_000.0, 0.0, 0.0, 4518),
    level(270_000.0, 0.0, 0.0, 4769),
    level(600_000.0, 0.0, 0.0, 5022),
];

/// Greatest loss of value by a choice, as a multiple of the tolerance.
const MAX_TOLERANCES: f64 = 2.0;
/// From this oversight on all moves are lines to choose from.
const ALL_LINES_OVERSIGHT: f64 = 0.02;
/// Lines to choose from with less.
const LINES: usize = 4;
/// A search of several lines gets this many times the nodes of a search of one line, because the
/// further lines cost about half of them.
const NODES_OF_LINES: f64 = 2.0;

/// From this level on all of a book may be played, below it two plies of a game for each level.
const FULL_BOOK_LEVEL: u32 = 3;
const BOOK_PLIES_PER_LEVEL: u32 = 2;

/// A line to choose from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Value of the search.
    pub(super) value: Value,
    /// Value where the answer is overlooked: the static value after the move.
    pub(super) naive: Value,
    /// The move, where it is a capture, a check, a promotion or a mate, which can be overlooked.
    pub(super) own: Option<Sight>,
    /// The best answer.
    pub(super) reply: Option<Sight>,
}

/// How easily a move is seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    /// The same number for the same move.
    pub(super) key: u64,
    /// How much more likely it is overlooked than a capture three squares away.
    pub(super) factor: f64,
}

impl Sight {
    /// `last` is the square of the move before.
    pub(super) fn of(mv: Move, last: Option<Square>) -> Self {
        let factor = match mv.from() {
            _ if Some(mv.to()) == last => RECAPTURE,
            None => DROP,
            Some(from) => match distance(from, mv.to()) {
                0..=2 => NEAR,
                3 => 1.0,
                _ => FAR,
            },
        };
        Self { key: u64::from(mv.to_bits()), factor }
    }
}

/// Factors of oversight.
const RECAPTURE: f64 = 0.25;
const NEAR: f64 = 0.75;
const FAR: f64 = 1.5;
const DROP: f64 = 1.25;
/// A mate in one is looked for.
const MATE_IN_ONE: f64 = 0.6;
/// The greatest chance to overlook anything.
const MOST_OVERSIGHT: f64 = 0.97;

/// A random number from 0 to 1: how much of its time a move takes below full strength.
pub(super) fn pace_share() -> f64 {
    random(&RandomState::new(), 0)
}

fn random(keys: &RandomState, key: u64) -> f64 {
    f64::from(keys.hash_one(key) as u32) / f64::from(u32::MAX)
}

/// Steps of a king between two squares.
fn distance(from: Square, to: Square) -> usize {
    let files = from.file().index().abs_diff(to.file().index());
    files.max(from.rank().index().abs_diff(to.rank().index()))
}

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

    /// The last ply of a game that may be played from a book.
    pub fn book_plies(self) -> u32 {
        if self.level() < FULL_BOOK_LEVEL { BOOK_PLIES_PER_LEVEL * self.level() } else { u32::MAX }
    }

    /// Least number of lines to search.
    pub(super) fn multi_pv(self) -> usize {
        if self.oversight() >= ALL_LINES_OVERSIGHT {
            usize::MAX
        } else if self.tolerance() > 0.0 {
            LINES
        } else {
            1
        }
    }

    /// Whether a line other than the best may be played.
    pub(super) fn chooses(self) -> bool {
        self.multi_pv() > 1
    }

    /// The index of the line to play; the first is the best.
    pub(super) fn choose(self, lines: &[Candidate]) -> usize {
        // Each state has new random keys, and equal numbers have equal chances with the same keys.
        let keys = RandomState::new();
        self.choose_by(lines, &|key| random(&keys, key))
    }

    /// The same with given random numbers from 0 to 1, the same for the same key.
    fn choose_by(self, lines: &[Candidate], chance: &dyn Fn(u64) -> f64) -> usize {
        let overlooks = |sight: Option<Sight>, plies: i32| {
            let Some(Sight { key, factor }) = sight else {
                return false;
            };
            let sees_one = 1.0 - (self.oversight() * factor).min(MOST_OVERSIGHT);
            chance(key) > sees_one.powi(plies)
        };
        let perceived = |line: &Candidate| {
            // A mate is seen ply by ply.
            let is_mate = line.value.abs() >= MATE_IN_MAX_PLY;
            let plies = if is_mate { (MATE - line.value.abs()).max(1) } else { 1 };
            let (own, reply) = if line.value > 0 { (plies, 1) } else { (1, (plies - 1).max(1)) };
            let looks_for = if is_mate && line.value > 0 && plies == 1 { MATE_IN_ONE } else { 1.0 };
            let own_sight =
                line.own.map(|Sight { key, factor }| Sight { key, factor: factor * looks_for });
            if overlooks(own_sight, own) {
                None
            } else if overlooks(line.reply, reply) {
                Some(line.naive.max(line.value))
            } else {
                Some(line.value)
            }
        };
        let values: Vec<Option<Value>> = lines.iter().map(perceived).collect();
        let Some(best) = values.iter().flatten().max().copied() else {
            return 0;
        };
        let tolerance = self.tolerance() * f64::from(PAWN_VALUE);
        if tolerance == 0.0 || best.abs() >= MATE_IN_MAX_PLY {
            return values.iter().position(|value| *value == Some(best)).unwrap_or(0);
        }
        let weight = |&value: &Option<Value>| {
            let loss = value.map_or(f64::INFINITY, |value| f64::from(best - value)) / tolerance;
            if loss > MAX_TOLERANCES { 0.0 } else { (-loss).exp() }
        };
        let weights: Vec<f64> = values.iter().map(weight).collect();
        let mut left = chance(u64::MAX) * weights.iter().sum::<f64>();
        for (index, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return index;
            }
        }
        0
    }

    fn oversight(self) -> f64 {
        self.between(|level| level.oversight)
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
    use crate::types::Piece;
    use crate::types::value::{mate_in, mated_in};

    const fn line(value: Value) -> Candidate {
        Candidate { value, naive: value, own: None, reply: None }
    }

    const fn sight(key: u64, factor: f64) -> Sight {
        Sight { key, factor }
    }

    #[test]
    fn higher_levels_look_deeper_and_overlook_less() {
        for level in 0..Skill::HIGHEST_LEVEL {
            let (low, high) = (Skill::of_level(level), Skill::of_level(level + 1));
            assert!(low < high && low.multi_pv() >= high.multi_pv());
            assert!(low.oversight() >= high.oversight() && low.tolerance() >= high.tolerance());
            assert!(low.book_plies() <= high.book_plies());
            let steps = |skill: Skill| (skill.oversight(), skill.tolerance(), skill.nodes());
            assert_ne!(steps(low), steps(high), "{level}");
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
    fn what_is_seen_is_judged_by_its_value() {
        for level in 0..=Skill::HIGHEST_LEVEL {
            let skill = Skill::of_level(level);
            for step in 0..100 {
                let choose = |values: &[Value]| {
                    let lines: Vec<_> = values.iter().copied().map(line).collect();
                    skill.choose_by(&lines, &|_| f64::from(step) / 100.0)
                };
                assert_eq!(choose(&[mate_in(1), mate_in(3), 900]), 0);
                assert_eq!(choose(&[50, mated_in(2), mated_in(2)]), 0);
                assert_eq!(choose(&[50, 50 - 2 * PAWN_VALUE]), 0, "quiet moves stay sensible");
                assert_eq!(choose(&[mated_in(9), mated_in(2)]), 0);
                assert_eq!(choose(&[7]), 0);
            }
        }
    }

    #[test]
    fn answers_and_own_moves_are_overlooked() {
        let skill = Skill::of_level(5);
        let chosen = |lines: &[Candidate], overlooked: &[u64]| {
            skill.choose_by(lines, &|key| f64::from(u8::from(overlooked.contains(&key))))
        };
        let greedy = Candidate { naive: 300, reply: Some(sight(1, 1.0)), ..line(-600) };
        assert_eq!(chosen(&[line(0), greedy], &[]), 0);
        assert_eq!(chosen(&[line(0), greedy], &[1]), 1, "the answer is overlooked");
        let capture = Candidate { own: Some(sight(2, 1.0)), ..line(500) };
        assert_eq!(chosen(&[capture, line(0)], &[]), 0);
        assert_eq!(chosen(&[capture, line(0)], &[2]), 1, "the own capture is overlooked");
        assert_eq!(chosen(&[capture], &[2]), 0, "a move must be played");
        let threat = |naive| Candidate { naive, reply: Some(sight(3, 1.0)), ..line(-900) };
        let saves = Candidate { reply: Some(sight(4, 1.0)), ..line(-50) };
        assert_eq!(chosen(&[saves, threat(20), threat(400)], &[]), 0);
        assert_eq!(chosen(&[saves, threat(20), threat(400)], &[3]), 2, "after every move");
        let mated = Candidate { naive: 300, reply: Some(sight(5, 1.0)), ..line(mated_in(2)) };
        assert_eq!(chosen(&[line(0), mated], &[5]), 1);
        assert_eq!(Skill::FULL.choose_by(&[line(0), mated], &|_| 1.0), 0);
    }

    #[test]
    fn long_mates_and_far_moves_are_overlooked_more_often() {
        let skill = Skill::of_level(5);
        let share = |own: Candidate| {
            let lines = [own, line(0)];
            let missed = |step: &i32| {
                let chance = |key| if key == 1 { f64::from(*step) / 1000.0 } else { 0.0 };
                skill.choose_by(&lines, &chance) == 1
            };
            (0..1000).filter(missed).count()
        };
        let mate = |plies| Candidate { own: Some(sight(1, 1.0)), ..line(mate_in(plies)) };
        let capture = |factor| Candidate { own: Some(sight(1, factor)), ..line(500) };
        assert!(share(mate(1)) < share(mate(3)) && share(mate(3)) < share(mate(9)));
        assert!(share(mate(1)) < share(capture(1.0)));
        assert!(share(capture(RECAPTURE)) < share(capture(NEAR)));
        assert!(share(capture(NEAR)) < share(capture(DROP)));
        assert!(share(capture(DROP)) < share(capture(FAR)));
    }

    #[test]
    fn sight_depends_on_the_move() {
        let is =
            |mv: Move, last, factor: f64| Sight::of(mv, last).factor.to_bits() == factor.to_bits();
        let step = Move::normal(Square::S77, Square::S76, Piece::BlackPawn);
        let slide = Move::normal(Square::S88, Square::S33, Piece::BlackBishop);
        let drop = Move::drop(Piece::BlackPawn, Square::S55);
        assert!(is(step, None, NEAR) && is(slide, None, FAR) && is(drop, None, DROP));
        assert!(is(slide, Some(Square::S33), RECAPTURE));
    }

    #[test]
    fn equal_moves_are_equally_likely_where_several_lines_are_searched() {
        let equal = [line(30); 2];
        for level in 0..Skill::HIGHEST_LEVEL {
            let skill = Skill::of_level(level);
            let second = usize::from(skill.chooses());
            assert_eq!(skill.choose_by(&equal, &|_| 0.49), 0);
            assert_eq!(skill.choose_by(&equal, &|_| 0.51), second);
        }
        assert_eq!(Skill::FULL.choose_by(&equal, &|_| 0.99), 0);
        let indices: Vec<usize> = (0..64).map(|_| Skill::of_level(0).choose(&equal)).collect();
        assert!(indices.contains(&0) && indices.contains(&1));
    }
}
