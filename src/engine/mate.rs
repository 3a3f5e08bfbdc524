//! The search for a mate as the front ends see it: it runs in its own thread, tells what it finds, and answers once.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder, JoinHandle};
use std::time::{Duration, Instant};

use super::Settings;
use crate::mate::{MateEvent, MateLimits, MateSolver, Progress, Verdict};
use crate::position::Position;
use crate::types::Move;

/// The answer leaves so long before the time is up: it has a way to go.
const MARGIN: Duration = Duration::from_millis(2);

/// A report of the search for a mate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MateReport {
    /// How far it is, or what it has found.
    Info(MateInfo),
    /// The end; comes exactly once, and last.
    Done(MateAnswer),
}

/// How far a search for a mate is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MateInfo {
    /// The longest line looked at, in plies.
    pub deepest: usize,
    /// Moves made, by all threads.
    pub nodes: u64,
    /// Since the start.
    pub time: Duration,
    /// How full the table is, in permill.
    pub hashfull: u32,
    /// The length of the mate that was found, futile interpositions not counted.
    pub mate: Option<usize>,
    /// That mate, or the line that is looked at now.
    pub line: Vec<Move>,
}

/// The answer to the search for a mate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MateAnswer {
    /// The mate, move by move.
    Mate(Vec<Move>),
    /// There is none.
    NoMate,
    /// Nobody knows.
    Timeout,
}

/// Receives the reports.
pub(super) type OnReport = Box<dyn FnMut(MateReport) + Send>;

/// The solver and the thread that it works in.
#[derive(Default)]
pub(super) struct MateSearch {
    /// `None` before the first search, and while it works.
    solver: Option<MateSolver>,
    running: Option<Running>,
}

struct Running {
    stop: Arc<AtomicBool>,
    outlet: Arc<Outlet>,
    thread: JoinHandle<MateSolver>,
}

/// Where the reports go, and the answer, once. Whoever ends a search answers on the spot with what is known: the threads of
/// the solver may just be waiting for memory that the system has to find first.
struct Outlet(Mutex<Option<Open>>);

/// Before the answer.
struct Open {
    on_report: OnReport,
    /// The mate that was found last.
    found: Option<Vec<Move>>,
}

impl Outlet {
    fn new(on_report: OnReport) -> Arc<Self> {
        let found = None;
        Arc::new(Self(Mutex::new(Some(Open { on_report, found }))))
    }

    /// What is behind is whole even where a thread has panicked.
    fn open(&self) -> MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, info: MateInfo) {
        if let Some(open) = &mut *self.open() {
            if info.mate.is_some() {
                open.found = Some(info.line.clone());
            }
            (open.on_report)(MateReport::Info(info));
        }
    }

    /// Answers with what is known, unless that is done.
    fn answer(&self) {
        if let Some(mut open) = self.open().take() {
            let answer = open.found.map_or(MateAnswer::Timeout, MateAnswer::Mate);
            (open.on_report)(MateReport::Done(answer));
        }
    }

    /// Gives the solver's answer, unless one has been given.
    fn give(&self, answer: MateAnswer) {
        if let Some(mut open) = self.open().take() {
            (open.on_report)(MateReport::Done(answer));
        }
    }
}

impl MateSearch {
    /// Starts a search of at most `time` from `start` on, and returns at once.
    pub(super) fn go(
        &mut self,
        position: Position,
        settings: &Settings,
        start: Instant,
        time: Option<Duration>,
        on_report: OnReport,
    ) {
        self.finish();
        let megabytes = settings.mate_hash_mb;
        let solver = self.solver.take();
        let stop = Arc::new(AtomicBool::new(false));
        let outlet = Outlet::new(on_report);
        let task = MateTask {
            stop: Arc::clone(&stop),
            outlet: Arc::clone(&outlet),
            position,
            start,
            deadline: time.and_then(|time| start.checked_add(time.saturating_sub(MARGIN))),
            threads: settings.search.threads,
            shortest: settings.mate_shortest,
            interval: settings.search.pv_interval,
        };
        let work = move || {
            // The table of another size goes first, so that there is never more memory in use than asked for.
            let solver = solver.filter(|solver| solver.asked_megabytes() == megabytes);
            let mut solver = solver.unwrap_or_else(|| MateSolver::new(megabytes));
            task.run_in_time(&mut solver);
            solver
        };
        match Builder::new().name("mate-search".to_owned()).spawn(work) {
            Ok(thread) => {
                self.running = Some(Running {
                    stop,
                    outlet,
                    thread,
                });
            }
            Err(error) => {
                log::warn!("no thread for the search for a mate: {error}");
                outlet.answer();
            }
        }
    }

