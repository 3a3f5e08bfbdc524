//! Against brute force over random games: what is claimed is mate, and little is missed.

use super::*;
use crate::movegen::legal_moves;

fn brute_force(position: &mut Position) -> Vec<Move> {
    let mut mates = Vec::new();
    for mv in legal_moves(position) {
        position.do_move(mv);
        if position.in_check() && legal_moves(position).is_empty() {
            mates.push(mv);
        }
        position.undo_move();
    }
    mates
}

#[test]
fn claims_are_mates_and_few_are_missed() {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let (mut mates, mut found) = (0, 0);
    for _ in 0..400 {
        let mut position: Position = Position::startpos();
        for _ in 0..300 {
            let moves = legal_moves(&position);
            if moves.is_empty() {
                break;
            }
            let claimed = mate_in_one(&mut position);
            if !position.in_check() {
                let all = brute_force(&mut position);
                mates += usize::from(!all.is_empty());
                found += usize::from(claimed.is_some());
                for &mv in &all {
                    let sfen = position.to_sfen();
                    assert!(!has_plain_answer(&position, mv), "{mv} in {sfen}");
                }
                if let Some(mv) = claimed {
                    assert!(all.contains(&mv), "{mv} in {}", position.to_sfen());
                }
            }
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            position.do_move(moves[random as usize % moves.len()]);
        }
    }
    assert!(mates > 100, "{mates} mates seen");
    assert!(found * 100 >= mates * 85, "{found} of {mates} mates found");
}

#[test]
fn plain_answers_are_seen() {
    let answered = |sfen: &str, usi: &str| {
        let position: Position = Position::from_sfen(sfen).expect("a position");
        let mv = usi.parse().ok().and_then(|mv| position.to_move(mv));
        has_plain_answer(&position, mv.expect("a move"))
    };
    // A gold that nothing but the king can take, one that the silver takes, one that a pinned silver cannot take.
    assert!(!answered("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"));
    assert!(answered("3sk4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"));
    assert!(!answered("R2sk4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"));
    // A rook from afar: with a gold in hand, and with only a pawn, which might not be dropped.
    assert!(answered("4k4/9/9/9/9/9/9/9/4K4 b Rg 1", "R*5e"));
    assert!(!answered("4k4/9/9/9/9/9/9/9/4K4 b Rp 1", "R*5e"));
    // The move leaves a line to the king: it may check twice.
    assert!(!answered("4k4/3g5/4G4/9/9/9/9/9/4K4 b g 1", "5c5b"));
}
