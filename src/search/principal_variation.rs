//! Completes principal variations from the table, for the display and for a ponder move. The search
//! cuts a line short where a TT cutoff or the window ended it; the continuation is usually still in
//! the table.
//!
//! Only moves that are proved legal are appended, and a line ends where the game does. Nothing is
//! counted or erased, so that reports do not change the search.

use crate::movegen::legal_moves;
use crate::types::value::{self, MATE, MAX_PLY};
use crate::types::{Bound, Move, Value};

use super::audit;
use super::params::Params;
use super::root_move::RootMove;
use super::worker::Worker;

/// Every line is completed to at least a move and a reply.
const MIN_LENGTH: usize = 2;

impl<P: Params> Worker<P> {
    /// Completes the line of a root move, up to its search depth or to the mate. The position must
    /// be the root.
    pub(super) fn complete_line(&mut self, index: usize) {
        let RootMove { pv, value, .. } = &mut self.root_moves[index];
        let (mut line, value) = (std::mem::take(pv), *value);
        let wanted = wanted_length(&self.root_moves[index]);
        if line.len() < wanted {
            for &mv in &line {
                self.position.do_move(mv);
            }
            while line.len() < wanted
                && let Some(mv) = self.next_pv_move(line.len(), value)
            {
                self.position.do_move(mv);
                line.push(mv);
            }
            for _ in &line {
                self.position.undo_move();
            }
            audit::line(&self.position, &line);
        }
        self.root_moves[index].pv = line;
    }

    /// The table's move after `ply` moves of a line of this value, unless the game is over there.
    fn next_pv_move(&mut self, ply: usize, value: Value) -> Option<Move> {
        let is_over = self.position.search_repetition(ply).is_some()
            || self.position.game_ply() > self.max_moves
            || self.position.declaration(self.rule).is_some();
        if is_over {
            return None;
        }
        let known = self.peek_tt(ply);
        if !value::is_mate(value) {
            return known.map(|(mv, ..)| mv);
        }
        // A mate line is continued only by moves whose table value agrees with the mate.
        let wanted = if ply.is_multiple_of(2) { value } else { -value };
        let opposite = if wanted > 0 {
            Bound::Upper
        } else {
            Bound::Lower
        };
        known
            .filter(|&(_, value, bound)| value == wanted && bound != opposite)
            .map(|(mv, ..)| mv)
            .or_else(|| (wanted == value::mate_in(ply + 1)).then(|| self.mating_move())?)
    }

    /// A move that mates in one. Tries all legal moves: speed does not matter here.
    fn mating_move(&mut self) -> Option<Move> {
        legal_moves(&self.position).into_iter().find(|&mv| {
            self.position.do_move(mv);
            let is_mate = self.position.in_check() && legal_moves(&self.position).is_empty();
            self.position.undo_move();
            is_mate
        })
    }
}

/// The wanted length of a line in plies.
fn wanted_length(best: &RootMove) -> usize {
    if value::is_mate(best.value) {
        (MATE - best.value.abs()) as usize
    } else {
        (best.depth as usize).clamp(MIN_LENGTH, MAX_PLY)
    }
}
