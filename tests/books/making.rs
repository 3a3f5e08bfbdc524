//! Books as people make them: killed at any moment and resumed, or divided into shards, a run
//! results in what it results in when it is done at a stretch.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::books::made_up;
use crate::common::Random;
use crate::folder::Folder;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raicho"));
    command.arg("book").args(arguments);
    command
}

pub(crate) fn run(arguments: &[&str]) -> String {
    let output = command(arguments).output().expect("raicho runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn lines(path: &str) -> u64 {
    fs::read_to_string(path).map_or(0, |text| text.matches('\n').count() as u64)
}

/// Runs the command again and again and kills it each time after one more result or a few more, at
/// any moment; then runs it to its end. `journal` keeps the results.
fn kill_and_resume(arguments: &[&str], journal: &str, kills: usize) {
    let mut random = Random(7);
    let arguments = [arguments, &["--resume"]].concat();
    for _ in 0..kills {
        let wanted = lines(journal) + random.below(3) as u64;
        let mut child = command(&arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("raicho runs");
        let begun = Instant::now();
        while lines(journal) < wanted && begun.elapsed() < Duration::from_mins(1) {
            sleep(Duration::from_millis(2));
        }
        sleep(Duration::from_micros(random.below(20_000) as u64));
        let kept = lines(journal);
        child.kill().expect("it runs, or has ended");
        child.wait().expect("it ends");
        assert!(lines(journal) >= kept);
    }
    run(&arguments);
}

const QUICK: [&str; 8] = [
    "--nodes",
    "2000",
    "--multipv",
    "3",
    "--hash",
    "1",
    "--eval",
    "<material>",
];

/// Writes a book of made-up games.
fn book(folder: &Folder, name: &str, positions: usize) -> String {
    let mut text = Vec::new();
    made_up::write(&mut text, positions, 3);
    fs::write(folder.0.join(name), text).expect("a book");
    folder.path(name)
}

#[test]
fn killed_and_divided_searches_find_what_one_run_finds() {
    let folder = Folder::new("making-think");
    let book = book(&folder, "in.db", 60);
    let think = |out: &str, more: &[&str]| -> Vec<String> {
        let words = ["think", "--book", &book, "--threads", "2", "--out", out];
        let words = words.iter().chain(&QUICK).chain(more);
        words.map(|&word| word.to_owned()).collect()
    };
    let path = |name: &str| folder.path(name);
    let words = |words: &[String]| -> Vec<String> { words.to_vec() };
    let whole = think(&path("whole.db"), &[]);
    run(&whole.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(folder.text("whole.db").matches("sfen ").count() >= 55);

    let killed = words(&think(&path("killed.db"), &["--work", &path("killed")]));
    let killed: Vec<&str> = killed.iter().map(String::as_str).collect();
    kill_and_resume(&killed, &path("killed/think.jsonl"), 12);
    assert_eq!(folder.text("killed.db"), folder.text("whole.db"));
    // Not one position was searched twice.
    assert_eq!(lines(&path("killed/think.jsonl")), 60);

    for shard in ["1/3", "2/3", "3/3"] {
        let out = path(&format!("part-{}.db", &shard[..1]));
        let part = think(&out, &["--shard", shard]);
        run(&part.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let parts = ["part-1.db", "part-2.db", "part-3.db"].map(path);
    run(&[
        "merge",
        &parts[0],
        &parts[1],
        &parts[2],
        "--out",
        &path("merged.db"),
    ]);
    assert_eq!(folder.text("merged.db"), folder.text("whole.db"));
}

#[test]
fn what_was_searched_well_enough_is_not_searched_again() {
    let folder = Folder::new("making-enough");
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    let deep = format!("sfen {start}\n7g7f none 9 5 1\n2g2f none 8 5 1\n1g1f none 7 5 1\n");
    let book = format!("#YANEURAOU-DB2016 1.00\n{deep}sfen {after}\n3c3d none 9 4 1\n");
    fs::write(folder.path("in.db"), book).expect("a book");
    let (input, out) = (folder.path("in.db"), folder.path("out.db"));
    let words = [
        "think",
        "--book",
        &input,
        "--depth",
        "5",
        "--multipv",
        "3",
        "--out",
        &out,
    ];
    let words = [&words[..], &["--hash", "1", "--eval", "<material>"]].concat();
    assert!(run(&words).starts_with("1 position searched, 2 written"));
    let text = folder.text("out.db");
    assert!(text.contains(&deep));
    assert!(
        text.split("sfen ")
            .any(|node| node.starts_with(after) && node.contains(" 5 1\n"))
    );
}

#[test]
fn a_killed_growth_becomes_what_one_run_becomes() {
    let folder = Folder::new("making-extend");
    let path = |name: &str| folder.path(name);
    let extend = |out: &str, more: &[&str]| -> Vec<String> {
        let words = [
            "extend",
            "--positions",
            "40",
            "--batch",
            "7",
            "--threads",
            "2",
            "--out",
            out,
        ];
        let words = words.iter().chain(&QUICK).chain(more);
        words.map(|&word| word.to_owned()).collect()
    };
    let whole = extend(&path("whole.db"), &["--work", &path("whole")]);
    run(&whole.iter().map(String::as_str).collect::<Vec<_>>());
    let killed = extend(&path("killed.db"), &["--work", &path("killed")]);
    let killed: Vec<&str> = killed.iter().map(String::as_str).collect();
    kill_and_resume(&killed, &path("killed/extend.jsonl"), 12);
    assert_eq!(folder.text("killed.db"), folder.text("whole.db"));
    assert_eq!(lines(&path("killed/extend.jsonl")), 40);
    assert_eq!(folder.text("whole.db").matches("sfen ").count(), 40);

    // A finished run goes on with a greater number.
    let more = ["--resume", "--force", "--positions", "45"];
    let words: Vec<&str> = killed
        .iter()
        .copied()
        .filter(|&word| word != "40")
        .collect();
    let words: Vec<&str> = words
        .into_iter()
        .filter(|&word| word != "--positions")
        .collect();
    run(&[words.as_slice(), &more].concat());
    assert_eq!(folder.text("killed.db").matches("sfen ").count(), 45);
}

#[test]
fn leaves_go_to_many_machines() {
    let folder = Folder::new("making-leaves");
    let path = |name: &str| folder.path(name);
    let (first, list, second) = (path("first.db"), path("list.sfen"), path("second.db"));
    run(&[&["extend", "--positions", "5", "--out", &first][..], &QUICK].concat());
    run(&[
        "extend", "--book", &first, "--list", "--batch", "6", "--out", &list,
    ]);
    assert_eq!(lines(&list), 6);
    run(&[&["think", &list, "--out", &second][..], &QUICK].concat());
    let merged = path("merged.db");
    run(&["merge", &first, &second, "--out", &merged]);
    assert_eq!(folder.text("merged.db").matches("sfen ").count(), 11);
    let minimaxed = path("minimaxed.db");
    run(&["minimax", &merged, "--out", &minimaxed]);
    assert_eq!(folder.text("minimaxed.db").matches("sfen ").count(), 11);
}

#[test]
fn the_number_of_threads_does_not_change_minimax() {
    let folder = Folder::new("making-minimax");
    let book = book(&folder, "in.db", 3_000);
    let [one, two, exact] = ["one.db", "two.db", "exact.db"].map(|name| folder.path(name));
    run(&["minimax", &book, "--out", &one]);
    run(&["minimax", &book, "--out", &two, "--threads", "2"]);
    assert_eq!(folder.text("one.db"), folder.text("two.db"));
    assert!(run(&["minimax", &book, "--out", &exact, "--components"]).contains("differ"));
}

#[test]
fn a_book_of_no_games_is_an_error_and_nothing_is_overwritten() {
    let folder = Folder::new("making-no-games");
    let games = folder.write("games.usi", "startpos moves 7g7f 3c3d resign\n");
    let empty = folder.write("empty.usi", "");
    let [out, table] = ["book.db", "book.tsv"].map(|name| folder.path(name));
    let [games, empty] = [&games, &empty].map(|path| path.display().to_string());
    let cases: [(&[&str], &str, i32); 6] = [
        (&[&empty, "--out", &out], "no game was found", 1),
        (
            &[&games, "--min-count", "2", "--out", &out],
            "no position is left",
            1,
        ),
        (&[&games, "--out", &games], "expected an extension", 2),
        (
            &[&games, "--out", &out, "--results", &out],
            "are the same file",
            2,
        ),
        (
            &[&games, "--out", &out, "--results", &games],
            "exists already",
            1,
        ),
        (
            &[&games, "--out", &out, "--results", &games, "--force"],
            "is read and would be overwritten",
            2,
        ),
    ];
    for (arguments, message, status) in cases {
        let output = command(&[&["from-games"], arguments].concat()).output();
        let output = output.expect("raicho runs");
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(words.contains(message), "{arguments:?}: {words}");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
    }
    let names = fs::read_dir(&folder.0).expect("the folder");
    assert_eq!(names.count(), 2, "only the games are there");
    run(&["from-games", &games, "--out", &out, "--results", &table]);
    assert!(fs::read_to_string(&table).is_ok_and(|text| text.contains("7g7f")));
}
