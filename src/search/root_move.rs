//! The list of root moves: which are searched, and what the search has found out about each.

use crate::movegen;
use crate::position::Position;
use crate::types::value::{self, MAX_PLY};
use crate::types::{Bound, Depth, Move, MoveList, Value};

use super::limits::Limits;
use super::settings::Settings;

/// One root move.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Sort key of the running iteration: the value, or `-INFINITE` where the move is only known to
    /// fail low.
    pub(super) sort_value: Value,
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
    pub(super) average_value: Value,
    /// Running mean of the signed squares of the returned values; `None` before the first.
    pub(super) mean_squared_value: Option<i64>,
    /// Nodes searched below this move.
    pub(super) effort: u64,
}

impl RootMove {
    pub(super) fn new(mv: Move) -> Self {
        Self {
            mv,
            sort_value: -value::INFINITE,
            pv: vec![mv],
            value: -value::INFINITE,
            bound: Bound::Exact,
            depth: 0,
            seldepth: 0,
            average_value: -value::INFINITE,
            mean_squared_value: None,
            effort: 0,
        }
    }

    /// A move that wins at once.
    pub(super) fn won(mv: Move) -> Self {
        let mut root_move = Self::new(mv);
        root_move.update(value::mate_in(1), Bound::Exact, 1, &[]);
        root_move.seldepth = 1;
        root_move
    }

    /// Updates both running means with a returned value.
    pub(super) fn update_means(&mut self, value: Value) {
        self.average_value = if self.average_value == -value::INFINITE {
            value
        } else {
            Value::midpoint(self.average_value, value)
        };
        let square = i64::from(value) * i64::from(value.abs());
        self.mean_squared_value = Some(
            self.mean_squared_value
                .map_or(square, |mean| i64::midpoint(mean, square)),
        );
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
        self.is_searched() && self.value >= value::MATE_IN_MAX_PLY && self.bound != Bound::Upper
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
