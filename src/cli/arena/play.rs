//! `raicho match` without a subcommand: plays a match.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use super::opening_arguments::OpeningArguments;
use super::page::PageArguments;
use super::progress::Progress;
use super::repeated;
use super::report::{JsonArguments, own_files};
use super::settings::{EngineArguments, GameArguments, RuleArguments};
use crate::arena::curve::CurveSettings;
use crate::arena::journal::{self, GameEntry, MatchFolder};
use crate::arena::runner;
use crate::arena::settings::{EngineSettings, MatchSettings};
use crate::arena::summary::Summary;
use crate::cli::flat_error::flat_error;
use crate::cli::interrupt::stop_on_ctrl_c;
use crate::lang::Lang;
use crate::runs::{FolderError, Stop};

// This struct is flattened into another one of the same name, whose clap group it must not share.
#[derive(Args)]
#[group(skip)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub(super) engines: EngineArguments,

    #[command(flatten)]
    pub(super) games: GameArguments,

    /// Number of games at a time
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=1024)
    )]
    concurrency: u16,

    #[command(flatten)]
    openings: OpeningArguments,

    #[command(flatten)]
    rules: RuleArguments,

    /// Folder for results and records [default: match-DATE-TIME]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Resume the match in the folder of --out; its engines and settings need not be repeated. With
    /// engines given, begin the match if the folder has none yet
    #[arg(long, requires = "out")]
    pub(super) resume: bool,

    #[command(flatten)]
    pub(super) json: JsonArguments,

    #[command(flatten)]
    pub(super) page: PageArguments,
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    let folder = arguments.folder();
    arguments.check_results(&folder)?;
    let is_new = matches!(
        journal::read_settings(&folder),
        Err(FolderError::Missing { .. })
    );
    let goes_on = arguments.resume && (!is_new || arguments.engines.is_empty());
    if !goes_on && CurveSettings::read(&folder).is_ok() {
        bail!(
            "{} holds a curve already; --resume continues it",
            folder.display()
        );
    }
    let (settings, run_folder, entries) = if goes_on {
        resume(arguments, &folder)?
    } else {
        let settings = arguments.settings(arguments.engines.engines()?)?;
        let run_folder = MatchFolder::create(&folder, &settings).map_err(flat_error)?;
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
        .json
        .report_text(&summary, &summary.text(lang), Some(&folder));
    arguments.page.write(std::slice::from_ref(&folder), lang)?;
    printed?;
    if summary.is_interrupted {
        // Not a success: a script must not take a part of a match for the whole.
        bail!("interrupted; {}", advice(&folder));
    }
    Ok(())
}

/// Plays the games of a match that are not in `entries`, and shows the progress.
pub(super) fn play(
    arguments: &Arguments,
    settings: &MatchSettings,
    folder: MatchFolder,
    entries: &[GameEntry],
    stop: &Stop,
    lang: Lang,
) -> anyhow::Result<Summary> {
    let progress = Progress::new(settings, entries.len() as u64, lang);
    let concurrency = arguments.concurrency.into();
    let summary = runner::run(settings, folder, entries, concurrency, stop, &|event| {
        progress.show(&event);
    });
    progress.finish();
    summary.map_err(flat_error)
}

/// What continues an interrupted match.
pub(super) fn advice(folder: &Path) -> String {
    format!("raicho match --out {} --resume continues", folder.display())
}

impl Arguments {
    /// Whether these are several matches, each with another node limit.
    pub(super) fn is_curve(&self) -> bool {
        let is_resumed = || self.resume && CurveSettings::read(&self.folder()).is_ok();
        self.engines.nodes.len() > 1 || is_resumed()
    }

    /// Checks that the results can be written, and replace nothing that is needed.
    pub(super) fn check_results(&self, folder: &Path) -> anyhow::Result<()> {
        let own = own_files(folder);
        self.page.check(&self.json, &own, self.openings.files())
    }

    /// The folder for results and records.
    pub(super) fn folder(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| {
            let now = jiff::Zoned::now().strftime("match-%Y%m%d-%H%M%S");
            PathBuf::from(now.to_string())
        })
    }

    /// The settings of a new match between these engines.
    pub(super) fn settings(&self, engines: Vec<EngineSettings>) -> anyhow::Result<MatchSettings> {
        self.games
            .settings(engines, self.rules.rules()?, self.openings.settings())
    }

    /// Refuses what a command line without engines says differently from the match to be resumed.
    pub(super) fn check_repeated(&self, run: &MatchSettings) -> anyhow::Result<()> {
        repeated::check_rules_and_openings(
            (&self.rules, &self.openings),
            (&run.rules, &run.openings),
        )
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
    let old = journal::read_settings(folder).map_err(flat_error)?;
    if arguments.engines.is_empty() {
        arguments.check_repeated(&old)?;
    } else {
        let new = arguments.settings(arguments.engines.engines()?)?;
        if let Some(difference) = new.difference(&old) {
            bail!(
                "{} holds another match: {difference}; \
                leave out the engines to resume it as it is",
                folder.display()
            );
        }
    }
    let settings = arguments.games.changed(old)?;
    let (run_folder, entries) = MatchFolder::resume(folder).map_err(flat_error)?;
    Ok((settings, run_folder, entries))
}
