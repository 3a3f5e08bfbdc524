//! Whole runs on synthetic data; `gradient` compares gradients with finite differences, `streams`
//! has runs that read files as they go.

mod gradient;
mod streams;

use std::sync::atomic::{AtomicBool, Ordering};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::data::{Data, Judged};
use super::net::{InitialWeights, Learner};
use super::sample::{FEATURES, Filter, Label, Sample, Tactical};
use super::{ResultWeight, Settings};
use crate::eval::nnue::shape::{Head, Shape};
use crate::eval::nnue::{FeatureSet, Network, random, scalar};
use crate::util::TestFolder;
use crate::{eval::Evaluator, movegen::legal_moves, position::Position, types::Bound};

fn material(position: &Position) -> i32 {
    Evaluator::Material.for_thread().evaluate(position)
}

/// Calls `action` with `count` positions of random games.
pub(super) fn for_each_random_position(
    count: usize,
    seed: u64,
    mut action: impl FnMut(&mut Position),
) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut done = 0;
    while done < count {
        let mut position: Position = Position::startpos();
        for _ in 0..120 {
            let moves = legal_moves(&position);
            if moves.is_empty() || done == count {
                break;
            }
            position.do_move(moves[random.random_range(0..moves.len())]);
            action(&mut position);
            done += 1;
        }
    }
}

/// Training data whose scores are the material balance. The last tenth is held out.
fn material_data(count: usize) -> Data {
    let filter = Filter { tactical: Tactical::Keep, ..Filter::default() };
    let mut data = Data::default();
    let mut number = 0;
    for_each_random_position(count, 5, |position| {
        let score = material(position);
        let is_held_out = number >= count / 10 * 9;
        let judged = Judged::of_game(score, score.signum() as i8);
        data.add(filter, is_held_out, position, None, judged);
        number += 1;
    });
    data
}

/// Every `step`th of `count` random positions, with the material balance as the score.
fn samples(count: usize, step: usize, seed: u64) -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut number = 0;
    for_each_random_position(count, seed, |position| {
        if number % step == 0 {
            let score = material(position) as i16;
            // Positions of games, and of search trees with each kind of bound.
            let label = match Bound::from_bits((number / step % 4) as u8) {
                Some(bound) => Label::Tree { bound, depth: (number % 11) as u8 },
                None => Label::Game { result: score.signum() as i8 },
            };
            samples.extend(Sample::new(position, score, label));
        }
        number += 1;
    });
    samples
}

/// The shapes whose training is tested.
fn shapes() -> [Shape; 5] {
    [
        "raicho_64x2-8",
        "raicho4_64x2-8",
        "raicho_64x2-32-32",
        "raicho_64x2-9-20",
        "SFNN_raicho_128_15_32",
    ]
    .map(|name| name.parse().expect("a good name"))
}

fn settings() -> Settings {
    Settings {
        shape: Shape::direct(FeatureSet::Raicho, 64),
        batch: 1000,
        steps: 40,
        interval: 20,
        rate: 5e-3,
        last_rate: 1e-4,
        // The bounds of the tests assume this scale.
        scale: 400,
        ..Settings::default()
    }
}

fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("threads").install(work)
}

fn bytes_of(learner: &Learner<'_>) -> Vec<u8> {
    let quantised = learner.quantised("test");
    quantised.network.to_bytes().expect("a network of our own")
}

static NEVER: AtomicBool = AtomicBool::new(false);

fn run_to_end(learner: &mut Learner<'_>) {
    while !learner.is_finished() {
        let advanced = learner.advance(&NEVER, &mut |_| ());
        advanced.expect("files that can be read");
    }
}

#[test]
fn material_is_learnt() {
    let data = material_data(60_000);
    for shape in shapes() {
        check_material(shape, &data);
    }
}

