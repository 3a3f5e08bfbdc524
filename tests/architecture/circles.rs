//! Refuses import circles between the files of one top-level module.
//!
//! A file uses another if its code names it by `crate::`, `super::`, `self::` or the name of a
//! child. A name that a module re-exports counts as a use of the file that the name comes from, and
//! the re-export of a child is a use of it only where the file needs the name itself. Tests,
//! whether in a file of their own or inline, may use what they like.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::rust::{Leaf, code_lines, inline_modules, leading_name, use_tree, word_positions};
use crate::source::{Source, source, sources};

/// Most re-exports between a name and its origin.
const MOST_STEPS: usize = 8;

#[test]
fn no_files_of_one_module_use_each_other_in_a_circle() {
    let circles = Graph::of(&sources("src")).circles();
    assert!(circles.is_empty(), "\n{}", circles.join("\n\n"));
}

// --- The graph ---

/// Which file uses which, by index, with the first line that says so.
struct Graph {
    files: Vec<String>,
    uses: Vec<BTreeMap<usize, usize>>,
}

impl Graph {
    fn of(sources: &[Source]) -> Self {
        let crate_modules = CrateModules::of(sources);
        let modules = &crate_modules.modules;
        let uses = |(index, module): (usize, &Module)| {
            let mut lines = BTreeMap::new();
            for (line, path) in module.paths() {
                let target = crate_modules.origin(&path, MOST_STEPS);
                if let Some(target) = target
                    && target != index
                    && modules[target].path[0] == module.path[0]
                {
                    lines.entry(target).or_insert(line);
                }
            }
            lines
        };
        Self {
            files: modules.iter().map(|module| module.file.clone()).collect(),
            uses: modules.iter().enumerate().map(uses).collect(),
        }
    }

    /// One text for each set of files that all reach each other: a shortest circle, and all uses
    /// between them.
    fn circles(&self) -> Vec<String> {
        let reached: Vec<BTreeSet<usize>> = (0..self.files.len())
            .map(|file| self.reached_from(file))
            .collect();
        let mut told = BTreeSet::new();
        let mut texts = Vec::new();
        for file in 0..self.files.len() {
            if !reached[file].contains(&file) || told.contains(&file) {
                continue;
            }
            let together = |other: &usize| reached[*other].contains(&file);
            let knot: BTreeSet<usize> = reached[file].iter().copied().filter(together).collect();
            texts.push(self.text(&knot));
            told.extend(knot);
        }
        texts
    }

    fn reached_from(&self, file: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut open = vec![file];
        while let Some(next) = open.pop() {
            open.extend(self.uses[next].keys().filter(|used| reached.insert(**used)));
        }
        reached
    }

    fn text(&self, knot: &BTreeSet<usize>) -> String {
        let circles = knot.iter().map(|file| self.shortest_circle(*file));
        let shortest = circles.min_by_key(Vec::len).unwrap_or_default();
        let names: Vec<&str> = shortest.iter().map(|file| &*self.files[*file]).collect();
        let mut lines = vec![format!("circle: {}", names.join(" -> "))];
        if knot.len() + 1 > shortest.len() {
            lines.push(format!("{} files use each other:", knot.len()));
        }
        for file in knot {
            for (used, line) in &self.uses[*file] {
                if knot.contains(used) {
                    let (file, used) = (&self.files[*file], &self.files[*used]);
                    lines.push(format!("  src/{file}:{line} uses src/{used}"));
                }
            }
        }
        lines.join("\n")
    }

    /// From the file back to itself, which must be possible.
    fn shortest_circle(&self, file: usize) -> Vec<usize> {
        let mut open = VecDeque::from([vec![file]]);
        let mut seen = BTreeSet::new();
        while let Some(way) = open.pop_front() {
            for used in self.uses[way[way.len() - 1]].keys() {
                let longer = [&way[..], &[*used]].concat();
                if *used == file {
                    return longer;
                }
                if seen.insert(*used) {
                    open.push_back(longer);
                }
            }
        }
        unreachable!("a file of a knot reaches itself");
    }
}

// --- Modules ---

/// What a `use` brings into the scope of a module.
struct Import {
    line: usize,
    path: Vec<String>,
    is_reexport_of_child: bool,
}

