//! `raicho analyze`: positions and whole games for people.

mod games;
mod position;
mod table;

use std::path::{Path, PathBuf};
use std::{fs, time::Duration};

use anyhow::{Result, bail};
use clap::Args;

use super::arguments::{list_of, numbered_lines, read_bytes, time};
use super::error::{bail_usage, usage_error};
use super::output;
use crate::records::game::{GameRecord, RecordedMove};
use crate::records::text::TextFormat;
use crate::types::{Color, EnteringKingRule};
use crate::util::{AtPath, BareNumber, cores, shorten};
use crate::{analysis::Effort, lang::Lang, records::encoding, records::sfen_line::SfenLine};

/// Example: `raicho analyze game.kif --html game.html`
#[derive(Args)]
#[command(before_help = "Example: raicho analyze game.kif --threads 4 --html game.html\n\
        Example: raicho analyze games/ --time 500ms --kif analysed/\n\
        Example: raicho analyze --sfen \"4k4/9/4P4/9/9/9/9/9/4K4 b G 1\" --time 3s")]
pub(super) struct Arguments {
    /// Games (CSA, KIF, KI2, JKF, lines `startpos moves 7g7f …`), folders of them, or a file with a
    /// position per line; `-` reads standard input
    #[arg(value_name = "GAME", conflicts_with = "sfen")]
    files: Vec<PathBuf>,

    /// A single position, optionally followed by ` moves …` [default: the start position]
    #[arg(long, value_name = "SFEN")]
    sfen: Option<String>,

    /// Take lines with moves as positions, not as games
    #[arg(long)]
    positions: bool,

    #[command(flatten)]
    search: SearchArguments,

    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Args)]
#[command(next_help_heading = "Search")]
struct SearchArguments {
    /// Time for each position: milliseconds, or with a unit as in 3s, 500ms, 2m [default: 5s for
    /// positions, 1s in games]
    #[arg(long, value_name = "TIME", value_parser = time(BareNumber::Milliseconds))]
    time: Option<Duration>,

    /// Depth to search each position to
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(i32).range(1..=245))]
    depth: Option<i32>,

    /// Nodes to search for each position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// How many of the best lines to show
    #[arg(long, value_name = "K", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=600))]
    multipv: u16,

    /// Threads: for a position they search together, for games each searches positions of its own
    /// [default: all cores; 1 for positions with --nodes or --depth, so that the result is always
    /// the same]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,

    /// Size of the transposition table in MB; for games of each thread [default: 256, games 64]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..))]
    hash: Option<u32>,

    /// Evaluation: `<embedded>`, `<material>`, or a file
    #[arg(long, value_name = "EVAL", default_value = "<embedded>")]
    eval: String,

    /// Rule for wins by declaration: `NoEnteringKing`, `CSARule24`, `CSARule24H`, `CSARule27`,
    /// `CSARule27H` or `TryRule` [default: what the record says under 持将棋 or 入玉, or else
    /// `CSARule27`]
    #[arg(long, value_name = "RULE")]
    entering_king_rule: Option<EnteringKingRule>,
}

#[derive(Args)]
#[command(next_help_heading = "Results of games")]
struct OutputArguments {
    /// Write a page with board, graph and summary that any browser shows, without a network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Let the page carry the engine, for moves of its reader; FOLDER is what `web/build.sh` makes,
    /// without it `pkg` beside the executable
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, requires = "html")]
    #[expect(clippy::option_option, reason = "the folder may be left out")]
    with_engine: Option<Option<PathBuf>>,

    /// Write the games with comments as KIF; OUT is a file, or a folder for several games
    #[arg(long, value_name = "OUT")]
    kif: Option<PathBuf>,

    /// Write the analysis as JSON; `-` is standard output, where it replaces the table
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,

    /// Print only the summaries
    #[arg(long)]
    summary: bool,
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> Result<()> {
    match find(arguments)? {
        Inputs::Positions(source) => {
            if let Some(option) = arguments.output.option() {
                bail_usage!("{option} is for games, and these are positions");
            }
            position::run(arguments, &source, lang)
        }
        Inputs::Games(games, broken) => games::run(arguments, games, &broken, lang),
    }
}

impl SearchArguments {
    /// The limits of each position, with this time where there is no other.
    fn effort(&self, default: Duration) -> Effort {
        let has_limit = self.depth.is_some() || self.nodes.is_some();
        Effort {
            time: self.time.or((!has_limit).then_some(default)),
            nodes: self.nodes,
            depth: self.depth,
        }
    }

