//! The moves at the root, with what is known about each.

use crate::movegen;
use crate::position::Position;
use crate::types::value::{self, MATE_IN_MAX_PLY, MAX_PLY};
use crate::types::{Bound, Depth, Move, MoveList, Value};

use super::node::Node;
use super::vote::Candidate;
use super::worker::Worker;
use super::{Limits, Settings};

/// One root move.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Rank in the running iteration: the value, or `-INFINITE` where it is only known to be no better than others.
    pub(super) rank: Value,
    /// The line, from this move on; never empty.
    pub(super) line: Vec<Move>,
    /// The value of the line, and what it says.
    pub(super) value: Value,
    pub(super) bound: Bound,
    /// The depth at which the line was found, 0 before any search.
    pub(super) depth: Depth,
    pub(super) seldepth: usize,
    /// Running mean of the values that searches returned, bounds included; `-INFINITE` before the first.
    pub(super) average: Value,
    /// Running mean of the squared values, with their sign; `None` before the first.
    pub(super) mean_square: Option<i64>,
    /// Nodes searched below this move.
    pub(super) effort: u64,
}

impl RootMove {
    pub(super) fn new(mv: Move) -> Self {
        Self {
            mv,
            rank: -value::INFINITE,
            line: vec![mv],
            value: -value::INFINITE,
            bound: Bound::Exact,
            depth: 0,
            seldepth: 0,
            average: -value::INFINITE,
            mean_square: None,
            effort: 0,
        }
    }

    /// Takes a returned value into the means.
    pub(super) fn take_average(&mut self, value: Value) {
        self.average = if self.average == -value::INFINITE {
            value
        } else {
            Value::midpoint(self.average, value)
        };
        let square = i64::from(value) * i64::from(value.abs());
        self.mean_square = Some(
            self.mean_square
                .map_or(square, |mean| i64::midpoint(mean, square)),
        );
    }

    /// A move that ends the game.
    pub(super) fn won(mv: Move) -> Self {
        let mut root_move = Self::new(mv);
        root_move.update(value::mate_in(1), Bound::Exact, 1, &[]);
        root_move.seldepth = 1;
        root_move
    }

    /// Records a value with its line.
    pub(super) fn update(&mut self, value: Value, bound: Bound, depth: Depth, rest: &[Move]) {
        self.rank = value;
        self.value = value;
        self.bound = bound;
        self.depth = depth;
        self.line.clear();
        self.line.push(self.mv);
        self.line.extend(rest.iter().take(MAX_PLY));
    }

    /// Whether a report of the one reads as a report of the other.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        (self.depth, self.value, self.bound) == (other.depth, other.value, other.bound)
            && self.line == other.line
    }

    /// Whether the line has a value at all.
    pub(super) fn is_searched(&self) -> bool {
        self.depth > 0
    }
}

impl Worker {
    /// What this thread has found, `None` where there is no move.
    pub(super) fn candidate(&self) -> Option<Candidate> {
        let best = self.root_moves.first()?.clone();
        Some(Candidate {
            best,
            depth: self.completed_depth,
        })
    }

    /// What is known about a root move is replaced, and the move becomes the best.
    pub(super) fn put_first(&mut self, best: RootMove) {
        if let Some(index) = self.root_moves.iter().position(|own| own.mv == best.mv) {
            self.root_moves[index] = best;
            self.root_moves[..=index].rotate_right(1);
        }
    }

    /// A weaker player may prefer another of the best moves; it becomes the first.
    pub(super) fn choose_by_skill(&mut self) {
        let lines = &self.root_moves[..self.lines()];
        let values = lines.iter().filter(|line| line.is_searched());
        let values: Vec<Value> = values.map(|line| line.value).collect();
        let chosen = self.task.settings.skill.pick(&values);
        self.root_moves[..=chosen].rotate_right(1);
    }

    /// The moves as [`Self::settle`] wants them: all where several lines are searched, otherwise the best.
    pub(super) fn completed_lines(&self, lines: usize) -> Vec<RootMove> {
        let count = if lines > 1 { self.root_moves.len() } else { 1 };
        self.root_moves[..count].to_vec()
    }

    /// After an iteration that was cut short; `completed` are the lines before it.
    pub(super) fn settle(&mut self, mut completed: Vec<RootMove>) {
        if !completed[0].is_searched() {
            return;
        }
        if completed.len() > 1 {
            // Several lines compare only within one iteration.
            self.root_moves = completed;
        } else if self.root_moves[0].value <= -MATE_IN_MAX_PLY {
            // Only an iteration that has seen every move proves a loss.
            self.put_first(completed.remove(0));
        }
    }
}

/// The moves to search: those asked for that are legal, or all legal ones. Senseless non-promotions only where they are
/// asked for.
pub(super) fn root_moves(
    position: &Position,
    limits: &Limits,
    settings: &Settings,
) -> Vec<RootMove> {
    let all = movegen::legal_moves(position);
    let mut moves: Vec<Move> = limits
        .search_moves
        .iter()
        .copied()
        .filter(|mv| all.contains(mv))
        .collect();
    if moves.is_empty() {
        if settings.generate_all_legal_moves {
            moves.extend(&all);
        } else {
            let mut sensible = MoveList::new();
            movegen::legal::<false>(position, &mut sensible);
            moves.extend(&sensible);
        }
    }
    let mut root_moves: Vec<RootMove> = Vec::with_capacity(moves.len());
    for mv in moves {
        if root_moves.iter().all(|known| known.mv != mv) {
            root_moves.push(RootMove::new(mv));
        }
    }
    root_moves
}

impl Worker {
    /// Whether the root searches this move: those of better lines are excluded.
    pub(super) fn is_root_move(&self, mv: Move) -> bool {
        self.root_moves[self.pv_index..]
            .iter()
            .any(|root_move| root_move.mv == mv)
    }

    /// Records what was found out about a root move.
    pub(super) fn update_root_move(&mut self, node: &Node, mv: Move, value: Value) {
        let (depth, seldepth) = (self.root_depth, self.seldepth);
        let window = node.window;
        let Some(index) = self.root_moves.iter().position(|known| known.mv == mv) else {
            return;
        };
        let nodes = self.statistics.nodes;
        let effort = nodes - std::mem::replace(&mut self.root_move_nodes, nodes);
        let root_move = &mut self.root_moves[index];
        root_move.effort += effort;
        root_move.take_average(value);
        if node.move_count > 1 && value <= window.alpha {
            // Only known to be no better: keeps its place among the others.
            root_move.rank = -value::INFINITE;
            return;
        }
        let bound = if value >= window.beta {
            Bound::Lower
        } else if value <= window.alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        root_move.update(value, bound, depth, &self.lines[1]);
        root_move.seldepth = seldepth;
        if node.move_count > 1 && self.pv_index == 0 {
            self.best_move_changes += 1;
        }
    }
}
