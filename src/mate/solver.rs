//! The solver as its users see it: a problem, limits, and a verdict that can be believed.

use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle, scope};
use std::time::{Duration, Instant};

use super::control::{Control, Progress, Reporter};
use super::crowd::Crowd;
use super::dual::{SecondSolutions, second_solutions};
use super::line::{Line, is_mating_line};
use super::outlook::{NO_LIMIT, Outlook};
use super::search::Search;
use super::table::Table;
use crate::position::Position;

/// The recursion is as deep as the line is long.
const STACK_BYTES: usize = 64 << 20;

/// How long to look for a mate, and how to look.
#[derive(Clone, Copy)]
pub struct MateLimits<'a> {
    /// Ends the search when it is set.
    pub stop: &'a AtomicBool,
    /// Ends the search at this time.
    pub deadline: Option<Instant>,
    /// Ends the search when each thread has made so many moves.
    pub nodes: Option<u64>,
    /// With a mate found, go on until no shorter one is left.
    pub shortest: bool,
    /// How many threads search, at least one.
    pub threads: usize,
    /// Time between two reports.
    pub report_interval: Duration,
}

impl<'a> MateLimits<'a> {
    /// One thread until `stop`.
    pub fn until(stop: &'a AtomicBool) -> Self {
        Self {
            stop,
            deadline: None,
            nodes: None,
            shortest: false,
            threads: 1,
            report_interval: Duration::from_secs(1),
        }
    }
}

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The side to move mates by checks alone.
    Mate {
        /// The line.
        line: Line,
        /// The mate takes so many plies at most, futile interpositions counted.
        plies: usize,
        /// No mate takes fewer plies.
        is_shortest: bool,
    },
    /// It does not, whatever it checks with.
    NoMate,
    /// The search ended before.
    Unknown,
}

/// The answer and what it took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// The answer.
    pub verdict: Verdict,
    /// Moves made, by all threads.
    pub nodes: u64,
    /// The longest line looked at, in plies.
    pub deepest: usize,
    /// How full the table is, in permill.
    pub hashfull: u32,
}

/// What a search tells while it works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MateEvent {
    /// It is not done yet.
    Progress(Progress),
    /// A mate was found; with [`MateLimits::shortest`] shorter ones may follow.
    Found(Line, Progress),
}

/// Solves one problem after another in the same memory.
pub struct MateSolver {
    table: Table,
    asked_megabytes: usize,
}

/// What the threads of a search have in common.
#[derive(Clone, Copy)]
struct Task<'a> {
    position: &'a Position,
    limits: &'a MateLimits<'a>,
    table: &'a Table,
    control: Control<'a>,
}

impl MateSolver {
    /// A solver with a table of at most so many MB; where the system has less, it makes do with less.
    pub fn new(megabytes: usize) -> Self {
        Self {
            table: Table::new(megabytes),
            asked_megabytes: megabytes,
        }
    }

    /// The size of the table that was asked for, in MB.
    pub fn asked_megabytes(&self) -> usize {
        self.asked_megabytes
    }

    /// The size of the table in MB.
    pub fn megabytes(&self) -> usize {
        self.table.megabytes()
    }

    /// Looks for a mate by the side to move, which must check with every move. The game before `position` does not count.
    /// `report` is called from another thread now and then.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn solve(
        &mut self,
        position: &Position,
        limits: &MateLimits<'_>,
        report: &mut (dyn FnMut(&MateEvent) + Send),
    ) -> io::Result<Solution> {
        self.table.new_problem();
        let is_done = AtomicBool::new(false);
        let nodes = AtomicU64::new(0);
        let crowd = (limits.threads > 1).then(Crowd::new);
        let position = without_history(position);
        let task = Task {
            position: &position,
            limits,
            table: &self.table,
            control: Control {
                stop: limits.stop,
                is_done: &is_done,
                crowd: crowd.as_ref(),
                nodes: &nodes,
                deadline: limits.deadline,
                most_nodes: limits.nodes.unwrap_or(u64::MAX),
            },
        };
        scope(|scope| {
            let mut helpers = Vec::new();
            for _ in 1..limits.threads {
                // With fewer threads it takes longer, no more.
                helpers.extend(start(scope, move || task.help()));
            }
            let leader = start(scope, move || task.lead(report))?;
            let mut solution = join(leader);
            is_done.store(true, Ordering::Relaxed);
            for helper in helpers {
                let (nodes, deepest) = join(helper);
                solution.nodes += nodes;
                solution.deepest = solution.deepest.max(deepest);
            }
            Ok(solution)
        })
    }

    /// Looks for moves besides those of `line` that mate too. `line` must mate from `position`.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn second_solutions(
        &mut self,
        position: &Position,
        line: &Line,
        limits: &MateLimits<'_>,
    ) -> io::Result<SecondSolutions> {
        let is_done = AtomicBool::new(false);
        let control = Control {
            stop: limits.stop,
            is_done: &is_done,
            crowd: None,
            nodes: &AtomicU64::new(0),
            deadline: limits.deadline,
            most_nodes: limits.nodes.unwrap_or(u64::MAX),
        };
        let position = without_history(position);
        let table = &self.table;
        scope(|scope| {
            let work = || second_solutions(&position, &line.moves, table, control);
            start(scope, work).map(join)
        })
    }
}

