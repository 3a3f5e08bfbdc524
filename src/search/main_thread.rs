//! One search from its start to the decision: the main thread's part, and the helper threads' part.
//!
//! The main thread keeps time, reports and decides; helper threads search the same root and share
//! only the table (Lazy SMP). Panics are caught here: the search then ends with a note and some
//! legal move.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use crate::movegen::legal_moves;
use crate::position::{Declaration, Position};
use crate::types::value::PAWN_VALUE;
use crate::types::{Depth, Value};

use super::event::{Decision, Event, OnEvent};
use super::history::Histories;
use super::limits::Limits;
use super::params::Params;
use super::reporter::{EventSender, Reporter};
use super::root_move::{RootMove, root_moves};
use super::signals::{Signals, Statistics};
use super::task::{Outcome, Task, ThreadResult};
use super::time::TimeManager;
use super::vote::best_thread;
use super::worker::Worker;

const CENTIPAWNS: i32 = 100;

/// The main thread's connection to the helper threads.
pub(super) struct Helpers {
    /// Yields one outcome per helper, then ends.
    pub(super) outcomes: Receiver<Outcome>,
}

/// Runs a search on the main thread; its last event is always a decision.
pub(super) fn run_main_thread<P: Params>(
    worker: &mut Option<Worker<P>>,
    task: Task,
    on_event: OnEvent,
    helpers: &Helpers,
) {
    let sender = EventSender::new(on_event);
    let (signals, limits) = (Arc::clone(&task.signals), Arc::clone(&task.limits));
    let position = task.position.clone();
    let table = Arc::downgrade(&task.table);
    let result = catch_panic(worker, |worker| {
        let worker = begin(worker, task)?;
        let decision = search_and_decide(worker, &sender, helpers);
        worker.release();
        Ok(decision)
    });
    let decision = result.unwrap_or_else(|fault| {
        sender.send(Event::Note(fault));
        signals.wait_for_permission(limits.infinite);
        any_decision(&position, &limits)
    });
    // After a panic helpers may still run: they must release the table before the decision is sent.
    signals.stop();
    while helpers.outcomes.recv().is_ok() {}
    if let Some(table) = table.upgrade() {
        table.end_search();
    }
    sender.send(Event::Done(decision));
    signals.finish();
}

/// Runs a search on a helper thread, until the main thread stops it.
pub(super) fn run_helper_thread<P: Params>(worker: &mut Option<Worker<P>>, task: Task) -> Outcome {
    let result = catch_panic(worker, |worker| {
        let worker = begin(worker, task)?;
        if !worker.root_moves.is_empty() {
            worker.iterative_deepening();
            if worker.has_reached_target_depth() {
                worker.task.signals.stop();
            }
        }
        worker.release();
        Ok((worker.result(), worker.statistics))
    });
    match result {
        Ok((result, statistics)) => Outcome {
            result,
            statistics,
            fault: None,
        },
        Err(fault) => Outcome {
            result: None,
            statistics: Statistics::default(),
            fault: Some(fault),
        },
    }
}

/// Gives the task to the thread's worker, which is created for the first task. Without memory for
/// it the message is returned.
fn begin<P: Params>(worker: &mut Option<Worker<P>>, task: Task) -> Result<&mut Worker<P>, String> {
    let worker = if let Some(worker) = worker {
        worker
    } else {
        let new = Worker::new().map_err(|error| {
            let megabytes = Histories::MEGABYTES;
            format!("error: no memory for a search thread, about {megabytes} MB: {error}")
        })?;
        worker.insert(new)
    };
    let moves = root_moves(&task.position, &task.limits, &task.settings);
    worker.begin(task, moves);
    Ok(worker)
}

