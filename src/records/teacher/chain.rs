//! Puts the positions of `.psv` and `.hcpe` together to games again.
//!
//! Generators write the positions of a game one after the other. Where the move of one leads to the next and both have the
//! same result, they belong to one game; where not, a new one begins. Shuffled positions make games of one move.

use super::{Record, Sample};
use crate::position::Position;
use crate::records::pack::{PackGame, PackReason};
use crate::records::packed::PackedSfen;

/// The game that is being put together.
#[derive(Default)]
pub struct Chain {
    game: Option<Open>,
}

struct Open {
    game: PackGame,
    position: Position,
    /// What the next position of this game must be.
    next: PackedSfen,
}

impl Chain {
    /// Adds a record; returns the game before it where that ends here.
    pub fn add(&mut self, record: &Record) -> Option<PackGame> {
        let mut ended = None;
        record.for_each_sample(|sample| ended = self.add_sample(sample));
        ended
    }

    fn add_sample(&mut self, sample: &Sample) -> Option<PackGame> {
        let mut ended = None;
        let goes_on = self
            .game
            .as_ref()
            .is_some_and(|open| open.next == sample.position && open.game.result == sample.result);
        if !goes_on {
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

    /// The last game.
    pub fn finish(&mut self) -> Option<PackGame> {
        let open = self.game.take()?;
        Some(open.game)
    }
}

/// `None` where the position is none, which the reader does not let happen.
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
