//! A training position in memory: 48 bytes, which expand to active features quickly and without
//! allocation.

use std::sync::LazyLock;

use arrayvec::ArrayVec;
use bytemuck::{Pod, Zeroable};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::loss::Target;
use crate::eval::nnue::{
    COARSE_ZONES, FeatureSet, features_in_hand, features_on_board, king_bucket,
};
use crate::eval::{Evaluator, ThreadEvaluator};
use crate::types::value::piece_value;
use crate::types::{Bound, Color, File, Move, MoveList, Piece, PieceType, Rank, Square, Value};
use crate::{eval::nnue::output_buckets::game_phase, movegen::captures, position::Position};

/// Number of features of one side in a zone of the own king.
pub(super) const FEATURES: usize = FeatureSet::Raicho.count();

/// Most active features of one side: all pieces of a set.
pub(super) const MAX_ACTIVE: usize = 40;

/// Indices of the active features of one side.
pub(super) type ActiveFeatures = [u16; MAX_ACTIVE];

/// What is known besides the score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    /// The position of a game.
    Game {
        /// Its result for the side to move: 1 win, 0 draw, -1 loss.
        result: i8,
    },
    /// The inner node of a search.
    Tree {
        /// Whether the score is exact or a bound.
        bound: Bound,
        /// Depth of the search, 0 to 127 plies.
        depth: u8,
    },
}

impl Label {
    /// The label for the other side to move.
    #[must_use]
    pub(super) const fn flipped(self) -> Self {
        match self {
            Self::Game { result } => Self::Game { result: -result },
            Self::Tree { bound, depth } => Self::Tree { bound: bound.flipped(), depth },
        }
    }
}

/// A position with the score of a search and its [`Label`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Sample {
    /// Bit n is set where square n is occupied. From bit [`WHITE_TO_MOVE`] of the last word on:
    /// side to move, bound (0 for the position of a game) and output bucket.
    board: [u32; 3],
    /// Counts in the hands of black and white, at the bits of [`hand_shift`].
    hands: [u32; Color::NUM],
    /// Codes of the pieces on the board in the order of their squares, five bits each, eight per
    /// group.
    pieces: [[u8; GROUP_BYTES]; MAX_ACTIVE / GROUP],
    /// The result of the game, or the depth of the search.
    result_or_depth: i8,
    score: i16,
}

const _: () = assert!(size_of::<Sample>() == 48);

/// Pieces per group; a group fills whole bytes.
const GROUP: usize = 8;
const GROUP_BYTES: usize = 5;
const PIECE_BITS: usize = 5;

/// Bit positions in the last word of the board.
const WHITE_TO_MOVE: u32 = 20;
const BOUND: u32 = 21;
const BUCKET: u32 = 24;

const WORD: usize = u32::BITS as usize;

/// Bit position of the count of a piece type: four bits each, five for pawns at the top.
const fn hand_shift(kind: PieceType) -> u32 {
    28 - 4 * kind.index() as u32
}

impl Sample {
    /// Packs a position with the score of a search, in units of 1/90 pawn, and its label, both for
    /// the side to move. Depths above 127 become 127. `None` where a king is missing.
    pub fn new(position: &Position, score: i16, label: Label) -> Option<Self> {
        position.king(Color::Black)?;
        position.king(Color::White)?;
        let (bound, result_or_depth) = match label {
            Label::Game { result } => (0, result),
            Label::Tree { bound, depth } => (bound as u32, depth.min(i8::MAX as u8) as i8),
        };
        let mut sample = Self {
            board: [0; 3],
            hands: Color::ALL.map(|owner| {
                let hand = position.hand(owner);
                let bits = PieceType::HAND.map(|kind| hand.count(kind) << hand_shift(kind));
                bits.into_iter().fold(0, |all, bits| all | bits)
            }),
            pieces: Zeroable::zeroed(),
            result_or_depth,
            score,
        };
        let mut groups = [0_u64; MAX_ACTIVE / GROUP];
        for (number, square) in position.board().occupied().into_iter().enumerate() {
            let square_number = square.index();
            sample.board[square_number / WORD] |= 1 << (square_number % WORD);
            let code = position.piece_on(square).map_or(0, Piece::index) as u64;
            groups[number / GROUP] |= code << (number % GROUP * PIECE_BITS);
        }
        for (bytes, group) in sample.pieces.iter_mut().zip(groups) {
            bytes.copy_from_slice(&group.to_le_bytes()[..GROUP_BYTES]);
        }
        let white_to_move = u32::from(position.side_to_move() == Color::White);
        sample.board[2] |= white_to_move << WHITE_TO_MOVE
            | bound << BOUND
            | (game_phase(position) as u32) << BUCKET;
        Some(sample)
    }

