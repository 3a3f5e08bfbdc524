//! The solver in slices says what the solver at once says.

use std::sync::atomic::AtomicBool;

use super::oracle::{Random, small_problem};
use super::position;
use crate::mate::{MateSolver, ResumableSolver, Verdict, is_mating_line};
use crate::position::Position;

const SLICE_NODES: u64 = 200;
const SLICES: usize = 400;

/// Runs slices until the position is solved. Returns the verdict and all nodes.
fn solve(solver: &mut ResumableSolver, position: &Position) -> (Verdict, u64) {
    let stop = AtomicBool::new(false);
    let mut nodes = 0;
    solver.begin(position);
    for _ in 0..SLICES {
        let slice = solver.run(SLICE_NODES, &stop);
        nodes += slice.nodes;
        if slice.verdict != Verdict::Unknown {
            return (slice.verdict, nodes);
        }
    }
    (Verdict::Unknown, nodes)
}

#[test]
fn slices_agree_with_one_search() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut solver, mut at_once) = (ResumableSolver::new(1), MateSolver::new(1));
    let (mut mates, mut refuted) = (0, 0);
    for position in std::iter::repeat_with(|| small_problem(&mut random)).flatten().take(100) {
        let sfen = position.to_sfen();
        let expected = super::solve(&mut at_once, &position, false, 1);
        if matches!(expected, Verdict::Unknown) {
            continue;
        }
        match (expected, solve(&mut solver, &position).0) {
            (Verdict::Mate { .. }, Verdict::Mate { line, plies, .. }) => {
                assert!(is_mating_line(&position, &line.moves), "{sfen}");
                assert!(plies >= line.moves.len(), "{sfen}");
                mates += 1;
            }
            (Verdict::NoMate, Verdict::NoMate) => refuted += 1,
            (_, Verdict::Unknown) => {}
            (expected, found) => panic!("{sfen}: {found:?} instead of {expected:?}"),
        }
    }
    assert!(mates > 0 && refuted > 0, "{mates} mates, {refuted} without");
}

/// After a move of each side along the line the proof is still known.
#[test]
fn a_proof_is_kept_for_the_positions_that_follow() {
    let sfen = "lr5nl/6k2/6bpp/p1p1S1R2/1P1np2P1/P1P1P3P/3K5/1S3G3/LN5NL b 2G6Pbg2sp 95";
    let mut position = position(sfen);
    let mut solver = ResumableSolver::new(1);
    let (verdict, first_nodes) = solve(&mut solver, &position);
    assert!(first_nodes > 10 * SLICE_NODES);
    let Verdict::Mate { line, .. } = verdict else {
        panic!("a mate");
    };
    position.do_move(line.moves[0]);
    position.do_move(line.moves[1]);
    let (verdict, nodes) = solve(&mut solver, &position);
    assert!(matches!(verdict, Verdict::Mate { .. }));
    assert!(nodes < first_nodes / 10, "{nodes} after {first_nodes}");
    solver.clear();
    assert_eq!(solve(&mut solver, &super::position(sfen)).1, first_nodes);
}

#[test]
fn a_slice_ends_at_its_limit_and_at_a_stop() {
    let endless = position(
        "g3p3+r/3lPG3/1s4ppp/1l1B4P/L2b1kPl1/3+p3+R+p/3+p2+s1S/+NP+p1gS3/1g+p2P3 b 4P3n 1",
    );
    let mut solver = ResumableSolver::new(1);
    assert_eq!(solver.run(1000, &AtomicBool::new(false)).nodes, 0);
    solver.begin(&endless);
    let slice = solver.run(1000, &AtomicBool::new(false));
    assert_eq!(slice.verdict, Verdict::Unknown);
    assert!((1000..1100).contains(&slice.nodes), "{}", slice.nodes);
    let slice = solver.run(1000, &AtomicBool::new(true));
    assert!(slice.nodes < 64, "{}", slice.nodes);
}