fn check_material(shape: Shape, data: &Data) {
    let settings = Settings {
        shape,
        batch: 400,
        steps: 800,
        interval: 200,
        rate: 4e-3,
        wdl: ResultWeight { first: 0.0, last: 0.0 },
        ..settings()
    };
    let mut learner = Learner::new(settings, data).expect("good settings");
    on_threads(2, || run_to_end(&mut learner));
    let losses = learner.points().iter();
    let losses: Vec<f64> = losses.filter_map(|point| point.held_out).collect();
    assert_eq!(losses.len(), 4);
    // Four zones have four times the weights to learn from the same positions.
    let is_zoned = shape.features == FeatureSet::Raicho4;
    let most = if is_zoned { 0.01 } else { 0.005 };
    assert!(losses[3] < most, "{shape}: {losses:?}");
    let quantised = learner.quantised("test");
    assert!(quantised.errors.positions > 1000);
    let is_direct = shape.head == Head::Direct;
    let most = if is_direct { 1.0 } else { 15.0 };
    let errors = &quantised.errors;
    assert!(errors.mean < most, "{shape}: {errors:?}");
    // What the engine makes of the file is what was measured.
    let bytes = quantised.network.to_bytes().expect("a network of our own");
    let (network, warnings) = Network::read(&bytes).expect("a good file");
    assert_eq!((network.shape(), warnings.len()), (shape, 0));
    assert_eq!(network.text(), quantised.network.text());
    let mut errors = Vec::new();
    for_each_random_position(600, 77, |position| {
        let value = scalar::evaluate(&network, position).expect("two kings");
        let expected = material(position);
        if expected.abs() < 1500 {
            errors.push((value - expected).abs());
        }
    });
    let mean = errors.iter().sum::<i32>() / errors.len() as i32;
    assert!(mean < 150, "{shape}: {mean}");
}

#[test]
fn a_run_is_the_same_on_any_number_of_threads() {
    let data = material_data(3000);
    for shape in shapes() {
        let settings = Settings { shape, ..settings() };
        let run = |threads| {
            on_threads(threads, || {
                let mut learner = Learner::new(settings.clone(), &data).expect("good settings");
                run_to_end(&mut learner);
                bytes_of(&learner)
            })
        };
        let one = run(1);
        for threads in [1, 3] {
            assert!(one == run(threads), "{shape}: {threads} threads differ from one");
        }
    }
}

#[test]
fn a_run_can_begin_with_a_checkpoint_or_a_network() {
    let folder = TestFolder::new();
    let path = folder.file("weights");
    let write = |bytes: &[u8]| std::fs::write(&path, bytes).expect("the folder can be written");
    let data = material_data(3000);
    let begun = |settings: Settings| {
        let weights = InitialWeights::open(&path, settings.shape)?;
        let mut learner = Learner::new(settings, &data).expect("good settings");
        learner.init_from(weights);
        anyhow::Ok(learner)
    };
    let mut first = Learner::new(settings(), &data).expect("good settings");
    run_to_end(&mut first);

    first.save(&path).expect("the folder can be written");
    let second = begun(settings()).expect("a good checkpoint");
    assert_eq!(second.steps(), 0, "the run is a new one");
    assert!(bytes_of(&second) == bytes_of(&first));

    let quantised = first.quantised("test").network;
    write(&bytes_of(&first));
    for scale in [400, 700] {
        let settings = Settings { scale, ..settings() };
        let again = begun(settings).expect("a good network").quantised("test");
        let mut errors = Vec::new();
        for_each_random_position(300, 78, |position| {
            let [value, expected] = [&again.network, &quantised]
                .map(|network| scalar::evaluate(network, position).expect("two kings"));
            let error = (value - expected).abs();
            errors.push(error);
            assert!(error <= 20 + expected.abs() / 50, "{value}, not {expected}");
        });
        // Weights have other steps at another scale.
        let mean = errors.iter().sum::<i32>() / errors.len() as i32;
        let most = if scale == 400 { 0 } else { 6 };
        assert!(mean <= most, "scale {scale}: {mean}");
    }

    // Of a network with other layers, only the feature transformer is taken.
    let plain = Settings { shape: Shape::plain(FeatureSet::Raicho, 64, [32, 32]), ..settings() };
    let random = Learner::new(plain.clone(), &data).expect("good settings");
    let begun_plain = begun(plain).expect("a network of the same width");
    let transformer = |learner: &Learner<'_>| learner.quantised("").network.transformer;
    let (before, after) = (transformer(&random), transformer(&begun_plain));
    for number in [0, 999, 64 * FEATURES - 1] {
        let expected = i32::from(quantised.transformer.weights[number]) * 127;
        let found = i32::from(after.weights[number]) * 255;
        assert!((found - expected).abs() <= 255, "{found}, not {expected}");
    }
    assert_ne!(before.weights[..], after.weights[..]);

    let message = || match begun(settings()) {
        Ok(_) => panic!("refused"),
        Err(error) => error.to_string(),
    };
    check_zones(&begun, &first, &write);
    assert_eq!(message(), "a network of shape raicho4_64x2-8, whose zones cannot be joined");
    let wide = Settings { shape: Shape::direct(FeatureSet::Raicho, 128), ..settings() };
    let wide = Learner::new(wide, &data).expect("good settings");
    write(&bytes_of(&wide));
    assert_eq!(message(), "width 128, expected 64");
    let foreign = Shape::plain(FeatureSet::Kp, 256, [32, 32]);
    write(&random::file(&foreign, 1));
    assert!(message().contains("expected one of our own"));
    write(b"no network at all");
    assert_eq!(message(), "neither a checkpoint nor a network");
}

