//! Game records in KIF and KI2, the formats of Japanese sites and GUIs.
//!
//! Source: the description by the author of Kifu for Windows
//! (`http://kakinoki.o.oo7.jp/kif_format.html`). Headings, handicaps, board diagrams, times,
//! comments, bookmarks, variations and endings are read and written. KIF lacks words for some
//! endings; the writer then takes the nearest and a comment with the real ending, which the reader
//! understands.

mod board;
mod digits;
mod fault;
mod ki2;
mod numbering;
mod preamble;
mod reader;
mod rows;
mod time;
mod words;
mod writer;

pub use board::{diagram, hand_text};
pub use fault::{KifError, KifFault};
pub use reader::read;
pub use writer::{Style, losses, side_names, write};

#[cfg(test)]
mod tests;
