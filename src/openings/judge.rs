//! Decides whether a game can begin from a position.

use std::sync::mpsc;
use std::time::Duration;

use crate::engine::Engine;
use crate::movegen::legal_moves;
use crate::position::Position;
use crate::search::{Event, Limits};
use crate::types::{Bound, EnteringKingRule, Score};

/// Nodes per position: enough to see exchanges and simple threats.
const NODES: u64 = 20_000;

/// Size of the transposition table in MB. A small one is cleared quickly before each search.
const HASH_MB: usize = 1;

/// The rules by which a game can end at once.
#[derive(Clone, Copy, Debug)]
pub struct Endings {
    /// The rule for declarations.
    pub entering_king: EnteringKingRule,
    /// Move number after which a game is a draw; 0 for none.
    pub max_moves: u32,
}

impl From<EnteringKingRule> for Endings {
    fn from(entering_king: EnteringKingRule) -> Self {
        Self {
            entering_king,
            max_moves: 0,
        }
    }
}

/// Why no game can begin here: there is no legal move, a repetition ends the game, the side to move
/// can declare a win, or the game is a draw by its length.
pub(super) fn why_over(position: &Position, endings: impl Into<Endings>) -> Option<&'static str> {
    let endings = endings.into();
    if endings.max_moves > 0 && position.game_ply() > endings.max_moves {
        Some("beyond --max-moves")
    } else if legal_moves(position).is_empty() {
        Some("no legal move")
    } else if position.rule_repetition().is_some() {
        Some("a repetition ends the game")
    } else if position.declaration(endings.entering_king).is_some() {
        Some("a win can be declared")
    } else {
        None
    }
}

/// Judges the balance of positions by our own search. Each search starts from an empty table, so
/// the score depends only on the position and the version of the program.
pub(super) struct Judge {
    engine: Engine,
    max_imbalance: u32,
}

impl Judge {
    pub(super) fn new(max_imbalance: u32) -> Self {
        let mut engine = Engine::new();
        let settings = &mut engine.settings_mut().search;
        settings.threads = 1;
        settings.hash_mb = HASH_MB;
        // Report every PV, so that the last one is not suppressed.
        settings.pv_interval = Duration::ZERO;
        Self {
            engine,
            max_imbalance,
        }
    }

    /// Whether the score is within the allowed imbalance.
    pub(super) fn is_balanced(&mut self, position: &Position) -> bool {
        let score = self.score(position);
        matches!(score, Some(Score::Cp(cp)) if cp.unsigned_abs() <= self.max_imbalance)
    }

    fn score(&mut self, position: &Position) -> Option<Score> {
        for problem in self.engine.prepare() {
            log::warn!("{problem}");
        }
        if let Err(error) = self.engine.set_position(Some(&position.to_sfen()), &[]) {
            log::warn!("{error}");
            return None;
        }
        let limits = Limits {
            nodes: Some(NODES),
            ..Limits::default()
        };
        let (sender, events) = mpsc::channel();
        // The receiver outlives the search, as it is read until the search is done.
        self.engine
            .go(limits, Box::new(move |event| drop(sender.send(event))));
        let mut score = None;
        for event in events {
            match event {
                Event::Info(info) if info.bound == Bound::Exact => score = Some(info.score),
                Event::Info(_) | Event::CurrentMove(_) => {}
                Event::Note(note) => log::info!("{note}"),
                Event::Done(_) => break,
            }
        }
        self.engine.finish();
        score
    }
}
