//! `raicho usi`, which is also `raicho` without arguments, `raicho bench` and `raicho perft`: the
//! USI engine, its searches of fixed positions, whose node count identifies a version, and the
//! leaves of the tree of legal moves.

use std::io::{self, IsTerminal as _, Write};
use std::{error::Error, path::PathBuf, sync::atomic::AtomicBool, time::Instant};

use clap::{Args, builder::RangedU64ValueParser};

use crate::bench::{self, BenchOptions};
use crate::cli::arguments::{load_evaluation, warn_of_crowding};
use crate::lang::Lang;
use crate::movegen::perft::{PerftOptions, divide};
use crate::position::{Position, START_SFEN};
use crate::{cli::error::usage_error, cli::output, types::Depth, usi::session, util::shorten};

/// Speaks USI; tells a person who has started the program by hand what it is.
pub(super) fn run(lang: Lang) -> anyhow::Result<()> {
    let is_person = io::stdin().is_terminal();
    if is_person {
        output::eprint_line(lang.greeting());
    }
    let lang = if is_person { lang } else { Lang::En };
    Ok(session::run(io::stdin(), io::stdout(), bench, lang)?)
}

/// The command `bench`, which the protocol layer cannot import: `raicho bench` without arguments.
fn bench(depth: Option<u32>, out: &mut dyn Write, stop: &AtomicBool) -> Result<(), Box<dyn Error>> {
    let (_, evaluator) = load_evaluation("<embedded>")?;
    let mut options = BenchOptions { evaluator, ..BenchOptions::default() };
    if let Some(depth) = depth {
        options.depth = depth as Depth;
    }
    bench::run_stoppable(&options, out, stop)?;
    Ok(())
}

/// Example: `raicho bench --depth 10`
#[derive(Args)]
#[command(before_help = "Example: raicho bench --depth 10")]
pub(super) struct BenchArguments {
    /// Depth to search each position to
    #[arg(long, value_name = "PLIES", default_value_t = BenchOptions::default().depth,
          value_parser = clap::value_parser!(i32).range(1..=245))]
    depth: i32,

    /// Search threads; the node count is reproducible with one thread only
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,

    /// Size of the transposition table in MB
    #[arg(long, value_name = "MB", default_value_t = BenchOptions::default().hash_mb,
          value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    hash: usize,

    /// Evaluation: `<embedded>`, `<material>`, or a network file or its folder
    #[arg(long, value_name = "EVAL", default_value = "<embedded>")]
    eval: String,

    /// File with an SFEN per line, instead of the fixed positions
    #[arg(long, value_name = "FILE")]
    sfen_file: Option<PathBuf>,
}

pub(super) fn run_bench(arguments: &BenchArguments) -> anyhow::Result<()> {
    let (_, evaluator) = load_evaluation(&arguments.eval)?;
    warn_of_crowding(arguments.threads.into());
    let options = BenchOptions {
        depth: arguments.depth,
        threads: arguments.threads.into(),
        hash_mb: arguments.hash,
        evaluator,
        sfen_file: arguments.sfen_file.clone(),
    };
    bench::run(&options, &mut output::stdout())?;
    Ok(())
}

// --- Perft: counts the leaves of the tree of legal moves ---

/// Example: `raicho perft 6 --divide --threads 2 --hash 256`
#[derive(Args)]
#[command(before_help = "Example: raicho perft 6 --divide --threads 2 --hash 256")]
pub(super) struct PerftArguments {
    /// Plies to the leaves
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    depth: u32,

    /// Position to start from [default: the start position]
    #[arg(long, value_name = "SFEN")]
    sfen: Option<String>,

    /// Print the leaves below each move
    #[arg(long)]
    divide: bool,

    /// Threads to count with
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Size of the table of counts in MB, never exceeded; 0 for none
    #[arg(long, value_name = "MB", default_value_t = 0)]
    hash: usize,

    /// Width of the keys of that table
    #[arg(long, value_name = "BITS", default_value = "64", value_parser = ["64", "128", "256"])]
    key_bits: String,
}

pub(super) fn run_perft(arguments: &PerftArguments) -> anyhow::Result<()> {
    match &*arguments.key_bits {
        "128" => run_with::<2>(arguments),
        "256" => run_with::<4>(arguments),
        _ => run_with::<1>(arguments),
    }
}

fn run_with<const LANES: usize>(arguments: &PerftArguments) -> anyhow::Result<()> {
    let sfen = arguments.sfen.as_deref().unwrap_or(START_SFEN);
    let sfen = sfen.trim().trim_start_matches("sfen ");
    let position = match sfen {
        "startpos" => Position::startpos(),
        _ => Position::from_sfen(sfen)
            .map_err(|error| usage_error(format_args!("--sfen '{}': {error}", shorten(sfen))))?,
    };
    let options = PerftOptions {
        depth: arguments.depth,
        threads: arguments.threads.into(),
        hash_mb: arguments.hash,
    };
    let start = Instant::now();
    let counts = divide::<LANES>(&position, &options, &AtomicBool::new(false))?;
    let seconds = start.elapsed().as_secs_f64();
    let leaves: u64 =
        if options.depth == 0 { 1 } else { counts.iter().map(|(_, leaves)| leaves).sum() };

    let mut out = output::stdout();
    if arguments.divide {
        for (mv, leaves) in &counts {
            writeln!(out, "{mv}: {leaves}")?;
        }
    }
    let speed = (leaves as f64 / seconds.max(1e-9)) as u64;
    Ok(writeln!(out, "{leaves} leaves {speed} lps")?)
}
