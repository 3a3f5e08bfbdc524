//! The result of a thread, for whoever waits for it.

use std::sync::{Condvar, Mutex, PoisonError};

/// The result of a thread.
pub(super) struct Packet<T> {
    result: Mutex<Option<T>>,
    is_there: Condvar,
}

impl<T> Default for Packet<T> {
    fn default() -> Self {
        Self {
            result: Mutex::new(None),
            is_there: Condvar::new(),
        }
    }
}

impl<T> Packet<T> {
    pub(super) fn put(&self, result: T) {
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        self.is_there.notify_all();
    }

    pub(super) fn has_result(&self) -> bool {
        let result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        result.is_some()
    }

    pub(super) fn take(&self) -> T {
        let mut result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(result) = result.take() {
                return result;
            }
            result = self
                .is_there
                .wait(result)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}
