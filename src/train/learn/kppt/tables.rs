//! The weights of all factors in 32-bit floats, with what `AdaGrad` (Duchi, Hazan, Singer 2011)
//! knows of each.
//!
//! A weight has a board part and a turn part, in units of the output: times the scale, in units in
//! which a pawn is 90.

use std::io;

use bytemuck::{Pod, Zeroable};

use super::factors::{Factor, Factors, KingConstants, apery_values};
use super::index::{
    GROUPS, KINGS, NUMBERS, RELATIVE, RELATIVE_PAIRS, relative_rows_of, rows_of, triangle,
};
use super::view::{PIECES, Row};
use crate::types::{Rank, Square};
use crate::util::{ZeroedPages, prefetch};

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

/// The weights of one factor; none where it is not learnt.
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

    /// Whether the factor is there.
    pub(super) fn is_on(&self) -> bool {
        !self.weights.is_empty()
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
    /// Weights of 0, but for constants of kings set by hand. `scale` is the value of an output of
    /// 1.
    pub(super) fn new(factors: Factors, kings: KingConstants, scale: u16) -> io::Result<Self> {
        let mut tables = Vec::with_capacity(Factor::NUM);
        for factor in Factor::ALL {
            let is_on = match factor {
                Factor::King => kings != KingConstants::Zero,
                other => factors.has(other),
            };
            tables.push(Table::new(if is_on { length(factor) } else { 0 })?);
        }
        let Ok(tables) = tables.try_into() else {
            unreachable!("one table for each factor");
        };
        let mut tables = Self(tables);
        if kings == KingConstants::Apery {
            let weights = &mut tables.0[Factor::King as usize].weights;
            for (weight, value) in weights.iter_mut().zip(apery_values()) {
                weight[0] = value / f32::from(scale);
            }
        }
        Ok(tables)
    }

    /// The table of a factor.
    #[inline(always)]
    pub(super) fn of(&self, factor: Factor) -> &Table {
        &self.0[factor as usize]
    }

    /// Bytes of all tables.
    pub(super) fn bytes(&self) -> usize {
        let bytes = size_of::<Weight>() + size_of::<State>();
        self.0.iter().map(|table| table.weights.len() * bytes).sum()
    }
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

/// Divides a table into parts of these lengths. Tables of factors that are not learnt give nothing.
pub(super) fn parts<'a>(
    table: &'a mut Table,
    lengths: impl Iterator<Item = usize>,
    touched: &mut impl Iterator<Item = &'a mut Vec<u32>>,
) -> Vec<Part<'a>> {
    if !table.is_on() {
        return Vec::new();
    }
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
