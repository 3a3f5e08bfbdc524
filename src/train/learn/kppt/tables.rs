//! The weights of all factors in 32-bit floats, with what `AdaGrad` (Duchi, Hazan, Singer 2011)
//! knows of each.
//!
//! A weight has a board part and a turn part, in units of the output: times the scale, in units in
//! which a pawn is 90.

use std::io::{self, Read, Write};

use bytemuck::{Pod, Zeroable};

use super::{Batch, GROUPS, Info, KINGS, PIECES, Row, View, pair, rows_of, smaller};
use super::{
    NUMBERS, RELATIVE, RELATIVE_PAIRS, group_of, relative_pair, relative_rows_of, triangle,
};
use crate::types::{Rank, Square};
use crate::util::{ZeroedPages, prefetch};
use crate::{train::learn::learner::read_u32, train::learn::loss::loss_and_slope};

use rayon::prelude::*;

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
            let count = from(first).take_while(|&entry| !is_untouched(entry)).count();
            out.write_all(&(skipped as u32).to_le_bytes())?;
            out.write_all(&(count as u32).to_le_bytes())?;
            at = first + count;
            for (weight, state) in weights[first..at].iter().zip(&states[first..at]) {
                out.write_all(bytemuck::bytes_of(&[*weight, state.squares]))?;
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
                input.read_exact(bytemuck::bytes_of_mut(weight))?;
                input.read_exact(bytemuck::bytes_of_mut(&mut state.squares))?;
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
    const EMPTY: Self = Self { indices: [0; PIECES], count: 0, gradient: [0.0; 2] };
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
        let mut next = WaitingRow { count: row.len(), gradient, ..WaitingRow::EMPTY };
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
            Part { weights: first, states: of_first, touched, waiting: WaitingRow::EMPTY }
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

// --- Forward and backward pass, the hot part of training ---
//
// The backward pass divides the tables, not the positions: each task owns the weights of a king or
// of the pairs whose higher piece belongs to one group, goes over all positions of the batch in
// their order, and then moves the weights it touched. So results do not depend on the number of
// threads, and no gradient is stored twice.

/// Views per task of the forward pass.
const VIEWS: usize = 64;

/// The buffers of passes.
#[derive(Debug, Default)]
pub(super) struct Pass {
    /// Sums of views in the order of their kings.
    by_king: Vec<Weight>,
    /// Sums of both views of each position.
    sums: Vec<[Weight; 2]>,
    outputs: Vec<f32>,
    /// Derivative of the loss by the output, for each position.
    slopes: Vec<f32>,
    /// What each task touches.
    touched: Vec<Vec<u32>>,
}

impl Pass {
    /// The outputs for the positions of a batch, for the side to move, in units of the scale.
    pub(super) fn forward(&mut self, tables: &Tables, batch: &Batch, scale: f32) -> &[f32] {
        // The views of one king have weights in common, which stay in the cache.
        let order = batch.by_king.concat();
        self.by_king.resize(order.len(), [0.0; 2]);
        let sums = self.by_king.par_chunks_mut(VIEWS);
        sums.zip(order.par_chunks(VIEWS)).for_each(|(sums, views)| {
            pulp::Arch::new().dispatch(
                #[inline(always)]
                || {
                    for (sum, &number) in sums.iter_mut().zip(views) {
                        let number = number as usize;
                        *sum = sum_of_view(tables, &batch.views[number / 2][number % 2]);
                    }
                },
            );
        });
        self.sums.resize(batch.positions.len(), [[0.0; 2]; 2]);
        for (&number, &sum) in order.iter().zip(&self.by_king) {
            self.sums[number as usize / 2][number as usize % 2] = sum;
        }
        let positions = batch.positions.par_iter().zip(&batch.views);
        let positions = positions.zip(&self.sums).with_min_len(VIEWS);
        let outputs = positions.map(|((info, views), &sums)| {
            output_of(tables, info, (sums, views[0].count.into()), scale)
        });
        outputs.collect_into_vec(&mut self.outputs);
        &self.outputs
    }

    /// One step on a batch, with the value of an output of 1; without a learning rate the gradients
    /// stay in the tables. Returns the loss before it as the sum over all positions.
    pub(super) fn step(
        &mut self,
        tables: &mut Tables,
        batch: &Batch,
        scale: f32,
        rate: Option<f32>,
    ) -> f64 {
        self.forward(tables, batch, scale);
        let mut sum = 0.0;
        self.slopes.clear();
        for (info, &output) in batch.positions.iter().zip(&self.outputs) {
            let (loss, slope) = loss_and_slope(output, info.target);
            sum += f64::from(loss);
            self.slopes.push(slope);
        }
        let slopes = &self.slopes;
        tasks(tables, &mut self.touched).into_par_iter().for_each(|task| {
            pulp::Arch::new().dispatch(
                #[inline(always)]
                || task.run(batch, slopes, rate),
            );
        });
        sum
    }
}

// --- Tasks ---

/// Work on weights that no other task touches.
struct Task<'a> {
    factor: Factor,
    /// The king of the pairs, or the group of their higher piece; 0 for other weights.
    index: usize,
    part: Part<'a>,
}

