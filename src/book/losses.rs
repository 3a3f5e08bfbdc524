//! What is lost between formats: what entries have no place for, and what the written format could
//! not hold of them.

use std::fmt;

use crate::util::counted;

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
            (self.entries, "further entry", " of positions"),
            (self.plies, "ply", ""),
            (self.ponder_moves, "ponder move", ""),
            (self.values, "value", ""),
            (self.depths, "depth", ""),
            (self.counts, "count", ""),
            (self.illegal_moves, "illegal move", ""),
        ];
        write!(f, "left out or limited: {}", listed(&parts))
    }
}

/// What a `.sbk` book has and entries have no place for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extras {
    /// Comments on positions.
    pub comments: u64,
    /// Positions with numbers of games and wins.
    pub results: u64,
    /// Evaluations of positions by engines.
    pub evaluations: u64,
    /// Moves that are marked as good, dubious and the like.
    pub marks: u64,
}

impl Extras {
    /// Whether there is nothing of the kind.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// One line: `not read: 3 comments, 2 marks of moves`.
impl fmt::Display for Extras {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.comments, "comment", ""),
            (self.results, "count", " of games"),
            (self.evaluations, "evaluation", " of positions"),
            (self.marks, "mark", " of moves"),
        ];
        write!(f, "not read: {}", listed(&parts))
    }
}

/// The counts that are not 0 with their nouns and what follows these.
fn listed(parts: &[(u64, &str, &str)]) -> String {
    let parts = parts.iter().filter(|(count, ..)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(count, noun, rest)| counted(*count, noun) + rest)
        .collect();
    parts.join(", ")
}
