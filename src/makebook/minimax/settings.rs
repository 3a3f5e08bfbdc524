//! The settings of a run, and what it found.

use crate::book::FaultLog;
use crate::types::Color;

/// How values are carried back. The default is what `YaneuraOu` does; anything else gives other
/// results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rules {
    /// What a draw is worth, in centipawns, for the side that uses the book, by its colour.
    pub draw_value: [i16; Color::NUM],
    /// Whether positions that differ in their colours alone are different nodes. Needed if the two
    /// draw values differ.
    pub separates_colors: bool,
    /// Whether loops are solved exactly, component by component, instead of by passes over the
    /// nodes and by walking over all paths.
    pub uses_components: bool,
}

impl Rules {
    /// Whether the result is that of `YaneuraOu`.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The settings of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MinimaxSettings {
    /// How values are carried back.
    pub rules: Rules,
    /// Whether to write only the moves that are worth as much as the best one (`shrink`).
    pub keeps_best_only: bool,
    /// Number of threads, at least 1.
    pub threads: usize,
}

/// What a run found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Positions of the book.
    pub positions: usize,
    /// Those without a move, which count as lost.
    pub without_moves: usize,
    /// Moves from one of them to another.
    pub edges: usize,
    /// Nodes from which a loop can be reached.
    pub in_loops: usize,
    /// Nodes in check on a loop of perpetual check.
    pub perpetual_checks: usize,
    /// Sets of such nodes with too many paths to walk over, which were solved by component.
    pub large_loops: usize,
    /// Rounds until no value changed.
    pub rounds: u32,
}

/// The result of a run.
#[derive(Debug)]
pub struct Summary {
    /// What was found.
    pub counts: Counts,
    /// What was left out.
    pub faults: FaultLog,
}
