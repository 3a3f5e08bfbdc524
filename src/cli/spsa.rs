//! `raicho spsa`: tunes the numbers of an engine by games against itself.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::arena::spsa::tuning::{Event, Folder, GameSettings, Games, one_line, tune};
use crate::arena::spsa::{Parameter, Settings, State, parse_list};
use crate::cli::arena::{EngineArguments, OpeningArguments, RuleArguments, RunArguments};
use crate::cli::progress::{Meter, stop_on_ctrl_c};
use crate::cli::result_file::{self, OwnFiles};
use crate::runs::difference;
use crate::util::{AtPath, counted, read_utf8};
use crate::{arena::settings::EngineSettings, cli::arguments::Given, cli::error::bail_usage};

/// Example: `raicho spsa --engine 'cmd=./engine' --params params.txt
/// --nodes 20000 --iterations 5000 --concurrency 2 --out tune`
#[derive(Args)]
#[command(
    before_help = "Example: raicho spsa --engine 'cmd=./engine' \
        --params params.txt --nodes 20000 --iterations 5000 --concurrency 2 --out tune",
    after_help = "The engine is given once and plays both sides. Openings that are used up are \
        played again. \
                  --seed also decides which values are tried."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    engines: EngineArguments,

    /// File with the tuned USI options, one per line: name, int or float, start, least, most, step,
    /// rate
    #[arg(long, value_name = "FILE", help_heading = "Parameters")]
    params: Option<PathBuf>,

    /// A tuned option, in the same form; may be repeated. STEP is the perturbation at the end of
    /// the run; the value moves by STEP times RATE per point of an iteration's result
    #[arg(long, value_name = "NAME,int,START,LEAST,MOST,STEP,RATE", help_heading = "Parameters")]
    param: Vec<Parameter>,

    /// Number of iterations, each a pair of games: the same opening with colours swapped
    #[arg(long, value_name = "N", required_unless_present = "resume", help_heading = "Course",
          value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    iterations: Option<u64>,

    #[command(flatten)]
    openings: OpeningArguments,

    #[command(flatten)]
    rules: RuleArguments,

    #[command(flatten)]
    run: RunArguments,
}

/// File with the tuned values, in the form of `--params`.
const PARAMETERS_FILE: &str = "params.txt";
/// The files of a run in its folder which no result may replace.
const OWN_FILES: &[&str] =
    &["tuning.json", "spsa.json", "history.csv", PARAMETERS_FILE, "faults.jsonl", "summary.txt"];
/// Maximum number of faults that are shown when they happen.
const FAULTS_SHOWN: u32 = 20;

pub(super) fn run(arguments: &Arguments, given: &Given) -> Result<()> {
    let path = arguments.run.folder("spsa");
    let own = OwnFiles { folder: &path, names: OWN_FILES };
    let openings = arguments.openings.files().iter();
    let read: Vec<PathBuf> = openings.chain(&arguments.params).cloned().collect();
    arguments.run.json.check(&own, &read)?;
    let is_new = Folder::check_free(&path).is_ok();
    let goes_on = arguments.run.resume && (!is_new || arguments.engines.is_empty());
    let stop = stop_on_ctrl_c()?;
    // The engine and the openings are checked before a folder is created.
    let (folder, mut state, games) = if goes_on {
        let (folder, state) = Folder::resume(&path)?;
        arguments.engines.check_engine_is_named(given)?;
        check_resumed(arguments, folder.settings(), &state)
            .with_context(|| format!("{} holds another run", path.display()))?;
        let games = Games::new(folder.settings(), state.parameters(), &stop)?;
        (folder, state, games)
    } else {
        Folder::check_free(&path)?;
        let (settings, state) = arguments.beginning()?;
        let games = Games::new(&settings, state.parameters(), &stop)?;
        let folder = Folder::create(&path, settings, &state)?;
        (folder, state, games)
    };
    let (all, done) = (state.settings().iterations, state.finished());
    let meter = Meter::new("iterations", Some(all), done);
    let engine = &folder.settings().engine.name;
    meter.message(&format!("{engine} is {}", games.program_name()));
    let faults = AtomicU32::new(0);
    let concurrency = arguments.run.concurrency.into();
    let outcome = tune(games, &folder, &mut state, concurrency, &stop, &|event| {
        show(&event, &meter, &faults);
    });
    meter.finish();
    let shown = path.display();
    let summary = match outcome {
        Ok(summary) => summary,
        Err(error) => bail!(
            "{error}\nfinished iterations are kept; raicho spsa --out {shown} --resume continues"
        ),
    };
    let parameters = path.join(PARAMETERS_FILE);
    result_file::save(&parameters, summary.parameter_lines().as_bytes())?;
    let (json, text) = (&arguments.run.json, summary.to_string());
    json.report(&summary, &text, Some(&path))?;
    if summary.is_interrupted {
        // Not a success: a script must not take a part of a run for the whole.
        bail!("interrupted; raicho spsa --out {shown} --resume continues");
    }
    Ok(())
}

