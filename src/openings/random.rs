//! Random moves, and the openings of a match that are made of them.
//!
//! Each attempt has its own random number generator, seeded with the seed, the number of the
//! opening and the number of the attempt, so that it does not depend on other attempts. Openings of
//! few moves would often be the same: opening `k` is then its first attempt that no earlier opening
//! used, and they are made in order. Longer ones are made without the others, so that one shard of
//! a thousand does not judge the openings of all; two of them may be the same by chance.

use std::collections::{HashMap, HashSet};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Judge, OpeningError, OpeningSettings, Plies, why_over};
use crate::movegen::legal_moves;
use crate::position::Position;
use crate::records::sfen_line::SfenLine;
use crate::types::{EnteringKingRule, Move};

/// Maximum number of attempts at one opening.
const MAX_ATTEMPTS: u64 = 2_000;

/// The use of a generator, a part of its seed: different uses of one tool draw different numbers.
#[derive(Clone, Copy)]
pub(crate) struct Purpose(u64);

impl Purpose {
    /// An opening of a match or of self-play.
    pub(crate) const OPENING: Self = Self(1);
    /// The order of the openings of a match.
    pub(crate) const ORDER: Self = Self(2);
    /// The moves of a game of self-play.
    pub(crate) const GAME: Self = Self(2);
    /// The sample of the search trees of a game.
    pub(crate) const TREE: Self = Self(5);
}

/// A generator with the same output on every machine and in every version. Each attempt at a game
/// or opening has its own, so that they do not depend on each other.
pub(crate) fn generator(purpose: Purpose, seed: u64, index: u64, attempt: u64) -> ChaCha8Rng {
    let mut bytes = [0; 32];
    let words = [seed, index, attempt, purpose.0];
    for (slot, word) in bytes.chunks_exact_mut(8).zip(words) {
        slot.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(bytes)
}

/// A random number from 0 to `bound` - 1, where `bound` is at least 1. Takes the upper half of a
/// product; its bias of `bound` in 2^64 is negligible. Not taken from the library, whose method may
/// change between versions.
pub(crate) fn below(generator: &mut ChaCha8Rng, bound: usize) -> usize {
    ((u128::from(generator.next_u64()) * bound as u128) >> 64) as usize
}

/// A random number in 0..1, a multiple of 2^-32. 32 of the 64 bits convert to a float without
/// rounding.
pub(crate) fn fraction(generator: &mut ChaCha8Rng) -> f64 {
    let high = (generator.next_u64() >> u32::BITS) as u32;
    f64::from(high) / (f64::from(u32::MAX) + 1.0)
}

/// Plays a random number of random moves, each legal move equally likely; `None` if the game ends
/// before.
pub(super) fn play_random_moves(
    position: &mut Position,
    plies: Plies,
    generator: &mut ChaCha8Rng,
) -> Option<Vec<Move>> {
    let choices = plies.most() - plies.least() + 1;
    let count = plies.least() + below(generator, choices as usize) as u32;
    let mut moves = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let legal = legal_moves(position);
        if legal.is_empty() {
            return None;
        }
        let mv = legal[below(generator, legal.len())];
        position.do_move(mv);
        moves.push(mv);
    }
    Some(moves)
}

/// Random openings, made on demand.
pub(super) struct RandomOpenings {
    plies: Plies,
    seed: u64,
    rule: EnteringKingRule,
    judge: Option<Judge>,
    /// The openings made so far by index.
    made: HashMap<usize, String>,
    /// Keys of all positions that were accepted or rejected, which are not tried again; `None`
    /// where openings do not depend on each other.
    considered: Option<HashSet<u64>>,
}

impl RandomOpenings {
    /// Random openings of `plies` moves, with the other settings.
    pub(super) fn new(
        plies: Plies,
        settings: &OpeningSettings,
        rule: EnteringKingRule,
        judge: Option<Judge>,
    ) -> Self {
        Self {
            plies,
            seed: settings.seed,
            rule,
            judge,
            made: HashMap::new(),
            considered: (!settings.are_independent()).then(HashSet::new),
        }
    }

    /// The opening with this index, from 0.
    pub(super) fn get(&mut self, index: usize) -> Result<&str, OpeningError> {
        if self.considered.is_some() {
            for earlier in self.made.len()..index {
                self.make(earlier)?;
            }
        }
        if !self.made.contains_key(&index) {
            self.make(index)?;
        }
        Ok(&self.made[&index])
    }

    fn make(&mut self, index: usize) -> Result<(), OpeningError> {
        for attempt in 0..MAX_ATTEMPTS {
            let mut generator = generator(Purpose::OPENING, self.seed, index as u64, attempt);
            if let Some(line) = self.attempt(&mut generator) {
                self.made.insert(index, line.to_string());
                return Ok(());
            }
        }
        Err(OpeningError(format!(
            "no opening {} in {MAX_ATTEMPTS} attempts: too few positions after {} plies are new, \
            balanced and out of check; use more plies or allow a larger imbalance",
            index + 1,
            self.plies
        )))
    }

    fn attempt(&mut self, generator: &mut ChaCha8Rng) -> Option<SfenLine> {
        let start = Position::startpos();
        let mut position = start.clone();
        let moves = play_random_moves(&mut position, self.plies, generator)?;
        let is_new = self
            .considered
            .as_mut()
            .is_none_or(|considered| considered.insert(position.key().low64()));
        let is_fit = is_new
            && !position.in_check()
            && why_over(&position, self.rule, 0).is_none()
            && self
                .judge
                .as_mut()
                .is_none_or(|judge| judge.is_balanced(&position));
        is_fit.then_some(SfenLine { start, moves })
    }
}
