//! Books as people make them: killed at any moment and resumed, or divided into shards, a run
//! results in what it results in when it is done at a stretch.

use std::thread::sleep;
use std::time::Duration;

use crate::books::made_up;
use crate::common::Random;
use crate::folder::Folder;
use crate::runner::{Text, raicho};
use raicho::position::START_SFEN;

const QUICK: &str = "--nodes 2000 --multipv 3 --eval <material>";

/// Runs the command again and again and kills it each time after one more result or a few more, at
/// any moment; then runs it to its end. `journal` keeps the results.
fn kill_and_resume(folder: &Folder, words: &str, journal: &str, kills: usize) {
    let mut random = Random(7);
    for _ in 0..kills {
        let wanted = folder.lines(journal) + random.below(3);
        let pause = Duration::from_micros(random.below(20_000) as u64);
        raicho!(folder, "{words} --resume").killed_when(|| {
            let is_time = folder.lines(journal) >= wanted;
            sleep(if is_time { pause } else { Duration::ZERO });
            is_time
        });
    }
    raicho!(folder, "{words} --resume").outputs();
}

/// Writes a book of made-up games.
fn book(folder: &Folder, name: &str, positions: usize) {
    let mut book = Vec::new();
    made_up::write(&mut book, positions, 3);
    folder.write(name, book);
}

#[test]
fn killed_and_divided_searches_find_what_one_run_finds() {
    let folder = Folder::new();
    book(&folder, "in.db", 60);
    let think = format!("book think --book in.db --threads 2 {QUICK} --out");
    raicho!(folder, "{think} whole.db").outputs();
    assert!(folder.text("whole.db").matches("sfen ").count() >= 55);

    let killed = format!("{think} killed.db --work killed");
    kill_and_resume(&folder, &killed, "killed/think.jsonl", 5);
    assert_eq!(folder.text("killed.db"), folder.text("whole.db"));
    // Not one position was searched twice.
    assert_eq!(folder.lines("killed/think.jsonl"), 60);

    for shard in 1..=3 {
        raicho!(folder, "{think} part-{shard}.db --shard {shard}/3").outputs();
    }
    raicho!(folder, "book merge part-1.db part-2.db part-3.db --out merged.db").outputs();
    assert_eq!(folder.text("merged.db"), folder.text("whole.db"));
}

#[test]
fn what_was_searched_well_enough_is_not_searched_again() {
    let folder = Folder::new();
    let start = START_SFEN;
    let after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    let deep = format!("sfen {start}\n7g7f none 9 5 1\n2g2f none 8 5 1\n1g1f none 7 5 1\n");
    let book = format!("#YANEURAOU-DB2016 1.00\n{deep}sfen {after}\n3c3d none 9 4 1\n");
    folder.write("in.db", book);
    let words = "--depth 5 --multipv 3 --out out.db --eval <material>";
    let said = raicho!(folder, "book think --book in.db {words}").stdout();
    said.must_begin("1 position searched, 2 written");
    let text = folder.text("out.db");
    text.must_have(deep);
    let node = text.split("sfen ").find(|node| node.starts_with(after));
    node.expect("the other position").must_have(" 5 1\n");
}

#[test]
fn a_killed_growth_becomes_what_one_run_becomes() {
    let folder = Folder::new();
    let extend = |positions: u32, name: &str| {
        format!(
            "book extend --positions {positions} --threads 2 {QUICK} --out {name}.db --work {name}"
        )
    };
    raicho!(folder, "{}", extend(40, "whole")).outputs();
    kill_and_resume(&folder, &extend(40, "killed"), "killed/extend.jsonl", 5);
    assert_eq!(folder.text("killed.db"), folder.text("whole.db"));
    assert_eq!(folder.lines("killed/extend.jsonl"), 40);
    assert_eq!(folder.text("whole.db").matches("sfen ").count(), 40);

    // A finished run goes on with a greater number.
    raicho!(folder, "{} --resume --force", extend(45, "killed")).outputs();
    assert_eq!(folder.text("killed.db").matches("sfen ").count(), 45);
}

#[test]
fn leaves_go_to_many_machines() {
    let folder = Folder::new();
    let positions = |name| folder.text(name).matches("sfen ").count();
    raicho!(folder, "book extend --positions 5 --out first.db {QUICK}").outputs();
    let list = "--positions 6 --out list.sfen";
    raicho!(folder, "book extend --book first.db {list}").outputs();
    assert_eq!(folder.lines("list.sfen"), 6);
    raicho!(folder, "book think list.sfen --out second.db {QUICK}").outputs();
    raicho!(folder, "book merge first.db second.db --out merged.db").outputs();
    assert_eq!(positions("merged.db"), 11);
    raicho!(folder, "book minimax merged.db --out minimaxed.db").outputs();
    assert_eq!(positions("minimaxed.db"), 11);
}

#[test]
fn the_number_of_threads_does_not_change_minimax() {
    let folder = Folder::new();
    book(&folder, "in.db", 3_000);
    raicho!(folder, "book minimax in.db --out one.db").outputs();
    let mut two = raicho!(folder, "book minimax in.db --out two.db").command();
    let two = two.env("RAYON_NUM_THREADS", "2").output();
    assert!(two.expect("raicho runs").status.success());
    assert_eq!(folder.text("one.db"), folder.text("two.db"));
    raicho!(folder, "book minimax in.db --out exact.db --components").prints("differ");
}

#[test]
fn a_book_of_no_games_is_an_error_and_nothing_is_overwritten() {
    let folder = Folder::new();
    folder.write("games.usi", "startpos moves 7g7f 3c3d resign\n");
    folder.write("empty.usi", "");
    let cases = cases! {
        "empty.usi --out a.db", "no game was found" => 1;
        "games.usi --min-count 2 --out a.db", "no position is left" => 1;
        "games.usi --out games.usi", "expected an extension" => 2;
        "games.usi --out a.db --results a.db", "are the same file" => 2;
        "games.usi --out a.db --results games.usi", "exists already" => 1;
        "games.usi --out a.db --results games.usi --force", "is read and would be overwritten" => 2;
    };
    for (words, message, code) in cases {
        raicho!(folder, "book from-games {words}").fails(code, message);
    }
    assert_eq!(folder.names("."), ["empty.usi", "games.usi"]);
    raicho!(folder, "book from-games games.usi --out a.db --results a.tsv").outputs();
    folder.text("a.tsv").must_have("7g7f");
}
