//! A mate search in slices on the calling thread, for the root of another search.

use std::sync::atomic::{AtomicBool, AtomicU64};

use super::proof_numbers::NO_LIMIT;
use super::table::Table;
use super::worker::{Control, Worker};
use super::{Verdict, without_history};
use crate::position::Position;
use crate::types::value::MAX_PLY;

/// Nodes for working out the main line of a proven mate, parts of which a small table may have
/// lost.
const MAIN_LINE_NODES: u64 = 10_000;

/// Searches one position after another, each in slices of a given number of nodes.
///
/// Paths end after [`MAX_PLY`] plies, so that the recursion fits into the stack of the thread that
/// searches games.
pub struct ResumableSolver {
    table: Table,
    /// `None` before the first position.
    root: Option<Position>,
    /// Whether the table holds the proof of a mate from `root`.
    is_proven: bool,
}

/// What a slice found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slice {
    /// Mate, no mate, or unknown so far.
    pub verdict: Verdict,
    /// Moves made in this slice.
    pub nodes: u64,
}

impl ResumableSolver {
    /// A solver with a table of at most `megabytes` MB.
    pub fn new(megabytes: usize) -> Self {
        Self {
            table: Table::new(megabytes),
            root: None,
            is_proven: false,
        }
    }

    /// Begins with a position, whose history is ignored. After a proven mate with the same attacker
    /// the table is kept: the proof covers the positions that follow.
    pub fn begin(&mut self, position: &Position) {
        let attacker = Position::side_to_move;
        let is_continued =
            self.is_proven && self.root.as_ref().map(attacker) == Some(attacker(position));
        if !is_continued {
            self.table.new_problem();
        }
        self.root = Some(without_history(position));
        self.is_proven = false;
    }

    /// Forgets everything, so that equal searches that follow are equal.
    pub fn clear(&mut self) {
        self.table.clear();
        self.root = None;
        self.is_proven = false;
    }

    /// Continues the search of the position for about `nodes` nodes, or until `stop` is set.
    pub fn run(&mut self, nodes: u64, stop: &AtomicBool) -> Slice {
        let (is_done, all_nodes) = (AtomicBool::new(false), AtomicU64::new(0));
        let control = Control {
            max_nodes: nodes,
            max_plies: MAX_PLY,
            is_resumed: true,
            ..Control::until(stop, &is_done, &all_nodes)
        };
        let Some(root) = &self.root else {
            let verdict = Verdict::Unknown;
            return Slice { verdict, nodes: 0 };
        };
        let mut worker = Worker::new(root, root.side_to_move(), &self.table, control, None);
        let numbers = worker.solve_position::<true>(NO_LIMIT);
        let verdict = if numbers.is_disproven() && !numbers.depends_on_path() {
            Verdict::NoMate
        } else if numbers.is_proven() {
            self.is_proven = true;
            worker.control.max_nodes = worker.nodes + MAIN_LINE_NODES;
            worker.continue_alone();
            let line = worker.checked_line(NO_LIMIT, false);
            let plies = worker.proven_length(numbers).into();
            line.map_or(Verdict::Unknown, |line| Verdict::Mate {
                line,
                plies,
                is_shortest: false,
            })
        } else {
            Verdict::Unknown
        };
        let nodes = worker.nodes;
        Slice { verdict, nodes }
    }
}
