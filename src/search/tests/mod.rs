//! Tests that need access to the inside of the search: entries of other positions in the table.

mod collision_bug;
pub(super) mod collisions;
mod lines;
mod root_mate;
mod teacher_games;
mod torture;

use std::{sync::Arc, sync::mpsc::channel};

use super::history::HistoryPool;
use super::{Decision, Event, Info, Limits, Searcher, Settings, Statistics};
use super::{root::root_moves, signals::Signals, thread::Task, worker::Worker};
use crate::movegen::legal_moves;
use crate::position::{Position, START_SFEN};
use crate::transposition::{Entry, TranspositionTable};
use crate::types::value::{self, mate_in};
use crate::types::{Bound, Key64, Move16};

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).expect("the test gives a good position")
}

fn stored(text: &str) -> Move16 {
    text.parse().expect("the test gives a good move")
}

/// A worker at a position, with a table of 1 MB.
fn worker(position: &Position) -> Worker {
    worker_with(position, Settings::default())
}

fn worker_with(position: &Position, settings: Settings) -> Worker {
    let task = Task {
        thread: 0,
        position: position.clone(),
        limits: Arc::default(),
        settings: Arc::new(settings),
        table: Arc::new(TranspositionTable::new(1).expect("memory for a table of 1 MB")),
        signals: Arc::new(Signals::of_search(1, false)),
        collisions: None,
    };
    let moves = root_moves(&task.position, &task.limits, &task.settings);
    let mut worker = Worker::new(&HistoryPool::default()).expect("there is memory");
    worker.begin(task, moves);
    worker
}

fn settings() -> Settings {
    Settings { hash_mb: 8, pv_interval: std::time::Duration::ZERO, ..Settings::default() }
}

fn with(change: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = settings();
    change(&mut settings);
    settings
}

