//! The search from outside: what it promises whatever the position, the limits and the moment of a
//! stop.

mod lines;
mod reproducibility;
mod threads;

use std::sync::mpsc::{Receiver, channel};
use std::thread::sleep;
use std::time::{Duration, Instant};

use raicho::movegen::legal_moves;
use raicho::position::Position;
use raicho::search::{Clock, Decision, Event, Info, Limits, Searcher, Settings};
use raicho::types::{EnteringKingRule, Move, Score};

use crate::common::{MATSURI, Random, legal_move, position, random_move};

/// What a search said.
struct Report {
    infos: Vec<Info>,
    notes: Vec<String>,
    decision: Decision,
}

fn settings() -> Settings {
    Settings { hash_mb: 8, pv_interval: Duration::ZERO, ..Settings::default() }
}

fn with(change: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = settings();
    change(&mut settings);
    settings
}

fn prepared(settings: &Settings) -> Searcher {
    let mut searcher = Searcher::new();
    let ready = searcher.prepare(settings);
    ready.expect("memory for a small table");
    searcher
}

fn start(
    searcher: &mut Searcher,
    position: &Position,
    limits: Limits,
    settings: &Settings,
) -> Receiver<Event> {
    let (sender, events) = channel();
    let on_event = move |event| sender.send(event).expect("the test listens");
    searcher.go(position.clone(), limits, settings, Box::new(on_event));
    events
}

/// Collects everything up to the decision, which must be the last event.
fn collect(events: &Receiver<Event>) -> Report {
    let (mut infos, mut notes) = (Vec::new(), Vec::new());
    let decision = loop {
        match events.recv().expect("a decision comes") {
            Event::Info(info) => infos.push(info),
            Event::CurrentMove(_) => {}
            Event::Note(note) => notes.push(note),
            Event::Done(decision) => break decision,
        }
    };
    assert!(events.recv().is_err(), "nothing follows the decision");
    Report { infos, notes, decision }
}

fn search(position: &Position, limits: Limits, settings: &Settings) -> Report {
    let mut searcher = prepared(settings);
    let report = collect(&start(&mut searcher, position, limits, settings));
    check(position, &report);
    report
}

/// Every line and the decision can be played.
fn check(position: &Position, report: &Report) {
    let notes = &report.notes;
    let is_win = |note: &String| note.starts_with("win by ");
    assert!(notes.iter().all(is_win), "{notes:?}");
    for info in &report.infos {
        // Only a declaration takes no move.
        assert!(!info.pv.is_empty() || report.decision == Decision::Win);
        assert!(info.pv.len() <= info.seldepth as usize);
        if let Score::Mate(plies) = info.score {
            assert!(info.pv.len() <= plies.unsigned_abs() as usize, "{info:?}");
        }
        let mut position = position.clone();
        for &mv in &info.pv {
            assert!(legal_moves(&position).contains(&mv), "{mv:?} of {info:?}");
            position.do_move(mv);
        }
    }
    if let Decision::Move { best, ponder } = report.decision {
        // The last report of the best line is the one that was decided on.
        let last = report.infos.iter().rfind(|info| info.multi_pv == 1);
        assert!(last.is_none_or(|info| info.pv[0] == best && info.pv.get(1).copied() == ponder));
        let mut position = position.clone();
        assert!(legal_moves(&position).contains(&best));
        position.do_move(best);
        assert!(ponder.is_none_or(|ponder| legal_moves(&position).contains(&ponder)));
    }
}

