//! Openings made of random moves.
//!
//! Every attempt draws from a generator of its own, seeded with the seed, the number of the opening and the number of
//! the attempt, so that nothing depends on what was drawn elsewhere. Only "no opening twice" looks back: opening `k`
//! is the first attempt of its own that no opening before it used, and therefore they are made in order.

use std::collections::HashSet;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::judge::{Judge, is_unfinished};
use super::{OpeningError, Plies};
use crate::movegen::legal_moves;
use crate::position::Position;
use crate::records::sfen_line::SfenLine;

/// Attempts at one opening before the range counts as used up.
const MAX_ATTEMPTS: u64 = 2_000;

/// What a generator is used for, so that no two uses draw the same numbers.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Moves = 1,
    Order = 2,
}

/// A generator that is the same on every machine and in every version.
pub(super) fn generator(purpose: Purpose, seed: u64, index: u64, attempt: u64) -> ChaCha8Rng {
    let mut bytes = [0; 32];
    let words = [seed, index, attempt, purpose as u64];
    for (slot, word) in bytes.chunks_exact_mut(8).zip(words) {
        slot.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(bytes)
}

/// A number below `bound`, which is not 0. The upper half of a product, whose bias of `bound` in 2^64 no one can
/// notice; written out here because the methods of the library may draw otherwise in another version.
pub(super) fn below(generator: &mut ChaCha8Rng, bound: usize) -> usize {
    ((u128::from(generator.next_u64()) * bound as u128) >> 64) as usize
}

/// Makes openings, one after the other.
pub(super) struct RandomOpenings {
    plies: Plies,
    seed: u64,
    judge: Option<Judge>,
    /// The next opening to be made.
    index: u64,
    /// Keys of all positions that have been accepted or refused: neither comes back.
    considered: HashSet<u64>,
}

impl RandomOpenings {
    pub(super) fn new(plies: Plies, seed: u64, judge: Option<Judge>) -> Self {
        Self {
            plies,
            seed,
            judge,
            index: 0,
            considered: HashSet::new(),
        }
    }

    /// The next opening.
    pub(super) fn next(&mut self) -> Result<SfenLine, OpeningError> {
        for attempt in 0..MAX_ATTEMPTS {
            let mut generator = generator(Purpose::Moves, self.seed, self.index, attempt);
            if let Some(line) = self.attempt(&mut generator) {
                self.index += 1;
                return Ok(line);
            }
        }
        Err(OpeningError::UsedUp {
            number: self.index + 1,
            attempts: MAX_ATTEMPTS,
            plies: self.plies,
        })
    }

    fn attempt(&mut self, generator: &mut ChaCha8Rng) -> Option<SfenLine> {
        let choices = self.plies.most() - self.plies.least() + 1;
        let plies = self.plies.least() + below(generator, choices as usize) as u32;
        let (position, line) = random_line(generator, plies)?;
        let is_new = self.considered.insert(position.key().low64());
        let is_fit = is_new
            && !position.in_check()
            && is_unfinished(&position)
            && self
                .judge
                .as_mut()
                .is_none_or(|judge| judge.is_balanced(&position));
        is_fit.then_some(line)
    }
}

/// So many random moves from the start position, each legal move as likely as the others; `None` where the game is over
/// before.
fn random_line(generator: &mut ChaCha8Rng, plies: u32) -> Option<(Position, SfenLine)> {
    let mut position = Position::startpos();
    let start = position.clone();
    let mut moves = Vec::with_capacity(plies as usize);
    for _ in 0..plies {
        let legal = legal_moves(&position);
        if legal.is_empty() {
            return None;
        }
        let mv = legal[below(generator, legal.len())];
        position.do_move(mv);
        moves.push(mv);
    }
    Some((position, SfenLine { start, moves }))
}
