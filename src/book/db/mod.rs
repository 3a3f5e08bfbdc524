//! `YANEURAOU-DB2016`, the text format `.db` of `YaneuraOu`.
//!
//! A line `sfen …` opens a position; each line below it is a move: the move, the expected answer,
//! value, depth and count. Lines end with LF, CR or both; blank lines and lines that begin with `#`
//! or `//` are skipped.

mod block;
mod blocks;
mod disk;
mod line;
mod lines;
mod load;
mod reader;
mod writer;

pub(crate) use blocks::Blocks;
pub(super) use disk::DbOnDisk;
pub(crate) use line::{Line, parse_move, split_line};
pub(super) use load::load;
pub(super) use reader::DbReader;
pub(super) use writer::{DbWriter, position_text};
