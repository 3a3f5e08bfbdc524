//! Minimax of small books whose values are known, and of the books of the corpora.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::runs::Watch;
use crate::{position::Position, util::TestFolder};

fn run_quietly(input: &Path, output: &Path, uses_components: bool) -> Summary {
    run(input, output, uses_components, &Watch::of_nobody()).expect("a book")
}

/// The positions of a book in their order, and the lines of their moves as a set.
fn positions(text: &str) -> Vec<(&str, BTreeSet<&str>)> {
    let mut positions = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(position) = line.strip_prefix("sfen ") {
            positions.push((position, BTreeSet::new()));
        } else {
            let last: &mut (&str, BTreeSet<&str>) = positions.last_mut().expect("a position");
            last.1.insert(line);
        }
    }
    positions
}

/// The moves of each position of a book after minimax, as lines of text.
fn minimax(book: &str, uses_components: bool) -> BTreeMap<String, Vec<String>> {
    let folder = TestFolder::new();
    let [input, output] = ["in.db", "out.db"].map(|name| folder.file(name));
    fs::write(&input, book).expect("the book is written");
    run_quietly(&input, &output, uses_components);
    let text = fs::read_to_string(&output).expect("the result");
    let mut moves: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut open = String::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix("sfen ") {
            Some(position) => position.clone_into(&mut open),
            None => moves.entry(open.clone()).or_default().push(line.to_owned()),
        }
    }
    moves
}

fn corpora() -> Option<PathBuf> {
    let folder = std::env::var_os("RAICHO_CORPORA")?;
    let books = Path::new(&folder).join("books");
    books.exists().then_some(books)
}

#[test]
fn books_of_the_corpora_come_out_as_yaneuraou_writes_them() {
    let Some(books) = corpora() else {
        eprintln!("skipped: RAICHO_CORPORA names no folder with books");
        return;
    };
    let folder = TestFolder::new();
    let output = folder.file("out.db");
    run_quietly(&books.join("peta_in.db"), &output, false);
    let found = fs::read_to_string(&output).expect("the result");
    let text = fs::read_to_string(books.join("peta_out.db")).expect("the corpus");
    assert_eq!(found.lines().count(), text.lines().count());
    for (found, expected) in positions(&found).into_iter().zip(positions(&text)) {
        assert_eq!(found, expected);
    }
}

#[test]
fn a_binary_book_of_the_corpora_comes_out_as_yaneuraou_writes_it() {
    let Some(books) = corpora() else {
        eprintln!("skipped: RAICHO_CORPORA names no folder with books");
        return;
    };
    let folder = TestFolder::new();
    let output = folder.file("out.ybb");
    run_quietly(&books.join("peta_in.ybb"), &output, false);
    let records = |path: &Path| {
        let bytes = fs::read(path).expect("a book");
        let count = u64::from_le_bytes(*bytes[16..].first_chunk().expect("a count")) as usize;
        let index = 32..32 + 44 * count;
        let moves = &bytes[index.end..];
        let records = bytes[index].chunks_exact(44).map(|record| {
            let offset = u64::from_le_bytes(*record[32..].first_chunk().expect("an offset"));
            let count = u16::from_le_bytes([record[42], record[43]]) as usize;
            let moves = moves[offset as usize..].chunks_exact(6).take(count);
            let moves: BTreeSet<Vec<u8>> = moves.map(<[u8]>::to_vec).collect();
            (record[..32].to_vec(), [record[40], record[41]], moves)
        });
        records.collect::<Vec<_>>()
    };
    assert_eq!(records(&output), records(&books.join("peta_out.ybb")));
}

#[test]
fn values_are_carried_back_with_their_plies() {
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    let book = format!("sfen {start}\n2g2f none 30\n7g7f none 500\nsfen {after}\n3c3d none -40\n");
    let moves = minimax(&book, false);
    assert_eq!(moves[start], ["7g7f none 40 1", "2g2f none 30 0"]);
    assert_eq!(moves[after], ["3c3d none -40 0"]);
}

