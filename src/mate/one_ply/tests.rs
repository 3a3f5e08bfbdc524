//! Against brute force over random games: claims are mates, and few mates are missed.

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

/// Every position of 400 random games, with its legal moves.
fn random_games(mut look: impl FnMut(&mut Position, &[Move])) {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..400 {
        let mut position: Position = Position::startpos();
        for _ in 0..300 {
            let moves = legal_moves(&position);
            if moves.is_empty() {
                break;
            }
            look(&mut position, &moves);
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            position.do_move(moves[random as usize % moves.len()]);
        }
    }
}

#[test]
fn claims_are_mates_and_few_are_missed() {
    let (mut mates, mut found) = (0, 0);
    random_games(|position, _| {
        let claimed = mate_in_one(position);
        if position.in_check() {
            return;
        }
        let all = brute_force(position);
        mates += usize::from(!all.is_empty());
        found += usize::from(claimed.is_some());
        if let Some(mv) = claimed {
            assert!(all.contains(&mv), "{mv} in {}", position.to_sfen());
        }
    });
    assert!(mates > 100, "{mates} mates seen");
    assert!(found * 100 >= mates * 85, "{found} of {mates} mates found");
}

/// Conclusions from the board agree with the generated answers, and most checks are concluded.
#[test]
fn the_board_agrees_with_the_generated_answers() {
    let (mut checks, mut told, mut mates) = (0, 0, 0);
    random_games(|position, moves| {
        for &mv in moves {
            if !position.gives_check(mv) {
                continue;
            }
            checks += 1;
            if let Some(is_mate) = is_mate_on_board(position, mv) {
                told += 1;
                mates += usize::from(is_mate);
                let sfen = position.to_sfen();
                assert_eq!(is_mate, has_no_answer(position, mv), "{mv} in {sfen}");
            }
        }
    });
    assert!(mates > 100, "{mates} mates seen");
    assert!(told * 100 >= checks * 80, "{told} of {checks} checks");
}

#[test]
fn mates_are_told_from_the_board() {
    let from_board = |sfen: &str, usi: &str| -> Option<bool> {
        let position: Position = Position::from_sfen(sfen).expect("a position");
        let mv = usi.parse().ok().and_then(|mv| position.to_move(mv));
        is_mate_on_board(&position, mv.expect("a move"))
    };
    // A gold that nothing can take, one that the silver takes, one that a pinned silver cannot
    // take.
    assert_eq!(
        from_board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"),
        Some(true)
    );
    assert_eq!(
        from_board("3sk4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"),
        Some(false)
    );
    assert_eq!(from_board("R2sk4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"), None);
    // A rook from afar: with a gold in hand, and with only a pawn, which might not be dropped.
    let narrow = |hands: &str| format!("3lkl3/3p1p3/9/9/9/9/9/9/4K4 b {hands} 1");
    assert_eq!(from_board(&narrow("Rg"), "R*5e"), Some(false));
    assert_eq!(from_board(&narrow("R"), "R*5b"), Some(false));
    assert_eq!(from_board(&narrow("R"), "R*5c"), Some(true));
    assert_eq!(from_board(&narrow("Rp"), "R*5e"), None);
    // The move leaves a line to the king: it checks twice.
    assert_eq!(
        from_board("4k4/3g5/4G4/9/4R4/9/9/9/4K4 b g 1", "5c6b"),
        None
    );
}
