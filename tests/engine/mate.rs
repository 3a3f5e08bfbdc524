//! The mate solver on problems that others collected. Needs `RAICHO_CORPORA`.

use std::sync::atomic::AtomicBool;

use crate::common::{position, rows};
use raicho::mate::{MateLimits, MateSolver, Verdict, is_mating_line};
use raicho::position::Position;

/// Of each file one problem in this number.
const SAMPLE: usize = 40;

#[test]
fn problems_are_solved_in_the_plies_of_their_file() {
    let stop = AtomicBool::new(false);
    let mut solver = MateSolver::new(16);
    for most in [1, 3, 5, 7, 9, 11] {
        let rows = rows::<1>(&format!("mate/mate-{most}-ply.txt"), 1);
        let (mut nodes, mut plies_found) = (0, 0);
        for [row] in rows.iter().step_by(SAMPLE) {
            let position: Position = position(row);
            for shortest in [false, true] {
                let limits = MateLimits { shortest, ..MateLimits::until(&stop) };
                let solution = solver.solve(&position, &limits, &mut |_| {}).expect("a thread");
                let Verdict::Mate { line, plies, .. } = solution.verdict else {
                    panic!("{row}: {:?}", solution.verdict);
                };
                assert!(is_mating_line(&position, &line.moves), "{row}");
                assert!(line.moves.len() <= plies, "{row}");
                assert!(!shortest || line.length <= most, "{row}: {}", line.length);
                nodes += solution.nodes;
                plies_found += plies;
            }
        }
        println!("{most} plies: {nodes} nodes, {plies_found} plies in all");
    }
}

#[test]
fn where_no_check_mates_at_once_the_shortest_mate_is_longer() {
    let rows = rows::<1>("mate/no-mate-1-ply.txt", 1);
    let stop = AtomicBool::new(false);
    let mut solver = MateSolver::new(16);
    for [row] in rows.iter().step_by(SAMPLE) {
        let limits = MateLimits { nodes: Some(20_000), shortest: true, ..MateLimits::until(&stop) };
        let solution = solver.solve(&position(row), &limits, &mut |_| {});
        if let Verdict::Mate { plies, .. } = solution.expect("a thread").verdict {
            assert!(plies > 1, "{row}");
        }
    }
}