/// One file without its tests.
struct Module {
    file: String,
    path: Vec<String>,
    lines: Vec<String>,
    /// For each line, the inline modules around it.
    nested: Vec<Vec<String>>,
    /// For each line, whether it belongs to a `use`.
    is_use: Vec<bool>,
    children: Vec<String>,
    imports: BTreeMap<String, Vec<Import>>,
}

impl Module {
    fn of(source: &Source) -> Self {
        let lines = production_lines(&source.text);
        let path: Vec<String> = source.module().into_iter().map(str::to_owned).collect();
        let children = declared_children(&lines, false);
        let mut module = Self {
            file: source.path.clone(),
            nested: inline_modules(&lines),
            is_use: vec![false; lines.len()],
            imports: BTreeMap::new(),
            path,
            lines,
            children,
        };
        module.read_imports();
        module
    }

    fn read_imports(&mut self) {
        let mut index = 0;
        while index < self.lines.len() {
            let first = index;
            index += 1;
            let Some((is_public, start)) = use_statement(&self.lines[first]) else {
                continue;
            };
            let mut statement = start.to_owned();
            while !statement.contains(';') && index < self.lines.len() {
                statement.push(' ');
                statement.push_str(self.lines[index].trim());
                index += 1;
            }
            self.is_use[first..index].fill(true);
            let Some((prefix, rest)) = self.prefix(first, &statement) else {
                continue;
            };
            let mut leaves: Vec<Leaf> = Vec::new();
            use_tree(rest, prefix, &mut leaves);
            for leaf in leaves {
                let is_child =
                    leaf.path.starts_with(&self.path) && leaf.path.len() > self.path.len();
                let import = Import {
                    line: first + 1,
                    is_reexport_of_child: is_public && is_child,
                    path: leaf.path.clone(),
                };
                let same_name = self.imports.entry(leaf.name().to_owned());
                same_name.or_default().push(import);
            }
        }
    }

    /// From where the path at the start of `text` is counted, and what follows of it; `None` for a
    /// path into another crate, or to a name of this file.
    fn prefix<'a>(&self, line: usize, text: &'a str) -> Option<(Vec<String>, &'a str)> {
        let (first, after) = leading_name(text);
        let here = || [&self.path[..], &self.nested[line]].concat();
        match first {
            "crate" => Some((Vec::new(), after.strip_prefix("::")?)),
            "self" => Some((here(), after.strip_prefix("::")?)),
            "super" => Some((here(), text)),
            child if self.children.iter().any(|name| name == child) => Some((here(), text)),
            _ => None,
        }
    }

    /// Every path of the code that leads into the crate, from its root, with its line.
    fn paths(&self) -> Vec<(usize, Vec<String>)> {
        let mut found = Vec::new();
        for (name, imports) in &self.imports {
            for import in imports {
                if !import.is_reexport_of_child || self.needs(name) {
                    found.push((import.line, import.path.clone()));
                }
            }
        }
        let children = self.children.iter().map(|child| format!("{child}::"));
        let words: Vec<String> = ["crate::", "super::", "self::"]
            .map(str::to_owned)
            .into_iter()
            .chain(children)
            .collect();
        for (index, line) in self.lines.iter().enumerate() {
            for word in &words {
                for position in word_positions(line, word) {
                    // A visibility is no use.
                    if self.is_use[index] || line[..position].ends_with("(in ") {
                        continue;
                    }
                    if let Some((prefix, rest)) = self.prefix(index, &line[position..]) {
                        let mut leaves = Vec::new();
                        use_tree(rest, prefix, &mut leaves);
                        found.extend(leaves.into_iter().map(|leaf| (index + 1, leaf.path)));
                    }
                }
            }
        }
        found.sort();
        found
    }

    /// Whether the code outside `use` has this name.
    fn needs(&self, name: &str) -> bool {
        let has = |line: &str| {
            word_positions(line, name).any(|position| {
                leading_name(&line[position..]) == (name, &line[position + name.len()..])
            })
        };
        let mut lines = self.lines.iter().zip(&self.is_use);
        lines.any(|(line, is_use)| !is_use && has(line))
    }
}

/// The files of the crate that are no tests.
struct CrateModules {
    modules: Vec<Module>,
    by_path: BTreeMap<Vec<String>, usize>,
}

