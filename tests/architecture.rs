//! Holds the shape of the crate: which module may use which, who may print, and that each file says
//! what it is; in the modules below, import circles and layout.
//!
//! One crate gives no compiler fence between layers, so this test reads the sources as plain text
//! and fails on a path that climbs. It knows rustfmt's layout and no more Rust than it needs;
//! comments and string literals do not count. To add a module, add its line to [`LAYERS`].

#[path = "architecture/circles.rs"]
mod circles;
#[path = "architecture/layout.rs"]
mod layout;
#[path = "architecture/rust.rs"]
mod rust;
#[path = "architecture/source.rs"]
mod source;

use std::collections::BTreeSet;

use crate::rust::{code_lines, crate_paths, word_positions};
use crate::source::{Source, source, sources};

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
    (
        "arena",
        &["engine", "usi::client", "records", "lang", "runs"],
    ),
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
    ("train", &["engine", "records", "runs"]),
    (
        "cli",
        &[
            "bench", "usi", "analysis", "page", "lang", "arena", "csa", "makebook", "train", "runs",
        ],
    ),
];

/// Words that only some modules may contain: stdout is USI only, error chains are for people.
const CONFINED: &[(&str, &[&str])] = &[
    ("println!", &["cli", "usi"]),
    ("print!", &["cli", "usi"]),
    // `runs`: an output may be `/dev/stdout` by name.
    ("stdout()", &["cli", "usi", "runs"]),
    ("clap::", &["cli"]),
    ("anyhow::", &["cli"]),
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

// --- The parser itself ---

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
