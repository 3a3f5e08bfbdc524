//! The commands for people that run long: `perft` and `bench`.

use super::Session;
use super::output::ToolOutput;
use crate::movegen::perft::{self, PerftOptions};
use crate::util::system::Instant;

const NANOSECONDS: u128 = 1_000_000_000;

impl Session {
    pub(super) fn perft(&mut self, depth: u32, line: u64) {
        self.finish_search();
        let options = PerftOptions {
            depth,
            threads: self.engine.settings().search.threads,
            hash_mb: 0,
        };
        let start = Instant::now();
        match perft::divide::<1>(
            self.engine.position(),
            &options,
            self.interrupt.tool_flag(line),
        ) {
            Ok(counts) => {
                for (mv, leaves) in &counts {
                    self.show(format!("{mv}: {leaves}"));
                }
                let leaves = if depth == 0 {
                    1
                } else {
                    counts.iter().map(|(_, leaves)| u128::from(*leaves)).sum()
                };
                let speed = leaves * NANOSECONDS / start.elapsed().as_nanos().max(1);
                self.show(format!("{leaves} leaves {speed} lps"));
            }
            Err(error) => self.error(format!("{error}, perft {depth}, nothing was counted")),
        }
    }

    pub(super) fn bench(&mut self, depth: Option<u32>, line: u64) {
        self.finish_search();
        let cancel = self.interrupt.tool_flag(line);
        let mut output = ToolOutput::new(self.output.clone());
        if let Err(error) = (self.bench)(depth, &mut output, cancel) {
            self.error(format!("{error}, bench, its result is not complete"));
        }
    }
}
