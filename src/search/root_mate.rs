//! The state of the search for a mate from the root, and when its next slice is due.

use crate::mate::ResumableSolver;
use crate::position::Position;

use super::root_move::RootMove;

/// Size of the solver's table in MB.
const TABLE_MEGABYTES: usize = 8;
/// Least and largest number of nodes of a slice. The largest takes a few milliseconds, by which the
/// search may be late to look at the clock.
const MIN_SLICE: u64 = 256;
const MAX_SLICE: u64 = 8192;
/// Within those bounds a slice has one node for this many nodes of the search.
const NODES_PER_SLICE_NODE: u64 = 64;

/// The search for a mate from the root.
#[derive(Default)]
pub(super) struct RootMate {
    /// `None` before the first search for a mate.
    pub(super) solver: Option<ResumableSolver>,
    pub(super) state: RootMateState,
    /// Nodes of the solver in this search.
    pub(super) nodes: u64,
}

/// How far the search for a mate has come.
#[derive(Default)]
pub(super) enum RootMateState {
    /// Not wanted, or disproven.
    #[default]
    Off,
    Searching,
    Found(RootMove),
}

impl RootMate {
    /// Begins to look for a mate.
    pub(super) fn start(&mut self, position: &Position) {
        self.state = RootMateState::Searching;
        self.nodes = 0;
        self.solver
            .get_or_insert_with(|| ResumableSolver::new(TABLE_MEGABYTES))
            .begin(position);
    }

    /// Ends the search for a mate.
    pub(super) fn stop(&mut self) {
        self.state = RootMateState::Off;
    }

    /// Forgets all positions, for a new game.
    pub(super) fn clear(&mut self) {
        if let Some(solver) = &mut self.solver {
            solver.clear();
        }
    }

    /// The nodes of the next slice after `nodes` nodes of the whole search, if one is due: of
    /// `divisor` nodes the solver gets one.
    pub(super) fn due_slice(&self, nodes: u64, divisor: u64) -> Option<u64> {
        let slice = (nodes / NODES_PER_SLICE_NODE).clamp(MIN_SLICE, MAX_SLICE);
        let is_due =
            matches!(self.state, RootMateState::Searching) && nodes / divisor >= self.nodes + slice;
        is_due.then_some(slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_grow_with_the_search_and_keep_their_share() {
        let mut root_mate = RootMate::default();
        assert_eq!(root_mate.due_slice(1 << 30, 8), None, "not started");
        root_mate.state = RootMateState::Searching;
        let mut sizes = Vec::new();
        for nodes in (0..4_000_000).step_by(512) {
            if let Some(slice) = root_mate.due_slice(nodes, 8) {
                root_mate.nodes += slice;
                sizes.push(slice);
            }
            assert!(root_mate.nodes <= nodes / 8);
        }
        assert!(sizes.is_sorted() && sizes[0] == MIN_SLICE);
        assert_eq!(sizes.last(), Some(&MAX_SLICE));
        assert!(root_mate.nodes + MAX_SLICE >= 4_000_000 / 8 - 64);
    }
}
