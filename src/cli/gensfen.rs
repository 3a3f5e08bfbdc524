//! `raicho gensfen`: makes teacher data by self-play.

use std::{path::PathBuf, time::Instant};

use anyhow::{Result, bail};
use clap::Args;

use crate::cli::progress::{Meter, stop_on_ctrl_c};
use crate::openings::{OpeningError, Plies, SelfPlayOpenings, StartSet};
use crate::train::gensfen::{self, Archive, Entry, GensfenSettings, Run, RunLimits, Tally};
use crate::{cli::arguments::WorkerArguments, train::gensfen::TreeSampling, util::counted};
use crate::{cli::error::ensure_usage, cli::output};

/// Example: `raicho gensfen --nodes 1000 --threads 8 --loop 10000000 --out gen-1`
#[derive(Args)]
#[command(
    before_help = "Example: raicho gensfen --nodes 1000 --threads 8 --loop 10000000 --out gen-1"
)]
pub(super) struct Arguments {
    /// Folder for the games
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,

    /// Resume the run in the folder of --out; begin it if the folder has none yet. Settings must be
    /// the same, except --threads, --loop and --games
    #[arg(long)]
    resume: bool,

    #[command(flatten)]
    workers: WorkerArguments,

    /// Number of positions in the folder after which the run ends; each shard has its own [default:
    /// at Ctrl-C]
    #[arg(long = "loop", visible_alias = "positions", value_name = "POSITIONS")]
    positions: Option<u64>,

    /// Number of games over all shards
    #[arg(long, value_name = "N")]
    games: Option<u64>,

    #[command(flatten)]
    settings: GensfenSettings,

    #[command(flatten)]
    openings: OpeningArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    arguments.check()?;
    let (eval, evaluator) = arguments.workers.evaluation()?;
    let starts = arguments.openings.starts()?;
    let settings = arguments.settings(eval, &starts);
    let (archive, entries) = arguments.archive(&settings)?;
    let stop = stop_on_ctrl_c()?;
    let before = Tally::of(&entries);
    let meter = Meter::new("positions", arguments.positions, before.written);
    let begun = Instant::now();
    let words = |tally: &Tally| progress_text(tally, &before, begun);
    let run = Run { settings: &settings, starts: &starts, evaluator: &evaluator };
    let limits = RunLimits {
        threads: arguments.workers.threads(),
        games: arguments.games,
        positions: arguments.positions,
    };
    let result = gensfen::run(&run, &limits, archive, &entries, &stop, &|tally| {
        meter.advance(tally.written, &words(tally));
    });
    meter.finish();
    let tally = match result {
        Ok(tally) => tally,
        Err(error) => {
            let message = output::message(&error);
            bail!("{message}\nfinished games are kept; --resume continues");
        }
    };
    let written = counted(tally.written, "position");
    output::print_line(format_args!("{written}, {}", words(&tally)))?;
    for (reason, count) in &tally.reasons {
        let games = counted(*count, "game");
        output::print_line(format_args!("{games} ended by {reason}"))?;
    }
    if stop.is_requested() && !limits.are_reached(settings.shard, &tally) {
        // Not a success: a script must not take a part of a run for the whole.
        bail!("interrupted; the same command with --resume continues");
    }
    Ok(())
}

/// The speed since `begun`, when the run had the tally `before`, and the tally.
fn progress_text(tally: &Tally, before: &Tally, begun: Instant) -> String {
    let millis = begun.elapsed().as_millis().max(1);
    let rate = |count: u64| u128::from(count) * 1000 / millis;
    let games = rate(tally.written - before.written);
    match rate(tally.tree_positions - before.tree_positions) {
        0 => format!("{games}/s, {tally}"),
        trees => format!("{games}/s and {trees}/s of search trees, {tally}"),
    }
}

impl Arguments {
    /// Checks that nodes can be written at all.
    fn check(&self) -> Result<()> {
        let depth = self.settings.effort.depth;
        if let Some(TreeSampling { min_depth, .. }) = self.settings.trees {
            ensure_usage!(
                depth.is_none_or(|depth| min_depth <= depth),
                "--tree-positions have a depth of {min_depth} at least, which is greater than \
                 --depth, so that no node would be written"
            );
        }
        Ok(())
    }

    /// The folder of the run, and the games that it holds already.
    fn archive(&self, settings: &GensfenSettings) -> Result<(Archive, Vec<Entry>)> {
        let folder = &self.out;
        if !(self.resume && Archive::exists(folder)) {
            let archive = Archive::create(folder, settings)?;
            return Ok((archive, Vec::new()));
        }
        let (archive, entries) = Archive::resume(folder, settings)?;
        if archive.lost() > 0 {
            output::eprint_line(format_args!(
                "note: played again, as the last file does not have them: {}",
                counted(archive.lost(), "game")
            ));
        }
        Ok((archive, entries))
    }

    /// The settings of the run with this evaluation and these start positions.
    fn settings(&self, eval: String, starts: &StartSet) -> GensfenSettings {
        let mut settings = self.settings.clone();
        let shard = settings.shard;
        if shard.count > 1 {
            settings.writing.name = format!("games-{}of{}", shard.number(), shard.count);
        }
        GensfenSettings {
            eval,
            effort: settings.effort.or_default(),
            openings: self.openings.settings(starts),
            ..settings
        }
    }
}

#[derive(Args)]
#[command(next_help_heading = "Openings")]
struct OpeningArguments {
    /// Begin from the positions of a file instead of the start position: one per line as an SFEN or
    /// `startpos moves …`, or packed as hcp if the file name ends in .hcp
    #[arg(long, value_name = "FILE")]
    roots: Option<PathBuf>,

    /// Random first moves, each legal move equally likely: a number, or a range with both ends
    /// included [default: 8..9, with --roots 0]
    #[arg(long, value_name = "N..M")]
    random_plies: Option<Plies>,

    /// Maximum advantage of either side after the opening in centipawns; other openings are
    /// replaced
    #[arg(long, value_name = "CP", default_value_t = 800)]
    opening_limit: u32,

    /// Nodes of the search that judges an opening; 0 accepts every opening
    #[arg(long, value_name = "N", default_value_t = 5000)]
    opening_nodes: u64,
}

impl OpeningArguments {
    fn plies(&self) -> Plies {
        const AFTER_ROOTS: Plies = Plies::exactly(0);
        let default = match self.roots {
            Some(_) => AFTER_ROOTS,
            None => Plies::SELF_PLAY,
        };
        self.random_plies.unwrap_or(default)
    }

    /// Reads the start positions.
    fn starts(&self) -> Result<StartSet, OpeningError> {
        let roots = self.roots.as_deref().map(StartSet::of_roots);
        roots.unwrap_or_else(|| Ok(StartSet::startpos()))
    }

    fn settings(&self, starts: &StartSet) -> SelfPlayOpenings {
        let plies = self.plies();
        SelfPlayOpenings {
            roots: starts.file().map(str::to_owned),
            least_plies: plies.least(),
            most_plies: plies.most(),
            limit: self.opening_limit,
            nodes: self.opening_nodes,
            entering_kings: None,
        }
    }
}
