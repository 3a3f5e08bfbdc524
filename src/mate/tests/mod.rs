//! The solver against an oracle for small problems, which lists all positions reachable by checks
//! and answers and counts mates back from the end. It has no paths, no dominance of hands, and no
//! table that forgets.

mod oracle;
mod slices;

use std::sync::atomic::AtomicBool;

use super::*;
use crate::position::{Board, Position};
use crate::types::{Color, Move};
use oracle::{BruteForce, Random, Truth, oracle, problem_of_sliders, small_problem};

fn solve(solver: &mut MateSolver, position: &Position, shortest: bool, threads: usize) -> Verdict {
    solve_within(60_000, solver, position, shortest, threads)
}

fn solve_within(
    nodes: u64,
    solver: &mut MateSolver,
    position: &Position,
    shortest: bool,
    threads: usize,
) -> Verdict {
    let stop = AtomicBool::new(false);
    let limits = MateLimits { shortest, threads, nodes: Some(nodes), ..MateLimits::until(&stop) };
    let solution = solver.solve(position, &limits, &mut |_| {});
    solution.expect("the system has threads").verdict
}

/// The line of a mate that is there.
fn mate(problem: &Position, shortest: bool) -> Line {
    match solve(&mut MateSolver::new(1), problem, shortest, 1) {
        Verdict::Mate { line, .. } => line,
        verdict => panic!("{problem:?}: {verdict:?}"),
    }
}

/// The length of a mate that is known to be the shortest.
fn shortest_length(verdict: Verdict) -> Option<usize> {
    match verdict {
        Verdict::Mate { line, is_shortest, .. } if is_shortest => Some(line.length),
        _ => None,
    }
}

/// Longest mates that brute force looks for, in plies.
const BRUTE_FORCE_PLIES: usize = 5;

#[derive(Default, Debug)]
struct Tally {
    mates: usize,
    refuted: usize,
    longest: usize,
    /// Lengths compared with brute force.
    compared: usize,
    /// Mates whose lines end with futile interpositions.
    futile: usize,
    large_mates: usize,
    large_refuted: usize,
    large_unknown: usize,
}

/// Problems of more than `most_positions` positions are compared with brute force instead of the
/// oracle.
fn compare(problems: usize, seed: u64, most_positions: usize, threads: usize) -> Tally {
    let mut random = Random(seed);
    let mut solver = MateSolver::new(1);
    let mut tally = Tally::default();
    let mut done = 0;
    while done < problems {
        let Some(position) = small_problem(&mut random) else {
            continue;
        };
        let truth = oracle(&position, most_positions);
        // Most problems are hopeless from the start.
        if truth == Truth::NoMate && random.below(2) > 0 {
            continue;
        }
        done += 1;
        if truth == Truth::TooLarge {
            compare_with_force(&mut solver, &position, threads, &mut tally);
        } else {
            compare_with_truth(&mut solver, &position, truth, threads, &mut tally);
        }
    }
    tally
}

fn compare_with_truth(
    solver: &mut MateSolver,
    position: &Position,
    truth: Truth,
    threads: usize,
    tally: &mut Tally,
) {
    let sfen = position.to_sfen();
    match (truth, solve(solver, position, false, threads)) {
        (Truth::Mate, Verdict::Mate { line, plies, .. }) => {
            assert!(is_mating_line(position, &line.moves), "{sfen}");
            assert!(plies >= line.length, "{sfen}");
            tally.mates += 1;
        }
        (Truth::NoMate, Verdict::NoMate) => tally.refuted += 1,
        (truth, verdict) => panic!("{sfen}: {truth:?}, the solver says {verdict:?}"),
    }
    if truth == Truth::Mate {
        compare_with_force(solver, position, threads, tally);
    }
}

