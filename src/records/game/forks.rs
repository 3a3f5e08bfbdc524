//! Where the variations of a record branch off.

use std::collections::BTreeMap;

use super::GameRecord;

/// The variations by the line that they branch off from, and after how many moves.
pub(in crate::records) struct Forks(BTreeMap<(Option<usize>, usize), Vec<usize>>);

impl Forks {
    pub(in crate::records) fn of(record: &GameRecord) -> Self {
        let mut forks: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (index, variation) in record.variations.iter().enumerate() {
            let place = (variation.parent, variation.after);
            forks.entry(place).or_default().push(index);
        }
        Self(forks)
    }

    /// The variations off the line `parent` after as many moves, in the order of the record.
    pub(in crate::records) fn at(&self, parent: Option<usize>, after: usize) -> &[usize] {
        self.0.get(&(parent, after)).map_or(&[], Vec::as_slice)
    }

    /// The variations off a line, those off its end first.
    pub(in crate::records) fn of_line(&self, parent: Option<usize>) -> impl Iterator<Item = usize> {
        let own = self.0.range((parent, 0)..=(parent, usize::MAX)).rev();
        own.flat_map(|(_, forks)| forks.iter().copied())
    }
}
