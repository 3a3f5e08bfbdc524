//! Holds the shape of the crate: which module may use which, who may print, that each file says
//! what it is, and that no line is longer than rustfmt's width, comments and strings included.
//!
//! One crate gives no compiler fence between layers, so this test reads the sources as plain text
//! and fails on a path that climbs. It knows rustfmt's layout and no more Rust than it needs;
//! comments and string literals do not count. To add a module, add its line to [`LAYERS`].

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each top-level module and what it may use, besides what those may use. A longer path allows only
/// that part.
const LAYERS: &[(&str, &[&str])] = &[
    ("util", &[]),
    ("runs", &["util"]),
    ("types", &["util"]),
    ("bitboard", &["types"]),
    ("position", &["bitboard"]),
    ("movegen", &["position"]),
    ("transposition", &["types"]),
    ("mate", &["movegen"]),
    ("eval", &["position"]),
    ("search", &["movegen", "mate", "transposition", "eval"]),
    ("records", &["movegen"]),
    ("lang", &["records"]),
    (
        "book",
        &["movegen", "records::packed", "records::apery_move", "runs"],
    ),
    ("engine", &["search", "book"]),
    ("bench", &["engine"]),
    ("usi", &["engine", "records::sfen_line"]),
    ("web", &["bench", "usi"]),
    ("analysis", &["engine", "records", "runs"]),
    ("page", &["analysis", "lang", "records"]),
    ("openings", &["engine", "records"]),
    ("arena", &["openings", "usi::client", "lang", "runs"]),
    (
        "csa",
        &[
            "arena::engine_text",
            "engine",
            "usi::client",
            "usi::options",
            "records",
            "runs",
        ],
    ),
    ("makebook", &["engine", "records", "runs"]),
    ("train", &["openings", "runs"]),
    (
        "cli",
        &[
            "bench", "usi", "analysis", "page", "lang", "openings", "arena", "csa", "makebook",
            "train", "runs",
        ],
    ),
];

/// Words that only some modules may contain: stdout is USI only, error chains are for people.
const CONFINED: &[(&str, &[&str])] = &[
    ("println!", &["cli", "usi"]),
    ("print!", &["cli", "usi"]),
    // `runs`: an output may be `/dev/stdout` by name.
    ("stdout()", &["cli", "usi", "runs"]),
    // `train`: settings of a run are options as they stand.
    ("clap::", &["cli", "train"]),
    ("anyhow::", &["cli", "analysis", "arena", "csa", "makebook"]),
    ("env_logger::", &["cli"]),
];

#[test]
fn no_module_climbs() {
    let faults: Vec<String> = sources("src").iter().flat_map(Source::climbs).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn confined_words_stay_where_they_belong() {
    let faults: Vec<String> = sources("src")
        .iter()
        .flat_map(Source::confined_words)
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_file_says_what_it_is() {
    let sources = sources("src");
    let nameless = sources.iter().filter(|source| !source.says_what_it_is());
    let nameless: Vec<&str> = nameless.map(|source| &*source.path).collect();
    assert!(nameless.is_empty(), "no `//!` at the top: {nameless:?}");
}

/// A row of a drawn board may end in a space, which would be lost on a line of its own.
const LONG_LINES: &[(&str, &str)] = &[("records/csa/tests.rs", "P4 *  *")];

#[test]
fn no_line_is_too_long() {
    let mut faults = Vec::new();
    for source in ["src", "tests", "benches"].into_iter().flat_map(sources) {
        for (index, line) in source.text.lines().enumerate() {
            let is_known = LONG_LINES
                .iter()
                .any(|(path, part)| source.path == *path && line.contains(part));
            if line.chars().count() > 100 && !is_known {
                faults.push(format!("{}:{}", source.path, index + 1));
            }
        }
    }
    assert!(faults.is_empty(), "over 100 columns: {faults:?}");
}

#[test]
fn the_table_has_no_cycle_and_no_unknown_name() {
    for (index, (module, uses)) in LAYERS.iter().enumerate() {
        for used in *uses {
            let top = used.split("::").next();
            let below = LAYERS[..index].iter().any(|(name, _)| Some(*name) == top);
            assert!(
                below,
                "{module} may use {used}, which must stand above it in the table"
            );
        }
    }
}

// --- Checks of one file ---

impl Source {
    fn climbs(&self) -> Vec<String> {
        let module = self.module();
        let Some(user) = module.first() else {
            return Vec::new();
        };
        let allowed = allowed(user);
        crate_paths(&module, &self.text)
            .into_iter()
            .filter(|(_, path)| path.first().is_none_or(|top| top != user))
            .filter(|(_, path)| !allowed.iter().any(|prefix| starts_with(path, prefix)))
            .map(|(line, path)| {
                let target = path.join("::");
                format!(
                    "src/{}:{line}: {user} must not use crate::{target}",
                    self.path
                )
            })
            .collect()
    }

    fn confined_words(&self) -> Vec<String> {
        let module = self.module();
        let Some(user) = module.first() else {
            return Vec::new();
        };
        let mut faults = Vec::new();
        for (number, line) in code_lines(&self.text).iter().enumerate() {
            for (word, owners) in CONFINED {
                if !owners.contains(user) && word_positions(line, word).next().is_some() {
                    let number = number + 1;
                    faults.push(format!(
                        "src/{}:{number}: {word} belongs to {owners:?}",
                        self.path
                    ));
                }
            }
        }
        faults
    }

    fn says_what_it_is(&self) -> bool {
        self.text.starts_with("//!")
    }
}

// --- Layers ---

/// All path prefixes that a module may use: its line of the table and, step by step, the lines of
/// those.
fn allowed(module: &str) -> BTreeSet<&'static str> {
    let mut all = BTreeSet::new();
    let mut open = vec![module];
    while let Some(name) = open.pop() {
        let line = LAYERS.iter().find(|(layer, _)| *layer == name);
        let (_, uses) =
            line.unwrap_or_else(|| panic!("src has a module {name} that LAYERS does not know"));
        for used in *uses {
            if all.insert(*used) {
                open.push(used.split("::").next().unwrap_or(used));
            }
        }
    }
    all
}

fn starts_with(path: &[String], prefix: &str) -> bool {
    let mut path = path.iter();
    prefix
        .split("::")
        .all(|name| path.next().is_some_and(|segment| segment == name))
}

// --- The files ---

/// One file, named by its path below the folder that was read.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The path of the module that this file is, without `crate`; empty for the two roots.
    fn module(&self) -> Vec<&str> {
        let stem = self.path.strip_suffix(".rs").unwrap_or(&self.path);
        let mut module: Vec<&str> = stem.split('/').collect();
        if matches!(module.last(), Some(&"mod")) || matches!(module[..], ["lib" | "main"]) {
            module.pop();
        }
        module
    }
}