    /// The rule for wins by declaration in a game.
    fn rule_of(&self, record: &GameRecord) -> EnteringKingRule {
        let rule = self.entering_king_rule;
        rule.or_else(|| record.entering_king_rule()).unwrap_or_default()
    }

    /// Threads for a position.
    fn threads_for_positions(&self) -> usize {
        let is_exact = self.nodes.is_some() || self.depth.is_some();
        let default = || if is_exact { 1 } else { cores() };
        self.threads.map_or_else(default, usize::from)
    }
}

impl OutputArguments {
    /// The first option for something that only games have.
    fn option(&self) -> Option<&'static str> {
        self.file_option()
            .or_else(|| self.is_json_on_stdout().then_some("--json"))
            .or_else(|| self.summary.then_some("--summary"))
    }

    /// The first option for a file.
    fn file_option(&self) -> Option<&'static str> {
        let is_json = self.json.is_some() && !self.is_json_on_stdout();
        let options =
            [("--html", self.html.is_some()), ("--kif", self.kif.is_some()), ("--json", is_json)];
        let found = options.into_iter().find(|&(_, is_given)| is_given);
        found.map(|(option, _)| option)
    }

    /// Whether standard output holds the JSON.
    fn is_json_on_stdout(&self) -> bool {
        self.json.as_deref() == Some(Path::new("-"))
    }
}

/// The players' names, or their sides where the record has none.
fn names(record: &GameRecord, lang: Lang) -> [String; Color::NUM] {
    let sides = lang.sides(&record.start);
    Color::ALL.map(|color| match &*record.players[color.index()] {
        "" => sides[color.index()].to_owned(),
        name => name.to_owned(),
    })
}

// --- What is analysed ---

/// Extensions of the files that are taken from a folder.
const EXTENSIONS: [&str; 7] = ["csa", "kif", "kifu", "ki2", "ki2u", "jkf", "usi"];

/// What is to be analysed.
enum Inputs {
    /// The positions of a text, or those of the command line.
    Positions(PositionSource),
    /// Games, and what is wrong with those that cannot be read.
    Games(Vec<InputGame>, Vec<String>),
}

/// Where positions come from.
enum PositionSource {
    /// A position of the command line.
    One(String),
    /// A file and its lines.
    Lines(PathBuf, String),
}

/// A game and where it comes from.
struct InputGame {
    record: GameRecord,
    path: PathBuf,
    /// Its number in the file, from 1, if the file has several.
    number: Option<usize>,
}

impl InputGame {
    /// The file, with the number of the game if it has several.
    fn name(&self) -> String {
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
fn find(arguments: &Arguments) -> Result<Inputs> {
    if arguments.files.is_empty() {
        let sfen = arguments.sfen.as_deref().unwrap_or("startpos");
        if arguments.output.option().is_none() {
            return Ok(Inputs::Positions(PositionSource::One(sfen.to_owned())));
        }
        let line = sfen.parse();
        let line =
            line.map_err(|error| usage_error(format_args!("--sfen '{}': {error}", shorten(sfen))))?;
        let game =
            InputGame { record: record_of(line), path: PathBuf::from("position"), number: None };
        return Ok(Inputs::Games(vec![game], Vec::new()));
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
            [] => bail!("no game in {}", list_of(&arguments.files)),
            [first, rest @ ..] => {
                rest.iter().for_each(output::eprint_line);
                bail!("{first}");
            }
        }
    }
    Ok(Inputs::Games(games, broken))
}

/// The files, with folders replaced by the records in them and below, in the order of their names.
/// Folders of the results are left out: what is there may come from an earlier analysis.
fn expand(paths: &[PathBuf], output: &OutputArguments) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let results = [&output.kif, &output.json];
    let results = results.into_iter().flatten();
    let results: Vec<PathBuf> = results.filter_map(|path| path.canonicalize().ok()).collect();
    for path in paths {
        if path.is_dir() {
            let mut found = Vec::new();
            walk(path, &results, &mut found).at(path)?;
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
            if path.canonicalize().is_ok_and(|path| !without.contains(&path)) {
                walk(&path, without, files)?;
            }
        } else if EXTENSIONS.contains(&extension(&path).as_str()) && !path.is_dir() {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether the name is that of a file that is read or written here.
fn has_extension_of_record(path: &Path) -> bool {
    let extension = extension(path);
    EXTENSIONS.contains(&&*extension) || ["json", "html"].contains(&&*extension)
}

fn extension(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_ascii_lowercase()
}

fn read_text(path: &Path) -> Result<String> {
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
                for note in record.notes() {
                    let path = path.display();
                    output::eprint_line(format_args!("note: {path}: {note}"));
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