/// Lengths are those of the definition.
fn compare_with_force(
    solver: &mut MateSolver,
    position: &Position,
    threads: usize,
    tally: &mut Tally,
) {
    let sfen = position.to_sfen();
    let verdict = solve(solver, position, true, threads);
    let short = BruteForce::default().length(position, BRUTE_FORCE_PLIES);
    match verdict {
        Verdict::Mate { line, is_shortest, .. } => {
            assert!(is_mating_line(position, &line.moves), "{sfen}");
            if is_shortest && (short.is_some() || line.length <= BRUTE_FORCE_PLIES) {
                tally.compared += 1;
                assert_eq!(short, Some(line.length), "{sfen} {:?}", moves(&line));
            }
            if let Some(short) = short {
                assert!(line.length >= short, "{sfen}");
            }
            tally.futile += usize::from(line.length < line.moves.len());
            tally.longest = tally.longest.max(line.length);
            tally.large_mates += 1;
        }
        Verdict::NoMate => {
            assert_eq!(short, None, "{sfen}");
            tally.large_refuted += 1;
        }
        Verdict::Unknown => tally.large_unknown += 1,
    }
}

/// Lengths where most checks can be answered by interpositions, also of the mirror image and with
/// the sides exchanged.
fn compare_sliders(problems: usize, seed: u64) -> Tally {
    let mut random = Random(seed);
    let mut solver = MateSolver::new(1);
    let mut tally = Tally::default();
    let positions = std::iter::repeat_with(|| problem_of_sliders(&mut random)).flatten();
    let mates = positions.filter(|position| {
        let verdict = solve(&mut MateSolver::new(1), position, false, 1);
        matches!(verdict, Verdict::Mate { .. })
    });
    for position in mates.take(problems) {
        compare_with_force(&mut solver, &position, 1, &mut tally);
        let length = |board: Board| {
            let mut image = position.clone();
            image.set_up(board, 1);
            shortest_length(solve(&mut MateSolver::new(1), &image, true, 1))
        };
        let board = position.board();
        let lengths = [board.clone(), board.mirrored(), board.rotated()].map(length);
        let mut known = lengths.iter().flatten();
        let first = known.next();
        let is_same = known.all(|length| Some(length) == first);
        assert!(is_same, "{} {lengths:?}", position.to_sfen());
    }
    tally
}

#[test]
fn lengths_leave_futile_interpositions_out() {
    let tally = compare_sliders(24, 0x9e37_79b9_7f4a_7c15);
    let is_enough = tally.futile > 0 && tally.compared > 12 && tally.longest > 5;
    assert!(is_enough, "{tally:?}");
}

#[test]
#[ignore = "takes minutes"]
fn lengths_leave_futile_interpositions_out_at_length() {
    for seed in 1..=10 {
        let tally = compare_sliders(500, seed * 0x9e37_79b9);
        assert!(tally.compared > 200, "{tally:?}");
    }
}

/// Forty problems of each length up to nine plies, half of them with sliders, and their images.
#[test]
#[ignore = "takes minutes"]
fn lengths_up_to_nine_plies_are_exact() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut found = [0; 10];
    let mut solver = MateSolver::new(1);
    while found.iter().sum::<usize>() < 200 {
        let is_slider = found.iter().sum::<usize>().is_multiple_of(2);
        let problem = if is_slider { problem_of_sliders } else { small_problem };
        let Some(position) = problem(&mut random) else {
            continue;
        };
        let mut length_of = |position: &Position, nodes| {
            solver.clear();
            shortest_length(solve_within(nodes, &mut solver, position, true, 1))
        };
        let Some(length) = length_of(&position, 60_000) else {
            continue;
        };
        if length > 9 || found[length] == 40 {
            continue;
        }
        found[length] += 1;
        let sfen = position.to_sfen();
        let exact = BruteForce::default().length(&position, 9);
        assert_eq!(exact, Some(length), "{sfen}");
        for board in [position.board().mirrored(), position.board().rotated()] {
            let image = Position::from_board(board, 1).expect("an image");
            assert_eq!(length_of(&image, 10_000_000), Some(length), "{sfen}");
        }
    }
    assert_eq!(found, [0, 40, 0, 40, 0, 40, 0, 40, 0, 40]);
}