/// Divides the tables. `touched` gets a list for each task.
fn tasks<'a>(tables: &'a mut Tables, touched: &'a mut Vec<Vec<u32>>) -> Vec<Task<'a>> {
    let most = KINGS + 4 * GROUPS + Factor::NUM;
    touched.resize(most, Vec::new());
    let mut touched = touched.iter_mut();
    let mut tasks = Vec::with_capacity(most);
    let of_groups = |length: fn(usize) -> usize| (0..GROUPS).map(length).collect();
    for (factor, table) in Factor::ALL.into_iter().zip(&mut tables.0) {
        let lengths: Vec<usize> = match factor {
            Factor::Kpp => vec![PAIRS; KINGS],
            Factor::RelativeKpp => of_groups(relative_pairs_of),
            Factor::RankPp => of_groups(|group| Rank::NUM * pairs_of(group)),
            Factor::Pp => of_groups(pairs_of),
            Factor::RelativePp => vec![RELATIVE_PAIRS; GROUPS],
            Factor::Kkp | Factor::Kk | Factor::Kp | Factor::RelativeKp | Factor::King => {
                vec![length(factor)]
            }
        };
        let parts = parts(table, lengths.into_iter(), &mut touched);
        tasks.extend(parts.into_iter().enumerate().map(|(index, part)| Task {
            factor,
            index,
            part,
        }));
    }
    tasks
}

impl Task<'_> {
    /// Collects the gradients and moves the weights.
    #[inline(always)]
    fn run(self, batch: &Batch, slopes: &[f32], rate: Option<f32>) {
        let (factor, index, mut part) = (self.factor, self.index, self.part);
        let to = &mut part;
        match factor {
            Factor::Kpp => of_king(index, to, batch, slopes),
            Factor::RelativeKpp => of_relative(index, to, batch, slopes),
            Factor::RelativePp if index == 0 => {}
            Factor::RankPp | Factor::Pp | Factor::RelativePp => {
                of_pairs(index, factor, to, batch, slopes);
            }
            Factor::Kkp | Factor::Kk => of_kings(factor, to, batch, slopes),
            Factor::Kp | Factor::RelativeKp | Factor::King => of_pieces(factor, to, batch, slopes),
        }
        part.finish(rate);
    }
}

/// The gradient by the board and the turn part of the weights of a view.
#[inline(always)]
fn of_view(slope: f32, side: usize) -> Weight {
    // The board part counts for the side of the king, the turn part for the side to move.
    [if side == 0 { slope } else { -slope }, slope]
}