#[test]
fn moves_that_are_illegal_or_none_are_left_out() {
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let book = format!(
        "7g7f none 1\nsfen {start}\n7g7f none 1 1\n7g7e none 900\nnone none 90\nx\n7g7f none 5\n\
         sfen 9/9 b - 1\n7g7f none 0\nsfen {} \n8c8d none 3 9\nnone none 77\n",
        start.replace(" b ", " w ")
    );
    let folder = TestFolder::new();
    let [input, output] = ["in.db", "out.db"].map(|name| folder.file(name));
    fs::write(&input, &book).expect("the book is written");
    let summary = run_quietly(&input, &output, false);
    let places: Vec<BookPlace> = summary.faults.first().iter().map(|fault| fault.place).collect();
    assert_eq!(places, [1, 4, 5, 6, 8, 12].map(BookPlace::Line));
    let text = fs::read_to_string(&output).expect("the result");
    let others = text.lines().filter(|line| !line.starts_with("sfen"));
    let found: Vec<&str> = others.collect();
    assert_eq!(found[1..], ["# NOE:2", "7g7f none 1 0", "8c8d none 3 0"]);
}

/// A pair of positions between which both sides shuffle, with ways out.
fn shuffle(black_exit: i32, white_exit: i32) -> String {
    let mut position = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b P 1").expect("a position");
    let mut book = String::new();
    for mv in ["5i5h", "5a5b", "5h5i", "5b5a"] {
        let exit = if position.game_ply() % 2 == 1 {
            format!("P*5e none {black_exit}")
        } else {
            format!("5a4a none {white_exit}\n5b4a none {white_exit}")
        };
        let _ = write!(book, "sfen {}\n{exit}\n", position.to_sfen());
        let mv = position.to_move(mv.parse().expect("a move"));
        position.do_move(mv.expect("possible"));
    }
    book
}

#[test]
fn loops_are_draws_unless_a_way_out_is_better() {
    let start = "4k4/9/9/9/9/9/9/9/4K4 b P 1";
    let best = |book: &str, is_exact| minimax(book, is_exact)[start][0].clone();
    for is_exact in [false, true] {
        assert_eq!(best(&shuffle(-30, -30), is_exact), "5i5h none 0 9999");
        assert_eq!(best(&shuffle(30, -50), is_exact), "P*5e none 30 0");
        assert_eq!(best(&shuffle(-70, 40), is_exact), "5i5h none -40 1");
    }
}

#[test]
fn positions_that_differ_in_their_colours_alone_are_one_node() {
    let black = "4k4/9/9/9/9/9/9/9/4K4 b P 1";
    let after = "4k4/9/9/9/4P4/9/9/9/4K4 w - 2";
    // The position after P*5e with the colours swapped.
    let turned = "4k4/9/9/9/4p4/9/9/9/4K4 b - 1";
    let book = format!("sfen {black}\nP*5e none 5\nsfen {turned}\n5i5h none -9\n");
    assert_eq!(minimax(&book, false)[black], ["P*5e none 9 1"]);
    let book = format!("{book}sfen {after}\n5a5b none -7\n");
    // Of two that are one node the later counts, and both are written.
    assert_eq!(minimax(&book, false)[black], ["P*5e none 7 1"]);
    assert_eq!(minimax(&book, false).len(), 3);
}

#[test]
fn wins_come_soon_losses_late_and_perpetual_checks_last() {
    let outcome = |value, depth| Outcome { value, depth };
    let ascending = [
        outcome(-100, 3),
        outcome(-100, 4),
        outcome(0, PERPETUAL_CHECK),
        outcome(0, ENDLESS),
        outcome(0, 5),
        outcome(0, 4),
        outcome(7, ENDLESS),
        outcome(7, 0),
    ];
    assert!(ascending.is_sorted_by_key(|outcome| outcome.rank()));
    for pair in ascending.windows(2) {
        assert_eq!(pair[0].or(pair[1]), pair[1]);
        assert_eq!(pair[1].or(pair[0]), pair[1]);
    }
    assert_eq!(outcome(30, 9999).for_parent(), outcome(-30, 9999));
}
