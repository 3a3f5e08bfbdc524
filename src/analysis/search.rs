//! Searches single positions: the solver first, then the search.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::position::{Line, PositionAnalysis};
use super::settings::Settings;
use crate::eval::Evaluator;
use crate::mate::{MateLimits, MateSolver, Verdict};
use crate::position::Position;
use crate::runs::Stop;
use crate::search::{Event, Info, Limits, PrepareError, Searcher, Settings as SearchSettings};
use crate::types::{Bound, Move, Score};

/// Time between two looks at the request to stop.
const POLL: Duration = Duration::from_millis(50);
/// Size of the solver's table in MB.
const SOLVER_MB: usize = 16;

/// A search thread with its memory, and a solver.
pub struct Analyzer {
    searcher: Searcher,
    solver: MateSolver,
    settings: Settings,
    search: SearchSettings,
}

/// The best lines so far, for a live display.
pub type Snapshot<'a> = &'a BTreeMap<usize, Info>;

impl Analyzer {
    /// Allocates the memory.
    ///
    /// # Errors
    /// The system gives less memory or no thread.
    pub fn new(settings: &Settings, evaluator: &Evaluator) -> Result<Self, PrepareError> {
        let search = SearchSettings {
            threads: 1,
            hash_mb: settings.hash_mb,
            multi_pv: settings.multi_pv,
            evaluator: evaluator.clone(),
            ..SearchSettings::default()
        };
        let mut searcher = Searcher::new();
        searcher.prepare(&search)?;
        Ok(Self {
            searcher,
            solver: MateSolver::new(SOLVER_MB),
            settings: settings.clone(),
            search,
        })
    }

    /// Forgets everything, so that what follows does not depend on what was searched before.
    ///
    /// # Errors
    /// As [`Analyzer::new`].
    pub fn clear(&mut self) -> Result<(), PrepareError> {
        self.searcher.prepare(&self.search)
    }

    /// Analyses a position; `None` if `stop` was requested meanwhile.
    pub fn analyze(&mut self, position: &Position, stop: &Stop) -> Option<PositionAnalysis> {
        let start = Instant::now();
        let mate = self.solve(position, start, stop);
        let mut analysis = PositionAnalysis {
            mate: mate.as_ref().map(|line| plies(line.score)),
            lines: Vec::new(),
        };
        if self.settings.multi_pv == 1
            && let Some(line) = mate
        {
            analysis.lines.push(line);
            return (!stop.is_requested()).then_some(analysis);
        }
        analysis.lines = self.search(position, start, stop)?;
        if let Some(mate) = mate
            && let Some(first) = analysis.lines.first_mut()
            && !matches!(first.score, Score::Mate(plies) if plies > 0)
        {
            *first = mate;
        }
        Some(analysis)
    }

    /// The mate by the side to move that the solver finds within its limits.
    fn solve(&mut self, position: &Position, start: Instant, stop: &Stop) -> Option<Line> {
        let limits = MateLimits {
            deadline: self
                .settings
                .solver_time()
                .and_then(|time| start.checked_add(time)),
            nodes: Some(self.settings.solver_nodes()),
            ..MateLimits::until(stop.flag())
        };
        let solution = match self.solver.solve(position, &limits, &mut |_| {}) {
            Ok(solution) => solution,
            Err(error) => {
                log::warn!("no thread for the mate solver: {error}");
                return None;
            }
        };
        let Verdict::Mate { line, .. } = solution.verdict else {
            return None;
        };
        Some(Line {
            score: Score::Mate(line.length as i32),
            depth: 0,
            seldepth: solution.seldepth as i32,
            nodes: solution.nodes,
            time: start.elapsed(),
            pv: text_of(&line.moves),
        })
    }

    fn search(&mut self, position: &Position, start: Instant, stop: &Stop) -> Option<Vec<Line>> {
        let limits = Limits {
            movetime: self.settings.effort.time,
            nodes: self.settings.effort.nodes,
            depth: self.settings.effort.depth,
            start,
            ..Limits::default()
        };
        let (sender, events) = mpsc::channel();
        let on_event = Box::new(move |event| drop(sender.send(event)));
        self.searcher
            .go(position.clone(), limits, &self.search, on_event);
        let mut lines: BTreeMap<usize, Info> = BTreeMap::new();
        loop {
            match events.recv_timeout(POLL) {
                Ok(Event::Info(info)) if info.is_of_mated() => {}
                Ok(Event::Info(info)) => keep(&mut lines, info),
                Ok(Event::Done(_)) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(Event::Note(note)) => log::info!("{note}"),
                Err(RecvTimeoutError::Timeout) if stop.is_requested() => self.searcher.stop(),
                Ok(Event::CurrentMove(_)) | Err(RecvTimeoutError::Timeout) => {}
            }
        }
        self.searcher.wait();
        let line = |info: &Info| Line {
            score: info.score,
            depth: info.depth,
            seldepth: info.seldepth,
            nodes: info.nodes,
            time: info.time,
            pv: text_of(&info.pv),
        };
        if stop.is_requested() {
            return None;
        }
        Some(lines.values().map(line).collect())
    }
}

/// Keeps a line: an exact one replaces an earlier one of its rank, a bound only fills a gap.
fn keep(lines: &mut BTreeMap<usize, Info>, info: Info) {
    if info.bound == Bound::Exact || !lines.contains_key(&info.multi_pv) {
        lines.insert(info.multi_pv, info);
    }
}

fn text_of(moves: &[Move]) -> String {
    let texts: Vec<String> = moves.iter().map(ToString::to_string).collect();
    texts.join(" ")
}

const fn plies(score: Score) -> i32 {
    match score {
        Score::Cp(_) => 0,
        Score::Mate(plies) => plies,
    }
}
