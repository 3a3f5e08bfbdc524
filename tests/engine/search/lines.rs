//! The lines that are shown: whole where the table allows, as many as asked for and possible, and
//! the move in work.

use std::time::{Duration, Instant};

use raicho::movegen::legal_moves;
use raicho::position::{Position, START_SFEN};
use raicho::search::{CurrentMove, Event, Info, Limits, Settings};
use raicho::types::{Bound, Move};

use super::{prepared, search, settings, start, to_depth, to_nodes};
use crate::common::{MATSURI, legal_move, position};

fn with_lines(multi_pv: usize) -> Settings {
    Settings { multi_pv, ..settings() }
}

/// The last report of each line.
fn last_lines(infos: &[Info]) -> &[Info] {
    let first = infos.iter().rposition(|info| info.multi_pv == 1);
    first.map_or(&[], |first| &infos[first..])
}

#[test]
fn lines_reach_most_of_their_depth() {
    let settings = Settings { hash_mb: 64, ..with_lines(4) };
    let (mut length, mut wanted) = (0, 0);
    for sfen in [START_SFEN, MATSURI] {
        let report = search(&position(sfen), to_depth(8), &settings);
        for info in report.infos.iter().filter(|info| info.depth >= 6) {
            length += info.pv.len().min(info.depth as usize);
            wanted += info.depth as usize;
        }
    }
    assert!(length * 4 > wanted * 3, "{length} of {wanted} plies");
}

#[test]
fn there_are_no_more_lines_than_moves() {
    // A king alone, with a single move, and without more than a few.
    for sfen in ["8k/9/9/9/9/9/9/R8/K3g4 w - 1", "4k4/9/9/9/9/9/9/9/4K4 b - 1"] {
        let position = position(sfen);
        let moves = legal_moves(&position);
        let report = search(&position, to_depth(5), &with_lines(600));
        assert_eq!(last_lines(&report.infos).len(), moves.len(), "{sfen}");
    }
}

#[test]
fn several_lines_and_a_choice_of_moves_go_together() {
    let position = Position::startpos();
    let wanted = ["9g9f", "1g1f", "5i5h"].map(|text| legal_move(&position, text));
    for lines in [1, 2, 3, 5] {
        let limits = Limits { search_moves: wanted.to_vec(), ..to_depth(6) };
        let report = search(&position, limits, &with_lines(lines));
        let last = last_lines(&report.infos);
        assert_eq!(last.len(), lines.min(3));
        let mut moves: Vec<Move> = last.iter().map(|info| info.pv[0]).collect();
        moves.dedup();
        assert_eq!(moves.len(), last.len());
        assert!(moves.iter().all(|mv| wanted.contains(mv)));
        assert!(last.is_sorted_by_key(|info| info.multi_pv));
    }
}

/// A search that seems to have begun four seconds ago tells the move in work, and windows that
/// failed.
#[test]
fn long_searches_tell_what_they_do() {
    let began = Instant::now();
    let root = position(MATSURI);
    let settings = settings();
    let mut searcher = prepared(&settings);
    let start_time = began.checked_sub(Duration::from_secs(4));
    let limits =
        Limits { start: start_time.expect("the machine runs for longer"), ..to_nodes(300_000) };
    let events = start(&mut searcher, &root, limits, &settings);
    let events: Vec<Event> = events.iter().collect();
    let current = events.iter().filter_map(|event| match event {
        Event::CurrentMove(current) => Some(*current),
        _ => None,
    });
    let current: Vec<CurrentMove> = current.collect();
    assert!(!current.is_empty());
    let most = began.elapsed().as_millis() / 100 + 1;
    assert!(current.len() as u128 <= most, "{} moves", current.len());
    let moves = legal_moves(&root);
    for told in current {
        assert!(moves.contains(&told.mv) && told.depth >= 1);
        assert!((1..=moves.len()).contains(&told.number));
    }
    let bounds = events
        .iter()
        .filter(|event| matches!(event, Event::Info(info) if info.bound != Bound::Exact));
    assert!(bounds.count() > 0);
}

/// By the search's own clock, however slow the machine is. The last line may have no exact value.
#[test]
fn short_searches_do_not() {
    const NODES: u64 = 50_000;
    let settings = settings();
    let mut searcher = prepared(&settings);
    let began = Instant::now();
    let limits = to_nodes(NODES);
    let events = start(&mut searcher, &position(MATSURI), limits, &settings);
    let events: Vec<Event> = events.iter().collect();
    if began.elapsed() > Duration::from_secs(3) {
        return;
    }
    for event in events {
        match event {
            Event::CurrentMove(current) => panic!("{current:?}"),
            Event::Info(info) if info.nodes < NODES => assert_eq!(info.bound, Bound::Exact),
            Event::Info(_) | Event::Note(_) | Event::Done(_) => {}
        }
    }
}
