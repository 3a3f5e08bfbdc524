//! The engine as every front end uses it: a position, settings, and the search behind one facade.
//!
//! It keeps the last good position whatever it is asked to set up, and refuses to search after a position that it could
//! not read: a move for another board would be a lie. It knows no protocol and writes nowhere; what happens is returned
//! or reported through the callback of [`Engine::go`].

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod evaluation;
mod mate;
mod options;
mod ponder;
mod setup;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use thiserror::Error;

use crate::eval::Evaluator;
use crate::position::Position;
use crate::search::{self, Clock, Event, Limits, PrepareError, Searcher};
use crate::types::Color;

use evaluation::Source;
pub use evaluation::{EvalProblem, load_evaluator};
use mate::MateSearch;
pub use mate::{MateAnswer, MateInfo, MateReport};
pub use options::{EvalFile, Settings};
use ponder::Guess;
pub use setup::{MoveError, PositionError};

/// The facade.
pub struct Engine {
    position: Position,
    /// Why the last position was refused; `None` while `position` is the one that was asked for.
    refusal: Option<String>,
    settings: Settings,
    searcher: Searcher,
    mate_search: MateSearch,
    /// The settings that the searcher has been prepared for, and whether it has learnt anything since.
    prepared: Option<search::Settings>,
    is_fresh: bool,
    /// The searcher got all that was asked for.
    is_complete: bool,
    /// What the evaluation in the settings of the search was made from.
    eval_source: Option<Source>,
    has_told_of_kings: bool,
    /// The search that runs is of the opponent's position.
    guess: Option<Guess>,
}

