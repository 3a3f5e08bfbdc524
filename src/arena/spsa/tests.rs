//! Tests of SPSA on objectives with known optima, of interruptions, and of state files: nothing
//! is lost, nothing invalid is accepted.

#![expect(clippy::cast_precision_loss, reason = "small numbers")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};
use std::{sync::Mutex, time::Duration};

use anyhow::bail;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::{runs::Stop, util::TestFolder};

/// An objective that calls a function of the iteration and both sets of values.
struct Game<F>(F);

impl<F: Fn(u64, &[f64], &[f64]) -> f64 + Sync> Objective for Game<F> {
    fn play(&self, iteration: u64, plus: &[Value], minus: &[Value]) -> Result<Option<f64>> {
        let number = |value: &Value| match *value {
            Value::Integer(value) => value as f64,
            Value::Real(value) => value,
        };
        let numbers = |values: &[Value]| -> Vec<f64> { values.iter().map(number).collect() };
        Ok(Some((self.0)(iteration, &numbers(plus), &numbers(minus))))
    }
}

/// A folder that is removed at the end of the test.
static NEVER: Stop = Stop::new();

fn alone() -> RunOptions<'static> {
    RunOptions { concurrency: 1, path: None, stop: &NEVER }
}

fn state(iterations: u64, lines: &str) -> State {
    State::new(Settings::new(iterations, 5), parse_list(lines).unwrap()).unwrap()
}

/// Runs to the end with one iteration at a time.
fn finish<O: Objective>(state: &mut State, objective: &O) {
    run(state, objective, &alone(), &mut |_| ()).unwrap();
    assert!(state.is_done());
}

/// The same with a function as the objective.
fn play(state: &mut State, game: impl Fn(u64, &[f64], &[f64]) -> f64 + Sync) {
    finish(state, &Game(game));
}

const TWO: &str =
    "# a comment\nDepth, int, 40, 0, 100, 4, 0.02\n\nScale, float, 1.5, 0.5, 3, 0.2, 0.02\n";

/// A function whose maximum is inside the ranges of `TWO`, with arbitrary but fixed noise.
fn rugged(iteration: u64, plus: &[f64], minus: &[f64]) -> f64 {
    let height = |at: &[f64]| -((at[0] - 62.0) / 20.0).powi(2) - (at[1] - 2.2).powi(2);
    let noise = f64::from(iteration as u32 * 7919 % 101) / 50.0 - 1.0;
    (4.0 * (height(plus) - height(minus)) + noise).clamp(-2.0, 2.0)
}

/// A run to the end with this objective.
fn rugged_run(iterations: u64) -> State {
    let mut run = state(iterations, TWO);
    play(&mut run, rugged);
    run
}

#[test]
fn last_step_is_rate_times_step() {
    let mut run = state(1, "A, float, 10, 0, 100, 4, 0.02");
    play(&mut run, |_, plus, minus| {
        assert!((plus[0] + minus[0] - 20.0).abs() < 1e-12);
        assert!(((plus[0] - minus[0]).abs() - 8.0).abs() < 1e-12);
        (plus[0] - minus[0]).signum() * 1.5
    });
    // Upwards, by 4 * 0.02 for each of the 1.5 points.
    assert!((run.theta()[0] - 10.12).abs() < 1e-12);
}

#[test]
fn first_of_two_steps_is_larger() {
    let mut run = state(2, "A, float, 10, 0, 100, 4, 0.02");
    let seen = Mutex::new(Vec::new());
    play(&mut run, |iteration, plus, minus| {
        let difference = plus[0] - minus[0];
        seen.lock().unwrap().push(difference.abs() / 2.0);
        let is_first = iteration == 1;
        if is_first { difference.signum() } else { 0.0 }
    });
    // Computed by hand: c₁ = 4·2^0.101 = 4.290075, a₁ = 0.02·4²·(2.2/1.2)^0.602 = 0.460925.
    let seen = seen.into_inner().unwrap();
    assert!((seen[0] - 4.290_08).abs() < 1e-4, "{seen:?}");
    assert!((seen[1] - 4.0).abs() < 1e-12);
    assert!((run.theta()[0] - 10.0 - 0.460_93 / 4.290_08).abs() < 1e-4);
}

