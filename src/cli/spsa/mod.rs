//! `raicho spsa`: tunes the numbers of an engine by games against itself.

mod resume;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, bail};
use clap::Args;

use super::arena::{EngineArguments, Json, OpeningArguments, RuleArguments, said};
use super::interrupt::stop_on_ctrl_c;
use super::progress::Meter;
use super::work::Indivisible;
use crate::arena::settings::EngineSettings;
use crate::arena::spsa::folder::Folder;
use crate::arena::spsa::games::{GameSettings, Games};
use crate::arena::spsa::summary::one_line;
use crate::arena::spsa::tuning::{Event, tune};
use crate::arena::spsa::{Parameter, Settings, State, parse_list};

/// For all to be used in another run.
const PARAMETERS_FILE: &str = "params.txt";
/// Faults that are shown when they happen; an engine that has so many has one in every game.
const FAULTS_SHOWN: u32 = 20;

/// Example: `raicho spsa --engine cmd=./raicho --params params.txt --nodes 20000 --iterations 5000 --concurrency 2 --out tune`
#[derive(Args)]
#[command(
    before_help = "Example: raicho spsa --engine cmd=./raicho --params params.txt --nodes 20000 --iterations 5000 --concurrency 2 --out tune",
    after_help = "The engine is given once and plays both sides. Openings that are used up are played again. \
                  --seed also decides which values are tried."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    engines: EngineArguments,

    /// File with what is tuned, a USI option a line: name, int or float, start, least, most, step, rate
    #[arg(long, value_name = "FILE", help_heading = "Parameters")]
    params: Option<PathBuf>,

    /// What is tuned, in the same form; may be given many times. STEP is how far the value is moved up and down at the
    /// end of the run, and it goes STEP times RATE for each point that this wins or loses
    #[arg(
        long,
        value_name = "NAME,int,START,LEAST,MOST,STEP,RATE",
        help_heading = "Parameters"
    )]
    param: Vec<Parameter>,

    /// How often values are tried and moved
    #[arg(long, value_name = "N", required_unless_present = "resume", help_heading = "Course",
          value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    iterations: Option<u64>,

    /// Pairs of games for each iteration, the same opening with the colours swapped [default: 1]
    #[arg(long, value_name = "N", help_heading = "Course", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pairs: Option<u32>,

    /// How fast values come to rest: with this power of the iteration [default: 0.602]
    #[arg(long, value_name = "EXPONENT", help_heading = "Course")]
    alpha: Option<f64>,

    /// How fast the distance between the two sides shrinks: with this power of the iteration [default: 0.101]
    #[arg(long, value_name = "EXPONENT", help_heading = "Course")]
    gamma: Option<f64>,

    /// So many iterations are added when values are moved, so that the first ones do not go far [default: a tenth of
    /// --iterations]
    #[arg(long, value_name = "N", help_heading = "Course")]
    stability: Option<f64>,

    /// Iterations at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,

    #[command(flatten)]
    openings: OpeningArguments,

    #[command(flatten)]
    rules: RuleArguments,

    /// Folder for all that is written [default: spsa-DATE-TIME]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Go on with the run in the folder of --out; its engine and settings need not be repeated. With an engine, begin it
    /// if there is none yet
    #[arg(long, requires = "out")]
    resume: bool,

    #[command(flatten)]
    json: Json,

    #[command(flatten)]
    indivisible: Indivisible,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    arguments
        .indivisible
        .check("each iteration starts from the values that all before it have found")?;
    let path = arguments.out.clone().unwrap_or_else(|| {
        let now = jiff::Zoned::now().strftime("spsa-%Y%m%d-%H%M%S");
        PathBuf::from(now.to_string())
    });
    let is_new = Folder::check_free(&path).is_ok();
    let goes_on = arguments.resume && (!is_new || arguments.engines.is_empty());
    let stop = stop_on_ctrl_c()?;
    // The engine and the openings are looked at before a folder is made.
    let (folder, mut state, games) = if goes_on {
        let (folder, state) = Folder::resume(&path).map_err(said)?;
        resume::check(arguments, folder.settings(), &state)
            .with_context(|| format!("{} holds another run", path.display()))?;
        let games = Games::new(folder.settings(), state.parameters(), &stop).map_err(said)?;
        (folder, state, games)
    } else {
        Folder::check_free(&path).map_err(said)?;
        let (settings, state) = arguments.beginning()?;
        let games = Games::new(&settings, state.parameters(), &stop).map_err(said)?;
        let folder = Folder::create(&path, settings, &state).map_err(said)?;
        (folder, state, games)
    };
    let meter = Meter::new(
        "iterations",
        Some(state.settings().iterations),
        state.finished(),
    );
    let engine = &folder.settings().engine.name;
    meter.say(&format!("{engine} is {}", games.program_name()));
    let faults = AtomicU32::new(0);
    let concurrency = arguments.concurrency.into();
    let outcome = tune(games, &folder, &mut state, concurrency, &stop, &|event| {
        show(&event, &meter, &faults);
    });
    meter.finish();
    let shown = path.display();
    let summary = match outcome {
        Ok(summary) => summary,
        Err(error) => bail!(
            "{error}\nwhat was played is kept, and raicho spsa --out {shown} --resume goes on"
        ),
    };
    arguments.json.report(&summary, Some(&path))?;
    let parameters = path.join(PARAMETERS_FILE);
    std::fs::write(&parameters, summary.parameter_lines())
        .with_context(|| format!("{}", parameters.display()))?;
    if summary.is_interrupted {
        // Not a success: a script must not take a part of a run for the whole.
        bail!("interrupted, and raicho spsa --out {shown} --resume goes on");
    }
    Ok(())
}

