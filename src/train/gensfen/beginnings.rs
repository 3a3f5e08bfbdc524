//! The positions from which the games of a run begin.

use super::starts::Starts;

/// What the games of a run begin from. The settings name the files.
#[derive(Clone, Debug)]
pub struct Beginnings {
    /// For most games.
    pub roots: Starts,
    /// For some, see [`EnteringKings`].
    pub entering_kings: Option<Starts>,
}