#[test]
fn values_stay_in_their_range() {
    let mut run = state(300, "A, int, 1, 0, 9, 5, 2\nB, float, 0, 0, 1, 1, 2");
    play(&mut run, |iteration, plus, minus| {
        for side in [plus, minus] {
            assert!((0.0..=9.0).contains(&side[0]) && side[0].fract() == 0.0);
            assert!((0.0..=1.0).contains(&side[1]));
        }
        if iteration % 60 < 30 { 2.0 } else { -2.0 }
    });
    assert!(run.history().iter().all(|point| {
        (0.0..=9.0).contains(&point.theta[0]) && (0.0..=1.0).contains(&point.theta[1])
    }));
}

#[test]
fn whole_numbers_are_right_on_average() {
    let mut run = state(4000, "A, int, 10.3, 0, 20, 0.4, 0.1");
    let sums = Mutex::new([0.0; 2]);
    play(&mut run, |iteration, plus, minus| {
        let distance = 0.8 * (4000.0 / iteration as f64).powf(0.101);
        let mut sums = sums.lock().unwrap();
        sums[0] += f64::midpoint(plus[0], minus[0]) - 10.3;
        sums[1] += (plus[0] - minus[0]).abs() - distance;
        0.0
    });
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
        play(&mut run, rugged);
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
    let options = RunOptions { concurrency: 3, ..alone() };
    let mut progress = Vec::new();
    super::run(&mut run, &game, &options, &mut |state| {
        progress.push(state.finished());
    })
    .unwrap();
    assert!(run.is_done());
    assert_eq!(most.into_inner(), 3);
    assert_eq!(progress, (1..=60).collect::<Vec<_>>());
    let mut played = played.into_inner().unwrap();
    played.sort_unstable();
    assert_eq!(played, (1..=60).collect::<Vec<_>>());
}

/// An objective that fails in one iteration.
struct Fragile(u64);

impl Objective for Fragile {
    fn play(&self, iteration: u64, plus: &[Value], minus: &[Value]) -> Result<Option<f64>> {
        if iteration == self.0 {
            bail!("the engine died");
        }
        Game(rugged).play(iteration, plus, minus)
    }
}

#[test]
fn failed_iteration_is_played_again() {
    let whole = rugged_run(30);
    let mut broken = state(30, TWO);
    let error = run(&mut broken, &Fragile(11), &alone(), &mut |_| ()).unwrap_err();
    let message = "iteration 11 could not be played: the engine died";
    assert_eq!(error.to_string(), message);
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
    fn play(&self, iteration: u64, plus: &[Value], minus: &[Value]) -> Result<Option<f64>> {
        let difference = Game(rugged).play(iteration, plus, minus)?;
        Ok(difference.filter(|_| iteration != self.0))
    }
}

#[test]
fn broken_off_iteration_does_not_count() {
    let whole = rugged_run(30);
    let mut broken = state(30, TWO);
    run(&mut broken, &Impatient(11), &alone(), &mut |_| ()).unwrap();
    assert_eq!(broken.finished(), 10);
    play(&mut broken, rugged);
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
    let options = RunOptions { concurrency: 2, stop: &stop, ..alone() };
    let _ = run(&mut state(30, TWO), &game, &options, &mut |_| ());
}

#[test]
fn parameters_are_read_and_written() {
    let list = parse_list(TWO).unwrap();
    assert_eq!(list.len(), 2);
    assert_eq!(list[0].to_string(), "Depth, int, 40, 0, 100, 4, 0.02");
    assert_eq!(list[1].to_string().parse().ok(), Some(list[1].clone()));
    assert_eq!(Value::Real(1.25).to_string(), "1.25");
    assert_eq!(Value::Integer(-3).to_string(), "-3");
}

