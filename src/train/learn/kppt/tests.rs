//! The gradient against finite differences, factors against their sum, ties, and whole runs.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::factors::{Factor, Factors, KingConstants};
use super::fold::Folded;
use super::index::{KingPair, NUMBERS, TABLE};
use super::learner::{Learner, Options};
use super::pass::{Pass, Step};
use super::tables::Tables;
use super::view::Batch;
use crate::eval::kppt::scalar::{self, Weights};
use crate::eval::kppt::{number_in_hand, number_on_board};
use crate::position::Position;
use crate::train::learn::Run as _;
use crate::train::learn::filter::{Filter, Tactical};
use crate::train::learn::load::Data;
use crate::train::learn::loss::loss_and_slope;
use crate::train::learn::sample::{Label, Sample};
use crate::train::learn::schedule::Schedule;
use crate::train::learn::settings::Settings;
use crate::train::learn::tests::for_each_random_position;
use crate::types::{Color, Piece, PieceType, Square};
use crate::util::mixed;

/// A scale with which weights that are whole numbers are exact as floats.
const SCALE: u16 = 1024;

const ALL: Options = Options {
    factors: Factors::ALL,
    kings: KingConstants::Learnt,
};

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
            let label = Label::Game {
                result: number(index, 1) as i8,
            };
            let sample = Sample::new(position, score, label).expect("two kings");
            found.push((position.clone(), sample));
        }
    });
    found
}

fn settings() -> Settings {
    Settings {
        batch: 64,
        steps: 40,
        interval: 20,
        scale: SCALE,
        rate: Schedule::cosine(2e-3, 1e-4),
        result_weight: Schedule::linear(0.0, 0.0),
        ..Settings::default()
    }
}

/// The gradients of all weights that any of the samples has, in the tables.
fn collect_gradients(tables: &mut Tables, samples: &[Sample], kings: KingConstants) -> f64 {
    let samples: Vec<&Sample> = samples.iter().collect();
    let targets = settings().targets(0.3);
    let mut batch = Batch::new();
    batch.fill(&samples, |sample| targets.of(sample));
    let step = Step {
        power: 2.0,
        rate: None,
        scale: SCALE.into(),
        kings,
    };
    Pass::default().step(tables, &batch, step)
}

