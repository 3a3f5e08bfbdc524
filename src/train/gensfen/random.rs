//! Reproducible random numbers, equal on every machine and in every version. Each game has its own
//! generators, seeded with the seed and its number, so that games do not depend on each other.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The use of a generator, a part of its seed: different uses draw different numbers.
#[derive(Clone, Copy)]
pub(in crate::train) enum Purpose {
    Opening = 1,
    Game = 2,
    EnteringKing = 3,
    Root = 4,
    Tree = 5,
}

/// The generator for one attempt at a game.
pub(in crate::train) fn generator(
    purpose: Purpose,
    seed: u64,
    game: u64,
    attempt: u64,
) -> ChaCha8Rng {
    let mut bytes = [0; 32];
    let words = [seed, game, attempt, purpose as u64];
    for (slot, word) in bytes.chunks_exact_mut(8).zip(words) {
        slot.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(bytes)
}

/// A uniform number below `bound`, which is not 0. It is the upper half of a product, whose bias is
/// at most `bound` in 2^64. The library's own methods may change with its version.
pub(in crate::train) fn below(generator: &mut ChaCha8Rng, bound: usize) -> usize {
    ((u128::from(generator.next_u64()) * bound as u128) >> 64) as usize
}

/// A uniform number in 0..1, a multiple of 2^-32. 32 of the 64 bits convert to a float without
/// rounding.
pub(in crate::train) fn fraction(generator: &mut ChaCha8Rng) -> f64 {
    let high = (generator.next_u64() >> u32::BITS) as u32;
    f64::from(high) / (f64::from(u32::MAX) + 1.0)
}
