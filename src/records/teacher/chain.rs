//! Reconstructs games from the samples of `.psv` and `.hcpe`.
//!
//! Generators write the positions of a game in their order. If the move of a sample leads to the
//! position of the next one and both have the same result, they belong to one game; otherwise a new
//! game begins. Shuffled samples become games of one move.

use super::record::Record;
use crate::position::Position;
use crate::records::pack::{PackGame, PackReason};
use crate::records::packed::PackedSfen;
use crate::records::sample::Sample;

/// The game that the last samples belong to.
#[derive(Default)]
pub struct Chain {
    game: Option<Open>,
}

struct Open {
    game: PackGame,
    position: Position,
    /// The position that continues this game.
    next: PackedSfen,
}

impl Chain {
    /// Whether a record belongs to the game of the last samples.
    pub fn is_continued_by(&self, record: &Record) -> bool {
        match record {
            Record::Sample(scored) => self.goes_on(&scored.sample),
            Record::Sum(sum) => self.goes_on(&sum.to_sample()),
            _ => false,
        }
    }

    fn goes_on(&self, sample: &Sample) -> bool {
        self.game
            .as_ref()
            .is_some_and(|open| open.next == sample.position && open.game.result == sample.result)
    }

    /// Adds a record, and returns the previous game if the record does not continue it.
    pub fn add(&mut self, record: &Record) -> Option<PackGame> {
        let mut ended = None;
        record.for_each_sample(|sample| ended = self.add_sample(sample));
        ended
    }

    fn add_sample(&mut self, sample: &Sample) -> Option<PackGame> {
        let mut ended = None;
        if !self.goes_on(sample) {
            ended = self.finish();
            self.game = begin(sample);
        }
        let mv = sample.mv;
        if let Some(open) = &mut self.game
            && let Some(mv) = mv.and_then(|mv| open.position.to_move(mv))
        {
            open.game.moves.push((mv, sample.score));
            open.position.do_move(mv);
            open.next = PackedSfen::of(&open.position);
        }
        ended
    }

    /// Ends the chain and returns its last game.
    pub fn finish(&mut self) -> Option<PackGame> {
        let open = self.game.take()?;
        Some(open.game)
    }
}

/// `None` if the position is invalid, which the reader refuses.
fn begin(sample: &Sample) -> Option<Open> {
    let position = sample.position.unpack(u32::from(sample.ply.max(1))).ok()?;
    Some(Open {
        next: sample.position,
        game: PackGame {
            start: position.clone(),
            moves: Vec::new(),
            result: sample.result,
            reason: PackReason::RESIGNATION,
        },
        position,
    })
}
