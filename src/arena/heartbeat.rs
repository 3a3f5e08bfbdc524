//! Notices when the machine stands still.
//!
//! A thread sleeps for a few milliseconds at a time. Where it wakes much too late, so may everything else have: a loss on
//! time in such a moment says nothing about the engine, and the summary lists it apart.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long the thread sleeps.
const BEAT: Duration = Duration::from_millis(5);
/// Waking so much later than asked for is a stall. Ordinary scheduling on a busy machine stays well below.
const STALL: Duration = Duration::from_millis(25);
/// Stalls that are remembered one by one; a machine that has more is hopeless anyway.
const REMEMBERED: usize = 1000;

/// A stretch of time in which the heartbeat did not run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stall {
    /// When the thread should have woken.
    from: Instant,
    /// When it did.
    to: Instant,
}

#[derive(Default)]
struct Noted {
    recent: VecDeque<Stall>,
    count: u64,
    longest: Duration,
}

/// The thread, which ends with this.
pub(super) struct Heartbeat {
    noted: Arc<Mutex<Noted>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Starts the thread; without one (the system has none left) no stall is ever seen.
    pub(super) fn start() -> Self {
        let noted = Arc::new(Mutex::new(Noted::default()));
        let stop = Arc::new(AtomicBool::new(false));
        let beat = {
            let (noted, stop) = (Arc::clone(&noted), Arc::clone(&stop));
            move || {
                while !stop.load(Ordering::Relaxed) {
                    let due = Instant::now() + BEAT;
                    thread::sleep(BEAT);
                    note(&noted, due, Instant::now());
                }
            }
        };
        let thread = thread::Builder::new()
            .name("heartbeat".to_owned())
            .spawn(beat)
            .inspect_err(|error| log::warn!("no heartbeat thread: {error}"))
            .ok();
        Self {
            noted,
            stop,
            thread,
        }
    }

    /// The longest stall that overlaps the stretch of time.
    pub(super) fn stall_between(&self, from: Instant, to: Instant) -> Option<Duration> {
        lock(&self.noted)
            .recent
            .iter()
            .filter(|stall| stall.from < to && stall.to > from)
            .map(|stall| stall.to - stall.from)
            .max()
    }

    /// How many stalls there were, and the longest.
    pub(super) fn stalls(&self) -> (u64, Duration) {
        let noted = lock(&self.noted);
        (noted.count, noted.longest)
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

fn note(noted: &Mutex<Noted>, due: Instant, woken: Instant) {
    let late = woken.saturating_duration_since(due);
    if late < STALL {
        return;
    }
    let mut noted = lock(noted);
    noted.count += 1;
    noted.longest = noted.longest.max(late);
    if noted.recent.len() == REMEMBERED {
        noted.recent.pop_front();
    }
    noted.recent.push_back(Stall {
        from: due,
        to: woken,
    });
}

fn lock(noted: &Mutex<Noted>) -> MutexGuard<'_, Noted> {
    noted.lock().unwrap_or_else(PoisonError::into_inner)
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
        note(&heartbeat.noted, at(1_000_000), at(1_000_010));
        assert_eq!(heartbeat.stall_between(at(999_000), at(2_000_000)), None);
        note(&heartbeat.noted, at(1_000_000), at(1_000_100));
        let length = Some(Duration::from_millis(100));
        assert_eq!(
            heartbeat.stall_between(at(1_000_050), at(1_000_060)),
            length
        );
        assert_eq!(heartbeat.stall_between(at(999_000), at(1_000_000)), None);
        assert!(heartbeat.stalls().0 >= 1);
    }
}
