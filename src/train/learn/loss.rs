//! The training target and the loss function.

use super::sample::Sample;

/// The logistic function: the winning probability of an output.
pub(super) fn logistic(output: f32) -> f32 {
    1.0 / (1.0 + (-output).exp())
}

/// The target of a position as a winning probability: `weight` of it is the result of the game, the
/// rest the score. `scale` is the score that corresponds to an output of 1.
pub(super) fn target(sample: &Sample, scale: f32, weight: f32) -> f32 {
    let result = 0.5 + 0.5 * f32::from(sample.result());
    let score = logistic(f32::from(sample.score()) / scale);
    score + weight * (result - score)
}

/// The loss of one position, |probability - target|^power, and its derivative by the output.
pub(super) fn loss_and_slope(output: f32, target: f32, power: f32) -> (f32, f32) {
    let probability = logistic(output);
    let difference = probability - target;
    let by_output = probability * (1.0 - probability);
    // The usual power needs no `powf`.
    #[expect(clippy::float_cmp, reason = "set by people, not computed")]
    if power == 2.0 {
        return (difference * difference, 2.0 * difference * by_output);
    }
    let distance = difference.abs();
    let slope = power * distance.powf(power - 1.0);
    (distance.powf(power), slope.copysign(difference) * by_output)
}
