//! The gradient against finite differences, and the layout of weights and chunks.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{samples, settings, shapes};
use crate::train::learn::loss::{Target, Targets};
use crate::train::learn::net::{BLOCK, Layout, Weights};
use crate::train::learn::sample::{CHUNK, Chunk, MAX_ACTIVE, Sample};
use crate::{eval::nnue::FeatureSet, eval::nnue::shape::Shape, train::learn::Settings};
use crate::{train::learn::pass::Pass, types::Bound};

fn layout_of(shape: Shape) -> Layout {
    Layout::new(shape).expect("a shape that can be trained")
}

/// The output for one position by the definition of the network, in 64-bit floats.
fn output_by_definition(weights: &Weights, sample: &Sample) -> f64 {
    let layout = weights.layout();
    let mut inputs = [[0; MAX_ACTIVE]; 2];
    let active = sample.features(layout.shape.features, &mut inputs);
    // Clipped columns by side, in the order of the feature transformer.
    let mut columns = vec![vec![0.0; layout.shape.width]; 2];
    for (number, block) in weights.blocks().enumerate() {
        for (columns, inputs) in columns.iter_mut().zip(&inputs) {
            for place in 0..BLOCK {
                let rows = inputs[..active].iter().map(|&input| usize::from(input));
                let sum: f64 =
                    rows.chain([layout.biases()]).map(|row| f64::from(block[row].0[place])).sum();
                columns[layout.column(number, place)] = sum.clamp(0.0, 1.0);
            }
        }
    }
    let top: Vec<f64> = weights.top.iter().copied().map(f64::from).collect();
    let Some(hidden) = layout.hidden else {
        let mut output = top[sample.bucket()];
        for (number, block) in weights.blocks().enumerate() {
            for (side, columns) in columns.iter().enumerate() {
                let row = &block[layout.outputs().start + 2 * sample.bucket() + side];
                for (column, &weight) in columns[number * BLOCK..].iter().zip(&row.0) {
                    output += column.powi(2) * f64::from(weight);
                }
            }
        }
        return output;
    };
    let inputs: Vec<f64> = if hidden.is_products {
        let products = columns.iter().flat_map(|columns| {
            let (one, other) = columns.split_at(columns.len() / 2);
            one.iter().zip(other).map(|(one, other)| one * other)
        });
        products.collect()
    } else {
        columns.concat()
    };
    let mut first = top[hidden.first_biases()].to_vec();
    for (number, block) in weights.blocks().enumerate() {
        for (row, weights) in block[layout.outputs()].iter().enumerate() {
            let (neuron, side) = (row / hidden.activations(), row % hidden.activations());
            for (place, &weight) in weights.0.iter().enumerate() {
                first[neuron] +=
                    inputs[layout.first_input(number, side, place)] * f64::from(weight);
            }
        }
    }
    let shortcut = if hidden.has_shortcut { first.pop() } else { None };
    let clipped = first.iter().map(|sum| sum.clamp(0.0, 1.0));
    let inputs: Vec<f64> = if hidden.is_products {
        let squares = first.iter().map(|sum| sum.powi(2).min(1.0));
        squares.chain(clipped).collect()
    } else {
        clipped.collect()
    };
    let mut output = top[hidden.last_bias()] + shortcut.unwrap_or(0.0);
    for neuron in 0..hidden.second {
        let mut sum = top[hidden.second_biases().start + neuron];
        let row = &top[hidden.second_weights()][neuron * inputs.len()..];
        for (input, weight) in inputs.iter().zip(row) {
            sum += input * weight;
        }
        output += sum.clamp(0.0, 1.0) * top[hidden.last_weights().start + neuron];
    }
    output
}

/// The loss of one position by its definition.
fn loss_by_definition(weights: &Weights, sample: &Sample, target: Target) -> f64 {
    let output = output_by_definition(weights, sample);
    let share = 1.0 / (1.0 + (-output).exp());
    let difference = share - f64::from(target.probability);
    let violation = match target.bound {
        Bound::Exact => difference.abs(),
        Bound::Lower => (-difference).max(0.0),
        Bound::Upper => difference.max(0.0),
    };
    f64::from(target.weight) * violation.powi(2)
}

#[test]
fn the_gradient_is_that_of_finite_differences() {
    for shape in shapes() {
        check_gradient(layout_of(shape));
    }
}

