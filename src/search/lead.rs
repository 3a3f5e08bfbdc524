//! One search from its start to the decision, as the leading thread sees it, and the helpers' part in it.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use crate::position::Declaration;
use crate::types::Move;
use crate::types::value::PAWN_VALUE;

use super::iterative::Reporter;
use super::pool::{OnEvent, Outcome, any_decision, guarded};
use super::root::{RootMove, root_moves};
use super::signals::Signals;
use super::time::TimeManager;
use super::worker::{Task, Worker};
use super::{Decision, Event};

const CENTIPAWNS: i32 = 100;

/// How the leader hears from the other threads.
pub(super) struct Helpers {
    /// Ends when every helper has answered.
    pub(super) results: Receiver<Outcome>,
}

/// Leads a search; the last event is always a decision.
pub(super) fn lead(
    worker: &mut Option<Worker>,
    task: Task,
    mut on_event: OnEvent,
    helpers: &Helpers,
) {
    let (signals, limits) = (Arc::clone(&task.signals), Arc::clone(&task.limits));
    let position = task.position.clone();
    let result = guarded(worker, |worker| {
        let worker = begin(worker, task);
        let decision = think(worker, &mut *on_event, helpers);
        worker.release_table();
        decision
    });
    let decision = result.unwrap_or_else(|panic| {
        on_event(Event::Note(panic));
        signals.wait_for_permission(limits.infinite);
        any_decision(&position, &limits)
    });
    // Helpers that still run after a panic end, and give the table back before anyone hears of the decision.
    signals.stop();
    while helpers.results.recv().is_ok() {}
    on_event(Event::Done(decision));
    signals.finish();
}

/// Helps: searches the same root until the leader says stop.
pub(super) fn help(worker: &mut Option<Worker>, task: Task) -> Outcome {
    let result = guarded(worker, |worker| {
        let worker = begin(worker, task);
        if !worker.root_moves.is_empty() {
            worker.iterate(None);
        }
        worker.release_table();
        (worker.root_moves.first().cloned(), worker.statistics)
    });
    match result {
        Ok((best, statistics)) => Outcome {
            best,
            statistics,
            panic: None,
        },
        Err(panic) => Outcome {
            best: None,
            statistics: super::Statistics::default(),
            panic: Some(panic),
        },
    }
}

/// Hands the task to the thread's memory, which is made where there is none.
fn begin(worker: &mut Option<Worker>, task: Task) -> &mut Worker {
    let moves = root_moves(&task.position, &task.limits, &task.settings);
    let worker = worker.get_or_insert_with(|| Worker::new(task.clone()));
    worker.begin(task, moves);
    worker
}

/// Searches and decides.
fn think(
    worker: &mut Worker,
    on_event: &mut (dyn FnMut(Event) + Send),
    helpers: &Helpers,
) -> Decision {
    let signals = Arc::clone(&worker.task.signals);
    let limits = Arc::clone(&worker.task.limits);
    let declaration = worker.position.declaration(worker.rule);
    // A declaration ends the game; only who analyses wants to see more.
    if worker.root_moves.is_empty() || declaration.is_some() && !limits.infinite {
        signals.wait_for_permission(limits.infinite);
        return decide(worker, declaration);
    }
    worker.time = Some(TimeManager::new(
        &limits,
        &worker.task.settings,
        worker.position.side_to_move(),
        worker.position.game_ply(),
        worker.root_moves.len() == 1,
    ));
    let interval = if limits.infinite {
        std::time::Duration::ZERO
    } else {
        worker.task.settings.pv_interval
    };
    let mut reporter = Reporter::new(on_event, limits.start, interval);
    worker.iterate(Some(&mut reporter));
    signals.wait_for_permission(limits.infinite);
    signals.stop();
    let notes = gather(worker, &signals, helpers);
    let lines = worker
        .task
        .settings
        .multi_pv
        .clamp(1, worker.root_moves.len());
    if !reporter.has_reported(&worker.root_moves[0]) {
        reporter.report(worker, &worker.root_moves[..lines]);
    }
    for note in notes {
        on_event(Event::Note(note));
    }
    decide(worker, declaration)
}

/// Waits for the helpers, adds up what they did, and takes over the best line where one of them saw further. Returns what
/// went wrong.
fn gather(worker: &mut Worker, signals: &Signals, helpers: &Helpers) -> Vec<String> {
    let mut notes = Vec::new();
    signals.add_statistics(worker.statistics);
    let is_alone = worker.task.settings.multi_pv <= 1;
    for outcome in &helpers.results {
        signals.add_statistics(outcome.statistics);
        notes.extend(outcome.panic);
        if let Some(best) = outcome.best.filter(|_| is_alone)
            && is_better(&best, &worker.root_moves[0])
            && let Some(index) = worker.root_moves.iter().position(|own| own.mv == best.mv)
        {
            worker.root_moves[index] = best;
            worker.root_moves[..=index].rotate_right(1);
        }
    }
    notes
}

/// Whether a helper's line is to be preferred: it was searched deeper and is no worse.
fn is_better(helper: &RootMove, own: &RootMove) -> bool {
    helper.depth > own.depth && helper.value >= own.value
}

/// The decision for the position, after the search or without one.
fn decide(worker: &mut Worker, declaration: Option<Declaration>) -> Decision {
    let is_stopped_ponder = worker.task.limits.ponder && worker.task.signals.is_pondering();
    let Some(best) = worker.root_moves.first().cloned() else {
        return if is_stopped_ponder {
            Decision::Nothing
        } else {
            Decision::Resign
        };
    };
    if !is_stopped_ponder {
        match declaration {
            Some(Declaration::Win) => return Decision::Win,
            Some(Declaration::Try(best)) => return Decision::Move { best, ponder: None },
            None => {}
        }
        if best.is_searched()
            && best.value * CENTIPAWNS / PAWN_VALUE <= -worker.task.settings.resign_value
        {
            return Decision::Resign;
        }
    }
    let ponder = match best.line.get(1) {
        Some(&expected) => Some(expected),
        None => ponder_from_table(worker, best.mv),
    };
    Decision::Move {
        best: best.mv,
        ponder,
    }
}

/// The answer to the best move that the table knows, proved legal.
fn ponder_from_table(worker: &mut Worker, best: Move) -> Option<Move> {
    worker.position.do_move(best);
    let (_, hit) = worker.probe(1);
    worker.position.undo_move();
    hit?.mv
}
