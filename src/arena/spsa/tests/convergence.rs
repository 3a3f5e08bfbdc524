//! Tests that SPSA converges to the optimum.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

/// Elo difference of `values` to the best ones: 100 for every parameter that is off by a third of
/// its range.
fn loss(values: &[f64], best: &[f64], parameters: &[Parameter]) -> f64 {
    (0..values.len())
        .map(|index| {
            let range = parameters[index].most - parameters[index].least;
            100.0 * (3.0 * (values[index] - best[index]) / range).powi(2)
        })
        .sum()
}

/// Simulated pairs of games with a third of draws and results by Elo; the noise depends on the
/// iteration.
fn pair(iteration: u64, elo: f64) -> f64 {
    let mut luck = ChaCha8Rng::seed_from_u64(99);
    luck.set_stream(iteration);
    let score = 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
    let draws = 2.0 / 3.0 * score.min(1.0 - score);
    (0..2)
        .map(|_| {
            let toss: f64 = luck.random();
            if toss < score - draws / 2.0 {
                1.0
            } else if toss < score + draws / 2.0 {
                0.0
            } else {
                -1.0
            }
        })
        .sum()
}

/// Parameters of very different sizes and their best values, some central, some near a limit.
fn parameters(dimensions: usize) -> (Vec<Parameter>, Vec<f64>) {
    let all = [
        ("A, int, 20, 0, 100, 10, 0.01", 60.0),
        ("B, float, 0.9, 0, 1, 0.1, 0.01", 0.5),
        ("C, int, -800, -1000, 1000, 200, 0.01", 100.0),
        ("D, float, 3, 1, 5, 0.4, 0.01", 4.6),
        ("E, int, 9, 0, 10, 1, 0.01", 5.0),
        ("F, int, 150, 100, 400, 30, 0.01", 270.0),
        ("G, float, 0, -1, 1, 0.2, 0.01", -0.6),
        ("H, int, 30, 0, 60, 6, 0.01", 30.0),
    ];
    all[..dimensions]
        .iter()
        .map(|&(line, best)| (line.parse::<Parameter>().unwrap(), best))
        .unzip()
}

fn losses(dimensions: usize, concurrency: usize) -> (f64, f64) {
    let (parameters, best) = parameters(dimensions);
    let mut run = State::new(Settings::new(8_000, 17), parameters.clone()).unwrap();
    let before = loss(run.theta(), &best, &parameters);
    let game = Game(|iteration, plus: &[f64], minus: &[f64]| {
        pair(
            iteration,
            loss(minus, &best, &parameters) - loss(plus, &best, &parameters),
        )
    });
    let options = RunOptions {
        concurrency,
        ..alone()
    };
    super::run(&mut run, &game, &options, &mut |_| ()).unwrap();
    (before, loss(run.theta(), &best, &parameters))
}

#[test]
fn games_lead_to_the_best_values() {
    for dimensions in [1, 2, 4, 8] {
        let (before, after) = losses(dimensions, 1);
        assert!(before > 100.0);
        assert!(
            after < 2.5 * dimensions as f64,
            "{dimensions} parameters: {before} Elo lost before, {after} after"
        );
    }
}

#[test]
fn many_games_at_a_time_lead_there_too() {
    let (before, after) = losses(4, 8);
    assert!(before > 100.0 && after < 10.0, "{before} to {after}");
}

#[test]
fn without_luck_the_top_is_reached() {
    let lines = "A, float, 0, -10, 10, 0.5, 0.2\nB, float, 9, -10, 10, 0.5, 0.2";
    let mut run = state(3000, lines);
    let height = |at: &[f64]| -(at[0] - 3.0).powi(2) - (at[1] + 4.0).powi(2) - at[0] * at[1];
    finish(
        &mut run,
        &Game(|_, plus: &[f64], minus: &[f64]| (height(plus) - height(minus)).clamp(-2.0, 2.0)),
    );
    // Both partial derivatives are zero where 2a + b = 6 and a + 2b = -8.
    let [a, b] = [20.0 / 3.0, -22.0 / 3.0];
    let found = run.theta();
    assert!(
        (found[0] - a).abs() < 0.05 && (found[1] - b).abs() < 0.05,
        "{found:?}"
    );
}
