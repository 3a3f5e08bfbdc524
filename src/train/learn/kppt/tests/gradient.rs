//! The gradient against finite differences, and folded factors against their sum.

use super::*;
use crate::eval::kppt::{number_in_hand, number_on_board, scalar};
use crate::train::learn::kppt::{Folded, KingPair, NUMBERS};
use crate::train::learn::loss::loss_and_slope;
use crate::types::{Color, PieceType, Square};
use crate::{train::learn::data::Data, train::learn::kppt::tables::Factor};

/// The output for a position by the definition, in 64-bit floats.
fn output_by_definition(tables: &Tables, position: &Position) -> f64 {
    let folded = Folded::new(tables, SCALE);
    let us = position.side_to_move();
    let [own, other] = [us, !us].map(|side| {
        let numbers = numbers_of(position, side);
        let king = position.king(side).expect("a king");
        let king = if side == Color::Black { king } else { king.rotated() };
        let mut sum = [0.0; 2];
        for (at, &one) in numbers.iter().enumerate() {
            for &other in &numbers[..at] {
                let pair = folded.pair_sum(king.index(), one, other);
                sum = [sum[0] + pair[0], sum[1] + pair[1]];
            }
        }
        (king.index(), numbers, sum)
    });
    let ((king, numbers, us), (enemy, _, them)) = (own, other);
    let enemy = Square::NUM - 1 - enemy;
    let pair = KingPair::new(king, enemy);
    let (one, two) = pair.kings();
    let mut sum = folded.kings_sum(pair, one, two);
    sum[0] *= f64::from(pair.sign());
    for number in numbers {
        let (index, sign) = pair.with_piece(number);
        let piece = folded.piece_sum(index, one, two, index % NUMBERS);
        sum = [sum[0] + f64::from(sign) * piece[0], sum[1] + piece[1]];
    }
    let material = if position.side_to_move() == Color::Black {
        position.material()
    } else {
        -position.material()
    };
    let board = us[0] - them[0] + sum[0];
    board + us[1] + them[1] + sum[1] + f64::from(material) / f64::from(SCALE)
}

fn numbers_of(position: &Position, side: Color) -> Vec<usize> {
    let mut numbers = Vec::new();
    for square in Square::ALL {
        if let Some(piece) = position.piece_on(square)
            && piece.kind() != PieceType::King
        {
            numbers.push(number_on_board(piece, square, side) as usize);
        }
    }
    for owner in Color::ALL {
        for kind in PieceType::HAND {
            let counts = 1..=position.hand(owner).count(kind);
            numbers.extend(counts.map(|count| number_in_hand(kind, count, owner, side) as usize));
        }
    }
    numbers
}

#[test]
fn the_gradient_is_that_of_finite_differences() {
    const STEP: f32 = 1e-3;
    let positions = positions(10, 1);
    let samples: Vec<Sample> = positions.iter().map(|(_, sample)| *sample).collect();
    let mut tables = Tables::new().expect("memory");
    make_up(&mut tables, &samples);
    let found = collect_gradients(&mut tables, &samples);
    let targets = Targets::new(&settings(), 0.3);
    let loss = |tables: &Tables| -> f64 {
        let losses = positions.iter().map(|(position, sample)| {
            let output = output_by_definition(tables, position);
            let share = 1.0 / (1.0 + (-output).exp());
            (share - f64::from(targets.of(sample).probability)).powi(2)
        });
        losses.sum()
    };
    assert!((found - loss(&tables)).abs() < 1e-5, "{found}");
    let (slope_of_loss, slope) = loss_and_slope(0.5, targets.of(&samples[0]));
    assert!(slope_of_loss > 0.0 && slope != 0.0);
    for factor in Factor::ALL {
        let states = &tables.of(factor).states;
        let with_gradient: Vec<usize> =
            (0..states.len()).filter(|&index| states[index].gradient != [0.0; 2]).collect();
        assert!(!with_gradient.is_empty(), "{factor:?}");
        for index in with_gradient.iter().step_by(with_gradient.len().div_ceil(4)) {
            for part in 0..2 {
                let found = tables.of(factor).states[*index].gradient[part];
                let mut at = |by: f32| {
                    let weights = &mut tables.0[factor as usize].weights;
                    let before = weights[*index][part];
                    weights[*index][part] += by;
                    let exact = f64::from(weights[*index][part]);
                    let loss = loss(&tables);
                    tables.0[factor as usize].weights[*index][part] = before;
                    (exact, loss)
                };
                let (above, below) = (at(STEP), at(-STEP));
                let expected = (above.1 - below.1) / (above.0 - below.0);
                let error = (f64::from(found) - expected).abs();
                assert!(
                    error < 1e-3 * expected.abs() + 1e-5,
                    "{factor:?} {index} {part}: {found}, not {expected}"
                );
            }
        }
    }
}

#[test]
fn folded_factors_are_their_direct_sum() {
    let positions = positions(40, 2);
    let samples: Vec<Sample> = positions.iter().map(|(_, sample)| *sample).collect();
    let data = Data { training: samples.clone(), ..Data::default() };
    let mut learner = Learner::new(settings(), &data).expect("good settings");
    make_up(&mut learner.model.tables, &samples);
    let samples: Vec<&Sample> = samples.iter().collect();
    let outputs = learner.model.outputs(&samples, SCALE).to_vec();
    let mut different = 0;
    for ((position, _), output) in positions.iter().zip(outputs) {
        // Whole numbers, so that nothing is rounded but the quotient.
        let value = f64::from(output) * f64::from(SCALE);
        let folded = scalar::evaluate(&learner.folded(), position).expect("two kings");
        assert_eq!(folded, value.trunc() as i32, "{}", position.to_sfen());
        let material = position.material();
        different += usize::from(folded.abs() != material.abs());
    }
    assert!(different > 30, "{different}");
}
