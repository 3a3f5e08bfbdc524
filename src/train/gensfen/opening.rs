//! How games begin: random moves from the start position or from a given one, as long as neither side is far ahead.

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;

use super::GensfenError;
use super::outcome::end_by_rules;
use super::random::{Purpose, below, generator};
use super::score::centipawns;
use super::settings::Openings;
use crate::movegen::legal_moves;
use crate::position::Position;
use crate::search::{Limits, Solo};
use crate::types::EnteringKingRule;

/// Attempts at one opening before the settings count as impossible.
const MAX_ATTEMPTS: u64 = 1000;

/// Makes openings.
pub(super) struct Opener<'a> {
    openings: &'a Openings,
    roots: &'a [Position],
    rule: EnteringKingRule,
    seed: u64,
    limits: Arc<Limits>,
}

/// A position to begin from.
pub(super) struct Opening {
    pub(super) position: Position,
    /// How many were thrown away before.
    pub(super) rejected: u64,
    /// What the judgement of all of them took.
    pub(super) nodes: u64,
}

impl<'a> Opener<'a> {
    /// `roots` is never empty.
    pub(super) fn new(
        openings: &'a Openings,
        roots: &'a [Position],
        rule: EnteringKingRule,
        seed: u64,
    ) -> Self {
        let limits = Limits {
            nodes: Some(openings.nodes),
            ..Limits::default()
        };
        Self {
            openings,
            roots,
            rule,
            seed,
            limits: Arc::new(limits),
        }
    }

    /// The opening of the game with this number, which depends on nothing else.
    pub(super) fn open(&self, game: u64, solo: &mut Solo) -> Result<Opening, GensfenError> {
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
                });
            }
        }
        Err(GensfenError::NoOpening {
            game,
            attempts: MAX_ATTEMPTS,
            limit: self.openings.limit,
        })
    }

    /// `None` where the game is over before it begins.
    fn attempt(&self, random: &mut ChaCha8Rng) -> Option<Position> {
        let mut position = self.roots[below(random, self.roots.len())].clone();
        let Openings {
            least_plies,
            most_plies,
            ..
        } = *self.openings;
        let choices = most_plies.saturating_sub(least_plies) as usize + 1;
        let plies = least_plies + below(random, choices) as u32;
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

    fn is_balanced(&self, position: &Position, solo: &mut Solo, nodes: &mut u64) -> bool {
        if self.openings.nodes == 0 {
            return true;
        }
        solo.new_game();
        solo.set_multi_pv(1);
        let result = solo.search(position, &self.limits);
        *nodes += result.statistics.nodes;
        let score = result.lines.first().map(|line| centipawns(line.value));
        score.is_some_and(|score| u32::from(score.unsigned_abs()) <= self.openings.limit)
    }
}
