//! Forward pass: the weights of a position, summed.

use super::factors::Factor;
use super::index::{RELATIVE_PAIRS, group_of, rows_of};
use super::rows::{
    PAIRS, king_piece, king_row, pair_row, rank_start, relative_pair_row, relative_piece,
    relative_row, sign_of,
};
use super::tables::{Tables, Weight};
use super::view::{Info, PIECES, Row, View};
use crate::util::prefetch;

/// The output for a position, for the side to move, in units of the scale. `sums` are those of its
/// views, of which `count` is the number of pieces.
#[inline(always)]
pub(super) fn output_of(
    tables: &Tables,
    info: &Info,
    (sums, count): ([Weight; 2], usize),
    scale: f32,
) -> f32 {
    let [us, [board, turn]] = sums;
    let mut sum = [us[0] - board, us[1] + turn];
    let (kkp, kk) = (tables.of(Factor::Kkp), tables.of(Factor::Kk));
    if kkp.is_on() {
        for (at, &index) in info.with_piece[..count].iter().enumerate() {
            let [board, turn] = kkp.weights[index as usize];
            sum[0] += sign_of(info.negative, at) * board;
            sum[1] += turn;
        }
    }
    if kk.is_on() {
        let [board, turn] = kk.weights[usize::from(info.kings)];
        sum = [sum[0] + info.sign * board, sum[1] + turn];
    }
    sum[0] + sum[1] + f32::from(info.material) / scale
}

/// The sum of the weights of one king's side.
#[inline(always)]
pub(super) fn sum_of_view(tables: &Tables, view: &View) -> Weight {
    let mut sum = sum_of_pairs(tables, view);
    let mut add = |[board, turn]: Weight| sum = [sum[0] + board, sum[1] + turn];
    let (kp, relative_kp) = (tables.of(Factor::Kp), tables.of(Factor::RelativeKp));
    for piece in 0..view.count.into() {
        if kp.is_on() {
            add(kp.weights[king_piece(view, piece)]);
        }
        if relative_kp.is_on() {
            add(relative_kp.weights[relative_piece(view, piece)]);
        }
    }
    if let Some(&weight) = tables.of(Factor::King).weights.get(usize::from(view.king)) {
        add(weight);
    }
    sum
}

/// The sum of the weights of all pairs of pieces of one king's side.
#[inline(always)]
fn sum_of_pairs(tables: &Tables, view: &View) -> Weight {
    let (kpp, relative_kpp) = (tables.of(Factor::Kpp), tables.of(Factor::RelativeKpp));
    let (rank_pp, pp) = (tables.of(Factor::RankPp), tables.of(Factor::Pp));
    let of_distance = tables.of(Factor::RelativePp);
    let of_king = match &kpp.weights[..] {
        [] => &[],
        weights => &weights[usize::from(view.king) * PAIRS..][..PAIRS],
    };
    let [
        mut by_king,
        mut by_relative,
        mut by_pair,
        mut by_rank,
        mut by_distance,
    ] = [
        of_king,
        &relative_kpp.weights,
        &pp.weights,
        &rank_pp.weights,
        &of_distance.weights,
    ]
    .map(Sum::of);
    let mut row = [0; PIECES];
    for piece in 1..view.count.into() {
        if kpp.is_on() {
            king_row(view, piece, &mut row);
            by_king.add_row(&row[..piece], 0);
        }
        if relative_kpp.is_on() {
            relative_row(view, piece, &mut row);
            by_relative.add_row(&row[..piece], 0);
        }
        let group = group_of(view.numbers[piece].into());
        if pp.is_on() || rank_pp.is_on() {
            pair_row(view, piece, &mut row);
            if pp.is_on() {
                by_pair.add_row(&row[..piece], 0);
            }
            if rank_pp.is_on() {
                // Replaces the start of the group by the start of the group and rank.
                let shift = rank_start(view, group) - rows_of(group);
                by_rank.add_row(&row[..piece], shift as u32);
            }
        }
        if of_distance.is_on() && group > 0 {
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
        Self {
            weights,
            row: [0; PIECES],
            count: 0,
            total: [0.0; 2],
        }
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
