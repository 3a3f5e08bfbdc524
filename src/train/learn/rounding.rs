//! Joint rounding of the weights of a neuron, so that the other weights compensate the error of
//! each.
//!
//! Rounding weights individually adds hundreds of independent errors to the value of a position.
//! Better integers are those that minimise the squared error over many positions, which is a
//! closest vector problem. Babai's nearest plane algorithm ("On Lovász' lattice reduction and the
//! nearest lattice point problem", 1986) approximates it: weights are rounded one after the other,
//! and the remaining ones are adjusted for the error. GPTQ quantises large language models in the
//! same way (Frantar et al., 2022).
//!
//! The error of the layers before is compensated too, as far as the weights can.

#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

use rayon::prelude::*;

/// Largest width with joint rounding. In wider networks weights are rounded individually: the
/// products of all pairs would need too much memory, and rounding errors matter less.
pub(super) const MAX_JOINT_WIDTH: usize = 1024;

/// Regularisation towards the trained weights, relative to the mean square of an activation. It
/// keeps weights that the positions do not determine.
const REGULARISATION: f64 = 0.003;

/// Size of a matrix, in numbers, from which its rows are eliminated in parallel.
const PARALLEL_FROM: usize = 1 << 18;

/// Fewest rows that a thread takes at once.
const PARALLEL_ROWS: usize = 64;

/// The normal equations of the least squares problem of neurons with the same inputs.
#[derive(Clone, Debug)]
pub(super) struct Equations {
    /// Number of weights of a neuron.
    size: usize,
    /// Upper triangle of the sums of products of two activations, `[first][second]`.
    products: Vec<f64>,
    /// Sums of activation times error, `[neuron][activation]`.
    errors: Vec<Vec<f64>>,
}

impl Equations {
    /// Equations for neurons of `size` weights, without positions.
    pub(super) fn new(size: usize, neurons: usize) -> Self {
        Self {
            size,
            products: vec![0.0; size * size],
            errors: vec![vec![0.0; size]; neurons],
        }
    }

    /// Adds a position: the factors of the weights, and the error of each neuron that their sum
    /// should make up for.
    pub(super) fn add(&mut self, activations: &[f64], errors: &[f64]) {
        debug_assert_eq!(activations.len(), self.size);
        let rows = self.products.chunks_exact_mut(self.size);
        for (first, (row, &activation)) in rows.zip(activations).enumerate() {
            if activation != 0.0 {
                for (product, other) in row[first..].iter_mut().zip(&activations[first..]) {
                    *product += activation * other;
                }
                for (sums, error) in self.errors.iter_mut().zip(errors) {
                    sums[first] += activation * error;
                }
            }
        }
    }

    /// Rounds the weights of each neuron for the smallest error. `round` returns the nearest value
    /// that the weight of an index can take. The last weights are rounded first.
    pub(super) fn solve(
        mut self,
        neurons: &[Vec<f64>],
        round: impl Fn(usize, f64) -> f64 + Sync,
    ) -> Vec<Vec<f64>> {
        let has_positions = self.factorise();
        let pairs = neurons.par_iter().zip(&self.errors);
        pairs
            .map(|(weights, errors)| {
                if has_positions {
                    self.solve_one(weights, errors, &round)
                } else {
                    let pairs = weights.iter().enumerate();
                    pairs.map(|(index, &weight)| round(index, weight)).collect()
                }
            })
            .collect()
    }

    /// Replaces the products by their Cholesky factor (upper triangle). False without positions.
    fn factorise(&mut self) -> bool {
        let size = self.size;
        let trace: f64 = (0..size)
            .map(|index| self.products[index * (size + 1)])
            .sum();
        if trace <= 0.0 {
            return false;
        }
        for index in 0..size {
            self.products[index * (size + 1)] += REGULARISATION * trace / size as f64;
        }
        factorise(&mut self.products, size);
        true
    }

    /// The rounded weights of a neuron, by the factorised products.
    fn solve_one(
        &self,
        weights: &[f64],
        errors: &[f64],
        round: impl Fn(usize, f64) -> f64,
    ) -> Vec<f64> {
        let (size, factor) = (self.size, &self.products);
        let changes = self.least_squares(errors);
        // Optimal minus rounded value of each weight.
        let mut differences = vec![0.0; size];
        let mut rounded = vec![0.0; size];
        for index in (0..size).rev() {
            let row = &factor[index * size..][..size];
            let compensation = dot(&row[index + 1..], &differences[index + 1..]) / row[index];
            let best = weights[index] + changes[index];
            rounded[index] = round(index, best + compensation);
            differences[index] = best - rounded[index];
        }
        rounded
    }

