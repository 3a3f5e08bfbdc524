//! What a match starts ends with it, however it ends; and what the system refuses to it is no
//! result of an engine.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::runner::{RAICHO, Raicho, SMALL_ENGINE, Text, raicho, text};
use crate::signal::send;

/// Longest time for processes to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// A script that starts a process of its own beside the engine. The seconds are its mark.
fn wrapper(folder: &Folder, seconds: u32) -> String {
    let script = format!("#!/bin/sh\nsleep {seconds} &\nexec {RAICHO} \"$@\"\n");
    let path = folder.write("engine.sh", script);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    folder.path("engine.sh")
}

/// A match between wrappers.
fn match_of(folder: &Folder, seconds: u32) -> Raicho {
    let engine = wrapper(folder, seconds);
    let engine = |name| format!("--engine cmd={engine},name={name},{SMALL_ENGINE}");
    let (one, other) = (engine("one"), engine("other"));
    raicho!(
        folder,
        "match {one} {other} --nodes 2000 --games 1000 --openings $openings --out match"
    )
}

/// Number of processes with this mark.
fn count(seconds: u32) -> usize {
    let wanted = format!("sleep\0{seconds}\0");
    let processes = fs::read_dir("/proc").expect("a folder").flatten();
    let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.as_slice() == wanted.as_bytes()).count()
}

#[cfg(target_os = "linux")]
#[test]
fn no_process_outlives_a_match() {
    // How it ends: signals in turn.
    for (index, signals) in
        [&["KILL"][..], &["INT", "INT"], &["TERM", "TERM", "TERM"]].iter().enumerate()
    {
        let (folder, seconds) = (Folder::new(), 31_415 + index as u32);
        let mut child = match_of(&folder, seconds).start();
        let begun = Instant::now();
        while folder.lines("match/games.jsonl") < 2 {
            assert!(begun.elapsed() < PATIENCE, "no game ends");
            sleep(Duration::from_millis(10));
        }
        assert_eq!(count(seconds), 2);
        for signal in *signals {
            send(&child, signal);
            sleep(Duration::from_millis(200));
        }
        child.wait().expect("it ends");
        let ended = Instant::now();
        while count(seconds) > 0 {
            assert!(ended.elapsed() < PATIENCE, "{signals:?}: processes are left");
            sleep(Duration::from_millis(10));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn too_few_files_for_us_are_no_loss_of_an_engine() {
    let folder = Folder::new();
    let engine = |name: &str| format!("--engine 'cmd={RAICHO},name={name},{SMALL_ENGINE}'");
    let words = format!(
        "match {} {} --nodes 100 --games 24 --max-moves 40 --openings {} --out match",
        engine("one"),
        engine("other"),
        crate::runner::OPENINGS
    );
    // Enough for the check of the engines, not for six games at a time.
    let command = format!("ulimit -n 32; exec {RAICHO} {words} --concurrency 6");
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]).current_dir(&folder.0);
    let output = shell.output().expect("a shell");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    errors.must_have("has no result: cannot start").must_have("open files");
    let journal = folder.text("match/games.jsonl");
    journal.must_lack("not_ready").must_lack("crash");
    raicho!(folder, "match --resume --out match").outputs();
    assert_eq!(folder.lines("match/games.jsonl"), 24);
}
