//! Mate search: [`mate_in_one`], which needs no search, and [`MateSolver`], a df-pn solver for long
//! mates by checks (tsume). [`ResumableSolver`] is the same in slices, beside another search.
//!
//! This file starts the threads of a solver and turns their result into a verified verdict. Reading
//! order of the others: `proof_numbers`, `worker` (state of a thread), `df_pn` (the search),
//! `table` and `proof_hands` (one entry for many hands), `main_line`, `length`.
//!
//! Architecture invariant: knows no evaluation, no game clocks and no protocol.

mod df_pn;
mod length;
mod main_line;
mod one_ply;
mod proof_numbers;
mod table;
#[cfg(test)]
mod tests;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::{io, panic::resume_unwind, time::Duration};

use main_line::second_solutions;
use proof_numbers::{NO_LIMIT, ProofNumbers};
use table::Table;
use worker::{Control, VirtualCosts, Worker};

use crate::util::system::thread::{Builder, Scope, ScopedJoinHandle, scope};
use crate::util::system::{Instant, has_threads};
use crate::{movegen::legal_moves, position::Position, types::Move, types::value::MAX_PLY};

pub use main_line::{EqualDefence, SecondSolution, SecondSolutions};
pub use one_ply::mate_in_one;

/// Stack of a search thread: the recursion is as deep as the path, up to 4000 plies.
const STACK_BYTES: usize = 64 << 20;

/// Limits and options of a search for mate.
#[derive(Clone, Copy)]
pub struct MateLimits<'a> {
    /// Setting it stops the search.
    pub stop: &'a AtomicBool,
    /// The search stops at this time.
    pub deadline: Option<Instant>,
    /// Most moves made by each thread.
    pub nodes: Option<u64>,
    /// After a mate is found, search on until no shorter one exists.
    pub shortest: bool,
    /// The first move is one of these; any if there are none.
    pub search_moves: &'a [Move],
    /// Search threads, at least 1.
    pub threads: usize,
    /// Time between two progress reports.
    pub report_interval: Duration,
}

impl<'a> MateLimits<'a> {
    /// No limit but `stop`: one thread, any mate.
    pub fn until(stop: &'a AtomicBool) -> Self {
        Self {
            stop,
            deadline: None,
            nodes: None,
            shortest: false,
            search_moves: &[],
            threads: 1,
            report_interval: Duration::from_secs(1),
        }
    }
}

/// Whether the side to move can mate with checks alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Proven, and the line was replayed on a board.
    Mate {
        /// The main line, replayed on a board.
        line: Line,
        /// Plies to mate on the board, an upper bound that includes futile interpositions.
        plies: usize,
        /// Whether the length of the line is proven: no attack mates faster, and no defence holds
        /// out longer, futile interpositions left out.
        is_shortest: bool,
    },
    /// Proved: no sequence of checks mates.
    NoMate,
    /// The search stopped before either was proven.
    Unknown,
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// Mate, no mate, or unknown.
    pub verdict: Verdict,
    /// Moves made by all threads.
    pub nodes: u64,
    /// Length in plies of the longest line searched.
    pub seldepth: usize,
    /// Used share of the table, in permill.
    pub hashfull: u32,
}

/// A mate, move by move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The moves of both sides; the last one mates.
    pub moves: Vec<Move>,
    /// Length in plies as tsume counts it: without the futile interpositions (無駄合い) that the moves
    /// may end with, which are captured at once and change nothing.
    pub length: usize,
}

/// The state of a running search, reported at regular intervals and when a mate was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Moves made by all threads. Those of other threads lag behind by at most 64 each.
    pub nodes: u64,
    /// Length in plies of the longest line searched.
    pub seldepth: usize,
    /// Used share of the table, in permill.
    pub hashfull: u32,
    /// Length in plies of a mate that was found, as [`Line::length`] counts it. With
    /// [`MateLimits::shortest`] shorter ones may follow.
    pub mate: Option<usize>,
    /// The moves of that mate, or those from the root to the node that is being searched.
    pub line: Vec<Move>,
}

/// Solves problems one after another with one transposition table.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use raicho::mate::{MateLimits, MateSolver, Verdict};
/// use raicho::position::Position;
///
/// let problem = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1")?;
/// let stop = AtomicBool::new(false);
/// let limits = MateLimits { nodes: Some(10_000), ..MateLimits::until(&stop) };
/// let solution = MateSolver::new(1).solve(&problem, &limits, &mut |_| {})?;
/// assert!(matches!(solution.verdict, Verdict::Mate { line, .. } if line.length == 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MateSolver {
    table: Table,
    asked_megabytes: usize,
}

/// What the threads of a search share.
#[derive(Clone, Copy)]
struct Task<'a> {
    position: &'a Position,
    limits: &'a MateLimits<'a>,
    table: &'a Table,
    control: Control<'a>,
}

