//! Holds the layers of the crate: which room (a module at the top of `src`) may use which, and who
//! may print.
//!
//! One crate gives no compiler fence between its rooms, so this test reads the sources as text and
//! relies on rustfmt's layout. To add a room, add its line to [`LAYERS`].

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A line for each room: what it may use, besides what those may use. A longer path allows only
/// that part.
const LAYERS: &str = "
    util:
    runs: util
    types: util
    bitboard: types
    position: bitboard
    movegen: position
    transposition: types
    mate: movegen
    eval: position
    search: movegen mate transposition eval
    records: movegen
    lang: records
    book: movegen records::packed records::apery_move runs
    engine: search book
    bench: engine
    usi: engine records::sfen_line
    web: bench usi
    analysis: engine records runs
    page: analysis lang records
    openings: engine records
    arena: openings usi::client lang runs
    csa: arena::engine_text engine usi::client usi::options records runs
    makebook: engine records runs
    train: openings runs
    cli: bench usi analysis page lang openings arena csa makebook train runs
";

/// Words that only some rooms may contain: stdout is USI only, error chains are for people.
const CONFINED: &[(&str, &[&str])] = &[
    ("println!", &["cli", "usi"]),
    ("print!", &["cli", "usi"]),
    // `runs`: an output may be `/dev/stdout` by name.
    ("stdout()", &["cli", "usi", "runs"]),
    // `train`: settings of a run are options as they stand.
    ("clap::", &["cli", "train"]),
    ("anyhow::", &["cli", "analysis", "makebook"]),
    ("env_logger::", &["cli"]),
];

#[test]
fn no_room_climbs_and_confined_words_stay_where_they_belong() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut folders, mut faults) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("a folder of sources").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("sources are UTF-8");
                let name = path
                    .strip_prefix(&root)
                    .expect("below it")
                    .with_extension("");
                faults.extend(faults_of(&name.to_string_lossy().replace('\\', "/"), &text));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// What the file of this name, without `.rs`, uses that its room may not use, and which words it
/// has that belong to others.
fn faults_of(name: &str, text: &str) -> Vec<String> {
    let module = name.trim_end_matches("/mod");
    let room = module.split('/').next().unwrap_or_default();
    if ["lib", "main"].contains(&module) {
        return Vec::new();
    }
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    let code: String = lines.flat_map(|line| ["\n", line]).collect();
    // This number of steps up leads to the root.
    let up = "super::".repeat(module.split('/').count());
    let code = code.replace(&format!("\nuse {up}"), "\nuse crate::");
    let allowed = allowed(room);
    let is_allowed = |[top, part]: &[&str; 2]| {
        *top == room || allowed.contains(*top) || allowed.contains(&*format!("{top}::{part}"))
    };
    let climbs = uses(&code).into_iter().filter(|path| !is_allowed(path));
    let climbs = climbs.map(|path| format!("{name}: {room} must not use {}", path.join("::")));
    let words = CONFINED.iter().filter(|(word, _)| has_word(&code, word));
    let words = words.filter(|(_, owners)| !owners.contains(&room));
    climbs
        .chain(words.map(|(word, owners)| format!("{name}: {word} belongs to {owners:?}")))
        .collect()
}

/// All that a room may use: its line of the table and, step by step, the lines of those.
fn allowed(room: &str) -> BTreeSet<&'static str> {
    let mut all = BTreeSet::new();
    let mut open = vec![room];
    while let Some(name) = open.pop() {
        let mut layers = LAYERS
            .lines()
            .filter_map(|line| line.trim().split_once(':'));
        let line = layers.find(|(layer, _)| *layer == name);
        let (_, uses) = line.unwrap_or_else(|| panic!("LAYERS does not know the room {name}"));
        let new = uses.split_whitespace().filter(|used| all.insert(*used));
        open.extend(new.map(|used| used.split("::").next().unwrap_or(used)));
    }
    all
}

/// The first two names of every path from the root of the crate; the second may be empty.
fn uses(code: &str) -> Vec<[&str; 2]> {
    let mut found = Vec::new();
    for (at, root) in code.match_indices("crate::") {
        for item in items(&code[at + root.len()..]) {
            let top = first_name(item);
            let rest = item[top.len()..].strip_prefix("::").unwrap_or_default();
            found.extend(items(rest).into_iter().map(|part| [top, first_name(part)]));
        }
    }
    found
}

/// The items of the group `{…}` at the start of the text, or the text itself as the only one.
fn items(text: &str) -> Vec<&str> {
    let Some(group) = text.strip_prefix('{') else {
        return vec![text];
    };
    let nesting = |depth: &mut i32, c: char| {
        *depth += i32::from(c == '{') - i32::from(c == '}');
        *depth
    };
    let (mut depth, mut within) = (0, 0);
    let end = group.find(|c| nesting(&mut depth, c) < 0);
    let group = &group[..end.unwrap_or(group.len())];
    let items = group.split(|c| nesting(&mut within, c) == 0 && c == ',');
    items
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .collect()
}

fn first_name(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .next()
        .unwrap_or_default()
}

/// Whether the word stands there and is not the end of a longer one.
fn has_word(code: &str, word: &str) -> bool {
    let mut places = code.match_indices(word);
    places.any(|(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[test]
fn climbing_lines_and_confined_words_are_found() {
    #[rustfmt::skip]
    let cases = [
        ("types/square", "use crate::position::Position;", 1),
        ("types/square", "use super::super::search;", 1),
        ("types/mod", "use super::{util::x, position::Position};", 1),
        ("position/see", "use crate::{\n    types::Square,\n    movegen::{legal, x},\n};", 2),
        ("usi/session", "let bench = crate::bench::run();", 1),
        ("arena/player", "use crate::usi::{client::Client, session::Session};", 1),
        ("search/mod", "println!(\"info\");\nuse anyhow::Result;", 2),
        ("search/mod", "eprintln!(\"x\"); // println! crate::usi", 0),
        ("usi/session", "use crate::records::sfen_line::{self};", 0),
        ("types/square", "use super::{File, Rank};\nuse crate::util::simple_enum;", 0),
        ("lib", "pub use crate::search::Searcher;", 0),
    ];
    for (name, text, count) in cases {
        let faults = faults_of(name, text);
        assert_eq!(faults.len(), count, "{name}: {text}: {faults:?}");
    }
}
