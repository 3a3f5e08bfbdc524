//! Noise on the weights of a network, to measure what their exactness is worth.

#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

use super::Network;
use super::scalar::MAX_OUTPUT_WEIGHT;
use crate::util::normal;

/// The weights of one kind, for the numbers of their noise.
const TRANSFORMER: u64 = 0;
const OUTPUT: u64 = 1;
const LAYERS: u64 = 2;

impl Network {
    /// Adds normally distributed noise to all weights that are not 0; biases stay. Its standard
    /// deviation is `size` times the root mean square of these weights, for the feature transformer
    /// and for each layer after it. Weights end at the limits of their format. Returns the standard
    /// deviation for the feature transformer, in its units.
    pub fn add_noise(&mut self, size: f64, seed: u64) -> f64 {
        let deviation = to_weights(
            &mut self.transformer.weights,
            (i16::MIN.into(), i16::MAX.into()),
            size,
            (seed, TRANSFORMER),
        );
        if let Some(output) = &mut self.output_layer {
            let most = i32::from(MAX_OUTPUT_WEIGHT);
            to_weights(&mut output.weights, (-most, most), size, (seed, OUTPUT));
        }
        for (at, stack) in self.stacks.iter_mut().enumerate() {
            let layers = [&mut stack.first, &mut stack.second, &mut stack.last];
            for (layer, number) in layers.into_iter().zip(LAYERS + 3 * at as u64..) {
                let limits = (i8::MIN.into(), i8::MAX.into());
                to_weights(&mut layer.weights, limits, size, (seed, number));
            }
        }
        deviation
    }
}

/// Adds noise to weights. Returns its standard deviation.
fn to_weights<T>(
    weights: &mut [T],
    (least, most): (i32, i32),
    size: f64,
    (seed, kind): (u64, u64),
) -> f64
where
    T: Copy + Into<i32> + TryFrom<i32>,
{
    let (mut squares, mut count) = (0.0, 0_u64);
    for &weight in &*weights {
        let number: i32 = weight.into();
        squares += f64::from(number).powi(2);
        count += u64::from(number != 0);
    }
    let deviation = size * (squares / count.max(1) as f64).sqrt();
    for (index, weight) in weights.iter_mut().enumerate() {
        let number: i32 = (*weight).into();
        if number != 0 {
            let noise = deviation * normal(seed, kind << 40 | index as u64);
            let changed = (f64::from(number) + noise).round() as i32;
            // Within the limits, which are those of the type or narrower.
            *weight = T::try_from(changed.clamp(least, most)).unwrap_or(*weight);
        }
    }
    deviation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_the_asked_size_and_spares_zeros() {
        let (before, mut after) = (Network::embedded(), Network::embedded());
        let deviation = after.add_noise(0.5, 3);
        let pairs = before
            .transformer
            .weights
            .iter()
            .zip(&*after.transformer.weights);
        let (mut squares, mut of_weights, mut count) = (0.0, 0.0, 0.0);
        for (&before, &after) in pairs {
            assert!(before != 0 || after == 0);
            if before != 0 {
                squares += (f64::from(after) - f64::from(before)).powi(2);
                of_weights += f64::from(before).powi(2);
                count += 1.0;
            }
        }
        let found = f64::sqrt(squares / count);
        let expected = 0.5 * f64::sqrt(of_weights / count);
        assert!((deviation - expected).abs() < 1e-6 && count > 100_000.0);
        assert!(
            (found - expected).abs() < 0.02 * expected,
            "{found}, not {expected}"
        );
        let outputs = |network: &Network| {
            let layer = network.output_layer.as_ref().expect("our own head");
            layer.weights.to_vec()
        };
        assert_ne!(outputs(&before), outputs(&after));

        let with = |size, seed| {
            let mut network = Network::embedded();
            network.add_noise(size, seed);
            network.to_bytes().expect("our own format")
        };
        assert_eq!(Some(with(0.0, 3)), before.to_bytes());
        assert_eq!(Some(with(0.5, 3)), after.to_bytes());
        assert_ne!(with(0.5, 3), with(0.5, 4));
    }

    #[test]
    fn weights_end_at_the_limits() {
        let mut weights = [100_i8, -100, 0, 127, -128];
        to_weights(&mut weights, (-128, 127), 100.0, (1, 0));
        assert_eq!(weights[2], 0);
        assert!(
            weights
                .iter()
                .all(|&weight| [0, -128, 127].contains(&weight) || weight.abs() < 127)
        );
        assert!(weights.contains(&127) || weights.contains(&-128));
    }
}
