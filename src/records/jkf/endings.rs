//! The words for the endings of games, which are those of CSA without `%`.

use crate::records::csa::word_of_ending;
use crate::records::game::Ending;
use crate::types::Color;

/// The word for an ending. A checkmate has its own, unlike in records of servers.
pub(super) fn word(ending: &Ending, side: Color) -> Option<&'static str> {
    match ending {
        Ending::Checkmate => Some("TSUMI"),
        _ => word_of_ending(ending, side).and_then(|word| word.strip_prefix('%')),
    }
}

/// Whether the word alone is read back as the ending.
pub(super) fn is_exact(ending: &Ending) -> bool {
    match ending {
        Ending::IllegalMove { text } => text.is_empty(),
        Ending::PerpetualCheck { .. }
        | Ending::IllegalDeclaration
        | Ending::Disconnection { .. }
        | Ending::AdjudicatedWin { .. }
        | Ending::Forfeit { .. } => false,
        _ => true,
    }
}
