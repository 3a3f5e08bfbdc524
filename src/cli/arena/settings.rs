//! The arguments of a match and their conversion to settings. When a run is resumed, arguments that
//! are repeated must be those of the run.

use std::{fmt, io::Write as _, path::PathBuf, time::Duration};

use anyhow::{Result, bail};
use clap::Args;

use crate::arena::referee::{Adjudication, Rules};
use crate::arena::settings::{EngineSettings, EngineText, Format, MatchSettings};
use crate::arena::time_control::{PER_GAME, PER_MOVE, TimeControl};
use crate::cli::arguments::{Given, one_of, parse_clock, parse_engine, time};
use crate::cli::error::{bail_usage, usage_error};
use crate::cli::{output, result_file};
use crate::openings::{OpeningSettings, Order, Plies, Source, write_set};
use crate::util::{BareNumber, parse_positive};
use crate::{arena::statistics::Sprt, cli::progress::Meter, runs::Shard, types::EnteringKingRule};

const DEFAULT_GAMES: u64 = 100;

/// The arguments that, with the engines, decide which games are played.
const WITH_ENGINES: &str = "each tc byoyomi movetime order nodes depth format ponder max_moves \
    entering_king_rule margin patience ready_timeout adjudicate adjudicate_draw openings \
    random_plies max_imbalance seed";

/// The engines and their limits; shared by all commands that play games.
#[derive(Args)]
pub(in crate::cli) struct EngineArguments {
    /// An engine:
    /// cmd=PROGRAM[,name=NAME][,args=WORDS][,dir=FOLDER][,env.NAME=VALUE][,option.NAME=VALUE…] and,
    /// if it differs from the others, its time:
    /// [,tc=BASE+INC][,byoyomi=TIME][,movetime=TIME][,nodes=N][,depth=N][,nodes-time=N]. A comma
    /// inside a value is written `\,`
    #[arg(long = "engine", value_name = "KEY=VALUE,…", value_parser = parse_engine)]
    engines: Vec<EngineText>,

    /// Defaults for all engines, in the same form, such as option.Threads=2
    #[arg(long, value_name = "KEY=VALUE,…", value_parser = parse_engine)]
    each: Option<EngineText>,

    #[command(flatten)]
    time: TimeArguments,
}

/// The limits of engines that have none of their own.
#[derive(Args)]
#[command(next_help_heading = "Time")]
struct TimeArguments {
    /// Main time and increment per move: seconds, or with units, as in 60+1, 10+0.1, 5m, 1m+500ms
    #[arg(long, value_name = "BASE+INC", value_parser = parse_clock)]
    tc: Option<(Duration, Duration)>,

    /// Time per move after the main time is used up: seconds, or with a unit as in 500ms
    #[arg(long, value_name = "TIME", value_parser = time(PER_MOVE))]
    byoyomi: Option<Duration>,

    /// Fixed time per move (`go movetime`), without a clock: seconds, or with a unit as in 500ms
    #[arg(long, value_name = "TIME", value_parser = time(PER_MOVE))]
    movetime: Option<Duration>,

    /// Nodes per move (`go nodes`)
    #[arg(long, value_name = "N", value_parser = parse_positive::<u64>)]
    nodes: Option<u64>,

    /// Depth per move (`go depth`)
    #[arg(long, value_name = "N", value_parser = parse_positive::<u32>)]
    depth: Option<u32>,
}

/// The rules of the games.
#[derive(Args)]
#[command(next_help_heading = "Rules")]
pub(in crate::cli) struct RuleArguments {
    /// Move number after which a game is a draw unless that move mates; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = Rules::default().max_moves)]
    max_moves: u32,

    /// Rule for declarations: `NoEnteringKing`, `CSARule24`, `CSARule24H`, `CSARule27`,
    /// `CSARule27H` or `TryRule`
    #[arg(long, value_name = "RULE", default_value_t = Rules::default().entering_king)]
    entering_king_rule: EnteringKingRule,

    /// Tolerated overrun of a clock: seconds, or with a unit as in 20ms
    #[arg(long, value_name = "TIME", default_value = "0",
          value_parser = time(BareNumber::SecondsBelow(10)))]
    margin: Duration,

    /// Time after which an engine that plays without a clock loses if it does not answer: seconds,
    /// or with a unit as in 10m
    #[arg(long, value_name = "TIME", default_value = "60", value_parser = time(PER_GAME))]
    patience: Duration,

    /// Time limit for usiok and readyok: seconds, or with a unit as in 10m
    #[arg(long, value_name = "TIME", default_value = "120", value_parser = time(PER_GAME))]
    ready_timeout: Duration,

    /// End a game as won if both engines agree on the winner: score=CENTIPAWNS moves=N [from=MOVE]
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..=3)]
    adjudicate: Vec<String>,

    /// End a game as a draw if both engines agree that it is even: score=CENTIPAWNS moves=N
    /// [from=MOVE]
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..=3)]
    adjudicate_draw: Vec<String>,
}

