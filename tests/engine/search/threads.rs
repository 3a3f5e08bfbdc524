//! Several threads: one decision, told as it is, and a number of threads that may change whenever
//! no search runs.

use std::time::Duration;

use raicho::position::Position;
use raicho::search::{Decision, Limits, Settings};

use super::{check, collect, prepared, search, settings, start, to_depth, to_nodes};
use crate::common::{MATSURI, position};

fn with_threads(threads: usize) -> Settings {
    Settings { threads, ..settings() }
}

/// Whichever thread wins the vote, its line is the last that is reported.
#[test]
fn several_threads_agree_on_one_decision() {
    let settings = with_threads(3);
    let mut searcher = prepared(&settings);
    for sfen in
        [MATSURI, "l3k2nl/4g1gb1/1+S1pspp+P1/p1p6/3n4p/2PPR1P2/P2bPP2P/5GS2/LN1K4L w R2Pgsn2p 50"]
    {
        let position = position(sfen);
        for nodes in (1..20).map(|round| round * round * 40) {
            let events = start(&mut searcher, &position, to_nodes(nodes), &settings);
            let report = collect(&events);
            check(&position, &report);
            assert!(matches!(report.decision, Decision::Move { .. }));
        }
    }
}

/// The first thread that is there answers, and what is told last is of the depth that was asked
/// for.
#[test]
fn a_depth_is_reached_whoever_is_there_first() {
    for depth in 1..9 {
        let report = search(&position(MATSURI), to_depth(depth), &with_threads(3));
        assert_eq!(report.infos.last().map(|info| info.depth), Some(depth));
    }
}

#[test]
fn helpers_that_are_there_first_do_not_end_an_analysis() {
    let settings = with_threads(3);
    let mut searcher = prepared(&settings);
    let limits = Limits { infinite: true, ..to_depth(4) };
    let events = start(&mut searcher, &position(MATSURI), limits, &settings);
    std::thread::sleep(Duration::from_millis(300));
    assert!(searcher.is_searching());
    searcher.stop();
    collect(&events);
}

#[test]
fn threads_change_in_the_middle_of_a_game() {
    let mut position = Position::startpos();
    let mut searcher = prepared(&with_threads(1));
    for threads in [1, 4, 2, 3, 1, 8, 1] {
        let settings = with_threads(threads);
        searcher.adapt(&settings).expect("the system has threads");
        let report = collect(&start(&mut searcher, &position, to_nodes(3000), &settings));
        check(&position, &report);
        let Decision::Move { best, .. } = report.decision else {
            panic!("there are moves");
        };
        position.do_move(best);
    }
}

/// A second search finds the same table whether or not threads came and went in between.
#[test]
fn other_threads_find_the_table_as_it_was() {
    let root = position(MATSURI);
    let nodes = |between: &[usize]| {
        let mut searcher = prepared(&with_threads(1));
        [(); 2].map(|()| {
            collect(&start(&mut searcher, &root, to_depth(9), &with_threads(1)));
            let nodes = searcher.statistics().nodes;
            // What two threads search differs from run to run, so they only come and go.
            for &threads in between {
                let settings = with_threads(threads);
                searcher.adapt(&settings).expect("the system has threads");
            }
            nodes
        })
    };
    let undisturbed = nodes(&[]);
    assert_ne!(undisturbed[0], undisturbed[1], "the table is read");
    assert_eq!(nodes(&[2, 1]), undisturbed);
}

/// Stops come at any moment, also before the helpers have begun.
#[test]
fn every_start_has_its_decision() {
    let settings = with_threads(4);
    let mut searcher = prepared(&settings);
    for round in 0..60 {
        let limits = Limits { infinite: round % 2 == 0, ..Limits::default() };
        let events = start(&mut searcher, &position(MATSURI), limits, &settings);
        std::thread::sleep(Duration::from_micros(round * 97));
        searcher.stop();
        check(&position(MATSURI), &collect(&events));
    }
}
