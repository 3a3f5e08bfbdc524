//! Files that hold a result, written at once when the work is done: a page, a record, a graph.
//!
//! They are checked before the work: whether they can be written, and are not among those that are
//! read. Where one is made from each file that is read, its name comes from there.

use std::collections::{BTreeMap, BTreeSet};
use std::{io::Write as _, path::Path};

use anyhow::{Context, Result, ensure};

use crate::runs::{OutputFile, is_same_output, is_stream, would_replace};
use crate::util::{AtPath, free_name};
use crate::{cli::error::ensure_usage, eval::nnue::Network};

/// Checks before the work that the file can be written then, and that it is not read.
///
/// # Errors
/// It cannot be, or it is one of the files in `read`.
pub(super) fn check<'a>(path: &Path, read: impl Iterator<Item = &'a Path>) -> Result<()> {
    let name = path.display();
    check_name(path)?;
    ensure!(!path.is_dir(), "{name} is a folder, expected the name of a file");
    ensure_usage!(
        !is_among(path, read),
        "{name} is read and would be overwritten: give another name"
    );
    // Opening a pipe here would show its reader the end of the file.
    if !is_stream(path) {
        // Removed again, as nothing finishes it.
        OutputFile::create(path).with_context(|| format!("{name} cannot be written"))?;
    }
    Ok(())
}

/// Checks that the file is not one of those that are read.
///
/// # Errors
/// It is one of them.
pub(super) fn check_unread<'a>(path: &Path, read: impl Iterator<Item = &'a Path>) -> Result<()> {
    ensure_usage!(
        !is_among(path, read),
        "{} is read and cannot be written at the same time",
        path.display()
    );
    Ok(())
}

/// Whether the file is there and one of those that are read, by whatever names.
fn is_among<'a>(path: &Path, mut read: impl Iterator<Item = &'a Path>) -> bool {
    let place = path.canonicalize().ok();
    place.is_some() && read.any(|input| input.canonicalize().ok() == place)
}

/// As [`check`], and checks that a file which is there has this extension: it is the result of an
/// earlier run, not something else that would be lost.
///
/// # Errors
/// It cannot be written, is read, or would replace a file of another kind.
pub(super) fn check_kind<'a>(
    path: &Path,
    extension: &str,
    read: impl Iterator<Item = &'a Path>,
) -> Result<()> {
    check(path, read)?;
    let found = path.extension().unwrap_or_default();
    ensure!(
        !would_replace(path) || found.eq_ignore_ascii_case(extension),
        "{} exists already and is called no .{extension}: give another name",
        path.display()
    );
    Ok(())
}

/// A folder that a run writes into.
pub(super) struct OwnFiles<'a> {
    /// The folder, which may not be there yet.
    pub(super) folder: &'a Path,
    /// The names of the files in it that the run needs.
    pub(super) names: &'a [&'a str],
}

/// As [`check_kind`] for a result that may lie in the folder of the run, and checks that it is none
/// of the run's own files.
///
/// # Errors
/// Those of [`check_kind`], or the run would lose a file.
pub(super) fn check_beside<'a>(
    path: &Path,
    extension: &str,
    own: &OwnFiles<'_>,
    read: impl Iterator<Item = &'a Path>,
) -> Result<()> {
    let (name, folder) = (path.display(), own.folder);
    ensure_usage!(
        path != folder && !is_same_output(path, folder),
        "{name} is the folder of the run, expected the name of a file"
    );
    let is_inside = path.parent() == Some(folder);
    let is_own = |own: &&str| {
        let file = folder.join(own);
        path == file || is_same_output(path, &file)
    };
    ensure_usage!(
        !own.names.iter().any(is_own),
        "{name} is a file that the run itself writes: give another name"
    );
    if is_inside && !folder.exists() {
        // It comes with the run.
        return check_name(path);
    }
    check_kind(path, extension, read)
}

/// Checks before the work that the file can be written then, and that none is there unless `force`
/// is given.
///
/// # Errors
/// It cannot be, or one is there.
pub(super) fn check_new(path: &Path, force: bool) -> Result<()> {
    check(path, std::iter::empty())?;
    check_free(path, force)
}

/// Checks that no file is there unless `force` is given.
///
/// # Errors
/// A file is there.
pub(super) fn check_free(path: &Path, force: bool) -> Result<()> {
    ensure!(
        force || !would_replace(path),
        "{} exists already; --force replaces it",
        path.display()
    );
    Ok(())
}

