//! Fits the scale of scores: the one for which `1 / (1 + exp(-score / scale))` predicts results
//! best.

#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

use super::sample::Sample;

/// Most Newton steps; a handful suffice.
const STEPS: usize = 100;

/// The scale of the logistic function that maximises the likelihood of the results, in the unit of
/// scores; a draw counts as half a win and half a loss. `None` where scores do not correlate with
/// results.
pub fn fit_scale<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<f64> {
    // Histograms over scores, so that the sums below are short and exact.
    let mut wins = vec![0_u64; 1 << u16::BITS];
    let mut counts = wins.clone();
    for sample in samples {
        let Some(result) = sample.result() else {
            continue;
        };
        let number = (i32::from(sample.score()) - i32::from(i16::MIN)) as usize;
        counts[number] += 2;
        wins[number] += (1 + i64::from(result)) as u64;
    }
    let scores = || {
        let all = counts.iter().zip(&wins).enumerate();
        all.filter(|(_, (count, _))| **count > 0)
            .map(|(number, (&count, &wins))| {
                let score = number as f64 + f64::from(i16::MIN);
                (score, count as f64, wins as f64)
            })
    };
    // Scores in units of 1000, so that the factor is about 1. The log-likelihood is concave, so
    // Newton's method finds its maximum; steps are clamped so that it does not overshoot.
    let mut factor = 0.0_f64;
    for _ in 0..STEPS {
        let (mut slope, mut curvature) = (0.0, 0.0);
        for (score, count, wins) in scores() {
            let score = score / 1000.0;
            let share = 1.0 / (1.0 + (-factor * score).exp());
            slope += (wins - count * share) * score;
            curvature += count * share * (1.0 - share) * score * score;
        }
        if curvature <= f64::MIN_POSITIVE {
            return None;
        }
        let step = (slope / curvature).clamp(-1.0, 1.0);
        factor += step;
        if step.abs() < 1e-9 {
            break;
        }
    }
    (factor > 0.0 && factor < MAX_FACTOR).then(|| 1000.0 / factor)
}

/// Upper bound of the factor, which diverges where results follow from the sign of the score.
const MAX_FACTOR: f64 = 50.0;

#[cfg(test)]
mod tests {
    use super::super::sample::Label;
    use super::*;
    use crate::position::Position;

    fn samples(scale: f64, sign: f64) -> Vec<Sample> {
        let position: Position = Position::startpos();
        let mut samples = Vec::new();
        for score in (-2000..=2000_i16).step_by(50) {
            let share = 1.0 / (1.0 + (-sign * f64::from(score) / scale).exp());
            let wins = (share * 1000.0).round() as usize;
            for number in 0..1000 {
                let result = if number < wins { 1 } else { -1 };
                samples.extend(Sample::new(&position, score, Label::Game { result }));
            }
        }
        samples
    }

    #[test]
    fn the_scale_of_made_up_games_is_found() {
        for scale in [150.0, 361.0, 600.0] {
            let found = fit_scale(samples(scale, 1.0).iter()).expect("a scale");
            assert!((found - scale).abs() < scale * 0.01, "{found}, not {scale}");
        }
    }

    #[test]
    fn scores_of_the_wrong_sign_have_no_scale() {
        assert_eq!(fit_scale(samples(361.0, -1.0).iter()), None);
        assert_eq!(fit_scale([].iter()), None);
    }
}
