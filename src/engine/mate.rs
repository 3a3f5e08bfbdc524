//! `go mate` for the front ends: the mate solver in a thread of its own, with reports and exactly
//! one answer by the deadline.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{io, time::Duration};

use super::Settings;
use crate::mate::{MateLimits, MateSolver, Progress, Verdict};
use crate::util::system::thread::{self, Builder, JoinHandle};
use crate::util::system::{Instant, has_threads, recv_timeout};
use crate::{position::Position, search, types::Move};

/// Margin for output latency: the answer is sent this long before the time is over.
const LATENCY_MARGIN: Duration = Duration::from_millis(2);

/// Least time between two lines of progress: each can hold hundreds of moves.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(100);

/// A report of the mate search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MateReport {
    /// A message for the user, such as an error.
    Note(String),
    /// Progress, or a mate that was found, and the time since the start.
    Info(Progress, Duration),
    /// The answer; exactly one, and last.
    Done(MateAnswer),
}

/// The answer of a mate search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MateAnswer {
    /// The moves of the mate.
    Mate(Vec<Move>),
    /// Proved: there is no mate.
    NoMate,
    /// Neither a mate nor its absence was proved.
    Timeout,
}

/// Receives the reports of a mate search.
pub(super) type OnReport = Box<dyn FnMut(MateReport) + Send>;

/// The solver, and the thread of the running search.
#[derive(Default)]
pub(super) struct MateSearch {
    /// `None` before the first search and during a search.
    solver: Option<MateSolver>,
    running: Option<Running>,
}

struct Running {
    stop: Arc<AtomicBool>,
    reply: Arc<ReplyOnce>,
    thread: JoinHandle<MateSolver>,
}

/// Sends reports, and one answer. A thread that ends the search answers itself with what is known:
/// the threads of the solver may be blocked while the system supplies memory.
struct ReplyOnce(Mutex<Option<Unanswered>>);

/// The state before the answer.
struct Unanswered {
    on_report: OnReport,
    /// The last mate that was found.
    found: Option<Vec<Move>>,
}

impl ReplyOnce {
    fn new(on_report: OnReport) -> Arc<Self> {
        let found = None;
        Arc::new(Self(Mutex::new(Some(Unanswered { on_report, found }))))
    }

    /// A panic in another thread leaves a valid state behind.
    fn lock(&self) -> MutexGuard<'_, Option<Unanswered>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self, info: Progress, time: Duration) {
        if let Some(unanswered) = &mut *self.lock() {
            if info.mate.is_some() {
                unanswered.found = Some(info.line.clone());
            }
            (unanswered.on_report)(MateReport::Info(info, time));
        }
    }

    fn note(&self, text: String) {
        if let Some(unanswered) = &mut *self.lock() {
            (unanswered.on_report)(MateReport::Note(text));
        }
    }

    /// Answers with the last mate that was found or a timeout, unless an answer was sent.
    fn answer_now(&self) {
        if let Some(mut unanswered) = self.lock().take() {
            let answer = unanswered.found.map_or(MateAnswer::Timeout, MateAnswer::Mate);
            (unanswered.on_report)(MateReport::Done(answer));
        }
    }

    /// Sends the solver's answer, unless an answer was sent.
    fn answer(&self, answer: MateAnswer) {
        if let Some(mut unanswered) = self.lock().take() {
            (unanswered.on_report)(MateReport::Done(answer));
        }
    }
}

impl MateSearch {
    /// Starts a search of at most `time` after `start`, and returns at once. The first move is one
    /// of `search_moves`, any if there are none.
    pub(super) fn go(
        &mut self,
        position: Position,
        settings: &Settings,
        search_moves: Vec<Move>,
        start: Instant,
        time: Option<Duration>,
        on_report: OnReport,
    ) {
        self.finish();
        let megabytes = settings.mate_hash_mb;
        let solver = self.solver.take();
        let stop = Arc::new(AtomicBool::new(false));
        let reply = ReplyOnce::new(on_report);
        let task = MateTask {
            stop: Arc::clone(&stop),
            reply: Arc::clone(&reply),
            position,
            search_moves,
            start,
            deadline: time.and_then(|time| start.checked_add(time.saturating_sub(LATENCY_MARGIN))),
            threads: settings.search.threads.min(search::max_threads()),
            shortest: settings.mate_shortest,
            interval: settings.search.pv_interval.max(SHORTEST_INTERVAL),
        };
        let work = move || {
            // A table of another size is freed first, so that both never exist at once.
            let solver = solver.filter(|solver| solver.asked_megabytes() == megabytes);
            let mut solver = solver.unwrap_or_else(|| task.solver(megabytes));
            task.run_in_time(&mut solver);
            solver
        };
        if !has_threads() {
            self.solver = Some(work());
            return;
        }
        match Builder::new().name("mate-search".to_owned()).spawn(work) {
            Ok(thread) => {
                self.running = Some(Running { stop, reply, thread });
            }
            Err(error) => {
                log::warn!("no thread for the mate search: {error}");
                reply.answer_now();
            }
        }
    }

