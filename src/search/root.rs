//! The search at the root: the list of root moves and what is known about each, and iterative
//! deepening. Each iteration searches the root one ply deeper, for each line of `MultiPV` in an
//! aspiration window around its average value.

use crate::types::value::{self, INFINITE, MATE_IN_MAX_PLY, MAX_PLY};
use crate::types::{Bound, Depth, Move, MoveList, Value};
use crate::{movegen, position::Position};

use super::limits::{Limits, Settings};
use super::node::{Node, Root, Window};
use super::skill::{Candidate, Sight};
use super::{thread::ThreadResult, time::Iteration, tunables, worker::Worker};

const PERCENT: i32 = 100;
/// A mate score ends the search at a depth of this many halves times the plies to mate (plus an
/// offset): a deeper search hardly finds a shorter mate.
const MATE_DEPTH_HALVES: Depth = 5;
const MATE_DEPTH_OFFSET: Depth = 2;
/// The depths that helper threads skip, as (size, phase): alternately `size` depths are searched
/// and `size` are skipped, shifted by `phase`. Helpers that skip depths run ahead and fill the
/// table instead of repeating the main thread's work. From Stockfish 8 to 11.
const SKIP_SIZE_AND_PHASE: [(Depth, Depth); 12] = [
    (1, 0),
    (1, 1),
    (2, 0),
    (2, 1),
    (2, 2),
    (2, 3),
    (3, 0),
    (3, 1),
    (3, 2),
    (3, 3),
    (3, 4),
    (3, 5),
];
/// A root move, and what the search has found out about it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Sort key of the running iteration: the value, or `-INFINITE` where the move is only known to
    /// fail low.
    sort_value: Value,
    /// The principal variation, starting with this move; never empty.
    pub(super) pv: Vec<Move>,
    /// Value of the principal variation for the side to move.
    pub(super) value: Value,
    /// What `value` is: exact, a lower bound or an upper bound.
    pub(super) bound: Bound,
    /// Depth at which the principal variation was found, 0 before any search.
    pub(super) depth: Depth,
    pub(super) seldepth: usize,
    /// Running mean of the returned values, bounds included; `-INFINITE` before the first.
    average_value: Value,
    /// Running mean of the signed squares of the returned values; `None` before the first.
    mean_squared_value: Option<i64>,
    /// Nodes searched below this move.
    pub(super) effort: u64,
}

impl RootMove {
    pub(super) fn new(mv: Move) -> Self {
        Self {
            mv,
            sort_value: -INFINITE,
            pv: vec![mv],
            value: -INFINITE,
            bound: Bound::Exact,
            depth: 0,
            seldepth: 0,
            average_value: -INFINITE,
            mean_squared_value: None,
            effort: 0,
        }
    }

    /// Updates both running means with a returned value.
    fn update_means(&mut self, value: Value) {
        self.average_value = if self.average_value == -INFINITE {
            value
        } else {
            Value::midpoint(self.average_value, value)
        };
        let square = i64::from(value) * i64::from(value.abs());
        self.mean_squared_value =
            Some(self.mean_squared_value.map_or(square, |mean| i64::midpoint(mean, square)));
    }

    /// Records a value and the principal variation after this move.
    pub(super) fn update(&mut self, value: Value, bound: Bound, depth: Depth, rest: &[Move]) {
        self.sort_value = value;
        self.value = value;
        self.bound = bound;
        self.depth = depth;
        self.pv.clear();
        self.pv.push(self.mv);
        self.pv.extend(rest.iter().take(MAX_PLY));
    }

    /// Whether reports of both would show the same depth, score and line.
    pub(super) fn has_same_report(&self, other: &Self) -> bool {
        (self.depth, self.value, self.bound) == (other.depth, other.value, other.bound)
            && self.pv == other.pv
    }

    /// Whether the move is known to mate.
    pub(super) fn is_mate(&self) -> bool {
        self.is_searched() && self.value >= MATE_IN_MAX_PLY && self.bound != Bound::Upper
    }

    /// Whether the move has a value.
    pub(super) fn is_searched(&self) -> bool {
        self.depth > 0
    }
}