/// All Rust files below `folder` of the repository, in order of their paths, without what a build
/// leaves there.
fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut folders = vec![root.clone()];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(open) = folders.pop() {
        for entry in fs::read_dir(open).expect("folders of sources can be listed") {
            let path = entry.expect("folders of sources can be listed").path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(!files.is_empty());
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).expect("sources are UTF-8");
        let path = file.strip_prefix(&root).expect("below the folder");
        Source {
            path: path.to_string_lossy().replace('\\', "/"),
            text,
        }
    };
    files.into_iter().map(read).collect()
}

/// A file that a test makes up.
fn source(path: &str, text: &str) -> Source {
    Source {
        path: path.to_string(),
        text: text.to_string(),
    }
}

// --- As much of Rust's grammar as is needed ---

/// Every path that the text reaches through `crate::` or `super::`, from the crate root, with its
/// line number.
fn crate_paths(module: &[&str], text: &str) -> Vec<(usize, Vec<String>)> {
    let lines = code_lines(text);
    let nested = inline_modules(&lines);
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        for (keyword, position) in ["crate::", "super::"]
            .iter()
            .flat_map(|word| word_positions(line, word).map(move |position| (*word, position)))
        {
            let mut prefix: Vec<String> = Vec::new();
            if keyword == "super::" {
                prefix.extend(module.iter().map(ToString::to_string));
                prefix.extend(nested[index].iter().cloned());
                prefix.pop();
            }
            // A `use` can go on over the next lines.
            let mut rest = line[position + keyword.len()..].to_string();
            for next in &lines[index + 1..] {
                rest.push(' ');
                rest.push_str(next);
                if next.contains(';') {
                    break;
                }
            }
            let mut leaves = Vec::new();
            use_tree(&rest, prefix, &mut leaves);
            found.extend(leaves.into_iter().map(|path| (index + 1, path)));
        }
    }
    found
}

/// Reads one tree such as `a::{b, c::d as e}` from the start of the text and returns what follows
/// it.
fn use_tree<'a>(text: &'a str, mut path: Vec<String>, out: &mut Vec<Vec<String>>) -> &'a str {
    let mut text = text.trim_start();
    loop {
        if let Some(mut group) = text.strip_prefix('{') {
            loop {
                group = group.trim_start().trim_start_matches(',').trim_start();
                if group.is_empty() || group.starts_with('}') {
                    return group.strip_prefix('}').unwrap_or(group);
                }
                let after = use_tree(group, path.clone(), out);
                group = &after[after.find([',', '}']).unwrap_or(after.len())..];
            }
        }
        let (name, rest) = leading_name(text);
        match name {
            "" => break,
            "self" => {}
            "super" => drop(path.pop()),
            name => path.push(name.to_string()),
        }
        text = rest;
        match text.strip_prefix("::") {
            Some(rest) => text = rest.trim_start(),
            None => break,
        }
    }
    out.push(path);
    text
}

/// The name at the start of the text, which can be empty, and what follows it.
fn leading_name(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    text.split_at(end.unwrap_or(text.len()))
}

