//! The weights of all factors in 32-bit floats, with what `AdaGrad` (Duchi, Hazan, Singer 2011)
//! knows of each.
//!
//! A weight has a board part and a turn part, in units of the output: times the scale, in units in
//! which a pawn is 90.

use std::io::{self, Read, Write};

use bytemuck::{Pod, Zeroable};

use super::index::{
    GROUPS, KINGS, NUMBERS, RELATIVE, RELATIVE_PAIRS, relative_rows_of, rows_of, triangle,
};
use super::view::{PIECES, Row};
use crate::train::learn::checkpoint::read_u32;
use crate::types::{Rank, Square};
use crate::util::{ZeroedPages, prefetch};

/// A kind of weights that share a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Factor {
    /// KPP: a king and two pieces.
    Kpp,
    /// Two pieces relative to the king.
    RelativeKpp,
    /// Two pieces and the rank of the king.
    RankPp,
    /// Two pieces, wherever the king is.
    Pp,
    /// Two pieces relative to each other.
    RelativePp,
    /// KKP: both kings and a piece.
    Kkp,
    /// A king and a piece.
    Kp,
    /// A piece relative to the king.
    RelativeKp,
    /// KK: both kings.
    Kk,
    /// A king's square.
    King,
}

impl Factor {
    /// Number of kinds of weights.
    pub(super) const NUM: usize = 10;

    /// All factors, in the order of checkpoints.
    pub(super) const ALL: [Self; Self::NUM] = [
        Self::Kpp,
        Self::RelativeKpp,
        Self::RankPp,
        Self::Pp,
        Self::RelativePp,
        Self::Kkp,
        Self::Kp,
        Self::RelativeKp,
        Self::Kk,
        Self::King,
    ];
}

/// Board part and turn part.
pub(super) type Weight = [f32; 2];

/// Learning rate of each part relative to that of the run, as `YaneuraOu`'s learner has it.
const RATES: Weight = [1.0, 0.125];

/// What is summed of squared gradients before the first step: about that of ten positions, so that
/// a weight which one position has does not follow that position.
const FIRST_SQUARES: f32 = 0.01;

/// What the optimiser knows of a weight.
#[derive(Clone, Copy, PartialEq, Debug, Pod, Zeroable)]
#[repr(C, align(16))]
pub(super) struct State {
    /// The gradient of the current step, 0 between steps.
    pub(super) gradient: Weight,
    /// Sum of the squared gradients of all steps.
    pub(super) squares: Weight,
}

/// The weights of one factor.
///
/// In a checkpoint it is a sequence of the number of weights that no step has moved (u32), the
/// number of weights that follow (u32), and for each of these its board part, its turn part and the
/// sums of their squared gradients (f32 × 4). It ends with the last weight of the factor.
pub(super) struct Table {
    pub(super) weights: ZeroedPages<Weight>,
    pub(super) states: ZeroedPages<State>,
}

impl Table {
    fn new(length: usize) -> io::Result<Self> {
        Ok(Self {
            weights: ZeroedPages::on_demand(length)?,
            states: ZeroedPages::on_demand(length)?,
        })
    }

    /// Writes the weights that a step has moved, for a checkpoint.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (weights, states) = (&self.weights[..], &self.states[..]);
        let mut at = 0;
        while at < states.len() {
            let from = |at: usize| weights[at..].iter().zip(&states[at..]);
            let skipped = from(at).take_while(|&entry| is_untouched(entry)).count();
            let first = at + skipped;
            let count = from(first)
                .take_while(|&entry| !is_untouched(entry))
                .count();
            out.write_all(&(skipped as u32).to_le_bytes())?;
            out.write_all(&(count as u32).to_le_bytes())?;
            at = first + count;
            for (weight, state) in weights[first..at].iter().zip(&states[first..at]) {
                let [[a, b], [c, d]] =
                    [*weight, state.squares].map(|part| part.map(f32::to_le_bytes));
                out.write_all([a, b, c, d].as_flattened())?;
            }
        }
        Ok(())
    }

    /// Reads what [`Self::write`] wrote.
    pub(super) fn read(&mut self, input: &mut dyn Read) -> io::Result<()> {
        let length = self.weights.len();
        let mut at = 0;
        while at < length {
            let first = at + read_u32(input)? as usize;
            let end = first + read_u32(input)? as usize;
            if end > length || end == at {
                let text = format!("weight {end} of a factor of {length}");
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            let weights = self.weights[first..end].iter_mut();
            for (weight, state) in weights.zip(&mut self.states[first..end]) {
                let mut bytes = [0; size_of::<[Weight; 2]>()];
                input.read_exact(&mut bytes)?;
                let (words, _) = bytes.as_chunks::<4>();
                let number = |at: usize| f32::from_le_bytes(words[at]);
                *weight = [number(0), number(1)];
                state.squares = [number(2), number(3)];
            }
            at = end;
        }
        Ok(())
    }
}

/// The tables of all factors.
pub(super) struct Tables(pub(super) [Table; Factor::NUM]);

/// Number of weights of a factor.
pub(super) const fn length(factor: Factor) -> usize {
    match factor {
        Factor::Kpp => KINGS * triangle(NUMBERS),
        Factor::RelativeKpp => triangle(RELATIVE),
        Factor::RankPp => Rank::NUM * triangle(NUMBERS),
        Factor::Pp => triangle(NUMBERS),
        Factor::RelativePp => GROUPS * RELATIVE_PAIRS,
        Factor::Kkp => Square::NUM * Square::NUM * NUMBERS,
        Factor::Kp => KINGS * NUMBERS,
        Factor::RelativeKp => RELATIVE,
        Factor::Kk => Square::NUM * Square::NUM,
        Factor::King => KINGS,
    }
}

