//! Optimism: how far both sides together think that they are ahead.
//!
//! Two neighbouring plies have a score of each side, from its own view. Their sum is about 0 if the
//! engines agree. If it is large, each engine believes to be winning in the positions that its
//! own search steers to, and one of them is wrong.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::records::game::RecordedMove;
use crate::types::{Color, Score};

/// Number of buckets of plies.
const BUCKETS: usize = 4;

/// The first ply of each bucket; ply 0 is the first move after the opening.
pub const FIRST_PLIES: [usize; BUCKETS] = [0, 15, 30, 60];

/// Scores are limited to this size in centipawns; mates count as much.
const LIMIT: i32 = 3000;

/// The sums of the scores of both sides, by ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Optimism(pub [ScoreSums; BUCKETS]);

/// The scores of both sides over pairs of neighbouring plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ScoreSums {
    /// Number of pairs of plies.
    pub pairs: u64,
    /// Sum of the scores of either side, each from its own view, in centipawns: black and white of
    /// a game, the first and the second engine of a pairing.
    pub scores: [i64; 2],
}

impl Optimism {
    /// The sums of a game, black first. A pair of plies belongs to the bucket of its first ply; it
    /// counts if both moves have a score.
    pub(super) fn of(moves: &[RecordedMove]) -> Self {
        let mut optimism = Self::default();
        for (ply, pair) in moves.windows(2).enumerate() {
            let [Some(first), Some(second)] = [0, 1].map(|index| score(&pair[index])) else {
                continue;
            };
            let bucket = FIRST_PLIES.iter().rposition(|&from| from <= ply);
            let sums = &mut optimism.0[bucket.unwrap_or(0)];
            let is_black = pair[0].mv.piece().color() == Color::Black;
            sums.pairs += 1;
            let [black, white] = if is_black {
                [first, second]
            } else {
                [second, first]
            };
            sums.scores[0] += black;
            sums.scores[1] += white;
        }
        optimism
    }

    /// Whether there are no pairs of plies.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|sums| sums.pairs == 0)
    }

    /// The same with the sides in the other order.
    #[must_use]
    pub(super) fn swapped(mut self) -> Self {
        for sums in &mut self.0 {
            sums.scores.reverse();
        }
        self
    }
}

impl AddAssign for Optimism {
    fn add_assign(&mut self, other: Self) {
        for (sums, more) in self.0.iter_mut().zip(other.0) {
            sums.pairs += more.pairs;
            for (score, more) in sums.scores.iter_mut().zip(more.scores) {
                *score += more;
            }
        }
    }
}

/// The score of a move, limited.
fn score(played: &RecordedMove) -> Option<i64> {
    let limited = match played.thought.as_ref()?.score? {
        Score::Cp(score) => score.clamp(-LIMIT, LIMIT),
        Score::Mate(plies) if plies > 0 => LIMIT,
        Score::Mate(_) => -LIMIT,
    };
    Some(limited.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_moves;
    use crate::position::Position;
    use crate::records::game::Thought;

    /// Moves with these scores, the first one black's.
    fn moves(scores: &[Option<Score>]) -> Vec<RecordedMove> {
        let mut position: Position = Position::startpos();
        let played = scores.iter().map(|&score| {
            let mv = legal_moves(&position)[0];
            position.do_move(mv);
            RecordedMove {
                thought: score.map(|score| Thought {
                    score: Some(score),
                    depth: None,
                    nodes: None,
                    pv: Vec::new(),
                }),
                ..RecordedMove::from(mv)
            }
        });
        played.collect()
    }

    #[test]
    fn scores_of_neighbouring_plies_are_added_by_side() {
        let scores = [Some(100), Some(50), Some(300), None, Some(7), Some(-9000)];
        let scores = scores.map(|score| score.map(Score::Cp));
        let sums = Optimism::of(&moves(&scores)).0[0];
        // Plies 0 and 1, 1 and 2, 4 and 5.
        assert_eq!(
            (sums.pairs, sums.scores),
            (3, [100 + 300 + 7, 50 + 50 - 3000])
        );
        let mates = [Some(Score::Mate(3)), Some(Score::Mate(-2))];
        let optimism = Optimism::of(&moves(&mates));
        assert_eq!(optimism.0[0].scores, [3000, -3000]);
        assert_eq!(optimism.swapped().0[0].scores, [-3000, 3000]);
    }

    #[test]
    fn pairs_belong_to_the_bucket_of_their_first_ply() {
        let optimism = Optimism::of(&moves(&[Some(Score::Cp(1)); 64]));
        let pairs = optimism.0.map(|sums| sums.pairs);
        assert_eq!(pairs, [15, 15, 30, 3]);
        let mut sum = optimism;
        sum += optimism;
        assert_eq!(sum.0[3].scores, [6, 6]);
        assert!(Optimism::of(&moves(&[None; 9])).is_empty() && !sum.is_empty());
    }
}