/// Only the board matters.
fn without_history(position: &Position) -> Position {
    let mut alone = position.clone();
    alone.set_up(position.board().clone(), position.game_ply());
    alone
}

fn start<'scope, 'env, T: Send + 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    Builder::new()
        .name("mate".to_owned())
        .stack_size(STACK_BYTES)
        .spawn_scoped(scope, work)
}

fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

impl<'a> Task<'a> {
    fn search(&self, reporter: Option<Reporter<'a>>) -> Search<'a> {
        let attacker = self.position.side_to_move();
        Search::new(self.position, attacker, self.table, self.control, reporter)
    }

    /// Searches the root until another thread, or this one, has settled it: then the table knows.
    fn help(self) -> (u64, usize) {
        let mut search = self.search(None);
        let outlook = search.settle_position::<true>(NO_LIMIT);
        if outlook.is_settled() && !outlook.depends_on_path() {
            self.control.is_done.store(true, Ordering::Relaxed);
        }
        (search.nodes, search.deepest)
    }

    fn lead(self, report: &'a mut (dyn FnMut(&MateEvent) + Send)) -> Solution {
        let reporter = Reporter {
            report,
            interval: self.limits.report_interval,
            next: Instant::now() + self.limits.report_interval,
        };
        let mut search = self.search(Some(reporter));
        let mut outlook = search.settle_position::<true>(NO_LIMIT);
        // The helpers are done; the rest is for this thread.
        self.control.is_done.store(true, Ordering::Relaxed);
        search.go_on_alone();
        if !outlook.is_settled() {
            let known = search.known(NO_LIMIT);
            outlook = known.unwrap_or_else(|| search.settle_position::<true>(NO_LIMIT));
        }
        let verdict = self.verdict(&mut search, outlook);
        Solution {
            verdict,
            nodes: search.nodes,
            deepest: search.deepest,
            hashfull: self.table.hashfull(),
        }
    }

    fn verdict(&self, search: &mut Search<'_>, outlook: Outlook) -> Verdict {
        if outlook.is_refuted() && !outlook.depends_on_path() {
            return Verdict::NoMate;
        }
        if !outlook.is_mate() {
            return Verdict::Unknown;
        }
        let mut line = self.line(search, NO_LIMIT, false);
        if line.is_none() && !search.is_stopped() {
            // What is left of a proof in a small table may lead in circles: once more from nothing.
            search.begin_anew();
            search.settle_position::<true>(NO_LIMIT);
            line = self.line(search, NO_LIMIT, false);
        }
        let Some(mut line) = line else {
            return Verdict::Unknown;
        };
        search.tell(&line);
        // The walk along the line may have found out that it is shorter than was proved at first.
        let known = search
            .known(NO_LIMIT)
            .map_or(outlook.length, |known| known.length);
        let (mut length, mut is_shortest) = (outlook.length.min(known), false);
        while self.limits.shortest && !is_shortest && !search.is_stopped() {
            // A check that mates at once cannot be beaten.
            let limit = length.saturating_sub(2);
            let shorter = if limit == 0 {
                Outlook::refuted(outlook.hand, u16::MAX)
            } else {
                search.settle_position::<true>(limit)
            };
            if shorter.is_refuted() {
                is_shortest = true;
                line = self.line(search, length, true).unwrap_or(line);
            } else if shorter.is_mate() {
                length = shorter.length;
                let Some(found) = self.line(search, length, false) else {
                    break;
                };
                line = found;
            }
            search.tell(&line);
        }
        Verdict::Mate {
            line,
            plies: length.into(),
            is_shortest,
        }
    }

    /// A line that has been made on a board.
    fn line(&self, search: &mut Search<'_>, limit: u16, is_shortest: bool) -> Option<Line> {
        let line = search.main_line(limit, is_shortest)?;
        is_mating_line(self.position, &line.moves).then_some(line)
    }
}
