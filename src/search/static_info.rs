//! The info of a search that ended before any root move had a value, as after `go nodes 1`.

use crate::types::value::MAX_EVALUATION;
use crate::types::{Bound, Score};

use super::event::Info;
use super::params::Params;
use super::worker::Worker;

impl<P: Params> Worker<P> {
    /// The static evaluation of the root as an info of depth 0, with the move that will be played.
    pub(super) fn static_info(&mut self) -> Info {
        let value = self
            .evaluator
            .evaluate(&self.position, &mut self.evaluation)
            .clamp(-MAX_EVALUATION, MAX_EVALUATION);
        let pv = self.root_moves[0].pv.clone();
        Info {
            depth: 0,
            seldepth: pv.len() as i32,
            multi_pv: 1,
            score: Score::from_value(value),
            bound: Bound::Exact,
            nodes: self.task.signals.nodes(),
            time: self.task.limits.start.elapsed(),
            hashfull: self.task.table.hashfull(),
            pv,
        }
    }
}