/// Sets all weights that any of the samples has to whole numbers of units of the files.
fn make_up(tables: &mut Tables, samples: &[Sample]) {
    collect_gradients(tables, samples, KingConstants::Learnt);
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

/// The output for a position by the definition, in 64-bit floats.
fn output_by_definition(tables: &Tables, position: &Position) -> f64 {
    let folded = Folded::new(tables, SCALE, false);
    let us = position.side_to_move();
    let [own, other] = [us, !us].map(|side| {
        let numbers = numbers_of(position, side);
        let king = position.king(side).expect("a king");
        let king = if side == Color::Black {
            king
        } else {
            king.rotated()
        };
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
    let mut tables = Tables::new(ALL.factors, ALL.kings, SCALE).expect("memory");
    make_up(&mut tables, &samples);
    let found = collect_gradients(&mut tables, &samples, ALL.kings);
    let targets = settings().targets(0.3);
    let loss = |tables: &Tables| -> f64 {
        let losses = positions.iter().map(|(position, sample)| {
            let output = output_by_definition(tables, position);
            let share = 1.0 / (1.0 + (-output).exp());
            (share - f64::from(targets.of(sample).probability)).powi(2)
        });
        losses.sum()
    };
    assert!((found - loss(&tables)).abs() < 1e-5, "{found}");
    let (slope_of_loss, slope) = loss_and_slope(0.5, targets.of(&samples[0]), 2.0);
    assert!(slope_of_loss > 0.0 && slope != 0.0);
    for factor in Factor::ALL {
        let states = &tables.of(factor).states;
        let with_gradient: Vec<usize> = (0..states.len())
            .filter(|&index| states[index].gradient != [0.0; 2])
            .collect();
        assert!(!with_gradient.is_empty(), "{factor:?}");
        for index in with_gradient
            .iter()
            .step_by(with_gradient.len().div_ceil(4))
        {
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
    let data = Data {
        training: samples.clone(),
        ..Data::default()
    };
    let mut learner = Learner::new(settings(), ALL, &data).expect("good settings");
    make_up(learner.tables(), &samples);
    let outputs = learner.outputs(&samples.iter().collect::<Vec<_>>());
    let mut different = 0;
    for ((position, _), output) in positions.iter().zip(outputs) {
        // Whole numbers, so that nothing is rounded but the quotient.
        let value = f64::from(output) * f64::from(SCALE);
        let folded = scalar::evaluate(&learner.folded(false), position).expect("two kings");
        assert_eq!(folded, value.trunc() as i32, "{}", position.to_sfen());
        let material = position.material();
        different += usize::from(folded.abs() != material.abs());
        let spread = scalar::evaluate(&learner.folded(true), position).expect("two kings");
        assert!((spread - folded).abs() <= 1, "{spread}, not {folded}");
    }
    assert!(different > 30, "{different}");
}

/// Piece numbers with the piece, its square and the number it has in a mirror and for the other
/// side, by the definition.
fn pieces() -> Vec<(usize, usize, usize)> {
    let mut found = Vec::new();
    for piece in Piece::ALL {
        if piece.kind() == PieceType::King {
            continue;
        }
        for square in Square::ALL {
            let number = |square, side| number_on_board(piece, square, side) as usize;
            let mirror = mirror(square.index());
            found.push((
                number(square, Color::Black),
                number(Square::ALL[mirror], Color::Black),
                number(square, Color::White),
            ));
        }
    }
    for kind in PieceType::HAND {
        let seen = Color::ALL.map(|side| number_in_hand(kind, 1, Color::Black, side) as usize);
        found.push((seen[0], seen[0], seen[1]));
    }
    found
}

fn mirror(square: usize) -> usize {
    (8 - square / 9) * 9 + square % 9
}

fn negative([board, turn]: [i32; 2]) -> [i32; 2] {
    [-board, turn]
}

#[test]
fn ties_hold_exactly() {
    let positions = positions(60, 3);
    let samples: Vec<Sample> = positions.iter().map(|(_, sample)| *sample).collect();
    let data = Data {
        training: samples,
        ..Data::default()
    };
    let mut learner = Learner::new(settings(), ALL, &data).expect("good settings");
    // Odd fractions, which do not add up exactly.
    for _ in 0..7 {
        learner.step();
    }
    let pieces = pieces();
    for (number, mirrored, inverse) in &pieces {
        assert_eq!(usize::from(TABLE.mirrored[*number]), *mirrored);
        assert_eq!(usize::from(TABLE.inverse[*number]), *inverse);
    }
    for is_spread in [false, true] {
        let folded = learner.folded(is_spread);
        let (mut of_pairs, mut of_pieces) = (0, 0);
        for index in 0..60_000 {
            let pick = |salt: u64, count: usize| mixed(index * 5 + salt) as usize % count;
            let (black, white) = (pick(0, 81), pick(1, 81));
            let one = pieces[pick(2, pieces.len())];
            let other = pieces[pick(3, pieces.len())];
            if one.0 == other.0 {
                continue;
            }
            let pair = folded.kpp(black, one.0, other.0);
            assert_eq!(pair, folded.kpp(black, other.0, one.0));
            assert_eq!(pair, folded.kpp(mirror(black), one.1, other.1));
            of_pairs += usize::from(pair != [0; 2]);
            let piece = folded.kkp(black, white, one.0);
            assert_eq!(piece, folded.kkp(mirror(black), mirror(white), one.1));
            let inverse = folded.kkp(80 - white, 80 - black, one.2);
            assert_eq!(piece, negative(inverse));
            of_pieces += usize::from(piece != [0; 2]);
            let kings = folded.kk(black, white);
            assert_eq!(kings, folded.kk(mirror(black), mirror(white)));
            assert_eq!(kings, negative(folded.kk(80 - white, 80 - black)));
            assert_eq!(folded.kk(black, 80 - black)[0], 0);
        }
        assert!(
            of_pairs > 5000 && of_pieces > 1000,
            "{of_pairs}, {of_pieces}"
        );
    }
}

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
            let piece = if king / 9 == 4 {
                piece.min(TABLE.mirrored[piece].into())
            } else {
                piece
            };
            number((king * NUMBERS + piece) as u64, 900)
        };
        let inverse = TABLE.inverse[piece].into();
        [
            of_king(black_king, piece) - of_king(80 - white_king, inverse),
            0,
        ]
    }

    fn kpp(&self, king: usize, one: usize, other: usize) -> scalar::Weight {
        let pair = (one.max(other) * NUMBERS + one.min(other)) * 81 + king;
        [
            number(pair as u64, self.pairs),
            number(pair as u64 + 1, self.pairs / 4),
        ]
    }
}

/// Positions of random games with the values of made-up weights; the last tenth is held out.
fn data_of(weights: &MadeUp, count: usize) -> Data {
    let filter = Filter {
        tactical: Tactical::Keep,
        ..Filter::default()
    };
    let mut data = Data::default();
    let mut done = 0;
    for_each_random_position(count, 5, |position| {
        let score = scalar::evaluate(weights, position).expect("two kings");
        let is_held_out = done >= count / 10 * 9;
        data.add(&filter, is_held_out, position, None, (score, 0));
        done += 1;
    });
    data
}

fn options(factors: &str) -> Options {
    Options {
        factors: factors.parse().expect("good factors"),
        kings: KingConstants::Zero,
    }
}

static NEVER: AtomicBool = AtomicBool::new(false);

fn run_to_end(learner: &mut Learner<'_>) {
    while !learner.is_finished() {
        learner.advance(&NEVER, &mut |_| ());
    }
}

#[test]
fn made_up_weights_of_pieces_are_learnt_for_held_out_games() {
    let data = data_of(&MadeUp { pairs: 0 }, 6000);
    let settings = Settings {
        batch: 256,
        steps: 600,
        interval: 200,
        rate: Schedule::cosine(2e-2, 1e-4),
        ..settings()
    };
    let mut learner = Learner::new(settings, options("kp"), &data).expect("good settings");
    let before = {
        learner.measure();
        learner.points()[0].held_out.expect("held out")
    };
    run_to_end(&mut learner);
    let after = learner.points().last().and_then(|point| point.held_out);
    assert!(before > 0.01, "{before}");
    assert!(
        after.expect("held out") < 2e-4,
        "{after:?}, {before} before"
    );
}

#[test]
fn made_up_weights_of_pairs_are_learnt() {
    let data = data_of(&MadeUp { pairs: 400 }, 500);
    let settings = Settings {
        steps: 250,
        interval: 50,
        rate: Schedule::cosine(2e-3, 1e-5),
        ..settings()
    };
    let mut learner = Learner::new(settings, ALL, &data).expect("good settings");
    run_to_end(&mut learner);
    let losses: Vec<f64> = learner
        .points()
        .iter()
        .map(|point| point.training)
        .collect();
    assert!(losses[0] > 0.002 && losses[4] < 1e-5, "{losses:?}");
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("raicho-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

/// The bytes of a checkpoint, which has all that a run knows.
fn bytes_of(learner: &Learner<'_>) -> Vec<u8> {
    let folder = folder(&format!("kppt-bytes-{:?}", std::thread::current().id()));
    let path = folder.join("checkpoint.bin");
    learner.save(&path).expect("the folder can be written");
    let bytes = std::fs::read(&path).expect("just written");
    std::fs::remove_dir_all(&folder).expect("our own folder");
    bytes
}

#[test]
fn a_run_is_the_same_on_any_number_of_threads() {
    let data = data_of(&MadeUp { pairs: 400 }, 700);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let run = || {
            let options = options("relative-kpp,pp,rank-pp,relative-pp,kp,relative-kp,kk");
            let mut learner = Learner::new(settings(), options, &data).expect("good settings");
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
    let folder = folder("kppt-resume");
    let path = folder.join("checkpoint.bin");
    let data = data_of(&MadeUp { pairs: 100 }, 700);
    let new = || {
        let options = Options {
            kings: KingConstants::Apery,
            ..options("pp,kp,kk")
        };
        Learner::new(settings(), options, &data).expect("good settings")
    };
    let mut whole = new();
    run_to_end(&mut whole);

    let mut first = new();
    let stop = AtomicBool::new(false);
    first.advance(&NEVER, &mut |_| ());
    first.advance(&stop, &mut |step| stop.store(step == 27, Ordering::Relaxed));
    assert_eq!(first.steps(), 27);
    first.save(&path).expect("the folder can be written");
    assert!(Learner::is_checkpoint(&path).expect("it can be read"));
    let mut second = Learner::resume(&path, &data).expect("the checkpoint is good");
    assert_eq!(
        (second.settings(), second.options()),
        (first.settings(), first.options())
    );
    run_to_end(&mut second);
    assert_eq!(second.points(), whole.points());
    assert!(bytes_of(&second) == bytes_of(&whole));

    let other = data_of(&MadeUp { pairs: 100 }, 699);
    assert!(Learner::resume(&path, &other).is_err());
    let good = std::fs::read(&path).expect("just written");
    for (at, what) in [
        (0, "magic"),
        (9, "version"),
        (30, "header"),
        (good.len() / 2, "weights"),
    ] {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        std::fs::write(&path, bad).expect("the folder can be written");
        assert!(Learner::resume(&path, &data).is_err(), "{what}");
    }
    for length in [0, 7, 11, 100, good.len() / 2, good.len() - 1] {
        std::fs::write(&path, &good[..length]).expect("the folder can be written");
        assert!(Learner::resume(&path, &data).is_err(), "{length}");
    }
    std::fs::remove_dir_all(&folder).expect("our own folder");
}

#[test]
fn kings_set_by_hand_stay() {
    let data = data_of(&MadeUp { pairs: 100 }, 300);
    let options = Options {
        kings: KingConstants::Apery,
        ..options("kp,kk")
    };
    let mut learner = Learner::new(settings(), options, &data).expect("good settings");
    let corner = |learner: &mut Learner<'_>| learner.tables().of(Factor::King).weights[0][0];
    let before = corner(&mut learner);
    assert!(
        (before * f32::from(SCALE) - 2000.0).abs() < 0.01,
        "{before}"
    );
    for _ in 0..5 {
        learner.step();
    }
    assert!(before.to_bits() == corner(&mut learner).to_bits());
    // Black's king in white's corner, white's at home on the same file.
    let new = Learner::new(settings(), options, &data).expect("good settings");
    assert_eq!(new.folded(false).kk(0, 72), [32 * 2000, 0]);
    assert_eq!(new.folded(false).kk(0, 80), [0, 0]);
}
