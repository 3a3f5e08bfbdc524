//! One search from its start to the decision: the main thread's part, and the helper threads' part.
//!
//! The main thread keeps time, reports and decides; helper threads search the same root and share
//! only the table (Lazy SMP). Panics are caught here: the search then ends with a note and the move
//! of a [small search](small), and so it does where there is no memory for a thread.
//!
//! At the end the threads vote for their best moves. The weight of a vote is the thread's value
//! above the worst value, times its completed depth, so that several threads that agree outweigh a
//! single other one. Proved mates come first: the shortest win, then a loss that any thread has
//! proved. Votes and weights: Stockfish (`ThreadPool::get_best_thread`).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{any::Any, sync::Arc, sync::mpsc::Receiver};

use super::report::{Decision, Event, EventSender, OnEvent, Reporter};
use super::signals::{Signals, Statistics};
use super::thread::{MEGABYTES_PER_THREAD, MEGABYTES_SHARED, Outcome, Task, ThreadResult};
use super::{limits::Limits, worker::Worker};
use super::{root::root_moves, skill::pace_share, small, thread::ThreadState, time::TimeManager};
use crate::movegen::legal_moves;
use crate::position::{Declaration, Position};
use crate::types::value::{MATE_IN_MAX_PLY, centipawns};
use crate::types::{Bound, Depth, Move, Value};

/// Runs a search on the main thread; its last event is always a decision. `outcomes` yields one
/// outcome per helper thread, then ends.
pub(super) fn run_main_thread(
    state: &mut ThreadState,
    task: Task,
    on_event: OnEvent,
    outcomes: &Receiver<Outcome>,
) {
    let sender = EventSender::new(on_event);
    let (signals, limits) = (Arc::clone(&task.signals), Arc::clone(&task.limits));
    let (position, settings) = (task.position.clone(), Arc::clone(&task.settings));
    let table = Arc::downgrade(&task.table);
    let result = catch_panic(state, |state| {
        let worker = begin(state, task)?;
        let decision = search_and_decide(worker, &sender, outcomes);
        worker.release();
        Ok(decision)
    });
    let decision = result.unwrap_or_else(|fault| {
        sender.send(Event::Note(fault));
        let moves = root_moves(&position, &limits, &settings);
        let moves: Vec<Move> = moves.iter().map(|root_move| root_move.mv).collect();
        let search = AssertUnwindSafe(|| small::best_move(&position, &moves, &signals));
        let best = catch_unwind(search).unwrap_or_default();
        signals.wait_for_permission(limits.infinite);
        match best {
            Some(best) => Decision::Move { best, ponder: None },
            None => any_decision(&position, &limits),
        }
    });
    // After a panic helpers may still run: they must release the table before the decision is sent.
    signals.stop();
    while outcomes.recv().is_ok() {}
    if let Some(table) = table.upgrade() {
        table.end_search();
    }
    sender.send(Event::Done(decision));
    signals.finish();
}

