//! Which thread's result counts: the threads of a search vote for their best moves.
//!
//! A vote weighs as much as the thread's value stands above the worst, times the depth that it completed, so that several
//! threads that agree outweigh one that sees something else. Mates are no matter of opinion and come first: among wins the
//! shortest, and a loss that one thread has proved is true for all. Idea of votes and weights: Stockfish.

use crate::types::value::MATE_IN_MAX_PLY;
use crate::types::{Bound, Depth, Move, Value};

use super::root::RootMove;

/// What the worst value still weighs, in the internal unit: a fraction of a pawn.
const BASE_WEIGHT: Value = 10;

/// What one thread found.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) best: RootMove,
    /// The deepest iteration that was completed.
    pub(super) depth: Depth,
}

impl Candidate {
    fn value(&self) -> Value {
        self.best.value
    }

    fn is_proved_win(&self) -> bool {
        self.value() >= MATE_IN_MAX_PLY && self.best.bound != Bound::Upper
    }

    fn is_proved_loss(&self) -> bool {
        self.value() <= -MATE_IN_MAX_PLY && self.best.bound != Bound::Lower
    }

    fn weight(&self, worst: Value) -> i64 {
        i64::from(self.value() - worst + BASE_WEIGHT) * i64::from(self.depth)
    }
}

/// The index of the thread whose result counts. The first thread wins ties; threads that found nothing do not vote.
pub(super) fn elect(candidates: &[Candidate]) -> usize {
    let searched = || {
        candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| candidate.best.is_searched())
    };
    // `max_by_key` takes the last of equals: from the back, that is the first thread.
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
    // Of the threads that agree, the one that has a whole line and sees furthest speaks.
    let rank = |voter: &Candidate| {
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
    use crate::types::value::{mate_in, mated_in};
    use crate::types::{Piece, Square};

    fn candidate(mv: Move, value: Value, bound: Bound, depth: Depth) -> Candidate {
        let mut best = RootMove::new(mv);
        best.update(value, bound, depth, &[]);
        Candidate { best, depth }
    }

    #[test]
    fn threads_vote() {
        let [a, b] =
            [Square::S76, Square::S75].map(|to| Move::normal(Square::S77, to, Piece::BlackPawn));
        let exact = |mv, value, depth| candidate(mv, value, Bound::Exact, depth);
        for (name, candidates, expected) in [
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
                "a proved loss is true",
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
                    candidate(a, mated_in(8), Bound::Lower, 5),
                    exact(b, 0, 12),
                    candidate(a, mate_in(8), Bound::Upper, 1),
                    exact(b, 1, 12),
                ],
                3,
            ),
            (
                "who found nothing has no vote",
                vec![exact(a, 10, 4), candidate(b, 31_999, Bound::Exact, 0)],
                0,
            ),
        ] {
            assert_eq!(elect(&candidates), expected, "{name}");
        }
    }
}
