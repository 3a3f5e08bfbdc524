//! Long preparations: the GUI gets a sign of life, and need not wait for them to quit.

use std::process;
use std::thread;
use std::time::{Duration, Instant};

use super::input::Interrupt;
use super::output::Output;
use crate::usi::response::Response;

/// `YaneuraOu` keeps the same rhythm, and GUIs are content with it.
pub(super) const INTERVAL: Duration = Duration::from_secs(5);

/// How long a job may go on when the input has ended. Enough for an ordinary `isready` followed at once by the end of a
/// script; no GUI waits longer for a `quit`.
const GRACE: Duration = Duration::from_secs(3);

/// Does `job`, and writes an empty line every `interval` until it is done.
pub(super) fn during<T>(
    output: &Output,
    interrupt: &Interrupt,
    interval: Duration,
    job: impl FnOnce() -> T,
) -> T {
    interrupt.set_done(false);
    thread::scope(|scope| {
        // Without another thread the job is done in silence.
        let _ = thread::Builder::new().spawn_scoped(scope, || watch(output, interrupt, interval));
        let _done = Done(interrupt);
        job()
    })
}

/// Says that the job is done, even if it panics: the scope waits for the watching thread.
struct Done<'a>(&'a Interrupt);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.set_done(true);
    }
}

fn watch(output: &Output, interrupt: &Interrupt, interval: Duration) {
    let mut next_sign = Instant::now() + interval;
    let mut last_moment = None;
    let mut waiting = interrupt.waiting();
    while !waiting.is_done {
        let now = Instant::now();
        if waiting.has_ended && now >= *last_moment.get_or_insert(now + GRACE) {
            // Nobody listens and the job cannot be interrupted, but nothing depends on it either.
            process::exit(0);
        }
        if now >= next_sign {
            // Writing may block or end the session, which takes the same lock.
            drop(waiting);
            output.send(&Response::KeepAlive);
            next_sign = now + interval;
            waiting = interrupt.waiting();
            continue;
        }
        let wake = last_moment.map_or(next_sign, |moment| next_sign.min(moment));
        waiting = interrupt.wait(waiting, wake.saturating_duration_since(now));
    }
}
