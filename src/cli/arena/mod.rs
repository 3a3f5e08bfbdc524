//! `raicho match`: plays matches between engines, merges their shards and writes sets of openings.

mod settings;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use serde::Serialize;
use settings::GameArguments;

use super::progress::{Meter, stop_on_ctrl_c};
use super::result_file::{self, OwnFiles};
use super::{arguments::Given, arguments::list_of, output};
use crate::arena::journal::{self, GameEntry, KIND, MatchFolder};
use crate::arena::runner::{self, Event};
use crate::arena::summary::{PairingTally, Tally, merge};
use crate::arena::summary::{Summary, one_line};
use crate::cli::error::flat_error;
use crate::page::{Game, Kind, Match, PROGRAM, Page, Pairing};
use crate::records::{csa, encoding};
use crate::runs::{RunFolder, Stop, read_named};
use crate::util::{AtPath, harmless_json};
use crate::{arena::settings::EngineSettings, arena::settings::MatchSettings, lang::Lang};

pub(super) use settings::{EngineArguments, OpeningArguments, RuleArguments};

/// Example: `raicho match --engine cmd=./new --engine cmd=./old --tc 10+0.1 --games 200 --out
/// new-old`
#[derive(Args)]
#[command(
    before_help = "Example: raicho match --engine cmd=./new,option.USI_Hash=64 --engine cmd=./old \
        --tc 10+0.1 --games 200 --out new-old"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    engines: EngineArguments,

    #[command(flatten)]
    games: GameArguments,

    #[command(flatten)]
    openings: OpeningArguments,

    #[command(flatten)]
    rules: RuleArguments,

    #[command(flatten)]
    run: RunArguments,

    #[command(flatten)]
    page: PageArguments,
}

/// How games are played and kept, by all commands that play them.
#[derive(Args)]
#[command(next_help_heading = "Run")]
pub(super) struct RunArguments {
    /// Number of games or iterations at a time
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) concurrency: u16,

    /// Folder for all files of the run [default: match-DATE-TIME or spsa-DATE-TIME]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Resume the run in the folder of --out; its engines and settings need not be repeated. With
    /// engines given, begin the run if the folder has none yet
    #[arg(long, requires = "out")]
    pub(super) resume: bool,

    #[command(flatten)]
    pub(super) json: JsonArguments,
}

impl RunArguments {
    /// The folder for all files of a run of `command`.
    pub(super) fn folder(&self, command: &str) -> PathBuf {
        self.out.clone().unwrap_or_else(|| {
            let now = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S");
            PathBuf::from(format!("{command}-{now}"))
        })
    }
}

#[derive(Subcommand)]
enum Command {
    /// Merge the shards of a match that were played with --shard
    Merge(MergeArguments),
    /// Write a set of openings
    Openings(settings::OpeningSetArguments),
}

pub(super) fn run(arguments: &Arguments, given: &Given, lang: Lang) -> Result<()> {
    match &arguments.command {
        Some(Command::Merge(arguments)) => merge_shards(arguments, lang),
        Some(Command::Openings(arguments)) => settings::write_openings(arguments),
        None => run_match(arguments, given, lang),
    }
}

// --- A match ---

fn run_match(arguments: &Arguments, given: &Given, lang: Lang) -> Result<()> {
    let folder = arguments.run.folder("match");
    let (own, read) = (own_files(&folder), arguments.openings.files());
    arguments.page.check(&arguments.run.json, &own, read)?;
    let is_new = !RunFolder::exists(&folder, KIND);
    let goes_on = arguments.run.resume && (!is_new || arguments.engines.is_empty());
    let (settings, run_folder, entries) = if goes_on {
        resume(arguments, given, &folder)?
    } else {
        let settings = arguments.settings()?;
        let run_folder = MatchFolder::create(&folder, &settings)?;
        (settings, run_folder, Vec::new())
    };
    let stop = stop_on_ctrl_c()?;
    let summary = match play(arguments, &settings, run_folder, &entries, &stop, lang) {
        Ok(summary) => summary,
        Err(error) if is_without_games(&folder) => {
            if !goes_on {
                discard(&folder);
            }
            return Err(error);
        }
        Err(error) => bail!(
            "{error}\nfinished games are kept; {}, raicho match merge {} shows them",
            advice(&folder),
            folder.display()
        ),
    };
    let (json, text) = (&arguments.run.json, summary.text(lang));
    let printed = json.report(&summary, &text, Some(&folder));
    arguments.page.write(std::slice::from_ref(&folder), lang)?;
    printed?;
    if summary.is_interrupted {
        // Not a success: a script must not take a part of a match for the whole.
        bail!("interrupted; {}", advice(&folder));
    }
    Ok(())
}

