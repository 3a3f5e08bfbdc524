//! Threads that end before the function that starts them, under the names of the standard library.
//!
//! Why unsafe here: the work borrows from the caller, which the scope outlives.
#![expect(unsafe_code, reason = "the lifetime of borrowed work")]

use std::io;
use std::marker::PhantomData;
use std::mem::transmute;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::packet::Packet;

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
            count = self
                .changed
                .wait(count)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Calls `body`, and waits for all threads that it has started.
pub(crate) fn scope<'env, T>(body: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T) -> T {
    let scope = Scope {
        running: Arc::default(),
        scope: PhantomData,
        env: PhantomData,
    };
    let result = body(&scope);
    scope.running.wait();
    result
}

impl<'scope> Scope<'scope, '_> {
    /// Starts a thread with `start`.
    pub(super) fn spawn<T: Send + 'scope>(
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
        Ok(ScopedJoinHandle {
            packet,
            scope: PhantomData,
        })
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