impl MateSolver {
    /// A solver with a table of at most `megabytes` MB: less where the system has less memory.
    pub fn new(megabytes: usize) -> Self {
        Self { table: Table::new(megabytes), asked_megabytes: megabytes }
    }

    /// Forgets everything, so that equal searches that follow are equal.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// The size of the table that was asked for, in MB.
    pub fn asked_megabytes(&self) -> usize {
        self.asked_megabytes
    }

    /// The actual size of the table in MB.
    pub fn megabytes(&self) -> usize {
        self.table.megabytes()
    }

    /// Searches for a mate by the side to move, which must check with every move. The history of
    /// `position` is ignored. `report` is called from a search thread.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub fn solve(
        &mut self,
        position: &Position,
        limits: &MateLimits<'_>,
        report: &mut (dyn FnMut(Progress) + Send),
    ) -> io::Result<Solution> {
        self.table.new_problem();
        let is_done = AtomicBool::new(false);
        let nodes = AtomicU64::new(0);
        let virtual_costs = (limits.threads > 1).then(VirtualCosts::new);
        let position = without_history(position);
        let task = Task {
            position: &position,
            limits,
            table: &self.table,
            control: Control {
                virtual_costs: virtual_costs.as_ref(),
                ..Control::of(limits, &is_done, &nodes)
            },
        };
        scope(|scope| {
            let mut helpers = Vec::new();
            for _ in 1..limits.threads {
                // A helper that cannot be started costs time, not correctness.
                helpers.extend(start(scope, move || task.run_helper()));
            }
            let mut solution = if has_threads() {
                join(start(scope, move || task.run_main(report))?)
            } else {
                task.run_main(report)
            };
            is_done.store(true, Ordering::Relaxed);
            for helper in helpers {
                let (nodes, seldepth) = join(helper);
                solution.nodes += nodes;
                solution.seldepth = solution.seldepth.max(seldepth);
            }
            Ok(solution)
        })
    }

    /// Searches for moves that mate in place of those of `line`, which must mate from `position`;
    /// where its length is proven, for answers that hold out as long, too.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub fn second_solutions(
        &mut self,
        position: &Position,
        line: &Line,
        is_shortest: bool,
        limits: &MateLimits<'_>,
    ) -> io::Result<SecondSolutions> {
        let is_done = AtomicBool::new(false);
        let nodes = AtomicU64::new(0);
        let control = Control::of(limits, &is_done, &nodes);
        let position = without_history(position);
        let table = &self.table;
        scope(|scope| {
            let moves = &line.moves[..line.length];
            let work = || second_solutions(&position, moves, is_shortest, table, control);
            if has_threads() { start(scope, work).map(join) } else { Ok(work()) }
        })
    }
}

/// The position with its history dropped: repetitions count from the root.
fn without_history(position: &Position) -> Position {
    let mut alone = position.clone();
    alone.set_up(position.board().clone(), position.game_ply());
    alone
}

fn start<'scope, 'env, T: Send + 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    Builder::new().name("mate".to_owned()).stack_size(STACK_BYTES).spawn_scoped(scope, work)
}

fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

impl<'a> Task<'a> {
    fn worker(&self, reporter: Option<Reporter<'a>>) -> Worker<'a> {
        let attacker = self.position.side_to_move();
        Worker::new(self.position, attacker, self.table, self.control, reporter)
    }

    /// Searches the root until any thread has solved it and stored it in the table. Returns nodes
    /// and seldepth.
    fn run_helper(self) -> (u64, usize) {
        let mut worker = self.worker(None);
        let numbers = worker.solve_position::<true>(NO_LIMIT);
        if numbers.is_solved() && !numbers.depends_on_path() {
            self.control.is_done.store(true, Ordering::Relaxed);
        }
        (worker.nodes, worker.seldepth)
    }

    /// Searches the root, then works out the verdict alone.
    fn run_main(self, report: &'a mut (dyn FnMut(Progress) + Send)) -> Solution {
        let reporter = Reporter {
            report,
            interval: self.limits.report_interval,
            next: Instant::now() + self.limits.report_interval,
        };
        let mut worker = self.worker(Some(reporter));
        let mut numbers = worker.solve_position::<true>(NO_LIMIT);
        // Stops the helpers: the rest is done by this thread.
        self.control.is_done.store(true, Ordering::Relaxed);
        worker.continue_alone();
        if !numbers.is_solved() {
            let solved = worker.solved_in_table(NO_LIMIT);
            numbers = solved.unwrap_or_else(|| worker.solve_position::<true>(NO_LIMIT));
        }
        let verdict = self.verdict(&mut worker, numbers);
        Solution {
            verdict,
            nodes: worker.nodes,
            seldepth: worker.seldepth,
            hashfull: self.table.hashfull(),
        }
    }

    fn verdict(&self, worker: &mut Worker<'_>, numbers: ProofNumbers) -> Verdict {
        if numbers.is_disproven() && !numbers.depends_on_path() {
            return Verdict::NoMate;
        }
        if !numbers.is_proven() {
            return Verdict::Unknown;
        }
        let mut line = worker.checked_line();
        if line.is_none() && !worker.should_stop() {
            // The remains of a proof in a small table may form a cycle: search again from nothing.
            worker.clear();
            worker.solve_position::<true>(NO_LIMIT);
            line = worker.checked_line();
        }
        let Some(moves) = line else {
            return Verdict::Unknown;
        };
        let line = worker.counted(moves);
        worker.report_mate(&line);
        if self.limits.shortest {
            let plies = worker.proven_length(numbers);
            return length::shortest(worker, line, plies);
        }
        Verdict::Mate {
            plies: worker.proven_length(numbers) as usize,
            is_shortest: line.length == 1,
            line,
        }
    }
}

/// Sends reports to the caller.
struct Reporter<'a> {
    report: &'a mut (dyn FnMut(Progress) + Send),
    /// Time between two progress reports.
    interval: Duration,
    /// When the next progress report is due.
    next: Instant,
}

