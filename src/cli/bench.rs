//! `raicho bench`: searches fixed positions, and prints nodes and nodes per second.

use std::path::PathBuf;

use clap::Args;
use clap::builder::RangedU64ValueParser;

use super::{evaluation, output};
use crate::bench::{self, BenchOptions};

/// Example: `raicho bench --depth 10`
#[derive(Args)]
#[command(before_help = "Example: raicho bench --depth 10")]
pub(super) struct Arguments {
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

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let (_, evaluator) = evaluation::load(&arguments.eval)?;
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
