//! A root: a position for games of self-play to begin from.

use crate::records::packed::PackedSfen;

/// A position, and in how many games it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Root {
    /// The position.
    pub position: PackedSfen,
    /// Games that had it.
    pub count: u64,
    /// The lowest move number at which one had it.
    pub ply: u16,
}
