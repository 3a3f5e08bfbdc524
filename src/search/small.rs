//! A search that needs no memory but the stack, for machines on which no search thread gets its
//! tables: alpha-beta over material, with captures at its leaves.

use crate::movegen::{self, legal_moves};
use crate::position::Position;
use crate::types::value::{INFINITE, MATE, piece_value};
use crate::types::{Move, MoveList, Value};

use super::signals::Signals;

/// Most nodes, a tenth of a second or so.
const MOST_NODES: u32 = 100_000;
/// Deepest iteration, in plies.
const MOST_PLIES: u32 = 6;
/// Longest line, in plies; only checks at the leaves come so far.
const LONGEST_LINE: Value = 40;

/// The best of these legal moves as far as a few plies show; `None` if there are none.
pub(super) fn best_move(position: &Position, moves: &[Move], signals: &Signals) -> Option<Move> {
    let mut search = SmallSearch { position: position.clone(), nodes: 0, signals };
    let mut moves = moves.to_vec();
    for depth in 1..=MOST_PLIES {
        let mut alpha = -INFINITE;
        for index in 0..moves.len() {
            let value = search.value_of(moves[index], alpha, INFINITE, depth, 0);
            if search.is_over() {
                return moves.first().copied();
            }
            if value > alpha {
                // The best so far comes first, and the others keep their order.
                alpha = value;
                moves[..=index].rotate_right(1);
            }
        }
    }
    moves.first().copied()
}

struct SmallSearch<'a> {
    position: Position,
    nodes: u32,
    signals: &'a Signals,
}

impl SmallSearch<'_> {
    fn is_over(&self) -> bool {
        self.nodes >= MOST_NODES || self.signals.is_stopped()
    }

    fn value_of(&mut self, mv: Move, alpha: Value, beta: Value, depth: u32, ply: Value) -> Value {
        self.position.do_move(mv);
        let value = -self.search(-beta, -alpha, depth - 1, ply + 1);
        self.position.undo_move();
        value
    }

    fn search(&mut self, mut alpha: Value, beta: Value, depth: u32, ply: Value) -> Value {
        self.nodes += 1;
        if self.is_over() {
            return 0;
        }
        let in_check = self.position.in_check();
        if ply >= LONGEST_LINE {
            return self.position.material();
        }
        if depth == 0 && !in_check {
            return self.quiescence(alpha, beta);
        }
        let mut moves = legal_moves(&self.position);
        moves.sort_by_key(|mv| -self.gain(*mv));
        let mut best = ply - MATE;
        for &mv in &moves {
            // A check at a leaf is answered, and no more.
            best = best.max(self.value_of(mv, alpha, beta, depth.max(1), ply));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    fn quiescence(&mut self, mut alpha: Value, beta: Value) -> Value {
        self.nodes += 1;
        let mut best = self.position.material();
        if best >= beta || self.is_over() {
            return best;
        }
        alpha = alpha.max(best);
        let mut moves = MoveList::new();
        movegen::captures::<false>(&self.position, &mut moves);
        moves.sort_by_key(|mv| -self.gain(*mv));
        for &mv in &moves {
            if !self.position.legal(mv) {
                continue;
            }
            self.position.do_move(mv);
            // A king in check could be mated: what it is worth is not known.
            let value = if self.position.in_check() {
                -self.position.material()
            } else {
                -self.quiescence(-beta, -alpha)
            };
            self.position.undo_move();
            best = best.max(value);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// The value of the captured piece.
    fn gain(&self, mv: Move) -> Value {
        let captured = self.position.piece_on(mv.to());
        captured.map_or(0, |piece| piece_value(piece.kind()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(sfen: &str) -> String {
        let position = Position::from_sfen(sfen).expect("a position");
        let moves = legal_moves(&position);
        let signals = Signals::of_search(1, false);
        let best = best_move(&position, &moves, &signals).expect("a legal move");
        assert!(position.is_legal(best));
        best.to_string()
    }

    #[test]
    fn mates_and_captures_are_seen() {
        let start = Position::startpos().to_sfen();
        assert!(!best(&start).is_empty());
        // A gold before the king mates; a rook hangs.
        assert_eq!(best("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), "G*5b");
        assert_eq!(best("4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1"), "5f5e");
        // The other side's pawn takes a rook.
        assert_eq!(best("4k4/9/9/9/4p4/4R4/9/9/K8 w - 1"), "5e5f");
    }

    #[test]
    fn it_ends_when_asked_to() {
        let position = Position::startpos();
        let moves = legal_moves(&position);
        let signals = Signals::of_search(1, false);
        signals.stop();
        let best = best_move(&position, &moves, &signals);
        assert_eq!(best, moves.first().copied());
        assert_eq!(best_move(&position, &[], &signals), None);
    }
}
