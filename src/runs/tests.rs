//! Tests of the execution of pieces on several threads.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

impl Watch<'static> {
    /// Work that nobody watches or stops.
    pub(crate) fn of_nobody() -> Self {
        static RUNNING: Stop = Stop::new();
        Self { stop: &RUNNING, progress: &|_, _| {} }
    }
}

#[derive(Debug)]
struct Failed(String);

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

/// Squares numbers; aborts, fails or panics at one of them.
#[derive(Default)]
struct Squares {
    aborted: Option<u64>,
    failing: Option<u64>,
    panicking: Option<u64>,
    performed: AtomicU64,
}

impl Job for Squares {
    type Worker = u64;
    type Piece = u64;
    type Output = u64;
    type Error = Failed;

    fn worker(&self) -> Result<u64, Failed> {
        Ok(0)
    }

    fn perform(&self, worker: &mut u64, &piece: &u64) -> Result<Option<u64>, Failed> {
        *worker += 1;
        assert_ne!(Some(piece), self.panicking, "as asked");
        if Some(piece) == self.failing {
            return Err(Failed(format!("no square of {piece}")));
        }
        Ok((Some(piece) != self.aborted).then_some(piece * piece))
    }

    fn end_worker(&self, worker: u64) {
        self.performed.fetch_add(worker, Ordering::Relaxed);
    }
}

struct Sum {
    numbers: Numbers,
    total: u64,
    /// The sum at which no further piece is handed out.
    limit: u64,
}

impl Plan<Squares> for Sum {
    fn next(&mut self) -> Result<Option<u64>, Failed> {
        Ok(self.numbers.next().filter(|_| self.total < self.limit))
    }

    fn keep(&mut self, _: u64, square: u64) -> Result<(), Failed> {
        self.total += square;
        Ok(())
    }
}

fn sum(end: u64) -> Sum {
    Sum { numbers: Numbers::new(Some(end), Shard::WHOLE, []), total: 0, limit: u64::MAX }
}

fn run(job: &Squares, plan: &mut Sum, threads: usize) -> Result<(), Failed> {
    let stop = Stop::new();
    let execution = Execution { threads, name: "squares", stack_bytes: None, stop: &stop };
    execute(job, plan, &execution)
}

#[test]
fn every_piece_is_performed_once() {
    for threads in [0, 1, 4] {
        let (job, mut plan) = (Squares::default(), sum(100));
        run(&job, &mut plan, threads).expect("nothing fails");
        assert_eq!(plan.total, 328_350);
        assert_eq!(job.performed.into_inner(), 100, "all workers are ended");
    }
}

#[test]
fn a_plan_can_have_enough() {
    let mut plan = Sum { limit: 10, ..sum(100) };
    run(&Squares::default(), &mut plan, 1).expect("nothing fails");
    assert_eq!(plan.total, 14);
}

#[test]
fn a_piece_that_is_aborted_is_not_kept() {
    let job = Squares { aborted: Some(3), ..Squares::default() };
    let mut plan = sum(5);
    run(&job, &mut plan, 1).expect("nothing fails");
    assert_eq!(plan.total, 1 + 4, "nor does another one begin");
}

#[test]
fn an_error_ends_the_run_and_keeps_what_was_done() {
    let job = Squares { failing: Some(3), ..Squares::default() };
    let mut plan = sum(1000);
    let error = run(&job, &mut plan, 1).expect_err("3 fails");
    assert_eq!(error.0, "no square of 3");
    assert_eq!(plan.total, 5);
}

#[test]
fn a_panic_is_not_hidden() {
    let job = Squares { panicking: Some(3), ..Squares::default() };
    let mut plan = sum(1000);
    let run = AssertUnwindSafe(|| run(&job, &mut plan, 3));
    assert!(catch_unwind(run).is_err());
}

#[test]
fn no_piece_begins_after_a_request_to_stop() {
    let stop = Stop::new();
    stop.finish();
    let execution =
        Execution { threads: 2, name: "squares", stack_bytes: Some(1 << 20), stop: &stop };
    let mut plan = sum(1000);
    assert!(execute(&Squares::default(), &mut plan, &execution).is_ok());
    assert_eq!(plan.total, 0);
}

/// Has no further pieces until the first one is done.
struct Patient {
    pieces: Vec<u64>,
    kept: Vec<u64>,
}

impl Plan<Squares> for Patient {
    fn next(&mut self) -> Result<Option<u64>, Failed> {
        Ok(self.pieces.pop())
    }

    fn keep(&mut self, piece: u64, square: u64) -> Result<(), Failed> {
        self.kept.push(square);
        if piece == 2 {
            self.pieces.extend([3, 4, 5]);
        }
        Ok(())
    }
}

#[test]
fn a_result_can_bring_more_pieces() {
    let mut plan = Patient { pieces: vec![2], kept: Vec::new() };
    let stop = Stop::new();
    let execution = Execution { threads: 3, name: "squares", stack_bytes: None, stop: &stop };
    execute(&Squares::default(), &mut plan, &execution).expect("nothing fails");
    plan.kept.sort_unstable();
    assert_eq!(plan.kept, [4, 9, 16, 25]);
}
