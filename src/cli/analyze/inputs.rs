//! What is to be analysed: positions, or the games of files and folders in any format.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::arguments::Arguments;
use crate::records::game::{Ending, GameRecord, RecordedMove};
use crate::records::sfen_line::SfenLine;
use crate::records::{csa, encoding, kif};

/// Extensions of the files that are taken from a folder.
const EXTENSIONS: [&str; 8] = ["csa", "kif", "kifu", "ki2", "ki2u", "jkf", "usi", "kifz"];

/// What is to be analysed.
pub(super) enum Inputs {
    /// The positions of a text, or those of the command line.
    Positions(PositionSource),
    /// Games, and what is wrong with those that cannot be read.
    Games(Vec<InputGame>, Vec<String>),
}

/// Where positions come from.
pub(super) enum PositionSource {
    /// A position of the command line.
    One(String),
    /// A file and its lines.
    Lines(PathBuf, String),
}

/// A game and where it comes from.
pub(super) struct InputGame {
    pub(super) record: GameRecord,
    pub(super) path: PathBuf,
    /// Its number in the file, from 1, if the file has several.
    pub(super) number: Option<usize>,
}

impl InputGame {
    /// The file, with the number of the game if it has several.
    pub(super) fn name(&self) -> String {
        match self.number {
            Some(number) => format!("{}, game {number}", self.path.display()),
            None => self.path.display().to_string(),
        }
    }

    /// The name for files made from this game, without extension.
    pub(super) fn stem(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        match self.number {
            Some(number) => format!("{stem}-{number}"),
            None => stem.into_owned(),
        }
    }
}

/// Reads the input.
///
/// # Errors
/// There is nothing to analyse, or the only file cannot be read.
pub(super) fn find(arguments: &Arguments) -> anyhow::Result<Inputs> {
    if arguments.files.is_empty() {
        let sfen = arguments
            .sfen
            .clone()
            .unwrap_or_else(|| "startpos".to_owned());
        if !arguments.output.is_any() {
            return Ok(Inputs::Positions(PositionSource::One(sfen)));
        }
        let record = record_of(sfen.parse().with_context(|| format!("--sfen '{sfen}'"))?);
        let path = PathBuf::from("position");
        return Ok(Inputs::Games(
            vec![InputGame {
                record,
                path,
                number: None,
            }],
            Vec::new(),
        ));
    }
    let mut games = Vec::new();
    let mut broken = Vec::new();
    let paths = expand(&arguments.files)?;
    for path in &paths {
        let text = match read_text(path) {
            Ok(text) => text,
            Err(error) if paths.len() == 1 => return Err(error),
            Err(error) => {
                broken.push(crate::cli::output::message(&error));
                continue;
            }
        };
        let is_alone = arguments.files.len() == 1 && paths.len() == 1;
        if is_alone && is_positions(path, &text, arguments) {
            return Ok(Inputs::Positions(PositionSource::Lines(path.clone(), text)));
        }
        read_games(path, &text, &mut games, &mut broken);
    }
    if games.is_empty() {
        match &broken[..] {
            [] => bail!("no game in {}", list(&arguments.files)),
            [first, rest @ ..] => {
                rest.iter().for_each(crate::cli::output::eprint_line);
                bail!("{first}");
            }
        }
    }
    Ok(Inputs::Games(games, broken))
}

fn list(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    names.join(", ")
}

/// The files, with folders replaced by the records in them and below, in the order of their names.
fn expand(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut found = Vec::new();
            walk(path, &mut found).with_context(|| path.display().to_string())?;
            found.sort();
            files.extend(found);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if EXTENSIONS.contains(&extension(&path).as_str()) {
            files.push(path);
        }
    }
    Ok(())
}

fn extension(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_ascii_lowercase()
}

fn read_text(path: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        bytes = fs::read(path).with_context(|| path.display().to_string())?;
    }
    Ok(encoding::decode(&bytes).into_owned())
}

/// The lines that say something.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text
        .lines()
        .zip(1..)
        .map(|(line, number)| (number, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Whether the first line that says something begins like a line of USI or an SFEN.
fn is_lines(text: &str) -> bool {
    let first = lines(text).next().map_or("", |(_, line)| line);
    let word = first.split_whitespace().next().unwrap_or_default();
    matches!(word, "startpos" | "sfen" | "position") || word.matches('/').count() == 8
}

/// Whether a file holds positions. Lines are games where each has moves.
fn is_positions(path: &Path, text: &str, arguments: &Arguments) -> bool {
    if arguments.output.is_any() || extension(path) == "usi" {
        return false;
    }
    let is_known = EXTENSIONS.contains(&extension(path).as_str());
    let has_moves = |(_, line): (usize, &str)| line.contains(" moves ");
    if is_lines(text) {
        arguments.positions || !lines(text).all(has_moves)
    } else {
        // Something unknown: the error names its first line.
        arguments.positions || !is_known && !looks_like_record(text)
    }
}

fn looks_like_record(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with('{') || is_csa(text) || is_kif(text)
}

fn is_csa(text: &str) -> bool {
    let begins = |line: &str| {
        ["V2", "V3", "'", "N+", "N-", "PI", "P1", "$"]
            .iter()
            .any(|word| line.starts_with(word))
    };
    text.lines()
        .find(|line| !line.trim().is_empty())
        .is_some_and(begins)
}

fn is_kif(text: &str) -> bool {
    text.lines().take(60).any(|line| {
        line.starts_with("手合割")
            || line.starts_with("手数--")
            || line.starts_with("# ----")
            || line.contains('：')
            || line.starts_with(['▲', '△', '☗', '☖'])
    })
}

fn read_games(path: &Path, text: &str, games: &mut Vec<InputGame>, broken: &mut Vec<String>) {
    if is_lines(text) {
        return read_lines(path, text, games, broken);
    }
    let records = read_records(path, text);
    match records {
        Ok(records) => {
            let has_several = records.len() > 1;
            games.extend(
                records
                    .into_iter()
                    .zip(1..)
                    .map(|(record, number)| InputGame {
                        record,
                        path: path.to_owned(),
                        number: has_several.then_some(number),
                    }),
            );
        }
        Err(error) => broken.push(format!("{}: {error}", path.display())),
    }
}

/// The games of a record, in the format that its content shows.
fn read_records(_path: &Path, text: &str) -> Result<Vec<GameRecord>, String> {
    if is_csa(text.trim_start_matches('\u{feff}')) {
        return csa::read(text).map_err(|error| error.to_string());
    }
    kif::read(text)
        .map(|record| vec![record])
        .map_err(|error| error.to_string())
}

fn read_lines(path: &Path, text: &str, games: &mut Vec<InputGame>, broken: &mut Vec<String>) {
    let count = lines(text).count();
    for (index, (number, line)) in lines(text).enumerate() {
        match line.parse::<SfenLine>() {
            Ok(line) => games.push(InputGame {
                record: record_of(line),
                path: path.to_owned(),
                number: (count > 1).then_some(index + 1),
            }),
            Err(error) => broken.push(format!("{} line {number}: {error}", path.display())),
        }
    }
}

/// A line as a record.
fn record_of(line: SfenLine) -> GameRecord {
    let moves = line.moves.into_iter().map(|mv| RecordedMove {
        mv,
        time: None,
        thought: None,
    });
    GameRecord {
        event: String::new(),
        players: Default::default(),
        ratings: [None; 2],
        started_at: None,
        time_limit: None,
        start: line.start,
        moves: moves.collect(),
        ending: Ending::Interrupted,
    }
}
