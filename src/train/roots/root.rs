//! A root: a start position for self-play.

use crate::records::packed::PackedSfen;

/// A position and its number of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Root {
    /// The position, packed.
    pub position: PackedSfen,
    /// Number of games in which it occurred.
    pub count: u64,
    /// The lowest move number at which it occurred.
    pub ply: u16,
}
