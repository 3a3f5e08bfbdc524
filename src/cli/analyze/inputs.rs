//! What is to be analysed: positions, or the games of files and folders in any format.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use super::{Arguments, OutputArguments};
use crate::cli::arguments::{numbered_lines, read_bytes};
use crate::cli::error::usage_error;
use crate::cli::output;
use crate::records::encoding;
use crate::records::game::{GameRecord, RecordedMove};
use crate::records::sfen_line::SfenLine;
use crate::records::text::TextFormat;
use crate::util::shorten;

/// Extensions of the files that are taken from a folder.
const EXTENSIONS: [&str; 7] = ["csa", "kif", "kifu", "ki2", "ki2u", "jkf", "usi"];

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
}

/// Reads the files, or the position of the command line.
///
/// # Errors
/// There is nothing to analyse, or the only file cannot be read.
pub(super) fn find(arguments: &Arguments) -> anyhow::Result<Inputs> {
    if arguments.files.is_empty() {
        let sfen = arguments
            .sfen
            .clone()
            .unwrap_or_else(|| "startpos".to_owned());
        if arguments.output.option().is_none() {
            return Ok(Inputs::Positions(PositionSource::One(sfen)));
        }
        let line = sfen.parse();
        let line = line
            .map_err(|error| usage_error(format_args!("--sfen '{}': {error}", shorten(&sfen))))?;
        let record = record_of(line);
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
    let paths = expand(&arguments.files, &arguments.output)?;
    for path in &paths {
        let text = match read_text(path) {
            Ok(text) => text,
            Err(error) if paths.len() == 1 => return Err(error),
            Err(error) => {
                broken.push(output::message(&error));
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
                rest.iter().for_each(output::eprint_line);
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
/// Folders of the results are left out: what is there may come from an earlier analysis.
fn expand(paths: &[PathBuf], output: &OutputArguments) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let results = [&output.kif, &output.json];
    let results = results.into_iter().flatten();
    let results: Vec<PathBuf> = results
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    for path in paths {
        if path.is_dir() {
            let mut found = Vec::new();
            walk(path, &results, &mut found).with_context(|| path.display().to_string())?;
            found.sort();
            files.extend(found);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn walk(folder: &Path, without: &[PathBuf], files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // Links to folders are not followed: they may lead in a circle.
        if entry.file_type()?.is_dir() {
            if path
                .canonicalize()
                .is_ok_and(|path| !without.contains(&path))
            {
                walk(&path, without, files)?;
            }
        } else if EXTENSIONS.contains(&extension(&path).as_str()) && !path.is_dir() {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether the name is that of a file that is read or written here.
pub(super) fn has_extension_of_record(path: &Path) -> bool {
    let extension = extension(path);
    EXTENSIONS.contains(&&*extension) || ["json", "html"].contains(&&*extension)
}

fn extension(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_ascii_lowercase()
}

fn read_text(path: &Path) -> anyhow::Result<String> {
    Ok(encoding::decode(&read_bytes(path)?).into_owned())
}

/// The format that the content looks like. A line may also be an SFEN alone; a bad line among such
/// does not make them something else.
fn format_of(text: &str) -> TextFormat {
    match TextFormat::of_content(text) {
        TextFormat::Kif if numbered_lines(text).any(|(_, line)| begins_like_board(line)) => {
            TextFormat::Usi
        }
        format => format,
    }
}

/// Whether the first word looks like the board of an SFEN, even one with faults.
fn begins_like_board(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    let is_of_board = |letter: char| letter.is_ascii_alphanumeric() || "/+".contains(letter);
    word.matches('/').count() >= 4 && word.chars().all(is_of_board)
}

/// Whether a file holds positions. Lines are games where each has moves.
fn is_positions(path: &Path, text: &str, arguments: &Arguments) -> bool {
    match format_of(text) {
        TextFormat::Usi if !arguments.positions && has_games_of_name(path, text) => return false,
        TextFormat::Usi => {}
        // Text that looks like nothing else, where positions are asked for.
        TextFormat::Kif if arguments.positions => {
            return TextFormat::Kif.read_text(text).iter().all(Result::is_err);
        }
        _ => return false,
    }
    let is_of_games = arguments.output.option().is_some() || extension(path) == "usi";
    let has_moves = |(_, line): (usize, &str)| line.contains(" moves ");
    arguments.positions || !is_of_games && !numbered_lines(text).all(has_moves)
}

/// Whether the name stands for a format of records that the text can be read as.
fn has_games_of_name(path: &Path, text: &str) -> bool {
    let named = TextFormat::of_path(path).map(|(named, _)| named);
    let of_records = named.filter(|&named| named != TextFormat::Usi);
    of_records.is_some_and(|named| named.read_text(text).iter().any(Result::is_ok))
}

fn read_games(path: &Path, text: &str, games: &mut Vec<InputGame>, broken: &mut Vec<String>) {
    let content = format_of(text);
    let named = TextFormat::of_path(path).map_or(content, |(named, _)| named);
    let found = named.read_or(content, text);
    let has_several = found.len() > 1;
    for (game, number) in found.into_iter().zip(1..) {
        match game {
            Ok(record) => {
                for omission in &record.omissions {
                    let path = path.display();
                    output::eprint_line(format_args!("note: {path}: {omission}"));
                }
                games.push(InputGame {
                    record,
                    path: path.to_owned(),
                    number: has_several.then_some(number),
                });
            }
            Err(error) if has_several => {
                broken.push(format!("{}: game {number}: {error}", path.display()));
            }
            Err(error) => broken.push(format!("{}: {error}", path.display())),
        }
    }
}

/// A line as a record.
fn record_of(line: SfenLine) -> GameRecord {
    let mut record = GameRecord::new(line.start);
    record.moves = line.moves.into_iter().map(RecordedMove::from).collect();
    record
}
