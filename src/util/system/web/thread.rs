//! Threads under the names of the standard library: the page starts a worker for each, which runs
//! another instance of the program on the same memory.
//!
//! Why unsafe here: a thread needs a stack and thread-local memory of its own, whose addresses the
//! page passes on. Work of a scope borrows from the caller, which
//! the scope outlives.

#![expect(
    unsafe_code,
    reason = "stacks, pointers that cross as numbers, and the lifetime of borrowed work"
)]

use std::alloc::{Layout, alloc_zeroed};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::{collections::BTreeMap, io, marker::PhantomData, mem::transmute, num::NonZero};

use super::page;

/// Size in bytes of a stack, unless another is asked for.
const STACK_BYTES: usize = 1 << 20;
/// Largest stack. Deep recursion is limited by the stack of the browser, which is smaller.
const MOST_STACK_BYTES: usize = 16 << 20;
/// Thread-local memory at the end of a stack, in bytes; the program has a few variables only.
const LOCAL_BYTES: usize = 4096;
/// Alignment of a stack.
const ALIGNMENT: usize = 64;

type Work = Box<dyn FnOnce() + Send>;

/// Memory for a thread. It is used again when the thread has ended.
struct Stack {
    first: usize,
    bytes: usize,
    /// 1 while a thread uses it; the page stores 0.
    in_use: &'static AtomicU32,
}

static STACKS: Mutex<Vec<Stack>> = Mutex::new(Vec::new());

/// Work whose thread has not begun, by numbers that are given once.
struct Works {
    last: usize,
    waiting: BTreeMap<usize, Work>,
}

static WORKS: Mutex<Works> = Mutex::new(Works { last: 0, waiting: BTreeMap::new() });

impl Works {
    fn add(&mut self, work: Work) -> usize {
        self.last += 1;
        self.waiting.insert(self.last, work);
        self.last
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts threads, as `std::thread::Builder`.
pub(crate) struct Builder {
    stack_bytes: usize,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self { stack_bytes: STACK_BYTES }
    }

    /// Threads have no names here.
    pub(crate) fn name(self, _name: String) -> Self {
        self
    }

    pub(crate) fn stack_size(self, bytes: usize) -> Self {
        Self { stack_bytes: bytes.min(MOST_STACK_BYTES) }
    }

    /// # Errors
    /// There are no threads, or no memory for another one.
    pub(crate) fn spawn<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<JoinHandle<T>> {
        let packet = Arc::new(Packet::default());
        let result = Arc::clone(&packet);
        self.start(Box::new(move || result.put(work())))?;
        Ok(JoinHandle(packet))
    }

    /// # Errors
    /// There are no threads, or no memory for another one.
    pub(crate) fn spawn_scoped<'scope, 'env, T: Send + 'scope>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        work: impl FnOnce() -> T + Send + 'scope,
    ) -> io::Result<ScopedJoinHandle<'scope, T>> {
        scope.spawn(work, |work| self.start(work))
    }

    fn start(self, work: Work) -> io::Result<()> {
        if !page::has_threads() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let bytes = self.stack_bytes + LOCAL_BYTES;
        let (first, in_use) = stack_of(bytes)?;
        let locals = first + self.stack_bytes;
        let start = lock(&WORKS).add(work);
        // The stack grows down from its end, where the thread-local memory begins.
        page::spawn(start, locals, locals, (&raw const *in_use).addr());
        Ok(())
    }
}

/// A stack of at least `bytes` that no thread uses.
fn stack_of(bytes: usize) -> io::Result<(usize, &'static AtomicU32)> {
    let mut stacks = lock(&STACKS);
    let is_free = |stack: &&Stack| {
        // The larger ones are for the searches.
        (bytes..=2 * bytes).contains(&stack.bytes) && stack.in_use.load(Ordering::Acquire) == 0
    };
    if let Some(stack) = stacks.iter().find(is_free) {
        stack.in_use.store(1, Ordering::Relaxed);
        return Ok((stack.first, stack.in_use));
    }
    let no_memory = || io::Error::from(io::ErrorKind::OutOfMemory);
    let layout = Layout::from_size_align(bytes, ALIGNMENT).map_err(|_| no_memory())?;
    // SAFETY: the size is not zero.
    let memory = unsafe { alloc_zeroed(layout) };
    if memory.is_null() {
        return Err(no_memory());
    }
    let stack =
        Stack { first: memory.addr(), bytes, in_use: Box::leak(Box::new(AtomicU32::new(1))) };
    let result = (stack.first, stack.in_use);
    stacks.push(stack);
    Ok(result)
}

