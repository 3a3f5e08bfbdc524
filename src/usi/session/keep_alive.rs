//! Long preparations: empty lines show the GUI that the engine is alive, and `quit` ends the
//! program without waiting for them. The end of the input waits: a script may have written all its
//! commands.

use std::process;
use std::time::Duration;

use super::inbox::Interrupt;
use super::output::Output;
use crate::usi::response::Response;
use crate::util::system::{Instant, thread};

/// Time between two empty lines, as in `YaneuraOu`.
pub(super) const INTERVAL: Duration = Duration::from_secs(5);

/// How long a job may run after `quit`: enough for an ordinary `isready` at the end of a script,
/// and no longer than GUIs wait.
const GRACE: Duration = Duration::from_secs(3);

/// Runs `job`, and writes an empty line every `interval` until it is done.
pub(super) fn during<T>(
    output: &Output,
    interrupt: &Interrupt,
    interval: Duration,
    job: impl FnOnce() -> T,
) -> T {
    interrupt.set_done(false);
    thread::scope(|scope| {
        // Without this thread the job runs without empty lines.
        let _ = thread::Builder::new().spawn_scoped(scope, || watch(output, interrupt, interval));
        let _done = Done(interrupt);
        job()
    })
}

/// Marks the job as done, also after a panic: the scope waits for the watching thread.
struct Done<'a>(&'a Interrupt);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.set_done(true);
    }
}

fn watch(output: &Output, interrupt: &Interrupt, interval: Duration) {
    let mut next_line = Instant::now() + interval;
    let mut exit_at = None;
    let mut waiting = interrupt.waiting();
    while !waiting.is_done {
        let now = Instant::now();
        if waiting.has_ended && now >= *exit_at.get_or_insert(now + GRACE) {
            // The job cannot be interrupted, and nobody waits for its result.
            process::exit(0);
        }
        if now >= next_line {
            // A write can block, or end the session, which takes the same lock.
            drop(waiting);
            output.send(&Response::KeepAlive);
            next_line = now + interval;
            waiting = interrupt.waiting();
            continue;
        }
        let wake = exit_at.map_or(next_line, |exit_at| next_line.min(exit_at));
        waiting = interrupt.wait(waiting, wake.saturating_duration_since(now));
    }
}