    /// The score for the side to move, in units of 1/90 pawn.
    pub fn score(&self) -> i16 {
        self.score
    }

    /// What is known besides the score.
    pub fn label(&self) -> Label {
        let value = self.result_or_depth;
        match Bound::from_bits((self.board[2] >> BOUND) as u8) {
            None => Label::Game { result: value },
            Some(bound) => Label::Tree { bound, depth: value as u8 },
        }
    }

    /// The result of the game for the side to move: 1 win, 0 draw, -1 loss; `None` for the inner
    /// node of a search.
    pub fn result(&self) -> Option<i8> {
        match self.label() {
            Label::Game { result } => Some(result),
            Label::Tree { .. } => None,
        }
    }

    /// The side to move in the packed position.
    pub fn side_to_move(&self) -> Color {
        if self.board[2] >> WHITE_TO_MOVE & 1 == 0 { Color::Black } else { Color::White }
    }

    /// The output bucket of the position.
    pub(super) fn bucket(&self) -> usize {
        (self.board[2] >> BUCKET) as usize
    }

    /// Writes the active features of both sides in one of our own sets, the side to move first, and
    /// returns their number per side.
    pub(super) fn features(&self, set: FeatureSet, to: &mut [ActiveFeatures; 2]) -> usize {
        let table = &*TABLE;
        let mut pieces = [(0, 0); MAX_ACTIVE];
        let (count, kings) = self.on_board(&mut pieces);
        let us = self.side_to_move();
        let mut active = count;
        for (side, to) in [us, !us].into_iter().zip(to) {
            let (is_mirrored, zone) = table.kings[side.index()][kings[side.index()]];
            let zone = match set {
                FeatureSet::Raicho12 => zone,
                FeatureSet::Raicho4 => COARSE_ZONES[usize::from(zone)] as u16,
                _ => 0,
            };
            let on_board = &table.on_board[usize::from(is_mirrored)][side.index()];
            for (to, &(code, square)) in to.iter_mut().zip(&pieces[..count]) {
                *to = on_board[code * Square::NUM + square];
            }
            active = count + self.features_in_hand(side, &mut to[count..]);
            if zone > 0 {
                for feature in &mut to[..active] {
                    *feature += zone * FEATURES as u16;
                }
            }
        }
        active
    }

    /// Writes code and square of each piece on the board, and returns their number and the squares
    /// of the kings of black and white.
    pub(super) fn on_board(
        &self,
        pieces: &mut [(usize, usize); MAX_ACTIVE],
    ) -> (usize, [usize; Color::NUM]) {
        let mut kings = [0; Color::NUM];
        let mut count = 0;
        for (number, mut word) in self.board_words().into_iter().enumerate() {
            while word != 0 {
                let square = number * WORD + word.trailing_zeros() as usize;
                word &= word - 1;
                let code = self.code(count);
                pieces[count] = (code, square);
                if code == BLACK_KING {
                    kings[Color::Black.index()] = square;
                } else if code == WHITE_KING {
                    kings[Color::White.index()] = square;
                }
                count += 1;
            }
        }
        (count, kings)
    }

    /// Number of pieces of a type in the hand of a side.
    pub(super) fn in_hand(&self, owner: Color, kind: PieceType) -> u32 {
        let mask = if kind == PieceType::Pawn { 31 } else { 15 };
        self.hands[owner.index()] >> hand_shift(kind) & mask
    }

    fn features_in_hand(&self, side: Color, to: &mut [u16]) -> usize {
        let mut active = 0;
        for owner in Color::ALL {
            if self.hands[owner.index()] == 0 {
                continue;
            }
            let first = &TABLE.in_hand[side.index()][owner.index()];
            for kind in PieceType::HAND {
                for number in 0..self.in_hand(owner, kind) as u16 {
                    to[active] = first[kind.index()] + number;
                    active += 1;
                }
            }
        }
        active
    }

    fn board_words(&self) -> [u32; 3] {
        let [first, second, third] = self.board;
        [first, second, third & ((1 << (Square::NUM - 2 * WORD)) - 1)]
    }

