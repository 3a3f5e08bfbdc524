//! Move lists against `haitaka`, an independent generator, over random playouts.
//!
//! Its conventions: iterating over a set of moves yields every promotion and every non-promotion
//! that the rules allow, useless ones too, so the lists compare one to one. It differs in some
//! pawn drops, each checked for what it is: it asks only about one square, and not in check,
//! whether the drop mates, so that it lets some mates through; and it looks at ranks alone, so that
//! it refuses drops that leave the other side no move on the board without giving check.

use std::collections::BTreeSet;

use crate::common::{Random, TWO_KINGS, position, random_move, texts};
use raicho::movegen::legal_moves;
use raicho::position::Position;

#[derive(Default, Debug)]
struct Counts {
    games: usize,
    positions: usize,
    moves: usize,
    drops: usize,
    in_check: usize,
    promotions: usize,
    mates_let_through: usize,
    stalemates_refused: usize,
}

/// The texts of the moves, sorted.
fn moves_of(board: &haitaka::Board) -> Vec<String> {
    let mut moves = Vec::new();
    board.generate_moves(|set| {
        moves.extend(set.into_iter().map(|mv| mv.to_string()));
        false
    });
    moves.sort_unstable();
    moves
}

/// What the pawn dropped by `text` leads to: whether it gives check, and whether the other side has
/// a move on the board.
fn after_drop(board: &haitaka::Board, text: &str) -> (bool, bool) {
    let mut board = board.clone();
    board.play_unchecked(text.parse().unwrap());
    let has_board_moves = board.generate_board_moves(|_| true);
    (!board.checkers().is_empty(), has_board_moves)
}

fn compare(position: &Position, oracle: &haitaka::Board, counts: &mut Counts) {
    let legal = legal_moves(position);
    let ours = texts(legal.iter().copied());
    let is_twice = ours.windows(2).any(|pair| pair[0] == pair[1]);
    assert!(!is_twice, "a move twice in {position:?}");
    let theirs = moves_of(oracle);
    if ours != theirs {
        compare_pawn_drops(position, oracle, &ours, &theirs, counts);
    }
    assert_eq!(position.in_check(), !oracle.checkers().is_empty());
    counts.positions += 1;
    counts.moves += legal.len();
    counts.drops += legal.iter().filter(|mv| mv.is_drop()).count();
    counts.promotions += legal.iter().filter(|mv| mv.is_promotion()).count();
    counts.in_check += usize::from(position.in_check());
}

/// Panics unless the lists differ only in pawn drops that the oracle is known to judge wrongly.
fn compare_pawn_drops(
    position: &Position,
    oracle: &haitaka::Board,
    ours: &[String],
    theirs: &[String],
    counts: &mut Counts,
) {
    let [ours, theirs] = [ours, theirs].map(|moves| moves.iter().collect::<BTreeSet<_>>());
    for text in ours.symmetric_difference(&theirs) {
        assert!(text.starts_with("P*"), "{text} in {position:?}");
        let (gives_check, has_board_moves) = after_drop(oracle, text);
        // Blocking the check of a pawn next to the king is not possible, so no drop can answer this
        // one.
        assert!(!has_board_moves, "{text} in {position:?}");
        assert_eq!(gives_check, theirs.contains(text), "{text} in {position:?}");
        if gives_check {
            counts.mates_let_through += 1;
        } else {
            counts.stalemates_refused += 1;
        }
    }
}

fn play(start: &str, seed: u64, plies: usize, counts: &mut Counts) {
    let random = &mut Random(seed);
    let mut position = position(start);
    let mut oracle = haitaka::Board::from_sfen(start).unwrap();
    for _ in 0..plies {
        compare(&position, &oracle, counts);
        let moves = legal_moves(&position);
        if moves.is_empty() {
            break;
        }
        let mv = random_move(&position, &moves, random);
        position.do_move(mv);
        oracle.play_unchecked(mv.to_string().parse().unwrap());
    }
    counts.games += 1;
}

#[test]
fn random_games_have_the_same_moves() {
    let mut counts = Counts::default();
    for (index, start) in TWO_KINGS.iter().enumerate() {
        let games = if index == 0 { 160 } else { 30 };
        for game in 0..games {
            play(start, (index as u64) << 32 | game, 120, &mut counts);
        }
    }
    println!("{counts:?}");
    assert!(counts.games >= 400, "{counts:?}");
    assert!(counts.positions >= 20_000, "{counts:?}");
    assert!(counts.drops > 200_000, "{counts:?}");
    assert!(counts.in_check > 200, "{counts:?}");
}
