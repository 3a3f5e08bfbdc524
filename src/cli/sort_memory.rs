//! The argument `--memory` of commands that sort more than fits into memory.

use clap::Args;

const BYTES_PER_MEGABYTE: u64 = 1 << 20;

/// How much memory a sort may take.
#[derive(Args)]
pub(super) struct SortMemory {
    /// Memory in MB; what does not fit is sorted in files beside the output
    #[arg(
        long = "memory",
        value_name = "MB",
        default_value_t = 1024,
        value_parser = clap::value_parser!(u64).range(1..=1 << 24)
    )]
    megabytes: u64,
}

impl SortMemory {
    /// The memory in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.megabytes * BYTES_PER_MEGABYTE
    }
}
