//! Holds the layers of the crate: which room (a module at the top of `src`) may use which, and who
//! may print.
//!
//! One crate gives no compiler fence between its rooms, so this test reads the sources as text. To
//! add a room, add its line to [`LAYERS`].

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
    book: movegen records::packed runs
    engine: search book
    bench: engine
    usi: engine lang records::sfen_line
    web: bench usi
    analysis: engine records runs
    page: analysis lang records
    openings: engine records
    arena: openings usi::client lang runs
    csa: arena::settings engine usi::client usi::options records runs
    makebook: engine records runs
    train: openings runs
    cli: bench usi analysis page lang openings arena csa makebook train runs
";

/// Words that only some rooms may contain: stdout is USI only, error chains are for people.
const CONFINED: &[(&str, &[&str])] = &cases! {
    "println!" => &["cli", "usi"];
    "print!" => &["cli", "usi"];
    // `runs`: an output may be `/dev/stdout` by name.
    "stdout()" => &["cli", "usi", "runs"];
    // `train`: settings of a run are options as they stand.
    "clap::" => &["cli", "train"];
    // `util`: the trait that names a file in an error of those rooms.
    "anyhow::" => &["cli", "analysis", "arena", "csa", "makebook", "train", "util"];
    "env_logger::" => &["cli"];
};

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
                let name = path.with_extension("");
                let name = name.strip_prefix(&root).expect("below it").to_string_lossy();
                faults.extend(faults_of(&name.replace('\\', "/"), &text));
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
    let lines = text.lines().filter_map(|line| line.split("//").next());
    let code: String = lines.flat_map(|line| ["\n", line]).collect();
    // This number of steps up leads to the root.
    let up = "super::".repeat(module.split('/').count());
    let code = code.replace(&format!("\nuse {up}"), "\nuse crate::");
    let allowed = allowed(room);
    let is_allowed = |[top, part]: &[&str; 2]| {
        *top == room || allowed.contains(*top) || allowed.contains(&*format!("{top}::{part}"))
    };
    let climbs = uses(&code).filter(|path| !is_allowed(path));
    let climbs = climbs.map(|path| format!("{name}: {room} must not use {}", path.join("::")));
    let code = code.replace("eprint", "");
    let words = CONFINED.iter().filter(|(_, owners)| !owners.contains(&room));
    let words = words.filter(|(word, _)| code.contains(word));
    let words = words.map(|(word, owners)| format!("{name}: {word} belongs to {owners:?}"));
    climbs.chain(words).collect()
}

/// All that a room may use: its line of the table and, step by step, the lines of those.
fn allowed(room: &str) -> BTreeSet<&'static str> {
    let mut all = BTreeSet::new();
    let mut open = vec![room];
    while let Some(name) = open.pop() {
        let mut layers = LAYERS.lines().filter_map(|line| line.split_once(':'));
        let line = layers.find(|(layer, _)| layer.trim() == name);
        let (_, uses) = line.unwrap_or_else(|| panic!("LAYERS does not know the room {name}"));
        let new = uses.split_whitespace().filter(|used| all.insert(*used));
        open.extend(new.map(|used| used.split("::").next().unwrap_or(used)));
    }
    all
}

/// The first two names of every path from the root of the crate; the second may be empty.
fn uses(code: &str) -> impl Iterator<Item = [&str; 2]> {
    code.split("crate::").skip(1).flat_map(members).map(|path| {
        let is_end = |c: char| !c.is_alphanumeric() && c != '_';
        let (top, rest) = path.split_at(path.find(is_end).unwrap_or(path.len()));
        let rest = rest.strip_prefix("::").unwrap_or_default();
        [top, &rest[..rest.find(is_end).unwrap_or(rest.len())]]
    })
}

/// The paths of a group `{a::b, c::{d, e}, …}`; a path that is not one stands for itself.
fn members(path: &str) -> Vec<&str> {
    let Some(group) = path.strip_prefix('{') else {
        return vec![path];
    };
    let mut depth = 0;
    let mut starts_at_comma = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0 && c == ',' || depth < 0
    };
    let end = group.find(';').unwrap_or(group.len());
    let members = group[..end].split(&mut starts_at_comma).map(str::trim);
    members.filter(|member| !member.is_empty()).collect()
}

#[test]
fn climbing_lines_and_confined_words_are_found() {
    let cases = cases! {
        "types/square", "use crate::position::Position;" => 1;
        "types/square", "use super::super::search;" => 1;
        "types/mod", "use super::{util::x, position::Position};" => 1;
        "position/see", "use crate::{types::Square, bitboard::{line, x}};" => 0;
        "position/see", "use crate::{types::{Square, Move}, search::Worker};" => 1;
        "usi/session", "let bench = crate::bench::run();" => 1;
        "arena/player", "use crate::usi::session::Session;\nuse crate::usi::client::Client;" => 1;
        "search/mod", "println!(\"info\");\nuse anyhow::Result;" => 2;
        "search/mod", "eprintln!(\"x\"); // println! crate::usi" => 0;
        "usi/session", "use crate::records::sfen_line::{SfenLine, x};" => 0;
        "types/square", "use super::{File, Rank};\nuse crate::util::simple_enum;" => 0;
        "lib", "pub use crate::search::Searcher;" => 0;
    };
    for (name, text, count) in cases {
        let faults = faults_of(name, text);
        assert_eq!(faults.len(), count, "{name}: {text}: {faults:?}");
    }
}