/// Plays the games of a match that are not in `entries`, and shows the progress.
fn play(
    arguments: &Arguments,
    settings: &MatchSettings,
    folder: MatchFolder,
    entries: &[GameEntry],
    stop: &Stop,
    lang: Lang,
) -> Result<Summary> {
    let (games, done) = (settings.games_here(), entries.len() as u64);
    let meter = Meter::in_language(lang, &lang.unit_games(), games, done);
    let concurrency = arguments.run.concurrency.into();
    let summary = runner::run(settings, folder, entries, concurrency, stop, &|event| {
        show(&event, &meter, lang);
    });
    meter.finish();
    summary
}

/// What continues an interrupted match.
fn advice(folder: &Path) -> String {
    format!("raicho match --out {} --resume continues", folder.display())
}

impl Arguments {
    /// The settings of a new match.
    fn settings(&self) -> Result<MatchSettings> {
        let (engines, rules) = (self.engines.engines()?, self.rules.rules()?);
        self.games.settings(engines, rules, self.openings.settings())
    }
}

fn is_without_games(folder: &Path) -> bool {
    journal::read(folder).is_ok_and(|(_, games)| games.is_empty())
}

/// Removes a match without games, so that a corrected command can use the folder.
fn discard(folder: &Path) {
    for name in ["match.json", "games.jsonl", "games.sfen"] {
        if let Err(error) = std::fs::remove_file(folder.join(name)) {
            log::info!("{name}: {error}");
        }
    }
    // Fails, as it should, if the folder contains other files.
    let _ = std::fs::remove_dir(folder);
}

fn resume(
    arguments: &Arguments,
    given: &Given,
    folder: &Path,
) -> Result<(MatchSettings, MatchFolder, Vec<GameEntry>)> {
    arguments.engines.check_engine_is_named(given)?;
    let old = journal::read_settings(folder)?;
    if !arguments.engines.is_empty() {
        let new = arguments.settings()?;
        if let Some(difference) = new.difference(&old) {
            bail!(
                "{} holds another match: {difference}; \
                leave out the engines to resume it as it is",
                folder.display()
            );
        }
    }
    let settings = arguments.games.changed(old)?;
    let (run_folder, entries) = MatchFolder::resume(folder)?;
    Ok((settings, run_folder, entries))
}

/// Shows an event of a match.
fn show(event: &Event<'_>, meter: &Meter, lang: Lang) {
    match event {
        Event::EngineChecked { name, program } => {
            meter.message(&lang.engine_checked(name, program));
        }
        Event::Note(note) => meter.message(&lang.note(note)),
        Event::Game { entry, tally } => {
            if entry.reason.is_fault() {
                let players = lang.against(&entry.black, &entry.white);
                meter.message(&lang.game_lost(entry.game, players, entry.verdict()));
            }
            meter.advance(tally.games(), &one_line(tally, lang));
        }
    }
}

// --- The shards of a match ---

/// Example: `raicho match merge part-0 part-1 part-2 --out whole`
#[derive(Args)]
#[command(before_help = "Example: raicho match merge part-0 part-1 part-2 --out whole")]
struct MergeArguments {
    /// The folders written by `raicho match --shard … --out FOLDER`
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,

    /// Folder for all results and records; without it only the result is shown
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    #[command(flatten)]
    json: JsonArguments,

    #[command(flatten)]
    page: PageArguments,
}

