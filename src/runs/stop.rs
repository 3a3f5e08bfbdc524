//! The request to end long work early.

use std::sync::atomic::{AtomicBool, Ordering};

/// A request to end that all threads of a run share. It can be raised but not withdrawn.
#[derive(Default, Debug)]
pub struct Stop {
    finish: AtomicBool,
    abort: AtomicBool,
    give_up: AtomicBool,
}

impl Stop {
    /// A stop that nobody has requested yet.
    pub const fn new() -> Self {
        Self {
            finish: AtomicBool::new(false),
            abort: AtomicBool::new(false),
            give_up: AtomicBool::new(false),
        }
    }

    /// Requests the end after the running pieces; no new piece begins.
    pub fn finish(&self) {
        self.finish.store(true, Ordering::Relaxed);
    }

    /// Requests the end at once: running pieces are aborted and count as not done.
    pub fn abort(&self) {
        self.abort.store(true, Ordering::Relaxed);
        self.finish();
    }

    /// The program exits in a moment: what can be written without waiting for anybody is written.
    pub fn give_up(&self) {
        self.give_up.store(true, Ordering::Relaxed);
        self.abort();
    }

    /// Whether no new piece may begin.
    pub fn is_requested(&self) -> bool {
        self.finish.load(Ordering::Relaxed)
    }

    /// Whether the running pieces are to be aborted.
    pub fn is_abort(&self) -> bool {
        self.abort.load(Ordering::Relaxed)
    }

    /// Whether the program exits in a moment.
    pub fn is_given_up(&self) -> bool {
        self.give_up.load(Ordering::Relaxed)
    }

    /// The flag behind [`Stop::is_requested`], for searches that poll one flag.
    pub const fn flag(&self) -> &AtomicBool {
        &self.finish
    }
}
