//! One search from its start to the decision, as the leading thread sees it, and the helpers' part in it.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use crate::position::Declaration;
use crate::types::Depth;
use crate::types::value::PAWN_VALUE;

use super::pool::{OnEvent, Outcome, any_decision, guarded};
use super::reporter::{Outlet, Reporter};
use super::root::{RootMove, root_moves};
use super::signals::Signals;
use super::time::TimeManager;
use super::vote::{Candidate, elect};
use super::worker::{Task, Worker};
use super::{Decision, Event};

const CENTIPAWNS: i32 = 100;

/// How the leader hears from the other threads.
pub(super) struct Helpers {
    /// Ends when every helper has answered.
    pub(super) results: Receiver<Outcome>,
}

/// Leads a search; the last event is always a decision.
pub(super) fn lead(worker: &mut Option<Worker>, task: Task, on_event: OnEvent, helpers: &Helpers) {
    let outlet = Outlet::new(on_event);
    let (signals, limits) = (Arc::clone(&task.signals), Arc::clone(&task.limits));
    let position = task.position.clone();
    let result = guarded(worker, |worker| {
        let worker = begin(worker, task);
        let decision = think(worker, &outlet, helpers);
        worker.release();
        decision
    });
    let decision = result.unwrap_or_else(|panic| {
        outlet.send(Event::Note(panic));
        signals.wait_for_permission(limits.infinite);
        any_decision(&position, &limits)
    });
    // Helpers that still run after a panic end, and give the table back before anyone hears of the decision.
    signals.stop();
    while helpers.results.recv().is_ok() {}
    outlet.send(Event::Done(decision));
    signals.finish();
}

/// Helps: searches the same root until the leader says stop.
pub(super) fn help(worker: &mut Option<Worker>, task: Task) -> Outcome {
    let result = guarded(worker, |worker| {
        let worker = begin(worker, task);
        if !worker.root_moves.is_empty() {
            worker.iterate();
            if worker.answers_first() {
                worker.task.signals.stop();
            }
        }
        worker.release();
        (worker.candidate(), worker.statistics)
    });
    match result {
        Ok((found, statistics)) => Outcome {
            found,
            statistics,
            panic: None,
        },
        Err(panic) => Outcome {
            found: None,
            statistics: super::Statistics::default(),
            panic: Some(panic),
        },
    }
}

/// Hands the task to the thread's memory, which is made where there is none.
fn begin(worker: &mut Option<Worker>, task: Task) -> &mut Worker {
    let moves = root_moves(&task.position, &task.limits, &task.settings);
    let worker = worker.get_or_insert_with(Worker::new);
    worker.begin(task, moves);
    worker
}

/// Searches and decides.
fn think(worker: &mut Worker, outlet: &Outlet, helpers: &Helpers) -> Decision {
    let signals = Arc::clone(&worker.task.signals);
    let limits = Arc::clone(&worker.task.limits);
    let declaration = worker.position.declaration(worker.rule);
    // A declaration ends the game; only who analyses wants to see more.
    if worker.root_moves.is_empty() || declaration.is_some() && !limits.infinite {
        signals.wait_for_permission(limits.infinite);
        return decide(worker, declaration);
    }
    let settings = Arc::clone(&worker.task.settings);
    worker.time = Some(TimeManager::new(
        &limits,
        &settings,
        worker.position.side_to_move(),
        worker.position.game_ply(),
        worker.root_moves.len() == 1,
    ));
    worker.reporter = Some(Reporter::new(outlet.clone(), &limits, settings.pv_interval));
    worker.iterate();
    signals.wait_for_permission(limits.infinite);
    signals.stop();
    let notes = gather(worker, &signals, helpers);
    if let Some(Declaration::Try(mv)) = declaration {
        worker.put_first(RootMove::won(mv));
    }
    worker.choose_by_skill();
    worker.report_result(worker.shown_lines());
    if !worker.root_moves[0].is_searched() {
        outlet.send(Event::Info(worker.static_info()));
    }
    for note in notes {
        outlet.send(Event::Note(note));
    }
    decide(worker, declaration)
}

/// Waits for the helpers, adds up what they did, and takes over the line of the thread that the vote elects. Returns what
/// went wrong.
fn gather(worker: &mut Worker, signals: &Signals, helpers: &Helpers) -> Vec<String> {
    let mut notes = Vec::new();
    let mut candidates: Vec<Candidate> = worker.candidate().into_iter().collect();
    signals.add_statistics(worker.statistics);
    for outcome in &helpers.results {
        signals.add_statistics(outcome.statistics);
        notes.extend(outcome.panic);
        candidates.extend(outcome.found);
    }
    if worker.has_one_line() && !candidates.is_empty() {
        let depth = worker.task.limits.depth.unwrap_or(Depth::MAX);
        if candidates.iter().any(|voter| voter.depth >= depth) {
            candidates.retain(|voter| voter.depth >= depth);
        }
        let elected = candidates.swap_remove(elect(&candidates)).best;
        worker.put_first(elected);
    }
    notes
}

/// The decision for the position, after the search or without one.
fn decide(worker: &Worker, declaration: Option<Declaration>) -> Decision {
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
    Decision::Move {
        best: best.mv,
        ponder: best.line.get(1).copied(),
    }
}
