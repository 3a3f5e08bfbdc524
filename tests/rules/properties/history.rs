//! Doing and undoing moves: the board, the keys of all widths, the threats, null moves.

use raicho::movegen::legal_moves;
use raicho::position::{Board, KingThreats, Position};
use raicho::types::{Color, Key, Key64, Move, Piece, Repetition};

use crate::common::{every_start, playouts, position};

/// Everything about a position that the outside can see.
#[derive(PartialEq, Debug)]
struct Snapshot {
    board: Board,
    sfen: String,
    keys: (Key64, Key64),
    threats: [KingThreats; 2],
    last_move: Option<Move>,
    captured: Option<Piece>,
    game_ply: u32,
    moves_made: usize,
    repetition: [Option<Repetition>; 3],
}

fn snapshot(position: &Position) -> Snapshot {
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

#[test]
fn undo_restores_everything() {
    let mut undone = 0;
    let visited = playouts(every_start(), 10, 100, |position, moves, _| {
        let before = snapshot(position);
        for &mv in moves {
            let key = position.key_after(mv);
            position.do_move(mv);
            assert_eq!(position.key(), key, "{mv:?} in {before:?}");
            position.undo_move();
            undone += 1;
            assert!(*position.board() == before.board, "{mv:?} in {before:?}");
        }
        assert_eq!(snapshot(position), before);
    });
    println!("{undone} moves in {visited} positions undone");
    assert!(visited > 5000 && undone > 100_000);
}

#[test]
fn whole_games_undo_in_reverse() {
    for start in every_start() {
        let mut snapshots: Vec<Snapshot> = Vec::new();
        let mut last: Option<Position> = None;
        playouts([start], 1, 300, |position, _, _| {
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

/// The keys of a position from scratch: without and with the hands.
fn keys_from_scratch<const LANES: usize>(position: &Position) -> (Key<LANES>, Key<LANES>) {
    (position.board().board_key(), position.board().key())
}

#[test]
fn keys_and_threats_equal_those_from_scratch() {
    let visited = playouts(every_start(), 15, 100, |current, _, _| {
        let fresh = position(&current.to_sfen());
        let keys = (current.board_key(), current.key());
        assert_eq!(keys, keys_from_scratch(&fresh));
        assert_eq!(keys, keys_from_scratch(current));
        for color in Color::ALL {
            let threats = [current, &fresh].map(|position| position.king_threats(color));
            assert_eq!(threats[0], threats[1], "{current:?}");
        }
        let side = current.side_to_move();
        assert_eq!(current.key().low64() & 1, side as u64);
        let expected = [side; 2];
        assert_eq!([current.key().side(), current.board_key().side()], expected);
    });
    println!("{visited} positions");
    assert!(visited > 10_000);
}

/// Wide keys carried along move by move equal those from scratch.
#[test]
fn wide_keys_after_moves_equal_those_from_scratch() {
    fn check<const LANES: usize>() -> usize {
        let mut moves_made = 0;
        playouts(every_start(), 2, 100, |position, moves, _| {
            let key: Key<LANES> = position.board().key();
            for &mv in moves {
                let expected = position.board().key_after(key, mv);
                position.do_move(mv);
                assert_eq!(position.board().key(), expected, "{mv:?}");
                position.undo_move();
                moves_made += 1;
            }
        });
        moves_made
    }
    let moves_made = [check::<1>(), check::<2>(), check::<4>()];
    println!("{moves_made:?} moves");
    assert!(moves_made.iter().all(|&count| count > 50_000));
}

/// Keys of all widths agree in the lanes that they share.
#[test]
fn widths_agree_in_the_low_bits() {
    playouts(every_start(), 3, 100, |position, _, _| {
        let (narrow_board, narrow) = (position.board_key(), position.key());
        let (wide_board, wide) = keys_from_scratch::<2>(position);
        let (widest_board, widest) = keys_from_scratch::<4>(position);
        assert_eq!(wide_board.low64(), narrow_board.low64());
        assert_eq!(widest_board.low64(), narrow_board.low64());
        assert_eq!(wide.low64(), narrow.low64());
        assert_eq!(wide.lanes()[..], widest.lanes()[..2]);
    });
}

#[test]
fn null_moves_round_trip() {
    let mut nulls = 0;
    playouts(every_start(), 5, 100, |current, moves, random| {
        if current.in_check() {
            return;
        }
        let before = snapshot(current);
        current.do_null_move();
        nulls += 1;
        assert_ne!(current.side_to_move(), before.board.side_to_move());
        assert_eq!(current.key(), before.keys.1.flipped());
        assert_eq!(current.last_move(), None);
        let fresh = position(&current.to_sfen());
        let keys = |position: &Position| (position.board_key(), position.key());
        assert_eq!(keys(current), keys_from_scratch(&fresh));
        assert_eq!(current.in_check(), fresh.in_check());
        // A line below the null move, and back.
        for &mv in legal_moves(current).iter().take(20) {
            current.do_move(mv);
            assert_eq!(keys(current), keys_from_scratch(current));
            current.undo_move();
        }
        current.undo_null_move();
        assert_eq!(snapshot(current), before);
        assert!(moves.is_empty() || current.legal(*random.choose(moves)));
    });
    println!("{nulls} null moves");
    assert!(nulls > 3000);
}