/// The number of games, and which of them are played.
#[derive(Args)]
#[command(next_help_heading = "Games")]
pub(super) struct GameArguments {
    /// Pairings of more than two engines: each against each other one, or the first against each of
    /// the others
    #[arg(long, default_value = "round-robin", value_parser = one_of(&FORMATS))]
    format: Format,

    /// Games per pairing [default: 100; no limit with --sprt]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: Option<u64>,

    /// Let engines ponder
    #[arg(long)]
    ponder: bool,

    /// Stop as soon as an SPRT decides between two Elo gains: [elo0=0] [elo1=5] [alpha=0.05]
    /// [beta=0.05] [model=logistic|normalized]
    #[arg(long, value_name = "KEY=VALUE", num_args = 0..=5)]
    sprt: Option<Vec<String>>,

    /// Play only shard I of N; I counts from 0 to N-1 or from 1 to N
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
}

const FORMATS: [(&str, Format); 2] =
    [("round-robin", Format::RoundRobin), ("gauntlet", Format::Gauntlet)];

impl EngineArguments {
    /// Whether the command line has no `--engine`.
    pub(in crate::cli) fn is_empty(&self) -> bool {
        self.engines.is_empty()
    }

    /// Refuses what says nothing without an engine, of a run that is resumed without naming it.
    pub(in crate::cli) fn check_engine_is_named(&self, given: &Given) -> Result<()> {
        let is_alone = |name: &&str| self.is_empty() && given.has(name);
        if let Some(name) = WITH_ENGINES.split(' ').find(is_alone) {
            let name = name.replace('_', "-");
            bail_usage!(
                "--{name} without --engine: repeat the engines too, or leave it out to resume the \
                 run as it is"
            );
        }
        Ok(())
    }

    /// The settings of the engines.
    pub(in crate::cli) fn engines(&self) -> Result<Vec<EngineSettings>> {
        let (base, increment) = self.time.tc.unwrap_or_default();
        let control = TimeControl {
            base,
            increment,
            byoyomi: self.time.byoyomi.unwrap_or_default(),
            movetime: self.time.movetime,
            nodes: self.time.nodes,
            depth: self.time.depth,
            ..TimeControl::default()
        };
        let mut each = self.each.clone().unwrap_or_default();
        if let Some(name) = &each.name {
            bail_usage!("--each name={name}: each engine needs a name of its own");
        }
        each.time_control = control.overridden_by(each.time_control);
        let texts: Vec<EngineText> = self.engines.iter().map(|e| e.clone().or(&each)).collect();
        EngineText::engines(&texts).map_err(usage_error)
    }
}

impl RuleArguments {
    pub(in crate::cli) fn rules(&self) -> Result<Rules> {
        let adjudication = |words: &[String]| -> Result<Option<Adjudication>> {
            if words.is_empty() {
                return Ok(None);
            }
            Ok(Some(words.join(" ").parse().map_err(usage_error)?))
        };
        Ok(Rules {
            max_moves: self.max_moves,
            entering_king: self.entering_king_rule,
            margin: self.margin,
            patience: self.patience,
            ready_timeout: self.ready_timeout,
            win_adjudication: adjudication(&self.adjudicate)?,
            draw_adjudication: adjudication(&self.adjudicate_draw)?,
        })
    }
}

impl GameArguments {
    /// The settings of a new match.
    pub(super) fn settings(
        &self,
        engines: Vec<EngineSettings>,
        rules: Rules,
        openings: OpeningSettings,
    ) -> Result<MatchSettings> {
        if engines.len() < 2 {
            let number = ["no engine", "one engine"][engines.len()];
            bail_usage!("{number}, expected two --engine or more");
        }
        let sprt = self.sprt()?;
        Ok(MatchSettings {
            format: self.format,
            games: self.games.or(sprt.is_none().then_some(DEFAULT_GAMES)),
            rules,
            openings,
            ponder: self.ponder,
            sprt,
            shard: self.shard,
            engines,
        })
        .and_then(checked)
    }

    /// The settings of a resumed match, changed as the command line asks.
    pub(super) fn changed(&self, mut settings: MatchSettings) -> Result<MatchSettings> {
        if let Some(sprt) = self.sprt()? {
            settings.sprt = Some(sprt);
        }
        settings.games = self.games.or(settings.games);
        if self.shard.is_some() && self.shard != settings.shard {
            bail!("--shard differs from that of the match to be resumed");
        }
        checked(settings)
    }

    fn sprt(&self) -> Result<Option<Sprt>> {
        let words = self.sprt.as_ref().map(|words| words.join(" "));
        let sprt = words.map(|words| words.parse());
        sprt.transpose().map_err(usage_error)
    }
}

