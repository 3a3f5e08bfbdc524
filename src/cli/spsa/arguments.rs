//! The command line of `raicho spsa`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Arg, ArgAction, Args};

use crate::arena::settings::EngineSettings;
use crate::arena::spsa::games::GameSettings;
use crate::arena::spsa::{Parameter, Settings, State, StateError, parse_list};
use crate::cli::arena::{EngineArguments, JsonArguments, OpeningArguments, RuleArguments};
use crate::cli::flat_error::flat_error;
use crate::cli::usage::{bail_usage, usage_error};
use crate::cli::work::Indivisible;

/// Example: `raicho spsa --engine 'cmd=./raicho,args=usi --tunables' --params params.txt
/// --nodes 20000 --iterations 5000 --concurrency 2 --out tune`
#[derive(Args)]
#[command(
    before_help = "Example: raicho spsa --engine 'cmd=./raicho,args=usi --tunables' \
        --params params.txt --nodes 20000 --iterations 5000 --concurrency 2 --out tune",
    after_help = "The engine is given once and plays both sides. Openings that are used up are \
        played again. \
                  --seed also decides which values are tried.",
    mut_arg("nodes", one_limit)
)]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    pub(super) engines: EngineArguments,

    /// File with the tuned USI options, one per line: name, int or float, start, least, most, step,
    /// rate
    #[arg(long, value_name = "FILE", help_heading = "Parameters")]
    pub(super) params: Option<PathBuf>,

    /// A tuned option, in the same form; may be repeated. STEP is the perturbation at the end of
    /// the run; the value moves by STEP times RATE per point of an iteration's result
    #[arg(
        long,
        value_name = "NAME,int,START,LEAST,MOST,STEP,RATE",
        help_heading = "Parameters"
    )]
    pub(super) param: Vec<Parameter>,

    /// Number of iterations
    #[arg(long, value_name = "N", required_unless_present = "resume", help_heading = "Course",
          value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(super) iterations: Option<u64>,

    /// Pairs of games per iteration, the same opening with colours swapped [default: 1]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Course",
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    pub(super) pairs: Option<u32>,

    /// Exponent of the decrease of the steps [default: 0.602]
    #[arg(long, value_name = "EXPONENT", help_heading = "Course")]
    pub(super) alpha: Option<f64>,

    /// Exponent of the decrease of the perturbations [default: 0.101]
    #[arg(long, value_name = "EXPONENT", help_heading = "Course")]
    pub(super) gamma: Option<f64>,

    /// Number added to the iteration in the steps, so that the first ones are not too large
    /// [default: a tenth of --iterations]
    #[arg(long, value_name = "N", help_heading = "Course")]
    pub(super) stability: Option<f64>,

    /// Number of iterations at a time
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=1024)
    )]
    pub(super) concurrency: u16,

    #[command(flatten)]
    pub(super) openings: OpeningArguments,

    #[command(flatten)]
    pub(super) rules: RuleArguments,

    /// Folder for all files of the run [default: spsa-DATE-TIME]
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: Option<PathBuf>,

    /// Resume the run in the folder of --out; its engine and settings need not be repeated. With an
    /// engine given, begin the run if the folder has none yet
    #[arg(long, requires = "out")]
    pub(super) resume: bool,

    #[command(flatten)]
    pub(super) json: JsonArguments,

    #[command(flatten)]
    pub(super) indivisible: Indivisible,
}

/// The option `--nodes` of a match without its curves over several limits.
fn one_limit(nodes: Arg) -> Arg {
    nodes
        .help("Nodes per move (`go nodes`)")
        .long_help(None)
        .value_name("N")
        .value_delimiter(None)
        .action(ArgAction::Set)
}

impl Arguments {
    /// The settings of the games, and the state before the first iteration.
    pub(super) fn beginning(&self) -> anyhow::Result<(GameSettings, State)> {
        let parameters = self.parameters()?;
        if parameters.is_empty() {
            bail_usage!(
                "nothing to tune, expected --params FILE or --param \
                NAME,int,START,LEAST,MOST,STEP,RATE"
            );
        }
        let settings = GameSettings {
            engine: self.engine()?,
            rules: self.rules.rules()?,
            openings: self.openings.settings(),
            pairs: self.pairs.unwrap_or(1),
        };
        let Some(iterations) = self.iterations else {
            bail_usage!("expected --iterations");
        };
        let mut spsa = Settings::new(iterations, settings.openings.seed);
        spsa.alpha = self.alpha.unwrap_or(spsa.alpha);
        spsa.gamma = self.gamma.unwrap_or(spsa.gamma);
        spsa.stability = self.stability.unwrap_or(spsa.stability);
        let state = State::new(spsa, parameters).map_err(|error| match error {
            StateError::Settings(_) => usage_error(error),
            _ => flat_error(error),
        })?;
        Ok((settings, state))
    }

    pub(super) fn engine(&self) -> anyhow::Result<EngineSettings> {
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
    pub(super) fn parameters(&self) -> anyhow::Result<Vec<Parameter>> {
        let mut parameters = self.params.as_deref().map_or(Ok(Vec::new()), read)?;
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

fn read(path: &Path) -> anyhow::Result<Vec<Parameter>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    parse_list(text.trim_start_matches('\u{feff}'))
        .map_err(flat_error)
        .with_context(|| format!("{}", path.display()))
}
