//! `raicho spsa` with real processes: an engine whose strength depends on its options,
//! interruptions, and faults of all kinds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::misbehaving::{self, BEST_SKILL, BEST_TILT};
use raicho::arena::spsa::{State, parse_list};
use serde_json::Value;

/// Far from the best.
pub(super) const SKILL: &str = "Skill, int, 35, 0, 100, 8, 0.1";
const TILT: &str = "Tilt, float, 0.7, -1, 1, 0.1, 0.1";

/// A folder that is gone when the test is over, unless the test failed.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        let name = format!("spsa-{name}-{}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).expect("the folder for tests can be written");
        Self(path)
    }

    pub(super) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(super) fn text(&self, name: &str) -> String {
        let path = self.join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !thread::panicking() {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// The text of an engine of these tests with a behaviour (see `misbehaving`).
pub(super) fn engine(behaviour: &str) -> String {
    let program = misbehaving::program(behaviour);
    let escaped = |text: &str| text.replace(',', r"\,");
    let variable = |(name, value): &(String, String)| format!(",env.{name}={}", escaped(value));
    let environment: String = program.environment.iter().map(variable).collect();
    format!(
        "cmd={},args={}{environment}",
        escaped(&program.path.display().to_string()),
        program.arguments.join(" ")
    )
}

/// A run that is to begin in `folder/run`, with openings that need no search.
pub(super) fn run_in(folder: &Folder, engine: &str, arguments: &[&str]) -> Command {
    let openings = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/book/openings/balanced-500.sfen"
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_raicho"));
    command
        .args(["spsa", "--nodes", "100", "--max-moves", "60"])
        .args(["--openings", openings, "--engine", engine])
        .arg("--out")
        .arg(folder.join("run"))
        .args(arguments);
    command
}

pub(super) fn resume(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raicho"));
    command
        .args(["spsa", "--resume", "--out"])
        .arg(folder.join("run"))
        .args(arguments);
    command
}

pub(super) fn output_of(mut command: Command) -> Output {
    let output = command.output().expect("raicho runs");
    assert!(output.status.success(), "{output:?}");
    output
}

/// What a command that must fail says.
fn complaint_of(mut command: Command) -> String {
    let output = command.output().expect("raicho runs");
    let message = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(
        !output.status.success() && message.contains("error: ") && !message.contains("panicked"),
        "{message}"
    );
    message
}

#[test]
fn values_move_towards_the_best() {
    let folder = Folder::new("best");
    let params = folder.join("params.txt");
    fs::write(&params, format!("# one of two\n{SKILL}\n")).unwrap();
    let mut command = run_in(
        &folder,
        &engine("tuned"),
        &["--param", TILT, "--iterations", "250"],
    );
    command.arg("--params").arg(&params);
    command.args(["--concurrency", "2", "--pairs", "2", "--json"]);
    let output = output_of(command);
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON on stdout");
    assert_eq!(result["iterations"], 250);
    assert_eq!(result["games"], 1000);
    assert_eq!(result["faults"].as_array().map(Vec::len), Some(0));
    let now = |index: usize| result["parameters"][index]["now"].as_f64().unwrap();
    let [skill, tilt] = [0, 1].map(now);
    assert!((skill - BEST_SKILL).abs() < 15.0, "{skill} {tilt}");
    assert!((tilt - BEST_TILT).abs() < 0.2, "{skill} {tilt}");

    let history = folder.text("run/history.csv");
    assert!(history.starts_with("iterations,Skill,Tilt\n0,35,0.7\n"));
    assert_eq!(history.lines().count(), 202);
    let table = folder.text("run/summary.txt");
    assert!(
        table.contains("250 of 250 iterations, 1000 games\n"),
        "{table}"
    );
    let lines = folder.text("run/params.txt");
    assert!(table.contains(&lines), "{table}");
    let next = parse_list(&lines).expect("parameters for another run");
    assert!((next[0].start - skill).abs() < 0.01 && (next[1].start - tilt).abs() < 0.001);
}

#[test]
fn own_options_are_tuned_if_the_engine_offers_them() {
    let folder = Folder::new("own");
    let program = env!("CARGO_BIN_EXE_raicho").replace(',', r"\,");
    let engine = format!("cmd={program},option.USI_Hash=1,option.Threads=1");
    let arguments = |name| {
        let param = format!("{name}, int, 16, 1, 128, 10, 0.02");
        [
            "--param".to_owned(),
            param,
            "--iterations".to_owned(),
            "6".to_owned(),
        ]
    };
    let run = |name| {
        run_in(
            &folder,
            &engine,
            &arguments(name).each_ref().map(String::as_str),
        )
    };
    let message = complaint_of(run("NoSuchNumber"));
    assert!(message.contains("no option NoSuchNumber"), "{message}");
    begin(run("FV_SCALE"), &folder, 2, interrupt);
    let output = output_of(resume(&folder, &[]));
    let table = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(table.contains("6 of 6 iterations, 12 games"), "{table}");
    assert_eq!(folder.text("run/faults.jsonl"), "");
}

// --- Interruptions ---

/// Asks for the end as Ctrl-C does, which leaves a result.
#[cfg(unix)]
fn interrupt(mut child: Child) {
    crate::signal::send(&child, "INT");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(1), "a part is no success");
}

#[cfg(not(unix))]
fn interrupt(child: Child) {
    kill(child);
}

fn kill(mut child: Child) {
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
}

/// Starts a run and ends it after a few iterations.
fn begin(mut command: Command, folder: &Folder, iterations: u64, end: impl FnOnce(Child)) {
    let child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("raicho runs");
    let deadline = Instant::now() + Duration::from_secs(30);
    let is_far_enough = || {
        let state = State::load(&folder.join("run/spsa.json"));
        state.is_ok_and(|state| state.finished() >= iterations && !state.is_done())
    };
    while !is_far_enough() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(2));
    }
    end(child);
}

