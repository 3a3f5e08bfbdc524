//! What a network is asked for, and how far it is off.

use super::sample::Sample;

/// The logistic function: what share of the points an output stands for.
pub(super) fn logistic(output: f32) -> f32 {
    1.0 / (1.0 + (-output).exp())
}

/// What the output should say of a position: `weight` of it comes from the result of the game, the rest from the score,
/// where `scale` is worth an output of 1.
pub(super) fn target(sample: &Sample, scale: f32, weight: f32) -> f32 {
    let result = 0.5 + 0.5 * f32::from(sample.result());
    let score = logistic(f32::from(sample.score()) / scale);
    score + weight * (result - score)
}

/// The loss of one position, |share - target|^power, and its slope by the output.
pub(super) fn loss_and_slope(output: f32, target: f32, power: f32) -> (f32, f32) {
    let share = logistic(output);
    let difference = share - target;
    let of_share = share * (1.0 - share);
    // The common powers need no logarithm.
    #[expect(clippy::float_cmp, reason = "set by people, not computed")]
    if power == 2.0 {
        return (difference * difference, 2.0 * difference * of_share);
    }
    let distance = difference.abs();
    let slope = power * distance.powf(power - 1.0);
    (distance.powf(power), slope.copysign(difference) * of_share)
}
