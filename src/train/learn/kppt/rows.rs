//! Indices of the weights of a view: rows of pairs of one piece with those before it.

use super::index::{NUMBERS, pair, relative_pair, rows_of, smaller, triangle};
use super::tables::pairs_of;
use super::view::{PIECES, Row, View};
use crate::types::Rank;

/// Number of pairs of piece numbers: the weights of one king.
pub(super) const PAIRS: usize = triangle(NUMBERS);

/// The sign of the board part of a piece with both kings.
#[inline(always)]
pub(super) fn sign_of(negative: u64, at: usize) -> f32 {
    if negative >> at & 1 == 0 { 1.0 } else { -1.0 }
}

/// Index of the weights of a group and of the rank of the view's king.
#[inline(always)]
pub(super) fn rank_start(view: &View, group: usize) -> usize {
    Rank::NUM * rows_of(group) + usize::from(view.king) % Rank::NUM * pairs_of(group)
}

/// Pairs for the king of the view.
#[inline(always)]
pub(super) fn king_row(view: &View, piece: usize, row: &mut Row) {
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
pub(super) fn pair_row(view: &View, piece: usize, row: &mut Row) {
    let lists = [&view.numbers, &view.mirrored];
    mirrored_row(lists, piece, row);
}

/// Pairs relative to the king.
#[inline(always)]
pub(super) fn relative_row(view: &View, piece: usize, row: &mut Row) {
    let lists = [&view.relative, &view.relative_mirrored];
    mirrored_row(lists, piece, row);
}

#[inline(always)]
pub(super) fn mirrored_row(lists: [&[u16; PIECES]; 2], piece: usize, row: &mut Row) {
    let [high, mirrored_high] = lists.map(|list| u32::from(list[piece]));
    let low = lists[0][..piece].iter().zip(&lists[1][..piece]);
    for (index, (&low, &mirrored_low)) in row.iter_mut().zip(low) {
        let plain = pair(high, low.into());
        *index = plain.min(pair(mirrored_high, mirrored_low.into()));
    }
}

/// Pairs relative to each other, of a piece that is on the board.
#[inline(always)]
pub(super) fn relative_pair_row(view: &View, piece: usize, row: &mut Row) {
    let high = usize::from(view.numbers[piece]);
    for (index, &low) in row.iter_mut().zip(&view.numbers[..piece]) {
        *index = relative_pair(high, low.into()).unwrap_or(0) as u32;
    }
}

/// Index of a piece with the king of the view.
#[inline(always)]
pub(super) fn king_piece(view: &View, piece: usize) -> usize {
    let number = if view.is_central() {
        smaller([view.numbers[piece], view.mirrored[piece]])
    } else {
        view.numbers[piece]
    };
    usize::from(view.king) * NUMBERS + usize::from(number)
}

#[inline(always)]
pub(super) fn relative_piece(view: &View, piece: usize) -> usize {
    smaller([view.relative[piece], view.relative_mirrored[piece]]).into()
}
