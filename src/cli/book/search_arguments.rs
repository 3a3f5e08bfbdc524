//! How positions of a book are searched: arguments that `think` and `extend` share.

use std::time::Duration;

use clap::Args;

use crate::cli::analyze::parse_time;
use crate::cli::evaluation;
use crate::cli::usage::ensure_usage;
use crate::eval::Evaluator;
use crate::makebook::think::Effort;

#[derive(Args)]
#[command(next_help_heading = "The search of each position")]
pub(super) struct SearchArguments {
    /// Nodes to search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Depth to search to
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(i32).range(1..=245))]
    pub(super) depth: Option<i32>,

    /// Time to search: milliseconds, or with a unit such as `3s`. The results then depend on the
    /// machine
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,

    /// How many of the best moves to find
    #[arg(long, value_name = "K", default_value_t = 4,
          value_parser = clap::value_parser!(u16).range(1..=600))]
    pub(super) multipv: u16,

    /// Size of the transposition table of each thread in MB, which is cleared before each search
    #[arg(long, value_name = "MB", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,

    /// Evaluation: `<embedded>`, `<material>`, or a network file or its folder
    #[arg(long, value_name = "EVAL", default_value = "<embedded>")]
    eval: String,

    /// Number of positions at a time, each on one core
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: u16,
}

impl SearchArguments {
    /// The effort, after checking that it ends.
    pub(super) fn effort(&self) -> anyhow::Result<Effort> {
        ensure_usage!(
            self.nodes.is_some() || self.depth.is_some() || self.time.is_some(),
            "a search without an end: expected --nodes, --depth or --time"
        );
        Ok(Effort {
            multi_pv: self.multipv.into(),
            nodes: self.nodes,
            depth: self.depth,
            time: self.time,
            hash_mb: self.hash as usize,
        })
    }

    /// The evaluation, and what identifies it.
    pub(super) fn evaluator(&self) -> anyhow::Result<(Evaluator, String)> {
        let (choice, evaluator) = evaluation::load(&self.eval)?;
        let identity = evaluation::identity(&choice, &evaluator);
        Ok((evaluator, identity))
    }
}
