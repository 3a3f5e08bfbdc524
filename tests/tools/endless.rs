//! Inputs without an end are refused in bounded memory.

use std::os::unix::fs::symlink;

use crate::folder::Folder;
use crate::runner::{SMALL_ENGINE, Text, raicho};

/// Little enough that nothing reads far, in KB.
const SPACE: u32 = 3_000_000;

/// Runs raicho with these words; it must be refused with a message.
fn refused(folder: &Folder, words: &str) {
    let program = crate::runner::RAICHO;
    let command = format!("ulimit -v {SPACE}; exec timeout 60 {program} {words}");
    let mut shell = std::process::Command::new("sh");
    let output = shell.args(["-c", &command]).current_dir(&folder.0).output();
    let output = output.expect("a shell");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    assert!(matches!(code, Some(1 | 2)), "{words}: {code:?} {errors}");
    errors.must_have("zero").must_lack("panicked");
}

#[test]
fn devices_without_end_are_refused() {
    let folder = Folder::new();
    let endings = "kif csa ki2 jkf usi db ybb bin sbk psv hcp pack sfen nnue toml";
    for ending in endings.split(' ') {
        symlink("/dev/zero", folder.file(&format!("zero.{ending}"))).expect("a link");
    }
    for ending in ["kif", "csa", "ki2", "jkf", "usi"] {
        refused(&folder, &format!("convert zero.{ending} --out games.csa"));
        refused(&folder, &format!("analyze zero.{ending} --nodes 1"));
    }
    for ending in ["db", "ybb", "bin", "sbk"] {
        refused(&folder, &format!("book info zero.{ending}"));
        refused(&folder, &format!("book probe zero.{ending} startpos"));
    }
    for words in [
        "stats zero.psv",
        "stats zero.pack",
        "gensfen --roots zero.hcp --games 1 --out run",
        "gensfen --roots zero.sfen --games 1 --out run",
        "mate zero.sfen",
        "mate zero.kif",
        "bench --eval zero.nnue --depth 1",
        "bench --sfen-file zero.sfen --depth 1",
        "csa --config zero.toml",
    ] {
        refused(&folder, words);
    }
}

#[test]
fn a_journal_names_only_files_of_its_folder() {
    let folder = Folder::new();
    let engine = |name: &str| format!("--engine cmd=$raicho,name={name},{SMALL_ENGINE}");
    let (one, other) = (engine("one"), engine("other"));
    raicho!(
        folder,
        "match {one} {other} --nodes 50 --games 2 --max-moves 30 --openings $openings --out match"
    )
    .outputs();
    folder.write("secret.csa", "V2.2\nN+a\nPI\n+\n+7776FU\n%TORYO\n");
    let journal = folder.text("match/games.jsonl");
    let (before, rest) = journal.split_once("\"record\":\"").expect("a record");
    let (_, after) = rest.split_once('"').expect("its end");
    symlink("../../secret.csa", folder.file("match/csa/link.csa")).expect("a link");
    let absolute = folder.path("secret.csa");
    for name in [&absolute, "../secret.csa", "csa/../../secret.csa", "csa/link.csa"] {
        folder.write("match/games.jsonl", format!("{before}\"record\":\"{name}\"{after}"));
        for words in ["--html page.html", "--out merged"] {
            raicho!(folder, "match merge match {words}").refuses("lies outside of");
            assert!(!folder.has("page.html"));
        }
    }
}
