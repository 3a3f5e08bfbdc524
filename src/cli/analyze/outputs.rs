//! The files of an analysed game: a record with comments, the graph, JSON.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::arguments::OutputArguments;
use super::inputs::InputGame;
use crate::analysis::{Review, comments, graph};
use crate::cli::result_file;
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
            (File::Kif, "kifu", &output.kif),
            (File::Csa, "csa", &output.csa),
            (File::Jkf, "jkf", &output.jkf),
            (File::Json, "json", &output.json),
            (File::Svg, "svg", &output.svg),
        ];
        let mut places = Vec::new();
        for (kind, extension, out) in wanted {
            let Some(out) = out else { continue };
            if kind == File::Json && output.is_json_on_stdout() {
                continue;
            }
            let files = files(out, extension, games)?;
            for file in &files {
                let name = file.display();
                ensure!(
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

/// A file for each game: `out` itself for one game, otherwise files in the folder `out`.
fn files(out: &Path, extension: &str, games: &[InputGame]) -> anyhow::Result<Vec<PathBuf>> {
    let ends_like_folder = out.as_os_str().to_string_lossy().ends_with(['/', '\\']);
    if games.len() == 1 && !out.is_dir() && !ends_like_folder {
        return Ok(vec![out.to_owned()]);
    }
    fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    let mut taken = BTreeSet::new();
    let name = |game: &InputGame| {
        let stem = game.stem();
        let mut name = format!("{stem}.{extension}");
        let mut number = 2;
        // Games of different folders can have the same name.
        while !taken.insert(name.clone()) {
            name = format!("{stem}-{number}.{extension}");
            number += 1;
        }
        out.join(name)
    };
    Ok(games.iter().map(name).collect())
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
