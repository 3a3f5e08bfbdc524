//! Training of three-piece evaluations ([`crate::eval::kppt`]), with weights that are sums of
//! factors.
//!
//! `tables` has the factors, their weights, and the passes over them.
//!
//! The learner of Bonanza (Hoki, 2006) with the lowering of dimensions by NDF (2014), as Apery had
//! it until 2016, and `YaneuraOu`'s online steps. A seed gives the same weights on any number of
//! threads.

mod tables;

use std::io::{self, Read, Write};
use std::{path::Path, sync::LazyLock};

use anyhow::Result;
use arrayvec::ArrayVec;
use tables::{Factor, Pass, Tables, pairs_of};

use super::Settings;
use super::learner::{Model, Run};
use super::loss::{HeldOutLosses, Target, Targets};
use super::sample::{CODES, MAX_ACTIVE, Sample};
use crate::eval::kppt::scalar::{SCALE, Weight, Weights};
use crate::eval::kppt::{HAND_END, PIECES_END, PIECES_IN_SET, SYNTHESIZED, number_in_hand};
use crate::types::{Color, Piece, PieceType, Rank, Square};
use crate::{
    eval::kppt::number_on_board, runs::OutputFile, types::value::piece_value, util::AtPath,
};

use rayon::prelude::*;

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
    fn new(_: &Settings) -> Result<Self> {
        Ok(Self { tables: Tables::new()?, pass: Pass::default() })
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
        self.pass.step(&mut self.tables, batch, settings.scale.into(), Some(rate))
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
        Self { tables, factor: f64::from(scale) * f64::from(SCALE) }
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
        let weights = self.weights(Factor::RelativeKpp);
        add(&mut sum, weights, of_relative as usize, 1.0);
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
            let of_king = king * NUMBERS + of_king;
            add(&mut sum, self.weights(Factor::Kp), of_king, sign);
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
pub fn write(folder: &Path, weights: &(impl Weights + Sync)) -> Result<u64> {
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
) -> Result<()> {
    let mut file = OutputFile::create(path).at(path)?;
    let mut bytes = Vec::new();
    for weights in rows {
        bytes.clear();
        for &number in weights.iter().flatten() {
            put(number, &mut bytes);
        }
        file.write_all(&bytes).at(path)?;
    }
    file.finish().at(path)
}

// --- Where the weights lie ---
//
// Where the weight of a king, of a piece or of a pair lies in the tables of each factor.
//
// Pieces have the numbers of [`crate::eval::kppt`], 1 to 1547, as the side of the king sees them;
// relative to the king a piece on the board has a number by its kind and its distance in files and
// ranks. A pair of numbers lies in a triangle: the larger one gives the row.
//
// Mirrored positions share their weights. A king on files 6 to 9 is mirrored to files 1 to 4;
// where that decides nothing, the smaller of both indices counts.

/// Number of piece numbers.
const NUMBERS: usize = PIECES_END as usize;

/// Numbers of pieces in hand, the unused number 0 included.
const HAND: usize = HAND_END as usize;

/// Groups of piece numbers: those in hand, then each kind on the board, own and enemy.
const GROUPS: usize = 1 + (NUMBERS - HAND) / Square::NUM;

/// Squares of a king, mirrored ones counted once.
const KINGS: usize = (CENTER + 1) * Rank::NUM;

/// The file that is its own mirror image.
const CENTER: usize = 4;

/// Distances in files or ranks, -8 to 8.
const SPAN: usize = 17;

/// Numbers relative to a king.
const RELATIVE: usize = HAND + (GROUPS - 1) * SPAN * SPAN;

/// Entries of relative pairs whose higher piece is of one kind.
const RELATIVE_PAIRS: usize = GROUPS * (CENTER * 2 + 1) * SPAN + HAND;

/// Number of pairs of different numbers below `number`: where the row of `number` starts.
const fn triangle(number: usize) -> usize {
    number * number.saturating_sub(1) / 2
}

/// Index of a pair of different numbers.
#[inline(always)]
fn pair(one: u32, other: u32) -> u32 {
    let (high, low) = (one.max(other), one.min(other));
    // Number 0 does not occur, so nothing wraps.
    high * high.wrapping_sub(1) / 2 + low
}

/// The first number of a group, and for [`GROUPS`] the end of the last one. `squares` is the number
/// of numbers that a kind has on the board.
const fn group_start(group: usize, squares: usize) -> usize {
    if group == 0 { 0 } else { HAND + (group - 1) * squares }
}

/// Where the rows of a group start in the triangle of piece numbers.
const fn rows_of(group: usize) -> usize {
    triangle(group_start(group, Square::NUM))
}

/// Where the rows of a group start in the triangle of relative numbers.
const fn relative_rows_of(group: usize) -> usize {
    triangle(group_start(group, SPAN * SPAN))
}

/// The group of a piece number.
const fn group_of(number: usize) -> usize {
    if number < HAND { 0 } else { 1 + (number - HAND) / Square::NUM }
}

/// A square seen in a mirror.
const fn mirrored(square: usize) -> usize {
    (2 * CENTER - square / Rank::NUM) * Rank::NUM + square % Rank::NUM
}

/// A king's square on files 1 to 5, and whether it was mirrored to get there.
const fn canonical_king(square: usize) -> (usize, bool) {
    if square / Rank::NUM > CENTER { (mirrored(square), true) } else { (square, false) }
}

/// Whether a king on files 1 to 5 stands on the file that is its own mirror image.
const fn is_central(king: usize) -> bool {
    king / Rank::NUM == CENTER
}

/// The number of a piece relative to a king on files 1 to 5, and that of its mirror image.
fn relative(number: usize, king: usize) -> [u16; 2] {
    if number < HAND {
        return [number as u16; 2];
    }
    let (group, on) = ((number - HAND) / Square::NUM, (number - HAND) % Square::NUM);
    let files = on / Rank::NUM + CENTER * 2 - king / Rank::NUM;
    let ranks = on % Rank::NUM + CENTER * 2 - king % Rank::NUM;
    let number = |files: usize| (HAND + (group * SPAN + files) * SPAN + ranks) as u16;
    [number(files), number(SPAN - 1 - files)]
}

/// Index of the relative pair of two pieces, of which the first one has the higher group, within
/// the entries of that group; `None` for two pieces in hand.
#[inline(always)]
fn relative_pair(high: usize, low: usize) -> Option<usize> {
    if high < HAND {
        return None;
    }
    if low < HAND {
        return Some(GROUPS * (CENTER * 2 + 1) * SPAN + low);
    }
    let (group, of_high) = ((low - HAND) / Square::NUM, (high - HAND) % Square::NUM);
    let of_low = (low - HAND) % Square::NUM;
    let files = (of_high / Rank::NUM).abs_diff(of_low / Rank::NUM);
    let mut ranks = of_high % Rank::NUM + CENTER * 2 - of_low % Rank::NUM;
    if (high - HAND) / Square::NUM == group {
        // Two of one kind: neither comes first.
        ranks = ranks.max(SPAN - 1 - ranks);
    }
    Some(((group + 1) * (CENTER * 2 + 1) + files) * SPAN + ranks)
}

/// What is looked up for piece numbers.
struct Numbers {
    /// The piece seen in a mirror.
    mirrored: [u16; NUMBERS],
    /// The piece as the other side sees it.
    inverse: [u16; NUMBERS],
    /// `[side][piece code][square]`: the piece as a side sees it.
    on_board: [Vec<[u16; Square::NUM]>; Color::NUM],
    /// `[side][owner][piece type]`: the first piece in hand; the others follow.
    in_hand: [[[u16; PieceType::NUM]; Color::NUM]; Color::NUM],
}

static TABLE: LazyLock<Numbers> = LazyLock::new(Numbers::new);

impl Numbers {
    fn new() -> Self {
        let itself = || std::array::from_fn(|number| number as u16);
        let mut numbers = Self {
            mirrored: itself(),
            inverse: itself(),
            on_board: Color::ALL.map(|_| vec![[0; Square::NUM]; CODES]),
            in_hand: [[[0; PieceType::NUM]; Color::NUM]; Color::NUM],
        };
        for piece in Piece::ALL {
            if piece.kind() == PieceType::King {
                continue;
            }
            for square in Square::ALL {
                let seen = Color::ALL.map(|side| number_on_board(piece, square, side) as usize);
                for (side, number) in Color::ALL.into_iter().zip(seen) {
                    let table = &mut numbers.on_board[side.index()];
                    table[piece.index()][square.index()] = number as u16;
                }
                let mirror = Square::ALL[mirrored(square.index())];
                let mirror = number_on_board(piece, mirror, Color::Black);
                numbers.mirrored[seen[0]] = mirror as u16;
                numbers.inverse[seen[0]] = seen[1] as u16;
            }
        }
        for owner in Color::ALL {
            for kind in PieceType::HAND {
                let first = Color::ALL.map(|side| number_in_hand(kind, 1, owner, side) as u16);
                for side in Color::ALL {
                    let table = &mut numbers.in_hand[side.index()][owner.index()];
                    table[kind.index()] = first[side.index()];
                }
                for count in 0..kind.count_in_set() as u16 {
                    let [black, white] = first.map(|first| first + count);
                    numbers.inverse[usize::from(black)] = white;
                }
            }
        }
        numbers
    }
}

/// The square of white's king for each square as white sees it, and back.
const fn rotated(square: usize) -> usize {
    Square::NUM - 1 - square
}

/// Both kings in the one of four equivalent arrangements that has the smallest index: as they
/// stand, mirrored, with the sides exchanged, and both.
#[derive(Clone, Copy, Debug)]
struct KingPair {
    /// Index of the kings.
    index: usize,
    /// Which arrangements have that index: mirrored in bit 0, sides exchanged in bit 1.
    arrangements: u8,
}

impl KingPair {
    /// From the squares of the own king and of the enemy king, both as one side sees them.
    fn new(own: usize, enemy: usize) -> Self {
        let mut found = Self { index: usize::MAX, arrangements: 0 };
        for arrangement in 0..4 {
            let (mut own, mut enemy) = (own, enemy);
            if arrangement & 2 != 0 {
                (own, enemy) = (rotated(enemy), rotated(own));
            }
            if arrangement & 1 != 0 {
                (own, enemy) = (mirrored(own), mirrored(enemy));
            }
            let index = own * Square::NUM + enemy;
            if index < found.index {
                found = Self { index, arrangements: 0 };
            }
            if index == found.index {
                found.arrangements |= 1 << arrangement;
            }
        }
        found
    }

    /// The squares of both kings in that arrangement.
    fn kings(&self) -> (usize, usize) {
        (self.index / Square::NUM, self.index % Square::NUM)
    }

    /// Index of these kings with a piece, and the sign of its board part.
    #[inline]
    fn with_piece(&self, number: usize) -> (usize, f32) {
        let table = &*TABLE;
        let mut found = (usize::MAX, 1.0);
        for arrangement in 0..4 {
            if self.arrangements & 1 << arrangement == 0 {
                continue;
            }
            let (mut number, mut sign) = (number, 1.0);
            if arrangement & 2 != 0 {
                (number, sign) = (usize::from(table.inverse[number]), -1.0);
            }
            if arrangement & 1 != 0 {
                number = usize::from(table.mirrored[number]);
            }
            if number < found.0 {
                found = (number, sign);
            }
        }
        (self.index * NUMBERS + found.0, found.1)
    }

    /// The sign of the board part of these kings: 0 where both sides see the same.
    fn sign(&self) -> f32 {
        match (self.arrangements & 0b0011, self.arrangements & 0b1100) {
            (_, 0) => 1.0,
            (0, _) => -1.0,
            _ => 0.0,
        }
    }
}

/// The index that both arrangements of a mirror share.
#[inline(always)]
fn smaller<T: Ord + Copy>([one, other]: [T; 2]) -> T {
    one.min(other)
}

// --- Positions of a batch ---

/// Most pieces of a view.
const PIECES: usize = PIECES_IN_SET;

/// Indices of the weights of the pairs of one piece with all pieces before it.
type Row = [u32; PIECES];

/// The pieces as the side of one king sees them, mirrored where the king is on files 6 to 9.
#[derive(Clone, Copy, Debug)]
struct View {
    /// Square of the king on files 1 to 5.
    king: u8,
    /// The pieces in the order of their groups.
    count: u8,
    /// The first piece of each group, and the end of the last one.
    starts: [u8; GROUPS + 1],
    numbers: [u16; PIECES],
    /// The same pieces in a mirror.
    mirrored: [u16; PIECES],
    /// Numbers relative to the king.
    relative: [u16; PIECES],
    /// The same in a mirror.
    relative_mirrored: [u16; PIECES],
}

impl View {
    const EMPTY: Self = Self {
        king: 0,
        count: 0,
        starts: [0; GROUPS + 1],
        numbers: [0; PIECES],
        mirrored: [0; PIECES],
        relative: [0; PIECES],
        relative_mirrored: [0; PIECES],
    };

    /// From the square of the king and the piece numbers, as its side sees them.
    fn new(king: usize, numbers: &[u16]) -> Self {
        let (king, is_mirrored) = canonical_king(king);
        let mut view = Self { king: king as u8, count: numbers.len() as u8, ..Self::EMPTY };
        for &number in numbers {
            view.starts[group_of(number.into()) + 1] += 1;
        }
        for group in 0..GROUPS {
            view.starts[group + 1] += view.starts[group];
        }
        let mut next = view.starts;
        for &number in numbers {
            let slot = &mut next[group_of(number.into())];
            let at = usize::from(*slot);
            *slot += 1;
            let mirrored = TABLE.mirrored[usize::from(number)];
            let (number, mirrored) =
                if is_mirrored { (mirrored, number) } else { (number, mirrored) };
            (view.numbers[at], view.mirrored[at]) = (number, mirrored);
            [view.relative[at], view.relative_mirrored[at]] = relative(number.into(), king);
        }
        view
    }

    /// Whether the king stands on the file that is its own mirror image.
    fn is_central(&self) -> bool {
        is_central(self.king.into())
    }
}

/// A position of a batch.
#[derive(Clone, Copy, Debug)]
struct Info {
    target: Target,
    /// Material of the side to move, a pawn being 90.
    material: i16,
    /// Index of both kings.
    kings: u16,
    /// The sign of the board part of both kings.
    sign: f32,
    /// Index of both kings with each piece.
    with_piece: [u32; PIECES],
    /// The signs of their board parts, a bit each, set where it is negative.
    negative: u64,
}

/// The positions of one step.
#[derive(Debug)]
pub struct Batch {
    positions: Vec<Info>,
    /// The view of the side to move and that of the other side, for each position.
    views: Vec<[View; 2]>,
    /// The views of each king: twice the position, plus 1 for the other side.
    by_king: Vec<Vec<u32>>,
}

impl Batch {
    fn new() -> Self {
        Self { positions: Vec::new(), views: Vec::new(), by_king: vec![Vec::new(); KINGS] }
    }

    /// Replaces the content by these positions with their targets.
    fn fill(&mut self, samples: &[&Sample], target: impl Fn(&Sample) -> Target + Sync) {
        let prepare = |sample: &&Sample| prepared(sample, target(sample));
        let pairs = samples.par_iter().map(prepare);
        pairs.unzip_into_vecs(&mut self.positions, &mut self.views);
        for views in &mut self.by_king {
            views.clear();
        }
        for (position, views) in self.views.iter().enumerate() {
            for (side, view) in views.iter().enumerate() {
                self.by_king[usize::from(view.king)].push((2 * position + side) as u32);
            }
        }
    }
}

/// Signed piece values by piece code.
const MATERIAL: [i16; CODES] = {
    let mut values = [0; CODES];
    let mut index = 0;
    while index < Piece::ALL.len() {
        let piece = Piece::ALL[index];
        let value = piece_value(piece.kind()) as i16;
        values[piece.index()] = match piece.color() {
            Color::Black => value,
            Color::White => -value,
        };
        index += 1;
    }
    values
};

fn prepared(sample: &Sample, target: Target) -> (Info, [View; 2]) {
    let table = &*TABLE;
    let mut pieces = [(0, 0); MAX_ACTIVE];
    let (count, kings) = sample.on_board(&mut pieces);
    let mut numbers = [(); 2].map(|()| ArrayVec::<u16, MAX_ACTIVE>::new());
    let us = sample.side_to_move();
    let sides = [us, !us];
    let mut material = 0;
    for &(code, square) in &pieces[..count] {
        material += MATERIAL[code];
        for (numbers, side) in numbers.iter_mut().zip(sides) {
            let number = table.on_board[side.index()][code][square];
            if number != 0 {
                numbers.push(number);
            }
        }
    }
    for owner in Color::ALL {
        for kind in PieceType::HAND {
            let count = sample.in_hand(owner, kind);
            let value = piece_value(kind) as i16 * count as i16;
            material += if owner == Color::Black { value } else { -value };
            for (numbers, side) in numbers.iter_mut().zip(sides) {
                let first = table.in_hand[side.index()][owner.index()][kind.index()];
                numbers.extend((0..count as u16).map(|number| first + number));
            }
        }
    }
    let seen = |king: usize| match us {
        Color::Black => king,
        Color::White => rotated(king),
    };
    let own = seen(kings[us.index()]);
    let enemy = seen(kings[(!us).index()]);
    let pair = KingPair::new(own, enemy);
    let is_black = us == Color::Black;
    let mut info = Info {
        target,
        material: if is_black { material } else { -material },
        kings: pair.index as u16,
        sign: pair.sign(),
        with_piece: [0; PIECES],
        negative: 0,
    };
    for (at, &number) in numbers[0].iter().enumerate() {
        let (index, sign) = pair.with_piece(number.into());
        info.with_piece[at] = index as u32;
        info.negative |= u64::from(sign < 0.0) << at;
    }
    let views = [(own, &numbers[0]), (rotated(enemy), &numbers[1])];
    (info, views.map(|(king, numbers)| View::new(king, numbers)))
}

#[cfg(test)]
mod tests;
