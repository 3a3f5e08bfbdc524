//! How long work on a book is watched and told to end.

use super::error::MakeError;
use crate::runs::Stop;

/// How long work is watched and told to end.
pub struct Watch<'a> {
    /// Set from outside to end the work.
    pub stop: &'a Stop,
    /// Is told now and then how much of how much is done, in bytes or positions.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

impl Watch<'_> {
    /// Reports progress.
    ///
    /// # Errors
    /// The end is requested.
    pub(super) fn advance(&self, done: u64, total: u64) -> Result<(), MakeError> {
        (self.progress)(done, total);
        if self.stop.is_requested() {
            return Err(MakeError::Interrupted);
        }
        Ok(())
    }
}
