//! Books of the corpora, sorted and merged.

use std::collections::BTreeMap;
use std::fs;

use super::*;
use crate::runs::{Stop, Watch};

/// The folder of the books, unless there is none.
fn books() -> Option<PathBuf> {
    let folder = std::env::var_os("RAICHO_CORPORA");
    if folder.is_none() {
        eprintln!("skipped: RAICHO_CORPORA is not set");
    }
    Some(Path::new(&folder?).join("books"))
}

fn merged(name: &str, inputs: &[PathBuf], rule: MergeRule, memory: u64) -> String {
    merged_sides(name, inputs, (rule, &[]), memory)
}

fn merged_sides(
    name: &str,
    inputs: &[PathBuf],
    (rule, sides): (MergeRule, &[Option<Color>]),
    memory: u64,
) -> String {
    let out = std::env::temp_dir().join(format!("raicho-merge-{name}-{}.db", std::process::id()));
    let settings = MergeSettings {
        rule,
        sides: sides.to_vec(),
        memory,
        threads: 2,
    };
    let watch = Watch {
        stop: &Stop::new(),
        progress: &|_, _| {},
    };
    merge(inputs, (&out, BookFormat::Db), &settings, &watch).expect("a book");
    let text = fs::read_to_string(&out).expect("the book");
    fs::remove_file(&out).expect("the book is there");
    text
}

/// The lines of the moves by position.
fn nodes(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut nodes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut open = String::new();
    for line in text.lines().map(str::trim_end) {
        if line.starts_with("sfen ") {
            line.clone_into(&mut open);
        } else if !line.starts_with('#') {
            nodes.entry(open.clone()).or_default().push(line.to_owned());
        }
    }
    nodes
}

const LARGE: u64 = 1 << 30;

#[test]
fn a_book_is_sorted_as_yaneuraou_sorts_it() {
    let Some(books) = books() else { return };
    let expected = fs::read_to_string(books.join("games_sorted.db")).expect("a book");
    let input = [books.join("games.db")];
    for (name, memory) in [("sort", LARGE), ("sort-in-files", 0)] {
        let found = merged(name, &input, MergeRule::Deeper, memory);
        assert_eq!(found, expected.replace("\r\n", "\n"));
    }
}

#[test]
fn books_are_merged_as_yaneuraou_merges_them() {
    let Some(books) = books() else { return };
    let inputs = ["games_sorted.db", "from_sfen.db"].map(|name| books.join(name));
    let expected = fs::read_to_string(books.join("merged.db")).expect("a book");
    let found = merged("two", &inputs, MergeRule::Deeper, LARGE);
    assert_eq!(nodes(&found), nodes(&expected));
    let expected = fs::read_to_string(books.join("merged_bw.db")).expect("a book");
    let sides = [Some(Color::Black), Some(Color::White)];
    let found = merged_sides("sides", &inputs, (MergeRule::Deeper, &sides), LARGE);
    assert_eq!(nodes(&found), nodes(&expected));
}

#[test]
fn merging_a_book_with_itself_changes_nothing() {
    let Some(books) = books() else { return };
    let input = books.join("games.db");
    let sorted = merged(
        "once",
        std::slice::from_ref(&input),
        MergeRule::Deeper,
        LARGE,
    );
    for rule in [MergeRule::Deeper, MergeRule::Newer] {
        let twice = [input.clone(), input.clone()];
        assert_eq!(
            merged(&format!("twice-{rule}"), &twice, rule, LARGE),
            sorted
        );
    }
}
