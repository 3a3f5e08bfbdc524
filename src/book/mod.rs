//! Opening books: their formats, look-up, and the choice of a move.

mod entry;

pub use entry::{BookEntry, BookMove};
