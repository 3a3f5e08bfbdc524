//! The engine of a client: our own, or the program of another. Neither blocks its caller for longer
//! than a search takes to stop.
//!
//! A session commands it with [`EngineCommand`] and gets [`Report`]s, whichever of both it is.

mod program;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::clock::Delays;
use crate::records::{SfenLine, Thought};
use crate::search::{Clock, Decision, Event, Limits};
use crate::types::{Bound, EnteringKingRule};
use crate::usi::options::{Change, set_option};
use crate::{engine::Engine, position::Position, usi::client::Program};
use program::Driver;

/// Which engine plays, and how.
#[derive(Clone, Debug)]
pub struct PlayerSettings {
    /// The program; `None` for the engine inside.
    pub program: Option<Program>,
    /// USI options, in the order in which they are set.
    pub options: Vec<(String, String)>,
    /// Whether it thinks on the opponent's time.
    pub ponders: bool,
    /// Longest time for `usiok` and `readyok` of a program.
    pub ready_timeout: Duration,
}

/// The engine that plays: our own, or a program.
pub(super) enum Player {
    Inside(Box<Inside>),
    Program(Driver),
}

impl Player {
    /// Starts the engine, and waits until it is ready or `is_given_up`.
    ///
    /// # Errors
    /// It does not start, or does not take an option.
    pub(super) fn start(
        settings: &PlayerSettings,
        on_word: OnWord,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<Self> {
        Ok(match &settings.program {
            None => Self::Inside(Box::new(Inside::start(settings, on_word)?)),
            Some(program) => Self::Program(Driver::start(program, settings, on_word, is_given_up)?),
        })
    }

    pub(super) fn perform(&mut self, command: EngineCommand) {
        match self {
            Self::Inside(inside) => inside.perform(command),
            Self::Program(driver) => driver.perform(command),
        }
    }
}

// --- What a session asks of an engine, and what the engine says ---

/// Identifies a search; no two searches of a run have the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SearchId(u64);

impl SearchId {
    /// An id that no search had before.
    pub(super) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The rules of a game that an engine should know before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRules {
    /// The id of the game.
    pub game: String,
    /// The game is drawn or worthless after this many moves; `None` without a limit.
    pub max_moves: Option<u32>,
    /// The rule of declarations.
    pub declaration: EnteringKingRule,
}

/// The end of a preparation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prepared {
    /// The id of the game. A slow engine can end the preparation for a game that is over.
    pub game: String,
    /// Why the engine cannot play, if it cannot.
    pub result: Result<(), String>,
}

/// A position to search, with its clocks.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its id, which the answers carry.
    pub search: SearchId,
    /// The game up to the position to search.
    pub line: SfenLine,
    /// The clocks; `None` to ponder before they are known.
    pub clock: Option<Clock>,
    /// Time to keep back for the network.
    pub delays: Delays,
    /// The longest measured round trip, for engines that do not know the delays.
    pub round_trip: Duration,
    /// Whether to ponder: the clock runs from [`EngineCommand::PonderHit`] on.
    pub ponders: bool,
    /// When the thinking time began.
    pub since: Instant,
}

/// A command to the engine.
#[derive(Clone, Debug)]
pub enum EngineCommand {
    /// Prepare for a game and report when it is done.
    Prepare(GameRules),
    /// Search; a running search is dropped.
    Search(Box<Task>),
    /// The opponent made the move on which this search ponders.
    PonderHit {
        /// The search that goes on, now with a clock.
        search: SearchId,
        /// What is left on the clocks at the move.
        clock: Clock,
    },
    /// Answer a running search now.
    Stop,
    /// The game is over: `win`, `lose` or `draw`.
    GameOver(&'static str),
}

/// What the engine says about a search.
#[derive(Clone, Debug)]
pub struct Report {
    /// The search that it is about.
    pub search: SearchId,
    /// A line of thought, or the decision.
    pub content: Content,
}

/// The content of a [`Report`].
#[derive(Clone, Debug)]
pub enum Content {
    /// The best line so far.
    Thought(Thought),
    /// The end of the search.
    Answer(Answer),
}

/// What the engine decided; as an error, why there is no usable answer.
pub type Answer = Result<Decision, String>;

/// What a player says.
#[derive(Debug)]
pub(super) enum Word {
    /// It is prepared for a game, or cannot be.
    Prepared(Prepared),
    /// It reports about a search.
    Report(Report),
    /// Something that the user may want to know.
    Note(String),
}

/// Takes the words of a player, on any thread.
pub(super) type OnWord = Box<dyn Fn(Word) + Send + Sync>;

// --- Our own engine, through the same facade as the USI loop ---

/// Stands for the clocks that a ponder search does not know yet.
const UNKNOWN_CLOCK: Clock = Clock {
    time: [Duration::ZERO; 2],
    increment: [Duration::ZERO; 2],
    byoyomi: [Duration::from_secs(1); 2],
};

/// Our own engine.
pub(super) struct Inside {
    engine: Engine,
    on_word: Arc<OnWord>,
    /// Whether the user set the option, which then holds in every game.
    has_own_rule: bool,
    has_own_max_moves: bool,
}

impl Inside {
    /// Sets the options and allocates the memory.
    fn start(settings: &PlayerSettings, on_word: OnWord) -> Result<Self> {
        let is_set = |name: &str| {
            let mut options = settings.options.iter();
            options.any(|(set, _)| set.eq_ignore_ascii_case(name))
        };
        let mut inside = Self {
            engine: Engine::new(),
            on_word: Arc::new(on_word),
            has_own_rule: is_set("EnteringKingRule"),
            has_own_max_moves: is_set("MaxMovesToDraw"),
        };
        inside.engine.settings_mut().search.ponder = settings.ponders;
        for (name, value) in &settings.options {
            match set_option(inside.engine.settings_mut(), name, Some(value)) {
                Ok(Change::Unknown) => bail!("Raicho has no option {name}"),
                Ok(Change::Set | Change::ClearHash) => {}
                Err(error) if error.is_clamped => inside.note(error.to_string()),
                Err(error) => bail!(error.refusal),
            }
        }
        for problem in inside.engine.prepare() {
            inside.note(problem.to_string());
        }
        if let Some(evaluation) = inside.engine.take_loaded_evaluation() {
            inside.note(evaluation);
        }
        Ok(inside)
    }

