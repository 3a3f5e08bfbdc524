//! The command line of `raicho mate`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::analyze::parse_time;
use crate::cli::work::WorkArguments;

/// Example: `raicho mate problems.txt --threads 4 --time 30s --shortest`
#[derive(Args)]
#[command(
    before_help = "Example: raicho mate --sfen \"4k4/9/4P4/9/9/9/9/9/4K4 b G 1\" --shortest\n\
        Example: raicho mate problems.txt --threads 4 --time 30s"
)]
pub(in crate::cli) struct Arguments {
    /// File with one problem per line: an SFEN, optionally among other columns separated by tabs;
    /// `-` reads standard input
    #[arg(
        value_name = "FILE",
        conflicts_with = "sfen",
        required_unless_present = "sfen"
    )]
    pub(super) file: Option<PathBuf>,

    /// The problem; the side to move gives mate
    #[arg(long, value_name = "SFEN")]
    pub(super) sfen: Option<String>,

    /// Time per problem: milliseconds, or with a unit as in `3s`, `500ms` [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(super) time: Option<Duration>,

    /// Nodes per problem
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) nodes: Option<u64>,

    /// Number of threads: each solves one problem at a time; a single problem is solved by all
    /// together
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=512)
    )]
    pub(super) threads: u16,

    /// Total size of the tables of all threads in MB
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub(super) hash: u32,

    /// Search until no shorter mate exists
    #[arg(long)]
    pub(super) shortest: bool,

    /// Search for second solutions (余詰) at every move of the line
    #[arg(long)]
    pub(super) check_dual: bool,

    /// Write a page with the solutions, which any browser plays through without a network
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,

    /// Print only the totals
    #[arg(long)]
    pub(super) summary: bool,

    #[command(flatten)]
    pub(super) work: WorkArguments,
}
