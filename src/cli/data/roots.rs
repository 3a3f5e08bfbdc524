//! `raicho roots`: selects start positions for self-play from games.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::{Destination, Input, UNIT};
use crate::cli::arguments::{BYTES_PER_MEGABYTE, WorkArguments, WorkerArguments, parse_share};
use crate::cli::error::ensure_usage;
use crate::cli::output;
use crate::cli::progress::{metered, stop_on_ctrl_c};
use crate::records::teacher::{Content, Format, Record};
use crate::runs::{RunKind, Stop};
use crate::train::data::Output;
use crate::train::roots::{
    self, CheckSettings, CheckedRoot, Collection, Root, RootsSettings, Table,
};
use crate::util::{counted, parse_positive};

/// Example: `raicho roots floodgate/ --min-rating 3800 --out roots.hcp`
#[derive(Args)]
#[command(
    before_help = "Example: raicho roots floodgate/2026/ --min-rating 3800 --plies 20 \
        --check-repetition --out roots.hcp"
)]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    destination: Destination,

    #[command(flatten)]
    games: GameArguments,

    #[command(flatten)]
    positions: PositionArguments,

    #[command(flatten)]
    check: CheckArguments,

    #[command(flatten)]
    work: WorkArguments,
}

const KIND: RunKind = RunKind {
    noun: "check of roots",
    settings: "roots.json",
    journal: "roots.jsonl",
    format: 1,
};

/// The settings that determine which roots are kept. They are stored with the results.
#[derive(Serialize, Deserialize)]
struct CheckRun {
    /// Number of positions that are checked here.
    roots: u64,
    /// CRC-32 of these positions.
    checksum: u32,
    eval: String,
    check: CheckSettings,
}

#[derive(Args)]
#[command(next_help_heading = "Which games")]
struct GameArguments {
    /// Minimum rating, which both players must have; games without ratings are left out
    #[arg(long, value_name = "RATING")]
    min_rating: Option<f64>,

    /// Minimum length of a game in plies
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    min_plies: usize,

    /// Also use games that were interrupted, lost on time or by a foul, and USI lines, whose end is
    /// unknown. Games that ended by repetition are never used
    #[arg(long)]
    unfinished: bool,
}

#[derive(Args)]
#[command(next_help_heading = "Which positions")]
struct PositionArguments {
    /// Number of first moves of each game before which the positions are taken
    #[arg(long, value_name = "PLIES", default_value_t = 16, value_parser = parse_positive::<u16>)]
    plies: u16,

    /// Take no further positions of a game once its score exceeds this number of centipawns for
    /// either side
    #[arg(long, value_name = "CP")]
    eval_limit: Option<u32>,

    /// Minimum number of games of a position
    #[arg(long, value_name = "GAMES", default_value_t = 1)]
    min_count: u64,

    /// Quantile of the number of games per position, below which positions are dropped, such as
    /// 0.99 to keep the most frequent hundredth; 0 drops none
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_share)]
    percentile: f64,
}

#[derive(Args)]
#[command(next_help_heading = "Self-play from the positions")]
struct CheckArguments {
    /// Play games from each position, and drop it if many of them repeat a position
    #[arg(long)]
    check_repetition: bool,

    /// Number of games from each position
    #[arg(
        long,
        requires = "check_repetition",
        value_name = "N",
        default_value_t = 4,
        value_parser = parse_positive::<u64>
    )]
    check_games: u64,

    /// Soft node limit per move, as in gensfen
    #[arg(
        long,
        requires = "check_repetition",
        value_name = "N",
        default_value_t = 1000,
        value_parser = parse_positive::<u64>
    )]
    check_nodes: u64,

    #[command(flatten)]
    workers: WorkerArguments,
}

