//! Time of network evaluation: once after each move of two games in turn, so that no accumulator is
//! computed in advance, and once with computed accumulators.
//!
//! Weights are random (`raicho net random`), so fewer activations are 0 than in trained networks.
//! `RAICHO_SIMD` selects the instruction set.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use raicho::eval::nnue::{Model, Network, instruction_set_from_env, random};
use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::types::Move;

const SHAPES: [&str; 5] = [
    "kp_256x2-32-32",
    "halfkp_256x2-32-32",
    "SFNN_halfkahm2_512_15_32_k3k3",
    "raicho_256x2-8",
    "raicho_512x2-8",
];

const MOVES: usize = 100;

/// A game of moves spread over the list of legal ones, so that all kinds of moves occur.
fn game(stride: usize) -> Vec<Move> {
    let mut position: Position = Position::startpos();
    let mut game = Vec::new();
    for ply in 0..MOVES {
        let moves = legal_moves(&position);
        let Some(&mv) = moves.get((ply + 1) * stride % moves.len().max(1)) else {
            break;
        };
        position.do_move(mv);
        game.push(mv);
    }
    game
}

fn evaluation(criterion: &mut Criterion) {
    let set =
        instruction_set_from_env().expect("RAICHO_SIMD names an instruction set of this processor");
    let games = [game(7919), game(6007)];
    let mut group = criterion.benchmark_group(format!("networks, {set}"));
    for name in SHAPES {
        let shape = name.parse().expect("a shape");
        let (network, _) = Network::read(&random::file(&shape, 1)).expect("a good file");
        let model = Model::for_set(network, set);
        let mut accumulator = model.accumulator();
        let evaluations: usize = games.iter().map(Vec::len).sum();
        group.throughput(Throughput::Elements(evaluations as u64));
        group.bench_function(format!("{name}: after each move"), |bencher| {
            bencher.iter(|| {
                for game in &games {
                    let mut position: Position = Position::startpos();
                    for &mv in game {
                        position.do_move(mv);
                        black_box(model.evaluate(&position, &mut accumulator));
                    }
                }
            });
        });
        let mut position: Position = Position::startpos();
        for &mv in &games[0] {
            position.do_move(mv);
        }
        group.throughput(Throughput::Elements(1));
        group.bench_function(format!("{name}: computed accumulators"), |bencher| {
            bencher.iter(|| model.evaluate(black_box(&position), &mut accumulator));
        });
    }
    group.finish();
}

criterion_group!(benches, evaluation);
criterion_main!(benches);