fn show(event: &Event<'_>, meter: &Meter, faults: &AtomicU32) {
    match event {
        Event::Iteration(state) => meter.advance(state.finished(), &one_line(state)),
        Event::Note(note) => meter.message(&format!("note: {note}")),
        Event::Fault(fault) => match faults.fetch_add(1, Ordering::Relaxed) {
            ..FAULTS_SHOWN => meter.message(&fault.to_string()),
            FAULTS_SHOWN => {
                meter.message("more games are lost by faults; they are only counted now");
            }
            _ => {}
        },
    }
}

/// Refuses options that differ from the resumed run.
fn check_resumed(arguments: &Arguments, settings: &GameSettings, state: &State) -> Result<()> {
    if !arguments.engines.is_empty() {
        let games = GameSettings { pairs: settings.pairs, ..arguments.games()? };
        if let Some(difference) = difference(&games, settings) {
            bail!("{difference}; leave out the engine to resume it as it is");
        }
    }
    let spsa = state.settings();
    if let Some(iterations) = arguments.iterations
        && iterations != spsa.iterations
    {
        bail!("--iterations {iterations} instead of {}", spsa.iterations);
    }
    let parameters = arguments.parameters()?;
    let (found, expected) = (parameters.len(), state.parameters().len());
    if found == 0 {
        return Ok(());
    }
    for (new, old) in parameters.iter().zip(state.parameters()) {
        if new != old {
            bail!("parameter '{new}' instead of '{old}'");
        }
    }
    if found != expected {
        bail!("{} instead of {expected}", counted(found, "parameter"));
    }
    Ok(())
}

impl Arguments {
    /// The settings of the games, and the state before the first iteration.
    fn beginning(&self) -> Result<(GameSettings, State)> {
        let parameters = self.parameters()?;
        if parameters.is_empty() {
            bail_usage!(
                "nothing to tune, expected --params FILE or --param \
                NAME,int,START,LEAST,MOST,STEP,RATE"
            );
        }
        let settings = self.games()?;
        let Some(iterations) = self.iterations else {
            bail_usage!("expected --iterations");
        };
        let spsa = Settings::new(iterations, settings.openings.seed);
        let state = State::new(spsa, parameters)?;
        Ok((settings, state))
    }

    fn games(&self) -> Result<GameSettings> {
        Ok(GameSettings {
            engine: self.engine()?,
            rules: self.rules.rules()?,
            openings: self.openings.settings(),
            pairs: 1,
        })
    }

    fn engine(&self) -> Result<EngineSettings> {
        let engines = self.engines.engines()?;
        let count = engines.len();
        match <[EngineSettings; 1]>::try_from(engines) {
            Ok([engine]) => Ok(engine),
            Err(_) => {
                bail_usage!("{count} engines, expected one --engine, which plays both sides")
            }
        }
    }

    /// The parameters of the file, then those of the command line.
    fn parameters(&self) -> Result<Vec<Parameter>> {
        let read = self.params.as_deref().map(read_parameters);
        let mut parameters = read.transpose()?.unwrap_or_default();
        for parameter in &self.param {
            let name = &parameter.name;
            if parameters.iter().any(|p| p.name.eq_ignore_ascii_case(name)) {
                bail_usage!("--param {name} is there already, expected every name once");
            }
            parameters.push(parameter.clone());
        }
        Ok(parameters)
    }
}

fn read_parameters(path: &Path) -> Result<Vec<Parameter>> {
    let text = read_utf8(path).at(path)?;
    parse_list(text.trim_start_matches('\u{feff}')).at(path)
}
