//! The start positions of a run.

use super::starts::Starts;

/// The start positions of a run, read from the files that the settings name.
#[derive(Clone, Debug)]
pub struct Beginnings {
    /// Start positions of most games.
    pub roots: Starts,
    /// Start positions of some games, see [`EnteringKings`](super::EnteringKings).
    pub entering_kings: Option<Starts>,
}