fn to_depth(depth: i32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn to_nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// Mates with their length in plies.
#[rustfmt::skip]
const MATES: [(i32, &str); 9] = [
    (1, "Kbg4nl/3sk1gs1/2n4pp/1G1p5/1pP4P1/4S4/P2PPG2P/1L7/LNS4NL w 7P2Rpb 1"),
    (1, "4p2+P1/2g1+N4/2n6/1Rpb1pp1p/k3P4/2P1SPP2/1G1SB4/1S2KG1P1/6+r2 b PLS6p3l2ng 1"),
    (1, "lS2l4/2G2g3/1p+N3rrp/p2P1Np2/P3SP3/2k1P1P2/1PN1G1S1P/1K5+p1/L7L b PNB5psgb 1"),
    (1, "9/l8/1N+Rsp4/p1pp4p/5pp2/Pk1PG3P/1B1GGP3/LL7/K1g1+b4 b 3PL2N4pn3sr 1"),
    (3, "ln1gkg1nl/6+P2/2sppps1p/2p3p2/p8/P1P1P3P/2NP1PP2/3s1KSR1/L1+b2G1NL w R2Pbgp 42"),
    (3, "l3k2nl/4g1gb1/1+S1pspp+P1/p1p6/3n4p/2PPR1P2/P2bPP2P/5GS2/LN1K4L w R2Pgsn2p 50"),
    (3, "1+P1gkg2l/2s3s+P1/3ppp2p/P1p2npp1/l2N1+b3/3KP1P2/N2P1PS1P/2+p1G2R1/L1+r3sNL w Pbgp 58"),
    (3, "l1+R5l/2pS5/p2pp+P1pp/2k3p2/2N4P1/PP2R1P1P/2+pPP1N2/2GSG1bs1/LN1K4L b 2GSNPbp 73"),
    (5, "l3g2nl/2+N2sk2/p2ppp3/1+R4gpp/3ln4/2PPK3P/PP2P4/1+bNS1+s+r2/+b2GG3L w Ps5p 84"),
];

#[test]
fn finds_short_mates() {
    for (plies, sfen) in MATES {
        let report = search(&position(sfen), to_nodes(200_000), &settings());
        let last = report.infos.last().expect("there is a line");
        assert_eq!(last.score, Score::Mate(plies), "{sfen}");
        assert_eq!(last.pv.len() as i32, plies, "{sfen}");
    }
}

#[test]
fn node_limits_are_exact() {
    for nodes in [1, 100, 511, 513, 12_345, 40_000] {
        let mut searcher = prepared(&settings());
        let (position, limits) = (position(MATSURI), to_nodes(nodes));
        collect(&start(&mut searcher, &position, limits, &settings()));
        assert_eq!(searcher.statistics().nodes, nodes);
    }
}

#[test]
fn lines_are_legal_in_random_positions() {
    let random = &mut Random(1);
    let mut searcher = prepared(&settings());
    for _ in 0..12 {
        let mut position = Position::startpos();
        for _ in 0..120 {
            let moves = legal_moves(&position);
            if moves.is_empty() {
                break;
            }
            position.do_move(random_move(&position, &moves, random));
            if random.one_in(16) {
                let events = start(&mut searcher, &position, to_nodes(2000), &settings());
                check(&position, &collect(&events));
            }
        }
    }
}

#[test]
fn stops_at_once() {
    let mut searcher = prepared(&settings());
    for wait in [0, 1, 20, 100] {
        let (position, limits) = (position(MATSURI), Limits::default());
        let events = start(&mut searcher, &position, limits, &settings());
        sleep(Duration::from_millis(wait));
        let stopped = Instant::now();
        searcher.stop();
        let report = collect(&events);
        assert!(stopped.elapsed() < Duration::from_millis(200));
        assert!(matches!(report.decision, Decision::Move { .. }));
        check(&position, &report);
    }
}

#[test]
fn infinite_and_ponder_wait_for_permission() {
    let settings = settings();
    let mut searcher = prepared(&settings);
    let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    for (sfen, is_mated) in [(mated, true), (MATES[0].1, false)] {
        let position = position(sfen);
        for ponder in [false, true] {
            let limits = Limits { ponder, infinite: !ponder, depth: Some(2), ..Limits::default() };
            let events = start(&mut searcher, &position, limits.clone(), &settings);
            sleep(Duration::from_millis(30));
            assert!(searcher.is_searching());
            searcher.stop();
            let decision = collect(&events).decision;
            match (is_mated, ponder) {
                (true, true) => assert_eq!(decision, Decision::Nothing),
                (true, false) => assert_eq!(decision, Decision::Resign),
                _ => assert!(matches!(decision, Decision::Move { .. })),
            }
            if ponder {
                let events = start(&mut searcher, &position, limits, &settings);
                searcher.ponderhit(None);
                let decision = collect(&events).decision;
                assert_eq!(decision == Decision::Resign, is_mated);
            }
        }
    }
}

#[test]
fn several_lines_are_distinct_and_sorted() {
    let settings = with(|settings| settings.multi_pv = 5);
    let report = search(&position(MATSURI), to_depth(7), &settings);
    assert_eq!(report.infos.len() % 5, 0);
    for lines in report.infos.chunks(5) {
        let numbers: Vec<usize> = lines.iter().map(|info| info.multi_pv).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5]);
        let scores = lines.iter().filter_map(|info| match info.score {
            Score::Cp(score) => Some(-score),
            Score::Mate(_) => None,
        });
        assert!(scores.is_sorted(), "{lines:?}");
        let mut moves: Vec<String> = lines.iter().map(|info| info.pv[0].to_string()).collect();
        moves.sort();
        moves.dedup();
        assert_eq!(moves.len(), 5);
    }
}

