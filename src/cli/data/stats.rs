//! `raicho stats`: statistics of teacher data.

use std::path::PathBuf;

use clap::Args;

use super::{Input, watched};
use crate::train::data::stats;

/// Example: `raicho stats gen2/ --svg gen2.svg`
#[derive(Args)]
#[command(before_help = "Example: raicho stats gen2/ --svg gen2.svg")]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    input: Input,

    /// Draw the histograms to an SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

pub(in crate::cli) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let sources = arguments.input.sources()?;
    let bad_records = arguments.input.bad_records();
    let stats = watched(|watch| stats::run(&sources, bad_records, watch))?;
    print!("{stats}");
    if let Some(path) = &arguments.svg {
        stats.draw(path)?;
    }
    Ok(())
}
