//! Time controls: the limits of an engine, and its clock during a game; stalls of the machine.
//!
//! The increment is added after the move, as GUIs and servers do. A move may therefore use the
//! remaining time and the byoyomi, but not the increment that it will earn.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{collections::VecDeque, fmt};

use serde::{Deserialize, Serialize};

use crate::search::{self, nodes_to_time};
use crate::util::{BareNumber, counted};
use crate::{types::Color, usi::client::clock_words};

/// The limits of one engine. At least one field is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TimeControl {
    /// Main time of the game.
    #[serde(skip_serializing_if = "Duration::is_zero")]
    pub base: Duration,
    /// Time added after each move.
    #[serde(skip_serializing_if = "Duration::is_zero")]
    pub increment: Duration,
    /// Time per move after the main time is used up.
    #[serde(skip_serializing_if = "Duration::is_zero")]
    pub byoyomi: Duration,
    /// `go movetime`: fixed time per move, without a clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime: Option<Duration>,
    /// `go nodes`: nodes per move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// `go depth`: depth of each search in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Nodes that the clock counts as a millisecond, so that games with clocks depend neither on
    /// the machine nor on what else it does; `None` for real time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes_time: Option<u64>,
}

/// Overrun of `go movetime` that counts as a loss on time. Engines can only aim at that time.
const MOVETIME_TOLERANCE: Duration = Duration::from_secs(1);

impl TimeControl {
    /// Whether the engine plays with a clock.
    pub fn has_clock(&self) -> bool {
        !(self.base.is_zero() && self.increment.is_zero() && self.byoyomi.is_zero())
    }

    /// Whether there is no limit at all.
    pub fn is_empty(&self) -> bool {
        let limits = Self { nodes_time: None, ..*self };
        limits == Self::default()
    }

    /// `other` if it sets any limit, else this control; what clocks count is overridden on its own,
    /// and is nothing to limits without a clock.
    #[must_use]
    pub fn overridden_by(self, other: Self) -> Self {
        let counts = other.is_empty() || other.has_clock();
        Self {
            nodes_time: other.nodes_time.or(self.nodes_time.filter(|_| counts)),
            ..if other.is_empty() { self } else { other }
        }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if !self.base.is_zero() || !self.increment.is_zero() {
            parts.push(format!("{}+{} s", self.base.as_secs_f64(), self.increment.as_secs_f64()));
        }
        if !self.byoyomi.is_zero() {
            parts.push(format!("byoyomi {} s", self.byoyomi.as_secs_f64()));
        }
        if let Some(movetime) = self.movetime {
            parts.push(format!("movetime {} s", movetime.as_secs_f64()));
        }
        parts.extend(self.nodes.map(|nodes| counted(nodes, "node")));
        parts.extend(self.depth.map(|depth| format!("depth {depth}")));
        parts.extend(self.nodes_time.map(|nodes| format!("{nodes} nodes are 1 ms")));
        f.write_str(&parts.join(", "))
    }
}

/// A number alone as the time of a move: seconds.
pub(crate) const PER_MOVE: BareNumber = BareNumber::SecondsBelow(100);
/// The same for a whole game or a wait.
pub(crate) const PER_GAME: BareNumber = BareNumber::SecondsBelow(10_000);

/// Parses `BASE+INCREMENT`, such as `60+1`; the increment is optional.
///
/// # Errors
/// One of both is not a duration.
pub(crate) fn parse_base_and_increment(text: &str) -> Result<(Duration, Duration), String> {
    let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
    Ok((PER_GAME.parse(base)?, PER_MOVE.parse(increment)?))
}

/// Asks about absurd numbers in such a text.
pub(crate) fn doubt_base_and_increment(text: &str) -> Option<String> {
    let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
    PER_GAME.doubt(base).or_else(|| PER_MOVE.doubt(increment))
}

/// The clock of one engine during a game.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    control: TimeControl,
    remaining: Duration,
}

