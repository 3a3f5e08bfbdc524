//! `raicho usi`, and `raicho` without arguments: the USI engine.

use std::error::Error;
use std::io::{self, Write};
use std::sync::atomic::AtomicBool;

use super::evaluation;
use crate::bench::{self, BenchOptions};
use crate::types::Depth;
use crate::usi::{options, session};

/// Example: raicho usi
#[derive(clap::Args, Default)]
#[command(before_help = "Example: raicho usi")]
pub(super) struct Arguments {
    /// Offer every number of the search as an option, for `raicho spsa`
    #[arg(long, hide = true)]
    tunables: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.tunables {
        options::offer_tunables();
    }
    Ok(session::run(io::stdin(), io::stdout(), bench)?)
}

/// The command `bench`, which the protocol layer cannot import: `raicho bench` without arguments.
fn bench(
    depth: Option<u32>,
    output: &mut dyn Write,
    stop: &AtomicBool,
) -> Result<(), Box<dyn Error>> {
    let (_, evaluator) = evaluation::load("<embedded>")?;
    let mut options = BenchOptions {
        evaluator,
        ..BenchOptions::default()
    };
    if let Some(depth) = depth {
        options.depth = depth as Depth;
    }
    bench::run_stoppable(&options, output, stop)?;
    Ok(())
}
