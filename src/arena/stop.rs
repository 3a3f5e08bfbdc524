//! How a match is told to end before its time.

use std::sync::atomic::{AtomicU8, Ordering};

const FINISH: u8 = 1;
const ABORT: u8 = 2;

/// A request to end, shared by everybody who plays.
#[derive(Default, Debug)]
pub struct Stop(AtomicU8);

impl Stop {
    /// Nobody asked yet.
    pub const fn new() -> Self {
        Self(AtomicU8::new(0))
    }

    /// The running games are played to their end, no new one begins.
    pub fn finish(&self) {
        self.0.fetch_max(FINISH, Ordering::Relaxed);
    }

    /// The running games are broken off and do not count.
    pub fn abort(&self) {
        self.0.fetch_max(ABORT, Ordering::Relaxed);
    }

    /// Whether no new game may begin.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= FINISH
    }

    /// Whether the running games are broken off too.
    pub fn is_abort(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= ABORT
    }
}
