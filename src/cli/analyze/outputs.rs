//! The files of an analysed game: a record with comments, the graph, JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::inputs::{InputGame, has_extension_of_record};
use super::{OutputArguments, names};
use crate::analysis::{Review, comments, graph};
use crate::cli::error::ensure_usage;
use crate::cli::{output, result_file};
use crate::lang::Lang;
use crate::records::game::{GameRecord, RecordedMove};
use crate::records::text::{TextEncoding, TextFormat};
use crate::runs::output_place;
use crate::util::counted;

/// A kind of file, one for each game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum File {
    Kif,
    Csa,
    Json,
    Svg,
}

impl File {
    /// The format of a record.
    const fn format(self) -> Option<TextFormat> {
        match self {
            Self::Kif => Some(TextFormat::Kif),
            Self::Csa => Some(TextFormat::Csa),
            Self::Json | Self::Svg => None,
        }
    }
}

/// The places of all files.
pub(super) struct Names {
    /// The files of each kind, by game.
    places: Vec<(File, Vec<PathBuf>)>,
}

/// What the formats of the written records have no room for, and in how many games.
#[derive(Default)]
pub(super) struct Losses(BTreeMap<(&'static str, String), usize>);

impl Losses {
    /// Adds those of a game.
    pub(super) fn add(&mut self, names: &Names, record: &GameRecord) {
        for format in names.places.iter().filter_map(|(kind, _)| kind.format()) {
            for loss in format.losses(record) {
                *self.0.entry((format.name(), loss)).or_default() += 1;
            }
        }
    }

    /// Says what was lost.
    pub(super) fn report(&self) {
        for ((format, loss), games) in &self.0 {
            let games = counted(*games, "game");
            output::eprint_line(format_args!(
                "note: {format} has no room for {loss} ({games})"
            ));
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
        let options = [
            (File::Kif, "--kif", "kifu", &wanted.kif),
            (File::Csa, "--csa", "csa", &wanted.csa),
            (File::Json, "--json", "json", &wanted.json),
            (File::Svg, "--svg", "svg", &wanted.svg),
        ];
        let mut places = Vec::new();
        for (kind, option, extension, out) in options {
            let Some(out) = out else { continue };
            if kind == File::Json && wanted.is_json_on_stdout() {
                continue;
            }
            check_out(option, out, games.len())?;
            let files = files(out, extension, games)?;
            for file in &files {
                let name = file.display();
                ensure_usage!(
                    taken.insert(place(file)),
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
    lang: Lang,
) -> anyhow::Result<()> {
    for (kind, paths) in &names.places {
        let path = &paths[game];
        let as_text = |format: TextFormat, record: &GameRecord| {
            // As `convert` does: `kif` is in Shift JIS, `kifu` in UTF-8.
            let encoding = TextFormat::of_path(path).map_or(TextEncoding::Utf8, |(_, kind)| kind);
            let written = format.write(record, encoding);
            if written.encoding != encoding {
                let name = path.display();
                output::eprint_line(format_args!(
                    "note: {name}: Shift JIS lacks some of its letters, written in UTF-8"
                ));
            }
            written.bytes
        };
        let bytes = match kind {
            File::Csa => as_text(TextFormat::Csa, &with_thoughts(record, review)),
            File::Json => (serde_json::to_string_pretty(json)? + "\n").into_bytes(),
            File::Svg => svg_text(record, review, lang).into_bytes(),
            File::Kif => as_text(TextFormat::Kif, &commented(record, review)),
        };
        result_file::save(path, &bytes)?;
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

/// The record with floodgate's comments, of which a move has one.
fn with_thoughts(record: &GameRecord, review: &Review) -> GameRecord {
    let mut judged = comments::lines(record, review).into_iter();
    let thoughts = comments::thoughts(record, review);
    let mut record = record.clone();
    comments::remove(&mut record);
    // The heading alone: it tells another analysis what to replace.
    let heading = judged.next().into_iter().flatten().take(1);
    record.comments.extend(heading);
    for ((played, thought), lines) in record.moves.iter_mut().zip(thoughts).zip(judged) {
        played.comments.retain(|line| !is_score(line));
        let is_starred = played.comments.iter().any(|line| line.starts_with('*'));
        played
            .comments
            .extend(lines.into_iter().filter(|line| !line.starts_with('*')));
        played.thought = thought;
        if is_starred {
            // A comment with a star stands for the score, unless the score is a comment too.
            let alone = RecordedMove {
                comments: Vec::new(),
                ..played.clone()
            };
            let score = alone.comment_lines().into_iter();
            let score = score.filter(|line| is_score(line));
            played.comments.splice(0..0, score);
        }
    }
    record
}

/// Whether a comment would be read as floodgate's: `* 30 -3334FU`.
fn is_score(line: &str) -> bool {
    let rest = line.strip_prefix('*').unwrap_or_default();
    let word = rest.split_whitespace().next().unwrap_or_default();
    word.parse::<i64>().is_ok()
}

fn svg_text(record: &GameRecord, review: &Review, lang: Lang) -> String {
    let [black, white] = names(record, lang);
    let words = graph::Words {
        title: format!("{black} – {white}"),
        sides: [format!("☗ {black}"), format!("☖ {white}")],
    };
    graph::svg(review, &words)
}
