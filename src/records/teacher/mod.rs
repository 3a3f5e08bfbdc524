//! Teacher data of every format as one stream of [`Record`]s, and conversion between the formats.
//!
//! A record is a position with a score and a result, a whole game, or a position alone. The reader
//! checks what it returns: both kings, a valid position, legal moves. Anything else is an error
//! with its place in the file, and the stream goes on after it if the format tells where the next
//! record begins.
//!
//! A format is a file below `formats/` that implements `codec::Codec`, and a row of the table in
//! `formats/mod.rs`. No other code depends on the set of formats.

mod chain;
mod class;
mod codec;
mod fault;
mod formats;
mod reader;
mod record;
mod span;
mod writer;

pub use chain::Chain;
pub use fault::{Fault, FormatFault, TeacherError};
pub use formats::{Content, Format, UnknownFormat};
pub use reader::TeacherReader;
pub use record::{Record, ScoredPosition, TeacherGame};
pub use span::{Skipped, Span};
pub use writer::{TeacherWriter, WriteError};

#[cfg(test)]
mod tests;
