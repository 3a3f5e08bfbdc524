//! The share of a run that one of several machines does, and the numbers of its pieces that are
//! still to be done.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One of `count` shards of a run.
///
/// Its text is `I/N`, such as `3/16`. Batch systems count from 0 or from 1: `N/N` and `0/N` are the
/// same shard, so that with either convention each shard is done once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shard {
    /// Number of the shard, from 0 to `count` - 1.
    pub index: u64,
    /// Number of shards, at least 1.
    pub count: u64,
}

/// A text that is not of the form `I/N`.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is no part of a run, expected I/N such as 3/16")]
pub struct ShardError(String);

impl Shard {
    /// The only shard of a run that is not divided.
    pub const WHOLE: Self = Self { index: 0, count: 1 };

    /// Whether the piece `number` belongs to this shard: every `count`-th one, starting at `index`.
    pub const fn has(self, number: u64) -> bool {
        number % self.count == self.index
    }

    /// How many of the first `length` pieces belong to this shard.
    pub const fn share_of(self, length: u64) -> u64 {
        let others = self.count - 1 - self.index;
        length / self.count + (length % self.count + others) / self.count
    }

    /// The contiguous range of `length` pieces that belongs to this shard, for outputs that are
    /// concatenated to the output of the whole run. 1/N is the first range and N/N (or 0/N) the
    /// last.
    pub fn range(self, length: u64) -> Range<u64> {
        let number = if self.index == 0 {
            self.count
        } else {
            self.index
        };
        let bound = |part: u64| {
            let bound = u128::from(length) * u128::from(part) / u128::from(self.count);
            bound as u64
        };
        bound(number - 1)..bound(number)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let error = || ShardError(crate::util::shorten(text));
        let (index, count) = text.split_once('/').ok_or_else(error)?;
        let [index, count]: [Result<u64, _>; 2] = [index.trim().parse(), count.trim().parse()];
        match (index, count) {
            (Ok(index), Ok(count)) if count > 0 && index <= count => Ok(Self {
                index: index % count,
                count,
            }),
            _ => Err(error()),
        }
    }
}

/// `I/N` with I from 1 to N, whichever way the shard was given.
impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = if self.index == 0 {
            self.count
        } else {
            self.index
        };
        write!(formatter, "{number}/{}", self.count)
    }
}

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
    fn each_part_is_done_once_whether_counted_from_0_or_from_1() {
        for texts in [["0/3", "1/3", "2/3"], ["1/3", "2/3", "3/3"]] {
            let shards = texts.map(|text| text.parse::<Shard>().expect("a shard"));
            for number in 0..20 {
                let holders = shards.iter().filter(|shard| shard.has(number)).count();
                assert_eq!(holders, 1, "{number} in {texts:?}");
            }
        }
    }

    #[test]
    fn ranges_are_contiguous_and_complete() {
        for (length, count) in [(0, 1), (10, 3), (2, 5), (u64::MAX, 7)] {
            let mut end = 0;
            for number in 1..=count {
                let shard: Shard = format!("{number}/{count}").parse().expect("a shard");
                let range = shard.range(length);
                assert_eq!(range.start, end);
                end = range.end;
            }
            assert_eq!(end, length);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "3", "/", "4/3", "1/0", "-1/3", "a/b", "1/2/3"] {
            let error = text.parse::<Shard>().expect_err(text);
            assert!(error.to_string().contains("expected I/N"), "{error}");
        }
    }

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
