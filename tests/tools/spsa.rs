//! `raicho spsa` with real processes: an engine whose strength depends on its options,
//! interruptions, and faults of all kinds.

use std::process::Child;
use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::misbehaving::{self, BEST_SKILL, BEST_TILT};
use crate::runner::{RAICHO, Raicho, Text, raicho};
use raicho::arena::spsa::{State, parse_list};
use serde_json::Value;

/// Far from the best.
const SKILL: &str = "Skill,int,35,0,100,8,0.1";
const TILT: &str = "Tilt,float,0.7,-1,1,0.1,0.1";

/// The text of an engine of these tests with a behaviour (see `misbehaving`).
fn engine(behaviour: &str) -> String {
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

/// A run that is to begin in the folder `run`, with openings that need no search.
fn run(folder: &Folder, engine: &str, words: &str) -> Raicho {
    let words = format!("--nodes 100 --max-moves 60 --openings $openings --out run {words}");
    raicho!(folder, "spsa --engine '{engine}' {words}")
}

fn resume(folder: &Folder, words: &str) -> Raicho {
    raicho!(folder, "spsa --resume --out run {words}")
}

#[test]
fn values_move_towards_the_best() {
    let folder = Folder::new();
    folder.write("params.txt", format!("# one of two\n{SKILL}\n"));
    let words = format!("--param {TILT} --iterations 500 --params params.txt --json");
    let output = run(&folder, &engine("tuned"), &(words + " --concurrency 2")).stdout();
    let result: Value = serde_json::from_str(&output).expect("JSON on stdout");
    assert_eq!(result["iterations"], 500);
    assert_eq!(result["games"], 1000);
    assert_eq!(result["faults"].as_array().map(Vec::len), Some(0));
    let now = |index: usize| result["parameters"][index]["now"].as_f64().unwrap();
    let [skill, tilt] = [0, 1].map(now);
    assert!((skill - BEST_SKILL).abs() < 15.0, "{skill} {tilt}");
    assert!((tilt - BEST_TILT).abs() < 0.2, "{skill} {tilt}");

    let history = folder.text("run/history.csv");
    history.must_begin("iterations,Skill,Tilt\n0,35,0.7\n");
    assert_eq!(history.lines().count(), 202);
    let table = folder.text("run/summary.txt");
    table.must_have("500 of 500 iterations, 1000 games\n");
    let lines = folder.text("run/params.txt");
    assert!(table.contains(&lines), "{table}");
    let next = parse_list(&lines).expect("parameters for another run");
    assert!((next[0].start - skill).abs() < 0.01 && (next[1].start - tilt).abs() < 0.001);
}

#[test]
fn own_options_are_tuned_if_the_engine_offers_them() {
    let folder = Folder::new();
    let engine = format!("cmd={},option.USI_Hash=1", RAICHO.replace(',', r"\,"));
    let tune = |name| {
        let words = format!("--param {name},int,16,1,128,10,0.02 --iterations 6");
        run(&folder, &(engine.clone() + ",option.Threads=1"), &words)
    };
    tune("NoSuchNumber").refuses("no option NoSuchNumber");
    begin(tune("FV_SCALE"), &folder, 2, interrupt);
    resume(&folder, "").prints("6 of 6 iterations, 12 games");
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
fn begin(command: Raicho, folder: &Folder, iterations: u64, end: impl FnOnce(Child)) {
    let child = command.start();
    let deadline = Instant::now() + Duration::from_secs(30);
    let is_far_enough = || {
        let state = State::load(&folder.file("run/spsa.json"));
        state.is_ok_and(|state| state.finished() >= iterations && !state.is_done())
    };
    while !is_far_enough() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    end(child);
}

#[test]
fn interrupted_run_goes_on_as_if_nothing_had_been() {
    let engine = engine("tuned") + ",option.Delay=2";
    let words = format!("--param {SKILL} --param {TILT} --iterations 50");
    let [whole, parts] = [(); 2].map(|()| Folder::new());
    run(&whole, &engine, &words).stdout();

    begin(run(&parts, &engine, &words), &parts, 3, interrupt);
    #[cfg(unix)]
    parts.text("run/summary.txt").must_have(", interrupted\n");
    begin(resume(&parts, ""), &parts, 10, kill);
    // What belongs to the run may be said again.
    let again = run(&parts, &engine, &format!("{words} --resume"));
    again.prints("50 of 50 iterations, 100 games");
    for name in ["spsa.json", "history.csv", "params.txt"] {
        let name = format!("run/{name}");
        assert_eq!(parts.text(&name), whole.text(&name), "{name}");
    }
}

#[test]
fn folder_holds_one_run_that_stays_as_it_began() {
    let folder = Folder::new();
    let engine = engine("tuned");
    resume(&folder, "").refuses("holds no run of spsa");
    let words = format!("--param {SKILL} --iterations 2");
    run(&folder, &engine, &format!("{words} --resume")).stdout();
    run(&folder, &engine, &words).refuses("--resume");
    let other = "parameter 'Tilt, float, 0.7, -1, 1, 0.1, 0.1' instead of 'Skill,";
    let cases = cases! {
        "--iterations 3" => "holds another run: --iterations 3 instead of 2";
        "--nodes 100" => "--nodes without --engine";
        "--seed 2" => "--seed without --engine";
        "--max-moves 70" => "--max-moves without --engine";
        &format!("--param {TILT}") => other;
        &format!("--param {SKILL} --param {TILT}") => "2 parameters instead of 1";
        "--engine cmd=other --nodes 100" => "engine.";
        &format!("--nodes 200 --engine '{engine}'") => "engine.time_control.nodes is 200";
    };
    for (words, part) in cases {
        resume(&folder, words).refuses(part);
    }
    folder.write("run/tuning.json", "{}");
    resume(&folder, "").refuses("tuning.json line 1: missing field");
}

// --- Faults ---

#[test]
fn what_cannot_be_tuned_is_an_error_before_a_folder_is_made() {
    let folder = Folder::new();
    let tuned = engine("tuned");
    let cases = cases! {
        "Skil,int,35,0,100,8,0.1" => "no option Skil, it has USI_Hash, Seed,";
        "Skill,int,35,0,200,8,0.1" => "option Skill from 0 to 100, expected all of 0 to 200";
        "Skill,float,35,0,100,8,0.1" => "option Skill of type spin, expected string";
        "Tilt,int,0,0,100,8,0.1" => "option Tilt of type string, expected spin";
        &format!("{SKILL} --engine '{tuned}'") => "2 engines, expected one";
        &format!("{SKILL} --param {SKILL}") => "Skill is there already";
    };
    for (param, part) in cases {
        run(&folder, &tuned, &format!("--iterations 2 --param {param}")).refuses(part);
    }
    let words = format!("--iterations 2 --param {SKILL}");
    let set = tuned.clone() + ",option.Skill=3";
    run(&folder, &set, &words).refuses("Skill is set to 3 and tuned");
    let absent = run(&folder, "cmd=no/such/engine", &words).refused();
    let once = absent.matches("cannot start no/such/engine").count() == 1;
    assert!(once, "{absent}");
    assert!(!folder.has("run"));
}

#[test]
fn engine_that_ends_loses_its_games_and_the_run_goes_on() {
    let folder = Folder::new();
    let words = format!("--param {SKILL} --iterations 6 --concurrency 2");
    let table = run(&folder, &engine("tuned:100,die:2"), &words)
        .prints("12 games lost by a fault: 12 crash");
    let faults = folder.text("run/faults.jsonl");
    let first: Value = serde_json::from_str(faults.lines().next().unwrap()).unwrap();
    assert_eq!(first["reason"], "crash");
    first["values"][0].as_str().unwrap().must_begin("Skill=");
    folder
        .text("run/faults/000001-1.txt")
        .must_have("> setoption name Skill value")
        .must_have("> go ");
    // Black always loses, so that neither side is better.
    table.must_have("+0.00");
}

#[test]
fn silent_engine_loses_its_games() {
    let folder = Folder::new();
    let words = format!("--param {SKILL} --iterations 1 --patience 200ms");
    run(&folder, &engine("tuned:100,hang:2"), &words).prints("2 games lost by a fault: 2 hang");
}

#[test]
fn engine_that_cannot_be_got_ready_ends_the_run() {
    let folder = Folder::new();
    let words = format!("--param {SKILL} --iterations 9 --ready-timeout 700ms");
    run(&folder, &engine("tuned,deaf:2"), &words)
        .refuses("iteration 1 could not be played")
        .must_have("with Skill=")
        .must_have("no readyok within 0.700 s");
    // Ready once more often, it plays on with a new process each time.
    let folder = Folder::new();
    let words = format!("--param {SKILL} --iterations 1 --ready-timeout 700ms");
    let [_, notes] = run(&folder, &engine("tuned,deaf:3"), &words).outputs();
    notes.must_have("started anew: no readyok");
}

#[test]
fn openings_that_are_used_up_are_played_again() {
    let folder = Folder::new();
    let openings = "startpos moves 7g7f\nstartpos moves 2g2f\n";
    folder.write("two.sfen", openings);
    let words = format!("--param {SKILL} --iterations 5 --openings two.sfen --out run");
    let words = format!("{words} --engine '{}'", engine("tuned"));
    raicho!(folder, "spsa --nodes 100 --max-moves 20 {words}")
        .prints("5 of 5 iterations, 10 games");
}

// --- The folder after a kill between two writes ---

#[test]
fn settings_without_a_state_are_no_run() {
    let folder = Folder::new();
    folder.write("run/tuning.json", "{");
    let words = format!("--param {SKILL} --iterations 1 --resume");
    run(&folder, &engine("tuned"), &words).stdout();
    folder.text("run/spsa.json").must_have("\"begun\": 1");
}

/// An iteration without a result is played again, so its faults are not faults of the run.
#[test]
fn faults_of_unfinished_iterations_are_forgotten() {
    let folder = Folder::new();
    let words = format!("--param {SKILL} --iterations 1");
    run(&folder, &engine("tuned"), &words).stdout();
    let mut state: Value = serde_json::from_str(&folder.text("run/spsa.json")).expect("JSON");
    state["unfinished"] = vec![1].into();
    folder.write("run/spsa.json", state.to_string());
    let fault = "{\"iteration\":1,\"game\":1,\"side\":\"plus\",\"reason\":\"hang\",\
                 \"detail\":\"\",\"values\":[]}\n";
    folder.write("run/faults.jsonl", fault);
    resume(&folder, "").prints("1 of 1 iteration").must_lack("lost by a fault");
    assert_eq!(folder.text("run/faults.jsonl"), "");
}
