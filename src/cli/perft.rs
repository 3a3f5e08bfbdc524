//! `raicho perft`: counts the leaves of the tree of legal moves.

use std::{io::Write, sync::atomic::AtomicBool, time::Instant};

use clap::Args;

use super::output;
use crate::movegen::perft::{PerftOptions, divide};
use crate::position::{Position, START_SFEN};
use crate::{cli::error::usage_error, util::shorten};

/// Example: `raicho perft 6 --divide --threads 2 --hash 256`
#[derive(Args)]
#[command(before_help = "Example: raicho perft 6 --divide --threads 2 --hash 256")]
pub(super) struct Arguments {
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

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match &*arguments.key_bits {
        "128" => run_with::<2>(arguments),
        "256" => run_with::<4>(arguments),
        _ => run_with::<1>(arguments),
    }
}

fn run_with<const LANES: usize>(arguments: &Arguments) -> anyhow::Result<()> {
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
