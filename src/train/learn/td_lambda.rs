//! TD(λ): training scores that include the later scores of the game.
//!
//! Where the best moves are played, the score of a later position also evaluates the earlier one,
//! by a deeper search. The average of all later scores, with weights that decay by λ per ply, is a
//! better target than the first score alone and less noisy than the result of the game (Sutton,
//! "Learning to Predict by the Methods of Temporal Differences", 1988; TDLeaf(λ) of Baxter,
//! Tridgell and Weaver's `KnightCap`, 1998).

use super::loss::logistic;

/// Averages are clamped to this distance from 0 and 1, where the score would be infinite.
const MARGIN: f32 = 1e-3;

/// Replaces each score of a game by its TD(λ) average with the later scores. Scores are those of
/// the side to move, in units of 1/90 pawn.
///
/// With `lambda` 0 scores are unchanged; the nearer it is to 1, the more the later scores count.
/// Averages are taken over winning probabilities, the logistic function of score / `scale`. A score
/// beyond `limit` in magnitude is unchanged but contributes to earlier ones, which are clamped to
/// `limit`. A ply without a score (a move that the search did not choose) ends the averaging.
pub(super) fn apply_td_lambda(scores: &mut [Option<i32>], lambda: f32, scale: u16, limit: u16) {
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

    fn averaged(scores: &[i32], lambda: f32) -> Vec<i32> {
        let mut scores: Vec<Option<i32>> = scores.iter().copied().map(Some).collect();
        apply_td_lambda(&mut scores, lambda, SCALE, 3000);
        scores
            .into_iter()
            .map(|score| score.expect("it had one"))
            .collect()
    }

    #[test]
    fn signs_turn_from_ply_to_ply() {
        // Both sides agree that the first one is winning, or that the position is even.
        assert_eq!(
            averaged(&[400, -400, 400, -400], 0.7),
            [400, -400, 400, -400]
        );
        assert_eq!(averaged(&[0, 0, 0], 0.7), [0, 0, 0]);
        // The first scores are corrected by later ones of the other sign.
        let found = averaged(&[200, -200, 200, 600, -600], 0.7);
        assert!(found[0] < 0 && found[1] > 0 && found[2] < 0, "{found:?}");
        assert_eq!(found[3..], [600, -600]);
    }

    #[test]
    fn each_ply_counts_less_by_lambda() {
        assert_eq!(averaged(&[100, 300, -50], 0.0), [100, 300, -50]);
        let scale = f32::from(SCALE);
        let chance = |score: f32| logistic(score / scale);
        let expected = 0.5 * chance(100.0) + 0.25 * chance(-300.0) + 0.25 * chance(-50.0);
        let expected = (scale * (expected / (1.0 - expected)).ln()).round() as i32;
        assert_eq!(averaged(&[100, 300, -50], 0.5)[0], expected);
    }

    #[test]
    fn no_score_is_moved_beyond_the_limit() {
        let mut scores = [Some(2000), Some(-32_000)];
        apply_td_lambda(&mut scores, 0.99, 1000, 3000);
        assert_eq!(scores, [Some(3000), Some(-32_000)]);
    }

    #[test]
    fn nothing_goes_over_a_gap_and_mates_stay_mates() {
        let mut scores = [Some(100), None, Some(-500), Some(32_000)];
        apply_td_lambda(&mut scores, 0.9, SCALE, 3000);
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
