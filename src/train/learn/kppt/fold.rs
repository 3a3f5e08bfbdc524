//! The weights of all factors as the weights of plain KK, KKP and KPP tables.
//!
//! Every weight is summed from its canonical place, so that mirrored and inverse ones come out
//! equal to the last bit.

use super::index::{
    KingPair, NUMBERS, RELATIVE_PAIRS, TABLE, canonical_king, group_of, is_central, pair, relative,
    relative_pair, rotated, rows_of, smaller, triangle,
};
use super::tables::{Factor, Tables, pairs_of};
use crate::eval::kppt::scalar::{self, SCALE, Weights};
use crate::types::Rank;

/// Sums of factors as weights of an evaluation.
pub(super) struct Folded<'a> {
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
    pub(super) fn new(tables: &'a Tables, scale: u16) -> Self {
        Self {
            tables,
            factor: f64::from(scale) * f64::from(SCALE),
        }
    }

    fn weights(&self, factor: Factor) -> &[[f32; 2]] {
        &self.tables.of(factor).weights
    }

    fn rounded(&self, sum: Sum) -> scalar::Weight {
        // Halves away from 0, so that opposite sums stay opposite.
        sum.map(|part| (part * self.factor).round() as i32)
    }

    /// The sum of a king and two different pieces.
    pub(super) fn pair_sum(&self, king: usize, one: usize, other: usize) -> Sum {
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
    pub(super) fn kings_sum(&self, pair: KingPair, own: usize, enemy: usize) -> Sum {
        let mut sum = [0.0; 2];
        add(&mut sum, self.weights(Factor::Kk), pair.index, 1.0);
        for (king, sign) in [(own, 1.0), (rotated(enemy), -1.0)] {
            let (king, _) = canonical_king(king);
            add(&mut sum, self.weights(Factor::King), king, sign);
        }
        [sum[0] * f64::from(pair.sign().abs()), sum[1]]
    }

    /// The sum of both kings and a piece, without that of the kings alone.
    pub(super) fn piece_sum(&self, index: usize, own: usize, enemy: usize, piece: usize) -> Sum {
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

fn with_sign([board, turn]: scalar::Weight, sign: f32) -> scalar::Weight {
    [if sign < 0.0 { -board } else { board }, turn]
}

impl Weights for Folded<'_> {
    fn kk(&self, black_king: usize, white_king: usize) -> scalar::Weight {
        let pair = KingPair::new(black_king, white_king);
        let (own, enemy) = pair.kings();
        with_sign(self.rounded(self.kings_sum(pair, own, enemy)), pair.sign())
    }

    fn kkp(&self, black_king: usize, white_king: usize, piece: usize) -> scalar::Weight {
        let pair = KingPair::new(black_king, white_king);
        let (own, enemy) = pair.kings();
        let (index, sign) = pair.with_piece(piece);
        let sum = self.piece_sum(index, own, enemy, index % NUMBERS);
        with_sign(self.rounded(sum), sign)
    }

    fn kpp(&self, king: usize, one: usize, other: usize) -> scalar::Weight {
        self.rounded(self.pair_sum(king, one, other))
    }
}