/// The lines without comments and without the contents of string literals.
fn code_lines(text: &str) -> Vec<String> {
    let code = |line: &str| {
        let mut out = String::new();
        let mut in_string = false;
        let mut characters = line.chars().peekable();
        let mut last = ' ';
        while let Some(character) = characters.next() {
            match character {
                '\\' if in_string => drop(characters.next()),
                '"' if last == '\'' && characters.peek() == Some(&'\'') => {}
                '"' => in_string = !in_string,
                _ if in_string => {}
                '/' if characters.peek() == Some(&'/') => break,
                _ => out.push(character),
            }
            last = character;
        }
        out
    };
    text.lines().map(code).collect()
}

/// For each line, the names of the inline modules around it. Relies on rustfmt: `mod name {` ends
/// at its own indent.
fn inline_modules(lines: &[String]) -> Vec<Vec<String>> {
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut around = Vec::new();
    for line in lines {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if code.trim_end() == "}" && open.last().is_some_and(|(at, _)| *at == indent) {
            open.pop();
        }
        around.push(open.iter().map(|(_, name)| name.clone()).collect());
        let words: Vec<&str> = code.split_whitespace().collect();
        if let ["mod", name, "{"] | [_, "mod", name, "{"] = words[..] {
            open.push((indent, name.to_string()));
        }
    }
    around
}

/// Where `word` stands in the line and is not the end of a longer name or path.
fn word_positions<'a>(line: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let starts_alone = |position: &usize| {
        let before = line[..*position].chars().next_back();
        before
            .is_none_or(|c| !c.is_alphanumeric() && c != '_' && (c != ':' || !word.ends_with("::")))
    };
    line.match_indices(word)
        .map(|(position, _)| position)
        .filter(starts_alone)
}

// --- The checks themselves ---

#[test]
fn a_climbing_line_is_found() {
    let climbing = [
        ("types/square.rs", "use crate::position::Position;"),
        ("types/square.rs", "use super::super::search;"),
        ("types/mod.rs", "use super::{util::x, position::Position};"),
        ("types/mod.rs", "fn f(board: &crate::bitboard::Bitboard) {}"),
        (
            "position/see.rs",
            "use crate::{\n    types::Square,\n    movegen::legal_moves,\n};",
        ),
        (
            "position/see.rs",
            "mod tests {\n    use super::super::super::eval::Evaluator;\n}",
        ),
        (
            "transposition.rs",
            "pub(crate) use crate::movegen as generator;",
        ),
        (
            "transposition.rs",
            "macro_rules! m { () => { $crate::position::x() } }",
        ),
        ("usi/session.rs", "use crate::records::csa;"),
        ("usi/session.rs", "let bench = crate::bench::run();"),
        ("bench.rs", "use crate::usi;"),
        ("arena/player.rs", "use crate::usi::session::Session;"),
        ("util/mod.rs", "use crate::*;"),
    ];
    for (path, text) in climbing {
        assert_eq!(source(path, text).climbs().len(), 1, "{path}: {text}");
    }
}

#[test]
fn allowed_lines_pass() {
    let fine = [
        (
            "types/square.rs",
            "use super::{File, Rank};\nuse crate::util::simple_enum;",
        ),
        (
            "search/mod.rs",
            "use crate::{eval::Evaluator as E, movegen, types::{Move, value}};",
        ),
        (
            "position/see.rs",
            "mod tests {\n    use super::*;\n    use super::super::Position;\n}\nuse super::Board;",
        ),
        (
            "position/see.rs",
            "// use crate::search;\nlet url = \"https://x crate::search\"; // crate::eval",
        ),
        ("usi/session.rs", "use crate::records::sfen_line::{self};"),
        ("arena/player.rs", "use crate::usi::client::Client;"),
        (
            "cli/perft.rs",
            "use crate::{bench, movegen::perft, records::csa, util};",
        ),
        (
            "position/mod.rs",
            "pub(in crate::position) fn f() -> crate::types::Value { '\"'; 0 }",
        ),
        ("lib.rs", "pub use crate::search::Searcher;"),
    ];
    for (path, text) in fine {
        assert_eq!(source(path, text).climbs(), Vec::<String>::new(), "{path}");
    }
}

#[test]
fn confined_words_are_found() {
    assert_eq!(
        source("search/mod.rs", "println!(\"info\");")
            .confined_words()
            .len(),
        1
    );
    assert_eq!(
        source("search/mod.rs", "use anyhow::Result;")
            .confined_words()
            .len(),
        1
    );
    assert_eq!(
        source("search/mod.rs", "let out = std::io::stdout().lock();")
            .confined_words()
            .len(),
        1
    );
    assert!(
        source("search/mod.rs", "eprintln!(\"x\"); // println!")
            .confined_words()
            .is_empty()
    );
    assert!(
        source("cli/mod.rs", "println!(\"x\");")
            .confined_words()
            .is_empty()
    );
}

#[test]
fn a_nameless_file_is_found() {
    assert!(!source("types/x.rs", "use std::fs;\n").says_what_it_is());
    assert!(source("types/x.rs", "//! Short.\n").says_what_it_is());
}
