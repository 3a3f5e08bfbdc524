//! The order of moves, in stages, so that a cut saves generating the rest.
//!
//! Every move that comes out is legal and comes out once. Moves that were remembered from elsewhere (table, killers,
//! counter move) are proved legal before anything else is done with them.

use arrayvec::ArrayVec;

use crate::bitboard::Bitboard;
use crate::movegen;
use crate::position::Position;
use crate::types::value::piece_value;
use crate::types::{MAX_MOVES, Move, MoveList, Piece, PieceType};

use super::audit;
use super::history::{HISTORY_LIMIT, Histories};
use super::node::KILLERS;

/// Captures that lose by exchange wait in a list of this size; more are tried at once.
const MAX_BAD_CAPTURES: usize = 64;
/// Weight of the captured piece's value against the history of a capture.
const VICTIM_WEIGHT: i32 = 16;
/// Captures come before all quiet evasions.
const EVASION_CAPTURE_BONUS: i32 = 4 * HISTORY_LIMIT;
/// Killers and the counter move.
const REMEMBERED: usize = KILLERS + 1;

/// Where moves come from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stage {
    TableMove,
    GenerateCaptures,
    GoodCaptures,
    Remembered,
    GenerateQuiets,
    Quiets,
    BadCaptures,
    GenerateEvasions,
    Evasions,
    GenerateTactical,
    Tactical,
}

#[derive(Clone, Copy)]
struct ScoredMove {
    score: i32,
    mv: Move,
}

/// Gives the moves of one node, the most promising first.
pub(super) struct MovePicker {
    stage: Stage,
    next_stage: Stage,
    table_move: Option<Move>,
    remembered: [Option<Move>; REMEMBERED],
    remembered_next: usize,
    moves: ArrayVec<ScoredMove, MAX_MOVES>,
    next: usize,
    bad_captures: ArrayVec<Move, MAX_BAD_CAPTURES>,
    bad_next: usize,
    skips_quiets: bool,
    all_moves: bool,
}

impl MovePicker {
    /// All moves. `table_move` is legal; `remembered` are killers and the counter move, unproved. `all_moves` includes the
    /// senseless non-promotions.
    #[inline(always)]
    pub(super) fn new(
        position: &Position,
        table_move: Option<Move>,
        remembered: [Option<Move>; REMEMBERED],
        all_moves: bool,
    ) -> Self {
        let next_stage = if position.in_check() {
            Stage::GenerateEvasions
        } else {
            Stage::GenerateCaptures
        };
        // Not by `..`: the lists are large, and are not to be copied.
        let mut picker = Self::starting(table_move, next_stage, all_moves);
        picker.remembered = remembered;
        picker
    }

    /// Quiescence: evasions in check, otherwise captures and promotions of pawns.
    #[inline(always)]
    pub(super) fn tactical(position: &Position, table_move: Option<Move>, all_moves: bool) -> Self {
        if position.in_check() {
            return Self::starting(table_move, Stage::GenerateEvasions, all_moves);
        }
        let table_move = table_move.filter(|&mv| is_tactical(position, mv));
        Self::starting(table_move, Stage::GenerateTactical, all_moves)
    }

    #[inline(always)]
    fn starting(table_move: Option<Move>, next_stage: Stage, all_moves: bool) -> Self {
        Self {
            stage: if table_move.is_some() {
                Stage::TableMove
            } else {
                next_stage
            },
            next_stage,
            table_move,
            remembered: [None; REMEMBERED],
            remembered_next: 0,
            moves: ArrayVec::new(),
            next: 0,
            bad_captures: ArrayVec::new(),
            bad_next: 0,
            skips_quiets: false,
            all_moves,
        }
    }

    /// From now on only captures.
    #[inline(always)]
    pub(super) fn skip_quiets(&mut self) {
        self.skips_quiets = true;
    }

    /// Where the move that came last came from.
    #[inline(always)]
    pub(super) fn stage(&self) -> Stage {
        self.stage
    }

