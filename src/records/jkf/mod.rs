//! Game records in JKF, JSON Kifu Format, the format of Kifu for JS
//! (`https://github.com/na2hiro/Kifu-for-JS`).
//!
//! It names squares, pieces and endings as CSA does, and headings as KIF does. Moves are written
//! with all that its schema calls normal (piece, capture, relative position); records without
//! those are read too.

mod endings;
mod fault;
mod reader;
mod schema;
mod start;
mod writer;

pub use fault::{JkfError, JkfFault};
pub use reader::read;
pub use writer::{losses, write};

#[cfg(test)]
mod tests;
