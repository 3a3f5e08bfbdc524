//! What a running match reports.

use super::journal::GameEntry;
use super::tally::Tally;

/// What happens in a match.
pub enum Event<'a> {
    /// An engine has shown that it can be started; this is what it calls itself.
    EngineChecked {
        /// Its name in the match.
        name: &'a str,
        /// Its own.
        program: &'a str,
    },
    /// A game has been played and kept.
    Game {
        /// The result.
        entry: &'a GameEntry,
        /// All results, this one included.
        tally: &'a Tally,
    },
    /// Something that the user should know.
    Note(String),
}
