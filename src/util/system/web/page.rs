//! The functions that the page provides, and what the page tells the engine.
//!
//! Why unsafe here: a function of another language has no checked signature.
#![expect(unsafe_code, reason = "imported functions")]

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::util::system::Interruption;

/// Milliseconds between two questions of a search to the page.
const POLL_INTERVAL: u32 = 8;

/// Bits of the answer of [`imported::poll`].
const STOP: u32 = 1;
const PONDER_HIT: u32 = 2;

mod imported {
    #[link(wasm_import_module = "raicho")]
    unsafe extern "C" {
        /// Milliseconds since a fixed time, the same for all threads.
        pub(super) fn now() -> f64;
        /// Receives a line of output and its number.
        pub(super) fn line(text: *const u8, length: usize, number: u32);
        /// Receives the message of a panic.
        pub(super) fn panic(text: *const u8, length: usize);
        /// Starts a thread: another instance on the same memory that sets its stack pointer to
        /// `stack`, its thread-local memory to `locals`, calls `raicho_run_thread(start)`, and
        /// stores 0 to `in_use` when it needs both no more.
        pub(super) fn spawn(start: usize, stack: usize, locals: usize, in_use: usize);
        /// Returns what has happened since the last call, in the only thread; with `wait`, after
        /// some milliseconds.
        pub(super) fn poll(wait: u32) -> u32;
    }
}

/// Number of processor cores; 0 before [`begin`].
static CORES: AtomicU32 = AtomicU32::new(0);
/// Most bytes that the memory can grow to.
static MOST_MEMORY: AtomicU32 = AtomicU32::new(0);
static HAS_THREADS: AtomicBool = AtomicBool::new(false);
/// Set by a stop until [`clear_interruption`].
static IS_STOPPED: AtomicBool = AtomicBool::new(false);
static HAS_PONDER_HIT: AtomicBool = AtomicBool::new(false);
/// Number of the next line.
static NEXT_LINE: AtomicU32 = AtomicU32::new(0);
/// When the page is asked again, in milliseconds.
static NEXT_POLL: AtomicU32 = AtomicU32::new(0);

/// Sets what the page can provide; called once, before anything else.
pub(crate) fn begin(cores: u32, most_memory: u32, has_threads: bool) {
    CORES.store(cores.max(1), Ordering::Relaxed);
    MOST_MEMORY.store(most_memory, Ordering::Relaxed);
    HAS_THREADS.store(has_threads, Ordering::Relaxed);
}

/// Number of processor cores.
pub(super) fn cores() -> usize {
    CORES.load(Ordering::Relaxed).max(1) as usize
}

/// Most bytes that the memory can grow to.
pub(super) fn most_memory() -> usize {
    MOST_MEMORY.load(Ordering::Relaxed) as usize
}

/// Whether there are other threads than the one that the page calls.
pub(crate) fn has_threads() -> bool {
    HAS_THREADS.load(Ordering::Relaxed)
}

/// Milliseconds since a fixed time.
pub(super) fn milliseconds() -> f64 {
    // SAFETY: it takes nothing and returns a number.
    unsafe { imported::now() }
}

/// Milliseconds, modulo 2^32.
fn milliseconds_modulo() -> u32 {
    milliseconds() as u64 as u32
}

/// Sends a line of output. Callers hold a lock, so that the numbers are in the order of the lines.
pub(crate) fn send_line(text: &[u8]) {
    let number = NEXT_LINE.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the page reads the text before it returns.
    unsafe { imported::line(text.as_ptr(), text.len(), number) }
}

/// Tells the page why the program ends.
pub(crate) fn send_panic(text: &str) {
    // SAFETY: the page reads the text before it returns.
    unsafe { imported::panic(text.as_ptr(), text.len()) }
}

/// Starts a thread, see [`imported::spawn`].
pub(super) fn spawn(start: usize, stack: usize, locals: usize, in_use: usize) {
    // SAFETY: the page passes numbers on; what they mean is up to `thread`.
    unsafe { imported::spawn(start, stack, locals, in_use) }
}

/// What interrupts a search that occupies the only thread. Asks the page every [`POLL_INTERVAL`];
/// the page can do other work meanwhile. A stop holds until [`clear_interruption`].
pub(crate) fn interruption() -> Option<Interruption> {
    if has_threads() {
        return None;
    }
    let next = NEXT_POLL.load(Ordering::Relaxed);
    if milliseconds_modulo().wrapping_sub(next) as i32 >= 0 {
        poll(false);
    }
    if IS_STOPPED.load(Ordering::Relaxed) {
        return Some(Interruption::Stop);
    }
    let is_hit = HAS_PONDER_HIT.swap(false, Ordering::Relaxed);
    is_hit.then_some(Interruption::PonderHit)
}

/// Waits a moment for an interruption of the only thread.
pub(crate) fn pause() {
    poll(true);
}

fn poll(wait: bool) {
    // SAFETY: it takes and returns a number.
    let answer = unsafe { imported::poll(u32::from(wait)) };
    if answer & STOP != 0 {
        IS_STOPPED.store(true, Ordering::Relaxed);
    }
    if answer & PONDER_HIT != 0 {
        HAS_PONDER_HIT.store(true, Ordering::Relaxed);
    }
    let next = milliseconds_modulo().wrapping_add(POLL_INTERVAL);
    NEXT_POLL.store(next, Ordering::Relaxed);
}

/// The next line of the page is processed: the stop before it has been obeyed.
pub(crate) fn clear_interruption() {
    IS_STOPPED.store(false, Ordering::Relaxed);
    HAS_PONDER_HIT.store(false, Ordering::Relaxed);
}
