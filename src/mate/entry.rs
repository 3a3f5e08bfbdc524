//! What the solver's table stores about a position.

use super::proof_numbers::ProofNumbers;
use crate::types::Move16;

/// What is stored about one board and the hands of the attacker that the entry answers for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// All but `repetition_start`, which is not stored.
    pub(super) numbers: ProofNumbers,
    /// Nodes searched below the position; small ones are replaced first.
    pub(super) subtree_size: u32,
    /// Plies left in the search that stored the entry. Proven entries are compared by their length
    /// instead, and do not store it.
    pub(super) limit: u16,
    /// The smallest number on a path, counted from 1 at the root, with which the position was met.
    /// Of a path disproof the start of the repetition.
    pub(super) min_depth: u16,
    /// The first move of the proof or disproof, or the most promising one.
    pub(super) mv: Option<Move16>,
    /// Whether the position was disproven by repetition on some path, so that the path's key is to
    /// be looked up too.
    pub(super) has_path_disproof: bool,
}
