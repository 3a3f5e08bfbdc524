//! The facade where no front end shows it: what happens while a decision is on its way, and a ponder search of another
//! position than the one that was asked for.

use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::*;
use crate::search::{Decision, Info};

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
    let problems = engine.go(limits, Box::new(report));
    assert!(problems.is_empty(), "{problems:?}");
    events
}

fn ponder(engine: &mut Engine) -> Receiver<Event> {
    let limits = Limits {
        ponder: true,
        ..Limits::default()
    };
    start(engine, limits)
}

/// What a search that has ended said: all its lines, and its one decision.
fn collect(events: &Receiver<Event>) -> (Vec<Info>, Decision) {
    let mut lines = Vec::new();
    let mut decisions = Vec::new();
    for event in events {
        match event {
            Event::Info(info) => lines.push(info),
            Event::Done(decision) => decisions.push(decision),
            Event::CurrentMove(_) | Event::Note(_) => {}
        }
    }
    assert_eq!(decisions.len(), 1);
    (lines, decisions[0])
}

/// A GUI that has its decision may change the evaluation at once, and ask for it.
#[test]
fn a_search_that_has_decided_does_not_hold_back_another_evaluation() {
    let mut engine = engine();
    let (told, decided) = channel();
    let (release, held) = channel::<()>();
    let limits = Limits {
        depth: Some(1),
        ..Limits::default()
    };
    engine.go(
        limits,
        Box::new(move |event| {
            if matches!(event, Event::Done(_)) {
                let _ = told.send(());
                let _ = held.recv();
            }
        }),
    );
    decided.recv().expect("a decision");
    engine.settings_mut().eval_file = EvalFile::Material;
    engine.explain();
    assert_eq!(engine.settings.search.evaluator, Evaluator::Material);
    assert!(
        engine.prepared.is_none(),
        "what was found out counts no more"
    );
    drop(release);
    engine.finish();
}

#[test]
fn what_is_ready_is_not_made_ready_again() {
    let mut engine = engine();
    engine.settings_mut().search.hash_mb = 256;
    assert!(engine.prepare().is_empty());
    let start = Instant::now();
    for _ in 0..100 {
        assert!(engine.prepare().is_empty());
    }
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn stochastic_ponder_tells_only_of_the_position_that_was_asked_for() {
    let mut engine = engine();
    engine.settings_mut().stochastic_ponder = true;
    let game = moves("7g7f 3c3d");
    engine.set_position(None, &game).expect("legal moves");
    for hit in [false, true] {
        let events = ponder(&mut engine);
        std::thread::sleep(Duration::from_millis(100));
        if hit {
            let second = Duration::from_millis(300);
            engine.ponderhit(Some(Clock {
                byoyomi: [second; 2],
                ..Clock::default()
            }));
        } else {
            engine.stop();
        }
        engine.finish();
        let (lines, decision) = collect(&events);
        for line in &lines {
            let mut position = engine.position().clone();
            for &mv in &line.pv {
                assert!(position.pseudo_legal(mv) && position.legal(mv), "{line:?}");
                position.do_move(mv);
            }
        }
        let Decision::Move { best, .. } = decision else {
            panic!("{decision:?}");
        };
        assert!(engine.position().pseudo_legal(best) && engine.position().legal(best));
        assert!(engine.guess.is_none());
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
