//! `raicho csa` over a socket, against a server that misbehaves on purpose in 34 ways.
//!
//! The server is `fake_csa_server.py` in the folder `tools` beside the corpora; without it or
//! without Python the tests say that they are skipped.

mod dialogues;
mod guest;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{fs, thread};

use crate::common::corpora;
use crate::folder::Folder;
use crate::runner::RAICHO;

/// Scenarios at a time. They mostly wait.
const AT_A_TIME: usize = 6;
/// Scenarios of the short test: each kind of end, and what a client gets wrong most easily.
const SHORT: [&str; 8] = [
    "normal",
    "white-fischer",
    "disconnect-own-turn",
    "rejected",
    "login-incorrect",
    "chudan",
    "handicap",
    "client-declares",
];
/// Seconds of silence of the server in two scenarios; more than between two signs of life.
const SILENCE: &str = "45";

/// The script of the server, `None` (and a word about it) where it or Python is missing.
fn server() -> Option<PathBuf> {
    let script = corpora()?.join("../tools/fake_csa_server.py");
    if !script.exists() {
        println!("skipped: no fake_csa_server.py beside the folder of RAICHO_CORPORA");
        return None;
    }
    let python = Command::new("python3").arg("--version").output();
    if python.is_err() {
        println!("skipped: no python3");
        return None;
    }
    Some(script)
}

/// Plays one scenario; returns what the server prints, and whether it is content.
fn play(server: &Path, scenario: &str, folder: &Folder, more: &str) -> (bool, String) {
    let out = folder.path(&format!("{scenario}{}", more.trim_start().replace(' ', "")));
    let client = format!(
        "{RAICHO} csa --host {{host}}:{{port}} --id {{name}} --games {{games}} --out {out} --engine \
        option.Threads=1,option.USI_Hash=16,option.EvalFile=<material>,option.DepthLimit=6{more}"
    );
    let output: Output = Command::new("python3")
        .arg(server)
        .args(["--strict", "--silence", SILENCE, "--scenario", scenario])
        .args(["--client", &client])
        .env("RAICHO_CSA_PASSWORD", "fake-60-1,trip")
        .stdin(Stdio::null())
        .output()
        .expect("Python runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success(), text)
}

/// Plays scenarios with some more arguments of the client, and panics with those that failed.
fn play_all(scenarios: &[&str], more: &str) {
    let Some(server) = server() else {
        return;
    };
    let folder = Folder::new();
    let mut failures = Vec::new();
    for scenarios in scenarios.chunks(AT_A_TIME) {
        let results: Vec<(bool, String)> = thread::scope(|scope| {
            let start = |scenario: &&str| {
                let (server, folder, scenario) = (&server, &folder, (*scenario).to_owned());
                scope.spawn(move || play(server, &scenario, folder, more))
            };
            let threads: Vec<_> = scenarios.iter().map(start).collect();
            let results = threads.into_iter().map(thread::ScopedJoinHandle::join);
            results.map(|result| result.expect("no panic")).collect()
        });
        for (is_good, text) in results {
            println!("{}", text.trim_end());
            if !is_good {
                failures.push(text);
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn all_scenarios() -> Vec<String> {
    let Some(server) = server() else {
        return Vec::new();
    };
    let output = Command::new("python3").arg(server).arg("--list").output();
    let text = output.expect("Python runs").stdout;
    let text = String::from_utf8_lossy(&text).into_owned();
    let names = text.lines().filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

#[test]
fn a_misbehaving_server_is_survived() {
    play_all(&SHORT, " --ponder");
}

#[test]
#[ignore = "takes minutes: the server is silent for most of the time"]
fn all_scenarios_are_survived() {
    let scenarios = all_scenarios();
    let scenarios: Vec<&str> = scenarios.iter().map(String::as_str).collect();
    play_all(&scenarios, "");
    play_all(&scenarios, " --ponder");
}

/// All names, each of which is also a test of the session without a network.
const NAMES: &str = "normal white-fischer resign-with-time low-clock disconnect-own-turn \
    disconnect-rival-turn disconnect-while-waiting late-echo garbage rejected login-incorrect \
    login-silence time-up chudan keep-alive split-packets joined-packets buoy handicap rematch \
    swapped-colours rival-declares client-declares sennichite-quirk max-moves told-illegal \
    perpetual result-crosses-move minutes milliseconds two-time-blocks unknown-fields \
    ponder-miss-storm server-closes-after-game";

#[test]
fn each_scenario_has_a_test_without_a_network() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/csa/session/tests");
    let files = fs::read_dir(folder).expect("the tests of the session");
    let texts = files.map(|file| fs::read_to_string(file.expect("a file").path()));
    let text: String = texts.map(|text| text.expect("text")).collect();
    let names: BTreeSet<&str> = NAMES.split_whitespace().collect();
    assert_eq!(names.len(), 34);
    for name in &names {
        let wanted = format!("#[test]\nfn {}() {{", name.replace('-', "_"));
        assert!(text.contains(&wanted), "no test {name}");
    }
    let listed = all_scenarios();
    for name in &listed {
        assert!(names.contains(name.as_str()), "{name} is new");
    }
}
