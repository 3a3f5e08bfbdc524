//! The numbers of the pieces that are still to be done.

use std::collections::HashSet;

use super::Shard;

/// The numbers of a shard in ascending order, without those that are done already.
#[derive(Clone, Debug)]
pub struct Numbers {
    next: u64,
    /// The first number after the last piece; `None` for a run without an end.
    end: Option<u64>,
    shard: Shard,
    /// Numbers that were done before the run was resumed.
    done: HashSet<u64>,
}

impl Numbers {
    /// The numbers below `end` that belong to `shard` and are not in `done`.
    pub fn new(end: Option<u64>, shard: Shard, done: impl IntoIterator<Item = u64>) -> Self {
        Self {
            next: 0,
            end,
            shard,
            done: done.into_iter().collect(),
        }
    }
}

impl Iterator for Numbers {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        while self.end.is_none_or(|end| self.next < end) {
            let number = self.next;
            self.next += 1;
            if self.shard.has(number) && !self.done.remove(&number) {
                return Some(number);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_or_belongs_to_others_is_left_out() {
        let shard = Shard { index: 1, count: 3 };
        let numbers = Numbers::new(Some(14), shard, [4, 10]);
        assert_eq!(numbers.collect::<Vec<_>>(), [1, 7, 13]);
        assert_eq!((shard.share_of(14), shard.share_of(13)), (5, 4));
        assert_eq!((shard.share_of(1), Shard::WHOLE.share_of(7)), (0, 7));
        let endless = Numbers::new(None, Shard::WHOLE, [0]);
        assert_eq!(endless.take(3).collect::<Vec<_>>(), [1, 2, 3]);
    }
}
