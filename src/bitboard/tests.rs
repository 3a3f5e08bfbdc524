//! Every attack function against a walk over the board.

use super::*;
use crate::types::{Color, File, Square};

fn walk(from: Square, occupied: Bitboard, steps: &[(i32, i32)]) -> Bitboard {
    let mut attacks = Bitboard::EMPTY;
    for &(files, ranks) in steps {
        let mut next = from.offset(files, ranks);
        while let Some(to) = next {
            attacks |= Bitboard::of(to);
            if occupied.contains(to) {
                break;
            }
            next = to.offset(files, ranks);
        }
    }
    attacks
}

/// A few thousand occupations from sparse to dense.
fn occupations() -> impl Iterator<Item = Bitboard> {
    let mut seed = 1u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed ^ seed >> 29
    };
    (0..600).map(move |round| {
        let mut set =
            Bitboard::from_bits(u128::from(random()) << 64 | u128::from(random())) & Bitboard::ALL;
        for _ in 0..round % 4 {
            set &= Bitboard::from_bits(u128::from(random()) << 64 | u128::from(random()));
        }
        set
    })
}

#[test]
fn sliders_equal_a_walk() {
    let rook = [(0, -1), (0, 1), (-1, 0), (1, 0)];
    let bishop = [(-1, -1), (1, 1), (1, -1), (-1, 1)];
    for occupied in occupations().chain([Bitboard::EMPTY, Bitboard::ALL]) {
        for square in Square::ALL {
            let walk = |steps: &[(i32, i32)]| walk(square, occupied, steps);
            assert_eq!(rook_attacks(square, occupied), walk(&rook));
            assert_eq!(bishop_attacks(square, occupied), walk(&bishop));
            for color in Color::ALL {
                let step = rook[color.index()];
                assert_eq!(lance_attacks(color, square, occupied), walk(&[step]));
            }
        }
    }
}

#[test]
fn sliders_on_the_empty_board_are_the_lines() {
    for square in Square::ALL {
        let empty = Bitboard::EMPTY;
        assert_eq!(rook_attacks(square, empty), rook_lines(square));
        assert_eq!(bishop_attacks(square, empty), bishop_lines(square));
    }
}

#[test]
fn set_algebra_and_iteration() {
    for set in occupations() {
        let squares: Vec<Square> = set.into_iter().collect();
        assert_eq!(squares.len(), set.count());
        assert_eq!(squares.iter().copied().collect::<Bitboard>(), set);
        assert_eq!(squares.first().copied(), set.first());
        assert!(squares.is_sorted());
        let mut folded = Vec::new();
        set.into_iter().for_each(|square| folded.push(square));
        assert_eq!(folded, squares);
        assert_eq!((!set).count(), 81 - squares.len());
        assert_eq!(set.has_several(), squares.len() > 1);
        assert!((set - Bitboard::ALL).is_empty() && !set == Bitboard::ALL - set);
    }
}

#[test]
fn shifts_equal_offsets_square_by_square() {
    let shifted = |set: Bitboard, files, ranks| -> Bitboard {
        set.into_iter().filter_map(|square| square.offset(files, ranks)).collect()
    };
    for set in occupations() {
        assert_eq!(set.forward(Color::Black), shifted(set, 0, -1));
        assert_eq!(set.forward(Color::White), shifted(set, 0, 1));
        assert_eq!(set.left(), shifted(set, 1, 0));
        assert_eq!(set.right(), shifted(set, -1, 0));
    }
}

#[test]
fn fill_files_marks_whole_files() {
    for set in occupations().map(|set| set & Bitboard::from_bits(0x1111_1111_1111_1111_1111)) {
        let files = File::ALL.map(Bitboard::file).into_iter();
        let files = files.filter(|&file| set.intersects(file));
        let expected = files.fold(Bitboard::EMPTY, |all, file| all | file);
        assert_eq!(set.fill_files(), expected);
    }
}

#[test]
fn between_and_line_agree_with_a_walk() {
    for a in Square::ALL {
        for b in Square::ALL {
            let on_line = (rook_lines(a) | bishop_lines(a)).contains(b);
            assert_eq!(line(a, b).is_any(), on_line);
            assert_eq!(line(a, b).contains(b), on_line);
            let is_between = |&c: &Square| {
                let blocked = Bitboard::of(c);
                let reached = rook_attacks(a, blocked) | bishop_attacks(a, blocked);
                on_line && c != a && c != b && !reached.contains(b)
            };
            let expected = Square::ALL.into_iter().filter(is_between).collect();
            assert_eq!(between(a, b), expected, "{a} {b}");
        }
    }
    assert!(is_aligned(Square::S55, Square::S11, Square::S99));
    assert!(!is_aligned(Square::S55, Square::S11, Square::S19));
}

#[test]
fn steps_of_both_colours_are_rotations() {
    let rotated = |set: Bitboard| -> Bitboard { set.into_iter().map(Square::rotated).collect() };
    for square in Square::ALL {
        for attacks in [pawn_attacks, knight_attacks, silver_attacks, gold_attacks] {
            let black = rotated(attacks(Color::Black, square.rotated()));
            assert_eq!(attacks(Color::White, square), black);
        }
    }
    assert_eq!(knight_attacks(Color::Black, Square::S55).count(), 2);
    assert_eq!(silver_attacks(Color::Black, Square::S55).count(), 5);
    assert_eq!(gold_attacks(Color::White, Square::S55).count(), 6);
    assert_eq!(king_attacks(Square::S11).count(), 3);
}
