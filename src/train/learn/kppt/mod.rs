//! Training of three-piece evaluations ([`crate::eval::kppt`]), with weights that are sums of
//! factors.
//!
//! | module | content |
//! |---|---|
//! | `index` | where a king, a piece, a pair lies in the table of each factor; views of a batch |
//! | `tables` | the factors, their weights, and the passes over them |
//!
//! The learner of Bonanza (Hoki, 2006) with the lowering of dimensions by NDF (2014), as Apery had
//! it until 2016, and `YaneuraOu`'s online steps. A seed gives the same weights on any number of
//! threads.

mod index;
mod tables;

use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::Context as _;
use rayon::prelude::*;

use super::Settings;
use super::learner::{Model, Run};
use super::loss::{HeldOutLosses, Target, Targets};
use super::sample::Sample;
use crate::eval::kppt::SYNTHESIZED;
use crate::eval::kppt::scalar::{SCALE, Weight, Weights};
use crate::runs::OutputFile;
use crate::train::data::named;
use crate::types::{Rank, Square};
use index::{
    Batch, KingPair, NUMBERS, RELATIVE_PAIRS, TABLE, canonical_king, group_of, is_central, pair,
    relative, relative_pair, rotated, rows_of, smaller, triangle,
};
use tables::{Factor, Pass, Tables, pairs_of};

/// Most held-out positions that are evaluated per point of the curve.
const MAX_HELD_OUT: usize = 50_000;

/// Held-out positions that are evaluated at a time.
const HELD_OUT_BATCH: usize = 4096;

/// A run that trains a three-piece evaluation. Shape and decay of its settings have no meaning.
pub type Learner<'a> = Run<'a, Kppt>;

/// The weights of a three-piece evaluation.
pub struct Kppt {
    tables: Tables,
    pass: Pass,
}

impl Model for Kppt {
    const MAGIC: &[u8; 8] = b"RAICHOC3";

    type Batch = Batch;

    /// Weights of 0.
    fn new(_: &Settings) -> anyhow::Result<Self> {
        Ok(Self {
            tables: Tables::new()?,
            pass: Pass::default(),
        })
    }

    fn batch(_: &Settings) -> Batch {
        Batch::new()
    }

    fn fill(batch: &mut Batch, samples: &[Sample], targets: Targets) {
        let samples: Vec<&Sample> = samples.iter().collect();
        batch.fill(&samples, |sample| targets.of(sample));
    }

    fn step(&mut self, batch: &Batch, settings: &Settings, step: u64) -> f64 {
        let rate = settings.rate_at(step) as f32;
        self.pass
            .step(&mut self.tables, batch, settings.scale.into(), Some(rate))
    }

    fn add_losses(&mut self, samples: &[Sample], settings: &Settings, losses: &mut HeldOutLosses) {
        let step = samples.len().div_ceil(MAX_HELD_OUT).max(1);
        let samples: Vec<&Sample> = samples.iter().step_by(step).collect();
        for samples in samples.chunks(HELD_OUT_BATCH) {
            let outputs = self.outputs(samples, settings.scale);
            for (&sample, &output) in samples.iter().zip(outputs) {
                losses.add(sample, output);
            }
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.tables.0.iter().try_for_each(|table| table.write(out))
    }

    fn read(&mut self, input: &mut dyn Read) -> io::Result<()> {
        let mut tables = self.tables.0.iter_mut();
        tables.try_for_each(|table| table.read(input))
    }
}

impl Kppt {
    /// The outputs for positions, in units of the scale.
    fn outputs(&mut self, samples: &[&Sample], scale: u16) -> &[f32] {
        let mut batch = Batch::new();
        batch.fill(samples, |_| Target::exact(0.0));
        self.pass.forward(&self.tables, &batch, scale.into())
    }
}

impl Learner<'_> {
    /// The weights, all factors summed.
    pub fn folded(&self) -> impl Weights + Sync + use<'_> {
        Folded::new(&self.model.tables, self.state.settings.scale)
    }
}