fn show(event: &Event<'_>, meter: &Meter, faults: &AtomicU32) {
    match event {
        Event::Iteration(state) => meter.advance(state.finished(), one_line(state)),
        Event::Note(note) => meter.say(&format!("note: {note}")),
        Event::Fault(fault) => match faults.fetch_add(1, Ordering::Relaxed) {
            ..FAULTS_SHOWN => meter.say(&fault.to_string()),
            FAULTS_SHOWN => meter.say("more games are lost by faults; they are only counted now"),
            _ => {}
        },
    }
}

impl Arguments {
    /// What is played, and the state before the first iteration.
    fn beginning(&self) -> anyhow::Result<(GameSettings, State)> {
        let parameters = self.parameters()?;
        if parameters.is_empty() {
            bail!(
                "nothing to tune, expected --params FILE or --param NAME,int,START,LEAST,MOST,STEP,RATE"
            );
        }
        let settings = GameSettings {
            engine: self.engine()?,
            rules: self.rules.rules()?,
            openings: self.openings.settings(),
            pairs: self.pairs.unwrap_or(1),
        };
        let iterations = self.iterations.context("expected --iterations")?;
        let mut course = Settings::new(iterations, settings.openings.seed);
        course.alpha = self.alpha.unwrap_or(course.alpha);
        course.gamma = self.gamma.unwrap_or(course.gamma);
        course.stability = self.stability.unwrap_or(course.stability);
        let state = State::new(course, parameters).map_err(said)?;
        Ok((settings, state))
    }

    fn engine(&self) -> anyhow::Result<EngineSettings> {
        let engines = self.engines.engines()?;
        let count = engines.len();
        match <[EngineSettings; 1]>::try_from(engines) {
            Ok([engine]) => Ok(engine),
            Err(_) => bail!("{count} engines, expected one --engine, which plays both sides"),
        }
    }

    /// Those of the file, then those of the command line.
    fn parameters(&self) -> anyhow::Result<Vec<Parameter>> {
        let mut parameters = self.params.as_deref().map_or(Ok(Vec::new()), read)?;
        for parameter in &self.param {
            let name = &parameter.name;
            if parameters.iter().any(|p| p.name.eq_ignore_ascii_case(name)) {
                bail!("--param {name} is there already, expected every name once");
            }
            parameters.push(parameter.clone());
        }
        Ok(parameters)
    }
}

fn read(path: &Path) -> anyhow::Result<Vec<Parameter>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    parse_list(&text)
        .map_err(said)
        .with_context(|| format!("{}", path.display()))
}