#[test]
fn agrees_with_the_oracle() {
    let tally = compare(220, 0x9e37_79b9_7f4a_7c15, 6000, 1);
    let is_enough = tally.refuted > 5 && tally.large_mates > 20 && tally.large_refuted > 20;
    assert!(is_enough, "{tally:?}");
}

#[test]
#[ignore = "takes minutes"]
fn agrees_with_the_oracle_at_length() {
    for seed in 1..=10 {
        compare(1000, seed * 0x9e37_79b9, 30_000, 1);
    }
}

#[test]
fn several_threads_agree_with_the_oracle() {
    compare(40, 0x2545_f491_4f6c_dd1d, 1000, 3);
}

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).expect("a good position")
}

fn moves(line: &Line) -> Vec<String> {
    line.moves.iter().map(ToString::to_string).collect()
}

#[test]
fn futile_interpositions_do_not_count() {
    // Whatever White drops between rook and king is taken, and it is mate again.
    let problem = position("8k/9/7S1/7G1/9/9/9/9/9 b Rrb2g2s4n4l18p 1");
    let line = mate(&problem, true);
    assert!(line.length <= line.moves.len(), "{:?}", moves(&line));
    assert!(is_mating_line(&problem, &line.moves));
}

#[test]
fn a_dropped_pawn_does_not_mate() {
    // P*1b would mate, and nothing else does.
    let problem = position("7nk/9/7S1/8N/9/9/9/9/9 b P2r2b4g3s2n4l17p 1");
    let verdict = solve(&mut MateSolver::new(1), &problem, false, 1);
    let is_possible = BruteForce::default().length(&problem, BRUTE_FORCE_PLIES).is_some();
    assert_eq!(matches!(verdict, Verdict::Mate { .. }), is_possible);
    if let Verdict::Mate { line, .. } = verdict {
        assert_ne!(line.moves[0].to_string(), "P*1b");
    }
}

#[test]
fn what_could_promote_does_where_that_mates_as_fast() {
    // 4b3c mates too.
    let problem = position("8k/5BS1s/5p3/9/8L/5g3/9/9/9 b P 1");
    for is_shortest in [false, true] {
        assert_eq!(moves(&mate(&problem, is_shortest)), ["4b3c+"]);
    }
}

#[test]
fn a_side_without_a_target_does_not_mate() {
    let mut solver = MateSolver::new(1);
    for sfen in ["9/9/9/9/9/9/9/9/4K4 b RB 1", "4k4/9/9/9/9/9/9/9/9 w rb 1"] {
        let verdict = solve(&mut solver, &position(sfen), false, 1);
        assert_eq!(verdict, Verdict::NoMate, "{sfen}");
    }
}

#[test]
fn an_attacker_in_check_must_answer_with_check() {
    // The gold takes the checking rook and mates.
    let problem = position("4k4/4r4/4GG3/9/9/9/9/9/4K4 b - 1");
    let line = mate(&problem, true);
    assert_eq!(line.moves.len(), 1);
    assert_eq!(problem.side_to_move(), Color::Black);
    assert!(line.moves[0].to_string().ends_with("5b"));
}

#[test]
fn the_limits_are_obeyed() {
    let endless = position(
        "g3p3+r/3lPG3/1s4ppp/1l1B4P/L2b1kPl1/3+p3+R+p/3+p2+s1S/+NP+p1gS3/1g+p2P3 b 4P3n 1",
    );
    let stop = AtomicBool::new(false);
    let limits = MateLimits { nodes: Some(5000), ..MateLimits::until(&stop) };
    let mut solver = MateSolver::new(1);
    let solution = solver.solve(&endless, &limits, &mut |_| {});
    let solution = solution.expect("a thread");
    assert_eq!(solution.verdict, Verdict::Unknown);
    let nodes = solution.nodes;
    assert!((5000..10_000).contains(&nodes), "{nodes}");
    let stopped = AtomicBool::new(true);
    let solution = solver.solve(&endless, &MateLimits::until(&stopped), &mut |_| {});
    let solution = solution.expect("a thread");
    assert!(solution.nodes < 1000, "{}", solution.nodes);
}

