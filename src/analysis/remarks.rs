//! What can be said about a move besides its loss: facts that a search, the mate solver or a static
//! exchange shows, and the pieces that change hands along a line.

use std::fmt::Display;

use serde::{Serialize, Serializer};

use super::{Line, PositionAnalysis, win_chance};
use crate::position::Position;
use crate::types::value::{PAWN_VALUE, piece_value};
use crate::types::{Color, Move, PieceType, Score, Square};

/// A fact about a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// The other side threatened mate in this number of plies (詰めろ), and now mates.
    OverlooksThreat(i32),
    /// The other side mates now in this number of plies, without having threatened it.
    AllowsMate(i32),
    /// The best answer takes a piece of the mover, the exchange loses two pawns or more, and the
    /// line that follows does not win it back.
    Hangs {
        /// The piece that is taken.
        #[serde(serialize_with = "as_letter")]
        piece: PieceType,
        /// Where it stands.
        #[serde(serialize_with = "as_text")]
        square: Square,
        /// Whether nothing was taken for it, and nothing can take back.
        free: bool,
    },
    /// The best answer threatens mate in this number of plies, which nothing parries (必至).
    AllowsBrinkmate(i32),
    /// The best move would have threatened mate in this number of plies, and nothing parries it.
    MissesBrinkmate(i32),
    /// The move threatens mate in this number of plies (詰めろ).
    ThreatensMate(i32),
    /// The move threatens mate in this number of plies, and nothing parries it (必至).
    Brinkmate(i32),
    /// The only move that kept the win chance (好手): the second best loses this many percent.
    OnlyMove(u32),
}

/// Loss of win chance of the second best move from which the best is [`Remark::OnlyMove`].
const ONLY_MOVE: f64 = 0.10;
/// What an exchange must lose for [`Remark::Hangs`].
const HANGING: i32 = 2 * PAWN_VALUE;
/// Moves of a line along which pieces are counted: the end of a line means little.
const COUNTED_MOVES: usize = 12;

/// The move `played` in `position`, with the analysis of both sides of it.
pub(super) struct Played<'a> {
    pub(super) position: &'a Position,
    pub(super) mv: Move,
    pub(super) before: &'a PositionAnalysis,
    pub(super) after: &'a PositionAnalysis,
}

impl Played<'_> {
    /// What is said about the move. Whether it is a mistake matters for what it gave away.
    pub(super) fn remarks(&self, is_best: bool, is_mistake: bool) -> Vec<Remark> {
        let was_lost = matches!(self.before.score(), Score::Mate(plies) if plies <= 0);
        let mated = self.after.mate.filter(|_| !was_lost && is_mistake);
        let mated = mated.map(|plies| match self.before.threat {
            Some(_) => Remark::OverlooksThreat(plies),
            None => Remark::AllowsMate(plies),
        });
        let mistake = |threat: Option<i32>| threat.filter(|_| is_mistake);
        let brinkmate = || mistake(self.after.brinkmate).map(Remark::AllowsBrinkmate);
        let hanging = || self.hanging().filter(|_| is_mistake);
        let loses = mated.or_else(brinkmate).or_else(hanging);
        let misses = mistake(self.before.brinkmate).filter(|_| !self.after.at_brink);
        let misses = misses.map(Remark::MissesBrinkmate);
        let threat = if self.after.at_brink { Remark::Brinkmate } else { Remark::ThreatensMate };
        let threatens = self.after.threat.map(threat);
        let only = self.only_move().filter(|_| is_best);
        [loses, misses, threatens, only].into_iter().flatten().collect()
    }

    /// The piece that the best answer wins by a static exchange and that is lost along the line.
    fn hanging(&self) -> Option<Remark> {
        let taken = self.position.piece_on(self.mv.to()).map(|taken| piece_value(taken.kind()));
        let mut position = self.position.clone();
        position.do_move(self.mv);
        let answer = *self.after.lines.first()?.moves(&position).first()?;
        let piece = position.piece_on(answer.to())?.kind();
        let [_, played] = self.material();
        let is_lost = played.lost.contains(piece.unpromoted().letter());
        if !is_lost || !position.see_ge(answer, taken.unwrap_or(0) + HANGING) {
            return None;
        }
        position.do_move(answer);
        let took_it = taken.is_some() && answer.to() == self.mv.to();
        let free = !took_it && !is_attacked_by_mover(&position, answer.to());
        Some(Remark::Hangs { piece, square: answer.to(), free })
    }

    /// Whether the best move was the only one. To take back is no discovery.
    fn only_move(&self) -> Option<Remark> {
        let [first, second, ..] = &self.before.lines[..] else {
            return None;
        };
        let is_recapture = self.position.last_move().is_some_and(|last| last.to() == self.mv.to());
        let lost = win_chance(first.score) - win_chance(second.score);
        let is_only = lost >= ONLY_MOVE && !is_recapture;
        is_only.then_some(Remark::OnlyMove((100.0 * lost).round() as u32))
    }

    /// The pieces that change hands for the mover along the best line, and along the move that was
    /// played with the best line after it.
    pub(super) fn material(&self) -> [Material; 2] {
        let line = |line: Option<&Line>, position: &Position| {
            line.map(|line| line.moves(position)).unwrap_or_default()
        };
        let mut after = self.position.clone();
        after.do_move(self.mv);
        let better = line(self.before.lines.first(), self.position);
        let mut played = vec![self.mv];
        played.extend(line(self.after.lines.first(), &after));
        [better, played].map(|line| Material::along(self.position, &line))
    }
}