pub(in crate::cli) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let sources = arguments.input.sources()?;
    let (path, format) = arguments.destination.check(&sources)?;
    ensure_usage!(
        format.content() == Content::Positions,
        "{format} keeps more than positions, expected {}",
        Format::names(|format| format.content() == Content::Positions)
    );
    let stop = stop_on_ctrl_c()?;
    let settings = arguments.settings();
    let found = metered(&stop, UNIT, BYTES_PER_MEGABYTE, |watch| {
        roots::collect(&sources, &settings, watch)
    })?;
    let mut kept = found.roots.clone();
    // Contiguous, so that the concatenated outputs of all shards are the output of the whole.
    let here = arguments.work.shard().range(kept.len() as u64);
    kept.truncate(here.end as usize);
    kept.drain(..here.start as usize);
    let all = kept.len();
    if arguments.check.check_repetition {
        arguments.drop_repeating(&mut kept, &stop)?;
    }
    // Written before anything is printed: a closed pipe must not lose the work.
    let written = write(path, format, &kept)?;
    print_games(&found)?;
    let mut out = output::stdout();
    if arguments.check.check_repetition {
        let dropped = all - kept.len();
        writeln!(
            out,
            "{} dropped because games from them repeat moves\n",
            counted(dropped, "position")
        )?;
    }
    write!(out, "after\n{}", Table::of(&kept))?;
    ensure!(written > 0, "no position is left; nothing was written");
    let written = counted(written, "position");
    writeln!(out, "{written} written to {}", path.display())?;
    Ok(())
}

/// Writes the positions, if there are any, and returns their number.
fn write(path: &Path, format: Format, roots: &[Root]) -> anyhow::Result<u64> {
    if roots.is_empty() {
        return Ok(0);
    }
    let mut out = Output::create(path, format)?;
    for root in roots {
        out.write(&Record::Position(root.position, root.ply))?;
    }
    Ok(out.finish()?)
}

fn print_games(found: &Collection) -> anyhow::Result<()> {
    let tally = &found.tally;
    output::eprint(tally);
    let games = &found.games;
    let mut out = output::stdout();
    writeln!(out, "{:>12}  games read", tally.records)?;
    for (count, what) in [
        (games.rating, "left out, ratings too low or unknown"),
        (games.short, "left out, too short"),
        (games.repetition, "left out, ended by repetition"),
        (games.unfinished, "left out, not played to the end"),
        (games.used, "used"),
    ] {
        writeln!(out, "{count:>12}  {what}")?;
    }
    writeln!(out, "\nbefore\n{}", found.before)?;
    writeln!(
        out,
        "{:>12}  games a position must have at least\n",
        found.threshold
    )?;
    Ok(())
}

impl Arguments {
    fn settings(&self) -> RootsSettings {
        RootsSettings {
            min_rating: self.games.min_rating,
            min_plies: self.games.min_plies,
            plies: self.positions.plies.into(),
            eval_limit: self.positions.eval_limit,
            with_unfinished: self.games.unfinished,
            min_count: self.positions.min_count,
            percentile: self.positions.percentile,
            bad_records: self.input.bad_records(),
        }
    }

    fn drop_repeating(&self, roots: &mut Vec<Root>, stop: &Stop) -> anyhow::Result<()> {
        let arguments = &self.check;
        let (eval, evaluator) = arguments.workers.evaluation()?;
        let mut checksum = crc32fast::Hasher::new();
        for root in roots.iter() {
            checksum.update(&root.position.to_bytes());
        }
        let run = CheckRun {
            roots: roots.len() as u64,
            checksum: checksum.finalize(),
            eval,
            check: CheckSettings {
                games: arguments.check_games,
                plies: 30,
                nodes: arguments.check_nodes,
                rate: 0.5,
                threads: arguments.workers.threads(),
                seed: arguments.workers.seed,
            },
        };
        let (folder, known): (_, Vec<CheckedRoot>) = self.work.open(KIND, &run)?;
        let is_kept = metered(stop, "positions", 1, |watch| {
            roots::check(roots, &run.check, &evaluator, folder, &known, watch)
        });
        self.work.check_complete(stop)?;
        let mut is_kept = is_kept.context("self-play from the positions")?.into_iter();
        roots.retain(|_| is_kept.next().unwrap_or(true));
        Ok(())
    }
}