// --- All factors summed to plain tables ---
//
// The weights of all factors as the weights of plain KK, KKP and KPP tables.
//
// Every weight is summed from its canonical place, so that mirrored and inverse ones come out
// equal to the last bit.

/// Sums of factors as weights of an evaluation.
struct Folded<'a> {
    tables: &'a Tables,
    /// What turns outputs into units of weights.
    factor: f64,
}

/// A sum in units of the output, board and turn part.
type Sum = [f64; 2];

fn add(sum: &mut Sum, weights: &[[f32; 2]], index: usize, sign: f64) {
    let [board, turn] = weights[index];
    *sum = [sum[0] + sign * f64::from(board), sum[1] + f64::from(turn)];
}

impl<'a> Folded<'a> {
    /// `scale` is the value of an output of 1.
    fn new(tables: &'a Tables, scale: u16) -> Self {
        Self {
            tables,
            factor: f64::from(scale) * f64::from(SCALE),
        }
    }

    fn weights(&self, factor: Factor) -> &[[f32; 2]] {
        &self.tables.of(factor).weights
    }

    fn rounded(&self, sum: Sum) -> Weight {
        // Halves away from 0, so that opposite sums stay opposite.
        sum.map(|part| (part * self.factor).round() as i32)
    }

    /// The sum of a king and two different pieces.
    fn pair_sum(&self, king: usize, one: usize, other: usize) -> Sum {
        let table = &*TABLE;
        let (king, is_mirrored) = canonical_king(king);
        let mirror = |number: usize| usize::from(table.mirrored[number]);
        let mut pieces = [one, other];
        if is_mirrored {
            pieces = pieces.map(mirror);
        }
        if group_of(pieces[0]) < group_of(pieces[1]) {
            pieces.reverse();
        }
        let index = |[one, other]: [usize; 2]| pair(one as u32, other as u32) as usize;
        let plain = index(pieces);
        let mirrored = smaller([plain, index(pieces.map(mirror))]);
        let group = group_of(pieces[0]);

        let mut sum = [0.0; 2];
        let of_king = if is_central(king) { mirrored } else { plain };
        let of_king = king * triangle(NUMBERS) + of_king;
        add(&mut sum, self.weights(Factor::Kpp), of_king, 1.0);
        let [one, other] = pieces.map(|piece| relative(piece, king).map(u32::from));
        let of_relative = smaller([pair(one[0], other[0]), pair(one[1], other[1])]);
        add(
            &mut sum,
            self.weights(Factor::RelativeKpp),
            of_relative as usize,
            1.0,
        );
        add(&mut sum, self.weights(Factor::Pp), mirrored, 1.0);
        let first = Rank::NUM * rows_of(group) + king % Rank::NUM * pairs_of(group);
        let of_rank = first + mirrored - rows_of(group);
        add(&mut sum, self.weights(Factor::RankPp), of_rank, 1.0);
        if let Some(index) = relative_pair(pieces[0], pieces[1]) {
            let index = group * RELATIVE_PAIRS + index;
            add(&mut sum, self.weights(Factor::RelativePp), index, 1.0);
        }
        sum
    }

    /// The sum of both kings without their weights with pieces.
    fn kings_sum(&self, pair: KingPair, own: usize, enemy: usize) -> Sum {
        let mut sum = [0.0; 2];
        add(&mut sum, self.weights(Factor::Kk), pair.index, 1.0);
        for (king, sign) in [(own, 1.0), (rotated(enemy), -1.0)] {
            let (king, _) = canonical_king(king);
            add(&mut sum, self.weights(Factor::King), king, sign);
        }
        [sum[0] * f64::from(pair.sign().abs()), sum[1]]
    }