/// Runs the work of a thread; the page calls it in the instance of that thread, once for each call
/// of `spawn`. Any other call does nothing.
pub(crate) fn run(start: usize) {
    let work = lock(&WORKS).waiting.remove(&start);
    if let Some(work) = work {
        work();
    }
}

/// Handle of a running thread.
pub(crate) struct JoinHandle<T>(Arc<Packet<T>>);

impl<T> JoinHandle<T> {
    /// Whether the thread has ended.
    pub(crate) fn is_finished(&self) -> bool {
        self.0.has_result()
    }

    /// Waits for the thread. A panic ends the whole program, so there is always a result.
    #[expect(clippy::unnecessary_wraps, reason = "as in the standard library")]
    pub(crate) fn join(self) -> std::thread::Result<T> {
        Ok(self.0.take())
    }
}

/// Number of processor cores; 1 where there are no threads.
#[expect(clippy::unnecessary_wraps, reason = "as in the standard library")]
pub(crate) fn available_parallelism() -> io::Result<NonZero<usize>> {
    let cores = if page::has_threads() { page::cores() } else { 1 };
    Ok(NonZero::new(cores).unwrap_or(NonZero::<usize>::MIN))
}

// --- Threads that end before the function that starts them ---

/// Threads that end before [`scope`] returns.
pub(crate) struct Scope<'scope, 'env: 'scope> {
    running: Arc<Running>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// The number of running threads.
#[derive(Default)]
struct Running {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Running {
    fn add(&self, difference: isize) {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count = count.saturating_add_signed(difference);
        self.changed.notify_all();
    }

    fn wait(&self) {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        while *count > 0 {
            count = self.changed.wait(count).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Calls `body`, and waits for all threads that it has started.
pub(crate) fn scope<'env, T>(body: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T) -> T {
    let scope = Scope { running: Arc::default(), scope: PhantomData, env: PhantomData };
    let result = body(&scope);
    scope.running.wait();
    result
}

impl<'scope> Scope<'scope, '_> {
    /// Starts a thread with `start`.
    fn spawn<T: Send + 'scope>(
        &'scope self,
        work: impl FnOnce() -> T + Send + 'scope,
        start: impl FnOnce(Box<dyn FnOnce() + Send>) -> io::Result<()>,
    ) -> io::Result<ScopedJoinHandle<'scope, T>> {
        let packet = Arc::new(Packet::default());
        let (result, running) = (Arc::clone(&packet), Arc::clone(&self.running));
        let work: Box<dyn FnOnce() + Send + 'scope> = Box::new(move || {
            result.put(work());
            drop(result);
            running.add(-1);
        });
        // SAFETY: only the lifetime changes. `scope` returns when the work is done and has dropped
        // everything that it borrows; a panic, which would leave earlier, ends the program.
        let work = unsafe {
            transmute::<Box<dyn FnOnce() + Send + 'scope>, Box<dyn FnOnce() + Send>>(work)
        };
        self.running.add(1);
        start(work).inspect_err(|_| self.running.add(-1))?;
        Ok(ScopedJoinHandle { packet, scope: PhantomData })
    }
}

/// A running thread of a scope.
pub(crate) struct ScopedJoinHandle<'scope, T> {
    packet: Arc<Packet<T>>,
    scope: PhantomData<&'scope ()>,
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the thread. A panic ends the whole program, so there is always a result.
    #[expect(clippy::unnecessary_wraps, reason = "as in the standard library")]
    pub(crate) fn join(self) -> std::thread::Result<T> {
        Ok(self.packet.take())
    }
}

// --- Results, for whoever waits for a thread ---

/// The result of a thread.
struct Packet<T> {
    result: Mutex<Option<T>>,
    is_there: Condvar,
}

impl<T> Default for Packet<T> {
    fn default() -> Self {
        Self { result: Mutex::new(None), is_there: Condvar::new() }
    }
}

impl<T> Packet<T> {
    fn put(&self, result: T) {
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        self.is_there.notify_all();
    }

    fn has_result(&self) -> bool {
        let result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        result.is_some()
    }

    fn take(&self) -> T {
        let mut result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(result) = result.take() {
                return result;
            }
            result = self.is_there.wait(result).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
