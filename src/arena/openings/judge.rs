//! Whether a position is fit to begin a game with.

use std::sync::mpsc;
use std::time::Duration;

use crate::engine::Engine;
use crate::movegen::legal_moves;
use crate::position::Position;
use crate::search::{Event, Limits};
use crate::types::{Bound, EnteringKingRule, Score};

/// What a judgement costs: enough to see through exchanges and simple threats.
const NODES: u64 = 20_000;

/// The table for so few nodes, in MB; a small one is cleared quickly before each search.
const HASH_MB: usize = 1;

/// Whether there is still a game to play: a legal move, no fourth repetition, and no side that could declare at once,
/// by whatever rule the match is played.
pub(super) fn is_unfinished(position: &Position) -> bool {
    let can_declare = |rule| position.declaration(rule).is_some();
    !legal_moves(position).is_empty()
        && position.rule_repetition().is_none()
        && !EnteringKingRule::ALL.into_iter().any(can_declare)
}

/// Our own search as a judge of balance. Each position is searched from nothing, so the verdict depends on the position
/// and the version of the program only.
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
        // The last report counts, however soon it comes after the one before.
        settings.pv_interval = Duration::ZERO;
        Self {
            engine,
            max_imbalance,
        }
    }

    /// Whether neither side has more than the imbalance allowed.
    pub(super) fn is_balanced(&mut self, position: &Position) -> bool {
        let score = self.score(position);
        matches!(score, Some(Score::Cp(cp)) if cp.unsigned_abs() <= self.max_imbalance)
    }

    fn score(&mut self, position: &Position) -> Option<Score> {
        for problem in self.engine.new_game() {
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
        // The receiver outlives the search: it is read until the decision.
        let problems = self
            .engine
            .go(limits, Box::new(move |event| drop(sender.send(event))));
        for problem in problems {
            log::warn!("{problem}");
        }
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