impl Clock {
    /// The clock before the first move.
    pub fn new(control: TimeControl) -> Self {
        Self { control, remaining: control.base }
    }

    /// The remaining main time.
    pub fn remaining(&self) -> Duration {
        self.remaining
    }

    /// Maximum real time of the next move, after which it loses; `None` without a clock and
    /// `movetime`, and if the clock counts nodes.
    pub fn budget(&self) -> Option<Duration> {
        if self.counts_nodes() {
            return None;
        }
        if self.control.has_clock() {
            return Some(self.available());
        }
        self.control.movetime.map(|movetime| movetime + MOVETIME_TOLERANCE)
    }

    /// What the clock allows for the next move.
    pub fn available(&self) -> Duration {
        self.remaining + self.control.byoyomi
    }

    /// Nodes that count as a millisecond; `None` if the clock counts time, or there is none.
    fn nodes_time(&self) -> Option<u64> {
        self.control.nodes_time.filter(|_| self.control.has_clock())
    }

    /// Whether there is a clock and it counts nodes instead of time.
    pub fn counts_nodes(&self) -> bool {
        self.nodes_time().is_some()
    }

    /// The time that a move has cost: `elapsed`, or what its nodes stand for.
    pub fn cost(&self, elapsed: Duration, nodes: Option<u64>) -> Duration {
        self.nodes_time()
            .map_or(elapsed, |per_millisecond| nodes_to_time(nodes.unwrap_or(0), per_millisecond))
    }

    /// Subtracts the time of a move and adds the increment.
    pub fn charge(&mut self, used: Duration) {
        self.remaining = self.remaining.saturating_sub(used) + self.control.increment;
    }
}

/// The arguments of `go` (after `ponder`, if that is used) for the engine with the clock `own`,
/// which plays black if `is_black`.
pub fn go_words(own: &Clock, other: &Clock, is_black: bool) -> String {
    let mut words: Vec<String> = Vec::new();
    let control = own.control;
    if control.has_clock() {
        let (sides, side) =
            if is_black { ([own, other], Color::Black) } else { ([other, own], Color::White) };
        let clock = search::Clock {
            time: sides.map(|clock| clock.remaining),
            increment: sides.map(|clock| clock.control.increment),
            byoyomi: sides.map(|clock| clock.control.byoyomi),
        };
        words.push(clock_words(&clock, side));
    }
    if let Some(movetime) = control.movetime {
        words.push(format!("movetime {}", movetime.as_millis()));
    }
    words.extend(control.nodes.map(|nodes| format!("nodes {nodes}")));
    words.extend(control.depth.map(|depth| format!("depth {depth}")));
    words.join(" ")
}

// --- Stalls of the machine ---
//
// A thread sleeps for a few milliseconds at a time. If it wakes much too late, other processes may
// have been delayed as well: a loss on time during such a stall says nothing about the engine, and
// the summary lists it separately.

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
    log.recent.push_back(Stall { from: due, to: woken });
}

