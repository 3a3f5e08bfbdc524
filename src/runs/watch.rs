//! How long work without pieces is watched and told to end.

use thiserror::Error;

use super::stop::Stop;

/// How long work is watched and told to end.
pub struct Watch<'a> {
    /// Set from outside to end the work.
    pub stop: &'a Stop,
    /// Is told now and then how much of how much is done; the unit is that of the work, such as
    /// bytes or positions.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// The end was requested before the work was complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("interrupted; no output was completed")]
pub struct Interrupted;

impl Watch<'_> {
    /// Reports progress.
    ///
    /// # Errors
    /// The end is requested.
    pub fn advance(&self, done: u64, total: u64) -> Result<(), Interrupted> {
        (self.progress)(done, total);
        self.check_stop()
    }

    /// # Errors
    /// The end is requested.
    pub fn check_stop(&self) -> Result<(), Interrupted> {
        if self.stop.is_requested() {
            return Err(Interrupted);
        }
        Ok(())
    }
}