#[test]
fn faults_of_parameters_are_named() {
    let cases = cases! {
        "A, int, 1, 2" => "line 1: 4 fields in 'A, int, 1, 2', expected 7";
        ", int, 1, 0, 9, 1, 1" => "no name";
        "A, whole, 1, 0, 9, 1, 1" => "kind 'whole'";
        "\nA, int, x, 0, 9, 1, 1" => "line 2: start 'x' of A, expected a number";
        "A, int, 1, 9, 0, 1, 1" => "range 9 to 0 of A";
        "A, int, 1, 0, inf, 1, 1" => "range 0 to inf of A";
        "A, int, 1, 0.5, 9, 1, 1" => "whole numbers for an int";
        "A, int, NaN, 0, 9, 1, 1" => "start NaN of A, expected a value from 0 to 9";
        "A, int, 1, 0, 9, 10, 1" => "step 10 of A, expected more than 0 and at most 9";
        "A, int, 1, 0, 9, 1, 0" => "rate 0 of A, expected more than 0";
        "A, int, 1, 0, 9, 1, 1\na, int, 1, 0, 9, 1, 1" => "line 2: a is there already";
        "# nothing" => "no parameters";
    };
    for (text, part) in cases {
        let message = parse_list(text).unwrap_err().to_string();
        assert!(message.contains(part), "{text}: {message}");
    }
}

// --- Convergence to the optimum ---

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
    all[..dimensions].iter().map(|&(line, best)| (line.parse::<Parameter>().unwrap(), best)).unzip()
}

fn losses(dimensions: usize, concurrency: usize) -> (f64, f64) {
    let (parameters, best) = parameters(dimensions);
    let mut run = State::new(Settings::new(8_000, 17), parameters.clone()).unwrap();
    let before = loss(run.theta(), &best, &parameters);
    let game = Game(|iteration, plus: &[f64], minus: &[f64]| {
        pair(iteration, loss(minus, &best, &parameters) - loss(plus, &best, &parameters))
    });
    let options = RunOptions { concurrency, ..alone() };
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
    play(&mut run, |_, plus, minus| (height(plus) - height(minus)).clamp(-2.0, 2.0));
    // Both partial derivatives are zero where 2a + b = 6 and a + 2b = -8.
    let [a, b] = [20.0 / 3.0, -22.0 / 3.0];
    let found = run.theta();
    let is_near = (found[0] - a).abs() < 0.05 && (found[1] - b).abs() < 0.05;
    assert!(is_near, "{found:?}");
}

// --- State files ---

#[test]
fn resumed_run_takes_the_same_path() {
    let folder = TestFolder::new();
    let [path, copy] = ["state.json", "copy.json"].map(|name| folder.file(name));
    let whole = rugged_run(100);
    let stop = Stop::new();
    let options = RunOptions { path: Some(&path), stop: &stop, ..alone() };
    run(&mut state(100, TWO), &Game(rugged), &options, &mut |state| {
        if state.finished() == 37 {
            // The state that a run killed here is resumed from.
            fs::copy(&path, &copy).unwrap();
        }
        if state.finished() == 61 {
            stop.finish();
        }
    })
    .unwrap();

    for (file, finished) in [(&path, 61), (&copy, 37)] {
        let mut resumed = State::load(file).unwrap();
        assert_eq!(resumed.finished(), finished);
        play(&mut resumed, rugged);
        assert_eq!(resumed, whole);
    }
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2);
}

