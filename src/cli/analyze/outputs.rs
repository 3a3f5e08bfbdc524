//! The files of an analysed game: a record with comments, the graph, JSON.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::arguments::OutputArguments;
use super::inputs::{InputGame, has_extension_of_record};
use crate::analysis::{Review, comments, graph};
use crate::cli::usage::ensure_usage;
use crate::cli::{file_stems, result_file};
use crate::records::game::GameRecord;
use crate::records::kif::{self, Style};
use crate::records::{csa, jkf};

/// A kind of file, one for each game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum File {
    Kif,
    Csa,
    Jkf,
    Json,
    Svg,
}

/// The places of all files.
pub(super) struct Names {
    /// The files of each kind, by game.
    places: Vec<(File, Vec<PathBuf>)>,
}

impl Names {
    /// Creates the folders, and checks that every file can be written.
    ///
    /// # Errors
    /// A folder cannot be created, a file not be written, or a file is one of those that are read.
    pub(super) fn new(output: &OutputArguments, games: &[InputGame]) -> anyhow::Result<Self> {
        let mut taken: BTreeSet<PathBuf> = output.html.iter().cloned().collect();
        let wanted = [
            (File::Kif, "--kif", "kifu", &output.kif),
            (File::Csa, "--csa", "csa", &output.csa),
            (File::Jkf, "--jkf", "jkf", &output.jkf),
            (File::Json, "--json", "json", &output.json),
            (File::Svg, "--svg", "svg", &output.svg),
        ];
        let mut places = Vec::new();
        for (kind, option, extension, out) in wanted {
            let Some(out) = out else { continue };
            if kind == File::Json && output.is_json_on_stdout() {
                continue;
            }
            check_out(option, out, games.len())?;
            let files = files(out, extension, games)?;
            for file in &files {
                let name = file.display();
                ensure_usage!(
                    taken.insert(file.clone()),
                    "{name} is the name of two outputs: give another one"
                );
                result_file::check(file, games.iter().map(|game| game.path.as_path()))?;
            }
            places.push((kind, files));
        }
        Ok(Self { places })
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
    let stems = file_stems::distinct(&paths);
    let mut stem_of = paths.iter().zip(&stems).peekable();
    let mut taken = BTreeSet::new();
    let mut name = |game: &InputGame| {
        while stem_of.next_if(|(path, _)| **path != game.path).is_some() {}
        let stem = stem_of.peek().map_or("", |(_, stem)| stem.as_str());
        let stem = match game.number {
            Some(number) => format!("{stem}-{number}"),
            None => stem.to_owned(),
        };
        let name = file_stems::free(stem, &mut taken);
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
    record: &GameRecord,
    review: &Review,
    json: &serde_json::Value,
) -> anyhow::Result<()> {
    for (kind, paths) in &names.places {
        let path = &paths[game];
        let bytes = match kind {
            File::Csa => csa_text(record, review)?,
            File::Json => (serde_json::to_string_pretty(json)? + "\n").into_bytes(),
            File::Svg => svg_text(record, review).into_bytes(),
            File::Kif => kif::write(&commented(record, review), Style::Kif, "UTF-8").into_bytes(),
            File::Jkf => jkf::write(&commented(record, review)).into_bytes(),
        };
        result_file::save(path, &bytes)?;
    }
    Ok(())
}

/// The record with the analysis after what it said already.
fn commented(record: &GameRecord, review: &Review) -> GameRecord {
    let mut record = record.clone();
    let mut lines = comments::lines(&record, review).into_iter();
    record.comments.extend(lines.next().unwrap_or_default());
    for (played, lines) in record.moves.iter_mut().zip(lines) {
        played.comments.extend(lines);
    }
    record
}

/// The record with floodgate's comments, of which a move has one.
fn csa_text(record: &GameRecord, review: &Review) -> anyhow::Result<Vec<u8>> {
    let judged = comments::lines(record, review).into_iter().skip(1);
    let thoughts = comments::thoughts(record, review);
    let mut record = record.clone();
    for ((played, thought), lines) in record.moves.iter_mut().zip(thoughts).zip(judged) {
        played.comments.retain(|line| !line.starts_with('*'));
        played
            .comments
            .extend(lines.into_iter().filter(|line| !line.starts_with('*')));
        played.thought = thought;
    }
    let mut text = Vec::new();
    csa::write(&record, &mut text)?;
    Ok(text)
}

fn svg_text(record: &GameRecord, review: &Review) -> String {
    let [black, white] = &record.players;
    let words = graph::Words {
        title: format!("{black} – {white}"),
        sides: [format!("☗ {black}"), format!("☖ {white}")],
    };
    graph::svg(review, &words)
}