/// The moves to search: the legal ones of [`Limits::search_moves`], or all legal moves where none
/// of those is legal. Never-better non-promotions are left out of all legal moves unless
/// [`Settings::generate_all_legal_moves`] is set.
pub(super) fn root_moves(
    position: &Position,
    limits: &Limits,
    settings: &Settings,
) -> Vec<RootMove> {
    let all = movegen::legal_moves(position);
    let mut moves: Vec<Move> =
        limits.search_moves.iter().copied().filter(|mv| all.contains(mv)).collect();
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
    /// Runs iterations until a limit or a stop. Afterwards the root moves are sorted, the best
    /// first.
    pub(super) fn iterative_deepening(&mut self) {
        self.iterate();
        if self.adopt_root_mate() {
            self.report_if_due(self.shown_multi_pv());
        }
    }

    fn iterate(&mut self) {
        let (lines, shown) = (self.multi_pv(), self.shown_multi_pv());
        let last_depth = self.last_depth();
        for depth in 1..=last_depth {
            if self.skips_depth(depth) && depth < last_depth {
                continue;
            }
            self.root_depth = depth;
            self.difficulty.begin_iteration();
            // Values of several lines are comparable only within one iteration.
            let completed = (lines > 1).then(|| self.root_moves.clone());
            for root_move in &mut self.root_moves {
                root_move.sort_value = -INFINITE;
            }
            for pv_index in 0..lines {
                self.pv_index = pv_index;
                self.seldepth = 0;
                self.search_line(depth);
                self.root_moves[..=pv_index].sort_by_key(|known| -known.sort_value);
                if self.is_stopped() {
                    self.restore_completed(completed);
                    return;
                }
            }
            self.adopt_root_mate();
            self.completed_depth = depth;
            self.completed_best = Some(self.root_moves[0].clone());
            self.report_if_due(shown);
            if self.is_finished(depth) {
                return;
            }
        }
    }

    /// Whether the result of any thread may be played: not with several lines, which are compared
    /// within one thread, and not with chosen moves.
    pub(super) fn allows_vote(&self) -> bool {
        self.multi_pv() <= 1 && self.task.limits.search_moves.is_empty()
    }

    /// Whether this thread has completed the requested depth, so that the search can end. Not for
    /// searches that wait for a stop or ponderhit.
    pub(super) fn has_reached_target_depth(&self) -> bool {
        let limits = &self.task.limits;
        let has_reached = |limit| self.completed_depth >= limit;
        let may_end = self.allows_vote() && !limits.infinite && !limits.ponder;
        may_end && limits.depth.is_some_and(has_reached)
    }

    /// Number of lines to search, including those that a lower skill level chooses from.
    pub(super) fn multi_pv(&self) -> usize {
        let settings = &self.task.settings;
        let lines = settings.multi_pv.max(settings.skill.multi_pv());
        lines.clamp(1, self.root_moves.len())
    }

    /// Number of lines to report.
    pub(super) fn shown_multi_pv(&self) -> usize {
        self.task.settings.multi_pv.clamp(1, self.root_moves.len())
    }

    fn last_depth(&self) -> Depth {
        let limit = self.task.limits.depth.unwrap_or(Depth::MAX);
        limit.clamp(1, MAX_PLY as Depth - 1)
    }

    /// Whether this helper thread skips the depth.
    fn skips_depth(&self, depth: Depth) -> bool {
        let Some(helper) = self.task.thread.checked_sub(1) else {
            return false;
        };
        let (length, phase) = SKIP_SIZE_AND_PHASE[helper % SKIP_SIZE_AND_PHASE.len()];
        (depth + phase) / length % 2 == 1
    }

    /// Searches one line at one depth, and widens the aspiration window until the value is inside.
    fn search_line(&mut self, depth: Depth) {
        let best = &self.root_moves[self.pv_index];
        let mut window = Window::FULL;
        let mut delta = tunables::aspiration_window_base();
        if let Some(square) = best.mean_squared_value {
            delta += (square.abs() / i64::from(tunables::aspiration_window_mean_square_divisor()))
                as Value;
            delta = delta.min(INFINITE);
            window = Window {
                alpha: (best.average_value - delta).max(-INFINITE),
                beta: (best.average_value + delta).min(INFINITE),
            };
        }
        loop {
            self.root_delta = window.beta - window.alpha;
            self.nodes_at_last_root_move = self.statistics.nodes;
            let value = self.search::<Root>(window, depth, 0, false);
            // The sort is stable: moves that failed low keep the order of the last iteration.
            self.root_moves[self.pv_index..].sort_by_key(|known| -known.sort_value);
            if self.is_stopped() || value > window.alpha && value < window.beta {
                return;
            }
            self.report_bound();
            window = widened(window, value, delta);
            delta += delta * tunables::aspiration_window_growth_percent() / PERCENT;
        }
    }

    /// Whether no further iteration starts.
    fn is_finished(&mut self, depth: Depth) -> bool {
        let best = &self.root_moves[0];
        let value = best.value;
        let plies_to_mate = value::MATE - value.abs();
        let is_settled = value::is_mate(value)
            && self.task.settings.multi_pv <= 1
            && (plies_to_mate + MATE_DEPTH_OFFSET) * MATE_DEPTH_HALVES / 2 < depth;
        let limits = &self.task.limits;
        let has_spent = |soft: u64| self.statistics.nodes >= soft;
        if is_settled || limits.soft_nodes.is_some_and(has_spent) {
            return true;
        }
        if self.time.is_none() {
            self.poll();
            return self.is_stopped();
        }
        let best = &self.root_moves[0];
        let iteration = Iteration {
            depth,
            value: best.value,
            effort: best.effort,
            nodes: self.statistics.nodes,
        };
        let factor = self.difficulty.end_iteration(iteration);
        self.should_stop(factor) || self.is_stopped()
    }
}

