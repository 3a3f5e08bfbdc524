//! Finds the files that the settings name.

use std::env;
use std::path::{Path, PathBuf};

use super::settings::{BookFile, BookSettings};

/// Most numbered parts of a book (`NAME-000.db`, `NAME-001.db`, …).
const MOST_PARTS: usize = 1000;

/// A name for which there is no file.
pub(super) struct Missing {
    pub(super) name: String,
    /// Where it was looked for.
    pub(super) places: String,
}

/// The files that the settings name, in the order of priority, and those that are missing. The book
/// inside the executable is among them by its name.
pub(super) fn paths_of(settings: &BookSettings) -> (Vec<PathBuf>, Vec<Missing>) {
    let embedded = || PathBuf::from(BookFile::EMBEDDED);
    let names = match &settings.file {
        BookFile::Embedded => return (vec![embedded()], Vec::new()),
        BookFile::None => return (Vec::new(), Vec::new()),
        BookFile::Files(names) => names,
    };
    let (mut paths, mut missing) = (Vec::new(), Vec::new());
    for name in names {
        let places = places_of(name, &settings.dir);
        let found = if name == BookFile::EMBEDDED {
            vec![embedded()]
        } else {
            first_found(&places)
        };
        if found.is_empty() {
            let folders = places.iter().filter_map(|place| place.parent());
            let folders = folders.map(|folder| format!("\"{}\"", folder.display()));
            missing.push(Missing {
                name: name.clone(),
                places: folders.collect::<Vec<_>>().join(" or "),
            });
        }
        for path in found {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    (paths, missing)
}

/// The parts and the file at the first place that has any: an old copy in another folder must not
/// answer where the first has no move.
fn first_found(places: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = places.iter().map(|place| parts_and_file(place));
    found.find(|paths| !paths.is_empty()).unwrap_or_default()
}

/// Where a book may be: a path as it is, a name in the folder of books.
fn places_of(name: &str, dir: &Path) -> Vec<PathBuf> {
    let path = Path::new(name);
    if path.is_absolute() {
        return vec![path.to_owned()];
    }
    let executable = env::current_exe().ok();
    let beside = executable.as_deref().and_then(Path::parent);
    let beside = beside.map(|folder| folder.join(dir).join(path));
    let here = env::current_dir().unwrap_or_default();
    let in_folders = [beside, Some(here.join(dir).join(path))];
    let mut places: Vec<PathBuf> = in_folders.into_iter().flatten().collect();
    if path.components().count() > 1 {
        places.insert(0, here.join(path));
    } else {
        places.push(here.join(path));
    }
    places.dedup();
    places
}

/// The numbered parts of a book and the book itself, as far as they exist. Without an `X.db` its
/// place is taken by `X.ybb`.
fn parts_and_file(path: &Path) -> Vec<PathBuf> {
    let existing = |path: PathBuf| {
        let other = path.with_extension("ybb");
        let is_db = path.extension().is_some_and(|extension| extension == "db");
        match (path.exists(), is_db && other.exists()) {
            (true, _) => Some(path),
            (false, true) => Some(other),
            (false, false) => None,
        }
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let part = |number: usize| {
        let name = format!("{stem}-{number:03}.db");
        existing(path.with_file_name(name))
    };
    let parts = (0..MOST_PARTS).map_while(part);
    parts.chain(existing(path.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(paths: &[PathBuf]) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().map(|name| name.display().to_string());
        paths.iter().filter_map(name).collect()
    }

    #[test]
    fn parts_come_first_and_ybb_stands_in_for_db() {
        let folder = env::temp_dir().join(format!("raicho-parts-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder can be made");
        for name in [
            "a-000.db",
            "a-001.ybb",
            "a-003.db",
            "a.db",
            "b.ybb",
            "c.bin",
        ] {
            fs::write(folder.join(name), "x").expect("a file can be written");
        }
        let settings = |files: &str| BookSettings {
            file: BookFile::from(files),
            dir: folder.clone(),
            ..BookSettings::default()
        };
        let (paths, missing) = paths_of(&settings("a.db; b.db;c.bin;d.db;a.db"));
        assert_eq!(
            names(&paths),
            ["a-000.db", "a-001.ybb", "a.db", "b.ybb", "c.bin"]
        );
        assert_eq!(missing.len(), 1);
        assert_eq!(missing[0].name, "d.db");
        let whole = folder.join("c.bin").display().to_string();
        let (paths, missing) = paths_of(&settings(&whole));
        assert_eq!(
            (names(&paths), missing.len()),
            (vec!["c.bin".to_owned()], 0)
        );
        assert!(paths_of(&settings("no_book")).0.is_empty());
        assert_eq!(names(&paths_of(&settings("<embedded>")).0), ["<embedded>"]);
        let (paths, missing) = paths_of(&settings("c.bin;<embedded>"));
        assert_eq!(names(&paths), ["c.bin", "<embedded>"]);
        assert!(missing.is_empty());
        let _ = fs::remove_dir_all(folder);
    }

    #[test]
    fn the_first_place_that_has_the_name_counts() {
        let folder = env::temp_dir().join(format!("raicho-places-{}", std::process::id()));
        let places = ["none", "first", "second"].map(|name| folder.join(name).join("a.db"));
        for path in &places[1..] {
            let parent = path.parent().expect("a folder");
            fs::create_dir_all(parent).expect("a folder can be made");
            fs::write(path, "x").expect("a file can be written");
        }
        let found = first_found(&places);
        let _ = fs::remove_dir_all(&folder);
        assert_eq!(found, places[1..2]);
    }
}
