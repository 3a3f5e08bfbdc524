//! Static exchange evaluation against a slow minimax with the same definition.
//!
//! The definition: each side in turn takes on the square with its least valuable attacker or stops;
//! promotions win nothing; rooks, bishops and lances behind pieces that took join in; pieces pinned
//! in the position stay out while a pinner stands on its square; a king takes only what is not
//! protected.

use raicho::position::Board;
use raicho::types::value::piece_value;
use raicho::types::{Color, Move, PieceType, Square, Value};

use super::walk;
use crate::common::{every_start, playouts};

/// Pinned pieces of one side and the enemy sliders that pin them, as the position stands.
#[derive(Default)]
struct Pins {
    pinned: Vec<Square>,
    pinners: Vec<Square>,
}

fn pins(board: &Board, color: Color) -> Pins {
    let mut pins = Pins::default();
    let Some(king) = board.king(color) else {
        return pins;
    };
    for sniper in enemies(board, color) {
        if walk::attacks(board, sniper, king, |at| board.piece_on(at).is_some()) {
            continue;
        }
        // A piece is pinned if the enemy would give check without it, and no other piece could be
        // missing instead.
        let screens = Square::ALL.into_iter().filter(|&screen| {
            let without = |at: Square| at != screen && board.piece_on(at).is_some();
            board.piece_on(screen).is_some() && walk::attacks(board, sniper, king, without)
        });
        let is_own = |screen: &Square| board.piece_on(*screen).unwrap().color() == color;
        for screen in screens.filter(is_own) {
            pins.pinned.push(screen);
            pins.pinners.push(sniper);
        }
    }
    pins
}

fn enemies(board: &Board, color: Color) -> impl Iterator<Item = Square> {
    board.color(!color).into_iter()
}

struct Exchange<'a> {
    board: &'a Board,
    to: Square,
    pins: &'a [Pins; 2],
}

impl Exchange<'_> {
    /// Squares from which `side` attacks the square while `gone` are empty.
    fn attackers(&self, side: Color, gone: &[Square]) -> Vec<Square> {
        let stands = |at: Square| self.board.piece_on(at).is_some() && !gone.contains(&at);
        let own = self.board.color(side).into_iter();
        let own = own.filter(|&from| stands(from) && from != self.to);
        own.filter(|&from| walk::attacks(self.board, from, self.to, stands)).collect()
    }

    /// What `side` wins at best by taking the piece of value `standing`, or by stopping.
    fn best(&self, side: Color, standing: Value, gone: &mut Vec<Square>) -> Value {
        let pins = &self.pins[side.index()];
        // The square of the exchange counts as left: what stood there has been taken.
        let holds = |pinner: &Square| *pinner != self.to && !gone.contains(pinner);
        let is_pinning = pins.pinners.iter().any(holds);
        let kind = |square: Square| self.board.piece_on(square).unwrap().kind();
        let value = |square: Square| match kind(square) {
            PieceType::King => Value::MAX,
            kind => piece_value(kind),
        };
        let takers = self.attackers(side, gone).into_iter();
        let takers = takers.filter(|from| !is_pinning || !pins.pinned.contains(from));
        let taker = takers.min_by_key(|&from| (value(from), kind(from), from.index()));
        let Some(from) = taker else { return 0 };
        if kind(from) == PieceType::King {
            let is_protected = !self.attackers(!side, gone).is_empty();
            return if is_protected { 0 } else { standing };
        }
        gone.push(from);
        let reply = self.best(!side, piece_value(kind(from)), gone);
        gone.pop();
        (standing - reply).max(0)
    }
}

/// The exact value of the exchange; `pins` are those of both colours on this board.
fn see(board: &Board, pins: &[Pins; 2], mv: Move) -> Value {
    let us = board.side_to_move();
    let to = mv.to();
    let exchange = Exchange { board, to, pins };
    let captured = board.piece_on(to);
    let captured = captured.map_or(0, |piece| piece_value(piece.kind()));
    let mut gone: Vec<Square> = mv.from().into_iter().collect();
    captured - exchange.best(!us, piece_value(mv.piece_before().kind()), &mut gone)
}

#[test]
fn thresholds_are_exact() {
    let (mut compared, mut losing, mut winning, mut pinned) = (0, 0, 0, 0);
    playouts(every_start(), 6, 120, |position, moves, random| {
        let pins = Color::ALL.map(|color| pins(position.board(), color));
        for &mv in moves {
            let is_capture = position.piece_on(mv.to()).is_some();
            if !is_capture && !random.one_in(8) {
                continue;
            }
            let exact = see(position.board(), &pins, mv);
            let far = random.below(4000) as Value - 2000;
            for threshold in [exact - 1, exact, exact + 1, 0, 1, far, -32_000, 32_000] {
                assert_eq!(
                    position.see_ge(mv, threshold),
                    exact >= threshold,
                    "{mv:?} is worth {exact}, asked {threshold}, in {position:?}"
                );
            }
            compared += 1;
            losing += usize::from(exact < 0);
            winning += usize::from(exact > 0);
            let blockers = |color| position.king_threats(color).blockers.is_any();
            pinned += usize::from(Color::ALL.into_iter().any(blockers));
        }
    });
    println!("{compared} moves: {losing} lose, {winning} win, {pinned} with pins");
    assert!(compared > 50_000 && losing > 5000 && winning > 5000 && pinned > 5000);
}

/// Cases of which each shows one clause of the definition: position, move, exact value.
#[test]
fn clauses_of_the_definition() {
    let [pawn, silver, gold, rook] =
        [PieceType::Pawn, PieceType::Silver, PieceType::Gold, PieceType::Rook].map(piece_value);
    let cases = cases! {
        "a free pawn", "4k4/9/9/9/4p4/4P4/9/9/4K4 b - 1", "5f5e" => pawn;
        "rook behind rook", "4k4/9/9/4g4/4p4/9/4R4/4R4/4K4 b - 1", "5g5e" => pawn + gold - rook;
        "promotion wins nothing", "k8/9/4p4/4P4/9/9/9/9/4K4 b - 1", "5d5c+" => pawn;
        "a king takes what is not protected", "9/9/4k4/4p4/4P4/9/9/9/4K4 b - 1", "5e5d" => 0;
        "a king does not take what is protected", "9/9/4k4/4p4/4P4/4L4/9/9/4K4 b - 1", "5e5d" =>
            pawn;
        "a pinned piece stays out", "4k4/4g4/3p5/3P5/9/9/4R4/9/4K4 b - 1", "6d6c" => pawn;
        "a pinned piece joins in once its pinner has been taken on the square",
        "4k4/4gs3/4R4/4P4/9/9/9/9/4K4 w - 1",
        "4b5c" =>
            rook + pawn - silver;
    };
    for (name, sfen, text, exact) in cases {
        let position = crate::common::position(sfen);
        let mv = crate::common::legal_move(&position, text);
        let pins = Color::ALL.map(|color| pins(position.board(), color));
        let reference = see(position.board(), &pins, mv);
        assert_eq!(reference, exact, "{name}: the reference");
        assert!(position.see_ge(mv, exact), "{name}");
        assert!(!position.see_ge(mv, exact + 1), "{name}");
    }
}
