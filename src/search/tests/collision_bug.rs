//! Regression tests of an engine bug of 2021, step by step. A table entry says that a black rook on
//! 8一 captures on 8三 and promotes. By a key collision it is found where the rook on 8一 is white's,
//! so that it reads as a white move with a promotion outside white's zone. The move causes a
//! cutoff, becomes a killer and counter move, is tried again after a null move, and the rook
//! promotes illegally. Here the first step is prevented, and each later step by itself too.

use super::*;
use crate::search::history::{CONTINUATIONS, ContinuationRow, Histories, HistoryContext};
use crate::types::{Move, MoveList, Piece, Square};
use crate::{movegen::CheckSquares, search::move_picker::MovePicker};

/// The position of the entry: the rook is black's and may promote.
const ORIGIN: &str = "1R7/4k4/9/9/9/9/9/9/4K4 b Pp 1";
/// Positions where the entry must not be used: the rook is white's; either side to move.
const COLLISIONS: [&str; 2] = ["1r7/4k4/9/9/9/9/9/9/4K4 b Pp 1", "1r7/4k4/9/9/9/9/9/9/4K4 w Pp 1"];
/// A middle game with white's rook on 8一 and a free path to 8三.
const MIDDLE_GAME: &str = "lrsgkgsnl/7b1/p1ppppppp/9/1p7/2P4P1/PP1PPPP1P/1B5R1/LNSGKGSNL b N 1";

fn bug_move() -> Move16 {
    stored("8a8c+")
}

/// The move as either side would make it.
fn bug_moves() -> [Move; 2] {
    [Piece::BlackDragon, Piece::WhiteDragon]
        .map(|dragon| Move::promotion(Square::S81, Square::S83, dragon))
}

fn entry() -> Entry {
    Entry {
        mv: Some(bug_move()),
        value: 3000,
        eval: 0,
        depth: value::MAX_PLY as i32,
        bound: Bound::Lower,
        is_pv: true,
    }
}

fn plant(worker: &Worker, position: &Position) {
    store(&worker.task.table, position.key(), entry());
}

/// Makes `answer` the counter move of every move.
fn plant_counter_moves(histories: &mut Histories, answer: Move) {
    for mv in possible_moves() {
        histories.set_counter_move(mv, answer);
    }
}

/// Number of moves whose counter move is one of [`bug_moves`].
fn count_bug_counter_moves(histories: &Histories) -> usize {
    let answers = possible_moves().filter_map(|mv| histories.counter_move(Some(mv)));
    answers.filter(|answer| bug_moves().contains(answer)).count()
}

/// A move of every piece to every square.
fn possible_moves() -> impl Iterator<Item = Move> {
    let onto = |to: Square| {
        let elsewhere = [Square::S11, Square::S12].into_iter().find(|&from| from != to);
        let from = elsewhere.expect("two squares");
        Piece::ALL.map(|piece| Move::normal(from, to, piece))
    };
    Square::ALL.into_iter().flat_map(onto)
}

/// All moves that the picker yields, with `refutations` as killers and counter move.
fn picked(position: &Position, refutations: [Option<Move>; 3]) -> Vec<String> {
    let histories = Histories::new(&HistoryPool::default()).expect("there is memory");
    let mut context = HistoryContext::new(position, [ContinuationRow::NONE; CONTINUATIONS], 0);
    let checks = CheckSquares::of_position(position);
    let mut picker = MovePicker::new(position, None, refutations, &checks, false);
    let next = || picker.next(position, &histories, &mut context);
    sorted(std::iter::from_fn(next))
}

fn sorted(moves: impl Iterator<Item = Move>) -> Vec<String> {
    let mut texts: Vec<String> = moves.map(|mv| format!("{mv:?}")).collect();
    texts.sort();
    texts
}

#[test]
fn the_entry_counts_only_where_the_rook_is_blacks() {
    let origin = position(ORIGIN);
    let mut at_home = worker(&origin);
    plant(&at_home, &origin);
    let (_, hit) = at_home.probe(0);
    let hit = hit.expect("the entry is this position's own");
    assert_eq!(hit.mv, Some(bug_moves()[0]));
    let statistics = at_home.statistics;
    assert_eq!((statistics.hits, statistics.rejected), (1, 0));

    for sfen in COLLISIONS {
        let position = position(sfen);
        let mut abroad = worker(&position);
        plant(&abroad, &position);
        for _ in 0..2 {
            assert!(abroad.probe(0).1.is_none(), "{sfen}");
        }
        let statistics = abroad.statistics;
        assert_eq!((statistics.probes, statistics.hits), (2, 0), "{sfen}");
        assert_eq!(statistics.rejected, 1, "found once, then erased: {sfen}");
    }
}