/// All views with their gradients, those without any left out.
#[inline(always)]
fn views<'a>(
    batch: &'a Batch,
    slopes: &'a [f32],
) -> impl Iterator<Item = (&'a View, Weight)> + use<'a> {
    let positions = batch.views.iter().zip(slopes);
    let positions = positions.filter(|&(_, &slope)| slope != 0.0);
    positions.flat_map(|(views, &slope)| {
        let [us, them] = views;
        [(us, of_view(slope, 0)), (them, of_view(slope, 1))]
    })
}

#[inline(always)]
fn of_king(king: usize, part: &mut Part<'_>, batch: &Batch, slopes: &[f32]) {
    let mut row = [0; PIECES];
    for &number in &batch.by_king[king] {
        let (position, side) = (number as usize / 2, number as usize % 2);
        if slopes[position] == 0.0 {
            continue;
        }
        let view = &batch.views[position][side];
        let gradient = of_view(slopes[position], side);
        for piece in 1..usize::from(view.count) {
            king_row(view, piece, &mut row);
            part.add_row(&row[..piece], 0, gradient);
        }
    }
}

#[inline(always)]
fn of_relative(group: usize, part: &mut Part<'_>, batch: &Batch, slopes: &[f32]) {
    let mut row = [0; PIECES];
    let first = relative_rows_of(group) as u32;
    for (view, gradient) in views(batch, slopes) {
        for piece in view.starts[group]..view.starts[group + 1] {
            relative_row(view, piece.into(), &mut row);
            part.add_row(&row[..piece.into()], first, gradient);
        }
    }
}

#[inline(always)]
fn of_pairs(group: usize, factor: Factor, part: &mut Part<'_>, batch: &Batch, slopes: &[f32]) {
    let mut row = [0; PIECES];
    for (view, gradient) in views(batch, slopes) {
        let start = match factor {
            Factor::RankPp => rank_start(view, group) - Rank::NUM * rows_of(group),
            _ => 0,
        };
        for piece in view.starts[group]..view.starts[group + 1] {
            let piece = usize::from(piece);
            let first = if factor == Factor::RelativePp {
                relative_pair_row(view, piece, &mut row);
                0
            } else {
                pair_row(view, piece, &mut row);
                rows_of(group)
            };
            if start > 0 {
                for index in &mut row[..piece] {
                    *index += start as u32;
                }
            }
            part.add_row(&row[..piece], first as u32, gradient);
        }
    }
}

#[inline(always)]
fn of_kings(factor: Factor, part: &mut Part<'_>, batch: &Batch, slopes: &[f32]) {
    let positions = batch.positions.iter().zip(&batch.views).zip(slopes);
    for ((info, views), &slope) in positions.filter(|&(_, &slope)| slope != 0.0) {
        if factor == Factor::Kk {
            part.add(info.kings.into(), [slope * info.sign, slope]);
            continue;
        }
        let count = usize::from(views[0].count);
        for (at, &index) in info.with_piece[..count].iter().enumerate() {
            part.add(index as usize, [slope * sign_of(info.negative, at), slope]);
        }
    }
}

#[inline(always)]
fn of_pieces(factor: Factor, part: &mut Part<'_>, batch: &Batch, slopes: &[f32]) {
    for (view, gradient) in views(batch, slopes) {
        if factor == Factor::King {
            part.add(view.king.into(), gradient);
            continue;
        }
        for piece in 0..usize::from(view.count) {
            let index = match factor {
                Factor::Kp => king_piece(view, piece),
                _ => relative_piece(view, piece),
            };
            part.add(index, gradient);
        }
    }
}

// --- Forward pass ---

/// The output for a position, for the side to move, in units of the scale. `sums` are those of its
/// views, of which `count` is the number of pieces.
#[inline(always)]
fn output_of(tables: &Tables, info: &Info, (sums, count): ([Weight; 2], usize), scale: f32) -> f32 {
    let [us, [board, turn]] = sums;
    let mut sum = [us[0] - board, us[1] + turn];
    let (kkp, kk) = (tables.of(Factor::Kkp), tables.of(Factor::Kk));
    for (at, &index) in info.with_piece[..count].iter().enumerate() {
        let [board, turn] = kkp.weights[index as usize];
        sum[0] += sign_of(info.negative, at) * board;
        sum[1] += turn;
    }
    let [board, turn] = kk.weights[usize::from(info.kings)];
    sum = [sum[0] + info.sign * board, sum[1] + turn];
    sum[0] + sum[1] + f32::from(info.material) / scale
}

/// The sum of the weights of one king's side.
#[inline(always)]
fn sum_of_view(tables: &Tables, view: &View) -> Weight {
    let mut sum = sum_of_pairs(tables, view);
    let mut add = |[board, turn]: Weight| sum = [sum[0] + board, sum[1] + turn];
    let (kp, relative_kp) = (tables.of(Factor::Kp), tables.of(Factor::RelativeKp));
    for piece in 0..view.count.into() {
        add(kp.weights[king_piece(view, piece)]);
        add(relative_kp.weights[relative_piece(view, piece)]);
    }
    add(tables.of(Factor::King).weights[usize::from(view.king)]);
    sum
}

/// The sum of the weights of all pairs of pieces of one king's side.
#[inline(always)]
fn sum_of_pairs(tables: &Tables, view: &View) -> Weight {
    let of_king = &tables.of(Factor::Kpp).weights[usize::from(view.king) * PAIRS..][..PAIRS];
    let sum_of = |factor| Sum::of(&tables.of(factor).weights);
    let mut by_king = Sum::of(of_king);
    let mut by_relative = sum_of(Factor::RelativeKpp);
    let mut by_pair = sum_of(Factor::Pp);
    let mut by_rank = sum_of(Factor::RankPp);
    let mut by_distance = sum_of(Factor::RelativePp);
    let mut row = [0; PIECES];
    for piece in 1..view.count.into() {
        king_row(view, piece, &mut row);
        by_king.add_row(&row[..piece], 0);
        relative_row(view, piece, &mut row);
        by_relative.add_row(&row[..piece], 0);
        let group = group_of(view.numbers[piece].into());
        pair_row(view, piece, &mut row);
        by_pair.add_row(&row[..piece], 0);
        // Replaces the start of the group by the start of the group and rank.
        let shift = rank_start(view, group) - rows_of(group);
        by_rank.add_row(&row[..piece], shift as u32);
        if group > 0 {
            relative_pair_row(view, piece, &mut row);
            by_distance.add_row(&row[..piece], (group * RELATIVE_PAIRS) as u32);
        }
    }
    let mut sum = by_king.finish();
    for other in [by_relative, by_pair, by_rank, by_distance] {
        let other = other.finish();
        sum = [sum[0] + other[0], sum[1] + other[1]];
    }
    sum
}

/// A sum of weights that is one row late: the weights of a row are prefetched when it is added, and
/// summed when the next row is added.
struct Sum<'a> {
    weights: &'a [Weight],
    row: Row,
    count: usize,
    total: Weight,
}