/// Checks that the name is not `-`, which others take for standard output.
///
/// # Errors
/// It is `-`.
pub(super) fn check_name(path: &Path) -> Result<()> {
    ensure_usage!(
        path.as_os_str() != "-",
        "'-' is no output here: expected the name of a file (./- for one that is called so)"
    );
    Ok(())
}

/// Checks that two outputs, each with the name of its option, are not the same file.
///
/// # Errors
/// They are the same file.
pub(super) fn check_apart(first: (&str, &Path), second: (&str, &Path)) -> Result<()> {
    ensure_usage!(
        !is_same_output(first.1, second.1) || is_stream(first.1),
        "{} and {} are the same file {}: give two names",
        first.0,
        second.0,
        second.1.display()
    );
    Ok(())
}

/// Writes the file. It has its name only once it is complete, so that one from before is kept if
/// the disk is full.
///
/// # Errors
/// It cannot be written.
pub(super) fn save(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = OutputFile::create(path).at(path)?;
    file.write_all(bytes).at(path)?;
    file.finish().at(path)
}

/// Writes a network, as [`save`].
///
/// # Errors
/// The file cannot be written, or it is a network that only other programs write.
pub(super) fn save_network(path: &Path, network: &Network) -> Result<()> {
    let bytes = network.to_bytes();
    save(path, &bytes.context("a network of another format")?)
}

/// A name without extension for what is made from each file: the file's own without extension, with
/// it where two files differ only there (`x.jkf` beside `x.kif`), and after that of its folder
/// where files of several folders have the same name. The order of the files decides nothing but
/// numbers, which are the last resort.
pub(super) fn distinct_stems(files: &[&Path]) -> Vec<String> {
    let stem = |file: &Path| lossy(file.file_stem());
    let name = |file: &Path| lossy(file.file_name());
    let mut names_of_stem: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut files_of_name: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        let names = names_of_stem.entry(stem(file)).or_default();
        names.insert(name(file));
        *files_of_name.entry(name(file)).or_default() += 1;
    }
    let mut taken = BTreeSet::new();
    let distinct = |file: &&Path| {
        let is_shared = names_of_stem[&stem(file)].len() > 1;
        let mut base = if is_shared { name(file) } else { stem(file) };
        let folder = lossy(file.parent().and_then(Path::file_name));
        if files_of_name[&name(file)] > 1 && !folder.is_empty() {
            base = format!("{folder}-{base}");
        }
        let name = free_name(&base, |name| taken.contains(name));
        taken.insert(name.clone());
        name
    };
    files.iter().map(distinct).collect()
}

fn lossy(name: Option<&std::ffi::OsStr>) -> String {
    name.unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::TestFolder;

    #[test]
    fn only_results_of_the_same_kind_are_replaced() {
        let folder = TestFolder::new();
        let refused = |path: &Path| check_kind(path, "svg", std::iter::empty()).is_err();
        let [games, chart] = ["x.pack", "x.SVG"].map(|name| folder.write(name, ""));
        assert!(refused(&games) && !refused(&chart) && !refused(&folder.file("x.new")));
    }

    #[test]
    fn names_differ_and_do_not_depend_on_the_order() {
        for (files, expected) in cases! {
            &["x.kif", "y.kif"][..] => &["x", "y"][..];
            &["x.kif", "x.ki2", "x.jkf", "y.kif"] => &["x.kif", "x.ki2", "x.jkf", "y"];
            &["a/x.kif", "b/x.kif"] => &["a-x", "b-x"];
            &["a/x.kif", "b/x.kif", "b/x.csa"] => &["a-x.kif", "b-x.kif", "x.csa"];
            &["a/1/x.kif", "b/1/x.kif"] => &["1-x", "1-x-2"];
            &["x.kif", "x.kif"] => &["x", "x-2"];
            &["-"] => &["-"];
        } {
            let mut files: Vec<&Path> = files.iter().map(Path::new).collect();
            assert_eq!(distinct_stems(&files), expected);
            files.reverse();
            let mut backward = distinct_stems(&files);
            backward.sort();
            let mut expected: Vec<&str> = expected.into();
            expected.sort_unstable();
            assert_eq!(backward, expected);
        }
    }
}
