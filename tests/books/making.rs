//! Books as people make them: killed at any moment and resumed, or divided into shards, a run
//! results in what it results in when it is done at a stretch.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::books::made_up;
use crate::common::Random;
use crate::folder::Folder;
use crate::runner::{raicho, text};

const QUICK: &str = "--nodes 2000 --multipv 3 --eval <material>";

fn lines(path: &str) -> u64 {
    fs::read_to_string(path).map_or(0, |text| text.matches('\n').count() as u64)
}

/// Runs the command again and again and kills it each time after one more result or a few more, at
/// any moment; then runs it to its end. `journal` keeps the results.
fn kill_and_resume(folder: &Folder, words: &str, journal: &str, kills: usize) {
    let mut random = Random(7);
    let journal = folder.path(journal);
    for _ in 0..kills {
        let wanted = lines(&journal) + random.below(3) as u64;
        let mut child = raicho!(folder, "{words} --resume").start();
        let begun = Instant::now();
        while lines(&journal) < wanted && begun.elapsed() < Duration::from_mins(1) {
            sleep(Duration::from_millis(2));
        }
        sleep(Duration::from_micros(random.below(20_000) as u64));
        let kept = lines(&journal);
        child.kill().expect("it runs, or has ended");
        child.wait().expect("it ends");
        assert!(lines(&journal) >= kept);
    }
    raicho!(folder, "{words} --resume").stdout();
}

/// Writes a book of made-up games.
fn book(folder: &Folder, name: &str, positions: usize) {
    let mut book = Vec::new();
    made_up::write(&mut book, positions, 3);
    folder.write(name, &text(&book));
}

#[test]
fn killed_and_divided_searches_find_what_one_run_finds() {
    let folder = Folder::new("making-think");
    book(&folder, "in.db", 60);
    let think = format!("book think --book in.db --threads 2 {QUICK} --out");
    raicho!(folder, "{think} whole.db").stdout();
    assert!(folder.text("whole.db").matches("sfen ").count() >= 55);

    let killed = format!("{think} killed.db --work killed");
    kill_and_resume(&folder, &killed, "killed/think.jsonl", 12);
    assert_eq!(folder.text("killed.db"), folder.text("whole.db"));
    // Not one position was searched twice.
    assert_eq!(lines(&folder.path("killed/think.jsonl")), 60);

    for shard in 1..=3 {
        raicho!(folder, "{think} part-{shard}.db --shard {shard}/3").stdout();
    }
    raicho!(
        folder,
        "book merge part-1.db part-2.db part-3.db --out merged.db"
    )
    .stdout();
    assert_eq!(folder.text("merged.db"), folder.text("whole.db"));
}

#[test]
fn what_was_searched_well_enough_is_not_searched_again() {
    let folder = Folder::new("making-enough");
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    let deep = format!("sfen {start}\n7g7f none 9 5 1\n2g2f none 8 5 1\n1g1f none 7 5 1\n");
    let book = format!("#YANEURAOU-DB2016 1.00\n{deep}sfen {after}\n3c3d none 9 4 1\n");
    folder.write("in.db", &book);
    let words = "--depth 5 --multipv 3 --out out.db --eval <material>";
    let said = raicho!(folder, "book think --book in.db {words}").stdout();
    assert!(said.starts_with("1 position searched, 2 written"), "{said}");
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
    let extend = |positions: u32, name: &str| {
        format!(
            "book extend --positions {positions} --threads 2 {QUICK} --out {name}.db --work {name}"
        )
    };
    raicho!(folder, "{}", extend(140, "whole")).stdout();
    kill_and_resume(&folder, &extend(140, "killed"), "killed/extend.jsonl", 12);
    assert_eq!(folder.text("killed.db"), folder.text("whole.db"));
    assert_eq!(lines(&folder.path("killed/extend.jsonl")), 140);
    assert_eq!(folder.text("whole.db").matches("sfen ").count(), 140);

    // A finished run goes on with a greater number.
    raicho!(folder, "{} --resume --force", extend(145, "killed")).stdout();
    assert_eq!(folder.text("killed.db").matches("sfen ").count(), 145);
}

#[test]
fn leaves_go_to_many_machines() {
    let folder = Folder::new("making-leaves");
    let positions = |name| folder.text(name).matches("sfen ").count();
    raicho!(folder, "book extend --positions 5 --out first.db {QUICK}").stdout();
    let list = "--positions 6 --out list.sfen";
    raicho!(folder, "book extend --book first.db {list}").stdout();
    assert_eq!(lines(&folder.path("list.sfen")), 6);
    raicho!(folder, "book think list.sfen --out second.db {QUICK}").stdout();
    raicho!(folder, "book merge first.db second.db --out merged.db").stdout();
    assert_eq!(positions("merged.db"), 11);
    raicho!(folder, "book minimax merged.db --out minimaxed.db").stdout();
    assert_eq!(positions("minimaxed.db"), 11);
}

#[test]
fn the_number_of_threads_does_not_change_minimax() {
    let folder = Folder::new("making-minimax");
    book(&folder, "in.db", 3_000);
    raicho!(folder, "book minimax in.db --out one.db").stdout();
    let mut two = raicho!(folder, "book minimax in.db --out two.db").command();
    let two = two.env("RAYON_NUM_THREADS", "2").output();
    assert!(two.expect("raicho runs").status.success());
    assert_eq!(folder.text("one.db"), folder.text("two.db"));
    let said = raicho!(folder, "book minimax in.db --out exact.db --components").stdout();
    assert!(said.contains("differ"), "{said}");
}

#[test]
fn a_book_of_no_games_is_an_error_and_nothing_is_overwritten() {
    let folder = Folder::new("making-no-games");
    folder.write("games.usi", "startpos moves 7g7f 3c3d resign\n");
    folder.write("empty.usi", "");
    for (words, message, status) in [
        ("empty.usi --out a.db", "no game was found", 1),
        (
            "games.usi --min-count 2 --out a.db",
            "no position is left",
            1,
        ),
        ("games.usi --out games.usi", "expected an extension", 2),
        (
            "games.usi --out a.db --results a.db",
            "are the same file",
            2,
        ),
        (
            "games.usi --out a.db --results games.usi",
            "exists already",
            1,
        ),
        (
            "games.usi --out a.db --results games.usi --force",
            "is read and would be overwritten",
            2,
        ),
    ] {
        let output = raicho!(folder, "book from-games {words}").output();
        let said = text(&output.stderr);
        assert!(said.contains(message), "{words}: {said}");
        assert_eq!(output.status.code(), Some(status), "{words}");
    }
    let names = fs::read_dir(&folder.0).expect("the folder");
    assert_eq!(names.count(), 2, "only the games are there");
    raicho!(
        folder,
        "book from-games games.usi --out a.db --results a.tsv"
    )
    .stdout();
    assert!(folder.text("a.tsv").contains("7g7f"));
}
