//! Damaged and odd files against what `YaneuraOu` does with them. Needs `RAICHO_CORPORA`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::common::{corpora, legal_move, rows};
use crate::runner::Text;
use raicho::book::{Book, BookOptions, BookReader, Library, probe};
use raicho::position::Position;

/// Files where the answer differs from `YaneuraOu`'s, and how: the guide gives the reasons.
#[rustfmt::skip]
const DIFFERENCES: &[(&str, &str)] = &[
    ("all_ply_1.db", "plies are ignored"),
    ("big_numbers.db", "values are limited to 32 bits, not wrapped"),
    ("blank_lines.db", "on the fly all moves, not only those before a blank line"),
    ("bom_no_header.db", "on the fly the first position is found"),
    ("comments.db", "on the fly moves behind a blank line are found"),
    ("cr_only.db", "on the fly too"),
    ("double_space.db", "positions are compared, not their text"),
    ("hand_order.db", "positions are compared, not their text"),
    ("illegal_moves.db", "a promotion outside of the zone is dropped"),
    ("no_header.db", "on the fly the first position is found"),
    ("no_ply.db", "a position without a ply is found at any"),
    ("plus_sign.db", "a negative count is 0"),
    ("unsorted.db", "loaded instead of searched on the fly"),
    ("unsorted.ybb", "sorted when it is loaded, also instead of searched on the fly"),
];

/// A file, `memory` or `fly`, and `ply` or `ignoreply`.
type Case = (String, String, String);

fn folder() -> Option<PathBuf> {
    Some(corpora()?.join("books/malformed"))
}

fn position_after(moves: &str) -> Position {
    let mut position = Position::startpos();
    for text in moves.split(' ').filter(|&text| text != "startpos") {
        position.do_move(legal_move(&position, text));
    }
    position
}

/// What the corpus says about each position of a case. `=` and `*` are those of the base file.
fn expectations(rows: Vec<[String; 6]>) -> BTreeMap<Case, BTreeMap<String, String>> {
    let mut cases: BTreeMap<Case, BTreeMap<String, String>> = BTreeMap::new();
    for [name, mode, ply, moves, result, _] in rows {
        let result = result.split(" illegal=").next().unwrap_or_default();
        let results = cases.entry((name, mode, ply)).or_default();
        results.insert(moves, result.trim().to_owned());
    }
    let mut whole = cases.clone();
    for ((name, mode, ply), results) in &mut whole {
        let extension = name.rsplit('.').next().unwrap_or_default();
        let base = || &cases[&(format!("base.{extension}"), mode.clone(), ply.clone())];
        if let Some(all) = results.remove("*") {
            *results = base().keys().map(|moves| (moves.clone(), all.clone())).collect();
        }
        for (moves, result) in results.iter_mut().filter(|(_, result)| *result == "=") {
            result.clone_from(&base()[moves]);
        }
    }
    whole
}

/// The moves that are listed, in the words of the corpus.
fn listing(library: &Library, position: &Position, options: &BookOptions) -> String {
    let probed = probe(library, position, options);
    if probed.moves.is_empty() {
        return "miss".to_owned();
    }
    let sum: u64 = probed.moves.iter().map(|probed| probed.known.count).sum();
    let moves = probed.moves.iter().map(|probed| {
        let known = &probed.known;
        let share = match sum {
            0 => "-".to_owned(),
            sum => {
                let hundredths = (known.count * 20_000 + sum) / (2 * sum);
                format!("{}.{:02}", hundredths / 100, hundredths % 100)
            }
        };
        format!("{}:cp{}:{}:{share}", probed.mv, known.value, known.depth)
    });
    format!("hit {}", moves.collect::<Vec<_>>().join(" "))
}

#[test]
fn files_answer_as_in_yaneuraou_or_better() {
    let Some(folder) = folder() else {
        return;
    };
    let rows = rows("books/malformed_yaneuraou.tsv", 1);
    let mut differing: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for ((name, mode, ply), results) in expectations(rows) {
        let options = BookOptions {
            max_ply: 10_000,
            depth_limits: [0; 2],
            ignores_ply: ply == "ignoreply",
            finds_flipped: false,
            ..BookOptions::default()
        };
        let book = Book::open(&folder.join(&name), mode == "fly");
        let library = Library::new(book.into_iter().collect());
        for (moves, expected) in results {
            let found = listing(&library, &position_after(&moves), &options);
            if found != expected {
                let text = format!("{mode} {ply} {moves}\n    {expected}\n    {found}");
                differing.entry(name.clone()).or_default().insert(text);
            }
        }
    }
    println!("{differing:#?}");
    let expected: BTreeSet<&str> = DIFFERENCES.iter().map(|(name, _)| *name).collect();
    let found: BTreeSet<&str> = differing.keys().map(String::as_str).collect();
    assert_eq!(found, expected);
}

/// The faults of a file, by reading it whole.
fn faults(path: &Path) -> Vec<String> {
    match BookReader::open(path) {
        Err(error) => vec![error.to_string()],
        Ok(reader) => {
            let faults = reader.filter_map(Result::err);
            faults.map(|fault| fault.to_string()).collect()
        }
    }
}

/// Each file with a fault, and a part of its first one.
#[rustfmt::skip]
const FAULTS: &[(&str, &str)] = &[
    ("bad_magic.ybb", "magic \"YANE-BINBOOK-V2\""),
    ("bad_sfen.db", "line 2: 'garbage' has 1 field"),
    ("count_huge.ybb", "an index of 9223372036854775808 positions"),
    ("count_too_big.ybb", "an index of 1000000 positions"),
    ("empty.bin", "the file is empty"),
    ("empty.db", "the file is empty"),
    ("empty.sbk", "the file is empty"),
    ("empty.ybb", "the file is empty"),
    ("illegal_move.bin", "key eebe8ee7e1ad7e15: illegal move P*5e"),
    ("illegal_moves.db", "line 32: \"9z9z none 60 20 9\" is no move"),
    ("leading_space.db", "line 2: a line of a position must begin with \"sfen\""),
    ("moves_before_sfen.db", "line 2: a move before the first position"),
    ("nul_bytes.db", "line 34: "),
    ("offset_out_of_range.ybb", "position 0 of the index: the moves lie outside"),
    ("truncated.bin", "byte 304: 9 bytes at the end"),
    ("truncated.sbk", "byte 637: a field is longer than the rest"),
    ("truncated_header.ybb", "20 bytes, expected a header of 32"),
    ("truncated_index.ybb", "an index of 12 positions"),
    ("truncated_moves.ybb", "position 4 of the index: the moves lie outside"),
    ("unknown_flags.ybb", "flags 0x3"),
    ("utf16.db", "UTF-16"),
];

#[test]
fn faults_are_named_with_their_place() {
    let Some(folder) = folder() else {
        return;
    };
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let is_book = path.extension().is_some_and(|extension| extension != "tsv");
        if is_book && let Some(first) = faults(&path).first() {
            let expected = FAULTS.iter().find(|(named, _)| *named == name);
            let (_, part) = expected.unwrap_or_else(|| panic!("{name}: {first}"));
            first.must_have(part);
            found.insert(name);
        }
    }
    assert_eq!(found.len(), FAULTS.len());
}
