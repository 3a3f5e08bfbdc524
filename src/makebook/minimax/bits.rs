//! A set of node numbers, one bit each.

/// A set of numbers below a limit.
#[derive(Clone, Debug)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// The empty set of numbers below `limit`.
    pub(super) fn new(limit: usize) -> Self {
        Self(vec![0; limit.div_ceil(64)])
    }

    pub(super) fn has(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 != 0
    }

    pub(super) fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    pub(super) fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    /// The smallest member that is at least `from`.
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        let mut index = from / 64;
        let mut word = *self.0.get(index)? & u64::MAX << (from % 64);
        while word == 0 {
            index += 1;
            word = *self.0.get(index)?;
        }
        Some(index * 64 + word.trailing_zeros() as usize)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        std::iter::successors(self.next(0), |&last| self.next(last + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_order() {
        let mut bits = Bits::new(200);
        for number in [0, 63, 64, 130, 199] {
            bits.insert(number);
        }
        bits.remove(64);
        assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 63, 130, 199]);
        assert!(bits.has(63) && !bits.has(64));
        assert_eq!(bits.next(131), Some(199));
        assert_eq!(bits.next(200), None);
        assert_eq!(Bits::new(0).next(0), None);
    }
}
