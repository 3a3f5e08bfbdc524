//! The order in which the files of a format list their positions.

use super::apery;
use super::db;
use super::entry::BookEntry;
use super::format::BookFormat;

/// A key whose byte order is the order of the entries in files of a format. Entries of one position
/// come in the order of their plies, except in `.db`, where the ply is text. `.sbk` has no order:
/// the keys are empty. Bytes that are no position come first.
///
pub fn order_key(format: BookFormat, entry: &BookEntry) -> Vec<u8> {
    let with_ply = |key: &[u8]| [key, &entry.ply.to_be_bytes()].concat();
    match format {
        BookFormat::Db => db::position_text(entry).into_bytes(),
        BookFormat::Ybb => with_ply(&entry.position.to_bytes()),
        BookFormat::Bin => with_ply(&apery::key_of_packed(&entry.position).to_be_bytes()),
        BookFormat::Sbk => Vec::new(),
    }
}
