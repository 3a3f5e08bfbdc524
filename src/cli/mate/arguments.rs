//! What `raicho mate` is told on the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::analyze::parse_time;
use crate::cli::work::WorkArguments;

/// Example: `raicho mate problems.txt --threads 4 --time 30s --shortest`
#[derive(Args)]
#[command(
    before_help = "Example: raicho mate --sfen \"4k4/9/4P4/9/9/9/9/9/4K4 b G 1\" --shortest\nExample: raicho mate problems.txt --threads 4 --time 30s"
)]
pub(in crate::cli) struct Arguments {
    /// File with a problem a line: an SFEN, also among other columns between tabs; `-` reads standard input
    #[arg(
        value_name = "FILE",
        conflicts_with = "sfen",
        required_unless_present = "sfen"
    )]
    pub(super) file: Option<PathBuf>,

    /// The problem; the side to move mates
    #[arg(long, value_name = "SFEN")]
    pub(super) sfen: Option<String>,

    /// Time for each problem: milliseconds, or with a unit `3s`, `500ms` [default: as long as it takes, or until Ctrl-C]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(super) time: Option<Duration>,

    /// Moves to make for each problem
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) nodes: Option<u64>,

    /// Threads: each solves a problem of its own; where there is only one problem, all solve it together
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(super) threads: u16,

    /// Size of the tables of all threads together in MB
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) hash: u32,

    /// Go on until there is no shorter mate
    #[arg(long)]
    pub(super) shortest: bool,

    /// Look for other solutions (余詰) at every move of the line
    #[arg(long)]
    pub(super) check_dual: bool,

    /// Print no lines, only the sum
    #[arg(long)]
    pub(super) summary: bool,

    #[command(flatten)]
    pub(super) work: WorkArguments,
}
