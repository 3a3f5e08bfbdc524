//! Which consecutive records are parts of one game.

use super::record::Record;
use crate::records::game::GameResult;
use crate::records::sample::Sample;

/// First and last ply of a record within its game, and the result of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    plies: (u32, u32),
    result: GameResult,
}

/// A record that was skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Skipped {
    /// A game or a part of one.
    Game(Span),
    /// A position without a game.
    Position,
}

impl Span {
    /// The span of `moves` moves from the ply `first` on, in a game with this result.
    pub(super) const fn new(first: u32, moves: usize, result: GameResult) -> Self {
        Self {
            plies: (first, first.saturating_add(moves as u32)),
            result,
        }
    }

    /// The span of a game or of a part of one.
    pub fn of_game(record: &Record) -> Option<Self> {
        let game = &record.game()?.game;
        let first = game.start.game_ply();
        Some(Self::new(first, game.moves.len(), game.result))
    }

    /// The same, or the span of a single position with a result, if its ply is known.
    pub fn of(record: &Record) -> Option<Self> {
        match record {
            Record::Game(_) => Self::of_game(record),
            Record::Sample(scored) => Self::of_sample(&scored.sample),
            Record::Sum(sum) => Self::of_sample(&sum.to_sample()),
            Record::Tree(_) | Record::Position(..) => None,
        }
    }

    fn of_sample(sample: &Sample) -> Option<Self> {
        let first = u32::from(sample.ply);
        (first > 0).then_some(Self::new(first, 1, sample.result))
    }

    /// Whether the next record may be another part of the game: it comes after this one and has the
    /// same result. Where `gensfen` omits moves of a game, it writes several such parts. Two games
    /// that only look like parts of one are harmless.
    pub fn goes_on_with(self, next: Self) -> bool {
        self.plies.1 <= next.plies.0 && self.result == next.result
    }
}
