//! The layout of lines and files: no line beyond rustfmt's width, comments and strings included;
//! a module with children is the `mod.rs` of its folder; tests only in files that say so.

use crate::circles::test_modules;
use crate::source::{Source, source, sources};

/// Longest line, in characters: rustfmt's width, which it does not apply to comments and strings.
const MAX_COLUMNS: usize = 100;

/// Longer lines: path, a part of the line, reason.
const LONG_LINES: &[(&str, &str, &str)] = &[(
    "src/records/csa/tests/mod.rs",
    "P4 *  *",
    "rows of a drawn board that end in a space",
)];

#[test]
fn no_line_is_too_long() {
    let folders = ["src", "tests", "benches"];
    let all: Vec<Source> = folders.into_iter().flat_map(whole_paths).collect();
    let faults: Vec<String> = all
        .iter()
        .flat_map(|file| long_lines(file, LONG_LINES))
        .collect();
    assert!(
        faults.is_empty(),
        "{} lines:\n{}",
        faults.len(),
        faults.join("\n")
    );
    for (path, part, _) in LONG_LINES {
        let is_needed = all.iter().any(|file| {
            file.path == *path && long_lines(file, &[]).iter().any(|line| line.contains(part))
        });
        assert!(
            is_needed,
            "LONG_LINES needs no line any more for {path}: {part}"
        );
    }
}

#[test]
fn a_module_with_children_lies_in_its_folder() {
    let all: Vec<Source> = ["src", "tests"].into_iter().flat_map(whole_paths).collect();
    let faults = files_beside_folders(&all);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn a_file_for_tests_says_so() {
    let faults = nameless_tests(&sources("src"));
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// The files with their paths from the root of the repository.
fn whole_paths(folder: &str) -> Vec<Source> {
    let mut files = sources(folder);
    for file in &mut files {
        file.path = format!("{folder}/{}", file.path);
    }
    files
}

fn long_lines(file: &Source, exceptions: &[(&str, &str, &str)]) -> Vec<String> {
    let is_excepted = |line: &str| {
        exceptions
            .iter()
            .any(|(path, part, _)| file.path == *path && line.contains(part))
    };
    let mut faults = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let columns = line.chars().count();
        if columns > MAX_COLUMNS && !is_excepted(line) {
            faults.push(format!(
                "{}:{}: {columns} columns: {}",
                file.path,
                index + 1,
                line.trim()
            ));
        }
    }
    faults
}

/// Complaints about each `x.rs` beside a folder `x`, which must be `x/mod.rs`. Executables right
/// in `tests` are named by Cargo and do not count.
fn files_beside_folders(files: &[Source]) -> Vec<String> {
    let mut faults = Vec::new();
    for file in files {
        let module = file.path.strip_suffix(".rs").unwrap_or(&file.path);
        let is_executable = module.starts_with("tests/") && module.matches('/').count() == 1;
        let folder = format!("{module}/");
        let has_children = files.iter().any(|other| other.path.starts_with(&folder));
        if has_children && !is_executable {
            faults.push(format!("{} must be {folder}mod.rs", file.path));
        }
    }
    faults
}

/// Files that only tests use, but whose paths have neither `tests.rs` nor `tests/`.
fn nameless_tests(files: &[Source]) -> Vec<String> {
    let mut faults = Vec::new();
    for test in test_modules(files) {
        if !test.iter().any(|name| name == "tests") {
            faults.push(format!("crate::{} is only for tests", test.join("::")));
        }
    }
    faults
}

// --- The checks themselves ---

#[test]
fn a_long_line_is_found() {
    let comment = format!("// {}", "ö".repeat(97));
    assert!(long_lines(&source("src/a.rs", &comment), &[]).is_empty());
    let longer = source("src/a.rs", &format!("//! A.\n{comment}o"));
    let found = long_lines(&longer, &[("src/b.rs", "// ", "another file")]);
    assert_eq!(found, [format!("src/a.rs:2: 101 columns: {comment}o")]);
    assert!(long_lines(&longer, &[("src/a.rs", "öo", "drawn")]).is_empty());
}

#[test]
fn a_file_beside_its_folder_is_found() {
    let found = |paths: &[&str]| {
        let files: Vec<Source> = paths.iter().map(|path| source(path, "")).collect();
        files_beside_folders(&files)
    };
    assert_eq!(
        found(&["src/a/b.rs", "src/a/b/tests.rs", "src/a/bc.rs"]),
        ["src/a/b.rs must be src/a/b/mod.rs"]
    );
    assert!(found(&["src/a/mod.rs", "src/a/b.rs", "src/b/mod.rs"]).is_empty());
    assert!(found(&["tests/a.rs", "tests/a/b.rs"]).is_empty());
}

#[test]
fn a_test_without_the_name_is_found() {
    let declared = |text| nameless_tests(&[source("a/mod.rs", text)]);
    assert_eq!(
        declared("#[cfg(test)]\nmod oracle;\nmod b;"),
        ["crate::a::oracle is only for tests"]
    );
    assert!(declared("#[cfg(test)]\nmod tests;\n#[cfg(test)]\nuse x;\nmod b;").is_empty());
}