    /// Ends a running search, which has answered when this returns.
    pub(super) fn stop(&self) {
        if let Some(running) = &self.running {
            running.stop.store(true, Ordering::Relaxed);
            running.reply.answer_now();
        }
    }

    /// Stops a running search and waits for its threads.
    pub(super) fn finish(&mut self) {
        self.stop();
        if let Some(running) = self.running.take() {
            // After a panic, which has been printed, the next search begins with a new solver.
            self.solver = running.thread.join().ok();
        }
    }

    /// Whether a search has not answered yet.
    pub(super) fn is_running(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.reply.lock().is_some())
    }
}

struct MateTask {
    stop: Arc<AtomicBool>,
    reply: Arc<ReplyOnce>,
    position: Position,
    search_moves: Vec<Move>,
    start: Instant,
    deadline: Option<Instant>,
    threads: usize,
    shortest: bool,
    interval: Duration,
}

/// However the task ends, also by a panic, the search is answered.
impl Drop for MateTask {
    fn drop(&mut self) {
        self.reply.answer_now();
    }
}

impl MateTask {
    /// A new solver. Says so where the system has less memory.
    fn solver(&self, megabytes: usize) -> MateSolver {
        let solver = MateSolver::new(megabytes);
        let used = solver.megabytes();
        if used < megabytes {
            self.reply.note(format!(
                "error: no memory for a mate table of {megabytes} MB, it has {used} MB"
            ));
        }
        solver
    }

    /// Runs the solver, and answers at the deadline if the solver has not.
    fn run_in_time(&self, solver: &mut MateSolver) {
        let (end, ended) = channel::<()>();
        thread::scope(|scope| {
            if let Some(deadline) = self.deadline {
                let wait = move || {
                    let left = deadline.saturating_duration_since(Instant::now());
                    // Nothing is sent: the channel closes when the solver ends.
                    if recv_timeout(&ended, left) == Err(RecvTimeoutError::Timeout) {
                        self.reply.answer_now();
                    }
                };
                let clock = Builder::new().name("mate-clock".to_owned());
                // Without this thread the solver still checks the clock, only less often.
                let _ = clock.spawn_scoped(scope, wait);
            }
            let answer = self.run(solver);
            self.reply.answer(answer);
            drop(end);
        });
    }

    fn run(&self, solver: &mut MateSolver) -> MateAnswer {
        let limits = MateLimits {
            deadline: self.deadline,
            threads: self.threads,
            search_moves: &self.search_moves,
            shortest: self.shortest,
            report_interval: self.interval,
            ..MateLimits::until(&self.stop)
        };
        let mut report = |progress| self.reply.report(progress, self.start.elapsed());
        let solution: io::Result<_> = solver.solve(&self.position, &limits, &mut report);
        match solution.map(|solution| solution.verdict) {
            Ok(Verdict::Mate { line, .. }) => MateAnswer::Mate(line.moves),
            Ok(Verdict::NoMate) => MateAnswer::NoMate,
            Ok(Verdict::Unknown) => MateAnswer::Timeout,
            Err(error) => {
                log::warn!("no thread for the mate search: {error}");
                MateAnswer::Timeout
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_panics_is_answered() {
        let (sender, reports) = channel();
        let task = MateTask {
            stop: Arc::default(),
            reply: ReplyOnce::new(Box::new(move |report| {
                sender.send(report).expect("the receiver lives");
            })),
            position: Position::startpos(),
            search_moves: Vec::new(),
            start: Instant::now(),
            deadline: None,
            threads: 1,
            shortest: false,
            interval: Duration::ZERO,
        };
        let thread = std::thread::spawn(move || {
            let _task = task;
            panic!("on purpose");
        });
        assert!(thread.join().is_err());
        assert_eq!(reports.recv(), Ok(MateReport::Done(MateAnswer::Timeout)));
    }

    #[test]
    fn the_first_answer_counts_and_keeps_a_mate_that_was_found() {
        let mate: Move = "5i5h"
            .parse::<crate::types::Move16>()
            .ok()
            .and_then(|mv| {
                let sfen = "4k4/9/9/9/9/9/9/9/4K4 b - 1";
                Position::from_sfen(sfen).ok()?.to_move(mv)
            })
            .expect("a move");
        for found in [false, true] {
            let (sender, reports) = channel();
            let reply = ReplyOnce::new(Box::new(move |report| {
                sender.send(report).expect("the receiver lives");
            }));
            let info = Progress {
                seldepth: 1,
                nodes: 1,
                hashfull: 0,
                mate: found.then_some(1),
                line: vec![mate],
            };
            reply.report(info.clone(), Duration::ZERO);
            reply.answer_now();
            reply.answer_now();
            reply.answer(MateAnswer::NoMate);
            reply.report(info.clone(), Duration::ZERO);
            let answer = if found { MateAnswer::Mate(vec![mate]) } else { MateAnswer::Timeout };
            let expected = [MateReport::Info(info, Duration::ZERO), MateReport::Done(answer)];
            assert_eq!(reports.try_iter().collect::<Vec<_>>(), expected);
        }
    }
}