/// A network with zones begins as the one without, then differs from zone to zone, and can be begun
/// again with its file, which is written.
fn check_zones<'a>(
    begun: &impl Fn(Settings) -> anyhow::Result<Learner<'a>>,
    first: &Learner<'_>,
    write: &impl Fn(&[u8]),
) {
    let settings = Settings { shape: "raicho4_64x2-8".parse().expect("a good name"), ..settings() };
    let mut zoned = begun(settings.clone()).expect("a network of one zone");
    let [one, four] = [first, &zoned].map(|learner| learner.quantised("test").network);
    let [single, all] = [&one, &four].map(|network| &network.transformer.weights);
    for zone in all.chunks(single.len()) {
        assert_eq!(*zone, single[..]);
    }
    for_each_random_position(300, 79, |position| {
        let [one, four] = [&one, &four].map(|network| scalar::evaluate(network, position));
        assert_eq!(one.expect("two kings"), four.expect("two kings"));
    });
    run_to_end(&mut zoned);
    let four = zoned.quantised("test").network;
    let parts = four.transformer.weights.chunks(64 * FEATURES);
    let last = parts.last().expect("a zone");
    assert_ne!(four.transformer.weights[..64 * FEATURES], *last);
    write(&bytes_of(&zoned));
    let again = begun(settings.clone()).expect("a network of as many zones");
    assert!(bytes_of(&again) == bytes_of(&zoned));

    // Twelve zones begin as the four that they are parts of.
    let twelve = Settings { shape: "raicho12_64x2-8".parse().expect("a good name"), ..settings };
    let twelve = begun(twelve).expect("a network of four zones").quantised("test").network;
    for_each_random_position(300, 80, |position| {
        let [four, twelve] = [&four, &twelve].map(|network| scalar::evaluate(network, position));
        assert_eq!(four.expect("two kings"), twelve.expect("two kings"));
    });
}

#[test]
fn a_resumed_run_is_the_same() {
    let folder = TestFolder::new();
    let path = folder.file("checkpoint.bin");
    let data = material_data(3000);
    let mut whole = Learner::new(settings(), &data).expect("good settings");
    run_to_end(&mut whole);

    let mut first = Learner::new(settings(), &data).expect("good settings");
    let stop = AtomicBool::new(false);
    let in_memory = "positions in memory";
    first.advance(&NEVER, &mut |_| ()).expect(in_memory);
    let stop_at = |step| stop.store(step == 27, Ordering::Relaxed);
    first.advance(&stop, &mut &stop_at).expect(in_memory);
    assert_eq!(first.steps(), 27);
    first.save(&path).expect("the folder can be written");
    let mut second = Learner::resume(&path, &data).expect("the checkpoint is good");
    assert_eq!(second.settings(), first.settings());
    run_to_end(&mut second);
    assert_eq!(second.points(), whole.points());
    assert!(bytes_of(&second) == bytes_of(&whole));

    let other = material_data(2999);
    assert!(Learner::resume(&path, &other).is_err());
    let good = std::fs::read(&path).expect("just written");
    for (at, what) in [(0, "magic"), (9, "version"), (30, "header"), (5000, "weights")] {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        std::fs::write(&path, bad).expect("the folder can be written");
        assert!(Learner::resume(&path, &data).is_err(), "{what}");
    }
    for length in [0, 7, 11, 100, good.len() - 1] {
        std::fs::write(&path, &good[..length]).expect("the folder can be written");
        assert!(Learner::resume(&path, &data).is_err(), "{length}");
    }
}
