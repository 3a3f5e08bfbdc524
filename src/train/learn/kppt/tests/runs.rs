//! Whole runs: what they learn, interruption, threads.

use std::sync::atomic::Ordering;

use super::*;
use crate::eval::kppt::scalar::{self, Weights};
use crate::train::learn::data::{Data, Judged};
use crate::train::learn::kppt::{NUMBERS, TABLE};
use crate::train::learn::sample::{Filter, Tactical};
use crate::util::TestFolder;

/// Made-up weights of kings with a piece.
struct MadeUp {
    /// Half the range of weights of pairs.
    pairs: u64,
}

impl Weights for MadeUp {
    fn kk(&self, _: usize, _: usize) -> scalar::Weight {
        [0; 2]
    }

    fn kkp(&self, black_king: usize, white_king: usize, piece: usize) -> scalar::Weight {
        let of_king = |king: usize, piece: usize| {
            let (king, piece) = if king / 9 > 4 {
                (mirror(king), TABLE.mirrored[piece].into())
            } else {
                (king, piece)
            };
            let piece = if king / 9 == 4 { piece.min(TABLE.mirrored[piece].into()) } else { piece };
            number((king * NUMBERS + piece) as u64, 900)
        };
        let inverse = TABLE.inverse[piece].into();
        [of_king(black_king, piece) - of_king(80 - white_king, inverse), 0]
    }

    fn kpp(&self, king: usize, one: usize, other: usize) -> scalar::Weight {
        let pair = (one.max(other) * NUMBERS + one.min(other)) * 81 + king;
        [number(pair as u64, self.pairs), number(pair as u64 + 1, self.pairs / 4)]
    }
}

/// Positions of random games with the values of made-up weights; the last tenth is held out.
fn data_of(weights: &MadeUp, count: usize) -> Data {
    let filter = Filter { tactical: Tactical::Keep, ..Filter::default() };
    let mut data = Data::default();
    let mut done = 0;
    for_each_random_position(count, 5, |position| {
        let score = scalar::evaluate(weights, position).expect("two kings");
        let is_held_out = done >= count / 10 * 9;
        let judged = Judged::of_game(score, 0);
        data.add(filter, is_held_out, position, None, judged);
        done += 1;
    });
    data
}

#[test]
fn made_up_weights_of_pieces_are_learnt_for_held_out_games() {
    let data = data_of(&MadeUp { pairs: 0 }, 3000);
    let settings = Settings {
        batch: 192,
        steps: 301,
        interval: 150,
        rate: 1.5e-3,
        last_rate: 1e-4,
        ..settings()
    };
    let mut learner = Learner::new(settings, &data).expect("good settings");
    let before = {
        learner.step().expect("positions in memory");
        learner.measure();
        learner.points()[0].held_out.expect("held out")
    };
    run_to_end(&mut learner);
    let after = learner.points().last().and_then(|point| point.held_out);
    assert!(before > 0.01, "{before}");
    assert!(after.expect("held out") < before / 50.0, "{after:?}, {before} before");
}

#[test]
fn made_up_weights_of_pairs_are_learnt() {
    let data = data_of(&MadeUp { pairs: 400 }, 500);
    let settings =
        Settings { batch: 64, steps: 250, interval: 50, rate: 6e-4, last_rate: 3e-5, ..settings() };
    let mut learner = Learner::new(settings, &data).expect("good settings");
    run_to_end(&mut learner);
    let losses = learner.points().iter().map(|point| point.training);
    let losses: Vec<f64> = losses.collect();
    assert!(losses[0] > 1e-3 && losses[4] < 3e-5, "{losses:?}");
}

/// The bytes of a checkpoint, which has all that a run knows.
fn bytes_of(learner: &Learner<'_>) -> Vec<u8> {
    let folder = TestFolder::new();
    let path = folder.file("checkpoint.bin");
    learner.save(&path).expect("the folder can be written");
    std::fs::read(&path).expect("just written")
}

#[test]
fn a_run_is_the_same_on_any_number_of_threads() {
    let data = data_of(&MadeUp { pairs: 400 }, 700);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let run = || {
            let mut learner = Learner::new(settings(), &data).expect("good settings");
            run_to_end(&mut learner);
            bytes_of(&learner)
        };
        pool.build().expect("threads").install(run)
    };
    let one = run(1);
    assert!(one.len() > 100_000, "{}", one.len());
    assert!(one == run(3), "runs with one and three threads differ");
}

#[test]
fn a_resumed_run_is_the_same() {
    let folder = TestFolder::new();
    let path = folder.file("checkpoint.bin");
    let data = data_of(&MadeUp { pairs: 100 }, 24);
    let new = || Learner::new(settings(), &data).expect("good settings");
    let mut whole = new();
    run_to_end(&mut whole);

    let mut first = new();
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

    let other = data_of(&MadeUp { pairs: 100 }, 23);
    assert!(Learner::resume(&path, &other).is_err());
    let good = std::fs::read(&path).expect("just written");
    for (at, what) in [(0, "magic"), (9, "version"), (30, "header"), (good.len() / 2, "weights")] {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        std::fs::write(&path, bad).expect("the folder can be written");
        assert!(Learner::resume(&path, &data).is_err(), "{what}");
    }
    for length in [0, 7, 11, 100, good.len() / 2, good.len() - 1] {
        std::fs::write(&path, &good[..length]).expect("the folder can be written");
        assert!(Learner::resume(&path, &data).is_err(), "{length}");
    }
}