#[test]
fn interrupted_run_goes_on_as_if_nothing_had_been() {
    let engine = engine("tuned") + ",option.Delay=2";
    let arguments = ["--param", SKILL, "--param", TILT, "--iterations", "50"];
    let [whole, parts] = ["whole", "parts"].map(Folder::new);
    output_of(run_in(&whole, &engine, &arguments));

    let first = run_in(&parts, &engine, &arguments);
    begin(first, &parts, 3, interrupt);
    #[cfg(unix)]
    assert!(parts.text("run/summary.txt").contains(", interrupted\n"));
    begin(resume(&parts, &[]), &parts, 10, kill);
    // What belongs to the run may be said again.
    let again = ["--engine", &engine, "--nodes", "100", "--iterations", "50"];
    let output = output_of(resume(&parts, &again));
    let table = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(table.contains("50 of 50 iterations, 100 games"), "{table}");
    for name in ["spsa.json", "history.csv", "params.txt"] {
        let name = format!("run/{name}");
        assert_eq!(parts.text(&name), whole.text(&name), "{name}");
    }
}

#[test]
fn folder_holds_one_run_that_stays_as_it_began() {
    let folder = Folder::new("changes");
    let engine = engine("tuned");
    let missing = complaint_of(resume(&folder, &[]));
    assert!(missing.contains("holds no run of spsa"), "{missing}");
    let arguments = ["--param", SKILL, "--iterations", "2", "--resume"];
    output_of(run_in(&folder, &engine, &arguments));
    let arguments = ["--param", SKILL, "--iterations", "2"];
    let occupied = complaint_of(run_in(&folder, &engine, &arguments));
    assert!(occupied.contains("--resume"), "{occupied}");
    for (arguments, part) in [
        (
            &["--iterations", "3"][..],
            "holds another run: --iterations 3 instead of 2",
        ),
        (&["--nodes", "100"], "--nodes without --engine"),
        (&["--seed", "2"], "openings: seed 2 instead of 1"),
        (&["--max-moves", "70"], "rules: max_moves 70 instead of 60"),
        (&["--pairs", "2"], "--pairs 2 instead of 1"),
        (
            &["--param", TILT],
            "parameter 'Tilt, float, 0.7, -1, 1, 0.1, 0.1' instead of 'Skill,",
        ),
        (
            &["--param", SKILL, "--param", TILT],
            "2 parameters instead of 1",
        ),
        (
            &["--engine", &engine, "--nodes", "200"],
            "engine: time_control",
        ),
        (&["--engine", "cmd=other", "--nodes", "100"], "engine: "),
    ] {
        let message = complaint_of(resume(&folder, arguments));
        assert!(message.contains(part), "{part}: {message}");
    }
    fs::write(folder.join("run/tuning.json"), "{}").unwrap();
    let broken = complaint_of(resume(&folder, &[]));
    assert!(
        broken.contains("tuning.json line 1: missing field"),
        "{broken}"
    );
}

// --- Faults ---

