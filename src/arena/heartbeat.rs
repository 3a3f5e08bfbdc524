//! Detects stalls of the machine.
//!
//! A thread sleeps for a few milliseconds at a time. If it wakes much too late, other processes may
//! have been delayed as well: a loss on time during such a stall says nothing about the engine, and
//! the summary lists it separately.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Duration of one sleep.
const INTERVAL: Duration = Duration::from_millis(5);
/// Minimum delay that counts as a stall. Ordinary scheduling on a busy machine stays well below.
const MIN_STALL: Duration = Duration::from_millis(25);
/// Maximum number of recent stalls that are kept for [`Heartbeat::stall_between`].
const MAX_STALLS: usize = 1000;

/// A period in which the thread was not scheduled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stall {
    /// When the thread should have woken up.
    from: Instant,
    /// When it woke up.
    to: Instant,
}

#[derive(Default)]
struct StallLog {
    recent: VecDeque<Stall>,
    /// When the sleeping thread should wake up.
    due: Option<Instant>,
    count: u64,
    longest: Duration,
}

/// The thread; it ends when this is dropped.
pub(super) struct Heartbeat {
    log: Arc<Mutex<StallLog>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Starts the thread. If the system cannot start one, no stall is ever detected.
    pub(super) fn start() -> Self {
        let log = Arc::new(Mutex::new(StallLog::default()));
        let stop = Arc::new(AtomicBool::new(false));
        let beat = {
            let (log, stop) = (Arc::clone(&log), Arc::clone(&stop));
            move || {
                while !stop.load(Ordering::Relaxed) {
                    let due = Instant::now() + INTERVAL;
                    lock(&log).due = Some(due);
                    thread::sleep(INTERVAL);
                    record(&log, due, Instant::now());
                }
            }
        };
        let thread = thread::Builder::new()
            .name("heartbeat".to_owned())
            .spawn(beat)
            .inspect_err(|error| log::warn!("no heartbeat thread: {error}"))
            .ok();
        Self { log, stop, thread }
    }

    /// The longest stall that overlaps the given period. A stall that has not ended yet counts too,
    /// as this thread may have woken up before the heartbeat.
    pub(super) fn stall_between(&self, from: Instant, to: Instant) -> Option<Duration> {
        let log = lock(&self.log);
        let now = Instant::now();
        let unfinished = log.due.map(|due| Stall { from: due, to: now });
        log.recent
            .iter()
            .chain(&unfinished)
            .filter(|stall| stall.from < to && stall.to > from)
            .map(|stall| stall.to.saturating_duration_since(stall.from))
            .filter(|length| *length >= MIN_STALL)
            .max()
    }

    /// The number of stalls, and the duration of the longest.
    pub(super) fn stalls(&self) -> (u64, Duration) {
        let log = lock(&self.log);
        (log.count, log.longest)
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn record(log: &Mutex<StallLog>, due: Instant, woken: Instant) {
    let late = woken.saturating_duration_since(due);
    if late < MIN_STALL {
        return;
    }
    let mut log = lock(log);
    log.count += 1;
    log.longest = log.longest.max(late);
    if log.recent.len() == MAX_STALLS {
        log.recent.pop_front();
    }
    log.recent.push_back(Stall {
        from: due,
        to: woken,
    });
}

fn lock(log: &Mutex<StallLog>) -> MutexGuard<'_, StallLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_is_found_by_the_time_it_overlaps() {
        let heartbeat = Heartbeat::start();
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        // Far in the future, so that real stalls of the machine do not interfere.
        record(&heartbeat.log, at(1_000_000), at(1_000_010));
        assert_eq!(heartbeat.stall_between(at(999_000), at(2_000_000)), None);
        record(&heartbeat.log, at(1_000_000), at(1_000_100));
        let length = Some(Duration::from_millis(100));
        assert_eq!(
            heartbeat.stall_between(at(1_000_050), at(1_000_060)),
            length
        );
        assert_eq!(heartbeat.stall_between(at(999_000), at(1_000_000)), None);
        assert!(heartbeat.stalls().0 >= 1);
    }

    #[test]
    fn a_stall_counts_before_the_thread_has_noticed_it() {
        let before = Instant::now();
        let due = before + INTERVAL;
        let log = StallLog {
            due: Some(due),
            ..StallLog::default()
        };
        let heartbeat = Heartbeat {
            log: Arc::new(Mutex::new(log)),
            stop: Arc::default(),
            thread: None,
        };
        thread::sleep(INTERVAL + 2 * MIN_STALL);
        let stall = heartbeat.stall_between(due, Instant::now());
        assert!(stall >= Some(MIN_STALL), "{stall:?}");
        assert_eq!(heartbeat.stall_between(before, due), None);
    }
}
