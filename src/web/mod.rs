//! The engine in a browser: USI lines from and to a page.
//!
//! The page calls these functions with numbers; texts and files lie in memory that it takes from
//! [`raicho_alloc`]. `web/worker.js` is the other side. What the page must provide is in
//! `util::system`.
//!
//! Why unsafe here: the memory of the page comes as an address and a length, and the functions have
//! names that a page can find.
#![expect(unsafe_code, reason = "functions and memory that a page uses")]

use std::io::{self, Write};
use std::{cell::RefCell, error::Error, panic, sync::atomic::AtomicBool};

use crate::bench::{self, BenchError, BenchOptions};
use crate::engine::{EvalFile, load_evaluator};
use crate::util::system::{Interruption, add_file, interruption, page, thread};
use crate::{types::Depth, usi::session::Dialogue};

thread_local! {
    /// The session of the first thread.
    static DIALOGUE: RefCell<Option<Dialogue>> = const { RefCell::new(None) };
}

/// Begins the session. `most_memory` is the number of bytes that the memory can grow to; with
/// `has_threads` the page can start threads.
#[unsafe(no_mangle)]
pub extern "C" fn raicho_begin(cores: u32, most_memory: u32, has_threads: u32) {
    page::begin(cores, most_memory, has_threads != 0);
    panic::set_hook(Box::new(|panic| page::send_panic(&panic.to_string())));
    DIALOGUE.set(Some(Dialogue::new(Lines(Vec::new()), bench)));
}

/// Memory of `length` bytes for a text or a file, which the function that receives it frees.
#[unsafe(no_mangle)]
pub extern "C" fn raicho_alloc(length: usize) -> *mut u8 {
    let mut bytes: Vec<u8> = Vec::new();
    if bytes.try_reserve_exact(length).is_err() {
        return std::ptr::null_mut();
    }
    bytes.resize(length, 0);
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

/// Takes memory of [`raicho_alloc`] back.
///
/// # Safety
/// The address is that of [`raicho_alloc`] with this length, and is not used any more.
unsafe fn taken(bytes: *mut u8, length: usize) -> Box<[u8]> {
    let bytes = std::ptr::slice_from_raw_parts_mut(bytes, length);
    // SAFETY: the caller keeps the contract.
    unsafe { Box::from_raw(bytes) }
}

/// Does what a line says; returns 0 when the session is over.
///
/// # Safety
/// `text` is memory of [`raicho_alloc`] with `length` bytes, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raicho_line(text: *mut u8, length: usize) -> u32 {
    // SAFETY: the caller keeps the contract.
    let text = unsafe { taken(text, length) };
    page::clear_interruption();
    DIALOGUE.with_borrow_mut(|dialogue| {
        let goes_on = dialogue.as_mut().is_some_and(|dialogue| dialogue.line(&text));
        u32::from(goes_on)
    })
}

/// Keeps a file, which options such as `EvalFile` can then name; without bytes, none of that name.
///
/// # Safety
/// `name` and `bytes` are memory of [`raicho_alloc`] with these lengths, and are not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raicho_file(
    name: *mut u8,
    name_length: usize,
    bytes: *mut u8,
    length: usize,
) {
    // SAFETY: the caller keeps the contract.
    let name = unsafe { taken(name, name_length) };
    // SAFETY: the caller keeps the contract.
    let bytes = unsafe { taken(bytes, length) };
    add_file(&String::from_utf8_lossy(&name), bytes.into());
}

/// Runs a thread that was started with the number `start`.
#[unsafe(no_mangle)]
pub extern "C" fn raicho_run_thread(start: usize) {
    thread::run(start);
}

/// The output: whole lines for the page.
struct Lines(Vec<u8>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        for line in self.0.split_inclusive(|&byte| byte == b'\n') {
            page::send_line(line.strip_suffix(b"\n").unwrap_or(line));
        }
        self.0.clear();
        Ok(())
    }
}

/// The command `bench`, which the protocol layer cannot import: that of `raicho bench`.
fn bench(
    depth: Option<u32>,
    output: &mut dyn Write,
    stop: &AtomicBool,
) -> Result<(), Box<dyn Error>> {
    let (evaluator, _) = load_evaluator(&EvalFile::Embedded)?;
    let mut options = BenchOptions { evaluator, ..BenchOptions::default() };
    if let Some(depth) = depth {
        options.depth = depth as Depth;
    }
    bench::run_stoppable(&options, output, stop)?;
    if interruption() == Some(Interruption::Stop) {
        return Err(BenchError::Stopped.into());
    }
    Ok(())
}
