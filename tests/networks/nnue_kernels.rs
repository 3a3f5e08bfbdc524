//! Kernels of every instruction set, with incremental updates and refreshes, against the reference
//! implementation.

use crate::common::position;
use crate::networks::walk::walk;
use raicho::eval::nnue::simd::InstructionSet;
use raicho::eval::nnue::{Model, Network, random, scalar};
use raicho::position::{Position, START_SFEN};

/// All feature sets and heads, small enough for a test.
const SHAPES: [&str; 20] = [
    "raicho_64x2-8",
    "raicho_512x2-8",
    // Wide enough to overflow a sum of 32 bits.
    "raicho_4160x2-8",
    // Our feature set with a plain head.
    "raicho_64x2-8-32",
    "halfkp_64x2-8-32",
    "halfkp_256x2-32-32",
    "halfkp_192x2-16-64",
    "kp_256x2-32-32",
    "ka2_128x2-8-64",
    "halfkpvm_64x2-16-32",
    "halfka1_64x2-32-32",
    "halfka2_64x2-32-32",
    "halfkahm1_64x2-32-32",
    "halfkahm2_64x2-32-32",
    "SFNN_halfkahm2_128_15_32_k3k3",
    "SFNN_halfkp_256_8_32_hand4_k9k9z_progress2",
    // Narrower than two of the widest vectors, or not a multiple of them.
    "halfkp_32x2-8-32",
    "ka2_96x2-8-32",
    "SFNN_halfkahm1_32_7_32",
    "SFNN_kp_96_8_32_k3k3",
];

fn network(file: &[u8]) -> Network {
    let (network, _) = Network::read(file).expect("a good file");
    network
}

fn file(shape: &str) -> Vec<u8> {
    random::file(&shape.parse().expect("a shape"), 3)
}

/// Compares the values of positions along random walks.
fn compare(shape: &str, sets: &[InstructionSet], games: u64) {
    let file = file(shape);
    let models: Vec<Model> = sets.iter().map(|&set| Model::for_set(network(&file), set)).collect();
    let mut accumulators: Vec<_> = models.iter().map(Model::accumulator).collect();
    for game in 0..games {
        walk(Position::startpos(), game, |position| {
            let expected = scalar::evaluate(models[0].network(), position);
            for ((model, accumulator), &set) in models.iter().zip(&mut accumulators).zip(sets) {
                assert_eq!(model.instruction_set(), set);
                let value = model.evaluate(position, accumulator);
                assert_eq!(value, expected, "{shape}, {set}, {}", position.to_sfen());
            }
        });
    }
}

#[test]
fn every_instruction_set_gives_the_values_of_the_reference() {
    let sets = InstructionSet::ALL.into_iter();
    let sets: Vec<_> = sets.filter(|set| set.is_available()).collect();
    for shape in SHAPES {
        compare(shape, &sets, 1);
    }
}

#[test]
fn sets_that_count_attacks_are_refreshed_for_each_position() {
    compare("halfkpe9_64x2-8-32", &[InstructionSet::best()], 1);
}

#[test]
fn without_a_king_there_is_no_value() {
    let model = Model::new(network(&file("kp_64x2-8-32")));
    let mut accumulator = model.accumulator();
    let no_king = position("9/9/4k4/9/9/9/9/9/9 b G 1");
    assert_eq!(model.evaluate(&no_king, &mut accumulator), None);
}

/// Handicap games lack pieces, which are features in some sets.
#[test]
fn games_with_different_pieces_follow_one_another() {
    for shape in ["halfkp_64x2-8-32", "kp_64x2-8-32", "halfkahm2_64x2-8-32"] {
        let model = Model::new(network(&file(shape)));
        let mut accumulator = model.accumulator();
        for sfen in [
            START_SFEN,
            "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
            "3gkg3/9/9/9/9/9/9/9/4K4 b P 1",
            START_SFEN,
        ] {
            let position = position(sfen);
            let expected = scalar::evaluate(model.network(), &position);
            let value = model.evaluate(&position, &mut accumulator);
            assert_eq!(value, expected, "{sfen}");
        }
    }
}
