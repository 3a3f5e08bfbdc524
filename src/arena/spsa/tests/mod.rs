//! Tests of SPSA on objectives with known optima, and of interruptions.

#![expect(clippy::cast_precision_loss, reason = "small numbers")]

mod convergence;
mod files;

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{fmt, fs, process, thread};

use super::*;
use crate::runs::Stop;

/// An objective that calls a function of the iteration and both sets of values.
struct Game<F>(F);

impl<F: Fn(u64, &[f64], &[f64]) -> f64 + Sync> Objective for Game<F> {
    type Error = Infallible;

    fn play(
        &self,
        iteration: u64,
        plus: &[Value],
        minus: &[Value],
    ) -> Result<Option<f64>, Infallible> {
        let numbers =
            |values: &[Value]| -> Vec<f64> { values.iter().map(|&value| value.to_f64()).collect() };
        Ok(Some((self.0)(iteration, &numbers(plus), &numbers(minus))))
    }
}

/// A folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("raicho-spsa-{name}-{}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

static NEVER: Stop = Stop::new();

fn alone() -> RunOptions<'static> {
    RunOptions {
        concurrency: 1,
        path: None,
        stop: &NEVER,
    }
}

fn state(iterations: u64, lines: &str) -> State {
    State::new(Settings::new(iterations, 5), parse_list(lines).unwrap()).unwrap()
}

/// Runs to the end with one iteration at a time.
fn finish<O: Objective>(state: &mut State, objective: &O) {
    let outcome = run(state, objective, &alone(), &mut |_| ()).unwrap();
    assert_eq!(outcome, Outcome::Done);
}

const TWO: &str =
    "# a comment\nDepth, int, 40, 0, 100, 4, 0.02\n\nScale, float, 1.5, 0.5, 3, 0.2, 0.02\n";

/// A function whose maximum is inside the ranges of `TWO`, with arbitrary but fixed noise.
fn rugged(iteration: u64, plus: &[f64], minus: &[f64]) -> f64 {
    let height = |at: &[f64]| -((at[0] - 62.0) / 20.0).powi(2) - (at[1] - 2.2).powi(2);
    let noise = f64::from(iteration as u32 * 7919 % 101) / 50.0 - 1.0;
    (4.0 * (height(plus) - height(minus)) + noise).clamp(-2.0, 2.0)
}

#[test]
fn last_step_is_rate_times_step() {
    let mut run = state(1, "A, float, 10, 0, 100, 4, 0.02");
    finish(
        &mut run,
        &Game(|_, plus: &[f64], minus: &[f64]| {
            assert!((plus[0] + minus[0] - 20.0).abs() < 1e-12);
            assert!(((plus[0] - minus[0]).abs() - 8.0).abs() < 1e-12);
            (plus[0] - minus[0]).signum() * 1.5
        }),
    );
    // Upwards, by 4 * 0.02 for each of the 1.5 points.
    assert!((run.theta()[0] - 10.12).abs() < 1e-12);
}

#[test]
fn first_of_two_steps_is_larger() {
    let mut run = state(2, "A, float, 10, 0, 100, 4, 0.02");
    let seen = Mutex::new(Vec::new());
    finish(
        &mut run,
        &Game(|iteration, plus: &[f64], minus: &[f64]| {
            seen.lock().unwrap().push((plus[0] - minus[0]).abs() / 2.0);
            if iteration == 1 {
                (plus[0] - minus[0]).signum()
            } else {
                0.0
            }
        }),
    );
    // Computed by hand: c₁ = 4·2^0.101 = 4.290075, a₁ = 0.02·4²·(2.2/1.2)^0.602 = 0.460925.
    let seen = seen.into_inner().unwrap();
    assert!((seen[0] - 4.290_08).abs() < 1e-4, "{seen:?}");
    assert!((seen[1] - 4.0).abs() < 1e-12);
    assert!((run.theta()[0] - 10.0 - 0.460_93 / 4.290_08).abs() < 1e-4);
}

#[test]
fn values_stay_in_their_range() {
    let mut run = state(300, "A, int, 1, 0, 9, 5, 2\nB, float, 0, 0, 1, 1, 2");
    let both = Game(|iteration: u64, plus: &[f64], minus: &[f64]| {
        for side in [plus, minus] {
            assert!((0.0..=9.0).contains(&side[0]) && side[0].fract() == 0.0);
            assert!((0.0..=1.0).contains(&side[1]));
        }
        if iteration % 60 < 30 { 2.0 } else { -2.0 }
    });
    finish(&mut run, &both);
    assert!(run.history().iter().all(|point| {
        (0.0..=9.0).contains(&point.theta[0]) && (0.0..=1.0).contains(&point.theta[1])
    }));
}

#[test]
fn whole_numbers_are_right_on_average() {
    let mut run = state(4000, "A, int, 10.3, 0, 20, 0.4, 0.1");
    let sums = Mutex::new([0.0; 2]);
    finish(
        &mut run,
        &Game(|iteration, plus: &[f64], minus: &[f64]| {
            let distance = 0.8 * (4000.0 / iteration as f64).powf(0.101);
            let mut sums = sums.lock().unwrap();
            sums[0] += f64::midpoint(plus[0], minus[0]) - 10.3;
            sums[1] += (plus[0] - minus[0]).abs() - distance;
            0.0
        }),
    );
    for sum in sums.into_inner().unwrap() {
        assert!((sum / 4000.0).abs() < 0.03, "{sum}");
    }
    assert!((run.theta()[0] - 10.3).abs() < 1e-12);
    assert_eq!(run.values(), [Value::Integer(10)]);
}

