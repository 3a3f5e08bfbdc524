//! Scores that know what the game showed later: TD(λ).
//!
//! The search of a position sees a few plies. The next position of the game was searched too, one ply further on, and so
//! on; where nothing but best moves were played, these later scores are opinions about the first position with a longer
//! search behind them. Averaged with weights that fall by λ from ply to ply (Sutton, "Learning to Predict by the Methods of
//! Temporal Differences", 1988; TDLeaf(λ) of Baxter, Tridgell and Weaver's `KnightCap`, 1998) they make a better teacher than
//! the first one alone, and one that is less noisy than the result of the game.

use super::loss::logistic;

/// Averages stay this far from certainty, where a score would have no end.
const MARGIN: f32 = 1e-3;

/// Mixes into each score of a game what the later ones say. They are those of the side to move, a pawn is 90.
///
/// With `lambda` 0 each stays what it is, and the nearer it is to 1 the more of the later ones is in it. They are averaged
/// as winning chances, for which they are divided by `scale`. A score beyond `limit` stays as it is, but counts for those
/// before, which it never moves beyond the limit. Nothing goes over a ply without a score, where the move was not the one
/// that the search wanted.
pub(super) fn look_ahead(scores: &mut [Option<i32>], lambda: f32, scale: u16, limit: u16) {
    let scale = f32::from(scale.max(1));
    if lambda <= 0.0 {
        return;
    }
    let mut later = None;
    for entry in scores.iter_mut().rev() {
        let Some(score) = entry else {
            later = None;
            continue;
        };
        #[expect(clippy::cast_precision_loss, reason = "a score is small")]
        let own = logistic(*score as f32 / scale);
        let chance = later.map_or(own, |later: f32| own + lambda * (1.0 - later - own));
        if score.unsigned_abs() <= limit.into() {
            let chance = chance.clamp(MARGIN, 1.0 - MARGIN);
            let averaged = (scale * (chance / (1.0 - chance)).ln()).round() as i32;
            *score = averaged.clamp(-i32::from(limit), limit.into());
        }
        later = Some(chance);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALE: u16 = 400;

    fn seen(scores: &[i32], lambda: f32) -> Vec<i32> {
        let mut scores: Vec<Option<i32>> = scores.iter().copied().map(Some).collect();
        look_ahead(&mut scores, lambda, SCALE, 3000);
        scores
            .into_iter()
            .map(|score| score.expect("it had one"))
            .collect()
    }

    #[test]
    fn signs_turn_from_ply_to_ply() {
        // Both sides agree that the first is winning, or that nobody is.
        assert_eq!(seen(&[400, -400, 400, -400], 0.7), [400, -400, 400, -400]);
        assert_eq!(seen(&[0, 0, 0], 0.7), [0, 0, 0]);
        // The first side took itself for the winner until the second saw more.
        let found = seen(&[200, -200, 200, 600, -600], 0.7);
        assert!(found[0] < 0 && found[1] > 0 && found[2] < 0, "{found:?}");
        assert_eq!(found[3..], [600, -600]);
    }

    #[test]
    fn each_ply_counts_less_by_lambda() {
        assert_eq!(seen(&[100, 300, -50], 0.0), [100, 300, -50]);
        let scale = f32::from(SCALE);
        let chance = |score: f32| logistic(score / scale);
        let expected = 0.5 * chance(100.0) + 0.25 * chance(-300.0) + 0.25 * chance(-50.0);
        let expected = (scale * (expected / (1.0 - expected)).ln()).round() as i32;
        assert_eq!(seen(&[100, 300, -50], 0.5)[0], expected);
    }

    #[test]
    fn no_score_is_moved_beyond_the_limit() {
        let mut scores = [Some(2000), Some(-32_000)];
        look_ahead(&mut scores, 0.99, 1000, 3000);
        assert_eq!(scores, [Some(3000), Some(-32_000)]);
    }

    #[test]
    fn nothing_goes_over_a_gap_and_mates_stay_mates() {
        let mut scores = [Some(100), None, Some(-500), Some(32_000)];
        look_ahead(&mut scores, 0.9, SCALE, 3000);
        assert_eq!(
            (scores[0], scores[1], scores[3]),
            (Some(100), None, Some(32_000))
        );
        assert!(
            scores[2].is_some_and(|score| (-3000..-1000).contains(&score)),
            "{scores:?}"
        );
    }
}
