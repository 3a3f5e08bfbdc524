//! Forward pass: the weights of a position, summed.

use super::factors::Factor;
use super::index::{RELATIVE_PAIRS, group_of, rows_of};
use super::rows::{
    PAIRS, king_piece, king_row, pair_row, rank_start, relative_pair_row, relative_piece,
    relative_row, sign_of,
};
use super::tables::{Tables, Weight};
use super::view::{Info, PIECES, View};

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
    let (kpp, relative_kpp) = (tables.of(Factor::Kpp), tables.of(Factor::RelativeKpp));
    let (rank_pp, pp) = (tables.of(Factor::RankPp), tables.of(Factor::Pp));
    let of_distance = tables.of(Factor::RelativePp);
    let mut sums = [[0.0; 2]; 5];
    let (mut row, mut relative, count) = ([0; PIECES], [0; PIECES], usize::from(view.count));
    for piece in 1..count {
        if kpp.is_on() {
            king_row(view, piece, &mut row);
            let of_king = &kpp.weights[usize::from(view.king) * PAIRS..][..PAIRS];
            add_row(&mut sums[0], of_king, &row[..piece]);
        }
        if relative_kpp.is_on() {
            relative_row(view, piece, &mut row);
            add_row(&mut sums[1], &relative_kpp.weights, &row[..piece]);
        }
        let group = group_of(view.numbers[piece].into());
        if pp.is_on() || rank_pp.is_on() {
            pair_row(view, piece, &mut row);
            if pp.is_on() {
                add_row(&mut sums[2], &pp.weights, &row[..piece]);
            }
            if rank_pp.is_on() {
                // Of this group, then of this rank.
                let of_rank = &rank_pp.weights[rank_start(view, group)..];
                for index in &mut row[..piece] {
                    *index -= rows_of(group) as u32;
                }
                add_row(&mut sums[3], of_rank, &row[..piece]);
            }
        }
        if of_distance.is_on() && group > 0 {
            relative_pair_row(view, piece, &mut relative);
            let of_group = &of_distance.weights[group * RELATIVE_PAIRS..][..RELATIVE_PAIRS];
            add_row(&mut sums[4], of_group, &relative[..piece]);
        }
    }
    let [first, rest @ ..] = sums;
    let mut sum = first;
    for other in rest {
        sum = [sum[0] + other[0], sum[1] + other[1]];
    }
    let mut add = |[board, turn]: Weight| sum = [sum[0] + board, sum[1] + turn];
    let (kp, relative_kp) = (tables.of(Factor::Kp), tables.of(Factor::RelativeKp));
    for piece in 0..count {
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

#[inline(always)]
fn add_row(sum: &mut Weight, weights: &[Weight], row: &[u32]) {
    for &index in row {
        let [board, turn] = weights[index as usize];
        sum[0] += board;
        sum[1] += turn;
    }
}
