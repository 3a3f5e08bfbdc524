//! The browser, or another program that runs WebAssembly: what the page provides.
//!
//! The target is `wasm32-unknown-unknown`, whose standard library has no threads, no clock and no
//! files. The page provides the few functions that are missing ([`page`]); they are called
//! directly, without a generator of bindings, because they take numbers only.
//!
//! There are threads where the page may share memory with its workers. Elsewhere everything runs
//! on the one thread that the page calls, and a search asks the page from time to time whether it
//! is interrupted.

mod memory;
pub(crate) mod page;
pub(crate) mod thread;

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::{Add, Sub};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::{collections::HashMap, path::Path, time::Duration};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

pub(crate) use memory::{ZeroedPages, free_megabytes};
pub(crate) use page::{has_threads, interruption, pause};

/// Default size in MB of a table: a page shares its memory with others.
pub(crate) const DEFAULT_TABLE_MB: usize = 64;

/// A pool of threads for divisible work; the calling thread alone where there are no threads.
pub(crate) fn thread_pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    if !has_threads() {
        return ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    }
    let spawn = |worker: rayon::ThreadBuilder| {
        let builder = thread::Builder::new();
        builder.spawn(move || worker.run()).map(drop)
    };
    ThreadPoolBuilder::new().num_threads(threads).spawn_handler(spawn).build()
}

// --- Files that the page has given, by name ---

static FILES: Mutex<Option<HashMap<String, Arc<[u8]>>>> = Mutex::new(None);

/// A name from the folder of the engine, which is the root: `/eval/nn.bin` is `eval/nn.bin`.
fn from_root(name: &str) -> &str {
    name.trim_start_matches("./").trim_start_matches('/')
}

/// Keeps a file; one of the same name is replaced, by no bytes removed.
pub(crate) fn add_file(name: &str, bytes: Arc<[u8]>) {
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let files = files.get_or_insert_default();
    if bytes.is_empty() {
        files.remove(from_root(name));
    } else {
        files.insert(from_root(name).to_owned(), bytes);
    }
}

/// A file to read, as `std::fs::File`.
#[derive(Debug)]
pub(crate) struct File(Cursor<Arc<[u8]>>);

impl File {
    /// Opens a file; of a folder it is `nn.bin`.
    pub(crate) fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
        let name = path.as_ref().to_string_lossy();
        let name = from_root(&name);
        let in_folder = format!("{}/nn.bin", name.trim_end_matches('/'));
        let file = files.as_ref().and_then(|all| all.get(name).or_else(|| all.get(&in_folder)));
        let missing = || io::Error::new(io::ErrorKind::NotFound, "the page has given no such file");
        file.cloned().map(|bytes| Self(Cursor::new(bytes))).ok_or_else(missing)
    }

    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        Ok(Metadata(self.0.get_ref().len() as u64))
    }
}

impl Read for File {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Seek for File {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.0.seek(position)
    }
}

/// The size of a file, as `std::fs::Metadata`.
pub(crate) struct Metadata(u64);

impl Metadata {
    pub(crate) const fn len(&self) -> u64 {
        self.0
    }

    /// True: there are neither folders nor pipes.
    pub(crate) const fn is_file(&self) -> bool {
        true
    }
}

pub(crate) fn metadata(path: &Path) -> io::Result<Metadata> {
    File::open(path)?.metadata()
}

// --- The clock of the page, under the name of that of the standard library ---

const NANOSECONDS_PER_MILLISECOND: f64 = 1e6;

/// A time, as `std::time::Instant`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instant(Duration);

impl Instant {
    /// The current time of the page.
    pub fn now() -> Self {
        let nanoseconds = page::milliseconds() * NANOSECONDS_PER_MILLISECOND;
        Self(Duration::from_nanos(nanoseconds as u64))
    }

    /// Time from this one until now.
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
