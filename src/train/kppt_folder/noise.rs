//! Noise on the weights of a three-piece evaluation.

#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

use std::fmt;
use std::path::Path;

use super::{Layout, NUMBERS, Saturated, WriteError, write};
use crate::eval::kppt::Tables;
use crate::eval::kppt::scalar::{Weight, Weights};
use crate::types::Square;
use crate::util::normal;

/// The weights of an evaluation with noise.
pub(super) struct Noisy<'a, W> {
    pub(super) tables: &'a W,
    /// Standard deviations of the noise of KK, KKP and KPP, board and turn part.
    pub(super) deviations: [[f64; 2]; 3],
    pub(super) seed: u64,
}

impl<W> Noisy<'_, W> {
    /// A weight that is 0 stays so: no position has it.
    fn with_noise(&self, table: usize, index: usize, weight: Weight) -> Weight {
        let mut noisy = weight;
        for (part, number) in noisy.iter_mut().enumerate() {
            if *number != 0 {
                let at = (index as u64) << 3 | (table as u64) << 1 | part as u64;
                let by = self.deviations[table][part] * normal(self.seed, at);
                *number += by.round() as i32;
            }
        }
        noisy
    }
}

impl<W: Weights> Weights for Noisy<'_, W> {
    fn kk(&self, black_king: usize, white_king: usize) -> Weight {
        let weight = self.tables.kk(black_king, white_king);
        self.with_noise(0, black_king * Square::NUM + white_king, weight)
    }

    fn kkp(&self, black_king: usize, white_king: usize, piece: usize) -> Weight {
        let weight = self.tables.kkp(black_king, white_king, piece);
        let index = (black_king * Square::NUM + white_king) * NUMBERS + piece;
        self.with_noise(1, index, weight)
    }

    fn kpp(&self, king: usize, one: usize, other: usize) -> Weight {
        let weight = self.tables.kpp(king, one, other);
        let index = (king * NUMBERS + one.max(other)) * NUMBERS + one.min(other);
        self.with_noise(2, index, weight)
    }
}

/// Writes an evaluation to a folder with normally distributed noise on all weights that are not 0.
/// Its standard deviation is `size` times the root mean square of the weights that are not 0, for
/// each part of each table.
///
/// # Errors
/// A file cannot be written.
pub fn write_noisy(
    folder: &Path,
    tables: &Tables,
    size: f64,
    seed: u64,
) -> Result<Noise, WriteError> {
    let deviations = spreads(tables).map(|parts| parts.map(|spread| size * spread));
    let noisy = Noisy {
        tables,
        deviations,
        seed,
    };
    let layout = Layout {
        kind: tables.kind(),
        is_narrow: false,
    };
    let saturated = write(folder, &noisy, layout)?;
    Ok(Noise {
        deviations,
        saturated,
    })
}

/// The noise that was added.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Noise {
    /// Standard deviations of KK, KKP and KPP, board and turn part.
    pub deviations: [[f64; 2]; 3],
    /// The numbers that did not fit.
    pub saturated: Saturated,
}

impl fmt::Display for Noise {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("standard deviation of the noise (board, turn):")?;
        for (name, [board, turn]) in ["KK", "KKP", "KPP"].into_iter().zip(self.deviations) {
            write!(formatter, " {name} {board:.1}, {turn:.1};")?;
        }
        write!(formatter, " {}", self.saturated)
    }
}

/// The root mean squares of the weights that are not 0, of KK, KKP and KPP, board and turn part.
fn spreads(tables: &Tables) -> [[f64; 2]; 3] {
    let kings =
        || (0..Square::NUM * Square::NUM).map(|pair| (pair / Square::NUM, pair % Square::NUM));
    let kk = kings().map(|(black, white)| tables.kk(black, white));
    let kkp = kings()
        .flat_map(|(black, white)| (1..NUMBERS).map(move |piece| tables.kkp(black, white, piece)));
    let kpp = (0..Square::NUM).flat_map(|king| {
        let pairs = (2..NUMBERS).flat_map(|one| (1..one).map(move |other| (one, other)));
        pairs.map(move |(one, other)| tables.kpp(king, one, other))
    });
    [spread(kk), spread(kkp), spread(kpp)]
}

pub(super) fn spread(weights: impl Iterator<Item = Weight>) -> [f64; 2] {
    let (mut squares, mut counts) = ([0.0; 2], [0_u64; 2]);
    for weight in weights {
        for (part, number) in weight.into_iter().enumerate() {
            squares[part] += f64::from(number).powi(2);
            counts[part] += u64::from(number != 0);
        }
    }
    [0, 1].map(|part| (squares[part] / counts[part].max(1) as f64).sqrt())
}