impl CrateModules {
    fn of(sources: &[Source]) -> Self {
        let tests = test_modules(sources);
        let is_production = |module: &Module| {
            let is_test = tests.iter().any(|test| module.path.starts_with(test));
            !module.path.is_empty() && !is_test
        };
        let all = sources.iter().map(Module::of);
        let modules: Vec<Module> = all.filter(is_production).collect();
        let paths = modules.iter().map(|module| module.path.clone());
        Self {
            by_path: paths.zip(0..).collect(),
            modules,
        }
    }

    /// The file in which the last name of a path is at home.
    fn origin(&self, path: &[String], steps: usize) -> Option<usize> {
        let length =
            (1..=path.len()).rfind(|length| self.by_path.contains_key(&path[..*length]))?;
        let module = self.by_path[&path[..length]];
        let elsewhere = || {
            let imports = self.modules[module].imports.get(path.get(length)?)?;
            let import = &imports.first()?.path;
            self.origin(
                &[import, &path[length + 1..]].concat(),
                steps.checked_sub(1)?,
            )
        };
        elsewhere().or(Some(module))
    }
}

/// The paths of the modules that are declared behind `#[cfg(test)]`.
pub(crate) fn test_modules(sources: &[Source]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for source in sources {
        let module = source.module();
        for child in declared_children(&code_lines(&source.text), true) {
            let path = module.iter().map(ToString::to_string);
            found.push(path.chain([child]).collect());
        }
    }
    found
}

/// The modules with files of their own that the lines declare, behind `#[cfg(test)]` or not.
fn declared_children(lines: &[String], tests: bool) -> Vec<String> {
    let mut children = Vec::new();
    let mut is_test = false;
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["mod", name] | [_, "mod", name] = words[..]
            && let Some(name) = name.strip_suffix(';')
            && is_test == tests
        {
            children.push(name.to_owned());
        }
        // Other attributes can stand between.
        is_test = is_test_attribute(line) || is_test && line.trim().starts_with("#[");
    }
    children
}

fn is_test_attribute(line: &str) -> bool {
    line.trim() == "#[cfg(test)]"
}

/// Whether the line begins a public `use`, and what follows that word; `None` without one.
fn use_statement(line: &str) -> Option<(bool, &str)> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix("use ") {
        return Some((false, rest));
    }
    let visibility = line.strip_prefix("pub")?;
    let rest = match visibility.strip_prefix('(') {
        Some(scope) => scope.split_once(')')?.1,
        None => visibility,
    };
    Some((true, rest.strip_prefix(" use ")?))
}

/// The code without items behind `#[cfg(test)]`, each of which ends, as rustfmt writes it, with the
/// first line at its own indent that closes something.
fn production_lines(text: &str) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut test_item = None;
    code_lines(text)
        .into_iter()
        .map(|line| {
            if test_item.is_none() && is_test_attribute(&line) {
                test_item = Some(indent(&line));
            }
            let Some(at) = test_item else {
                return line;
            };
            let ends = line.trim_end().ends_with(['}', ';', ',']);
            if indent(&line) == at && ends {
                test_item = None;
            }
            String::new()
        })
        .collect()
}

// --- The reader itself ---

fn circles(files: &[(&str, &str)]) -> Vec<String> {
    let sources: Vec<Source> = files
        .iter()
        .map(|(path, text)| source(path, text))
        .collect();
    Graph::of(&sources).circles()
}

