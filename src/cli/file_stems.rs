//! Names for files that are made from other files, one each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A name without extension for what is made from each file: the file's own without extension, with
/// it where two files differ only there (`x.jkf` beside `x.kif`), and after that of its folder
/// where files of several folders have the same name. The order of the files decides nothing but
/// numbers, which are the last resort.
pub(super) fn distinct(files: &[&Path]) -> Vec<String> {
    let stem = |file: &Path| text(file.file_stem());
    let name = |file: &Path| text(file.file_name());
    let mut names_of_stem: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut files_of_name: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        let names = names_of_stem.entry(stem(file)).or_default();
        names.insert(name(file));
        *files_of_name.entry(name(file)).or_default() += 1;
    }
    let mut taken = BTreeSet::new();
    let distinct = |file: &&Path| {
        let mut base = if names_of_stem[&stem(file)].len() > 1 {
            name(file)
        } else {
            stem(file)
        };
        let folder = text(file.parent().and_then(Path::file_name));
        if files_of_name[&name(file)] > 1 && !folder.is_empty() {
            base = format!("{folder}-{base}");
        }
        free(base, &mut taken)
    };
    files.iter().map(distinct).collect()
}

/// The name, with a number where it is taken. It is taken from now on.
pub(super) fn free(base: String, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    let mut names = std::iter::once(base.clone()).chain(numbered);
    let found = names.find(|name| !taken.contains(name)).unwrap_or(base);
    taken.insert(found.clone());
    found
}

fn text(name: Option<&std::ffi::OsStr>) -> String {
    name.unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_do_not_depend_on_the_order() {
        for (files, expected) in [
            (&["x.kif", "y.kif"][..], &["x", "y"][..]),
            (
                &["x.kif", "x.ki2", "x.jkf", "y.kif"],
                &["x.kif", "x.ki2", "x.jkf", "y"],
            ),
            (&["a/x.kif", "b/x.kif"], &["a-x", "b-x"]),
            (
                &["a/x.kif", "b/x.kif", "b/x.csa"],
                &["a-x.kif", "b-x.kif", "x.csa"],
            ),
            (&["a/1/x.kif", "b/1/x.kif"], &["1-x", "1-x-2"]),
            (&["x.kif", "x.kif"], &["x", "x-2"]),
            (&["-"], &["-"]),
        ] {
            let mut files: Vec<&Path> = files.iter().map(Path::new).collect();
            assert_eq!(distinct(&files), expected);
            files.reverse();
            let mut backward = distinct(&files);
            backward.sort();
            let mut expected: Vec<&str> = expected.into();
            expected.sort_unstable();
            assert_eq!(backward, expected);
        }
    }
}