    /// The least squares change of the weights of a neuron, by the factorised products.
    fn least_squares(&self, errors: &[f64]) -> Vec<f64> {
        let (size, factor) = (self.size, &self.products);
        let mut changes = errors.to_vec();
        for index in 0..size {
            let row = &factor[index * size..][..size];
            changes[index] /= row[index];
            let change = changes[index];
            for (other, part) in changes[index + 1..].iter_mut().zip(&row[index + 1..]) {
                *other -= change * part;
            }
        }
        for index in (0..size).rev() {
            let row = &factor[index * size..][..size];
            let known = dot(&row[index + 1..], &changes[index + 1..]);
            changes[index] = (changes[index] - known) / row[index];
        }
        changes
    }
}

/// Replaces a positive definite matrix by its Cholesky factor, in place. Only the upper triangle is
/// used.
fn factorise(matrix: &mut [f64], size: usize) {
    for index in 0..size {
        let (done, left) = matrix.split_at_mut((index + 1) * size);
        let row = &mut done[index * size + index..];
        let root = row[0].sqrt();
        for number in row.iter_mut() {
            *number /= root;
        }
        let eliminate = |(offset, other): (usize, &mut [f64])| {
            let first = offset + 1;
            let part = row[first];
            if part != 0.0 {
                for (number, own) in other[index + first..].iter_mut().zip(&row[first..]) {
                    *number -= part * own;
                }
            }
        };
        if left.len() >= PARALLEL_FROM {
            let rows = left.par_chunks_exact_mut(size).enumerate();
            rows.with_min_len(PARALLEL_ROWS).for_each(eliminate);
        } else {
            left.chunks_exact_mut(size).enumerate().for_each(eliminate);
        }
    }
}

fn dot(first: &[f64], second: &[f64]) -> f64 {
    first.iter().zip(second).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    const SIZE: usize = 40;

    fn positions(count: usize, random: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let mut activation = || random.random::<f64>().powi(2);
        let mut position = || {
            // Alike in part, as the sums of a transformer are.
            let common = activation();
            (0..SIZE)
                .map(|_| 0.5 * common + 0.5 * activation())
                .collect()
        };
        (0..count).map(|_| position()).collect()
    }

    fn mean_error(weights: &[f64], rounded: &[f64], positions: &[Vec<f64>]) -> f64 {
        let error = |position: &Vec<f64>| (dot(weights, position) - dot(rounded, position)).abs();
        positions.iter().map(error).sum::<f64>() / positions.len() as f64
    }

    #[test]
    fn rounding_together_is_better_than_each_on_its_own() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let weights: Vec<f64> = (0..SIZE)
            .map(|_| random.random::<f64>() * 20.0 - 10.0)
            .collect();
        let (known, unknown) = (positions(2000, &mut random), positions(500, &mut random));
        let mut equations = Equations::new(SIZE, 1);
        for position in &known {
            equations.add(position, &[0.0]);
        }
        let [together] =
            &equations.solve(std::slice::from_ref(&weights), |_, weight| weight.round())[..]
        else {
            panic!("one neuron");
        };
        let alone: Vec<f64> = weights.iter().map(|weight| weight.round()).collect();
        assert!(together.iter().all(|weight| weight.fract() == 0.0));
        let near = together
            .iter()
            .zip(&weights)
            .all(|(a, b)| (a - b).abs() < 4.0);
        assert!(near, "{together:?}");
        let errors = [together, &alone].map(|rounded| mean_error(&weights, rounded, &unknown));
        assert!(errors[0] < 0.7 * errors[1], "{errors:?}");
    }

    #[test]
    fn what_is_missing_is_added() {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let weights = vec![3.0; SIZE];
        let expected: Vec<f64> = (0..SIZE).map(|index| 3.0 + (index % 5) as f64).collect();
        let mut equations = Equations::new(SIZE, 1);
        for position in &positions(4000, &mut random) {
            let missing = dot(&expected, position) - dot(&weights, position);
            equations.add(position, &[missing]);
        }
        assert_eq!(
            equations.solve(&[weights], |_, weight| weight.round()),
            [expected]
        );
    }

    #[test]
    fn without_positions_each_is_rounded_on_its_own() {
        let rounded = Equations::new(3, 2).solve(
            &[vec![0.4, -1.6, 7.0], vec![1.7, 0.2, -0.4]],
            |_, weight| weight.round(),
        );
        assert_eq!(rounded, [[0.0, -2.0, 7.0], [2.0, 0.0, 0.0]]);
    }
}
