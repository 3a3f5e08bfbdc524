//! The gradient against finite differences, factors against their sum, ties, and whole runs.

#![expect(clippy::float_cmp, reason = "zeros are exact")]
#![expect(clippy::cast_precision_loss, reason = "small numbers")]

mod folder;
mod gradient;
mod runs;
mod ties;

use std::sync::atomic::AtomicBool;

use super::tables::{Pass, Tables};
use super::{Batch, Learner};
use crate::train::learn::sample::{Label, Sample};
use crate::train::learn::{ResultWeight, Settings};
use crate::{position::Position, train::learn::loss::Targets};
use crate::{train::learn::tests::for_each_random_position, util::mixed};

/// A scale with which weights that are whole numbers are exact as floats.
const SCALE: u16 = 1024;

/// A scattered number from `-half` to `half`.
fn number(index: u64, half: u64) -> i32 {
    (mixed(index) % (2 * half + 1)) as i32 - half as i32
}

/// Every fifth of the positions of random games, with made-up scores and results.
fn positions(count: usize, seed: u64) -> Vec<(Position, Sample)> {
    let mut found = Vec::new();
    let mut index = 0;
    for_each_random_position(count * 5, seed, |position| {
        index += 1;
        if index % 5 == 0 {
            let score = number(index, 800) as i16;
            let label = Label::Game { result: number(index, 1) as i8 };
            let sample = Sample::new(position, score, label).expect("two kings");
            found.push((position.clone(), sample));
        }
    });
    found
}

fn settings() -> Settings {
    Settings {
        batch: 6,
        steps: 30,
        interval: 15,
        scale: SCALE,
        rate: 2e-3,
        last_rate: 1e-4,
        wdl: ResultWeight { first: 0.0, last: 0.0 },
        ..Settings::default()
    }
}

/// The gradients of all weights that any of the samples has, in the tables.
fn collect_gradients(tables: &mut Tables, samples: &[Sample]) -> f64 {
    let samples: Vec<&Sample> = samples.iter().collect();
    let targets = Targets::new(&settings(), 0.3);
    let mut batch = Batch::new();
    batch.fill(&samples, |sample| targets.of(sample));
    Pass::default().step(tables, &batch, SCALE.into(), None)
}

/// Sets all weights that any of the samples has to whole numbers of units of the files.
fn make_up(tables: &mut Tables, samples: &[Sample]) {
    collect_gradients(tables, samples);
    for (factor, table) in tables.0.iter_mut().enumerate() {
        let entries = table.weights.iter_mut().zip(&mut *table.states);
        for (index, (weight, state)) in entries.enumerate() {
            if state.gradient != [0.0; 2] {
                let at = (factor as u64) << 40 | (index as u64) << 1;
                let part = |part: u64| number(at | part, 60) as f32 / (32.0 * f32::from(SCALE));
                *weight = [part(0), part(1)];
                state.gradient = [0.0; 2];
            }
        }
    }
}

fn mirror(square: usize) -> usize {
    (8 - square / 9) * 9 + square % 9
}

static NEVER: AtomicBool = AtomicBool::new(false);

fn run_to_end(learner: &mut Learner<'_>) {
    while !learner.is_finished() {
        let advanced = learner.advance(&NEVER, &mut |_| ());
        advanced.expect("positions in memory");
    }
}
