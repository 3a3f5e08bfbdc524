//! Mirrored and inverse weights are equal to the last bit.

use super::*;
use crate::eval::kppt::{number_in_hand, number_on_board};
use crate::types::{Color, Piece, PieceType, Square};
use crate::{eval::kppt::scalar::Weights, train::learn::data::Data, train::learn::kppt::TABLE};

/// Piece numbers with the piece, its square and the number it has in a mirror and for the other
/// side, by the definition.
fn pieces() -> Vec<(usize, usize, usize)> {
    let mut found = Vec::new();
    for piece in Piece::ALL {
        if piece.kind() == PieceType::King {
            continue;
        }
        for square in Square::ALL {
            let number = |square, side| number_on_board(piece, square, side) as usize;
            let mirror = mirror(square.index());
            found.push((
                number(square, Color::Black),
                number(Square::ALL[mirror], Color::Black),
                number(square, Color::White),
            ));
        }
    }
    for kind in PieceType::HAND {
        let seen = Color::ALL.map(|side| number_in_hand(kind, 1, Color::Black, side) as usize);
        found.push((seen[0], seen[0], seen[1]));
    }
    found
}

fn negative([board, turn]: [i32; 2]) -> [i32; 2] {
    [-board, turn]
}

#[test]
fn ties_hold_exactly() {
    let positions = positions(60, 3);
    let samples: Vec<Sample> = positions.iter().map(|(_, sample)| *sample).collect();
    let data = Data { training: samples, ..Data::default() };
    let mut learner = Learner::new(settings(), &data).expect("good settings");
    // Odd fractions, which do not add up exactly.
    for _ in 0..7 {
        learner.step().expect("positions in memory");
    }
    let pieces = pieces();
    for (number, mirrored, inverse) in &pieces {
        assert_eq!(usize::from(TABLE.mirrored[*number]), *mirrored);
        assert_eq!(usize::from(TABLE.inverse[*number]), *inverse);
    }
    let folded = learner.folded();
    let (mut of_pairs, mut of_pieces) = (0, 0);
    for index in 0..60_000 {
        let pick = |salt: u64, count: usize| mixed(index * 5 + salt) as usize % count;
        let (black, white) = (pick(0, 81), pick(1, 81));
        let one = pieces[pick(2, pieces.len())];
        let other = pieces[pick(3, pieces.len())];
        if one.0 == other.0 {
            continue;
        }
        let pair = folded.kpp(black, one.0, other.0);
        assert_eq!(pair, folded.kpp(black, other.0, one.0));
        assert_eq!(pair, folded.kpp(mirror(black), one.1, other.1));
        of_pairs += usize::from(pair != [0; 2]);
        let piece = folded.kkp(black, white, one.0);
        assert_eq!(piece, folded.kkp(mirror(black), mirror(white), one.1));
        let inverse = folded.kkp(80 - white, 80 - black, one.2);
        assert_eq!(piece, negative(inverse));
        of_pieces += usize::from(piece != [0; 2]);
        let kings = folded.kk(black, white);
        assert_eq!(kings, folded.kk(mirror(black), mirror(white)));
        assert_eq!(kings, negative(folded.kk(80 - white, 80 - black)));
        assert_eq!(folded.kk(black, 80 - black)[0], 0);
    }
    assert!(of_pairs > 5000 && of_pieces > 1000, "{of_pairs}, {of_pieces}");
}