    /// The code of the `number`-th (from 0) piece on the board.
    fn code(&self, number: usize) -> usize {
        let mut group = [0; size_of::<u64>()];
        group[..GROUP_BYTES].copy_from_slice(&self.pieces[number / GROUP]);
        (u64::from_le_bytes(group) >> (number % GROUP * PIECE_BITS)) as usize % CODES
    }
}

/// One more than the largest code of a piece.
pub(super) const CODES: usize = 1 << PIECE_BITS;
const BLACK_KING: usize = Piece::new(Color::Black, PieceType::King).index();
const WHITE_KING: usize = Piece::new(Color::White, PieceType::King).index();

/// Lookup tables of what the functions for single features compute.
struct Table {
    /// `[side][square of its king]`: whether files are mirrored, and the zone of twelve.
    kings: [[(bool, u16); Square::NUM]; Color::NUM],
    /// `[mirrored][side][code of the piece and square]`
    on_board: [[Vec<u16>; Color::NUM]; 2],
    /// The feature of the first piece in hand, `[side][owner][piece type]`; those of further pieces
    /// follow it.
    in_hand: [[[u16; 8]; Color::NUM]; Color::NUM],
}

static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

impl Table {
    fn new() -> Self {
        let bucket = |square, side| king_bucket(FeatureSet::Raicho, square, side);
        let on_board = |file, side| {
            let bucket = bucket(Square::new(file, Rank::Rank5), side);
            let mut features = vec![0; CODES * Square::NUM];
            for piece in Piece::ALL {
                for square in Square::ALL {
                    let found = features_on_board(FeatureSet::Raicho, bucket, side, piece, square);
                    features[piece.index() * Square::NUM + square.index()] = found[0] as u16;
                }
            }
            features
        };
        let in_hand = |side, owner| {
            let bucket = bucket(Square::S59, side);
            let mut features = [0; 8];
            for kind in PieceType::HAND {
                let found = features_in_hand(FeatureSet::Raicho, bucket, side, kind, 1, owner);
                features[kind.index()] = found[0] as u16;
            }
            features
        };
        // A king on file 1 of its own side, and one on file 9.
        let on_board_of = |side: Color| match side {
            Color::Black => [on_board(File::File1, side), on_board(File::File9, side)],
            Color::White => [on_board(File::File9, side), on_board(File::File1, side)],
        };
        let [[black, black_mirrored], [white, white_mirrored]] = Color::ALL.map(on_board_of);
        let king = |square, side| {
            let bucket = king_bucket(FeatureSet::Raicho12, square, side);
            (bucket.is_mirrored, bucket.index as u16)
        };
        Self {
            kings: Color::ALL.map(|side| Square::ALL.map(|square| king(square, side))),
            on_board: [[black, white], [black_mirrored, white_mirrored]],
            in_hand: Color::ALL.map(|side| Color::ALL.map(|owner| in_hand(side, owner))),
        }
    }
}

// --- Chunks of a batch ---
//
// A part of a batch, prepared for the network: the active features of each position, and the
// transpose, the positions of each feature.
//
// The forward pass sums the weights of the features of a position; the backward pass sums the
// gradients of the positions of a feature. Both are the same gather loop, and no two threads write
// to the same sum.

/// Positions in a chunk. Small enough that the sums of one block of columns stay in the cache of a
/// core (256 KB).
pub(super) const CHUNK: usize = 1024;

/// Views in a chunk: position n has the view 2n of the side to move and 2n + 1 of the other side.
pub(super) const VIEWS: usize = 2 * CHUNK;

const _: () = assert!(VIEWS <= 1 << u16::BITS);

/// Up to [`CHUNK`] positions of a batch. The allocations are reused.
#[derive(Debug)]
pub struct Chunk {
    feature_set: FeatureSet,
    features: Vec<[ActiveFeatures; 2]>,
    positions: Vec<PositionInfo>,
    /// Index into [`Self::views`] of the first view of each feature, and the end of the last one.
    starts: Vec<u32>,
    views: Vec<u16>,
}

/// What is known of a position besides its features.
#[derive(Clone, Copy, Debug)]
pub(super) struct PositionInfo {
    /// Active features of each side.
    active: u8,
    /// The output bucket of the position.
    pub(super) bucket: u8,
    /// The target of the output.
    pub(super) target: Target,
}