fn check_gradient(layout: Layout) {
    let samples = samples(120, 7, 1);
    let targets = Targets { scale: 400.0, result_weight: 0.3, tree_weight: 1.0 };
    let target = |sample: &Sample| targets.of(sample);
    let mut weights = Weights::random(layout, 3);
    let mut gradient = Weights::zeroed(layout);
    let mut chunk = Chunk::new(layout.shape.features);
    chunk.fill(samples.iter(), target);
    let mut pass = Pass::new(layout);
    let chunks = std::slice::from_ref(&chunk);
    let found = pass.add_gradient(&weights, chunks, 1.0, &mut gradient);
    let loss = |weights: &Weights| -> f64 {
        let losses =
            samples.iter().map(|sample| loss_by_definition(weights, sample, target(sample)));
        losses.sum()
    };
    assert!((found - loss(&weights)).abs() < 1e-4 * found);

    let mut random = ChaCha8Rng::seed_from_u64(9);
    let mut compared = 0;
    // So small that hardly a neuron passes the bends of its activation.
    let step = if layout.hidden.is_some() { 1e-5 } else { 1e-3 };
    let difference = |weights: &mut Weights, get: &dyn Fn(&mut Weights) -> &mut f32| {
        let before = *get(weights);
        let mut at = |by: f32| {
            *get(weights) = before + by;
            let exact = f64::from(*get(weights));
            (exact, loss(weights))
        };
        let (above, below) = (at(step), at(-step));
        *get(weights) = before;
        (above.1 - below.1) / (above.0 - below.0)
    };
    let used: Vec<usize> =
        (0..layout.biases()).filter(|&input| chunk.views(input).len() > 1).collect();
    let after = layout.outputs().end - layout.biases();
    let count = 400 + after.min(200);
    for number in 0..count {
        let block = random.random_range(0..layout.blocks());
        let column = random.random_range(0..BLOCK);
        // Covers all rows that are not features.
        let row = match number {
            0..200 => layout.biases() + number % after,
            _ => used[random.random_range(0..used.len())],
        };
        let expected = difference(&mut weights, &|weights| {
            &mut weights.blocks_mut().nth(block).expect("a block")[row].0[column]
        });
        let block_gradient = gradient.blocks().nth(block).expect("a block");
        let found = f64::from(block_gradient[row].0[column]);
        let tolerance = 1e-3 * expected.abs() + 2e-5;
        assert!(
            (found - expected).abs() < tolerance,
            "{layout:?}, block {block}, row {row}, column {column}: {found}, not {expected}"
        );
        compared += usize::from(expected != 0.0);
    }
    assert!(compared > 150, "{compared}");
    for number in (0..layout.top()).step_by((layout.top() / 100).max(1)) {
        let expected = difference(&mut weights, &|weights| &mut weights.top[number]);
        let found = f64::from(gradient.top[number]);
        assert!(
            (found - expected).abs() < 1e-3 * expected.abs() + 2e-5,
            "{layout:?}, weight {number} of the top: {found}, not {expected}"
        );
    }
}

#[test]
fn each_column_and_input_has_one_place() {
    for shape in shapes() {
        let layout = layout_of(shape);
        let blocks =
            || (0..layout.blocks()).flat_map(|block| (0..BLOCK).map(move |place| (block, place)));
        let mut columns: Vec<usize> =
            blocks().map(|(block, place)| layout.column(block, place)).collect();
        columns.sort_unstable();
        assert!(columns.into_iter().eq(0..layout.shape.width), "{shape}");
        let Some(hidden) = layout.hidden else {
            continue;
        };
        let mut inputs: Vec<usize> = blocks()
            .flat_map(|(block, place)| {
                let sides = 0..hidden.activations();
                sides.map(move |side| layout.first_input(block, side, place))
            })
            .collect();
        inputs.sort_unstable();
        assert!(inputs.into_iter().eq(0..layout.first_inputs()), "{shape}");
    }
}

#[test]
fn only_shapes_of_our_own_features_are_trained() {
    for name in [
        "kp_256x2-32-32",
        "raicho_256x2-33-32",
        "raicho_256x2-32-65",
        "SFNN_raicho_256_15_32_k3k3",
        "SFNN_raicho_256_31_32_hand4",
    ] {
        let shape: Shape = name.parse().expect("a good name");
        assert_eq!(Layout::new(shape), None, "{name}");
        let settings = Settings { shape, ..settings() };
        let error = settings.validate().expect_err(name).to_string();
        let part = format!("shape {shape}, expected raicho_Wx2-8");
        assert!(error.starts_with(&part), "{error}");
    }
}

#[test]
fn chunks_know_the_views_of_each_input() {
    let samples = samples(CHUNK + 100, 1, 2);
    for set in [FeatureSet::Raicho, FeatureSet::Raicho4, FeatureSet::Raicho12] {
        check_chunk(set, &samples);
    }
}

fn check_chunk(set: FeatureSet, samples: &[Sample]) {
    let mut chunk = Chunk::new(set);
    for samples in [samples, &samples[..77]] {
        chunk.fill(samples.iter(), |_| Target::exact(0.5));
        assert_eq!(chunk.len(), samples.len().min(CHUNK));
        let mut expected = vec![Vec::new(); set.count()];
        for position in 0..chunk.len() {
            for side in 0..2 {
                for &input in chunk.features(position, side) {
                    expected[usize::from(input)].push((2 * position + side) as u16);
                }
            }
        }
        for (input, expected) in expected.iter().enumerate() {
            assert_eq!(chunk.views(input), expected);
        }
    }
}
