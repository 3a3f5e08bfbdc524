//! Apery's book format, usually `book.bin`: records of a key, a move, a count and a score. The
//! positions themselves are not stored.

mod key;
mod load;
mod random;
mod reader;
mod record;
mod writer;

pub(super) use key::key_of_packed;
pub(super) use load::AperyBook;
pub(super) use reader::AperyReader;
pub(super) use record::are_records;
pub(super) use writer::AperyWriter;