impl Chunk {
    /// A chunk without positions, for one of our own feature sets.
    pub(super) fn new(feature_set: FeatureSet) -> Self {
        Self {
            feature_set,
            features: Vec::with_capacity(CHUNK),
            positions: Vec::with_capacity(CHUNK),
            starts: vec![0; feature_set.count() + 1],
            views: Vec::with_capacity(VIEWS * MAX_ACTIVE),
        }
    }

    /// Replaces the content by up to [`CHUNK`] positions.
    pub(super) fn fill<'a>(
        &mut self,
        samples: impl Iterator<Item = &'a Sample>,
        target: impl Fn(&Sample) -> Target,
    ) {
        self.features.clear();
        self.positions.clear();
        let mut features = [[0; MAX_ACTIVE]; 2];
        for sample in samples.take(CHUNK) {
            let active = sample.features(self.feature_set, &mut features);
            self.features.push(features);
            self.positions.push(PositionInfo {
                active: active as u8,
                bucket: sample.bucket() as u8,
                target: target(sample),
            });
        }
        self.transpose();
    }

    /// Sorts the views by their features (counting sort).
    fn transpose(&mut self) {
        let (starts, views) = (&mut self.starts, &mut self.views);
        starts.fill(0);
        for (features, info) in self.features.iter().zip(&self.positions) {
            for &feature in features.iter().flat_map(|side| &side[..info.active.into()]) {
                starts[usize::from(feature) + 1] += 1;
            }
        }
        let mut total = 0;
        for start in starts.iter_mut() {
            total += *start;
            *start = total;
        }
        views.resize(total as usize, 0);
        // The start of each feature advances to its end, which is the start of the next one.
        let positions = self.features.iter().zip(&self.positions);
        for (position, (features, info)) in positions.enumerate() {
            for (side, features) in features.iter().enumerate() {
                for &feature in &features[..info.active.into()] {
                    let place = &mut starts[usize::from(feature)];
                    views[*place as usize] = (2 * position + side) as u16;
                    *place += 1;
                }
            }
        }
        starts.rotate_right(1);
        starts[0] = 0;
    }

    /// Number of positions in the chunk.
    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Number of features of one side, active or not.
    #[inline(always)]
    pub(super) fn feature_count(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn positions(&self) -> &[PositionInfo] {
        &self.positions
    }

    /// The active features of a position, of the side to move (0) or the other side (1).
    #[inline(always)]
    pub(super) fn features(&self, position: usize, side: usize) -> &[u16] {
        &self.features[position][side][..self.positions[position].active.into()]
    }

    /// The views in which a feature is active, in ascending order.
    #[inline(always)]
    pub(super) fn views(&self, feature: usize) -> &[u16] {
        &self.views[self.starts[feature] as usize..self.starts[feature + 1] as usize]
    }
}

// --- Which positions are selected ---
//
// The filter of training positions. A network evaluates quiet positions; tactical ones are left to
// the search, or replaced by their quiet leaf: the end of the principal variation of a quiescence
// search.
//
// That search evaluates material, so the leaf does not depend on a network. The idea is that of
// tanuki-'s `shuffle_kifu`: where data are scarce, tactical positions are resolved instead of
// skipped.

/// What is done with positions in which a capture or a promotion was played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, ValueEnum)]
pub enum Tactical {
    /// Leave them out
    #[default]
    Drop,
    /// Use them like all others
    Keep,
    /// Use the position at the end of the best captures instead
    Leaf,
}

/// Conditions on training positions: options of `raicho learn`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, Args)]
pub struct Filter {
    /// Maximum score of a position, in units in which a pawn is 90.
    #[arg(skip = Self::default().eval_limit)]
    pub eval_limit: u16,

    /// Treatment of positions in which a capture or a promotion was played
    #[arg(long, value_enum, default_value_t)]
    pub tactical: Tactical,
}

impl Default for Filter {
    fn default() -> Self {
        Self { eval_limit: 3000, tactical: Tactical::Drop }
    }
}

/// Why a position is skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reason {
    Score,
    Check,
    Tactical,
    NoKing,
}

/// Counts of the positions read, by what was done with them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Games read, as `gensfen` counts them: consecutive parts of one game count once. Formats of
    /// single positions have none.
    pub games: u64,
    /// The held-out ones of these games.
    pub held_out_games: u64,
    /// Positions with a score that were read.
    pub positions: u64,
    /// The inner nodes of searches among them.
    pub tree_positions: u64,
    /// Positions that are used, for training or held out.
    pub kept: u64,
    /// Skipped positions by reason.
    left_out: [u64; Self::REASONS.len()],
}