    fn note(&self, text: String) {
        (self.on_word)(Word::Note(text));
    }

    fn perform(&mut self, command: EngineCommand) {
        match command {
            EngineCommand::Prepare(rules) => self.prepare(rules),
            EngineCommand::Search(task) => self.search(&task),
            EngineCommand::PonderHit { clock, .. } => self.engine.ponderhit(Some(clock)),
            EngineCommand::Stop => self.engine.stop(),
            EngineCommand::GameOver(_) => self.engine.finish(),
        }
    }

    fn prepare(&mut self, rules: GameRules) {
        self.engine.finish();
        let search = &mut self.engine.settings_mut().search;
        if !self.has_own_rule {
            search.entering_king_rule = rules.declaration;
        }
        if !self.has_own_max_moves {
            search.max_moves_to_draw = rules.max_moves.unwrap_or(0);
        }
        for problem in self.engine.new_game() {
            self.note(problem.to_string());
        }
        (self.on_word)(Word::Prepared(Prepared { game: rules.game, result: Ok(()) }));
    }

    fn search(&mut self, task: &Task) {
        self.engine.finish();
        self.engine.set_valid_position(position_as_counted(&task.line));
        let settings = &mut self.engine.settings_mut().search;
        settings.network_delay = task.delays.usual;
        settings.network_delay2 = task.delays.worst;
        let limits = Limits {
            clock: Some(task.clock.unwrap_or(UNKNOWN_CLOCK)),
            ponder: task.ponders,
            start: task.since,
            ..Limits::default()
        };
        let (search, on_word) = (task.search, Arc::clone(&self.on_word));
        let report = move |event| {
            let word = match event {
                Event::Info(info) if info.multi_pv == 1 && info.bound == Bound::Exact => {
                    let content = Content::Thought(Thought {
                        score: Some(info.score),
                        depth: u32::try_from(info.depth).ok(),
                        nodes: Some(info.nodes),
                        pv: info.pv,
                    });
                    Word::Report(Report { search, content })
                }
                Event::Info(_) | Event::CurrentMove(_) => return,
                Event::Note(text) => Word::Note(text),
                Event::Done(decision) => {
                    let content = Content::Answer(Ok(decision));
                    Word::Report(Report { search, content })
                }
            };
            on_word(word);
        };
        self.engine.go(limits, Box::new(report));
    }
}

/// The position after a line with the history that servers count for repetitions: that from the
/// first move on. shogi-server does not count the start position.
fn position_as_counted(line: &SfenLine) -> Position {
    let Some((&first, rest)) = line.moves.split_first() else {
        return line.start.clone();
    };
    let mut position = line.start.clone();
    position.do_move(first);
    let counted = Position::from_server_board(position.board().clone(), position.game_ply());
    if let Ok(counted) = counted {
        position = counted;
    }
    for &mv in rest {
        position.do_move(mv);
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_position_does_not_count() {
        let shuffle = " 2h3h 8b7b 3h2h 7b8b";
        let line = |rounds| -> SfenLine {
            let text = format!("startpos moves{}", shuffle.repeat(rounds));
            text.parse().expect("a good line")
        };
        assert!(line(3).position().rule_repetition().is_some());
        let counted = position_as_counted(&line(3));
        assert!(counted.rule_repetition().is_none());
        assert_eq!(counted.to_sfen(), line(3).position().to_sfen());
        assert!(position_as_counted(&line(4)).rule_repetition().is_some());
    }
}
