//! One king or none, and every other position: the legal list against a slow generator that walks
//! over the board.

use std::collections::HashSet;

use raicho::movegen::legal_moves;
use raicho::position::{Board, Position};
use raicho::types::{Color, Move, Piece, PieceType, Square};

use super::walk;
use crate::common::{FEWER_KINGS, Random, TWO_KINGS, playouts};

/// Whether the king of `color` could be taken after a piece has gone from `from` (nowhere for a
/// drop) to `to`.
fn is_left_in_check(board: &Board, color: Color, from: Option<Square>, to: Square) -> bool {
    let Some(king) = board.king(color) else {
        return false;
    };
    let king = if from == Some(king) { to } else { king };
    let is_occupied = |at: Square| at == to || (board.piece_on(at).is_some() && Some(at) != from);
    let mut enemies = board.color(!color).into_iter();
    enemies.any(|enemy| enemy != to && walk::attacks(board, enemy, king, is_occupied))
}

/// Whether the side attacked by a pawn dropped on `to` has no answer: nobody takes it, and the king
/// cannot go.
fn pawn_mates(board: &Board, us: Color, to: Square) -> bool {
    let Some(king) = board.king(!us) else {
        return false;
    };
    let ahead = if us == Color::Black { -1 } else { 1 };
    if to.offset(0, ahead) != Some(king) {
        return false;
    }
    let is_occupied = |at: Square| at == to || board.piece_on(at).is_some();
    // The pawn attacks nothing but the king's square, so it need not stand on the board for what
    // follows.
    let leaves_check = |from: Square, target: Square| {
        let king = if from == king { target } else { king };
        let stands = |at: Square| at == target || (is_occupied(at) && at != from);
        let mut enemies = board.color(us).into_iter();
        enemies.any(|enemy| enemy != target && walk::attacks(board, enemy, king, stands))
    };
    board.color(!us).into_iter().all(|from| {
        let targets = if from == king { Square::ALL.to_vec() } else { vec![to] };
        targets.into_iter().all(|target| {
            board.color(!us).contains(target)
                || !walk::attacks(board, from, target, is_occupied)
                || leaves_check(from, target)
        })
    })
}

fn can_stand(piece: Piece, square: Square) -> bool {
    square.rank().distance_to_edge(piece.color()) >= piece.kind().dead_end_ranks()
        || piece.kind().is_promoted()
}

fn slow_moves(position: &Position) -> HashSet<Move> {
    let board = position.board();
    let us = board.side_to_move();
    let is_occupied = |at: Square| board.piece_on(at).is_some();
    let mut moves = HashSet::new();
    for from in board.color(us) {
        let piece = board.piece_on(from).unwrap();
        for to in Square::ALL {
            if board.color(us).contains(to)
                || !walk::attacks(board, from, to, is_occupied)
                || is_left_in_check(board, us, Some(from), to)
            {
                continue;
            }
            if can_stand(piece, to) {
                moves.insert(Move::normal(from, to, piece));
            }
            let in_zone = [from, to].map(|square| square.rank().is_promotion_zone(us));
            if let Some(promoted) = piece.promoted().filter(|_| in_zone.contains(&true)) {
                moves.insert(Move::promotion(from, to, promoted));
            }
        }
    }
    for kind in PieceType::HAND.into_iter().filter(|&kind| board.hand(us).has(kind)) {
        let piece = Piece::new(us, kind);
        for to in Square::ALL {
            let on_file = |at: Square| {
                at.file() == to.file()
                    && board.piece_on(at) == Some(Piece::new(us, PieceType::Pawn))
            };
            let is_pawn = kind == PieceType::Pawn;
            let refuses = is_occupied(to)
                || !can_stand(piece, to)
                || is_pawn && Square::ALL.into_iter().any(on_file)
                || is_left_in_check(board, us, None, to)
                || is_pawn && pawn_mates(board, us, to);
            if !refuses {
                moves.insert(Move::drop(piece, to));
            }
        }
    }
    moves
}

fn compare(
    starts: impl IntoIterator<Item = &'static str>,
    games: u64,
    plies: usize,
) -> (usize, usize) {
    let mut compared = 0;
    let visited = playouts(starts, games, plies, |position, moves, _| {
        let fast: HashSet<Move> = moves.iter().copied().collect();
        assert_eq!(fast.len(), moves.len(), "a move twice in {position:?}");
        assert_eq!(fast, slow_moves(position), "{position:?}");
        compared += moves.len();
    });
    (visited, compared)
}

#[test]
fn the_legal_list_is_that_of_the_slow_generator() {
    let with_fewer_kings = compare(FEWER_KINGS, 12, 60);
    let with_two_kings = compare(TWO_KINGS, 3, 100);
    println!("positions, moves: {with_fewer_kings:?}, {with_two_kings:?}");
    assert!(with_fewer_kings.0 > 2000 && with_two_kings.0 > 2000);
}

/// Both kings in random crowds: pins, double checks, adjacent defenders.
#[test]
fn crowded_boards() {
    let random = &mut Random(3);
    let (mut positions, mut in_check, mut double_checks, mut pawn_mates) = (0, 0, 0, 0);
    while positions < 3000 {
        let Ok(position) = Position::from_sfen(&crowded_sfen(random)) else {
            continue;
        };
        let fast: HashSet<Move> = legal_moves(&position).into_iter().collect();
        assert_eq!(fast, slow_moves(&position), "{position:?}");
        positions += 1;
        in_check += usize::from(position.in_check());
        double_checks += usize::from(position.checkers().has_several());
        pawn_mates += mating_pawn_drops(&position);
    }
    println!("{in_check} in check, {double_checks} twice, {pawn_mates} pawn-drop mates");
    assert!(in_check > 500 && double_checks > 50 && pawn_mates > 0);
}

fn mating_pawn_drops(position: &Position) -> usize {
    let us = position.side_to_move();
    let pawn = Piece::new(us, PieceType::Pawn);
    let drops = Square::ALL.into_iter().map(|to| Move::drop(pawn, to));
    drops.filter(|&drop| position.pseudo_legal(drop) && !position.legal(drop)).count()
}

fn crowded_sfen(random: &mut Random) -> String {
    let share = 2 + random.below(6);
    let mut ranks: Vec<Vec<String>> = vec![vec!["1".to_owned(); 9]; 9];
    let mut place = |text: &str, random: &mut Random| {
        ranks[random.below(9)][random.below(9)] = String::from(text);
    };
    let mut hand = String::new();
    for letter in "RRBBGGGGSSSSNNNNLLLLPPPPPPPPP".chars() {
        let letter = if random.one_in(2) { letter } else { letter.to_ascii_lowercase() };
        if random.below(8) > share {
            hand.push(letter);
        } else if random.one_in(3) && !letter.eq_ignore_ascii_case(&'g') {
            place(&format!("+{letter}"), random);
        } else {
            place(&letter.to_string(), random);
        }
    }
    place("K", random);
    place("k", random);
    hand.push_str("Pp");
    let ranks: Vec<String> = ranks.iter().map(|rank| rank.concat()).collect();
    let side = if random.one_in(2) { "b" } else { "w" };
    format!("{} {side} {hand} 1", ranks.join("/"))
}

#[test]
fn a_missing_king_is_never_in_check() {
    playouts(FEWER_KINGS, 5, 40, |position, _, _| {
        for color in Color::ALL {
            if position.king(color).is_none() {
                assert!(position.king_threats(color).checkers.is_empty());
                assert!(position.king_threats(color).blockers.is_empty());
            }
        }
    });
}