impl Counts {
    const REASONS: [(Reason, &'static str); 4] = [
        (Reason::Score, "score beyond the limit"),
        (Reason::Check, "in check"),
        (Reason::Tactical, "capture or promotion"),
        (Reason::NoKing, "no king"),
    ];

    /// The number of skipped positions for each reason.
    pub fn left_out(&self) -> impl Iterator<Item = (u64, &'static str)> {
        Self::REASONS.iter().map(|&(reason, name)| (self.left_out[reason as usize], name))
    }

    pub(super) fn count(&mut self, verdict: Result<(), Reason>) {
        self.positions += 1;
        match verdict {
            Ok(()) => self.kept += 1,
            Err(reason) => self.left_out[reason as usize] += 1,
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.held_out_games += other.held_out_games;
        self.positions += other.positions;
        self.tree_positions += other.tree_positions;
        self.kept += other.kept;
        for (sum, count) in self.left_out.iter_mut().zip(other.left_out) {
            *sum += count;
        }
    }
}

impl Filter {
    /// Whether a position is used as it is, or why not. `mv` is the move played in it, `None` for a
    /// declaration; `score` is in units of 1/90 pawn.
    pub(super) fn judge(
        self,
        position: &Position,
        mv: Option<Move>,
        score: i32,
    ) -> Result<(), Reason> {
        if score.unsigned_abs() > self.eval_limit.into() {
            return Err(Reason::Score);
        }
        if position.in_check() {
            return Err(Reason::Check);
        }
        let is_tactical = mv.is_some_and(|mv| is_tactical(position, mv));
        if self.tactical != Tactical::Keep && is_tactical {
            return Err(Reason::Tactical);
        }
        Ok(())
    }
}

fn is_tactical(position: &Position, mv: Move) -> bool {
    mv.is_promotion() || position.piece_on(mv.to()).is_some()
}

/// Most captures in a line.
const MAX_PLIES: usize = 16;

/// The captures from a position to its leaf; empty where no capture wins material.
pub(super) type Line = ArrayVec<Move, MAX_PLIES>;

/// The line from `position`, which must not be in check, to its leaf. The position is restored.
pub(super) fn line_to_leaf(position: &mut Position) -> Line {
    let mut search = Search { position, evaluator: Evaluator::Material.for_thread() };
    let mut line = Line::new();
    search.quiesce(-Value::MAX, Value::MAX, MAX_PLIES, &mut line);
    line
}

struct Search<'a> {
    position: &'a mut Position,
    evaluator: ThreadEvaluator,
}

impl Search<'_> {
    /// Alpha-beta over captures with SEE of at least 0.
    fn quiesce(&mut self, alpha: Value, beta: Value, plies: usize, line: &mut Line) -> Value {
        line.clear();
        let mut best = self.evaluator.evaluate(self.position);
        if best >= beta || plies == 0 || self.position.in_check() {
            return best;
        }
        let mut alpha = alpha.max(best);
        for mv in self.good_captures() {
            self.position.do_move(mv);
            let mut rest = Line::new();
            let value = -self.quiesce(-beta, -alpha, plies - 1, &mut rest);
            self.position.undo_move();
            if value <= best {
                continue;
            }
            best = value;
            if value > alpha {
                alpha = value;
                line.clear();
                line.push(mv);
                line.extend(rest);
            }
            if value >= beta {
                break;
            }
        }
        best
    }

    /// Legal captures with SEE of at least 0, the most valuable victims first.
    fn good_captures(&self) -> MoveList {
        let position = &*self.position;
        let mut moves = MoveList::new();
        captures::<false>(position, &mut moves);
        moves.retain(|mv| position.legal(*mv) && position.see_ge(*mv, 0));
        let gain =
            |mv: &Move| position.piece_on(mv.to()).map_or(0, |piece| -piece_value(piece.kind()));
        moves.sort_by_key(gain);
        moves
    }
}

#[cfg(test)]
mod filter_tests {
    use super::*;
    use crate::movegen::legal_moves;

    fn judged(filter: Filter, sfen: &str, mv: &str, score: i32) -> Result<(), Reason> {
        let position: Position = Position::from_sfen(sfen).expect("a good position");
        let moves = legal_moves(&position);
        let mv = moves.iter().find(|found| found.to_string() == mv);
        filter.judge(&position, mv.copied(), score)
    }

