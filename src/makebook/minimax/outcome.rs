//! The value of a move after minimax, and how many plies away it arises.

/// The depth of what repeats for ever.
pub(super) const ENDLESS: u16 = 9999;
/// The depth of a move into a loop of perpetual check that loses for the mover's side.
pub(super) const PERPETUAL_CHECK: u16 = 9997;
/// The depth of a loop of perpetual check from the view of the side that gives the checks.
pub(super) const PERPETUALLY_CHECKED: u16 = 9998;
/// Longest line; a draw that is further away counts as [`ENDLESS`].
pub(super) const MAX_PLIES: u16 = 256;
/// The greatest value, and with the opposite sign the smallest.
pub(super) const MAX_VALUE: i16 = 32_000;

/// The value of a move for the side that makes it, and the number of plies to where it arises.
///
/// Of a node it says what the move into that node is worth, so it is seen from the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Centipawns, -32767 to 32767.
    pub value: i16,
    /// Plies, at most 9999.
    pub depth: u16,
}

impl Outcome {
    /// Worse than every move.
    pub(super) const NONE: Self = Self {
        value: -i16::MAX,
        depth: ENDLESS,
    };

    /// The outcome of a move whose value is known from the book.
    pub(super) const fn leaf(value: i16) -> Self {
        Self { value, depth: 0 }
    }

    /// The outcome for the move into a node whose best move has this one.
    #[must_use]
    pub(super) fn for_parent(self) -> Self {
        Self {
            value: -self.value,
            depth: (self.depth + 1).min(ENDLESS),
        }
    }

    /// A number that is greater for a better outcome: by value, then a win that comes sooner or a
    /// loss that comes later; a perpetual check is the last among equal values.
    pub(super) const fn rank(self) -> i32 {
        let depth = self.depth as i32;
        let nearness = if self.depth == PERPETUAL_CHECK {
            0
        } else if self.value >= 0 {
            ENDLESS as i32 + 1 - depth
        } else {
            depth + 1
        };
        self.value as i32 * (1 << 15) + nearness
    }

    /// The better of two.
    #[must_use]
    pub(super) const fn or(self, other: Self) -> Self {
        if other.rank() > self.rank() {
            other
        } else {
            self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_come_soon_losses_late_and_perpetual_checks_last() {
        let outcome = |value, depth| Outcome { value, depth };
        let ascending = [
            outcome(-100, 3),
            outcome(-100, 4),
            outcome(0, PERPETUAL_CHECK),
            outcome(0, ENDLESS),
            outcome(0, 5),
            outcome(0, 4),
            outcome(7, ENDLESS),
            outcome(7, 0),
        ];
        assert!(ascending.is_sorted_by_key(|outcome| outcome.rank()));
        for pair in ascending.windows(2) {
            assert_eq!(pair[0].or(pair[1]), pair[1]);
            assert_eq!(pair[1].or(pair[0]), pair[1]);
        }
        assert_eq!(outcome(30, 9999).for_parent(), outcome(-30, 9999));
    }
}
