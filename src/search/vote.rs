//! Chooses the thread whose result is played: the threads of a search vote for their best moves.
//!
//! The weight of a vote is the thread's value above the worst value, times its completed depth, so
//! that several threads that agree outweigh a single other one. Proved mates come first: the
//! shortest win, then a loss that any thread has proved. Votes and weights: Stockfish
//! (`ThreadPool::get_best_thread`).

use crate::types::value::MATE_IN_MAX_PLY;
use crate::types::{Bound, Move, Value};

use super::task::ThreadResult;

/// Weight of the worst value per ply of depth, in the internal unit (a pawn is 90).
const BASE_WEIGHT: Value = 10;

impl ThreadResult {
    fn value(&self) -> Value {
        self.best.value
    }

    /// Whether the thread has found a mate.
    pub(super) fn is_proved_win(&self) -> bool {
        self.best.is_mate()
    }

    fn is_proved_loss(&self) -> bool {
        self.value() <= -MATE_IN_MAX_PLY && self.best.bound != Bound::Lower
    }

    fn weight(&self, worst: Value) -> i64 {
        i64::from(self.value() - worst + BASE_WEIGHT) * i64::from(self.completed_depth)
    }
}

/// The index of the result to play. The first thread wins ties; threads without a value do not
/// vote.
pub(super) fn best_thread(results: &[ThreadResult]) -> usize {
    let searched = || {
        results
            .iter()
            .enumerate()
            .filter(|(_, voter)| voter.best.is_searched())
    };
    // `max_by_key` returns the last of equal elements; reversed, that is the first thread.
    let wins = searched().rev().filter(|(_, voter)| voter.is_proved_win());
    if let Some((index, _)) = wins.max_by_key(|(_, voter)| voter.value()) {
        return index;
    }
    let losses = searched().rev().filter(|(_, voter)| voter.is_proved_loss());
    if let Some((index, _)) = losses.max_by_key(|(_, voter)| -voter.value()) {
        return index;
    }
    let worst = searched()
        .map(|(_, voter)| voter.value())
        .min()
        .unwrap_or(0);
    let votes = |mv: Move| -> i64 {
        searched()
            .filter(|(_, voter)| voter.best.mv == mv)
            .map(|(_, voter)| voter.weight(worst))
            .sum()
    };
    // Of the threads that agree, the one with an exact value and the greatest weight is chosen.
    let rank = |voter: &ThreadResult| {
        let is_exact = voter.best.bound == Bound::Exact;
        (votes(voter.best.mv), is_exact, voter.weight(worst))
    };
    searched()
        .rev()
        .max_by_key(|(_, voter)| rank(voter))
        .map_or(0, |(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::root_move::RootMove;
    use crate::types::value::{mate_in, mated_in};
    use crate::types::{Depth, Piece, Square};

    fn result(mv: Move, value: Value, bound: Bound, depth: Depth) -> ThreadResult {
        let mut best = RootMove::new(mv);
        best.update(value, bound, depth, &[]);
        ThreadResult {
            best,
            completed_depth: depth,
        }
    }

    #[test]
    fn threads_vote() {
        let [a, b] =
            [Square::S76, Square::S75].map(|to| Move::normal(Square::S77, to, Piece::BlackPawn));
        let exact = |mv, value, depth| result(mv, value, Bound::Exact, depth);
        for (name, results, expected) in [
            ("alone", vec![exact(a, -500, 9)], 0),
            ("equal", vec![exact(a, 50, 9), exact(b, 50, 9)], 0),
            ("deeper", vec![exact(a, 50, 9), exact(b, 50, 10)], 1),
            ("better", vec![exact(a, 50, 9), exact(b, 60, 9)], 1),
            (
                "two against one that is a little deeper",
                vec![exact(a, 50, 12), exact(b, 50, 11), exact(b, 50, 11)],
                1,
            ),
            (
                "of those that agree the deepest",
                vec![exact(b, 50, 10), exact(a, 40, 9), exact(b, 50, 11)],
                2,
            ),
            (
                "the shortest mate",
                vec![
                    exact(a, mate_in(7), 9),
                    exact(b, mate_in(5), 3),
                    exact(a, 900, 20),
                ],
                1,
            ),
            (
                "a proved loss decides",
                vec![
                    exact(a, -300, 12),
                    exact(b, mated_in(8), 10),
                    exact(b, mated_in(6), 9),
                ],
                2,
            ),
            (
                "a lower bound proves no loss, an upper bound no win",
                vec![
                    result(a, mated_in(8), Bound::Lower, 5),
                    exact(b, 0, 12),
                    result(a, mate_in(8), Bound::Upper, 1),
                    exact(b, 1, 12),
                ],
                3,
            ),
            (
                "a thread without a value has no vote",
                vec![exact(a, 10, 4), result(b, 31_999, Bound::Exact, 0)],
                0,
            ),
        ] {
            assert_eq!(best_thread(&results), expected, "{name}");
        }
    }
}
