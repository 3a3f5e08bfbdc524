//! The header of a file of `YaneuraOu`'s format.

use super::error::NetError;
use crate::eval::nnue::shape::text;
use crate::util::shorten;

/// The hash and the architecture text.
pub(super) struct Header {
    /// The hash of the whole file.
    pub(super) hash: u32,
    /// The architecture text, with control characters replaced.
    pub(super) text: String,
}

impl Header {
    pub(super) fn new(hash: u32, text: &[u8]) -> Self {
        // Messages that quote the text are single lines.
        let printable = |letter: char| if letter.is_control() { '?' } else { letter };
        let text = String::from_utf8_lossy(text)
            .chars()
            .map(printable)
            .collect();
        Self { hash, text }
    }

    /// The `FV_SCALE` in the text, not checked.
    pub(super) fn scale(&self) -> Option<usize> {
        text::fv_scale(&self.text)
    }

    /// The beginning of the text, for messages.
    pub(super) fn shown(&self) -> String {
        shorten(&self.text)
    }

    /// The error for an architecture text that is refused.
    pub(super) fn refused(&self, problem: String) -> NetError {
        NetError::Text {
            problem,
            text: self.shown(),
        }
    }
}
