//! What made cuts before: counter moves and histories, owned by one thread.
//!
//! Histories hold the running balance of a move: each update pulls the entry towards the bonus and never beyond the
//! limit ("gravity", from Stockfish).

use crate::types::{Color, Depth, Move, Piece, PieceType, Square};

use super::tunables::{history_bonus, history_bonus_max, history_bonus_offset};

/// No entry of a history is larger.
pub(super) const HISTORY_LIMIT: i32 = 16_384;

/// Origins on the board and the seven kinds in hand.
const ORIGINS: usize = Square::NUM + PieceType::HAND.len();

/// The tables of one thread.
pub(super) struct Histories {
    // [side][origin and target]
    butterfly: [Box<[i16]>; Color::NUM],
    // [piece after the move][target][captured kind]
    captures: Box<[[[i16; PieceType::NUM]; Square::NUM]]>,
    // [piece][target] of the move that is answered
    counter_moves: Box<[[Option<Move>; Square::NUM]]>,
}

impl Histories {
    pub(super) fn new() -> Self {
        Self {
            butterfly: Color::ALL.map(|_| vec![0; ORIGINS * Square::NUM].into_boxed_slice()),
            captures: vec![[[0; PieceType::NUM]; Square::NUM]; Piece::NUM].into_boxed_slice(),
            counter_moves: vec![[None; Square::NUM]; Piece::NUM].into_boxed_slice(),
        }
    }

    /// How well a quiet move did.
    #[inline(always)]
    pub(super) fn quiet(&self, mv: Move) -> i32 {
        let side = mv.piece().color();
        i32::from(self.butterfly[side.index()][mv.from_to_index()])
    }

    /// How well a capture did.
    #[inline(always)]
    pub(super) fn capture(&self, mv: Move, captured: PieceType) -> i32 {
        i32::from(self.captures[mv.piece().index()][mv.to().index()][captured.index()])
    }

    /// What refuted a move.
    #[inline(always)]
    pub(super) fn counter_move(&self, last: Option<Move>) -> Option<Move> {
        let last = last?;
        self.counter_moves[last.piece().index()][last.to().index()]
    }

    pub(super) fn set_counter_move(&mut self, last: Move, answer: Move) {
        self.counter_moves[last.piece().index()][last.to().index()] = Some(answer);
    }

    pub(super) fn update_quiet(&mut self, mv: Move, bonus: i32) {
        let side = mv.piece().color();
        pull(&mut self.butterfly[side.index()][mv.from_to_index()], bonus);
    }

    pub(super) fn update_capture(&mut self, mv: Move, captured: PieceType, bonus: i32) {
        let entries = &mut self.captures[mv.piece().index()][mv.to().index()];
        pull(&mut entries[captured.index()], bonus);
    }
}

/// The bonus of a move that made a cut at `depth`.
pub(super) fn bonus(depth: Depth) -> i32 {
    (history_bonus() * depth - history_bonus_offset()).clamp(0, history_bonus_max())
}

#[inline(always)]
fn pull(entry: &mut i16, bonus: i32) {
    let old = i32::from(*entry);
    *entry = (old + bonus - old * bonus.abs() / HISTORY_LIMIT) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_stay_within_the_limit() {
        let mut entry = 0;
        let near_limit = HISTORY_LIMIT * 9 / 10..=HISTORY_LIMIT;
        for sign in [1, -1] {
            for _ in 0..1000 {
                pull(&mut entry, sign * history_bonus_max());
            }
            assert!(near_limit.contains(&(sign * i32::from(entry))));
        }
    }
}