    /// Ends a running search: its answer is given when this returns.
    pub(super) fn stop(&self) {
        if let Some(running) = &self.running {
            running.stop.store(true, Ordering::Relaxed);
            running.outlet.answer();
        }
    }

    /// Stops a running search and waits for its threads.
    pub(super) fn finish(&mut self) {
        self.stop();
        if let Some(running) = self.running.take() {
            // A panic has been printed; the next search begins with a new solver.
            self.solver = running.thread.join().ok();
        }
    }

    /// Whether a search has not answered yet.
    pub(super) fn is_running(&self) -> bool {
        self.running
            .as_ref()
            .is_some_and(|running| running.outlet.open().is_some())
    }
}

struct MateTask {
    stop: Arc<AtomicBool>,
    outlet: Arc<Outlet>,
    position: Position,
    start: Instant,
    deadline: Option<Instant>,
    threads: usize,
    shortest: bool,
    interval: Duration,
}

/// Whatever ends the task, a panic included, the search is answered.
impl Drop for MateTask {
    fn drop(&mut self) {
        self.outlet.answer();
    }
}

impl MateTask {
    /// Solves the problem, and sees to it that the answer comes by the deadline.
    fn run_in_time(&self, solver: &mut MateSolver) {
        let (end, ended) = channel::<()>();
        thread::scope(|scope| {
            if let Some(deadline) = self.deadline {
                let wait = move || {
                    let left = deadline.saturating_duration_since(Instant::now());
                    // Nothing is ever sent: it ends when the solver has.
                    if ended.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                        self.outlet.answer();
                    }
                };
                let clock = Builder::new().name("mate-clock".to_owned());
                // Without it the solver looks at the clock itself, a little less punctually.
                let _ = clock.spawn_scoped(scope, wait);
            }
            let answer = self.run(solver);
            self.outlet.give(answer);
            drop(end);
        });
    }

    fn run(&self, solver: &mut MateSolver) -> MateAnswer {
        let limits = MateLimits {
            deadline: self.deadline,
            threads: self.threads,
            shortest: self.shortest,
            report_interval: self.interval,
            ..MateLimits::until(&self.stop)
        };
        let mut tell = |event: &MateEvent| self.outlet.tell(self.info(event));
        let solution: io::Result<_> = solver.solve(&self.position, &limits, &mut tell);
        match solution.map(|solution| solution.verdict) {
            Ok(Verdict::Mate { line, .. }) => MateAnswer::Mate(line.moves),
            Ok(Verdict::NoMate) => MateAnswer::NoMate,
            Ok(Verdict::Unknown) => MateAnswer::Timeout,
            Err(error) => {
                log::warn!("no thread for the search for a mate: {error}");
                MateAnswer::Timeout
            }
        }
    }

    fn info(&self, event: &MateEvent) -> MateInfo {
        let of = |progress: &Progress, mate, line: &Vec<Move>| MateInfo {
            deepest: progress.seldepth,
            nodes: progress.nodes,
            time: self.start.elapsed(),
            hashfull: progress.hashfull,
            mate,
            line: line.clone(),
        };
        match event {
            MateEvent::Progress(progress) => of(progress, None, &progress.line),
            MateEvent::Found(line, progress) => of(progress, Some(line.length), &line.moves),
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
            outlet: Outlet::new(Box::new(move |report| {
                sender.send(report).expect("somebody listens");
            })),
            position: Position::startpos(),
            start: Instant::now(),
            deadline: None,
            threads: 1,
            shortest: false,
            interval: Duration::ZERO,
        };
        let thread = thread::spawn(move || {
            let _task = task;
            panic!("on purpose");
        });
        assert!(thread.join().is_err());
        assert_eq!(reports.recv(), Ok(MateReport::Done(MateAnswer::Timeout)));
    }

    #[test]
    fn whoever_is_first_answers_and_a_mate_that_was_found_is_not_forgotten() {
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
            let outlet = Outlet::new(Box::new(move |report| {
                sender.send(report).expect("somebody listens");
            }));
            let info = MateInfo {
                deepest: 1,
                nodes: 1,
                time: Duration::ZERO,
                hashfull: 0,
                mate: found.then_some(1),
                line: vec![mate],
            };
            outlet.tell(info.clone());
            outlet.answer();
            outlet.answer();
            outlet.give(MateAnswer::NoMate);
            outlet.tell(info.clone());
            let answer = if found {
                MateAnswer::Mate(vec![mate])
            } else {
                MateAnswer::Timeout
            };
            let expected = [MateReport::Info(info), MateReport::Done(answer)];
            assert_eq!(reports.try_iter().collect::<Vec<_>>(), expected);
        }
    }
}
