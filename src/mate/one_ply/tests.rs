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
