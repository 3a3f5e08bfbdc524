//! Histograms with classes of equal width.

use serde::{Deserialize, Serialize};

/// Counts of numbers by class. Numbers outside the range count for the first or last class.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Histogram {
    /// The lower end of the first class.
    first: i64,
    /// The width of a class.
    width: i64,
    counts: Vec<u64>,
}

/// The longest bar of the text output, in characters.
const LONGEST_BAR: u64 = 50;

impl Histogram {
    /// Creates classes of `width` from `first` to `end`.
    pub(super) fn new(first: i64, end: i64, width: i64) -> Self {
        Self {
            first,
            width,
            counts: vec![0; ((end - first) / width).max(1) as usize],
        }
    }

    /// Adds the counts of another histogram with the same classes.
    pub(super) fn merge(&mut self, other: &Self) {
        for (ours, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *ours += theirs;
        }
    }

    pub(super) fn add(&mut self, number: i64) {
        let class = (number - self.first).div_euclid(self.width);
        let last = self.counts.len() as i64 - 1;
        self.counts[class.clamp(0, last) as usize] += 1;
    }

    /// The lower ends of the classes with their counts.
    pub(super) fn classes(&self) -> impl Iterator<Item = (i64, u64)> {
        let ends = (self.first..).step_by(self.width as usize);
        ends.zip(self.counts.iter().copied())
    }

    pub(super) const fn width(&self) -> i64 {
        self.width
    }

    /// A line with a bar for each class, from the first to the last class that is not empty.
    pub(super) fn lines(&self) -> Vec<String> {
        let most = self.counts.iter().copied().max().unwrap_or(0).max(1);
        let is_empty = |&(_, count): &(i64, u64)| count == 0;
        let mut classes: Vec<(i64, u64)> = self.classes().skip_while(is_empty).collect();
        while classes.last().is_some_and(is_empty) {
            classes.pop();
        }
        let line = |(from, count): (i64, u64)| {
            let length = (u128::from(count) * u128::from(LONGEST_BAR)).div_ceil(most.into());
            let bar = "#".repeat(length as usize);
            format!("  {from:>6}  {count:>12}  {bar}")
                .trim_end()
                .to_owned()
        };
        classes.into_iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_take_what_lies_outside() {
        let mut histogram = Histogram::new(-20, 20, 10);
        for number in [-1000, -20, -1, 0, 9, 10, 11, 12, 5000] {
            histogram.add(number);
        }
        let classes: Vec<_> = histogram.classes().collect();
        assert_eq!(classes, [(-20, 2), (-10, 1), (0, 2), (10, 4)]);
        let lines = histogram.lines();
        assert_eq!(lines.len(), 4);
        assert!(lines[3].ends_with(&"#".repeat(50)) && !lines[2].ends_with(&"#".repeat(26)));
    }
}
