//! Writes a three-piece evaluation as a folder that Apery and `YaneuraOu` read, and adds noise to
//! one.

mod noise;

use std::fmt;
use std::io::Write as _;
use std::path::Path;

use rayon::prelude::*;
use thiserror::Error;

use crate::eval::kppt::scalar::{Weight, Weights};
use crate::eval::kppt::{Kind, PIECES_END, SYNTHESIZED};
use crate::runs::{OutputError, OutputFile};
use crate::types::Square;

pub use noise::{Noise, write_noisy};

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
    let king_rows = kings().map(|(black, white)| (0, vec![weights.kk(black, white)]));
    write_file(folder, kk, layout.is_narrow, &mut saturated.0[0], king_rows)?;
    let piece_rows = kings().map(|(black, white)| {
        let of_piece = |piece| match piece {
            0 => [0; 2],
            _ => weights.kkp(black, white, piece),
        };
        (0, (0..NUMBERS).map(of_piece).collect())
    });
    write_file(
        folder,
        kkp,
        layout.is_narrow,
        &mut saturated.0[1],
        piece_rows,
    )?;
    let left_out = match layout.kind {
        Kind::Kppt => 0,
        Kind::KppKkpt => 1,
    };
    let kings = 0..Square::NUM;
    let pair_rows = kings.map(|king| (left_out, square_of(weights, king)));
    write_file(folder, kpp, true, &mut saturated.0[2], pair_rows)?;
    Ok(saturated)
}

/// The weights of all pairs of pieces of a king, symmetric, with zeros for number 0 and on the
/// diagonal: other engines add these up.
fn square_of(weights: &(impl Weights + Sync), king: usize) -> Vec<Weight> {
    let row = |one: usize| {
        (0..NUMBERS).map(move |other| match (one, other) {
            (0, _) | (_, 0) => [0; 2],
            _ if one == other => [0; 2],
            _ => weights.kpp(king, one.max(other), one.min(other)),
        })
    };
    let rows = (0..NUMBERS).into_par_iter().flat_map_iter(row);
    rows.collect()
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

impl fmt::Display for Saturated {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [kk, kkp, kpp] = self.0;
        write!(
            formatter,
            "numbers that do not fit into their bits: {kk} of KK, {kkp} of KKP, {kpp} of KPP"
        )
    }
}

#[cfg(test)]
mod tests;
