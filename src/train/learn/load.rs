//! Reading of teacher data: every position that passes the filter, in memory.
//!
//! Whole games are held out, so that no position of a game that is learnt from tells anything about them. Which ones
//! depends on the seed, the name of the file and the number of the game only: more files do not change it.

use std::path::PathBuf;

use thiserror::Error;

use super::filter::{Counts, Filter, Reason};
use super::order::mixed;
use super::sample::Sample;
use crate::position::Position;
use crate::types::Move;

/// Where data come from, and what of them is used.
#[derive(Clone, Debug)]
pub struct Source {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Which positions.
    pub filter: Filter,
    /// The part of the games that is held out, 0 to 1.
    pub held_out: f64,
    /// Decides which games these are.
    pub seed: u64,
}

/// Positions to learn from, and positions to be measured by.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// In the order of the files.
    pub training: Vec<Sample>,
    /// Likewise, from other games.
    pub held_out: Vec<Sample>,
    /// How many there were.
    pub counts: Counts,
}

/// Why data cannot be read.
#[derive(Debug, Error)]
pub enum LoadError {
    /// Nothing passed the filter.
    #[error("no position to learn from among {0}, expected one at least")]
    Empty(u64),
}

impl Data {
    /// Takes a position in, if the filter lets it pass. `mv` is what was played there, `score` that of the search (a pawn
    /// is 90), `result` how the game ended (1 won, 0 drawn, -1 lost), both for the side to move.
    pub fn add(
        &mut self,
        filter: &Filter,
        is_held_out: bool,
        position: &Position,
        mv: Option<Move>,
        (score, result): (i32, i8),
    ) {
        let sample = filter.judge(position, mv, score).and_then(|()| {
            let score = score.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
            Sample::new(position, score, result).ok_or(Reason::NoKing)
        });
        self.counts.count(sample.map(|_| ()));
        if let Ok(sample) = sample {
            let samples = if is_held_out {
                &mut self.held_out
            } else {
                &mut self.training
            };
            samples.push(sample);
        }
    }

    /// A number that tells these data from others.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(bytemuck::cast_slice(&self.training));
        hasher.update(&(self.training.len() as u64).to_le_bytes());
        hasher.update(bytemuck::cast_slice(&self.held_out));
        let count = (self.training.len() + self.held_out.len()) as u64;
        count << u32::BITS | u64::from(hasher.finalize())
    }
}

/// Whether a game is held out.
fn is_held_out(source: &Source, file_name: &str, game: u64) -> bool {
    let name = u64::from(crc32fast::hash(file_name.as_bytes()));
    let number = mixed(mixed(source.seed ^ name) ^ game);
    (number as f64) < source.held_out * 2.0_f64.powi(u64::BITS as i32)
}