/// The aspiration window after the value fell out of it.
fn widened(window: Window, value: Value, delta: Value) -> Window {
    let delta = if value::is_decisive(value) { INFINITE } else { delta };
    if value <= window.alpha {
        Window { alpha: (value - delta).max(-INFINITE), beta: window.alpha }
    } else {
        Window {
            alpha: (window.beta - delta).max(window.alpha),
            beta: (value + delta).min(INFINITE),
        }
    }
}

impl Worker {
    /// The best root move of this thread, `None` where there is no legal move.
    pub(super) fn result(&self) -> Option<ThreadResult> {
        let best = self.root_moves.first()?.clone();
        Some(ThreadResult { best, completed_depth: self.completed_depth })
    }

    /// Makes a root move the current one, if it is searched now: moves of better lines (`MultiPV`)
    /// are not.
    pub(super) fn begin_root_move(&mut self, mv: Move) -> bool {
        let candidates = &self.root_moves[self.pv_index..];
        let found = candidates.iter().position(|known| known.mv == mv);
        if let Some(index) = found {
            self.root_index = self.pv_index + index;
        }
        found.is_some()
    }

    /// Records the value that the search of the current root move returned.
    pub(super) fn update_root_move(&mut self, node: &Node, mv: Move, value: Value) {
        debug_assert_eq!(self.root_moves[self.root_index].mv, mv);
        let (depth, seldepth) = (self.root_depth, self.seldepth);
        let window = node.window;
        let nodes = self.statistics.nodes;
        let effort = nodes - std::mem::replace(&mut self.nodes_at_last_root_move, nodes);
        let root_move = &mut self.root_moves[self.root_index];
        root_move.effort += effort;
        root_move.update_means(value);
        if node.move_count > 1 && value <= window.alpha {
            // Failed low: the sort is stable, so the move keeps its place among the others.
            root_move.sort_value = -INFINITE;
            return;
        }
        let bound = if value >= window.beta {
            Bound::Lower
        } else if value <= window.alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        root_move.update(value, bound, depth, &self.pv_lines[1]);
        root_move.seldepth = seldepth;
        if node.move_count > 1 && self.pv_index == 0 {
            self.difficulty.best_move_changed(self.root_depth);
        }
    }

    /// Replaces the root move with the same move, and moves it to the front.
    pub(super) fn put_first(&mut self, best: RootMove) {
        if let Some(index) = self.root_moves.iter().position(|own| own.mv == best.mv) {
            self.root_moves[index] = best;
            self.root_moves[..=index].rotate_right(1);
        }
    }

    /// Below full strength, may move another of the best moves to the front.
    pub(super) fn choose_by_skill(&mut self) {
        let skill = self.task.settings.skill;
        if !skill.chooses() {
            return;
        }
        let lines = self.root_moves[..self.multi_pv()].to_vec();
        let searched = lines.iter().filter(|line| line.is_searched());
        let candidates: Vec<_> = searched.map(|line| self.candidate(line)).collect();
        let chosen = skill.choose(&candidates);
        self.root_moves[..=chosen].rotate_right(1);
    }

    /// What a lower skill level sees of a line.
    fn candidate(&mut self, line: &RootMove) -> Candidate {
        let mv = line.mv;
        let is_quiet = self.position.piece_on(mv.to()).is_none()
            && !mv.is_promotion()
            && !self.position.gives_check(mv)
            && !value::is_win(line.value);
        let last = self.position.last_move().map(Move::to);
        self.position.do_move(mv);
        let naive = -self.evaluate();
        self.position.undo_move();
        Candidate {
            value: line.value,
            naive,
            own: (!is_quiet).then(|| Sight::of(mv, last)),
            reply: line.pv.get(1).map(|reply| Sight::of(*reply, Some(mv.to()))),
        }
    }

    /// After an interrupted iteration: goes back to the one before where the unfinished result must
    /// not be used. `lines` are the root moves before the iteration, of a search of several lines.
    fn restore_completed(&mut self, lines: Option<Vec<RootMove>>) {
        let Some(best) = &self.completed_best else {
            return;
        };
        if let Some(lines) = lines {
            self.root_moves = lines;
        } else if self.root_moves[0].value <= -MATE_IN_MAX_PLY {
            // A loss is proved only by an iteration that has searched every move.
            self.put_first(best.clone());
        }
    }

    /// The principal variation of the last completed iteration.
    pub(super) fn completed_pv(&self) -> &[Move] {
        self.completed_best.as_ref().map_or(&[], |best| &best.pv)
    }
}
