//! The search for a mate as the front ends see it: it runs in its own thread, tells what it finds, and answers once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
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
    /// Moves made; of several threads, those of the first.
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
    thread: JoinHandle<MateSolver>,
}

impl MateSearch {
    /// Starts a search of at most `time` from `start` on, and returns at once.
    pub(super) fn go(
        &mut self,
        position: Position,
        settings: &Settings,
        start: Instant,
        time: Option<Duration>,
        mut on_report: OnReport,
    ) {
        self.finish();
        let megabytes = settings.mate_hash_mb;
        let solver = self.solver.take();
        let stop = Arc::new(AtomicBool::new(false));
        let task = MateTask {
            stop: Arc::clone(&stop),
            position,
            start,
            deadline: time.and_then(|time| start.checked_add(time.saturating_sub(MARGIN))),
            threads: settings.search.threads,
            shortest: settings.mate_shortest,
            interval: settings.search.pv_interval,
        };
        let (job, jobs) = std::sync::mpsc::channel::<OnReport>();
        let work = move || {
            // The table of another size goes first, so that there is never more memory in use than asked for.
            let solver = solver.filter(|solver| solver.asked_megabytes() == megabytes);
            let mut solver = solver.unwrap_or_else(|| MateSolver::new(megabytes));
            if let Ok(mut on_report) = jobs.recv() {
                let answer = task.run(&mut solver, &mut on_report);
                on_report(MateReport::Done(answer));
            }
            solver
        };
        match Builder::new().name("mate-search".to_owned()).spawn(work) {
            Ok(thread) => {
                // The thread waits for it.
                let _ = job.send(on_report);
                self.running = Some(Running { stop, thread });
            }
            Err(error) => {
                log::warn!("no thread for the search for a mate: {error}");
                on_report(MateReport::Done(MateAnswer::Timeout));
            }
        }
    }

    /// Asks a running search to answer now.
    pub(super) fn stop(&self) {
        if let Some(running) = &self.running {
            running.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Stops a running search and waits for its answer.
    pub(super) fn finish(&mut self) {
        self.stop();
        if let Some(running) = self.running.take() {
            // A panic has been printed; the next search begins with a new solver.
            self.solver = running.thread.join().ok();
        }
    }

    /// Whether a search runs.
    pub(super) fn is_running(&self) -> bool {
        self.running
            .as_ref()
            .is_some_and(|running| !running.thread.is_finished())
    }
}

struct MateTask {
    stop: Arc<AtomicBool>,
    position: Position,
    start: Instant,
    deadline: Option<Instant>,
    threads: usize,
    shortest: bool,
    interval: Duration,
}

impl MateTask {
    fn run(&self, solver: &mut MateSolver, on_report: &mut OnReport) -> MateAnswer {
        let limits = MateLimits {
            deadline: self.deadline,
            threads: self.threads,
            shortest: self.shortest,
            report_interval: self.interval,
            ..MateLimits::until(&self.stop)
        };
        let mut tell = |event: &MateEvent| on_report(MateReport::Info(self.info(event)));
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
            deepest: progress.deepest,
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
