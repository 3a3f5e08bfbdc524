//! Mates at the root: a df-pn search for a mate by checks alone gets a share of the main thread's
//! nodes, in slices between the nodes of the search. A proven mate ends the search. Idea: dlshogi,
//! whose root asks a mate solver on a thread of its own; slices keep equal searches equal.

use crate::mate::{ResumableSolver, Verdict};
use crate::position::Position;
use crate::types::value::{self, MAX_PLY};
use crate::types::{Bound, EnteringKingRule, Move};

use super::{root::RootMove, tunables, worker::Worker};

/// Most nodes by which a slice may exceed its size.
const SLICE_MARGIN: u64 = 64;
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
        self.solver.get_or_insert_with(|| ResumableSolver::new(TABLE_MEGABYTES)).begin(position);
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
    fn due_slice(&self, nodes: u64, divisor: u64) -> Option<u64> {
        let slice = (nodes / NODES_PER_SLICE_NODE).clamp(MIN_SLICE, MAX_SLICE);
        let is_due =
            matches!(self.state, RootMateState::Searching) && nodes / divisor >= self.nodes + slice;
        is_due.then_some(slice)
    }
}

impl Worker {
    /// Begins to look for a mate from the root, where the result may be used. Not below full
    /// strength, which would see too much; not where the defender may win by moving the king (try
    /// rule); and not where the game has come back to an earlier position: the solver does not know
    /// the history, and could lose by perpetual check.
    pub(super) fn start_root_mate(&mut self) {
        let key = self.position.key();
        let mut earlier = (1..).map_while(|back| self.position.key_before(back));
        let is_wanted = self.task.settings.skill.is_full()
            && self.rule != EnteringKingRule::TryRule
            && !earlier.any(|before| before == key);
        if is_wanted {
            self.root_mate.start(&self.position);
        }
    }

    /// Runs the solver if a slice is due and no mate is known. Returns whether a mate was found and
    /// ends the search.
    pub(super) fn run_root_mate(&mut self) -> bool {
        let divisor = tunables::root_mate_node_divisor() as u64;
        let Some(slice) = self.root_mate.due_slice(self.statistics.nodes, divisor) else {
            return false;
        };
        let signals = &self.task.signals;
        let limit = self.task.limits.nodes.unwrap_or(u64::MAX);
        if signals.nodes() + slice + SLICE_MARGIN > limit
            || self.root_moves.iter().any(RootMove::is_mate)
        {
            return false;
        }
        let Some(solver) = &mut self.root_mate.solver else {
            return false;
        };
        let result = solver.run(slice, signals.stop_flag());
        self.root_mate.state = match result.verdict {
            Verdict::Unknown => RootMateState::Searching,
            Verdict::NoMate => RootMateState::Off,
            Verdict::Mate { line, plies, .. } => self
                .mate_of_line(&line.moves, plies)
                .map_or(RootMateState::Off, RootMateState::Found),
        };
        self.root_mate.nodes += result.nodes;
        self.statistics.nodes += result.nodes;
        let is_found = matches!(self.root_mate.state, RootMateState::Found(_));
        // Other lines, and shorter mates in analysis, are still wanted.
        is_found && self.multi_pv() <= 1 && !self.task.limits.infinite
    }

    /// The root move of a mate in `plies`, unless the rules or this search forbid it.
    fn mate_of_line(&self, line: &[Move], plies: usize) -> Option<RootMove> {
        let &first = line.first()?;
        let last_ply = u64::from(self.task.position.game_ply()) + plies as u64 - 1;
        let is_allowed = self.root_moves.iter().any(|own| own.mv == first)
            || self.task.limits.search_moves.is_empty();
        if !is_allowed || plies >= MAX_PLY || last_ply > u64::from(self.max_moves) {
            return None;
        }
        let mut mate = RootMove::new(first);
        mate.update(value::mate_in(plies), Bound::Exact, 1, &line[1..]);
        mate.seldepth = plies;
        Some(mate)
    }

    /// Puts the mate that was found at the head of the root moves, unless they know one that is as
    /// short. Returns whether it did.
    pub(super) fn adopt_root_mate(&mut self) -> bool {
        let RootMateState::Found(mate) = &self.root_mate.state else {
            return false;
        };
        let best = &self.root_moves[0];
        if best.is_mate() && best.value >= mate.value {
            return false;
        }
        let mate = mate.clone();
        let known = self.root_moves.iter().position(|own| own.mv == mate.mv);
        // Non-promotions, which are left out of the list, can be the only way to mate.
        let index = known.unwrap_or_else(|| {
            self.root_moves.push(RootMove::new(mate.mv));
            self.root_moves.len() - 1
        });
        let depth = self.root_depth.max(1);
        let own = &mut self.root_moves[index];
        own.update(mate.value, Bound::Exact, depth, &mate.pv[1..]);
        own.seldepth = own.seldepth.max(mate.seldepth);
        self.root_moves[..=index].rotate_right(1);
        true
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