/// Two checks refuse the move independently: the owner of the piece, and the promotion zone.
#[test]
fn each_check_refuses_by_itself() {
    let [blacks_turn, whites_turn] = COLLISIONS.map(position);
    assert_eq!(blacks_turn.to_move(bug_move()), None);
    assert_eq!(whites_turn.to_move(bug_move()), Some(bug_moves()[1]));
    for position in [&blacks_turn, &whites_turn] {
        for mv in bug_moves() {
            assert!(!position.pseudo_legal(mv), "{mv:?}");
        }
    }
}

#[test]
fn illegal_refutations_are_not_yielded() {
    for sfen in COLLISIONS.into_iter().chain([MIDDLE_GAME]) {
        let before = position(sfen);
        let mut passed = before.clone();
        passed.do_null_move();
        for position in [before, passed] {
            let mut legal = MoveList::new();
            crate::movegen::legal::<false>(&position, &mut legal);
            let legal = sorted(legal.iter().copied());
            for mv in bug_moves() {
                assert!(!legal.contains(&format!("{mv:?}")));
                for slot in 0..3 {
                    let mut refutations = [None; 3];
                    refutations[slot] = Some(mv);
                    let picked = picked(&position, refutations);
                    assert_eq!(picked, legal, "{mv:?} in slot {slot}");
                }
            }
        }
    }
}

/// After a null move there is no last move, so no counter move is read or written.
#[test]
fn a_null_move_has_no_counter_move() {
    let mut position = position(MIDDLE_GAME);
    let mut histories = Histories::new(&HistoryPool::default()).expect("there is memory");
    plant_counter_moves(&mut histories, bug_moves()[1]);
    let first = legal_moves(&position)[0];
    position.do_move(first);
    assert!(histories.counter_move(position.last_move()).is_some());
    position.do_null_move();
    assert_eq!(histories.counter_move(position.last_move()), None);
}

/// With the entry under every position within two plies (null moves included) and the move as
/// counter move of every move, the search is the same as without.
#[test]
fn the_search_is_the_same_as_without_the_entry() {
    let root = position(MIDDLE_GAME);
    let run = |worker: &mut Worker| {
        worker.task.limits = to_depth(7).into();
        worker.iterative_deepening();
        let best = &worker.root_moves[0];
        (best.pv.clone(), best.value, worker.statistics.nodes)
    };
    let clean = run(&mut worker(&root));
    for answer in bug_moves() {
        let mut worker = worker(&root);
        let planted = plant_two_plies(&worker, &root);
        plant_counter_moves(&mut worker.histories, answer);
        let slots = count_bug_counter_moves(&worker.histories);
        assert_eq!(run(&mut worker), clean);
        assert!(worker.statistics.rejected > 100, "{:?}", worker.statistics);
        assert!(count_bug_counter_moves(&worker.histories) < slots);
        // Wherever the search probed, the entry has been erased or replaced.
        let is_left = |&&key: &&Key64| {
            let entry = worker.task.table.probe(key).entry;
            entry.is_some_and(|entry| entry.mv == Some(bug_move()))
        };
        let left = planted.iter().filter(is_left).count();
        assert!(left as u64 + worker.statistics.rejected <= planted.len() as u64);
    }
}

/// Stores the entry under all positions within two plies in which the move is illegal.
fn plant_two_plies(worker: &Worker, root: &Position) -> Vec<Key64> {
    let mut keys = Vec::new();
    let mut place = |position: &Position| {
        if !is_legal(position, bug_move()) {
            plant(worker, position);
            keys.push(position.key());
        }
    };
    place(root);
    for child in successors(root) {
        place(&child);
        for grandchild in successors(&child) {
            place(&grandchild);
        }
    }
    keys.sort_by_key(|key| key.low64());
    keys.dedup();
    keys
}

/// The positions after each legal move and after a null move.
fn successors(position: &Position) -> Vec<Position> {
    let after = |&mv: &_| {
        let mut next = position.clone();
        next.do_move(mv);
        next
    };
    let mut positions: Vec<Position> = legal_moves(position).iter().map(after).collect();
    if !position.in_check() {
        let mut passed = position.clone();
        passed.do_null_move();
        positions.push(passed);
    }
    positions
}