// --- A search in slices on the calling thread, for the root of another search ---

/// Nodes for working out the main line of a proven mate, parts of which a small table may have
/// lost.
const MAIN_LINE_NODES: u64 = 10_000;

/// Searches one position after another, each in slices of a given number of nodes.
///
/// Paths end after [`MAX_PLY`] plies, so that the recursion fits into the stack of the thread that
/// searches games.
pub struct ResumableSolver {
    table: Table,
    /// `None` before the first position.
    root: Option<Position>,
    /// Whether the table holds the proof of a mate from `root`.
    is_proven: bool,
}

/// What a slice found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slice {
    /// Mate, no mate, or unknown so far.
    pub verdict: Verdict,
    /// Moves made in this slice.
    pub nodes: u64,
}

impl ResumableSolver {
    /// A solver with a table of at most `megabytes` MB.
    pub fn new(megabytes: usize) -> Self {
        Self { table: Table::new(megabytes), root: None, is_proven: false }
    }

    /// Begins with a position, whose history is ignored. After a proven mate with the same attacker
    /// the table is kept: the proof covers the positions that follow.
    pub fn begin(&mut self, position: &Position) {
        let attacker = Position::side_to_move;
        let is_continued =
            self.is_proven && self.root.as_ref().map(attacker) == Some(attacker(position));
        if !is_continued {
            self.table.new_problem();
        }
        self.root = Some(without_history(position));
        self.is_proven = false;
    }

    /// Forgets everything, so that equal searches that follow are equal.
    pub fn clear(&mut self) {
        self.table.clear();
        self.root = None;
        self.is_proven = false;
    }

    /// Continues the search of the position for about `nodes` nodes, or until `stop` is set.
    pub fn run(&mut self, nodes: u64, stop: &AtomicBool) -> Slice {
        let (is_done, all_nodes) = (AtomicBool::new(false), AtomicU64::new(0));
        let control = Control {
            max_nodes: nodes,
            max_plies: MAX_PLY,
            is_resumed: true,
            ..Control::of(&MateLimits::until(stop), &is_done, &all_nodes)
        };
        let Some(root) = &self.root else {
            let verdict = Verdict::Unknown;
            return Slice { verdict, nodes: 0 };
        };
        let mut worker = Worker::new(root, root.side_to_move(), &self.table, control, None);
        let numbers = worker.solve_position::<true>(NO_LIMIT);
        let verdict = if numbers.is_disproven() && !numbers.depends_on_path() {
            Verdict::NoMate
        } else if numbers.is_proven() {
            self.is_proven = true;
            worker.control.max_nodes = worker.nodes + MAIN_LINE_NODES;
            worker.continue_alone();
            let line = worker.checked_line();
            let plies = worker.proven_length(numbers) as usize;
            line.map_or(Verdict::Unknown, |moves| Verdict::Mate {
                line: Line { length: moves.len(), moves },
                plies,
                is_shortest: false,
            })
        } else {
            Verdict::Unknown
        };
        let nodes = worker.nodes;
        Slice { verdict, nodes }
    }
}

/// Whether the moves mate: each is legal, each of the attacker's gives check, and the last leaves
/// no legal answer.
pub fn is_mating_line(position: &Position, moves: &[Move]) -> bool {
    let mut position = position.clone();
    for (index, &mv) in moves.iter().enumerate() {
        if !position.is_legal(mv) {
            return false;
        }
        position.do_move(mv);
        if index % 2 == 0 && !position.in_check() {
            return false;
        }
    }
    moves.len() % 2 == 1 && legal_moves(&position).is_empty()
}
