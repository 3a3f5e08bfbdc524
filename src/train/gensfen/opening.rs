//! Openings: random moves from the start position or a given one, rejected if a search finds a side
//! far ahead.

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;

use super::entering::{MAX_RANDOM_PLIES, MIN_RANDOM_PLIES};
use super::outcome::end_by_rules;
use super::random::{Purpose, below, fraction, generator};
use super::score::centipawns;
use super::settings::Openings;
use super::{Beginnings, GensfenError};
use crate::movegen::legal_moves;
use crate::position::Position;
use crate::search::{Limits, Solo};
use crate::types::EnteringKingRule;

/// The number of attempts at one opening before the settings are refused as impossible.
const MAX_ATTEMPTS: u64 = 1000;

/// Generates the openings of games.
pub(super) struct Opener<'a> {
    openings: &'a Openings,
    beginnings: &'a Beginnings,
    rule: EnteringKingRule,
    seed: u64,
    /// The last ply of a game; openings beyond it are rejected.
    max_ply: u32,
    limits: Arc<Limits>,
}

/// The start of a game.
pub(super) struct Opening {
    pub(super) position: Position,
    /// The number of openings rejected before it.
    pub(super) rejected: u64,
    /// The nodes of the searches that judged it and the rejected ones.
    pub(super) nodes: u64,
    /// The maximum ply of an entering-king game; `None` for other games.
    pub(super) max_ply: Option<u32>,
}

impl Opening {
    pub(super) const fn is_entering_king(&self) -> bool {
        self.max_ply.is_some()
    }
}

impl<'a> Opener<'a> {
    pub(super) fn new(
        openings: &'a Openings,
        beginnings: &'a Beginnings,
        rule: EnteringKingRule,
        seed: u64,
        max_ply: u32,
    ) -> Self {
        let limits = Limits {
            nodes: Some(openings.nodes),
            ..Limits::default()
        };
        Self {
            openings,
            beginnings,
            rule,
            seed,
            max_ply,
            limits: Arc::new(limits),
        }
    }

    /// The opening of the game with this number. It depends on the number and the settings only, if
    /// `solo` was cleared after the last game.
    pub(super) fn open(&self, game: u64, solo: &mut Solo) -> Result<Opening, GensfenError> {
        if let Some(opening) = self.enter(game) {
            return Ok(opening);
        }
        let mut nodes = 0;
        for attempt in 0..MAX_ATTEMPTS {
            let mut random = generator(Purpose::Opening, self.seed, game, attempt);
            let Some(position) = self.attempt(&mut random) else {
                continue;
            };
            if self.is_balanced(&position, solo, &mut nodes) {
                return Ok(Opening {
                    position,
                    rejected: attempt,
                    nodes,
                    max_ply: None,
                });
            }
        }
        Err(GensfenError::NoOpening {
            game,
            attempts: MAX_ATTEMPTS,
            limit: self.openings.limit,
        })
    }

    /// `None` if the game ends by the rules or the number of moves.
    fn attempt(&self, random: &mut ChaCha8Rng) -> Option<Position> {
        let position = self.beginnings.roots.choose(random);
        let Openings {
            least_plies,
            most_plies,
            ..
        } = *self.openings;
        self.play_at_random(position, least_plies, most_plies, random)
            .filter(|position| position.game_ply() <= self.max_ply)
    }

    /// The opening of an entering-king game, if the game with this number is drawn to be one. It is
    /// not judged by a search: one side is often far ahead in such positions, and the game is to
    /// show how it wins.
    fn enter(&self, game: u64) -> Option<Opening> {
        let settings = self.openings.entering_kings.as_ref()?;
        let starts = self.beginnings.entering_kings.as_ref()?;
        let mut random = generator(Purpose::EnteringKing, self.seed, game, 0);
        if fraction(&mut random) >= settings.share {
            return None;
        }
        let mut attempt = || {
            let position = starts.choose(&mut random);
            self.play_at_random(position, MIN_RANDOM_PLIES, MAX_RANDOM_PLIES, &mut random)
                .filter(|position| position.game_ply() <= settings.max_ply)
        };
        let position = (0..MAX_ATTEMPTS).find_map(|_| attempt())?;
        Some(Opening {
            position,
            rejected: 0,
            nodes: 0,
            max_ply: Some(settings.max_ply),
        })
    }

    /// Plays random moves; `None` if the game ends by the rules.
    fn play_at_random(
        &self,
        mut position: Position,
        least: u32,
        most: u32,
        random: &mut ChaCha8Rng,
    ) -> Option<Position> {
        let choices = most.saturating_sub(least) as usize + 1;
        let plies = least + below(random, choices) as u32;
        for _ in 0..plies {
            let moves = legal_moves(&position);
            if moves.is_empty() {
                return None;
            }
            position.do_move(moves[below(random, moves.len())]);
        }
        end_by_rules(&position, self.rule)
            .is_none()
            .then_some(position)
    }

    /// Whether a search finds neither side far ahead. Its hash entries stay for the game; clearing
    /// them would take as long as several moves, and the game still depends on its number and the
    /// settings only.
    fn is_balanced(&self, position: &Position, solo: &mut Solo, nodes: &mut u64) -> bool {
        if self.openings.nodes == 0 {
            return true;
        }
        solo.set_multi_pv(1);
        let result = solo.search(position, &self.limits);
        *nodes += result.statistics.nodes;
        let score = result.lines.first().map(|line| centipawns(line.value));
        score.is_some_and(|score| u32::from(score.unsigned_abs()) <= self.openings.limit)
    }
}