fn lock(log: &Mutex<StallLog>) -> MutexGuard<'_, StallLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod heartbeat_tests {
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
        assert_eq!(heartbeat.stall_between(at(1_000_050), at(1_000_060)), length);
        assert_eq!(heartbeat.stall_between(at(999_000), at(1_000_000)), None);
        assert!(heartbeat.stalls().0 >= 1);
    }

    #[test]
    fn a_stall_counts_before_the_thread_has_noticed_it() {
        let before = Instant::now();
        let due = before + INTERVAL;
        let log = StallLog { due: Some(due), ..StallLog::default() };
        let heartbeat =
            Heartbeat { log: Arc::new(Mutex::new(log)), stop: Arc::default(), thread: None };
        thread::sleep(INTERVAL + 2 * MIN_STALL);
        let stall = heartbeat.stall_between(due, Instant::now());
        assert!(stall >= Some(MIN_STALL), "{stall:?}");
        assert_eq!(heartbeat.stall_between(before, due), None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn milliseconds(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    /// A base and an increment, in milliseconds.
    fn fischer(base: u64, increment: u64) -> TimeControl {
        TimeControl {
            base: milliseconds(base),
            increment: milliseconds(increment),
            ..TimeControl::default()
        }
    }

    fn byoyomi(base: u64, byoyomi: u64) -> TimeControl {
        TimeControl { byoyomi: milliseconds(byoyomi), ..fischer(base, 0) }
    }

    fn fixed_nodes(nodes: u64) -> TimeControl {
        TimeControl { nodes: Some(nodes), ..TimeControl::default() }
    }

    /// [`fischer`] in nodes, 200 for a millisecond.
    fn in_nodes(base: u64, increment: u64) -> TimeControl {
        TimeControl { nodes_time: Some(200), ..fischer(base, increment) }
    }

    #[test]
    fn a_base_and_an_increment_are_read_and_doubted_one_by_one() {
        let times = |text| parse_base_and_increment(text);
        assert_eq!(times("2m+100ms"), Ok((Duration::from_mins(2), milliseconds(100))));
        assert_eq!(times("300+0.5"), Ok((Duration::from_mins(5), milliseconds(500))));
        assert!(times("1+x").is_err() && times("x").is_err() && times("1+").is_err());
        let doubted = |text| doubt_base_and_increment(text).unwrap_or_default();
        for (text, expected) in cases! {
            "3600+30" => "";
            "60000+1000" => "60000 is 60000 seconds, 60000ms would be milliseconds";
            "10+100" => "100 is 100 seconds, 100ms would be milliseconds";
        } {
            assert_eq!(doubted(text), expected, "{text}");
        }
    }

    #[test]
    fn the_increment_comes_after_the_move() {
        let mut clock = Clock::new(fischer(1000, 50));
        assert_eq!(clock.budget(), Some(milliseconds(1000)));
        clock.charge(milliseconds(400));
        assert_eq!(clock.budget(), Some(milliseconds(650)));
    }

    #[test]
    fn byoyomi_begins_anew_with_each_move() {
        let mut clock = Clock::new(byoyomi(100, 30));
        for (used, left) in [(90, 10), (35, 0), (30, 0)] {
            clock.charge(milliseconds(used));
            assert_eq!(clock.remaining(), milliseconds(left));
        }
        assert_eq!(clock.budget(), Some(milliseconds(30)));
    }

    #[test]
    fn what_clocks_count_stays_when_the_time_is_overridden() {
        let each = in_nodes(1000, 0);
        assert_eq!(each.overridden_by(fischer(2000, 0)), in_nodes(2000, 0));
        assert_eq!(each.overridden_by(TimeControl::default()), each);
        assert_eq!(each.overridden_by(fixed_nodes(100)), fixed_nodes(100));
    }

    #[test]
    fn a_clock_that_counts_nodes_charges_nodes() {
        let mut clock = Clock::new(in_nodes(1000, 50));
        assert_eq!(clock.budget(), None, "no real time ends the search");
        let cost = clock.cost(Duration::from_mins(1), Some(30_100));
        assert_eq!(cost, Duration::from_micros(150_500));
        clock.charge(cost);
        assert_eq!(clock.available(), Duration::from_micros(899_500));
        let expected = "btime 899 wtime 899 binc 50 winc 50";
        assert_eq!(go_words(&clock, &clock, true), expected);
    }

    #[test]
    fn go_says_what_binds_the_engine() {
        let byoyomi = Clock::new(byoyomi(0, 100));
        let fischer = Clock::new(fischer(1000, 50));
        let nodes = Clock::new(fixed_nodes(5000));
        let expected = "btime 0 wtime 1000 byoyomi 100";
        assert_eq!(go_words(&byoyomi, &fischer, true), expected);
        let expected = "btime 0 wtime 1000 binc 0 winc 50";
        assert_eq!(go_words(&fischer, &byoyomi, false), expected);
        assert_eq!(go_words(&nodes, &fischer, false), "nodes 5000");
        assert_eq!(nodes.budget(), None);
    }
}