#[test]
fn what_cannot_be_tuned_is_an_error_before_a_folder_is_made() {
    let folder = Folder::new("refusals");
    let tuned = engine("tuned");
    for (param, part) in [
        (
            "Skil, int, 35, 0, 100, 8, 0.1",
            "no option Skil, it has USI_Hash, Seed,",
        ),
        (
            "Skill, int, 35, 0, 200, 8, 0.1",
            "option Skill from 0 to 100, expected all of 0 to 200",
        ),
        (
            "Skill, float, 35, 0, 100, 8, 0.1",
            "option Skill of type spin, expected string",
        ),
        (
            "Tilt, int, 0, 0, 100, 8, 0.1",
            "option Tilt of type string, expected spin",
        ),
    ] {
        let arguments = ["--iterations", "2", "--param", param];
        let message = complaint_of(run_in(&folder, &tuned, &arguments));
        assert!(message.contains(part), "{param}: {message}");
    }
    let none = complaint_of(run_in(&folder, &tuned, &["--iterations", "2"]));
    assert!(none.contains("nothing to tune"), "{none}");
    let arguments = ["--iterations", "2", "--param", SKILL];
    let two = [&arguments[..], &["--engine", &tuned]].concat();
    let message = complaint_of(run_in(&folder, &tuned, &two));
    assert!(message.contains("2 engines, expected one"), "{message}");
    let set = complaint_of(run_in(
        &folder,
        &(tuned.clone() + ",option.Skill=3"),
        &arguments,
    ));
    assert!(set.contains("Skill is set to 3 and tuned"), "{set}");
    let absent = complaint_of(run_in(&folder, "cmd=no/such/engine", &arguments));
    let once = absent.matches("cannot start no/such/engine").count() == 1;
    assert!(once, "{absent}");
    let twice = [&arguments[..], &["--param", SKILL]].concat();
    let message = complaint_of(run_in(&folder, &tuned, &twice));
    assert!(message.contains("Skill is there already"), "{message}");
    assert!(!folder.join("run").exists());
}

#[test]
fn engine_that_ends_loses_its_games_and_the_run_goes_on() {
    let folder = Folder::new("crash");
    let arguments = ["--param", SKILL, "--iterations", "6", "--concurrency", "2"];
    let output = output_of(run_in(&folder, &engine("tuned:100,die:2"), &arguments));
    let table = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        table.contains("12 games lost by a fault: 12 crash"),
        "{table}"
    );
    let faults = folder.text("run/faults.jsonl");
    let first: Value = serde_json::from_str(faults.lines().next().unwrap()).unwrap();
    assert_eq!(first["reason"], "crash");
    assert!(first["values"][0].as_str().unwrap().starts_with("Skill="));
    let dialogue = folder.text("run/faults/000001-1.txt");
    assert!(
        dialogue.contains("> setoption name Skill value") && dialogue.contains("> go "),
        "{dialogue}"
    );
    // Black always loses, so that neither side is better.
    assert!(table.contains("+0.00"), "{table}");
}

#[test]
fn silent_engine_loses_its_games() {
    let folder = Folder::new("hang");
    let mut command = run_in(
        &folder,
        &engine("tuned:100,hang:2"),
        &["--param", SKILL, "--iterations", "1"],
    );
    command.args(["--patience", "200ms"]);
    let table = String::from_utf8(output_of(command).stdout).expect("UTF-8");
    assert!(table.contains("2 games lost by a fault: 2 hang"), "{table}");
}

#[test]
fn engine_that_cannot_be_got_ready_ends_the_run() {
    let folder = Folder::new("deaf");
    let mut command = run_in(
        &folder,
        &engine("tuned,deaf:2"),
        &["--param", SKILL, "--iterations", "9"],
    );
    command.args(["--ready-timeout", "700ms"]);
    let message = complaint_of(command);
    assert!(
        message.contains("iteration 1 could not be played")
            && message.contains("with Skill=")
            && message.contains("no readyok within 0.700 s"),
        "{message}"
    );
    // Ready once more often, it plays on with a new process each time.
    let folder = Folder::new("tired");
    let mut command = run_in(
        &folder,
        &engine("tuned,deaf:3"),
        &["--param", SKILL, "--iterations", "1"],
    );
    command.args(["--ready-timeout", "700ms"]);
    let output = output_of(command);
    let notes = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(notes.contains("started anew: no readyok"), "{notes}");
}

#[test]
fn openings_that_are_used_up_are_played_again() {
    let folder = Folder::new("openings");
    let openings = folder.join("two.sfen");
    fs::write(&openings, "startpos moves 7g7f\nstartpos moves 2g2f\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_raicho"));
    command
        .args(["spsa", "--nodes", "100", "--max-moves", "20"])
        .args(["--param", SKILL, "--iterations", "5", "--openings"])
        .arg(&openings)
        .args(["--engine", &engine("tuned"), "--out"])
        .arg(folder.join("run"));
    let output = output_of(command);
    let table = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(table.contains("5 of 5 iterations, 10 games"), "{table}");
}
