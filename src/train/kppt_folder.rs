//! Writes a three-piece evaluation as a folder that Apery and `YaneuraOu` read, and adds noise to
//! one.

#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

use std::io::Write as _;
use std::path::Path;

use rayon::prelude::*;
use thiserror::Error;

use crate::eval::kppt::scalar::{Weight, Weights};
use crate::eval::kppt::{Kind, PIECES_END, SYNTHESIZED, Tables};
use crate::runs::{OutputError, OutputFile};
use crate::types::Square;
use crate::util::normal;

const NUMBERS: usize = PIECES_END as usize;

/// How the weights are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Whether KPP has a turn part.
    pub kind: Kind,
    /// Whether KK and KKP have 16 bits as KPP has, instead of 32.
    pub is_narrow: bool,
}

/// How many numbers did not fit into their bits and were set to the nearest that does, of KK, KKP
/// and KPP.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Saturated(pub [u64; 3]);

/// Why a folder cannot be written.
#[derive(Debug, Error)]
#[error("{name}: {error}")]
pub struct WriteError {
    name: &'static str,
    error: OutputError,
}

/// Writes the three files. Files of these names that are there are replaced.
///
/// # Errors
/// A file cannot be written.
pub fn write(
    folder: &Path,
    weights: &(impl Weights + Sync),
    layout: Layout,
) -> Result<Saturated, WriteError> {
    let mut saturated = Saturated::default();
    let kings = || {
        let kings = 0..Square::NUM;
        kings.flat_map(|black| (0..Square::NUM).map(move |white| (black, white)))
    };
    let [kk, kkp, kpp] = SYNTHESIZED;
    let kk_rows = kings().map(|(black, white)| (0, vec![weights.kk(black, white)]));
    write_file(folder, kk, layout.is_narrow, &mut saturated.0[0], kk_rows)?;
    let kkp_rows = kings().map(|(black, white)| {
        let of_piece = |piece| match piece {
            0 => [0; 2],
            _ => weights.kkp(black, white, piece),
        };
        (0, (0..NUMBERS).map(of_piece).collect())
    });
    write_file(folder, kkp, layout.is_narrow, &mut saturated.0[1], kkp_rows)?;
    let left_out = match layout.kind {
        Kind::Kppt => 0,
        Kind::KppKkpt => 1,
    };
    let kpp_rows = (0..Square::NUM).map(|king| {
        let row = |one: usize| {
            (0..NUMBERS).map(move |other| match (one, other) {
                (0, _) | (_, 0) => [0; 2],
                _ if one == other => [0; 2],
                _ => weights.kpp(king, one.max(other), one.min(other)),
            })
        };
        let rows = (0..NUMBERS).into_par_iter().flat_map_iter(row);
        (left_out, rows.collect())
    });
    write_file(folder, kpp, true, &mut saturated.0[2], kpp_rows)?;
    Ok(saturated)
}

/// Writes rows of weights, each without this many of its last parts.
fn write_file(
    folder: &Path,
    name: &'static str,
    is_narrow: bool,
    saturated: &mut u64,
    rows: impl Iterator<Item = (usize, Vec<Weight>)>,
) -> Result<(), WriteError> {
    let write_rows = || {
        let mut file = OutputFile::create(&folder.join(name))?;
        let mut bytes = Vec::new();
        for (left_out, weights) in rows {
            bytes.clear();
            let numbers = weights.iter().flat_map(|weight| &weight[..2 - left_out]);
            for &number in numbers {
                if is_narrow {
                    let narrow = number.clamp(i16::MIN.into(), i16::MAX.into());
                    *saturated += u64::from(narrow != number);
                    bytes.extend((narrow as i16).to_le_bytes());
                } else {
                    bytes.extend(number.to_le_bytes());
                }
            }
            file.write_all(&bytes)?;
        }
        Ok(file.finish()?)
    };
    write_rows().map_err(|error| WriteError { name, error })
}

// --- Noise ---

/// The weights of an evaluation with noise.
struct Noisy<'a> {
    tables: &'a Tables,
    /// Standard deviations of the noise of KK, KKP and KPP, board and turn part.
    deviations: [[f64; 2]; 3],
    seed: u64,
}

impl Noisy<'_> {
    /// A weight that is 0 stays so: no position has it.
    fn with_noise(&self, table: usize, index: usize, weight: Weight) -> Weight {
        let mut noisy = weight;
        for (part, number) in noisy.iter_mut().enumerate() {
            if *number != 0 {
                let at = (index as u64) << 3 | (table as u64) << 1 | part as u64;
                let noise = self.deviations[table][part] * normal(self.seed, at);
                *number += noise.round() as i32;
            }
        }
        noisy
    }
}

impl Weights for Noisy<'_> {
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
) -> Result<Saturated, WriteError> {
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
    write(folder, &noisy, layout)
}

/// The root mean squares of the weights that are not 0, of KK, KKP and KPP, board and turn part.
pub fn spreads(tables: &Tables) -> [[f64; 2]; 3] {
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

fn spread(weights: impl Iterator<Item = Weight>) -> [f64; 2] {
    let (mut squares, mut counts) = ([0.0; 2], [0_u64; 2]);
    for weight in weights {
        for (part, number) in weight.into_iter().enumerate() {
            squares[part] += f64::from(number).powi(2);
            counts[part] += u64::from(number != 0);
        }
    }
    [0, 1].map(|part| (squares[part] / counts[part].max(1) as f64).sqrt())
}
