//! Completion of principal variations from the table: which moves are appended, and where a line
//! ends.

use super::*;
use crate::types::value::mated_in;
use crate::types::{Ply, Value};

/// The line that starts with the first of `moves`, completed at `depth` with the other moves in the
/// table. Each entry has the root value from its side's point of view, or `value` if given.
fn completed(
    sfen: &str,
    moves: &[&str],
    (depth, root_value): (i32, Value),
    value: Option<Value>,
) -> String {
    completed_with_bound(sfen, moves, (depth, root_value), value).0
}

/// The same with the bound that a report shows.
fn completed_with_bound(
    sfen: &str,
    moves: &[&str],
    (depth, root_value): (i32, Value),
    value: Option<Value>,
) -> (String, Bound) {
    let root = position(sfen);
    let mut worker = worker(&root);
    let first = root.to_move(stored(moves[0])).expect("the piece is there");
    let mut best = worker.root_moves[0].clone();
    best.mv = first;
    best.update(root_value, Bound::Exact, depth, &[]);
    worker.put_first(best);
    let mut position = root.clone();
    position.do_move(first);
    for (index, text) in moves.iter().enumerate().skip(1) {
        let own = [root_value, -root_value][index % 2];
        plant(&worker, &position, text, value.unwrap_or(own), index);
        match position.to_move(stored(text)) {
            Some(mv) if legal_moves(&position).contains(&mv) => position.do_move(mv),
            _ => break,
        }
    }
    worker.complete_line(0);
    let bound = worker.shown_bound(0);
    assert_eq!(worker.position.key(), root.key());
    assert_eq!(worker.statistics, Statistics::default());
    let line = &worker.root_moves[0].pv;
    let texts: Vec<_> = line.iter().map(ToString::to_string).collect();
    (texts.join(" "), bound)
}

fn plant(worker: &Worker, position: &Position, text: &str, value: Value, ply: Ply) {
    let entry = Entry {
        mv: Some(stored(text)),
        value: value::to_table(value, ply),
        eval: 0,
        depth: 1,
        bound: Bound::Exact,
        is_pv: false,
    };
    store(&worker.task.table, position.key(), entry);
}

const QUIET: &str = "4k4/9/9/9/9/9/9/9/4K4 b - 1";
/// Black mates by dropping the gold in front of the king, now or later.
const MATE: &str = "4k4/p8/4P4/9/9/9/9/9/4K4 b G 1";

#[test]
fn lines_grow_to_their_depth() {
    let moves = ["5i5h", "5a5b", "5h5g", "5b5c", "5g6g", "5c6c"];
    for (depth, length) in [(1, 2), (2, 2), (4, 4), (6, 6), (9, 6)] {
        let line = completed(QUIET, &moves, (depth, 0), None);
        assert_eq!(line, moves[..length].join(" "), "depth {depth}");
    }
}

#[test]
fn a_repetition_ends_a_line() {
    // The position after the first move repeats four plies later.
    let circle = ["5i5h", "5a5b", "5h5i", "5b5a"].repeat(2);
    let line = completed(QUIET, &circle, (8, 0), None);
    assert_eq!(line, circle[..5].join(" "));
}

#[test]
fn a_move_of_another_position_ends_a_line() {
    for foreign in ["5h5g", "5a5i", "P*5e", "5a4a+"] {
        let line = completed(QUIET, &["5i5h", "5a5b", "5h5g", foreign], (8, 0), None);
        assert_eq!(line, "5i5h 5a5b 5h5g", "{foreign}");
    }
}

#[test]
fn lines_of_mate_keep_to_the_mate() {
    let moves = ["5i5h", "9b9c", "G*5b"];
    let mate = (12, mate_in(3));
    assert_eq!(completed(MATE, &moves, mate, None), moves.join(" "));
    // The last move is found without the table.
    assert_eq!(completed(MATE, &moves[..2], mate, None), moves.join(" "));
    // Moves that do not lead to the mate are not appended.
    for other in [0, mated_in(5), mate_in(3)] {
        assert_eq!(completed(MATE, &moves, mate, Some(other)), moves[0]);
    }
}

#[test]
fn a_mate_is_exact_only_where_its_line_ends_in_it() {
    let moves = ["5i5h", "9b9c", "G*5b"];
    let (line, bound) = completed_with_bound(MATE, &moves, (12, mate_in(3)), None);
    assert_eq!((line, bound), (moves.join(" "), Bound::Exact));
    for (plies, other, length) in [(3, Some(0), 1), (5, None, 3)] {
        let (line, bound) = completed_with_bound(MATE, &moves, (12, mate_in(plies)), other);
        assert_eq!((line, bound), (moves[..length].join(" "), Bound::Lower));
    }
    let (_, bound) = completed_with_bound(QUIET, &["5i5h", "5a5b"], (12, mated_in(2)), None);
    assert_eq!(bound, Bound::Upper);
}

/// The last line shows a bound only of a move whose exact value is not known.
#[test]
fn an_exact_line_is_not_replaced_by_a_bound_at_the_end() {
    let sfens = [
        "lnsgk1snl/6gb1/p1ppppppp/9/1r4P2/9/PPPPPP1PP/1BG3R2/LNS1KGSNL b p 13",
        "ln1gk2nl/1rs2sgb1/p1pppp1pp/1p4p2/9/2P4P1/PPSPPPP1P/1BG2S1R1/LN2KG1NL b - 15",
    ];
    let settings = settings();
    for root in sfens.map(position) {
        for nodes in (500..20_000).step_by(1250) {
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let events = events(&mut prepared(&settings), &root, limits, &settings);
            let (infos, decision) = lines_and_decision(events);
            let last = infos.last().expect("a line");
            assert!(matches!(decision, Decision::Move { best, .. } if best == last.pv[0]));
            let exact = infos.iter().rfind(|info| info.bound == Bound::Exact).expect("depth 1");
            assert!(exact.pv[0] != last.pv[0] || last.bound == Bound::Exact, "{nodes} {last:?}");
        }
    }
}
