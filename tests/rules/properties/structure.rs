//! Keys of parts of the position: each tells its own part apart and depends on nothing else.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use raicho::bitboard::king_attacks;
use raicho::position::Position;
use raicho::types::{Color, Piece, Square};

use crate::common::{TWO_KINGS, every_start, playouts};

/// Which key each value of a part has, and the other way round.
struct Pairs<Part> {
    by_part: HashMap<Part, u32>,
    by_key: HashMap<u32, Part>,
}

impl<Part: Clone + Debug + Eq + Hash> Pairs<Part> {
    fn new() -> Self {
        Self { by_part: HashMap::new(), by_key: HashMap::new() }
    }

    /// One key for each part, and one part for each key: with some ten thousand parts two of 2^32
    /// keys hardly ever meet.
    fn check(&mut self, part: &Part, key: u32) {
        let first_key = *self.by_part.entry(part.clone()).or_insert(key);
        assert_eq!(first_key, key, "{part:?}");
        let first_part = &*self.by_key.entry(key).or_insert_with(|| part.clone());
        assert_eq!(first_part, part, "key {key}");
    }
}

/// The king and the own pieces around it.
fn castle(position: &Position, color: Color) -> Vec<(Square, Piece)> {
    let Some(king) = position.king(color) else {
        return Vec::new();
    };
    let pieces = Square::ALL
        .into_iter()
        .filter(|&square| square == king || king_attacks(king).contains(square))
        .filter_map(|square| Some((square, position.piece_on(square)?)));
    pieces.filter(|(_, piece)| piece.color() == color).collect()
}

#[test]
fn a_castle_is_told_by_the_king_and_its_pieces_around_it() {
    let mut castles = [Pairs::new(), Pairs::new()];
    let positions = playouts(every_start(), 20, 120, |position, _, _| {
        for color in Color::ALL {
            let key = position.castle_keys()[color.index()];
            castles[color.index()].check(&castle(position, color), key);
        }
    });
    let kinds = castles.map(|pairs| pairs.by_part.len());
    println!("{kinds:?} castles in {positions} positions");
    let is_many = |&kinds: &usize| kinds > 500 && kinds < positions / 2;
    assert!(kinds.iter().all(is_many));
}

#[test]
fn a_move_that_touches_no_castle_leaves_the_keys() {
    let (mut touching, mut others) = (0, 0);
    playouts(every_start(), 3, 100, |position, moves, _| {
        let before = position.castle_keys();
        let mut after = position.clone();
        for &mv in moves {
            after.do_move(mv);
            if after.last_move_touches_castles() {
                touching += 1;
            } else {
                others += 1;
                let keys = after.castle_keys();
                assert_eq!(keys, before, "{mv} in {}", position.to_sfen());
            }
            after.undo_move();
        }
    });
    assert!(touching > 1000 && others > 1000, "{touching}, {others}");
}

#[test]
fn hands_are_told_by_what_both_sides_hold() {
    let mut hands = Pairs::new();
    let positions = playouts(TWO_KINGS, 10, 120, |position, _, _| {
        let held = Color::ALL.map(|color| position.hand(color));
        hands.check(&held, position.hand_key());
    });
    let kinds = hands.by_part.len();
    println!("{kinds} pairs of hands in {positions} positions");
    assert!(kinds > 500 && kinds < positions);
}

#[test]
fn keys_of_parts_are_those_of_the_position_set_up_anew() {
    playouts(every_start(), 3, 100, |position, _, _| {
        let sfen = position.to_sfen();
        let anew: Position = Position::from_sfen(&sfen).expect("a position writes a good sfen");
        let keys = |position: &Position| {
            (
                position.pawn_key(),
                position.minor_piece_key(),
                Color::ALL.map(|color| position.non_pawn_key(color)),
                position.castle_keys(),
                position.hand_key(),
            )
        };
        assert_eq!(keys(position), keys(&anew), "{sfen}");
    });
}
