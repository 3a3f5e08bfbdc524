//! When the worker of the main thread reports, and what: principal variations after iterations and
//! window failures, the current root move, and the final result.

use crate::types::Move;

use super::params::Params;
use super::reporter::Reporter;
use super::worker::Worker;

impl<P: Params> Worker<P> {
    /// Reports the first `lines` root moves.
    pub(super) fn report(&mut self, lines: usize) {
        self.complete_lines(lines);
        let Some(reporter) = &mut self.reporter else {
            return;
        };
        let signals = &self.task.signals;
        signals.publish_nodes(self.task.thread, self.statistics.nodes);
        let (nodes, hashfull) = (signals.nodes(), self.task.table.hashfull());
        reporter.report_lines(&self.root_moves[..lines], nodes, hashfull);
    }

    fn complete_lines(&mut self, lines: usize) {
        for index in 0..lines {
            self.complete_line(index);
        }
    }

    /// Reports after an iteration, unless the last report was too recent.
    pub(super) fn report_if_due(&mut self, lines: usize) {
        if self.reporter.as_ref().is_some_and(Reporter::is_due) {
            self.report(lines);
        }
    }

    /// Reports the bound after the value fell out of the aspiration window, in long searches.
    pub(super) fn report_bound(&mut self) {
        let is_wanted = self.task.settings.shows_bounds
            && self.multi_pv() <= 1
            && self
                .reporter
                .as_ref()
                .is_some_and(|reporter| reporter.is_long_search() && reporter.is_due());
        if is_wanted {
            self.report(1);
        }
    }

    /// Reports the final result with all nodes and the total time, unless the last report already
    /// showed it.
    pub(super) fn report_result(&mut self, lines: usize) {
        self.complete_lines(lines);
        let signals = &self.task.signals;
        signals.publish_nodes(self.task.thread, self.statistics.nodes);
        let is_known = self.reporter.as_ref().is_some_and(|reporter| {
            reporter.has_reported(&self.root_moves[..lines], signals.nodes())
        });
        if !is_known {
            self.report(lines);
        }
    }

    /// Reports that the search of a root move begins; `move_count` is its number at the root node.
    pub(super) fn report_current_move(&mut self, mv: Move, move_count: i32) {
        if let Some(reporter) = &mut self.reporter {
            let number = move_count as usize + self.pv_index;
            reporter.report_current_move(self.root_depth, mv, number);
        }
    }
}