impl Tables {
    /// Weights of 0.
    pub(super) fn new() -> io::Result<Self> {
        let tables = Factor::ALL.map(|factor| Table::new(length(factor)));
        let tables: Vec<Table> = tables.into_iter().collect::<io::Result<_>>()?;
        let Ok(tables) = tables.try_into() else {
            unreachable!("one table for each factor");
        };
        Ok(Self(tables))
    }

    /// The table of a factor.
    #[inline(always)]
    pub(super) fn of(&self, factor: Factor) -> &Table {
        &self.0[factor as usize]
    }
}

/// Whether no step has moved a weight.
#[expect(clippy::float_cmp, reason = "untouched memory is exactly 0")]
fn is_untouched((weight, state): (&Weight, &State)) -> bool {
    *weight == [0.0; 2] && state.squares == [0.0; 2]
}

/// Weights that one task owns during a step.
pub(super) struct Part<'a> {
    weights: &'a mut [Weight],
    states: &'a mut [State],
    /// The weights that have a gradient.
    touched: &'a mut Vec<u32>,
    /// The last row, which is prefetched and not yet added.
    waiting: WaitingRow,
}

/// The indices of weights, and the gradient to add to each.
struct WaitingRow {
    indices: Row,
    count: usize,
    gradient: Weight,
}

impl WaitingRow {
    const EMPTY: Self = Self {
        indices: [0; PIECES],
        count: 0,
        gradient: [0.0; 2],
    };
}

/// Number of weights by which the prefetches of a step are ahead.
const AHEAD: usize = 16;

impl Part<'_> {
    /// Adds to the gradient of a weight.
    #[inline(always)]
    pub(super) fn add(&mut self, index: usize, gradient: Weight) {
        self.add_now(&[index as u32], gradient);
    }

    /// Adds to the gradients of weights; `first` is subtracted from their indices. The states are
    /// prefetched now and changed by the next call, or by [`Self::finish`].
    #[inline(always)]
    pub(super) fn add_row(&mut self, row: &[u32], first: u32, gradient: Weight) {
        let mut next = WaitingRow {
            count: row.len(),
            gradient,
            ..WaitingRow::EMPTY
        };
        for (to, &index) in next.indices.iter_mut().zip(row) {
            *to = index - first;
            prefetch(&self.states[*to as usize]);
        }
        let before = std::mem::replace(&mut self.waiting, next);
        self.add_now(&before.indices[..before.count], before.gradient);
    }

    #[inline(always)]
    #[expect(clippy::float_cmp, reason = "a step leaves exactly 0")]
    fn add_now(&mut self, row: &[u32], gradient: Weight) {
        // Which weights are new cannot be predicted, and is known only when the memory answers, so
        // there is no branch: every index is noted, but only new ones count.
        let mut count = self.touched.len();
        self.touched.resize(count + row.len(), 0);
        for &index in row {
            let state = &mut self.states[index as usize];
            self.touched[count] = index;
            count += usize::from(state.gradient == [0.0; 2]);
            state.gradient[0] += gradient[0];
            state.gradient[1] += gradient[1];
        }
        self.touched.truncate(count);
    }

    /// Adds the last row. With a learning rate, also moves all weights that have a gradient against
    /// it; otherwise the gradients stay in the table.
    #[inline(always)]
    pub(super) fn finish(mut self, rate: Option<f32>) {
        let last = std::mem::replace(&mut self.waiting, WaitingRow::EMPTY);
        self.add_now(&last.indices[..last.count], last.gradient);
        if let Some(rate) = rate {
            self.step(rate);
        }
    }

    fn step(self, rate: f32) {
        let rates = RATES.map(|part| part * rate);
        for (at, &index) in self.touched.iter().enumerate() {
            if let Some(&ahead) = self.touched.get(at + AHEAD) {
                prefetch(&self.states[ahead as usize]);
                prefetch(&self.weights[ahead as usize]);
            }
            let state = &mut self.states[index as usize];
            let weight = &mut self.weights[index as usize];
            for part in 0..2 {
                let gradient = std::mem::take(&mut state.gradient[part]);
                state.squares[part] += gradient * gradient;
                let size = (FIRST_SQUARES + state.squares[part]).sqrt();
                weight[part] -= rates[part] * gradient / size;
            }
        }
        self.touched.clear();
    }
}

/// Divides a table into parts of these lengths.
pub(super) fn parts<'a>(
    table: &'a mut Table,
    lengths: impl Iterator<Item = usize>,
    touched: &mut impl Iterator<Item = &'a mut Vec<u32>>,
) -> Vec<Part<'a>> {
    let (mut weights, mut states) = (&mut table.weights[..], &mut table.states[..]);
    lengths
        .zip(touched)
        .map(|(length, touched)| {
            let (first, rest) = std::mem::take(&mut weights).split_at_mut(length);
            weights = rest;
            let (of_first, rest) = std::mem::take(&mut states).split_at_mut(length);
            states = rest;
            Part {
                weights: first,
                states: of_first,
                touched,
                waiting: WaitingRow::EMPTY,
            }
        })
        .collect()
}

/// Number of pairs whose higher piece belongs to a group.
pub(super) const fn pairs_of(group: usize) -> usize {
    rows_of(group + 1) - rows_of(group)
}

/// Number of relative pairs whose higher piece belongs to a group.
pub(super) const fn relative_pairs_of(group: usize) -> usize {
    relative_rows_of(group + 1) - relative_rows_of(group)
}
