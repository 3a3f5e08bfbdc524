//! How long work is told to end.

use std::sync::atomic::{AtomicBool, Ordering};

/// A request to end, shared by everybody who works. It can be raised, never withdrawn.
#[derive(Default, Debug)]
pub struct Stop {
    finish: AtomicBool,
    abort: AtomicBool,
}

impl Stop {
    /// No request yet.
    pub const fn new() -> Self {
        Self {
            finish: AtomicBool::new(false),
            abort: AtomicBool::new(false),
        }
    }

    /// Asks to complete the running pieces and to begin no new one.
    pub fn finish(&self) {
        self.finish.store(true, Ordering::Relaxed);
    }

    /// Asks to break off the running pieces as well; they count as not done.
    pub fn abort(&self) {
        self.abort.store(true, Ordering::Relaxed);
        self.finish();
    }

    /// Whether no new piece may begin.
    pub fn is_requested(&self) -> bool {
        self.finish.load(Ordering::Relaxed)
    }

    /// Whether the running pieces are to be broken off.
    pub fn is_abort(&self) -> bool {
        self.abort.load(Ordering::Relaxed)
    }

    /// The flag behind [`Stop::is_requested`], for searches that poll one flag.
    pub const fn flag(&self) -> &AtomicBool {
        &self.finish
    }
}
