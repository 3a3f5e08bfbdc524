//! What is lost between formats: what entries have no place for, and what the written format could
//! not hold of them.

/// Counts of what was changed or left out. All 0 for `.db`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Losses {
    /// Further entries of a position, left out.
    pub entries: u64,
    /// Positions without moves, left out.
    pub empty: u64,
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
