//! `raicho usi`, which is also `raicho` without arguments, and `raicho bench`: the USI engine, and
//! its searches of fixed positions, whose node count identifies a version.

use std::io::{self, IsTerminal as _, Write};
use std::{error::Error, path::PathBuf, sync::atomic::AtomicBool};

use clap::{Args, builder::RangedU64ValueParser};

use crate::bench::{self, BenchOptions};
use crate::cli::arguments::{load_evaluation, warn_of_crowding};
use crate::{cli::output, lang::Lang, types::Depth, usi::session};

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
