//! The quiet leaf of a tactical position: the end of the principal variation of a quiescence
//! search.
//!
//! The search evaluates material, so the leaf does not depend on a network. The idea is that of
//! tanuki-'s `shuffle_kifu`: where data are scarce, tactical positions are resolved instead of
//! skipped.

use arrayvec::ArrayVec;

use crate::eval::{Accumulator, Evaluator};
use crate::movegen::captures;
use crate::position::Position;
use crate::types::value::piece_value;
use crate::types::{Move, MoveList, Value};

/// Most captures in a line.
const MAX_PLIES: usize = 16;

/// The captures from a position to its leaf; empty where no capture wins material.
pub(super) type Line = ArrayVec<Move, MAX_PLIES>;

/// The line from `position`, which must not be in check, to its leaf. The position is restored.
pub(super) fn line_to_leaf(position: &mut Position) -> Line {
    let evaluator = Evaluator::Material;
    let mut search = Search {
        position,
        accumulator: evaluator.accumulator(),
        evaluator,
    };
    let mut line = Line::new();
    search.quiesce(-Value::MAX, Value::MAX, MAX_PLIES, &mut line);
    line
}

struct Search<'a> {
    position: &'a mut Position,
    evaluator: Evaluator,
    accumulator: Accumulator,
}

impl Search<'_> {
    /// Alpha-beta over captures with SEE of at least 0.
    fn quiesce(&mut self, alpha: Value, beta: Value, plies: usize, line: &mut Line) -> Value {
        line.clear();
        let mut best = self
            .evaluator
            .evaluate(self.position, &mut self.accumulator);
        if best >= beta || plies == 0 || self.position.in_check() {
            return best;
        }
        let mut alpha = alpha.max(best);
        for mv in self.good_captures() {
            self.position.do_move(mv);
            let mut rest = Line::new();
            let value = -self.quiesce(-beta, -alpha, plies - 1, &mut rest);
            self.position.undo_move();
            if value <= best {
                continue;
            }
            best = value;
            if value > alpha {
                alpha = value;
                line.clear();
                line.push(mv);
                line.extend(rest);
            }
            if value >= beta {
                break;
            }
        }
        best
    }

    /// Legal captures with SEE of at least 0, the most valuable victims first.
    fn good_captures(&self) -> MoveList {
        let position = &*self.position;
        let mut moves = MoveList::new();
        captures::<false>(position, &mut moves);
        moves.retain(|mv| position.legal(*mv) && position.see_ge(*mv, 0));
        let gain = |mv: &Move| {
            position
                .piece_on(mv.to())
                .map_or(0, |piece| -piece_value(piece.kind()))
        };
        moves.sort_by_key(gain);
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(sfen: &str) -> Vec<String> {
        let mut position = Position::from_sfen(sfen).expect("a good position");
        let line = line_to_leaf(&mut position);
        assert_eq!(position.to_sfen(), sfen);
        line.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn exchanges_are_played_out() {
        // Nothing to take.
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        assert_eq!(line(start), [""; 0]);
        // A rook for nothing.
        assert_eq!(line("4k4/9/9/4r4/9/9/4L4/9/4K4 b - 1"), ["5g5d"]);
        // A guarded pawn is not taken by a rook.
        assert_eq!(line("4k4/4g4/4p4/9/9/9/4R4/9/3K5 b - 1"), [""; 0]);
        // The pawn takes the silver, and is taken.
        let taken = line("4k4/9/4g4/4s4/4P4/9/9/9/4K4 b - 1");
        assert_eq!(taken, ["5e5d", "5c5d"]);
    }
}
