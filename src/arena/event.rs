//! What a running match reports to its caller.

use super::journal::GameEntry;
use super::tally::Tally;

/// An event of a running match.
pub enum Event<'a> {
    /// An engine was started successfully.
    EngineChecked {
        /// Its name in the match.
        name: &'a str,
        /// The name that it reports with `id name`.
        program: &'a str,
    },
    /// A game has ended and was kept.
    Game {
        /// The journal entry of the game.
        entry: &'a GameEntry,
        /// All results, those of this game included.
        tally: &'a Tally,
    },
    /// A note for the user.
    Note(String),
}
