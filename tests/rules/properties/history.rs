//! Doing and undoing: the board, the keys of all widths, the threats, null moves.

use raicho::movegen::legal_moves;
use raicho::position::{Board, KingThreats, Position};
use raicho::types::{Color, Key, Move, Piece, Repetition};

use crate::common::{FEWER_KINGS, Random, TWO_KINGS, playouts, position};

/// Everything about a position that the outside can see.
#[derive(PartialEq, Debug)]
struct Snapshot<const LANES: usize> {
    board: Board,
    sfen: String,
    keys: (Key<LANES>, Key<LANES>),
    threats: [KingThreats; 2],
    last_move: Option<Move>,
    captured: Option<Piece>,
    game_ply: u32,
    moves_made: usize,
    repetition: [Option<Repetition>; 3],
}

fn snapshot<const LANES: usize>(position: &Position<LANES>) -> Snapshot<LANES> {
    Snapshot {
        board: position.board().clone(),
        sfen: position.to_sfen(),
        keys: (position.board_key(), position.key()),
        threats: Color::ALL.map(|color| *position.king_threats(color)),
        last_move: position.last_move(),
        captured: position.captured_piece(),
        game_ply: position.game_ply(),
        moves_made: position.moves_made(),
        repetition: [
            position.rule_repetition(),
            position.search_repetition(0),
            position.search_repetition(usize::MAX),
        ],
    }
}

fn starts() -> Vec<&'static str> {
    [&TWO_KINGS[..], &FEWER_KINGS].concat()
}

#[test]
fn undo_restores_everything() {
    let mut undone = 0;
    let visited = playouts::<2>(&starts(), 10, 100, |position, moves, _| {
        let before = snapshot(position);
        for &mv in moves {
            position.do_move(mv);
            position.undo_move();
            undone += 1;
            assert!(*position.board() == before.board, "{mv:?} in {before:?}");
        }
        assert_eq!(snapshot(position), before);
    });
    println!("{undone} moves in {visited} positions undone");
    assert!(visited > 5000);
}

#[test]
fn whole_games_undo_in_reverse() {
    for start in starts() {
        let mut snapshots: Vec<Snapshot<1>> = Vec::new();
        let mut last: Option<Position> = None;
        playouts::<1>(&[start], 1, 300, |position, _, _| {
            snapshots.push(snapshot(position));
            last = Some(position.clone());
        });
        let mut position = last.unwrap();
        while let Some(expected) = snapshots.pop() {
            assert_eq!(snapshot(&position), expected);
            if !snapshots.is_empty() {
                position.undo_move();
            }
        }
    }
}

/// Keys and threats carried along equal those of the position read anew.
#[test]
fn keys_and_threats_equal_those_from_scratch() {
    fn check<const LANES: usize>() -> usize {
        playouts::<LANES>(&starts(), 5, 100, |current, _, _| {
            let fresh = position::<LANES>(&current.to_sfen());
            assert_eq!(
                (current.board_key(), current.key()),
                fresh.keys_from_scratch()
            );
            assert_eq!(current.keys_from_scratch(), fresh.keys_from_scratch());
            for color in Color::ALL {
                assert_eq!(
                    current.king_threats(color),
                    fresh.king_threats(color),
                    "{current:?}"
                );
            }
            let side = current.side_to_move();
            assert_eq!(current.key().low64() & 1, side as u64);
            assert_eq!(
                (current.key().side(), current.board_key().side()),
                (side, side)
            );
        })
    }
    let visited = check::<1>() + check::<2>() + check::<4>();
    println!("{visited} positions");
    assert!(visited > 10_000);
}

/// The same game in positions of all widths: the low 64 bits agree.
#[test]
fn widths_agree_in_the_low_bits() {
    playouts::<1>(&starts(), 3, 100, |narrow, _, _| {
        let sfen = narrow.to_sfen();
        let (wide, widest) = (position::<2>(&sfen), position::<4>(&sfen));
        let low = (narrow.board_key().low64(), narrow.key().low64());
        assert_eq!((wide.board_key().low64(), wide.key().low64()), low);
        assert_eq!((widest.board_key().low64(), widest.key().low64()), low);
        assert_eq!(wide.key().lanes()[..], widest.key().lanes()[..2]);
    });
}

#[test]
fn null_moves_round_trip() {
    let mut nulls = 0;
    playouts::<4>(&starts(), 5, 100, |current, moves, random| {
        if current.in_check() {
            return;
        }
        let before = snapshot(current);
        current.do_null_move();
        nulls += 1;
        assert_ne!(current.side_to_move(), before.board.side_to_move());
        assert_eq!(current.key(), before.keys.1.flipped());
        assert_eq!(current.last_move(), None);
        let fresh = position::<4>(&current.to_sfen());
        assert_eq!(
            (current.board_key(), current.key()),
            fresh.keys_from_scratch()
        );
        assert_eq!(current.in_check(), fresh.in_check());
        // A line below the null move, and back.
        for &mv in legal_moves(current).iter().take(20) {
            current.do_move(mv);
            assert_eq!(
                (current.board_key(), current.key()),
                current.keys_from_scratch()
            );
            current.undo_move();
        }
        current.undo_null_move();
        assert_eq!(snapshot(current), before);
        assert!(moves.is_empty() || current.legal(*random.choose(moves)));
    });
    println!("{nulls} null moves");
    assert!(nulls > 3000);
}

#[test]
fn key_after_a_move_is_the_key_after_making_it() {
    let random = &mut Random(7);
    let mut compared = 0;
    for _ in 0..30 {
        let mut position = Position::<2>::startpos();
        for _ in 0..150 {
            let moves = legal_moves(&position);
            if moves.is_empty() {
                break;
            }
            for &mv in &moves {
                let expected = position.key_after(mv);
                position.do_move(mv);
                assert_eq!(position.key(), expected, "{mv:?}");
                position.undo_move();
                compared += 1;
            }
            position.do_move(moves[random.below(moves.len())]);
        }
    }
    assert!(compared > 100_000, "{compared}");
}