fn checked(settings: MatchSettings) -> Result<MatchSettings> {
    if settings.sprt.is_some() && settings.engines.len() != 2 {
        let count = settings.engines.len();
        bail_usage!("--sprt compares two engines, here are {count}");
    }
    let counts_nodes = |engine: &EngineSettings| engine.time_control.nodes_time.is_some();
    if settings.ponder && settings.engines.iter().any(counts_nodes) {
        bail_usage!(
            "--ponder with nodes-time=: pondering takes the opponent's time, expected one of them"
        );
    }
    if settings.shard.is_some() && settings.games.is_none() {
        bail_usage!(
            "--shard needs a number of games: each part plays all of its own, and merge gives the \
            verdict of --sprt"
        );
    }
    Ok(settings)
}

// --- Openings ---

/// Default of `--max-imbalance` for random openings, in centipawns.
const MAX_IMBALANCE: u32 = 120;

/// The openings of the games.
#[derive(Args)]
#[command(next_help_heading = "Openings")]
pub(in crate::cli) struct OpeningArguments {
    /// File of openings: lines of SFEN or `startpos moves …`, or a book of `YaneuraOu` (.db)
    #[arg(long, value_name = "FILE", conflicts_with = "random_plies")]
    openings: Option<PathBuf>,

    /// Random openings: number of random moves from the start position, both ends included; with 0
    /// there is one, for two games
    #[arg(long, value_name = "FROM..TO", default_value = "8..12")]
    random_plies: Plies,

    /// Skip openings in which our own search sees a larger advantage for either side, in centipawns
    /// [default: 120 for random openings]
    #[arg(long, value_name = "CENTIPAWNS")]
    max_imbalance: Option<u32>,

    /// Order in which the openings of a file are used
    #[arg(long, default_value = "random",
          value_parser = one_of(&[("random", Order::Random), ("sequential", Order::Sequential)]))]
    order: Order,

    /// Seed of the random openings and of the random order
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

impl OpeningArguments {
    /// The files that are read.
    pub(in crate::cli) fn files(&self) -> &[PathBuf] {
        self.openings.as_slice()
    }

    pub(in crate::cli) fn settings(&self) -> OpeningSettings {
        let plies = self.random_plies;
        let (source, max_imbalance) = match &self.openings {
            Some(path) => (Source::File(path.clone()), self.max_imbalance),
            None => (Source::Random { plies }, Some(self.max_imbalance.unwrap_or(MAX_IMBALANCE))),
        };
        OpeningSettings { source, order: self.order, max_imbalance, seed: self.seed }
    }
}

/// The options on a command line, defaults included.
impl fmt::Display for OpeningArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = self.settings();
        match &settings.source {
            Source::Startpos => f.write_str("--random-plies 0")?,
            Source::File(path) => {
                write!(f, "--openings {}", path.display())?;
                if settings.order == Order::Sequential {
                    f.write_str(" --order sequential")?;
                }
            }
            Source::Random { plies } => write!(f, "--random-plies {plies}")?,
        }
        if let Some(most) = settings.max_imbalance {
            write!(f, " --max-imbalance {most}")?;
        }
        write!(f, " --seed {}", settings.seed)
    }
}

/// Example: `raicho match openings --random-plies 8..12 --max-imbalance 100 --count 500 --out
/// openings.sfen`
#[derive(Args)]
#[command(before_help = "Example: raicho match openings --random-plies 8..12 --max-imbalance 100 \
        --count 500 --out openings.sfen")]
pub(super) struct OpeningSetArguments {
    #[command(flatten)]
    openings: OpeningArguments,

    /// Number of openings
    #[arg(long, value_name = "N", value_parser = parse_positive::<u32>)]
    count: u32,

    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Overwrite an existing file
    #[arg(long, requires = "out")]
    force: bool,
}

/// Writes a set of openings.
pub(super) fn write_openings(arguments: &OpeningSetArguments) -> Result<()> {
    if let Some(path) = &arguments.out {
        let read = arguments.openings.files().iter().map(PathBuf::as_path);
        result_file::check(path, read)?;
        result_file::check_free(path, arguments.force)?;
    }
    let settings = arguments.openings.settings();
    let count = arguments.count as usize;
    let openings = &arguments.openings;
    let command = format!("raicho match openings {openings} --count {count}");
    let meter = Meter::new("openings", Some(arguments.count.into()), 0);
    let mut set = Vec::new();
    let result = write_set(&settings, count, &command, &mut set, |done| {
        meter.advance(done as u64, "");
    });
    meter.finish();
    if let Some(warning) = result? {
        output::eprint_line(format_args!("note: {warning}"));
    }
    match &arguments.out {
        Some(path) => result_file::save(path, &set),
        None => Ok(output::stdout().write_all(&set)?),
    }
}
