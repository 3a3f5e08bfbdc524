//! The files of an analysed game: a record with comments, and JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::OutputArguments;
use super::inputs::{InputGame, has_extension_of_record};
use crate::analysis::{Review, comments};
use crate::cli::error::ensure_usage;
use crate::cli::{output, result_file};
use crate::records::game::GameRecord;
use crate::records::text::{TextEncoding, TextFormat};
use crate::runs::output_place;
use crate::util::counted;

/// The places of all files.
#[derive(Default)]
pub(super) struct Names {
    /// The record of each game; none where records are not wanted.
    kif: Vec<PathBuf>,
    /// The JSON of each game; none where it is not wanted.
    json: Vec<PathBuf>,
}

/// What the written records have no room for, and in how many games.
#[derive(Default)]
pub(super) struct Losses(BTreeMap<String, usize>);

impl Losses {
    /// Adds those of a game.
    pub(super) fn add(&mut self, names: &Names, record: &GameRecord) {
        if !names.kif.is_empty() {
            for loss in TextFormat::Kif.losses(record) {
                *self.0.entry(loss).or_default() += 1;
            }
        }
    }

    /// Says what was lost.
    pub(super) fn report(&self) {
        for (loss, games) in &self.0 {
            let games = counted(*games, "game");
            output::eprint_line(format_args!("note: kif has no room for {loss} ({games})"));
        }
    }
}

impl Names {
    /// Creates the folders, and checks that every file can be written.
    ///
    /// # Errors
    /// A folder cannot be created, a file not be written, or a file is one of those that are read.
    pub(super) fn new(wanted: &OutputArguments, games: &[InputGame]) -> anyhow::Result<Self> {
        let place = |path: &PathBuf| output_place(path).unwrap_or_else(|| path.clone());
        let mut taken: BTreeSet<PathBuf> = wanted.html.iter().map(place).collect();
        let mut places = |option, extension, out: &Path| {
            check_out(option, out, games.len())?;
            let files = files(out, extension, games)?;
            for file in &files {
                let name = file.display();
                ensure_usage!(
                    taken.insert(output_place(file).unwrap_or_else(|| file.clone())),
                    "{name} is the name of two outputs: give another one"
                );
                result_file::check(file, games.iter().map(|game| game.path.as_path()))?;
            }
            anyhow::Ok(files)
        };
        let mut names = Self::default();
        if let Some(out) = &wanted.kif {
            names.kif = places("--kif", "kifu", out)?;
        }
        if let Some(out) = wanted.json.as_ref().filter(|_| !wanted.is_json_on_stdout()) {
            names.json = places("--json", "json", out)?;
        }
        Ok(names)
    }
}

/// Checks that `out` can be a file, or for several games a folder.
pub(super) fn check_out(option: &str, out: &Path, games: usize) -> anyhow::Result<()> {
    let name = out.display();
    ensure_usage!(
        out.as_os_str() != "-",
        "{option} -: only --json writes to standard output, expected the name of a file"
    );
    let is_of_file = out.is_file() || names_a_file(out) && !out.is_dir();
    ensure_usage!(
        games == 1 || !is_of_file,
        "{option} {name}: {games} games need a folder and this is the name of a file, expected for \
         example {}/",
        out.with_extension("").display()
    );
    Ok(())
}

/// Whether a name that is not there yet looks like that of a file.
fn names_a_file(out: &Path) -> bool {
    !ends_like_folder(out) && has_extension_of_record(out)
}

fn ends_like_folder(out: &Path) -> bool {
    out.as_os_str().to_string_lossy().ends_with(['/', '\\'])
}

/// A file for each game: `out` itself for one game, otherwise files in the folder `out`.
fn files(out: &Path, extension: &str, games: &[InputGame]) -> anyhow::Result<Vec<PathBuf>> {
    if games.len() == 1 && !out.is_dir() && !ends_like_folder(out) {
        return Ok(vec![out.to_owned()]);
    }
    fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    let mut paths: Vec<&Path> = games.iter().map(|game| game.path.as_path()).collect();
    // Games of a file follow one another.
    paths.dedup();
    let stems = result_file::distinct_stems(&paths);
    let mut stem_of = paths.iter().zip(&stems).peekable();
    let mut taken = BTreeSet::new();
    let mut name = |game: &InputGame| {
        while stem_of.next_if(|(path, _)| **path != game.path).is_some() {}
        let stem = stem_of.peek().map_or("", |(_, stem)| stem.as_str());
        let stem = match game.number {
            Some(number) => format!("{stem}-{number}"),
            None => stem.to_owned(),
        };
        let name = result_file::free_name(stem, &mut taken);
        out.join(format!("{name}.{extension}"))
    };
    Ok(games.iter().map(&mut name).collect())
}

/// Writes the files of a game.
///
/// # Errors
/// A file cannot be written.
pub(super) fn write(
    names: &Names,
    game: usize,
    (record, review): (&GameRecord, &Review),
    json: &serde_json::Value,
) -> anyhow::Result<()> {
    if let Some(path) = names.kif.get(game) {
        // As `convert` does: `kif` is in Shift JIS, `kifu` in UTF-8.
        let encoding = TextFormat::of_path(path).map_or(TextEncoding::Utf8, |(_, kind)| kind);
        let written = TextFormat::Kif.write(&commented(record, review), encoding);
        if written.encoding != encoding {
            output::eprint_line(format_args!(
                "note: {}: Shift JIS lacks some of its letters, written in UTF-8",
                path.display()
            ));
        }
        result_file::save(path, &written.bytes)?;
    }
    if let Some(path) = names.json.get(game) {
        let text = serde_json::to_string_pretty(json)? + "\n";
        result_file::save(path, text.as_bytes())?;
    }
    Ok(())
}

/// The record with the analysis after what it said already. An earlier one is replaced.
fn commented(record: &GameRecord, review: &Review) -> GameRecord {
    let mut record = record.clone();
    comments::remove(&mut record);
    let mut lines = comments::lines(&record, review).into_iter();
    record.comments.extend(lines.next().unwrap_or_default());
    for (played, lines) in record.moves.iter_mut().zip(lines) {
        played.comments.extend(lines);
    }
    record
}
