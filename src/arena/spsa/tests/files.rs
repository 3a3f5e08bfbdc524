//! Tests of state files: nothing is lost, nothing invalid is accepted.

use super::*;

#[test]
fn resumed_run_takes_the_same_path() {
    let folder = Folder::new("resume");
    let [path, copy] = ["state.json", "copy.json"].map(|name| folder.0.join(name));
    let mut whole = state(100, TWO);
    finish(&mut whole, &Game(rugged));

    let stop = Stop::new();
    let options = RunOptions {
        path: Some(&path),
        stop: &stop,
        ..alone()
    };
    let outcome = run(
        &mut state(100, TWO),
        &Game(rugged),
        &options,
        &mut |state| {
            if state.finished() == 37 {
                // The state that a run killed here is resumed from.
                fs::copy(&path, &copy).unwrap();
            }
            if state.finished() == 61 {
                stop.finish();
            }
        },
    );
    assert_eq!(outcome.unwrap(), Outcome::Stopped);

    for (file, finished) in [(&path, 61), (&copy, 37)] {
        let mut resumed = State::load(file).unwrap();
        assert_eq!(resumed.finished(), finished);
        finish(&mut resumed, &Game(rugged));
        assert_eq!(resumed, whole);
    }
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2);
}

#[test]
fn killed_games_are_played_again() {
    let folder = Folder::new("killed");
    let [path, copy] = ["state.json", "copy.json"].map(|name| folder.0.join(name));
    let played = Mutex::new(Vec::new());
    let game = Game(|iteration: u64, plus: &[f64], minus: &[f64]| {
        thread::sleep(Duration::from_millis(iteration * 5 % 7));
        played.lock().unwrap().push(iteration);
        rugged(iteration, plus, minus)
    });
    let options = RunOptions {
        concurrency: 4,
        path: Some(&path),
        stop: &NEVER,
    };
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
    let folder = Folder::new("bits");
    let path = folder.0.join("state.json");
    let mut run = state(200, TWO);
    finish(&mut run, &Game(rugged));
    run.save(&path).unwrap();
    assert_eq!(State::load(&path).unwrap(), run);
    assert_eq!(run.history().len(), 201);
    assert_eq!(run.history()[200].theta, run.theta());
}

#[test]
fn long_runs_keep_a_short_history() {
    let mut run = state(5000, TWO);
    finish(&mut run, &Game(rugged));
    assert_eq!(run.history().len(), 201);
    assert_eq!(run.history()[1].finished, 25);
}

#[test]
fn bad_files_are_refused_with_the_reason() {
    let folder = Folder::new("bad");
    let path = folder.0.join("state.json");
    let mut run = state(10, TWO);
    finish(&mut run, &Game(rugged));
    run.save(&path).unwrap();
    let good = fs::read_to_string(&path).unwrap();
    let theta = format!("\"theta\": [\n    \"{}\",", run.theta()[0]);
    let cases = [
        (
            good[..good.len() / 2].to_owned(),
            "is no SPSA state file: EOF",
        ),
        ("{}".to_owned(), "missing field"),
        (
            good.replace("spsa 1", "spsa 2"),
            "format 'raicho spsa 2', expected 'raicho spsa 1'",
        ),
        (
            good.replace("\"begun\": 10", "\"begun\": 11"),
            "iteration 11, expected 0 to 10",
        ),
        (
            good.replace("\"unfinished\": []", "\"unfinished\": [0]"),
            "iteration 0, expected 1 to 10",
        ),
        (
            good.replace("\"begun\"", "\"became\""),
            "unknown field `became`",
        ),
        (
            good.replacen(&theta, "\"theta\": [\n    \"-1\",", 1),
            "value -1 of Depth, expected 0 to 100",
        ),
        (
            good.replacen(&theta, "\"theta\": [\n    \"x\",", 1),
            "'x', expected a number",
        ),
        (
            good.replacen(&theta, "\"theta\": [", 1),
            "1 value in theta, expected 2",
        ),
        (
            good.replace("\"gamma\": 0.101", "\"gamma\": -1"),
            "gamma -1, expected 0 to 1",
        ),
        (
            good.replace("\"iterations\": 10", "\"iterations\": 0"),
            "iterations 0, expected",
        ),
        (
            good.replace("\"rate\": 0.02", "\"rate\": 0"),
            "rate 0 of Depth",
        ),
    ];
    for (text, part) in cases {
        assert_ne!(text, good, "{part}");
        fs::write(&path, text).unwrap();
        let message = State::load(&path).unwrap_err().to_string();
        assert!(message.contains(part), "{part}: {message}");
        assert!(message.contains("state.json"), "{message}");
    }
    let missing = State::load(&folder.0.join("none.json")).unwrap_err();
    assert!(missing.to_string().contains("cannot read the state file"));
}

#[test]
fn place_that_cannot_be_written_shows_before_the_games() {
    let folder = Folder::new("place");
    let path = folder.0.join("no such folder").join("state.json");
    let options = RunOptions {
        path: Some(&path),
        ..alone()
    };
    let never = Game(|_, _: &[f64], _: &[f64]| unreachable!("no games without a place"));
    let error = run(&mut state(10, TWO), &never, &options, &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("cannot write the state file"));
}
