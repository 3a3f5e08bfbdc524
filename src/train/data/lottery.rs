//! The choice of the games that `convert` holds out.

use std::path::PathBuf;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{DataError, Output};
use crate::records::teacher::{Chain, Format, Record, Span};

/// Games that go into a file of their own, so that nothing is learnt from them.
#[derive(Clone, Debug)]
pub struct HeldOut {
    /// The file.
    pub path: PathBuf,
    /// Its format.
    pub format: Format,
    /// The share of the games that go there, 0 to 1.
    pub share: f64,
    /// The seed of the choice.
    pub seed: u64,
}

/// Decides by lot for each game whether it is held out.
pub(super) struct Lottery {
    pub(super) out: Output,
    pub(super) format: Format,
    share: f64,
    random: ChaCha8Rng,
    /// Finds the ends of games among samples.
    chain: Chain,
    /// The span of the previous record.
    last: Option<Span>,
    is_drawn: Option<bool>,
}

impl Lottery {
    pub(super) fn new(held_out: &HeldOut) -> Result<Self, DataError> {
        Ok(Self {
            out: Output::create(&held_out.path, held_out.format)?,
            format: held_out.format,
            share: held_out.share.clamp(0.0, 1.0),
            random: ChaCha8Rng::seed_from_u64(held_out.seed),
            chain: Chain::default(),
            last: None,
            is_drawn: None,
        })
    }

    /// Whether a record belongs to a game that is held out. Every record must be asked for in
    /// order.
    pub(super) fn draws(&mut self, record: &Record) -> bool {
        let span = Span::of(record);
        let goes_on = self.chain.is_continued_by(record)
            || self
                .last
                .zip(span)
                .is_some_and(|(last, next)| last.goes_on_with(next));
        self.last = span;
        if matches!(record, Record::Sample(_) | Record::Sum(_)) {
            self.chain.add(record);
        } else {
            self.chain.finish();
        }
        let share = self.share;
        let drawn = self.is_drawn.filter(|_| goes_on);
        let drawn = drawn.unwrap_or_else(|| self.random.random_bool(share));
        self.is_drawn = Some(drawn);
        drawn
    }
}
