//! Whole numbers for the weights of an output, chosen together, so that what rounding does to one the others make good.
//!
//! Each weight rounded on its own moves the value of a position by the sum of hundreds of small errors. But few of the whole
//! numbers nearby are as bad: sought are those with which the values of many positions come nearest to what they should
//! be, which is the closest vector of a lattice. Babai's nearest plane finds a good one ("On Lovász' lattice reduction and
//! the nearest lattice point problem", 1986): weight after weight is rounded, and those that are left take over its error.
//! GPTQ rounds large language models in the same way (Frantar et al., 2022).
//!
//! What the rounding of the transformer did is made good too, as far as the outputs can.

#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

/// How much the weights are held to those that were learnt: the part of the mean square of an activation. So they stay where
/// the positions say nothing about them.
const HOLD: f64 = 0.003;

/// The positions by which the weights of one output are chosen: the normal equations of least squares.
#[derive(Clone, Debug)]
pub(super) struct Equations {
    /// Weights.
    size: usize,
    /// The sums of the products of two activations, of which the second is not before the first.
    products: Vec<f64>,
    /// The sums of activation times error.
    errors: Vec<f64>,
}

impl Equations {
    /// For so many weights, without positions.
    pub(super) fn new(size: usize) -> Self {
        Self {
            size,
            products: vec![0.0; size * size],
            errors: vec![0.0; size],
        }
    }

    /// Takes in a position: what the weights are multiplied by, and what is missing from their sum now.
    pub(super) fn add(&mut self, activations: &[f64], error: f64) {
        debug_assert_eq!(activations.len(), self.size);
        let rows = self.products.chunks_exact_mut(self.size);
        for (first, (row, &activation)) in rows.zip(activations).enumerate() {
            if activation != 0.0 {
                for (product, other) in row[first..].iter_mut().zip(&activations[first..]) {
                    *product += activation * other;
                }
                self.errors[first] += activation * error;
            }
        }
    }

    /// The numbers near `weights` with which least is missing. `round` makes of a number the nearest one that weight
    /// `index` can have; the last ones are rounded first.
    pub(super) fn solve(self, weights: &[f64], round: impl Fn(usize, f64) -> f64) -> Vec<f64> {
        let size = self.size;
        let Some((factor, changes)) = self.least_squares() else {
            return (0..size)
                .map(|index| round(index, weights[index]))
                .collect();
        };
        // What each weight should be less what it became.
        let mut differences = vec![0.0; size];
        let mut rounded = vec![0.0; size];
        for index in (0..size).rev() {
            let row = &factor[index * size..][..size];
            let taken_over = dot(&row[index + 1..], &differences[index + 1..]) / row[index];
            let best = weights[index] + changes[index];
            rounded[index] = round(index, best + taken_over);
            differences[index] = best - rounded[index];
        }
        rounded
    }

    /// The upper triangle that is the root of the products, and what is to be added to the weights. `None` without
    /// positions.
    fn least_squares(mut self) -> Option<(Vec<f64>, Vec<f64>)> {
        let size = self.size;
        let trace: f64 = (0..size)
            .map(|index| self.products[index * (size + 1)])
            .sum();
        if trace <= 0.0 {
            return None;
        }
        for index in 0..size {
            self.products[index * (size + 1)] += HOLD * trace / size as f64;
        }
        factorise(&mut self.products, size);
        let (factor, mut changes) = (self.products, self.errors);
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
        Some((factor, changes))
    }
}

/// Cholesky's factor in place of a positive definite matrix, of which only the upper triangle is read and written.
fn factorise(matrix: &mut [f64], size: usize) {
    for index in 0..size {
        let (done, left) = matrix.split_at_mut((index + 1) * size);
        let row = &mut done[index * size + index..];
        let root = row[0].sqrt();
        for number in row.iter_mut() {
            *number /= root;
        }
        for (offset, other) in left.chunks_exact_mut(size).enumerate() {
            let first = offset + 1;
            let part = row[first];
            if part != 0.0 {
                for (number, own) in other[index + first..].iter_mut().zip(&row[first..]) {
                    *number -= part * own;
                }
            }
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
        let mut equations = Equations::new(SIZE);
        for position in &known {
            equations.add(position, 0.0);
        }
        let together = equations.solve(&weights, |_, weight| weight.round());
        let alone: Vec<f64> = weights.iter().map(|weight| weight.round()).collect();
        assert!(together.iter().all(|weight| weight.fract() == 0.0));
        let near = together
            .iter()
            .zip(&weights)
            .all(|(a, b)| (a - b).abs() < 4.0);
        assert!(near, "{together:?}");
        let errors = [&together, &alone].map(|rounded| mean_error(&weights, rounded, &unknown));
        assert!(errors[0] < 0.7 * errors[1], "{errors:?}");
    }

    #[test]
    fn what_is_missing_is_added() {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let weights = vec![3.0; SIZE];
        let expected: Vec<f64> = (0..SIZE).map(|index| 3.0 + (index % 5) as f64).collect();
        let mut equations = Equations::new(SIZE);
        for position in &positions(4000, &mut random) {
            let missing = dot(&expected, position) - dot(&weights, position);
            equations.add(position, missing);
        }
        assert_eq!(
            equations.solve(&weights, |_, weight| weight.round()),
            expected
        );
    }

    #[test]
    fn without_positions_each_is_rounded_on_its_own() {
        let rounded = Equations::new(3).solve(&[0.4, -1.6, 7.0], |_, weight| weight.round());
        assert_eq!(rounded, [0.0, -2.0, 7.0]);
    }
}
