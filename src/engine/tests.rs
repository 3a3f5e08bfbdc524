//! What front ends cannot test: refused positions, an evaluation that changes while a decision is
//! being reported, and stochastic ponder.

use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::*;
use crate::search::{Decision, Info};
use crate::types::EnteringKingRule;

fn engine() -> Engine {
    let mut engine = Engine::new();
    let settings = &mut engine.settings_mut().search;
    (settings.threads, settings.hash_mb) = (1, 1);
    settings.pv_interval = Duration::ZERO;
    engine
}

fn moves(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn start(engine: &mut Engine, limits: Limits) -> Receiver<Event> {
    let (sender, events) = channel();
    let report = move |event| sender.send(event).expect("the test listens to the end");
    engine.go(limits, Box::new(report));
    events
}

fn to_depth(depth: i32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn ponder(engine: &mut Engine) -> Receiver<Event> {
    let limits = Limits { ponder: true, ..Limits::default() };
    start(engine, limits)
}

/// The infos of a search that has ended, and its only decision.
fn collect(events: &Receiver<Event>) -> (Vec<Info>, Decision) {
    let mut lines = Vec::new();
    let mut decisions = Vec::new();
    for event in events {
        match event {
            Event::Info(info) => lines.push(info),
            Event::Done(decision) => decisions.push(decision),
            Event::Note(note) => assert!(!note.starts_with("error"), "{note}"),
            Event::CurrentMove(_) => {}
        }
    }
    assert_eq!(decisions.len(), 1);
    (lines, decisions[0])
}

/// Clients take what follows `bestmove` for a part of the next answer.
#[test]
fn what_a_search_loads_is_reported_before_its_lines() {
    let mut engine = engine();
    engine.prepare();
    engine.settings_mut().eval_file = EvalFile::from("no/such/file");
    let events: Vec<Event> = start(&mut engine, to_depth(1)).iter().collect();
    let [Event::Note(error), Event::Note(loaded), Event::Info(_), ..] = &events[..] else {
        panic!("{events:?}");
    };
    assert!(error.starts_with("error: no evaluation file or folder \"no/such/file\" in \""));
    assert!(loaded.starts_with("evaluation <embedded> "), "{loaded}");
}

#[test]
fn without_a_king_material_is_explained() {
    let mut engine = engine();
    engine.prepare();
    let sfen = "4k4/9/4P4/9/9/9/9/9/9 b G 1";
    engine.set_position(Some(sfen), &[]).expect("a position");
    let (text, problems) = engine.explain();
    assert!(text.ends_with("\nstatic eval 630"), "{text}");
    assert_eq!(problems, [Problem::missing_king()]);
}

/// A GUI may change the evaluation and send `eval` as soon as it has the `bestmove`.
#[test]
fn a_search_that_has_decided_does_not_hold_back_another_evaluation() {
    let mut engine = engine();
    let (told, decided) = channel();
    let (release, held) = channel::<()>();
    let on_event = move |event| {
        if matches!(event, Event::Done(_)) {
            let _ = told.send(());
            let _ = held.recv();
        }
    };
    engine.go(to_depth(1), Box::new(on_event));
    decided.recv().expect("a decision");
    engine.settings_mut().eval_file = EvalFile::Material;
    engine.explain();
    assert_eq!(engine.settings.search.evaluator, Evaluator::Material);
    assert!(engine.prepared.is_none(), "the table holds values of the old evaluation");
    drop(release);
    engine.finish();
}

#[test]
fn an_invalid_position_keeps_the_last_valid_one() {
    let mut engine = Engine::new();
    assert_eq!(engine.set_position(None, &moves("7g7f")), Ok(()));
    let valid = engine.position().to_sfen();
    assert!(engine.set_position(Some("lnsgkgsnl w"), &[]).is_err());
    assert!(engine.refusal().is_some());
    let result = engine.set_position(None, &moves("7g7f 3c3d 8h2c+"));
    assert!(result.is_err());
    let reason = "illegal move 8h2c+, no piece of the side to move can make it, move 3 of 3";
    assert_eq!(engine.refusal(), Some(reason));
    assert_eq!(engine.position().to_sfen(), valid);
    assert_eq!(engine.set_position(None, &[]), Ok(()));
    assert_eq!(engine.refusal(), None);
    assert_ne!(engine.position().to_sfen(), valid);
}

#[test]
fn the_evaluation_is_described_once_after_it_was_loaded() {
    let mut engine = engine();
    engine.prepare();
    let embedded = engine.take_loaded_evaluation().expect("it was loaded");
    let is_ours = embedded.starts_with("evaluation <embedded> raicho");
    assert!(is_ours, "{embedded}");
    assert_eq!(engine.take_loaded_evaluation(), None);
    engine.prepare();
    assert_eq!(engine.take_loaded_evaluation(), None);
    engine.settings_mut().eval_file = EvalFile::Material;
    engine.prepare();
    let material = engine.take_loaded_evaluation();
    assert_eq!(material.as_deref(), Some("evaluation <material>"));
}

#[test]
fn what_is_ready_is_not_prepared_again() {
    let mut engine = engine();
    engine.settings_mut().search.hash_mb = 256;
    assert!(!engine.is_ready_to_go());
    assert!(engine.prepare().is_empty());
    assert!(engine.is_ready_to_go());
    engine.settings_mut().search.hash_mb = 255;
    assert!(!engine.is_ready_to_go());
    engine.settings_mut().search.hash_mb = 256;
    let start = Instant::now();
    for _ in 0..100 {
        assert!(engine.prepare().is_empty());
    }
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn stochastic_ponder_reports_only_the_requested_position() {
    let mut engine = engine();
    engine.settings_mut().stochastic_ponder = true;
    let game = moves("7g7f 3c3d");
    engine.set_position(None, &game).expect("legal moves");
    for hit in [false, true] {
        let events = ponder(&mut engine);
        std::thread::sleep(Duration::from_millis(100));
        if hit {
            let second = Duration::from_millis(300);
            engine.ponderhit(Some(Clock { byoyomi: [second; 2], ..Clock::default() }));
        } else {
            engine.stop();
        }
        engine.finish();
        let (lines, decision) = collect(&events);
        for line in &lines {
            let mut position = engine.position().clone();
            for &mv in &line.pv {
                assert!(position.is_legal(mv), "{line:?}");
                position.do_move(mv);
            }
        }
        let Decision::Move { best, .. } = decision else {
            panic!("{decision:?}");
        };
        assert!(engine.position().is_legal(best));
        assert!(engine.pending_search.is_none());
    }
}

#[test]
fn stochastic_ponder_without_a_move_before_is_ordinary() {
    let mut engine = engine();
    engine.settings_mut().stochastic_ponder = true;
    let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    engine.set_position(Some(mated), &[]).expect("a position");
    let events = ponder(&mut engine);
    engine.finish();
    assert_eq!(collect(&events).1, Decision::Nothing);
}

/// Values of another rule of declaration, or another last move, must not stay in the table.
#[test]
fn changed_rules_clear_the_table() {
    let before_declaration = "K+R+R+B+B4/GGGG5/S8/9/9/9/ppppppppp/9/4k4 b 4P 201";
    let scores = |engine: &mut Engine, rule| {
        engine.settings_mut().search.entering_king_rule = rule;
        let set = engine.set_position(Some(before_declaration), &[]);
        set.expect("a good position");
        let (lines, _) = collect(&start(engine, to_depth(3)));
        lines.iter().map(|line| line.score).collect::<Vec<_>>()
    };
    let mut reused = engine();
    scores(&mut reused, EnteringKingRule::CsaRule27);
    let stale = scores(&mut reused, EnteringKingRule::NoEnteringKing);
    let fresh = scores(&mut engine(), EnteringKingRule::NoEnteringKing);
    assert_eq!(stale, fresh);
}

#[test]
fn moves_are_refused_with_their_reason() {
    let reason = |sfen: &str, mv: &str| {
        let position = build_position(Some(sfen), &[]).expect("a position");
        parse_move(&position, mv)
    };
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    assert!(reason(start, "7g7f").is_ok());
    for (sfen, mv, expected) in cases! {
        start, "hello" => "\"hello\" is not a move, expected for example 7g7f, 8h2b+ or P*5e";
        start, "3c3d" => "illegal move 3c3d, no piece of the side to move can make it";
        "4k4/9/9/9/4r4/9/9/4G4/4K4 b - 1", "5h6h" =>
            "illegal move 5h6h, it leaves the king in check";
        "7nk/9/7S1/8N/9/9/9/9/4K4 b P 1", "P*1b" =>
            "illegal move P*1b, a dropped pawn must not mate";
    } {
        assert_eq!(reason(sfen, mv), Err(expected.to_owned()));
    }
}

#[test]
fn settings_add_limits_and_analysis_runs_at_full_strength() {
    let mut settings = Settings { depth_limit: 5, nodes_limit: 700, ..Settings::default() };
    settings.search.skill = Skill::of_level(8);
    let mut limits = to_depth(3);
    let search = settings.for_search(&mut limits);
    assert_eq!((limits.depth, limits.nodes), (Some(3), Some(700)));
    assert_eq!(search.skill, Skill::of_level(8));
    assert_eq!(limits.soft_nodes, Skill::of_level(8).nodes());
    settings.limits_strength = true;
    settings.rating = Skill::LOWEST_RATING;
    let skill = settings.for_search(&mut limits).skill;
    assert_eq!(skill, Skill::of_level(0), "the lower of both applies");
    let mut analysis = Limits { infinite: true, ..Limits::default() };
    assert!(settings.for_search(&mut analysis).skill.is_full());
    assert_eq!((analysis.depth, analysis.soft_nodes), (Some(5), None));
}

#[test]
fn only_paths_need_a_file() {
    let path = |file: &str, dir: Option<&str>| {
        let eval_dir = dir.map(PathBuf::from);
        Settings { eval_file: EvalFile::from(file), eval_dir, ..Settings::default() }.eval_path()
    };
    assert_eq!(path("<embedded>", None), None);
    assert_eq!(path("<material>", Some("eval")), None);
    let expected = Some(PathBuf::from("eval"));
    assert_eq!(path("<embedded>", Some("eval")), expected);
    let expected = Some(PathBuf::from("other.bin"));
    assert_eq!(path("other.bin", Some("eval")), expected);
}