    #[test]
    fn quiet_positions_are_kept() {
        let filter = Filter::default();
        let open = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b -";
        let at = |ply: u32| format!("{open} {ply}");
        assert_eq!(judged(filter, &at(20), "2g2f", 55), Ok(()));
        assert_eq!(judged(filter, &at(20), "8h2b", 55), Err(Reason::Tactical));
        assert_eq!(judged(filter, &at(20), "8h2b+", 55), Err(Reason::Tactical));
        assert_eq!(judged(filter, &at(20), "2g2f", -3001), Err(Reason::Score));
        assert_eq!(judged(filter, &at(20), "2g2f", 3000), Ok(()));
        let check = "4k4/9/9/9/9/9/4r4/9/4K4 b G 30";
        assert_eq!(judged(filter, check, "G*5h", 0), Err(Reason::Check));
        let mut keep = filter;
        keep.tactical = Tactical::Keep;
        assert_eq!(judged(keep, &at(20), "8h2b+", 55), Ok(()));
    }

    fn line(sfen: &str) -> Vec<String> {
        let mut position = Position::from_sfen(sfen).expect("a good position");
        let line = line_to_leaf(&mut position);
        assert_eq!(position.to_sfen(), sfen);
        line.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn exchanges_are_played_out() {
        // Nothing to take.
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        assert_eq!(line(start), [""; 0]);
        // A rook for nothing.
        assert_eq!(line("4k4/9/9/4r4/9/9/4L4/9/4K4 b - 1"), ["5g5d"]);
        // A guarded pawn is not taken by a rook.
        assert_eq!(line("4k4/4g4/4p4/9/9/9/4R4/9/3K5 b - 1"), [""; 0]);
        // The pawn takes the silver, and is taken.
        let taken = line("4k4/9/4g4/4s4/4P4/9/9/9/4K4 b - 1");
        assert_eq!(taken, ["5e5d", "5c5d"]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::active_features;

    /// A table whose first column holds positions.
    const POSITIONS: &str = include_str!("../../../tests/data/nnue_evaluations.tsv");

    #[test]
    fn features_are_those_of_the_network() {
        let lines = POSITIONS.lines().filter(|line| !line.starts_with('#'));
        let mut compared = 0;
        for line in lines.skip(1) {
            let sfen = line.split('\t').next().unwrap_or_default();
            let position = Position::from_sfen(sfen).expect("a good position");
            let us = position.side_to_move();
            let label = Label::Game { result: 1 };
            let sample = Sample::new(&position, -321, label).expect("two kings");
            let mut found = [[0; MAX_ACTIVE]; 2];
            let mut count = 0;
            for set in [FeatureSet::Raicho12, FeatureSet::Raicho4, FeatureSet::Raicho] {
                count = sample.features(set, &mut found);
                for (side, found) in [us, !us].into_iter().zip(&found) {
                    let found = found[..count].iter().copied().map(u32::from);
                    let mut found: Vec<u32> = found.collect();
                    let expected = active_features(set, &position, side);
                    let mut expected = expected.expect("a king").to_vec();
                    found.sort_unstable();
                    expected.sort_unstable();
                    assert_eq!(found, expected, "{set:?} {sfen}");
                }
            }
            assert_eq!(sample.bucket(), game_phase(&position));
            assert_eq!(sample.side_to_move(), us);
            assert_eq!((sample.score(), sample.label()), (-321, label));
            for bound in [Bound::Upper, Bound::Lower, Bound::Exact] {
                let label = Label::Tree { bound, depth: 9 };
                let of_tree = Sample::new(&position, -321, label).expect("two kings");
                assert_eq!((of_tree.score(), of_tree.label()), (-321, label));
                assert_eq!(of_tree.bucket(), sample.bucket());
                assert_eq!(of_tree.side_to_move(), us);
                assert_eq!(of_tree.features(FeatureSet::Raicho, &mut found), count);
            }
            compared += 1;
        }
        assert!(compared >= 200);
    }

    #[test]
    fn a_king_is_needed() {
        let position = Position::from_sfen("4k4/9/9/9/9/9/9/9/9 b G 1").expect("a good position");
        assert_eq!(Sample::new(&position, 0, Label::Game { result: 0 }), None);
    }
}