#[test]
fn seed_decides_the_path() {
    let runs = [1, 1, 2].map(|seed| {
        let settings = Settings::new(50, seed);
        let mut run = State::new(settings, parse_list(TWO).unwrap()).unwrap();
        finish(&mut run, &Game(rugged));
        run.theta().to_vec()
    });
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
}

#[test]
fn several_are_played_at_a_time() {
    let [playing, most] = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let played = Mutex::new(Vec::new());
    let mut run = state(60, TWO);
    let game = Game(|iteration: u64, _: &[f64], _: &[f64]| {
        most.fetch_max(playing.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(3));
        playing.fetch_sub(1, Ordering::SeqCst);
        played.lock().unwrap().push(iteration);
        1.0
    });
    let options = RunOptions {
        concurrency: 3,
        ..alone()
    };
    let mut progress = Vec::new();
    let outcome = super::run(&mut run, &game, &options, &mut |state| {
        progress.push(state.finished());
    });
    assert_eq!(outcome.unwrap(), Outcome::Done);
    assert_eq!(most.into_inner(), 3);
    assert_eq!(progress, (1..=60).collect::<Vec<_>>());
    let mut played = played.into_inner().unwrap();
    played.sort_unstable();
    assert_eq!(played, (1..=60).collect::<Vec<_>>());
}

#[derive(Debug)]
struct Crash;

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the engine died")
    }
}

impl std::error::Error for Crash {}

/// An objective that fails in one iteration.
struct Fragile(u64);

impl Objective for Fragile {
    type Error = Crash;

    fn play(&self, iteration: u64, plus: &[Value], minus: &[Value]) -> Result<Option<f64>, Crash> {
        if iteration == self.0 {
            return Err(Crash);
        }
        let Ok(difference) = Game(rugged).play(iteration, plus, minus);
        Ok(difference)
    }
}

#[test]
fn failed_iteration_is_played_again() {
    let mut whole = state(30, TWO);
    finish(&mut whole, &Game(rugged));

    let mut broken = state(30, TWO);
    let error = run(&mut broken, &Fragile(11), &alone(), &mut |_| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "iteration 11 could not be played: the engine died"
    );
    assert_eq!(broken.finished(), 10);
    finish(&mut broken, &Fragile(0));
    assert_eq!(broken, whole);

    let nonsense = Game(|_, _: &[f64], _: &[f64]| f64::NAN);
    let error = run(&mut state(30, TWO), &nonsense, &alone(), &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("iteration 1 resulted in NaN"));
}

/// An objective that aborts in one iteration.
struct Impatient(u64);

impl Objective for Impatient {
    type Error = Infallible;

    fn play(
        &self,
        iteration: u64,
        plus: &[Value],
        minus: &[Value],
    ) -> Result<Option<f64>, Infallible> {
        let difference = Game(rugged).play(iteration, plus, minus)?;
        Ok(difference.filter(|_| iteration != self.0))
    }
}

#[test]
fn broken_off_iteration_does_not_count() {
    let mut whole = state(30, TWO);
    finish(&mut whole, &Game(rugged));
    let mut broken = state(30, TWO);
    let outcome = run(&mut broken, &Impatient(11), &alone(), &mut |_| ());
    assert_eq!(outcome.unwrap(), Outcome::Stopped);
    assert_eq!(broken.finished(), 10);
    finish(&mut broken, &Game(rugged));
    assert_eq!(broken, whole);
}

#[test]
#[should_panic(expected = "in the middle of a game")]
fn panic_of_the_objective_ends_the_run() {
    let game = Game(|iteration: u64, _: &[f64], _: &[f64]| {
        assert!(iteration < 5, "in the middle of a game");
        0.0
    });
    // A stop of its own, as a panic raises it.
    let stop = Stop::new();
    let options = RunOptions {
        concurrency: 2,
        stop: &stop,
        ..alone()
    };
    let _ = run(&mut state(30, TWO), &game, &options, &mut |_| ());
}

#[test]
fn parameters_are_read_and_written() {
    let list = parse_list(TWO).unwrap();
    assert_eq!(list.len(), 2);
    assert_eq!(list[0].to_string(), "Depth, int, 40, 0, 100, 4, 0.02");
    assert_eq!(list[1].to_string().parse(), Ok(list[1].clone()));
    assert_eq!(Value::Real(1.25).to_string(), "1.25");
    assert_eq!(Value::Integer(-3).to_string(), "-3");
}

#[test]
fn faults_of_parameters_are_named() {
    let cases = [
        (
            "A, int, 1, 2",
            "line 1: 4 fields in 'A, int, 1, 2', expected 7",
        ),
        (", int, 1, 0, 9, 1, 1", "no name"),
        ("A, whole, 1, 0, 9, 1, 1", "kind 'whole'"),
        (
            "\nA, int, x, 0, 9, 1, 1",
            "line 2: start 'x' of A, expected a number",
        ),
        ("A, int, 1, 9, 0, 1, 1", "range 9 to 0 of A"),
        ("A, int, 1, 0, inf, 1, 1", "range 0 to inf of A"),
        ("A, int, 1, 0.5, 9, 1, 1", "whole numbers for an int"),
        (
            "A, int, NaN, 0, 9, 1, 1",
            "start NaN of A, expected a value from 0 to 9",
        ),
        (
            "A, int, 1, 0, 9, 10, 1",
            "step 10 of A, expected more than 0 and at most 9",
        ),
        ("A, int, 1, 0, 9, 1, 0", "rate 0 of A, expected more than 0"),
        (
            "A, int, 1, 0, 9, 1, 1\na, int, 1, 0, 9, 1, 1",
            "line 2: a is there already",
        ),
        ("# nothing", "no parameters"),
    ];
    for (text, part) in cases {
        let message = parse_list(text).unwrap_err().to_string();
        assert!(message.contains(part), "{text}: {message}");
    }
}
