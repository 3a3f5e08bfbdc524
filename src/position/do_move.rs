//! Making and undoing moves, with incremental keys, material and king threats.

use super::base::Position;
use super::material::{capture_gain, promotion_gain};
use super::state::State;
use crate::types::{Color, Key64, Move, for_side};

impl Position {
    /// Makes a move, which must be legal.
    pub fn do_move(&mut self, mv: Move) {
        debug_assert!(
            self.pseudo_legal(mv) && self.legal(mv),
            "{mv:?} in {}",
            self.to_sfen()
        );
        for_side!(self.side_to_move(), |us| self.do_move_of(us, mv));
    }

    #[inline(always)]
    fn do_move_of(&mut self, us: Color, mv: Move) {
        let before = self.state();
        let mut board_key = before.board_key.flipped();
        let mut hand_key = before.key;
        hand_key -= before.board_key;
        let plies_from_null = before.plies_from_null + 1;
        let mut consecutive_checks = before.consecutive_checks;

        let mut structure = before.structure;
        let (material_before, mut gain) = (before.material, 0);

        let captured = self.board.apply(mv);
        board_key += Key64::of_piece(mv.piece(), mv.to());
        structure.add(mv.piece(), mv.to());
        match mv.from() {
            None => hand_key -= Key64::of_hand(us, mv.piece().kind()),
            Some(from) => {
                board_key -= Key64::of_piece(mv.piece_before(), from);
                structure.remove(mv.piece_before(), from);
                if let Some(captured) = captured {
                    board_key -= Key64::of_piece(captured, mv.to());
                    structure.remove(captured, mv.to());
                    hand_key += Key64::of_hand(us, captured.kind().unpromoted());
                    gain += capture_gain(captured.kind());
                }
                if mv.is_promotion() {
                    gain += promotion_gain(mv.piece().kind());
                }
            }
        }
        let material = match us {
            Color::Black => material_before + gain,
            Color::White => material_before - gain,
        };
        debug_assert_eq!(material, self.board.material());

        let before = &self.state().threats;
        let threats_to_them = self
            .board
            .threats_by(!us, mv, &before[us.opponent().index()]);
        let threats_to_us = self.board.threats_left(us, mv, &before[us.index()]);
        debug_assert_eq!(threats_to_us, self.board.king_threats(us));
        debug_assert_eq!(threats_to_them, self.board.king_threats(!us));
        let checks = &mut consecutive_checks[us.index()];
        *checks = if threats_to_them.checkers.is_any() {
            *checks + 1
        } else {
            0
        };
        let threats = match us {
            Color::Black => [threats_to_us, threats_to_them],
            Color::White => [threats_to_them, threats_to_us],
        };
        self.push(State {
            key: board_key + hand_key,
            board_key,
            structure,
            threats,
            material,
            hand: self.board.hand(!us),
            last_move: Some(mv),
            captured,
            plies_from_null,
            consecutive_checks,
        });
    }

    /// Takes back the last move.
    ///
    /// # Panics
    /// Panics where the last move was a null move or none has been made.
    pub fn undo_move(&mut self) {
        let state = self.pop();
        let mv = state.last_move.expect("undo_move follows do_move");
        self.board.revert(mv, state.captured);
    }

    /// Makes a null move. Repetitions do not look back across it.
    pub fn do_null_move(&mut self) {
        debug_assert!(!self.in_check(), "no null move in check");
        let them = self.side_to_move().opponent();
        self.board.set_side_to_move(them);
        let before = self.state();
        let state = State {
            key: before.key.flipped(),
            board_key: before.board_key.flipped(),
            structure: before.structure,
            threats: before.threats,
            material: before.material,
            hand: self.board.hand(them),
            last_move: None,
            captured: None,
            plies_from_null: 0,
            consecutive_checks: [0; Color::NUM],
        };
        self.push(state);
    }

    /// Takes back a null move.
    pub fn undo_null_move(&mut self) {
        let state = self.pop();
        debug_assert!(state.last_move.is_none());
        self.board.set_side_to_move(self.side_to_move().opponent());
    }

    fn push(&mut self, state: State) {
        self.seen.add(state.board_key.low64());
        self.states.push(state);
    }

    fn pop(&mut self) -> State {
        let state = self.states.pop().expect("a move was made");
        self.seen.remove(state.board_key.low64());
        state
    }
}