impl<'a> Sum<'a> {
    fn of(weights: &'a [Weight]) -> Self {
        Self { weights, row: [0; PIECES], count: 0, total: [0.0; 2] }
    }

    /// Adds the weights with these indices, each moved by `shift`.
    #[inline(always)]
    fn add_row(&mut self, row: &[u32], shift: u32) {
        self.add_waiting();
        for (to, &index) in self.row.iter_mut().zip(row) {
            *to = index + shift;
            prefetch(&self.weights[*to as usize]);
        }
        self.count = row.len();
    }

    #[inline(always)]
    fn add_waiting(&mut self) {
        for &index in &self.row[..self.count] {
            let [board, turn] = self.weights[index as usize];
            self.total[0] += board;
            self.total[1] += turn;
        }
    }

    #[inline(always)]
    fn finish(mut self) -> Weight {
        self.add_waiting();
        self.total
    }
}

// --- Indices of the weights of a view: rows of pairs of one piece with those before it ---

/// Number of pairs of piece numbers: the weights of one king.
const PAIRS: usize = triangle(NUMBERS);

/// The sign of the board part of a piece with both kings.
#[inline(always)]
fn sign_of(negative: u64, at: usize) -> f32 {
    if negative >> at & 1 == 0 { 1.0 } else { -1.0 }
}

/// Index of the weights of a group and of the rank of the view's king.
#[inline(always)]
fn rank_start(view: &View, group: usize) -> usize {
    Rank::NUM * rows_of(group) + usize::from(view.king) % Rank::NUM * pairs_of(group)
}

/// Pairs for the king of the view.
#[inline(always)]
fn king_row(view: &View, piece: usize, row: &mut Row) {
    if view.is_central() {
        return pair_row(view, piece, row);
    }
    let high = u32::from(view.numbers[piece]);
    for (index, &low) in row.iter_mut().zip(&view.numbers[..piece]) {
        *index = pair(high, low.into());
    }
}

/// Pairs wherever the king is.
#[inline(always)]
fn pair_row(view: &View, piece: usize, row: &mut Row) {
    let lists = [&view.numbers, &view.mirrored];
    mirrored_row(lists, piece, row);
}

/// Pairs relative to the king.
#[inline(always)]
fn relative_row(view: &View, piece: usize, row: &mut Row) {
    let lists = [&view.relative, &view.relative_mirrored];
    mirrored_row(lists, piece, row);
}

#[inline(always)]
fn mirrored_row(lists: [&[u16; PIECES]; 2], piece: usize, row: &mut Row) {
    let [high, mirrored_high] = lists.map(|list| u32::from(list[piece]));
    let low = lists[0][..piece].iter().zip(&lists[1][..piece]);
    for (index, (&low, &mirrored_low)) in row.iter_mut().zip(low) {
        let plain = pair(high, low.into());
        *index = plain.min(pair(mirrored_high, mirrored_low.into()));
    }
}

/// Pairs relative to each other, of a piece that is on the board.
#[inline(always)]
fn relative_pair_row(view: &View, piece: usize, row: &mut Row) {
    let high = usize::from(view.numbers[piece]);
    for (index, &low) in row.iter_mut().zip(&view.numbers[..piece]) {
        *index = relative_pair(high, low.into()).unwrap_or(0) as u32;
    }
}

/// Index of a piece with the king of the view.
#[inline(always)]
fn king_piece(view: &View, piece: usize) -> usize {
    let number = if view.is_central() {
        smaller([view.numbers[piece], view.mirrored[piece]])
    } else {
        view.numbers[piece]
    };
    usize::from(view.king) * NUMBERS + usize::from(number)
}

#[inline(always)]
fn relative_piece(view: &View, piece: usize) -> usize {
    smaller([view.relative[piece], view.relative_mirrored[piece]]).into()
}
