//! The limits of the searches that make teacher data.

use clap::Args;

use crate::train::gensfen::Effort;

#[derive(Args)]
#[command(next_help_heading = "Search")]
pub(super) struct EffortArguments {
    /// Soft node limit per position: no further iteration begins after it, and the search stops at
    /// eight times this number [default: 1000, unless --depth is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Depth per position; with --nodes, whichever limit is reached first
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(i32).range(1..=245))]
    depth: Option<i32>,

    /// Size of each thread's transposition table in MB
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    pub(super) hash: u16,
}

impl EffortArguments {
    pub(super) fn effort(&self) -> Effort {
        const DEFAULT_NODES: u64 = 1000;
        let default = self.depth.is_none().then_some(DEFAULT_NODES);
        Effort {
            nodes: self.nodes.or(default),
            depth: self.depth,
        }
    }
}
