//! What the written format could not hold of the entries.

use std::fmt;

/// Counts of what was changed or left out. All 0 for `.db`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Losses {
    /// Further entries of a position, left out.
    pub entries: u64,
    /// Positions whose ply was left out or limited to 65535.
    pub plies: u64,
    /// Expected answers, left out.
    pub ponder_moves: u64,
    /// Values that were left out, or limited to 16 bits.
    pub values: u64,
    /// Depths that were left out, or limited to 16 bits.
    pub depths: u64,
    /// Counts that were left out, or limited to 16 or 32 bits.
    pub counts: u64,
    /// Illegal moves, left out where the format leads from position to position.
    pub illegal_moves: u64,
}

impl Losses {
    /// Whether everything was written.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// One sentence: `left out or limited: 3 ponder moves, 2 counts`; `nothing is lost` if so.
impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("nothing is lost");
        }
        let parts = [
            (self.entries, "further entries of positions"),
            (self.plies, "plies"),
            (self.ponder_moves, "ponder moves"),
            (self.values, "values"),
            (self.depths, "depths"),
            (self.counts, "counts"),
            (self.illegal_moves, "illegal moves"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        write!(f, "left out or limited: {}", parts.join(", "))
    }
}
