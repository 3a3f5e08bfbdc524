//! Output buckets: which layer stack or output neuron of a network evaluates a position, by the
//! pieces in hand, the king squares and the progress of the game.
//!
//! [`OutputBuckets`] are those of `YaneuraOu`'s SFNN networks
//! (`source/eval/nnue/architectures/README.md`). Hands and kings are classified per side, the side
//! to move first; hands, kings and progress combine in this order. Our own networks use
//! `game_phase` instead.

mod game_phase;
mod hand;
mod king;
mod progress;

use std::fmt;

use crate::eval::perspective::seen_by;
use crate::position::Position;
use progress::PROGRESS_VALUES;

pub use game_phase::OUTPUT_BUCKETS;
pub(crate) use game_phase::game_phase;
pub use hand::HandClasses;
pub use king::KingClasses;
pub(crate) use progress::Progress;

/// How the layer stack is chosen. With every field absent there is a single stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OutputBuckets {
    /// By the hands of both sides.
    pub hand: Option<HandClasses>,
    /// By the king squares of both sides.
    pub king: Option<KingClasses>,
    /// By game progress in this number of equal parts, one of [`PROGRESS_BUCKETS`].
    pub progress: Option<u32>,
}

/// The numbers of parts that progress can be divided into.
pub const PROGRESS_BUCKETS: [u32; 6] = [2, 3, 4, 8, 16, 32];

impl OutputBuckets {
    /// Number of layer stacks: the product of all classes.
    pub fn count(self) -> usize {
        let hand = self.hand.map_or(1, |hand| hand.row().2.pow(2));
        let king = self.king.map_or(1, |king| king.row().3.pow(2));
        hand * king * self.progress.unwrap_or(1) as usize
    }

    /// The layer stack for a position, from 0; `None` where a king is missing. `progress` is called
    /// only where the buckets depend on it.
    pub(crate) fn index(
        self,
        position: &Position,
        progress: impl FnOnce() -> Option<u32>,
    ) -> Option<usize> {
        let us = position.side_to_move();
        let mut index = 0;
        if let Some(hand) = self.hand {
            let (ours, theirs) = (position.hand(us), position.hand(!us));
            index = hand.class(ours) * hand.row().2 + hand.class(theirs);
        }
        if let Some(king) = self.king {
            let classes = king.row().3;
            let class = |side| Some(king.class(seen_by(position.king(side)?, side)));
            index = (index * classes + class(us)?) * classes + class(!us)?;
        }
        if let Some(parts) = self.progress {
            let part = progress()? * parts / PROGRESS_VALUES;
            index = index * parts as usize + part as usize;
        }
        Some(index)
    }

    /// Parses words such as `hand16_k9k9z_progress4`, in any order, ignoring case.
    ///
    /// # Errors
    /// The first word that is unknown or repeats a kind.
    pub(crate) fn from_words(text: &str) -> Result<Self, String> {
        let mut text = text.to_ascii_lowercase().replace("zone", "z");
        for (_, name, other, _) in KingClasses::TABLE {
            text = text.replace(other, name);
        }
        let mut buckets = Self::default();
        for word in text.split('_').filter(|word| !word.is_empty()) {
            let hand = HandClasses::TABLE.into_iter().find(|row| row.1 == word);
            let king = KingClasses::TABLE.into_iter().find(|row| row.1 == word);
            let parts = word
                .strip_prefix("progress")
                .and_then(|parts| parts.parse().ok());
            let progress = parts.filter(|parts| PROGRESS_BUCKETS.contains(parts));
            let is_new = match (hand, king, progress) {
                (Some((hand, ..)), ..) => buckets.hand.replace(hand).is_none(),
                (_, Some((king, ..)), _) => buckets.king.replace(king).is_none(),
                (.., Some(parts)) => buckets.progress.replace(parts).is_none(),
                _ => false,
            };
            if !is_new {
                return Err(word.to_owned());
            }
        }
        Ok(buckets)
    }
}

/// Spelling in names of shapes: each word after an underscore.
impl fmt::Display for OutputBuckets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(hand) = self.hand {
            write!(formatter, "_{}", hand.row().1)?;
        }
        if let Some(king) = self.king {
            write!(formatter, "_{}", king.row().1)?;
        }
        if let Some(parts) = self.progress {
            write!(formatter, "_progress{parts}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
