//! Game records in KIF, the format of Japanese sites and GUIs. They are only read.
//!
//! Source: the description by the author of Kifu for Windows
//! (`http://kakinoki.o.oo7.jp/kif_format.html`). The reader takes the headers, the handicap or a
//! board diagram, the main line and the ending, and skips variations and comments.

mod board;
mod fault;
mod notation;
mod reader;

pub use board::{digit, sign};
pub use fault::{KifError, KifFault};
pub use reader::read;

#[cfg(test)]
mod tests;
