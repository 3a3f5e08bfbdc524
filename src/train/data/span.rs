//! Which consecutive records are parts of one game.

use crate::records::game::GameResult;
use crate::records::sample::Sample;
use crate::records::teacher::Record;

/// First and last ply of a record within its game, and the result of the game.
#[derive(Clone, Copy)]
pub(in crate::train) struct Span {
    plies: (u32, u32),
    result: GameResult,
}

impl Span {
    /// The span of a game or of a part of one.
    pub(in crate::train) fn of_game(record: &Record) -> Option<Self> {
        let game = &record.game()?.game;
        let first = game.start.game_ply();
        let plies = (first, first.saturating_add(game.moves.len() as u32));
        let result = game.result;
        Some(Self { plies, result })
    }

    /// The same, or the span of a single position with a result, if its ply is known.
    pub(super) fn of(record: &Record) -> Option<Self> {
        match record {
            Record::Game(_) => Self::of_game(record),
            Record::Sample(scored) => Self::of_sample(&scored.sample),
            Record::Sum(sum) => Self::of_sample(&sum.to_sample()),
            Record::Tree(_) | Record::Position(..) => None,
        }
    }

    fn of_sample(sample: &Sample) -> Option<Self> {
        let first = u32::from(sample.ply);
        (first > 0).then_some(Self {
            plies: (first, first + 1),
            result: sample.result,
        })
    }

    /// Whether the next record may be another part of the game: it lies behind this one and has the
    /// same result. Where `gensfen` omits moves of a game, it writes several such parts. Two games
    /// that only look like parts of one are harmless.
    pub(in crate::train) fn goes_on_with(self, next: Self) -> bool {
        self.plies.1 <= next.plies.0 && self.result == next.result
    }
}
