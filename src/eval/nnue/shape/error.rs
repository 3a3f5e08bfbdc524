//! What can be wrong with a shape or its name.

use thiserror::Error;

use super::limits::{MAX_HIDDEN, MAX_WIDTH, WIDTH_STEP};

/// Why a shape or its name is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ShapeError {
    /// The width of the feature transformer is out of range.
    #[error("width {0}, expected a multiple of {WIDTH_STEP} up to {MAX_WIDTH}")]
    Width(usize),
    /// The size of a hidden layer is out of range.
    #[error("hidden layer of {0} neurons, expected 1 to {MAX_HIDDEN}")]
    Hidden(usize),
    /// The first hidden layer of a layer stack has a size that is not supported.
    #[error("first layer of {0} neurons, expected 8n, or 8n-1 with a shortcut")]
    FirstOfStacks(usize),
    /// Common inputs and shards do not add up to the width, or groups do not divide the neurons.
    #[error(
        "common inputs and shards, which do not add up to the width or do not divide the neurons"
    )]
    Shards,
    /// A word of the name is unknown.
    #[error("'{word}' in the name, expected {expected}")]
    Word {
        /// The word, cut to 40 characters.
        word: String,
        /// What is allowed in its place.
        expected: &'static str,
    },
    /// The name ends before this part.
    #[error("name without {0}")]
    Missing(&'static str),
}