/// Something that the engine could not get ready as the settings ask; it works on without it.
#[derive(Debug, Error)]
pub enum PrepareProblem {
    /// The search made do with less.
    #[error(transparent)]
    Search(#[from] PrepareError),
    /// The evaluation is not the one that was asked for, or is odd.
    #[error(transparent)]
    Eval(#[from] EvalProblem),
}

impl PrepareProblem {
    /// Whether something was not done as asked, or is only worth knowing.
    pub fn is_error(&self) -> bool {
        !matches!(
            self,
            Self::Eval(EvalProblem::NoKing | EvalProblem::Odd { .. })
        )
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// An engine at the start position. Light: nothing is allocated for the search before [`Self::prepare`].
    pub fn new() -> Self {
        Self {
            position: Position::startpos(),
            refusal: None,
            settings: Settings::default(),
            searcher: Searcher::new(),
            mate_search: MateSearch::default(),
            prepared: None,
            is_fresh: false,
            is_complete: false,
            eval_source: None,
            has_told_of_kings: false,
            guess: None,
        }
    }

    /// The last good position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Why the last position that was asked for could not be set up, `None` if it was.
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The settings, to change them; a running search is not affected.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Gets everything ready for a new game under the current settings. Slow where the table is large, but done only once if
    /// nothing was searched since.
    pub fn prepare(&mut self) -> Vec<PrepareProblem> {
        self.finish();
        let eval = self.choose_evaluation();
        let is_prepared = |prepared: &search::Settings| fits(prepared, &self.settings.search);
        if self.is_fresh && self.is_complete && self.prepared.as_ref().is_some_and(is_prepared) {
            return eval;
        }
        let search = self
            .searcher
            .prepare(&self.settings.search)
            .err()
            .map(PrepareProblem::from);
        self.is_complete = search.is_none();
        let settings = &self.settings.search;
        let (threads, hash_mb) = (settings.threads, settings.hash_mb);
        log::debug!("ready: {threads} threads, {hash_mb} MB");
        self.prepared = Some(self.settings.search.clone());
        self.is_fresh = true;
        search.into_iter().chain(eval).collect()
    }

    /// Loads the evaluation that the settings ask for, unless it is there. With another one nothing that was found out
    /// before counts any more, so everything must be prepared anew.
    fn choose_evaluation(&mut self) -> Vec<PrepareProblem> {
        let source = Source::of(&self.settings);
        if self.eval_source.as_ref() == Some(&source) {
            return Vec::new();
        }
        let (evaluator, problems) = source.load();
        self.settings.search.evaluator = evaluator;
        self.eval_source = Some(source);
        self.prepared = None;
        problems.into_iter().map(PrepareProblem::from).collect()
    }

    /// Takes up another evaluation where the settings were changed. A file that changed meanwhile waits for the next
    /// [`Self::prepare`]: no game goes on with another evaluation unasked.
    fn follow_evaluation(&mut self) -> Vec<PrepareProblem> {
        match &self.eval_source {
            Some(source) if source.is_asked_by(&self.settings) => Vec::new(),
            _ => self.choose_evaluation(),
        }
    }

    /// The evaluation of the position in words, and what could not be loaded for it.
    pub fn explain(&mut self) -> (String, Vec<PrepareProblem>) {
        let problems = if self.is_searching() {
            Vec::new() // Another evaluation is taken up by the next search.
        } else {
            self.follow_evaluation()
        };
        let text = self.settings.search.evaluator.explain(&self.position);
        (text, problems)
    }

    /// Whether the evaluation would miss a king, told once.
    fn miss_kings(&mut self) -> Option<PrepareProblem> {
        let has_all = Color::ALL
            .into_iter()
            .all(|side| self.position.king(side).is_some());
        let is_told = has_all
            || self.has_told_of_kings
            || self.settings.search.evaluator == Evaluator::Material;
        self.has_told_of_kings |= !is_told;
        (!is_told).then(|| EvalProblem::NoKing.into())
    }

    /// Forgets what was learnt in the game before.
    pub fn new_game(&mut self) -> Vec<PrepareProblem> {
        if self.prepared.is_some() && !self.is_fresh {
            self.prepare()
        } else {
            Vec::new()
        }
    }

    /// Starts to search the position and returns at once; `on_event` is called from the search, and the last event, the
    /// only one of its kind, is the decision. A running search is ended first.
    pub fn go(
        &mut self,
        mut limits: Limits,
        on_event: Box<dyn FnMut(Event) + Send>,
    ) -> Vec<PrepareProblem> {
        self.finish();
        let mut problems = self.follow_evaluation();
        problems.extend(match &self.prepared {
            None => self.prepare(),
            Some(prepared) if fits(prepared, &self.settings.search) => Vec::new(),
            Some(_) => {
                let result = self.searcher.adapt(&self.settings.search);
                self.prepared = Some(self.settings.search.clone());
                result.err().map(PrepareProblem::from).into_iter().collect()
            }
        });
        problems.extend(self.miss_kings());
        self.is_fresh = false;
        let settings = self.settings.of_search(&mut limits);
        if limits.ponder && self.settings.stochastic_ponder {
            self.go_before(limits, settings, on_event);
        } else {
            self.searcher
                .go(self.position.clone(), limits, &settings, on_event);
        }
        problems
    }

    /// Starts to look for a mate by the side to move, for at most `time` from `start` on, and returns at once; `on_report` is
    /// called from the search, and the last report, the only one of its kind, is the answer. A running search is ended first.
    pub fn go_mate(
        &mut self,
        start: Instant,
        time: Option<Duration>,
        on_report: Box<dyn FnMut(MateReport) + Send>,
    ) {
        self.finish();
        self.mate_search.go(
            self.position.clone(),
            &self.settings,
            start,
            time,
            on_report,
        );
    }

    /// Asks a running search to decide now.
    pub fn stop(&mut self) {
        if let Some(guess) = self.guess.take() {
            self.go_after(guess);
        }
        self.searcher.stop();
        self.mate_search.stop();
    }

    /// Ends a running search and waits until its decision has been reported.
    pub fn finish(&mut self) {
        self.stop();
        self.searcher.wait();
        self.mate_search.finish();
    }

    /// The opponent has made the expected move: from now on our clock runs.
    pub fn ponderhit(&mut self, clock: Option<Clock>) {
        match self.guess.take() {
            Some(guess) => self.go_after(guess.hit(clock)),
            None => self.searcher.ponderhit(clock),
        }
    }

    /// Whether a search runs. One that was told to end, or delivers its decision, does not count.
    pub fn is_searching(&self) -> bool {
        self.searcher.is_searching() || self.mate_search.is_running()
    }
}

/// Whether what was prepared for the one settings serves the others: the search takes the rest of them with every start.
fn fits(prepared: &search::Settings, wanted: &search::Settings) -> bool {
    prepared.hash_mb == wanted.hash_mb && prepared.threads == wanted.threads
}