/// Two golds in hand where one is enough: the first move is free.
#[test]
fn second_solutions_are_found() {
    let stop = AtomicBool::new(false);
    let solve = |sfen: &str| {
        let problem = position(sfen);
        let mut solver = MateSolver::new(1);
        let Verdict::Mate { line, .. } = solve(&mut solver, &problem, true, 1) else {
            panic!("a mate");
        };
        let second = solver.second_solutions(&problem, &line, true, &MateLimits::until(&stop));
        (line, second.expect("a thread"))
    };
    let (_, second) = solve("4k4/9/4P4/9/9/9/9/9/9 b G 1");
    assert!(second.found.is_empty() && second.is_complete, "{second:?}");
    let (line, second) = solve("4k4/9/3PPP3/9/9/9/9/9/9 b GS 1");
    let is_first = |mv: Move| mv == line.moves[0];
    assert!(!second.found.is_empty(), "{second:?}");
    assert!(!second.found.iter().any(|solution| is_first(solution.mv)), "{second:?}");
}

#[test]
fn only_the_moves_asked_for_are_tried_first() {
    let problem = position("4k4/9/3PPP3/9/9/9/9/9/9 b GS 1");
    let stop = AtomicBool::new(false);
    let mut solver = MateSolver::new(1);
    let mut first_move = |texts: &[&str]| {
        let parse = |text: &&str| problem.legal_move(text.parse().expect("a move"));
        let search_moves: Vec<Move> = texts.iter().filter_map(parse).collect();
        assert_eq!(search_moves.len(), texts.len());
        let limits =
            MateLimits { search_moves: &search_moves, shortest: true, ..MateLimits::until(&stop) };
        let solution = solver.solve(&problem, &limits, &mut |_| {});
        match solution.expect("a thread").verdict {
            Verdict::Mate { line, .. } => Some((line.moves[0].to_string(), line.length)),
            _ => None,
        }
    };
    assert!(first_move(&[]).is_some());
    for only in ["G*5b", "S*5b"] {
        assert_eq!(first_move(&[only]), Some((only.to_owned(), 1)));
    }
    assert_eq!(first_move(&["G*1i", "4c4b"]), None);
}

/// Answers on the board that hold out as long as the line's, by brute force.
#[test]
fn equal_defences_are_found() {
    let mut random = Random(0x5851_f42d_4c95_7f2d);
    let mut solver = MateSolver::new(1);
    let stop = AtomicBool::new(false);
    let mut compared = 0;
    while compared < 5 {
        let Some(problem) = small_problem(&mut random) else {
            continue;
        };
        solver.clear();
        let verdict = solve_within(2000, &mut solver, &problem, true, 1);
        let Verdict::Mate { line, is_shortest, .. } = verdict else {
            continue;
        };
        if !is_shortest || !(3..=5).contains(&line.length) {
            continue;
        }
        let limits = MateLimits { nodes: Some(3000), ..MateLimits::until(&stop) };
        let second = solver.second_solutions(&problem, &line, true, &limits);
        let second = second.expect("a thread");
        if !second.is_complete {
            continue;
        }
        let mut position = problem.clone();
        for (index, &mv) in line.moves[..line.length].iter().enumerate() {
            let found = |answer| {
                let here = second.defences.iter().filter(|found| found.index == index);
                here.into_iter().any(|found| found.mv == answer)
            };
            for answer in legal_moves(&position) {
                if index % 2 == 0 || answer == mv || answer.is_drop() {
                    continue;
                }
                let left = line.length - index - 1;
                let mut after = position.clone();
                after.do_move(answer);
                let length = BruteForce::default().length(&after, left);
                let sfen = problem.to_sfen();
                assert_eq!(found(answer), length == Some(left), "{sfen} {answer}");
                compared += usize::from(length == Some(left));
            }
            position.do_move(mv);
        }
    }
}