#[test]
fn killed_games_are_played_again() {
    let folder = TestFolder::new();
    let [path, copy] = ["state.json", "copy.json"].map(|name| folder.file(name));
    let played = Mutex::new(Vec::new());
    let game = Game(|iteration: u64, plus: &[f64], minus: &[f64]| {
        thread::sleep(Duration::from_millis(iteration * 5 % 7));
        played.lock().unwrap().push(iteration);
        rugged(iteration, plus, minus)
    });
    let options = RunOptions { concurrency: 4, path: Some(&path), stop: &NEVER };
    run(&mut state(50, TWO), &game, &options, &mut |state| {
        if state.finished() == 20 {
            fs::copy(&path, &copy).unwrap();
        }
    })
    .unwrap();

    let mut resumed = State::load(&copy).unwrap();
    assert_eq!(resumed.finished(), 20);
    let lost: Vec<u64> = resumed.unfinished().collect();
    // One is finished; of the other three threads some may not have begun another.
    assert!((1..=3).contains(&lost.len()), "{lost:?}");
    played.lock().unwrap().clear();
    run(&mut resumed, &game, &options, &mut |_| ()).unwrap();
    assert!(resumed.is_done());
    let again = played.lock().unwrap();
    assert_eq!(again.len(), 30);
    assert!(lost.iter().all(|iteration| again.contains(iteration)));
}

#[test]
fn files_keep_every_bit() {
    let folder = TestFolder::new();
    let path = folder.file("state.json");
    let run = rugged_run(200);
    run.save(&path).unwrap();
    assert_eq!(State::load(&path).unwrap(), run);
    assert_eq!(run.history().len(), 201);
    assert_eq!(run.history()[200].theta, run.theta());
}

#[test]
fn long_runs_keep_a_short_history() {
    let run = rugged_run(5000);
    assert_eq!(run.history().len(), 201);
    assert_eq!(run.history()[1].finished, 25);
}

#[test]
fn bad_files_are_refused_with_the_reason() {
    let folder = TestFolder::new();
    let path = folder.file("state.json");
    let run = rugged_run(10);
    run.save(&path).unwrap();
    let good = fs::read_to_string(&path).unwrap();
    let theta = format!("\"theta\": [\n    \"{}\",", run.theta()[0]);
    let cases = cases! {
        good[..good.len() / 2].to_owned() => "is no SPSA state file: EOF";
        "{}".to_owned() => "missing field";
        good.replace("spsa 1", "spsa 2") => "format 'raicho spsa 2', expected 'raicho spsa 1'";
        good.replace("\"begun\": 10", "\"begun\": 11") => "iteration 11, expected 0 to 10";
        good.replace("\"unfinished\": []", "\"unfinished\": [0]") =>
            "iteration 0, expected 1 to 10";
        good.replace("\"begun\"", "\"became\"") => "unknown field `became`";
        good.replacen(&theta, "\"theta\": [\n    \"-1\",", 1) =>
            "value -1 of Depth, expected 0 to 100";
        good.replacen(&theta, "\"theta\": [\n    \"x\",", 1) => "'x', expected a number";
        good.replacen(&theta, "\"theta\": [", 1) => "1 value in theta, expected 2";
        good.replace("\"gamma\": 0.101", "\"gamma\": -1") => "gamma -1, expected 0 to 1";
        good.replace("\"iterations\": 10", "\"iterations\": 0") => "iterations 0, expected";
        good.replace("\"rate\": 0.02", "\"rate\": 0") => "rate 0 of Depth";
    };
    for (text, part) in cases {
        assert_ne!(text, good, "{part}");
        fs::write(&path, text).unwrap();
        let message = State::load(&path).unwrap_err().to_string();
        assert!(message.contains(part), "{part}: {message}");
        assert!(message.contains("state.json"), "{message}");
    }
    let missing = State::load(&folder.file("none.json")).unwrap_err();
    assert!(missing.to_string().contains("cannot read the state file"));
}

#[test]
fn place_that_cannot_be_written_shows_before_the_games() {
    let folder = TestFolder::new();
    let path = folder.file("no such folder").join("state.json");
    let options = RunOptions { path: Some(&path), ..alone() };
    let never = Game(|_, _: &[f64], _: &[f64]| unreachable!("no games without a place"));
    let error = run(&mut state(10, TWO), &never, &options, &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("cannot write the state file"));
}
