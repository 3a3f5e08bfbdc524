//! `raicho match openings`: writes a set of openings.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use indicatif::ProgressBar;

use super::opening_arguments::OpeningArguments;
use crate::arena::openings::write_set;
use crate::cli::flat_error::flat_error;
use crate::cli::{output, result_file};

/// Example: `raicho match openings --random-plies 8..12 --max-imbalance 100 --count 500 --out
/// openings.sfen`
#[derive(Args)]
#[command(
    before_help = "Example: raicho match openings --random-plies 8..12 --max-imbalance 100 \
        --count 500 --out openings.sfen"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    openings: OpeningArguments,

    /// Number of openings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,

    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Overwrite an existing file
    #[arg(long, requires = "out")]
    force: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if let Some(path) = &arguments.out {
        let read = arguments.openings.files().iter().map(PathBuf::as_path);
        result_file::check(path, read)?;
        result_file::check_free(path, arguments.force)?;
    }
    let settings = arguments.openings.settings();
    let count = arguments.count as usize;
    let command = format!(
        "raicho match openings {} --count {count}",
        arguments.openings
    );
    // The bar is hidden if stderr is not a terminal.
    let bar = ProgressBar::new(arguments.count.into());
    let mut set = Vec::new();
    let result = write_set(&settings, count, &command, &mut set, |done| {
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    if let Some(warning) = result.map_err(flat_error)? {
        output::eprint_line(format_args!("note: {warning}"));
    }
    match &arguments.out {
        Some(path) => result_file::save(path, &set),
        None => Ok(output::stdout().write_all(&set)?),
    }
}
