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
    /// When the thread, which sleeps, should wake.
    due: Option<Instant>,
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
                    lock(&noted).due = Some(due);
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

    /// The longest stall that overlaps the stretch of time; one that the thread has yet to wake from counts, as everybody
    /// wakes at the same time.
    pub(super) fn stall_between(&self, from: Instant, to: Instant) -> Option<Duration> {
        let noted = lock(&self.noted);
        let now = Instant::now();
        let unfinished = noted.due.map(|due| Stall { from: due, to: now });
        noted
            .recent
            .iter()
            .chain(&unfinished)
            .filter(|stall| stall.from < to && stall.to > from)
            .map(|stall| stall.to.saturating_duration_since(stall.from))
            .filter(|length| *length >= STALL)
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

    #[test]
    fn a_stall_counts_before_the_thread_has_noticed_it() {
        let before = Instant::now();
        let due = before + BEAT;
        let noted = Noted {
            due: Some(due),
            ..Noted::default()
        };
        let heartbeat = Heartbeat {
            noted: Arc::new(Mutex::new(noted)),
            stop: Arc::default(),
            thread: None,
        };
        thread::sleep(BEAT + 2 * STALL);
        let stall = heartbeat.stall_between(due, Instant::now());
        assert!(stall >= Some(STALL), "{stall:?}");
        assert_eq!(heartbeat.stall_between(before, due), None);
    }
}