fn to_depth(depth: i32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn prepared(settings: &Settings) -> Searcher {
    let mut searcher = Searcher::new();
    let ready = searcher.prepare(settings);
    ready.expect("memory for a small table");
    searcher
}

/// All that a search says, to its end.
fn events(
    searcher: &mut Searcher,
    root: &Position,
    limits: Limits,
    settings: &Settings,
) -> Vec<Event> {
    let (sender, events) = channel();
    let on_event = move |event| sender.send(event).expect("the test listens");
    searcher.go(root.clone(), limits, settings, Box::new(on_event));
    searcher.wait();
    events.try_iter().collect()
}

/// The lines of a search and its decision, which it must have found without a note.
fn lines_and_decision(events: Vec<Event>) -> (Vec<Info>, Decision) {
    let (mut infos, mut decision) = (Vec::new(), None);
    for event in events {
        match event {
            Event::Info(info) => infos.push(info),
            Event::Done(done) => decision = Some(done),
            Event::CurrentMove(_) => {}
            Event::Note(note) => panic!("{note}"),
        }
    }
    (infos, decision.expect("a search is decided"))
}

/// Whether the move of an entry is legal here.
fn is_legal(position: &Position, mv: Move16) -> bool {
    let mv = position.to_move(mv);
    mv.is_some_and(|mv| legal_moves(position).contains(&mv))
}

/// Stores an entry under the key of a position.
fn store(table: &TranspositionTable, key: Key64, entry: Entry) {
    table.store(table.probe(key).slot, key, entry);
}

/// Searches with a table that contains `planted` entries of maximum depth and value.
fn search(root: &Position, planted: &[(Key64, Move16)]) -> (Vec<Info>, Statistics) {
    let mut searcher = prepared(&settings());
    for &(key, mv) in planted {
        let entry = Entry {
            mv: Some(mv),
            value: mate_in(1),
            eval: value::MAX_EVALUATION,
            depth: value::MAX_PLY as i32,
            bound: Bound::Exact,
            is_pv: true,
        };
        store(searcher.table(), key, entry);
    }
    let (mut infos, _) = lines_and_decision(events(&mut searcher, root, to_depth(5), &settings()));
    for info in &mut infos {
        info.time = std::time::Duration::ZERO;
        info.hashfull = 0;
    }
    (infos, searcher.statistics())
}

/// A key collision brings a move of another position under this position's key. Such moves are
/// stored under the root and under each position after a root move: moves of either side, a
/// promotion outside the zone, a drop of a piece that is not in hand, two pawns on a file, a jump
/// over pieces, a king into check, a pinned piece. None may cause a cutoff, be played, or change
/// the search.
#[test]
fn moves_of_other_positions_are_never_used() {
    for (sfen, foreign) in cases! {
        START_SFEN => "7g7f+ 7g7e 8h2b+ P*5e 5e5d 5i5i+ 2h2c+ G*5h";
        "4k4/4r4/9/9/9/9/4P4/4G4/4K4 b Pr 1" => "P*5d 5g5f+ 5h4i+ R*1a 5i5h 9i9h G*2b 5h5f";
    } {
        let root = position(sfen);
        let (clean, clean_statistics) = search(&root, &[]);
        assert_eq!(clean_statistics.rejected, 0);
        for text in foreign.split(' ') {
            let mv = stored(text);
            let children = legal_moves(&root).into_iter().map(|first| {
                let mut child = root.clone();
                child.do_move(first);
                child
            });
            let positions = children.chain([root.clone()]);
            let wrong = positions.filter(|position| !is_legal(position, mv));
            let planted: Vec<_> = wrong.map(|position| (position.key(), mv)).collect();
            let (infos, statistics) = search(&root, &planted);
            assert!(statistics.rejected > 0, "{text}");
            assert_eq!(infos, clean, "{text}");
            assert_eq!(statistics.nodes, clean_statistics.nodes, "{text}");
        }
    }
}

#[test]
fn a_panic_in_the_search_still_leads_to_a_legal_decision() {
    let settings = with(|settings| settings.hash_mb = 1);
    let mut searcher = Searcher::new();
    for _ in 0..2 {
        // The second round shows that the thread still works after the panic.
        let limits = to_depth(3);
        let (sender, events) = channel();
        let on_event = move |event| {
            assert!(!matches!(event, Event::Info(_)), "a planted panic");
            sender.send(event).expect("the test listens");
        };
        searcher.go(Position::startpos(), limits, &settings, Box::new(on_event));
        searcher.wait();
        let events: Vec<Event> = events.try_iter().collect();
        let [Event::Note(note), Event::Done(Decision::Move { best, .. })] = &events[..] else {
            panic!("a note and a decision, not {events:?}");
        };
        assert!(note.contains("a planted panic"), "{note}");
        assert!(legal_moves(&position(START_SFEN)).contains(best));
    }
}

#[test]
fn a_thread_that_ended_is_answered_for_and_replaced() {
    let settings = Settings { hash_mb: 1, ..Settings::default() };
    let mut searcher = Searcher::new();
    let go =
        |searcher: &mut Searcher| events(searcher, &Position::startpos(), to_depth(1), &settings);
    searcher.kill_main_thread();
    let events = go(&mut searcher);
    let [Event::Note(note), Event::Done(Decision::Move { .. })] = &events[..] else {
        panic!("a note and a decision, not {events:?}");
    };
    assert!(note.contains("no search thread"), "{note}");
    searcher.prepare(&settings).expect("the system has threads");
    let events = go(&mut searcher);
    let last = events.last();
    assert!(matches!(last, Some(Event::Done(Decision::Move { .. }))));
    assert!(events.iter().any(|event| matches!(event, Event::Info(_))));
}

#[test]
fn pieces_in_hand_cost_the_giver_of_a_handicap() {
    let contempt_at = |sfen: &str, last_move: Option<&str>| {
        let values = [0, 20].map(|handicap_contempt| {
            let root = position(sfen);
            let mut worker =
                worker_with(&root, with(|it| it.handicap_contempt = handicap_contempt));
            if let Some(text) = last_move {
                worker.position.do_move(root.legal_move(stored(text)).expect("a legal move"));
            }
            worker.evaluate()
        });
        values[1] - values[0]
    };
    // 20 centipawns are 18 of the internal unit; each side has a silver and a pawn.
    let giver = "ln1gkgsnl/1r7/ppppppp1p/9/9/9/PPPPPPP1P/1B5R1/LN1GKGSNL w SPsp 1";
    assert_eq!(contempt_at(giver, None), -36);
    assert_eq!(contempt_at(giver, Some("3c3d")), 36);
    assert_eq!(contempt_at(giver, Some("S*5e")), 18);
    assert_eq!(contempt_at(&giver.replace(" w ", " b "), None), 0);
    let even = giver.replace("1r7", "1r5b1");
    assert_eq!(contempt_at(&even, None), 0);
}
