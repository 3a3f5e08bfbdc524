//! The clock of the page, under the name of that of the standard library.

use std::ops::{Add, Sub};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::page;

const NANOSECONDS_PER_MILLISECOND: f64 = 1e6;

/// A time, as `std::time::Instant`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instant(Duration);

impl Instant {
    /// The time now.
    pub fn now() -> Self {
        let nanoseconds = page::milliseconds() * NANOSECONDS_PER_MILLISECOND;
        Self(Duration::from_nanos(nanoseconds as u64))
    }

    /// Time since then.
    pub fn elapsed(&self) -> Duration {
        Self::now().saturating_duration_since(*self)
    }

    /// Time from `earlier` to this one, zero if it is later.
    pub fn duration_since(&self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }

    /// Time from `earlier` to this one, zero if it is later.
    pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// The time after `duration`, `None` where it overflows.
    pub fn checked_add(&self, duration: Duration) -> Option<Self> {
        self.0.checked_add(duration).map(Self)
    }
}

/// Time between two looks for a message.
const LOOK_INTERVAL: Duration = Duration::from_millis(1);

/// Waits for a message, for at most `timeout`. The standard library would ask its own clock.
pub(crate) fn recv_timeout<T>(
    receiver: &Receiver<T>,
    timeout: Duration,
) -> Result<T, RecvTimeoutError> {
    let start = Instant::now();
    loop {
        match receiver.try_recv() {
            Ok(message) => return Ok(message),
            Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) if start.elapsed() >= timeout => {
                return Err(RecvTimeoutError::Timeout);
            }
            Err(TryRecvError::Empty) => sleep(LOOK_INTERVAL),
        }
    }
}

fn sleep(duration: Duration) {
    let (lock, nothing) = (Mutex::new(()), Condvar::new());
    let guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = nothing.wait_timeout(guard, duration);
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0 + duration)
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }
}