    /// The sum of both kings and a piece, without that of the kings alone.
    fn piece_sum(&self, index: usize, own: usize, enemy: usize, piece: usize) -> Sum {
        let table = &*TABLE;
        let mut sum = [0.0; 2];
        add(&mut sum, self.weights(Factor::Kkp), index, 1.0);
        let inverse = usize::from(table.inverse[piece]);
        for (king, piece, sign) in [(own, piece, 1.0), (rotated(enemy), inverse, -1.0)] {
            let (king, is_mirrored) = canonical_king(king);
            let mirrored = usize::from(table.mirrored[piece]);
            let piece = if is_mirrored { mirrored } else { piece };
            let mut of_king = piece;
            if is_central(king) {
                of_king = smaller([piece, usize::from(table.mirrored[piece])]);
            }
            add(
                &mut sum,
                self.weights(Factor::Kp),
                king * NUMBERS + of_king,
                sign,
            );
            let relative = usize::from(smaller(relative(piece, king)));
            add(&mut sum, self.weights(Factor::RelativeKp), relative, sign);
        }
        sum
    }
}

fn with_sign([board, turn]: Weight, sign: f32) -> Weight {
    [if sign < 0.0 { -board } else { board }, turn]
}

impl Weights for Folded<'_> {
    fn kk(&self, black_king: usize, white_king: usize) -> Weight {
        let pair = KingPair::new(black_king, white_king);
        let (own, enemy) = pair.kings();
        with_sign(self.rounded(self.kings_sum(pair, own, enemy)), pair.sign())
    }

    fn kkp(&self, black_king: usize, white_king: usize, piece: usize) -> Weight {
        let pair = KingPair::new(black_king, white_king);
        let (own, enemy) = pair.kings();
        let (index, sign) = pair.with_piece(piece);
        let sum = self.piece_sum(index, own, enemy, index % NUMBERS);
        with_sign(self.rounded(sum), sign)
    }

    fn kpp(&self, king: usize, one: usize, other: usize) -> Weight {
        self.rounded(self.pair_sum(king, one, other))
    }
}

// --- The folder that Apery and YaneuraOu read ---

/// Writes the three files of an evaluation, KK and KKP in 32 bits and KPP in 16, and returns how
/// many numbers of KPP were set to the nearest that fits. Files of these names that are there are
/// replaced.
///
/// # Errors
/// A file cannot be written.
pub fn write(folder: &Path, weights: &(impl Weights + Sync)) -> anyhow::Result<u64> {
    let kings = || {
        let kings = 0..Square::NUM;
        kings.flat_map(|black| (0..Square::NUM).map(move |white| (black, white)))
    };
    let [kk, kkp, kpp] = SYNTHESIZED;
    let wide = |number: i32, bytes: &mut Vec<u8>| bytes.extend(number.to_le_bytes());
    let of_kings = kings().map(|(black, white)| vec![weights.kk(black, white)]);
    write_file(&folder.join(kk), of_kings, wide)?;
    let of_pieces = kings().map(|(black, white)| {
        let of_piece = |piece| match piece {
            0 => [0; 2],
            _ => weights.kkp(black, white, piece),
        };
        (0..NUMBERS).map(of_piece).collect()
    });
    write_file(&folder.join(kkp), of_pieces, wide)?;
    let mut saturated = 0;
    let of_pairs = (0..Square::NUM).map(|king| square_of(weights, king));
    write_file(&folder.join(kpp), of_pairs, |number, bytes| {
        saturated += narrow(number, bytes);
    })?;
    Ok(saturated)
}

/// Adds a number in 16 bits, and returns 1 if it had to be set to the nearest that fits.
fn narrow(number: i32, bytes: &mut Vec<u8>) -> u64 {
    let narrow = number.clamp(i16::MIN.into(), i16::MAX.into());
    bytes.extend((narrow as i16).to_le_bytes());
    u64::from(narrow != number)
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

/// Writes rows of weights, whose numbers `put` converts.
fn write_file(
    path: &Path,
    rows: impl Iterator<Item = Vec<Weight>>,
    mut put: impl FnMut(i32, &mut Vec<u8>),
) -> anyhow::Result<()> {
    let name = named(path);
    let mut file = OutputFile::create(path).with_context(&name)?;
    let mut bytes = Vec::new();
    for weights in rows {
        bytes.clear();
        for &number in weights.iter().flatten() {
            put(number, &mut bytes);
        }
        file.write_all(&bytes).with_context(&name)?;
    }
    file.finish().with_context(&name)
}

#[cfg(test)]
mod tests;