/// Runs a search on a helper thread, until the main thread stops it.
pub(super) fn run_helper_thread(state: &mut ThreadState, task: Task) -> Outcome {
    let result = catch_panic(state, |state| {
        let worker = begin(state, task)?;
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
        Ok((result, statistics)) => Outcome { result, statistics, fault: None },
        Err(fault) => {
            Outcome { result: None, statistics: Statistics::default(), fault: Some(fault) }
        }
    }
}

/// Gives the task to the thread's worker, which is created for the first task. Without memory for
/// it the message is returned.
fn begin(state: &mut ThreadState, task: Task) -> Result<&mut Worker, String> {
    let worker = state.worker().map_err(|error| {
        let megabytes = MEGABYTES_PER_THREAD + MEGABYTES_SHARED;
        format!("error: no memory for a search thread, about {megabytes} MB: {error}")
    })?;
    let moves = root_moves(&task.position, &task.limits, &task.settings);
    worker.begin(task, moves);
    Ok(worker)
}

fn search_and_decide(
    worker: &mut Worker,
    sender: &EventSender,
    outcomes: &Receiver<Outcome>,
) -> Decision {
    let signals = Arc::clone(&worker.task.signals);
    let limits = Arc::clone(&worker.task.limits);
    let is_wanted = |declaration: &Declaration| match declaration {
        Declaration::Win => true,
        Declaration::Try(mv) => worker.root_moves.iter().any(|root_move| root_move.mv == *mv),
    };
    let declaration = worker.position.declaration(worker.rule).filter(is_wanted);
    // A declaration ends the game, and so does a mate: there is nothing to search.
    if worker.root_moves.is_empty() || declaration.is_some() {
        sender.send(Event::Info(match declaration {
            Some(declaration) => worker.declaration_info(declaration),
            None => worker.mated_info(),
        }));
        if let Some(declaration) = declaration {
            sender.send(Event::Note(match declaration {
                Declaration::Win => format!("win by declaration ({})", worker.rule),
                Declaration::Try(_) => format!("win by the try rule ({})", worker.rule),
            }));
        }
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
    // What was found is shown before the decision is asked for, which may be much later.
    signals.end();
    let notes = gather_outcomes(worker, &signals, outcomes);
    // A weaker level may play a worse move, but resigns only what is lost with the best one.
    let best = Some(&worker.root_moves[0]).filter(|best| best.is_searched());
    let value = best.map(|best| best.value);
    worker.choose_by_skill();
    if worker.root_moves[0].is_searched() {
        worker.report_result(worker.shown_multi_pv());
    } else {
        sender.send(Event::Info(worker.static_info()));
    }
    for note in notes {
        sender.send(Event::Note(note));
    }
    signals.wait_for_permission(limits.infinite);
    keep_pace(worker, &signals);
    // A ponder search that was stopped is not of a position of the game.
    if let Some(value) = value.filter(|_| !signals.is_pondering()) {
        worker.difficulty.end_search(value);
    }
    decide(worker, None, value)
}

/// In games with clocks a level below full strength, which has long finished, answers after the
/// time that a person takes.
fn keep_pace(worker: &mut Worker, signals: &Signals) {
    let skill = worker.task.settings.skill;
    let Some(time) = worker.time.as_mut().filter(|_| !skill.is_full()) else {
        return;
    };
    if let Some(hit) = signals.take_ponderhit() {
        time.ponderhit(hit, signals.nodes());
    }
    let share = pace_share();
    signals.wait_for(|| time.pace(share));
}

/// Waits for the helper threads, adds up all statistics, and takes over the root move of the thread
/// that the vote chooses. Returns the messages of faults.
fn gather_outcomes(
    worker: &mut Worker,
    signals: &Signals,
    outcomes: &Receiver<Outcome>,
) -> Vec<String> {
    let mut notes = Vec::new();
    let mut results: Vec<ThreadResult> = worker.result().into_iter().collect();
    signals.add_statistics(worker.statistics);
    for outcome in outcomes {
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
fn decide(worker: &Worker, declaration: Option<Declaration>, value: Option<Value>) -> Decision {
    let is_stopped_ponder = worker.task.limits.ponder && worker.task.signals.is_pondering();
    let Some(best) = worker.root_moves.first().cloned() else {
        return if is_stopped_ponder { Decision::Nothing } else { Decision::Resign };
    };
    match declaration {
        Some(Declaration::Try(best)) => return Decision::Move { best, ponder: None },
        Some(Declaration::Win) => return Decision::Win,
        None => {}
    }
    let limit = i64::from(-worker.task.settings.resign_value);
    if !is_stopped_ponder && value.is_some_and(|value| centipawns(value) <= limit) {
        return Decision::Resign;
    }
    Decision::Move { best: best.mv, ponder: best.pv.get(1).copied() }
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
pub(super) fn catch_panic<T>(
    state: &mut ThreadState,
    part: impl FnOnce(&mut ThreadState) -> Result<T, String>,
) -> Result<T, String> {
    let result = catch_unwind(AssertUnwindSafe(|| part(state)));
    result.unwrap_or_else(|panic| {
        state.drop_worker();
        Err(panic_text(&*panic))
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!("error: a search thread panicked: {}", text.unwrap_or("no reason given"))
}

// --- The vote of the threads ---

/// Weight of the worst value per ply of depth, in the internal unit (a pawn is 90).
const BASE_WEIGHT: Value = 10;

impl ThreadResult {
    fn value(&self) -> Value {
        self.best.value
    }

    /// Whether the thread has found a mate.
    fn is_proved_win(&self) -> bool {
        self.best.is_mate()
    }

    fn is_proved_loss(&self) -> bool {
        self.value() <= -MATE_IN_MAX_PLY && self.best.bound != Bound::Lower
    }

    fn weight(&self, worst: Value) -> i64 {
        i64::from(self.value() - worst + BASE_WEIGHT) * i64::from(self.completed_depth)
    }
}

/// The index of the result to play. The first thread wins ties; threads without a value do not
/// vote.
fn best_thread(results: &[ThreadResult]) -> usize {
    let searched = || results.iter().enumerate().filter(|(_, voter)| voter.best.is_searched());
    // `max_by_key` returns the last of equal elements; reversed, that is the first thread.
    let wins = searched().rev().filter(|(_, voter)| voter.is_proved_win());
    if let Some((index, _)) = wins.max_by_key(|(_, voter)| voter.value()) {
        return index;
    }
    let losses = searched().rev().filter(|(_, voter)| voter.is_proved_loss());
    if let Some((index, _)) = losses.max_by_key(|(_, voter)| -voter.value()) {
        return index;
    }
    let worst = searched().map(|(_, voter)| voter.value()).min().unwrap_or(0);
    let votes = |mv: Move| -> i64 {
        searched()
            .filter(|(_, voter)| voter.best.mv == mv)
            .map(|(_, voter)| voter.weight(worst))
            .sum()
    };
    // Of the threads that agree, the one with an exact value and the greatest weight is chosen.
    let rank = |voter: &ThreadResult| {
        let is_exact = voter.best.bound == Bound::Exact;
        (votes(voter.best.mv), is_exact, voter.weight(worst))
    };
    searched().rev().max_by_key(|(_, voter)| rank(voter)).map_or(0, |(index, _)| index)
}

#[cfg(test)]
mod tests {
    use crate::search::root::RootMove;
    use crate::types::value::{mate_in, mated_in};
    use crate::types::{Piece, Square};

    use super::*;

    fn result(mv: Move, value: Value, bound: Bound, depth: Depth) -> ThreadResult {
        let mut best = RootMove::new(mv);
        best.update(value, bound, depth, &[]);
        ThreadResult { best, completed_depth: depth }
    }

    #[test]
    fn threads_vote() {
        let [a, b] =
            [Square::S76, Square::S75].map(|to| Move::normal(Square::S77, to, Piece::BlackPawn));
        let exact = |mv, value, depth| result(mv, value, Bound::Exact, depth);
        for (name, results, expected) in cases! {
            "alone", vec![exact(a, -500, 9)] => 0;
            "equal", vec![exact(a, 50, 9), exact(b, 50, 9)] => 0;
            "deeper", vec![exact(a, 50, 9), exact(b, 50, 10)] => 1;
            "better", vec![exact(a, 50, 9), exact(b, 60, 9)] => 1;
            "two against one that is a little deeper",
                vec![exact(a, 50, 12), exact(b, 50, 11), exact(b, 50, 11)] => 1;
            "of those that agree the deepest",
                vec![exact(b, 50, 10), exact(a, 40, 9), exact(b, 50, 11)] => 2;
            "the shortest mate",
                vec![exact(a, mate_in(7), 9), exact(b, mate_in(5), 3), exact(a, 900, 20)] => 1;
            "a proved loss decides",
                vec![exact(a, -300, 12), exact(b, mated_in(8), 10), exact(b, mated_in(6), 9)] => 2;
            "a lower bound proves no loss, an upper bound no win",
                vec![
                    result(a, mated_in(8), Bound::Lower, 5), exact(b, 0, 12),
                    result(a, mate_in(8), Bound::Upper, 1), exact(b, 1, 12),
                ] => 3;
            "a thread without a value has no vote",
                vec![exact(a, 10, 4), result(b, 31_999, Bound::Exact, 0)] => 0;
        } {
            assert_eq!(best_thread(&results), expected, "{name}");
        }
    }
}