fn search_and_decide<P: Params>(
    worker: &mut Worker<P>,
    sender: &EventSender,
    helpers: &Helpers,
) -> Decision {
    let signals = Arc::clone(&worker.task.signals);
    let limits = Arc::clone(&worker.task.limits);
    let is_wanted = |declaration: &Declaration| match declaration {
        Declaration::Win => true,
        Declaration::Try(mv) => worker
            .root_moves
            .iter()
            .any(|root_move| root_move.mv == *mv),
    };
    let declaration = worker.position.declaration(worker.rule).filter(is_wanted);
    // A declaration ends the game, so only analysis searches such a position.
    if worker.root_moves.is_empty() || declaration.is_some() && !limits.infinite {
        sender.send(Event::Info(match declaration {
            Some(declaration) => worker.declaration_info(declaration),
            None => worker.mated_info(),
        }));
        signals.wait_for_permission(limits.infinite);
        return decide(worker, declaration, None);
    }
    let settings = Arc::clone(&worker.task.settings);
    worker.time = Some(TimeManager::new(
        &limits,
        &settings,
        worker.position.side_to_move(),
        worker.position.game_ply(),
        worker.root_moves.len() == 1,
    ));
    worker.reporter = Some(Reporter::new(sender.clone(), &limits, settings.pv_interval));
    worker.start_root_mate();
    worker.iterative_deepening();
    signals.wait_for_permission(limits.infinite);
    signals.stop();
    let notes = gather_outcomes(worker, &signals, helpers);
    // A ponder search that was stopped is not of a position of the game.
    if worker.root_moves[0].is_searched() && !signals.is_pondering() {
        worker.difficulty.end_search(worker.root_moves[0].value);
    }
    if let Some(Declaration::Try(mv)) = declaration {
        worker.put_first(RootMove::won(mv));
    }
    // A weaker level may play a worse move, but resigns only what is lost with the best one.
    let best = Some(&worker.root_moves[0]).filter(|best| best.is_searched());
    let value = best.map(|best| best.value);
    worker.choose_by_skill();
    if worker.root_moves[0].is_searched() {
        worker.report_result(worker.shown_multi_pv());
    } else {
        sender.send(Event::Info(worker.static_info()));
    }
    if let Some(Declaration::Win) = declaration {
        sender.send(Event::Info(worker.declaration_info(Declaration::Win)));
    }
    for note in notes {
        sender.send(Event::Note(note));
    }
    decide(worker, declaration, value)
}

/// Waits for the helper threads, adds up all statistics, and takes over the root move of the thread
/// that the vote chooses. Returns the messages of faults.
fn gather_outcomes<P: Params>(
    worker: &mut Worker<P>,
    signals: &Signals,
    helpers: &Helpers,
) -> Vec<String> {
    let mut notes = Vec::new();
    let mut results: Vec<ThreadResult> = worker.result().into_iter().collect();
    signals.add_statistics(worker.statistics);
    for outcome in &helpers.outcomes {
        signals.add_statistics(outcome.statistics);
        notes.extend(outcome.fault);
        results.extend(outcome.result);
    }
    if worker.allows_vote() && !results.is_empty() {
        let depth = worker.task.limits.depth.unwrap_or(Depth::MAX);
        if results.iter().any(|voter| voter.completed_depth >= depth) {
            results.retain(|voter| voter.completed_depth >= depth || voter.is_proved_win());
        }
        let best = results.swap_remove(best_thread(&results)).best;
        worker.put_first(best);
    }
    notes
}

/// The decision for the root position, after the search, which found this value, or without one.
fn decide<P: Params>(
    worker: &Worker<P>,
    declaration: Option<Declaration>,
    value: Option<Value>,
) -> Decision {
    let is_stopped_ponder = worker.task.limits.ponder && worker.task.signals.is_pondering();
    let Some(best) = worker.root_moves.first().cloned() else {
        return if is_stopped_ponder {
            Decision::Nothing
        } else {
            Decision::Resign
        };
    };
    if let Some(Declaration::Try(best)) = declaration {
        return Decision::Move { best, ponder: None };
    }
    if !is_stopped_ponder {
        if declaration.is_some() {
            return Decision::Win;
        }
        let limit = -worker.task.settings.resign_value;
        if value.is_some_and(|value| value * CENTIPAWNS / PAWN_VALUE <= limit) {
            return Decision::Resign;
        }
    }
    Decision::Move {
        best: best.mv,
        ponder: best.pv.get(1).copied(),
    }
}

/// A decision without a search: the first requested move that is legal, or any legal move.
pub(super) fn any_decision(position: &Position, limits: &Limits) -> Decision {
    let moves = legal_moves(position);
    let wanted = limits.search_moves.iter().find(|mv| moves.contains(mv));
    match wanted.or(moves.first()) {
        Some(&best) => Decision::Move { best, ponder: None },
        None if limits.ponder => Decision::Nothing,
        None => Decision::Resign,
    }
}

/// Runs a part of the search. A panic is returned as a message, and the worker, whose state may be
/// inconsistent, is dropped.
pub(super) fn catch_panic<P, T>(
    worker: &mut Option<Worker<P>>,
    part: impl FnOnce(&mut Option<Worker<P>>) -> Result<T, String>,
) -> Result<T, String> {
    let result = catch_unwind(AssertUnwindSafe(|| part(worker)));
    result.unwrap_or_else(|panic| {
        *worker = None;
        Err(panic_text(&*panic))
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!(
        "error: a search thread panicked: {}",
        text.unwrap_or("no reason given")
    )
}
