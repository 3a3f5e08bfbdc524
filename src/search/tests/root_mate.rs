//! Mates that the mate solver finds for the root.

use super::*;
use crate::types::{EnteringKingRule, Move, Score};
use crate::{mate::is_mating_line, search::Skill};

/// A mate in 21 plies that the search alone does not see in a million nodes.
const LONG_MATE: &str = "lr5nl/6k2/6bpp/p1p1S1R2/1P1np2P1/P1P1P3P/3K5/1S3G3/LN5NL b 2G6Pbg2sp 95";
const NODES: u64 = 600_000;

fn to_nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// The reports of a search, its decision, and its nodes.
fn run(root: &Position, limits: Limits, settings: &Settings) -> (Vec<Info>, Decision, u64) {
    let mut searcher = prepared(settings);
    let events = events(&mut searcher, root, limits, settings);
    let (infos, decision) = lines_and_decision(events);
    (infos, decision, searcher.statistics().nodes)
}

/// The plies of the mate that a report claims with its line, which must mate. Not every move needs
/// to check: the search also finds mates that begin with an answer to a check.
fn mate_of(root: &Position, info: &Info) -> Option<i32> {
    let Score::Mate(plies) = info.score else {
        return None;
    };
    assert!(plies > 0 && info.pv.len() <= plies as usize, "{info:?}");
    assert!(mates(root, &info.pv), "{info:?}");
    Some(plies)
}

/// Whether the moves are legal and the last one mates.
fn mates(root: &Position, moves: &[Move]) -> bool {
    let mut position = root.clone();
    for &mv in moves {
        if !legal_moves(&position).contains(&mv) {
            return false;
        }
        position.do_move(mv);
    }
    position.in_check() && legal_moves(&position).is_empty()
}

fn best_of(decision: &Decision) -> Move {
    match decision {
        Decision::Move { best, .. } => *best,
        other => panic!("{other:?} instead of a move"),
    }
}

#[test]
fn a_long_mate_is_found_proved_and_played() {
    let root = position(LONG_MATE);
    let (infos, decision, nodes) = run(&root, to_nodes(NODES), &settings());
    let last = infos.last().expect("there is a line");
    assert!(mate_of(&root, last).is_some_and(|plies| plies >= 21));
    let all_check = is_mating_line(&root, &last.pv);
    assert!(all_check, "the solver's moves all check");
    assert_eq!(best_of(&decision), last.pv[0]);
    assert!(nodes < NODES, "the mate ends the search");
    let again = run(&root, to_nodes(NODES), &settings());
    assert_eq!((again.1, again.2), (decision, nodes));
}

/// With the best defence after each move the mate is found again, and comes nearer.
#[test]
fn a_mate_is_played_to_its_end() {
    let mut position = position(LONG_MATE);
    let mut searcher = prepared(&settings());
    let mut left = i32::MAX;
    loop {
        let events = events(&mut searcher, &position, to_nodes(NODES), &settings());
        let (infos, _) = lines_and_decision(events);
        let last = infos.last().expect("there is a line");
        let plies = mate_of(&position, last).expect("there is a mate");
        assert!(plies < left, "{plies} plies after {left}");
        left = plies;
        position.do_move(last.pv[0]);
        let Some(&reply) = last.pv.get(1) else { break };
        position.do_move(reply);
    }
    assert!(position.in_check() && legal_moves(&position).is_empty());
}

#[test]
fn other_lines_are_searched_besides_the_mate() {
    let root = position(LONG_MATE);
    let settings = with(|settings| settings.multi_pv = 2);
    let (infos, decision, _) = run(&root, to_nodes(NODES), &settings);
    let line = |number| infos.iter().rfind(|info| info.multi_pv == number);
    let [first, second] = [1, 2].map(|number| line(number).expect("two lines"));
    assert!(mate_of(&root, first).is_some());
    assert_eq!(best_of(&decision), first.pv[0]);
    assert_ne!(first.pv[0], second.pv[0]);
}

/// Where the mate may not be used, the search is as it was.
#[test]
fn a_mate_that_may_not_be_used_is_not_shown() {
    let root = position(LONG_MATE);
    let (infos, ..) = run(&root, to_nodes(NODES), &settings());
    let mating = infos.last().expect("there is a line").pv[0];
    let others = legal_moves(&root).into_iter().filter(|&mv| mv != mating);
    let other_moves = Limits { search_moves: others.collect(), ..to_nodes(NODES) };
    let lower_level = with(|settings| settings.skill = Skill::of_level(19));
    let try_rule = with(|settings| settings.entering_king_rule = EnteringKingRule::TryRule);
    let short_game = with(|settings| settings.max_moves_to_draw = 110);
    for (what, limits, settings) in [
        ("other moves only", other_moves, settings()),
        ("a lower level", to_nodes(NODES), lower_level),
        ("the try rule", to_nodes(NODES), try_rule),
        ("the game ends before the mate", to_nodes(NODES), short_game),
    ] {
        let (infos, ..) = run(&root, limits, &settings);
        let is_mate = |info: &Info| mate_of(&root, info).is_some();
        assert!(!infos.iter().any(is_mate), "{what}");
    }
}

/// The solver does not know the history, so it is not asked where a position has come back.
#[test]
fn a_repeated_position_is_searched_without_the_solver() {
    let mut root = position(LONG_MATE);
    for text in ["6g6h", "3b2b", "6h6g", "2b3b"] {
        let mv = root.to_move(stored(text)).expect("the piece is there");
        assert!(legal_moves(&root).contains(&mv), "{text}");
        root.do_move(mv);
    }
    let (infos, ..) = run(&root, to_nodes(NODES), &settings());
    assert!(infos.iter().all(|info| mate_of(&root, info).is_none()));
}

/// Mates that the solver found in games, see the head of the file.
const GAME_MATES: &str = include_str!("../../../tests/data/game_mates.tsv");

fn game_mates() -> impl Iterator<Item = (Position, i32)> {
    let lines = GAME_MATES.lines().filter(|line| !line.starts_with('#'));
    lines.skip(1).map(|line| {
        let (sfen, plies) = line.split_once('\t').expect("two columns");
        (position(sfen), plies.parse().expect("a number of plies"))
    })
}

#[test]
fn the_list_of_mates_from_games_is_one() {
    assert_eq!(game_mates().count(), 200);
    assert!(game_mates().all(|(_, plies)| (13..=31).contains(&plies) && plies % 2 == 1));
}

/// With 500,000 nodes the search alone finds three of these.
#[test]
fn mates_from_games_are_found() {
    for index in [24, 49, 74, 124, 149] {
        let (root, _) = game_mates().nth(index).expect("200 mates");
        let (infos, ..) = run(&root, to_nodes(200_000), &settings());
        let last = infos.last().expect("there is a line");
        assert!(mate_of(&root, last).is_some(), "{}", root.to_sfen());
    }
}
