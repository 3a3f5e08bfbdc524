//! The same game twice: after `usinewgame` nothing is left of the one before, so that the same
//! searches give the same nodes, lines and moves. Idea and node counts of Stockfish's
//! `reprosearch.sh`.

use std::sync::mpsc::channel;
use std::time::Duration;

use raicho::engine::Engine;
use raicho::search::{Decision, Event, Info, Limits};
use raicho::types::Bound;

/// Searches of N = 100 · 1.5^i nodes.
const SEARCHES: usize = 14;
const LEAST_NODES: u64 = 100;

fn node_counts() -> impl Iterator<Item = u64> {
    std::iter::successors(Some(LEAST_NODES), |nodes| Some(nodes * 3 / 2)).take(SEARCHES)
}

/// What a search says of itself: lines with exact values, without the clock. On a slow machine it
/// says more.
type Said = (Vec<Info>, Decision);

fn go(engine: &mut Engine, moves: &[String], nodes: u64) -> Said {
    let position = engine.set_position(None, moves);
    position.expect("the engine's own moves can be played");
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let (sender, events) = channel();
    let on_event = move |event| sender.send(event).expect("the test listens");
    engine.go(limits, Box::new(on_event));
    let mut infos = Vec::new();
    for event in events {
        match event {
            Event::Info(info) if info.bound == Bound::Exact => {
                infos.push(Info { time: Duration::ZERO, ..info });
            }
            Event::Done(decision) => return (infos, decision),
            Event::Note(note) => assert!(!note.starts_with("error"), "{note}"),
            Event::Info(_) | Event::CurrentMove(_) => {}
        }
    }
    panic!("a search ends with a decision");
}

/// A game against itself, each move with more nodes.
fn play(engine: &mut Engine) -> Vec<Said> {
    assert!(engine.new_game().is_empty());
    let mut moves = Vec::new();
    let searches = node_counts().map(|nodes| {
        let said = go(engine, &moves, nodes);
        if let Decision::Move { best, .. } = said.1 {
            moves.push(best.to_string());
        }
        said
    });
    searches.collect()
}

fn engine() -> Engine {
    let mut engine = Engine::new();
    engine.settings_mut().search.threads = 1;
    engine.settings_mut().search.hash_mb = 4;
    engine.settings_mut().search.pv_interval = Duration::ZERO;
    assert!(engine.prepare().is_empty());
    engine
}

#[test]
fn the_same_game_is_played_twice() {
    let mut engine = engine();
    let (first, second) = (play(&mut engine), play(&mut engine));
    for (nodes, (first, second)) in node_counts().zip(first.iter().zip(&second)) {
        assert_eq!(first, second, "{nodes} nodes");
    }
    assert_eq!(first.len(), SEARCHES);
}

/// Each search alone, and with what a game of another kind has left before it.
#[test]
fn the_same_search_is_made_twice() {
    let mut engine = engine();
    for nodes in node_counts().take(SEARCHES - 3) {
        engine.new_game();
        let first = go(&mut engine, &[], nodes);
        let other = ["2g2f", "8c8d", "2f2e"].map(str::to_owned);
        go(&mut engine, &other, 5000);
        engine.new_game();
        assert_eq!(go(&mut engine, &[], nodes), first, "{nodes} nodes");
    }
}
