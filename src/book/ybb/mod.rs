//! `YANE-BINBOOK-V1`, the binary format `.ybb` of `YaneuraOu`: a header, an index of packed
//! positions in order, and the moves.

mod disk;
mod layout;
mod load;
mod reader;
mod writer;

pub(super) use disk::YbbOnDisk;
pub(super) use layout::is_named_so;
pub(super) use load::{load, read};
pub(super) use reader::YbbReader;
pub(super) use writer::YbbWriter;
