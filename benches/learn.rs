//! Time of training: steps of 16384 positions, from packed positions to updated weights, on one
//! thread. The positions are those of random games, which have more distinct features than real
//! ones.

use std::sync::atomic::AtomicBool;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::train::learn::{Data, Filter, Judged, Learner, Settings, Tactical};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

const POSITIONS: usize = 100_000;

const SHAPES: [&str; 5] = [
    "raicho_256x2-8",
    "raicho_512x2-8",
    "raicho_768x2-8",
    "raicho_256x2-32-32",
    "SFNN_raicho_512_15_32",
];

/// Positions of random games.
fn data() -> Data {
    let filter = Filter { tactical: Tactical::Keep, ..Filter::default() };
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut data = Data::default();
    while data.training.len() < POSITIONS {
        let mut position: Position = Position::startpos();
        for _ in 0..150 {
            let moves = legal_moves(&position);
            if moves.is_empty() {
                break;
            }
            position.do_move(moves[random.random_range(0..moves.len())]);
            data.add(filter, false, &mut position, None, Judged::of_game(0, 0));
        }
    }
    data
}

fn steps(criterion: &mut Criterion) {
    let data = data();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    let pool = pool.build().expect("a thread");
    let mut group = criterion.benchmark_group("learn, one thread");
    group.sample_size(10);
    for shape in SHAPES {
        let settings = Settings {
            shape: shape.parse().expect("a good name"),
            steps: u64::MAX,
            interval: 1,
            ..Settings::default()
        };
        group.throughput(Throughput::Elements(settings.batch as u64));
        let mut learner = Learner::new(settings, &data).expect("good settings");
        let never = AtomicBool::new(false);
        group.bench_function(shape, |bencher| {
            bencher.iter(|| pool.install(|| learner.advance(&never, &mut |_| ())));
        });
    }
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