fn merge_shards(arguments: &MergeArguments, lang: Lang) -> Result<()> {
    // In `--json part-0 part-1` the first folder would be taken for the JSON file, and its games
    // would silently be left out.
    if let Some(path) = arguments.json.json.as_deref().filter(|path| path.is_dir()) {
        let path = path.display();
        bail!("--json {path}: a folder, expected a file, or --json after the folders");
    }
    let files = [KIND.settings, KIND.journal];
    let read = |folder: &PathBuf| files.map(|name| folder.join(name));
    let read: Vec<PathBuf> = arguments.folders.iter().flat_map(read).collect();
    let own = own_files(arguments.out.as_deref().unwrap_or(&arguments.folders[0]));
    arguments.page.check(&arguments.json, &own, &read)?;
    let merged = merge(&arguments.folders)?;
    if merged.entries().is_empty() {
        bail!("no game has been played in these folders");
    }
    if let Some(folder) = &arguments.out {
        merged.write(folder)?;
    }
    let out = arguments.out.as_deref();
    let place = out.map(|out| out.display().to_string());
    let summary = merged.summary(&place.unwrap_or_else(|| list_of(&arguments.folders)))?;
    let printed = arguments.json.report(&summary, &summary.text(lang), out);
    arguments.page.write(&arguments.folders, lang)?;
    printed?;
    for note in merged.notes() {
        output::eprint_line(lang.note(note));
    }
    Ok(())
}

// --- The result ---

/// The files of a match in its folder which no result may replace.
const OWN_FILES: &[&str] = &["match.json", "games.jsonl", "games.sfen", "summary.txt"];

/// Those files in this folder.
const fn own_files(folder: &Path) -> OwnFiles<'_> {
    OwnFiles { folder, names: OWN_FILES }
}

/// The destination of the JSON; `-` is standard output, where it replaces the table.
#[derive(Args, Clone)]
pub(in crate::cli) struct JsonArguments {
    /// Write the result as JSON to FILE, or to standard output instead of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
}

impl JsonArguments {
    /// Checks that the file can be written, and is none of the run's own and none of those that are
    /// `read`.
    ///
    /// # Errors
    /// It cannot, or is.
    pub(in crate::cli) fn check(&self, own: &OwnFiles<'_>, read: &[PathBuf]) -> Result<()> {
        self.file().map_or(Ok(()), |path| {
            result_file::check_beside(path, "json", own, read.iter().map(PathBuf::as_path))
        })
    }

    /// The file for the JSON, unless that is standard output.
    fn file(&self) -> Option<&Path> {
        self.json.as_deref().filter(|_| !self.is_on_stdout())
    }

    fn is_on_stdout(&self) -> bool {
        self.json.as_deref() == Some(Path::new("-"))
    }

    /// Prints `text` or the JSON, and writes both to the folder if there is one.
    pub(in crate::cli) fn report(
        &self,
        summary: &impl Serialize,
        text: &str,
        folder: Option<&Path>,
    ) -> Result<()> {
        let json = harmless_json(&serde_json::to_string_pretty(summary)?) + "\n";
        let mut files: Vec<(PathBuf, String)> = Vec::new();
        if let Some(folder) = folder {
            files.push((folder.join("summary.json"), json.clone()));
            files.push((folder.join("summary.txt"), format!("{text}\n")));
        }
        if let Some(path) = self.file() {
            files.push((path.to_owned(), json.clone()));
        }
        // Print first: a full disk must not hide the result. Nor must a reader that is gone keep it
        // from the files.
        let mut out = output::stdout();
        let printed =
            if self.is_on_stdout() { write!(out, "{json}") } else { writeln!(out, "{text}") };
        let save = |(path, text): &(PathBuf, String)| result_file::save(path, text.as_bytes());
        let saved: Vec<Result<()>> = files.iter().map(save).collect();
        saved.into_iter().collect::<Result<()>>()?;
        Ok(printed?)
    }
}

/// Most pairs of games on a page.
const PAIRS_SHOWN: usize = 250;
/// Points of the graph of Elo over games, about.
const COURSE_POINTS: usize = 500;
/// Games before the first point.
const FIRST_POINT: u64 = 4;
/// Greatest Elo difference of the graph.
const MOST_ELO: f64 = 1200.0;