#[test]
fn only_the_wanted_moves_are_searched() {
    let position = Position::startpos();
    for wanted in [vec!["9g9f"], vec!["1g1f", "5i5h"], vec!["9i9h"]] {
        let wanted = wanted.iter().map(|text| legal_move(&position, text));
        let wanted: Vec<Move> = wanted.collect();
        let limits = Limits { search_moves: wanted.clone(), ..to_depth(5) };
        let report = search(&position, limits, &settings());
        assert!(report.infos.iter().all(|info| wanted.contains(&info.pv[0])));
        let Decision::Move { best, .. } = report.decision else {
            panic!("there are moves");
        };
        assert!(wanted.contains(&best));
    }
}

#[test]
fn positions_with_one_king_or_none_are_searched() {
    for sfen in [
        "4k4/9/4P4/9/9/9/9/9/9 b G 1",
        "9/9/9/9/4G4/9/9/9/9 b P 1",
        "9/9/9/9/9/9/9/4g4/4K4 b Rrb 1",
        "lnsg1gsnl/9/9/9/9/9/9/9/9 b 2R2B2G2S2N2L18P 1",
    ] {
        search(&position(sfen), to_nodes(20_000), &settings());
    }
    let tsume = position("4k4/9/4P4/9/9/9/9/9/9 b G 1");
    let report = search(&tsume, to_depth(5), &settings());
    let last = report.infos.last().map(|info| info.score);
    assert_eq!(last, Some(Score::Mate(1)));
}

/// How long a prepared searcher takes to decide.
fn time_of(mut limits: Limits) -> Duration {
    let mut searcher = prepared(&settings());
    let position = position(MATSURI);
    let began = Instant::now();
    limits.start = began;
    let events = start(&mut searcher, &position, limits, &settings());
    let report = collect(&events);
    let took = began.elapsed();
    check(&position, &report);
    assert!(matches!(report.decision, Decision::Move { .. }));
    took
}

#[test]
fn no_time_means_no_thinking() {
    let limits = Limits { clock: Some(Clock::default()), ..Limits::default() };
    assert!(time_of(limits) < Duration::from_millis(500));
}

#[test]
fn movetime_is_kept() {
    let limits = Limits { movetime: Some(Duration::from_millis(150)), ..Limits::default() };
    let took = time_of(limits).as_millis();
    assert!((150..500).contains(&took), "{took} ms");
}

#[test]
fn entered_kings_declare() {
    let sfen = "K+N5+L1/G+L+P+B1+R+P2/3+P2G2/9/2+p+n5/3s2+ss1/3+p+p1+s1+r/7g+n/6g+nk b 2L8Pb4p 1";
    let report = search(&position(sfen), to_depth(3), &settings());
    assert_eq!(report.decision, Decision::Win);
    let rule = EnteringKingRule::NoEnteringKing;
    let settings = with(|settings| settings.entering_king_rule = rule);
    let report = search(&position(sfen), to_depth(3), &settings);
    assert!(matches!(report.decision, Decision::Move { .. }));
}

#[test]
fn analysis_shows_the_try_at_once() {
    let rule = EnteringKingRule::TryRule;
    let settings = with(|settings| settings.entering_king_rule = rule);
    let mut searcher = prepared(&settings);
    let position = position("8k/4K4/9/9/9/9/9/9/9 b P 1");
    let limits = Limits { infinite: true, ..Limits::default() };
    let events = start(&mut searcher, &position, limits, &settings);
    let tried = legal_move(&position, "5b5a");
    let Ok(Event::Info(shown)) = events.recv_timeout(LONG) else {
        panic!("the line comes at once");
    };
    assert_eq!((shown.score, &shown.pv[..]), (Score::Mate(1), &[tried][..]));
    searcher.stop();
    let report = collect(&events);
    let (best, ponder) = (tried, None);
    assert_eq!(report.decision, Decision::Move { best, ponder });
    assert_eq!(report.notes, ["win by the try rule (TryRule)"]);
    assert_eq!(report.infos, []);
}

#[test]
fn a_search_that_waits_has_shown_its_last_line() {
    let settings = Settings { threads: 2, pv_interval: LONG, ..settings() };
    let mut searcher = prepared(&settings);
    let limits = Limits { ponder: true, ..to_depth(5) };
    let events = start(&mut searcher, &Position::startpos(), limits, &settings);
    let Ok(Event::Info(shown)) = events.recv_timeout(LONG) else {
        panic!("the line comes when the search ends");
    };
    assert!(searcher.is_searching(), "it waits");
    searcher.ponderhit(None);
    let report = collect(&events);
    assert_eq!(report.infos, []);
    let Decision::Move { best, ponder } = report.decision else {
        panic!("there are moves");
    };
    assert_eq!((shown.depth, shown.pv[0]), (5, best));
    assert_eq!(shown.pv.get(1).copied(), ponder);
}

/// Longer than anything takes.
const LONG: Duration = Duration::from_mins(1);
