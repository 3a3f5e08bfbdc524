//! Any 32 and 16 bits as a move, after any walk from the start position: possible exactly where the
//! generator lists it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::types::{Move, Move16};

fuzz_target!(|input: (Vec<u8>, Vec<u32>)| {
    let (walk, values) = input;
    let mut position = Position::startpos();
    for choice in walk {
        let moves = legal_moves(&position);
        if moves.is_empty() {
            break;
        }
        position.do_move(moves[usize::from(choice) % moves.len()]);
    }
    let legal = legal_moves(&position);
    for value in values {
        let wide = Move::from_bits(value).filter(|&mv| position.is_legal(mv));
        assert_eq!(
            wide.is_some(),
            legal.iter().any(|mv| mv.to_bits() == value),
            "{value:x}"
        );
        let stored = Move16::from_bits(value as u16)
            .and_then(|mv| position.legal_move(mv));
        let listed = legal
            .iter()
            .find(|mv| mv.to_move16().to_bits() == value as u16);
        assert_eq!(stored.as_ref(), listed, "{value:x}");
    }
});