/// The page of a match.
#[derive(Args, Clone)]
struct PageArguments {
    /// Write a page with the result and the games, which any browser plays through without a
    /// network; of more than 500 games, only every second, third, … pair is on it
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl PageArguments {
    /// Checks that the page can be written, before any game, and is none of the run's own files,
    /// none of those that are `read`, and not that of the JSON.
    ///
    /// # Errors
    /// It cannot, or is.
    fn check(&self, json: &JsonArguments, own: &OwnFiles<'_>, read: &[PathBuf]) -> Result<()> {
        json.check(own, read)?;
        let Some(page) = self.html.as_deref() else {
            return Ok(());
        };
        if let Some(json) = json.file() {
            result_file::check_apart(("--html", page), ("--json", json))?;
        }
        result_file::check_beside(page, "html", own, read.iter().map(PathBuf::as_path))
    }

    /// Writes the page of the match whose parts are in these folders, if it was asked for.
    ///
    /// # Errors
    /// A folder cannot be read or the page not be written.
    fn write(&self, folders: &[PathBuf], lang: Lang) -> Result<()> {
        let Some(path) = &self.html else {
            return Ok(());
        };
        let mut of_match = None;
        let mut entries = Vec::new();
        for folder in folders {
            let (settings, part) = journal::read(folder)?;
            entries.extend(part.into_iter().map(|entry| (folder.as_path(), entry)));
            of_match.get_or_insert(settings);
        }
        let settings = of_match.context("no folder of a match")?;
        entries.sort_by_key(|(_, entry)| entry.game);
        // Whole pairs, so that each engine is shown with both colours.
        let pairs = entries.chunk_by(|(_, one), (_, other)| one.game / 2 == other.game / 2);
        let step = pairs.clone().count().div_ceil(PAIRS_SHOWN).max(1);
        let shown = pairs.step_by(step).flatten();
        let games: Result<Vec<Game>> = shown.map(|(folder, entry)| game(folder, entry)).collect();
        let games = games?;
        let entries: Vec<GameEntry> = entries.into_iter().map(|(_, entry)| entry).collect();
        let mut of_match = result(&settings, &entries)?;
        of_match.left_out = entries.len() - games.len();
        let page = Page {
            kind: Kind::Match,
            title: of_match.engines.join(&lang.versus("", "")),
            lang,
            program: PROGRAM,
            effort: String::new(),
            thresholds: None,
            games,
            of_match: Some(of_match),
        };
        result_file::save(path, page.html().as_bytes())
    }
}

/// A game with times and scores from its record.
fn game(folder: &Path, entry: &GameEntry) -> Result<Game> {
    let path = folder.join(&entry.record);
    let bytes = read_named(folder, &entry.record).map_err(flat_error)?;
    let records = csa::read(&encoding::decode(&bytes)).at(&path)?;
    let record = records.first().with_context(|| format!("{}: no game", path.display()))?;
    Ok(Game::of_record(record))
}

/// The Elo difference of a pairing after its games so far. Infinite values are cut.
fn point(pairing: &PairingTally) -> Option<(u64, f64, f64, f64)> {
    let games = pairing.wdl.games();
    let estimate = pairing.estimate().filter(|_| games >= FIRST_POINT)?;
    let cut = |elo: f64| elo.clamp(-MOST_ELO, MOST_ELO);
    let [elo, low, high] = [estimate.elo, estimate.low, estimate.high].map(cut);
    Some((games, elo, low, high))
}

fn result(settings: &MatchSettings, entries: &[GameEntry]) -> Result<Match> {
    let mut tally = Tally::new(settings);
    let step = (entries.len() / COURSE_POINTS / tally.pairings.len().max(1)).max(1) as u64;
    let mut course = Vec::new();
    for entry in entries {
        tally.add(entry).map_err(anyhow::Error::msg)?;
        course.extend(tally.pairings.first().and_then(point));
    }
    // One point for each number of games, thinned out, with the last.
    let last = course.last().map_or(0, |&(games, ..)| games);
    course.dedup_by_key(|&mut (games, ..)| games);
    course.retain(|&(games, ..)| games % step == 0 || games == last);
    let name = |engine: &EngineSettings| engine.name.clone();
    let engines: Vec<String> = settings.engines.iter().map(name).collect();
    let pairings = tally.pairings.iter().map(|pairing| {
        let estimate = pairing.estimate();
        let elo = estimate.map(|estimate| [estimate.elo, estimate.error()]);
        Pairing {
            engines: pairing.engines,
            wdl: [pairing.wdl.wins, pairing.wdl.draws, pairing.wdl.losses],
            elo: elo.filter(|elo| elo.iter().all(|value| value.is_finite())),
        }
    });
    let pairings: Vec<Pairing> = pairings.collect();
    Ok(Match { course, engines, pairings, left_out: 0 })
}
