//! The 64-bit Mersenne twister (Nishimura and Matsumoto), from whose first numbers the keys are
//! made.

const LENGTH: usize = 312;
const MIDDLE: usize = 156;
const SEED: u64 = 5489;
const MATRIX: u64 = 0xb502_6f5a_a966_19e9;
const INITIAL_FACTOR: u64 = 6_364_136_223_846_793_005;
/// The bits that come from one word, and from the next.
const UPPER: u64 = !LOWER;
const LOWER: u64 = 0x7fff_ffff;

/// The generator in its initial state.
pub(super) struct MersenneTwister {
    state: [u64; LENGTH],
    next: usize,
}

impl MersenneTwister {
    pub(super) fn new() -> Self {
        let mut state = [SEED; LENGTH];
        for index in 1..LENGTH {
            let last = state[index - 1];
            state[index] = (last ^ last >> 62)
                .wrapping_mul(INITIAL_FACTOR)
                .wrapping_add(index as u64);
        }
        Self {
            state,
            next: LENGTH,
        }
    }

    pub(super) fn next(&mut self) -> u64 {
        if self.next == LENGTH {
            self.renew();
        }
        let mut number = self.state[self.next];
        self.next += 1;
        number ^= number >> 29 & 0x5555_5555_5555_5555;
        number ^= number << 17 & 0x71d6_7fff_eda6_0000;
        number ^= number << 37 & 0xfff7_eee0_0000_0000;
        number ^ number >> 43
    }

    fn renew(&mut self) {
        for index in 0..LENGTH {
            let word = self.state[index] & UPPER | self.state[(index + 1) % LENGTH] & LOWER;
            let mixed = word >> 1 ^ if word & 1 == 1 { MATRIX } else { 0 };
            self.state[index] = self.state[(index + MIDDLE) % LENGTH] ^ mixed;
        }
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_number_comes_out() {
        let mut twister = MersenneTwister::new();
        (1..10_000).for_each(|_| {
            twister.next();
        });
        assert_eq!(twister.next(), 9_981_545_732_273_789_042);
    }
}
