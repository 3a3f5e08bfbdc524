//! `raicho match`: plays matches between engines, merges their shards and writes sets of openings.

mod report;
mod settings;

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{Args, Subcommand};

use crate::arena::journal::{self, GameEntry, KIND, MatchFolder};
use crate::arena::merge::merge;
use crate::arena::runner;
use crate::arena::runner::Event;
use crate::arena::settings::MatchSettings;
use crate::arena::summary::{Summary, one_line};
use crate::cli::output;
use crate::cli::progress::{Meter, stop_on_ctrl_c};
use crate::lang::Lang;
use crate::runs::{RunFolder, Stop};
use report::{PageArguments, own_files};
use settings::GameArguments;

pub(super) use report::JsonArguments;
pub(super) use settings::{
    EngineArguments, OpeningArguments, RuleArguments, check_repeated, check_rules_and_openings,
};

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
pub(super) struct RunArguments {
    /// Number of games or iterations at a time
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=1024)
    )]
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

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    match &arguments.command {
        Some(Command::Merge(arguments)) => merge_shards(arguments, lang),
        Some(Command::Openings(arguments)) => settings::write_openings(arguments),
        None => run_match(arguments, lang),
    }
}

// --- A match ---

fn run_match(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    let folder = arguments.run.folder("match");
    let (own, read) = (own_files(&folder), arguments.openings.files());
    arguments.page.check(&arguments.run.json, &own, read)?;
    let is_new = !RunFolder::exists(&folder, KIND);
    let goes_on = arguments.run.resume && (!is_new || arguments.engines.is_empty());
    let (settings, run_folder, entries) = if goes_on {
        resume(arguments, &folder)?
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
    let printed = arguments
        .run
        .json
        .report(&summary, &summary.text(lang), Some(&folder));
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
) -> anyhow::Result<Summary> {
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
    fn settings(&self) -> anyhow::Result<MatchSettings> {
        let (engines, rules) = (self.engines.engines()?, self.rules.rules()?);
        self.games
            .settings(engines, rules, self.openings.settings())
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
    folder: &Path,
) -> anyhow::Result<(MatchSettings, MatchFolder, Vec<GameEntry>)> {
    arguments.engines.check_engine_is_named()?;
    let old = journal::read_settings(folder)?;
    if arguments.engines.is_empty() {
        let given = (&arguments.rules, &arguments.openings);
        check_rules_and_openings(given, (&old.rules, &old.openings))?;
    } else {
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
        Event::EngineChecked { name, program } => meter.message(&format!("{name} is {program}")),
        Event::Note(note) => meter.message(&format!("note: {note}")),
        Event::Game { entry, tally } => {
            if entry.reason.is_fault() {
                meter.message(&format!(
                    "game {}, {} against {}: {}",
                    entry.game,
                    entry.black,
                    entry.white,
                    entry.verdict()
                ));
            }
            meter.advance(tally.games(), one_line(tally, lang));
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

fn merge_shards(arguments: &MergeArguments, lang: Lang) -> anyhow::Result<()> {
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
    let folders: Vec<String> = arguments
        .folders
        .iter()
        .map(|f| f.display().to_string())
        .collect();
    let place = arguments.out.as_ref().map(|out| out.display().to_string());
    let summary = merged.summary(&place.unwrap_or_else(|| folders.join(", ")))?;
    let text = summary.text(lang);
    let printed = arguments
        .json
        .report(&summary, &text, arguments.out.as_deref());
    arguments.page.write(&arguments.folders, lang)?;
    printed?;
    for note in merged.notes() {
        output::eprint_line(format_args!("note: {note}"));
    }
    Ok(())
}