/// The pieces that change hands along a line, for the side that moves first: what both sides took
/// is cancelled out. Letters of SFEN, the most valuable first; promoted pieces count as plain ones.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Material {
    /// What this side takes.
    pub won: String,
    /// What is taken from it.
    pub lost: String,
}

impl Material {
    /// Counts along the first [`COUNTED_MOVES`]. The last capture counts only if nothing can take
    /// back.
    fn along(start: &Position, moves: &[Move]) -> Self {
        let mut balance = [0_i32; PieceType::NUM];
        let us = start.side_to_move();
        let mut position = start.clone();
        let counted = moves.len().min(COUNTED_MOVES);
        for (index, &mv) in moves[..counted].iter().enumerate() {
            let taken = position.piece_on(mv.to());
            let sign = if position.side_to_move() == us { 1 } else { -1 };
            position.do_move(mv);
            let is_open = index + 1 == counted && is_attacked_by_mover(&position, mv.to());
            if let Some(taken) = taken.filter(|_| !is_open) {
                balance[taken.kind().unpromoted().index()] += sign;
            }
        }
        let letters = |sign: i32| {
            let mut kinds: Vec<_> = PieceType::ALL.into_iter().collect();
            kinds.sort_by_key(|&kind| -piece_value(kind));
            let count = |kind: PieceType| (sign * balance[kind.index()]).max(0) as usize;
            kinds.into_iter().map(|kind| kind.letter().to_string().repeat(count(kind))).collect()
        };
        Self { won: letters(1), lost: letters(-1) }
    }
}

/// Whether the side to move attacks a square.
fn is_attacked_by_mover(position: &Position, square: Square) -> bool {
    let board = position.board();
    board.attackers(square, board.occupied()).intersects(board.color(position.side_to_move()))
}

/// How both sides stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// 互角.
    Even,
    /// 有利.
    Better(Color),
    /// 優勢.
    ClearlyBetter(Color),
    /// 勝勢.
    Winning(Color),
}

impl Standing {
    /// By a score of black: from 300, 800 and 2000.
    pub const fn of(black: Score) -> Self {
        let (size, is_black) = match black {
            Score::Cp(centipawns) => (centipawns.abs(), centipawns > 0),
            Score::Mate(plies) => (i32::MAX, plies > 0),
        };
        let leader = if is_black { Color::Black } else { Color::White };
        match size {
            2000.. => Self::Winning(leader),
            800.. => Self::ClearlyBetter(leader),
            300.. => Self::Better(leader),
            _ => Self::Even,
        }
    }
}

fn as_letter<K, S>(kind: &K, serializer: S) -> Result<S::Ok, S::Error>
where
    K: Copy + Into<PieceType>,
    S: Serializer,
{
    let kind: PieceType = (*kind).into();
    let sign = if kind.is_promoted() { "+" } else { "" };
    serializer.collect_str(&format_args!("{sign}{}", kind.letter()))
}

fn as_text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}