    /// The next move, legal, or `None` after the last.
    pub(super) fn next(&mut self, position: &Position, histories: &Histories) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = self.next_stage;
                    return self.table_move;
                }
                Stage::GenerateCaptures => {
                    self.add_captures(position, histories);
                    self.stage = Stage::GoodCaptures;
                }
                Stage::GoodCaptures => match self.next_legal(position) {
                    Some(mv) if position.see_ge(mv, 0) => return Some(mv),
                    Some(mv) => {
                        if self.bad_captures.try_push(mv).is_err() {
                            return Some(mv);
                        }
                    }
                    None => self.stage = Stage::Remembered,
                },
                Stage::Remembered => match self.next_remembered(position) {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::GenerateQuiets,
                },
                Stage::GenerateQuiets => {
                    if !self.skips_quiets {
                        self.add_quiets(position, histories);
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets if self.skips_quiets => self.stage = Stage::BadCaptures,
                Stage::Quiets => match self.next_legal(position) {
                    Some(mv) if self.remembered.contains(&Some(mv)) => {}
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::BadCaptures,
                },
                Stage::BadCaptures => {
                    let mv = self.bad_captures.get(self.bad_next).copied();
                    self.bad_next += 1;
                    return mv;
                }
                Stage::GenerateEvasions => {
                    self.add_evasions(position, histories);
                    self.stage = Stage::Evasions;
                }
                Stage::GenerateTactical => {
                    self.add_captures(position, histories);
                    self.add_pawn_promotions(position);
                    self.stage = Stage::Tactical;
                }
                Stage::Evasions | Stage::Tactical => return self.next_legal(position),
            }
        }
    }

    /// The legal move with the best score among those generated.
    #[inline]
    fn next_legal(&mut self, position: &Position) -> Option<Move> {
        loop {
            let rest = self.moves.get_mut(self.next..)?;
            let (mut best, first) = (0, rest.first()?);
            let mut best_score = first.score;
            for (index, candidate) in rest.iter().enumerate().skip(1) {
                if candidate.score > best_score {
                    (best, best_score) = (index, candidate.score);
                }
            }
            rest.swap(0, best);
            let mv = rest[0].mv;
            self.next += 1;
            if Some(mv) != self.table_move && position.legal(mv) {
                return Some(mv);
            }
        }
    }

    /// The next killer or counter move that is a legal quiet move here.
    fn next_remembered(&mut self, position: &Position) -> Option<Move> {
        while self.remembered_next < REMEMBERED {
            let index = self.remembered_next;
            self.remembered_next += 1;
            let Some(mv) = self.remembered[index] else {
                continue;
            };
            let is_new = Some(mv) != self.table_move
                && !self.remembered[..index].contains(&Some(mv))
                && position.piece_on(mv.to()).is_none();
            if is_new && !self.skips_quiets && position.pseudo_legal(mv) && position.legal(mv) {
                audit::legal(position, &[mv], "killer or counter move");
                return Some(mv);
            }
            // Left for the quiet moves, where it may be legal but unknown to their stage otherwise.
            self.remembered[index] = None;
        }
        None
    }

    #[inline(always)]
    fn push(&mut self, mv: Move, score: i32) {
        self.moves.push(ScoredMove { score, mv });
    }

    fn add_captures(&mut self, position: &Position, histories: &Histories) {
        let mut list = MoveList::new();
        if self.all_moves {
            movegen::captures::<true, 1>(position, &mut list);
        } else {
            movegen::captures::<false, 1>(position, &mut list);
        }
        for mv in list {
            self.push(mv, capture_score(position, histories, mv));
        }
    }

    fn add_quiets(&mut self, position: &Position, histories: &Histories) {
        let mut list = MoveList::new();
        if self.all_moves {
            movegen::quiets::<true, 1>(position, &mut list);
        } else {
            movegen::quiets::<false, 1>(position, &mut list);
        }
        self.moves.clear();
        self.next = 0;
        for mv in list {
            self.push(mv, histories.quiet(mv) + promotion_gain(mv) * VICTIM_WEIGHT);
        }
    }

    fn add_evasions(&mut self, position: &Position, histories: &Histories) {
        let mut list = MoveList::new();
        if self.all_moves {
            movegen::evasions::<true, 1>(position, &mut list);
        } else {
            movegen::evasions::<false, 1>(position, &mut list);
        }
        for mv in list {
            let score = if position.piece_on(mv.to()).is_some() {
                // The cheapest piece takes.
                EVASION_CAPTURE_BONUS + capture_score(position, histories, mv)
                    - piece_value(mv.piece_before().kind())
            } else {
                histories.quiet(mv)
            };
            self.push(mv, score);
        }
    }

    /// Pawns that step into the enemy's camp or within it.
    fn add_pawn_promotions(&mut self, position: &Position) {
        let board = position.board();
        let us = board.side_to_move();
        let pawns = board.pieces(us, PieceType::Pawn);
        let targets = (pawns.forward(us) & Bitboard::promotion_zone(us)) - board.occupied();
        for to in targets {
            let Some(from) = Bitboard::of(to).forward(!us).first() else {
                continue;
            };
            let mv = Move::promotion(from, to, Piece::new(us, PieceType::ProPawn));
            self.push(mv, promotion_gain(mv) * VICTIM_WEIGHT);
        }
    }
}

/// Whether quiescence looks at a move out of check.
fn is_tactical(position: &Position, mv: Move) -> bool {
    position.piece_on(mv.to()).is_some()
        || mv.is_promotion() && mv.piece().kind() == PieceType::ProPawn
}

/// What a promotion adds to the value of the piece.
#[inline(always)]
pub(super) fn promotion_gain(mv: Move) -> i32 {
    if mv.is_promotion() {
        piece_value(mv.piece().kind()) - piece_value(mv.piece_before().kind())
    } else {
        0
    }
}

#[inline(always)]
fn capture_score(position: &Position, histories: &Histories, mv: Move) -> i32 {
    let Some(captured) = position.piece_on(mv.to()) else {
        return 0;
    };
    let victim = piece_value(captured.kind());
    (victim + promotion_gain(mv)) * VICTIM_WEIGHT + histories.capture(mv, captured.kind())
}