#[test]
fn circles_are_found() {
    let circular: [&[(&str, &str)]; 9] = [
        &[
            ("a/mod.rs", "mod b;\nmod c;"),
            ("a/b.rs", "use super::c::C;"),
            ("a/c.rs", "fn c() { crate::a::b::b() }"),
        ],
        // Over three files, one of them by a re-export.
        &[
            (
                "a.rs",
                "mod b;\nmod c;\nmod d;\npub(crate) use d::{\n    D,\n};",
            ),
            ("a/b.rs", "use super::c;"),
            ("a/c.rs", "use super::D;"),
            ("a/d.rs", "use super::b::B as Other;"),
        ],
        // A parent that uses its child, by an import, a path, and a re-exported name.
        &[
            ("a.rs", "mod b;\nuse b::B;\nstruct A;"),
            ("a/b.rs", "use super::A;"),
        ],
        &[
            ("a.rs", "mod b;\nfn a() { b::b() }"),
            ("a/b.rs", "use crate::{util, a::{A}};"),
        ],
        &[
            ("a.rs", "mod b;\npub use self::b::B;\nstruct A(B);"),
            ("a/b.rs", "use super::A;"),
        ],
        &[
            ("a.rs", "mod b;\nuse self::b::{self, B};"),
            ("a/b.rs", "fn b() { super::a() }"),
        ],
        // Over a name that the parent only imports.
        &[
            ("a.rs", "mod b;\nmod c;\nuse c::C;"),
            ("a/b.rs", "use super::C;"),
            ("a/c.rs", "use super::b::B;"),
        ],
        // The re-export of a sibling is a use.
        &[
            ("a.rs", "mod b;\nmod c;"),
            ("a/b.rs", "pub(super) use super::c::C;"),
            ("a/c.rs", "use super::b;"),
        ],
        // What follows a test is no test.
        &[
            ("a.rs", "mod b;\nmod c;"),
            (
                "a/b.rs",
                "#[cfg(test)]\n#[path = \"x\"]\nmod tests;\nuse super::c::C;",
            ),
            ("a/c.rs", "#[cfg(test)]\nfn f() {\n}\nuse super::b;"),
        ],
    ];
    for files in circular {
        let found = circles(files);
        assert_eq!(found.len(), 1, "{files:?}: {found:?}");
    }
}

#[test]
fn a_circle_is_told_by_its_files() {
    let found = circles(&[
        ("a.rs", "mod b;\nmod c;\nmod d;"),
        ("a/b.rs", "use super::c::C;\nuse super::d::D;"),
        ("a/c.rs", "\nuse super::b::B;"),
        ("a/d.rs", "use super::c;"),
    ]);
    let expected = "circle: a/b.rs -> a/c.rs -> a/b.rs\n3 files use each other:\n  \
                    src/a/b.rs:1 uses src/a/c.rs\n  src/a/b.rs:2 uses src/a/d.rs\n  \
                    src/a/c.rs:2 uses src/a/b.rs\n  src/a/d.rs:1 uses src/a/c.rs";
    assert_eq!(found, [expected]);
}

#[test]
fn files_without_a_circle_pass() {
    let fine: [&[(&str, &str)]; 7] = [
        // Declared and re-exported only.
        &[
            ("a.rs", "mod b;\npub use b::B;\nstruct A;"),
            ("a/b.rs", "use super::A;"),
        ],
        // Both use the parent, which uses neither.
        &[
            ("a.rs", "mod b;\nmod c;\nstruct A;"),
            ("a/b.rs", "use super::{A, c};"),
            ("a/c.rs", "pub(in crate::a) fn c(a: super::A) {}"),
        ],
        // The re-exported name is at home in a third file.
        &[
            ("a.rs", "mod b;\nmod c;\npub use c::C;\nuse b::B;"),
            ("a/b.rs", "use super::C;"),
            ("a/c.rs", ""),
        ],
        // Tests, inline, of their own, of one line.
        &[
            ("a.rs", "mod b;\nmod c;"),
            ("a/b.rs", "use super::c::C;"),
            (
                "a/c.rs",
                "#[cfg(test)]\nmod tests {\n    use super::super::b::B;\n}",
            ),
        ],
        &[
            ("a.rs", "#[cfg(test)]\nmod tests;\nmod b;"),
            (
                "a/b.rs",
                "#[cfg(test)]\nuse super::tests;\n#[cfg(test)]\nuse super::c::{\n    C,\n};",
            ),
            ("a/tests.rs", "use super::b;"),
        ],
        // Two top-level modules are the matter of the layers.
        &[("a.rs", "use crate::b::B;"), ("b.rs", "use crate::a::A;")],
        // Words that only look like paths.
        &[
            ("a.rs", "mod b;\nmod c;"),
            ("a/b.rs", "use super::c;"),
            (
                "a/c.rs",
                "// super::b\nuse std::b::B;\nfn f() { other::b::x(\"super::b\") }",
            ),
        ],
    ];
    for files in fine {
        assert_eq!(circles(files), Vec::<String>::new(), "{files:?}");
    }
}
