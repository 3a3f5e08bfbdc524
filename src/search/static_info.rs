//! The lines that are reported without a search of their moves.

use crate::position::Declaration;
use crate::types::value::{MAX_EVALUATION, Value, mate_in, mated_in};
use crate::types::{Bound, Move, Score};

use super::event::Info;
use super::params::Params;
use super::worker::Worker;

impl<P: Params> Worker<P> {
    /// The first line with the static evaluation.
    pub(super) fn static_info(&mut self) -> Info {
        let value = self
            .evaluator
            .evaluate(&self.position, &mut self.evaluation)
            .clamp(-MAX_EVALUATION, MAX_EVALUATION);
        self.unsearched(value, self.root_moves[0].pv.clone())
    }

    /// A win at once. A declaration (入玉宣言) takes no move, so its line is empty.
    pub(super) fn declaration_info(&self, declaration: Declaration) -> Info {
        let pv = match declaration {
            Declaration::Win => Vec::new(),
            Declaration::Try(mv) => vec![mv],
        };
        self.unsearched(mate_in(1), pv)
    }

    /// A loss: there is no legal move.
    pub(super) fn mated_info(&self) -> Info {
        self.unsearched(mated_in(0), Vec::new())
    }

    fn unsearched(&self, value: Value, pv: Vec<Move>) -> Info {
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
