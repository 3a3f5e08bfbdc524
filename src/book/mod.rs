//! Opening books: their formats, look-up, and the choice of a move.
//!
//! | Part | What it is |
//! |---|---|
//! | [`BookEntry`] | a position and its moves, in the terms that all formats share |
//! | [`BookReader`], [`BookWriter`] | files of every format, entry by entry |
//! | [`Book`] | a book to look into while playing: in memory, or where it lies |
//! | [`probe()`] | what a book proposes for a position, and why other moves are dropped |
//!
//! Formats are known by content ([`BookFormat`]). What is wrong with a file is named by its place
//! ([`BookFault`]) and skipped, or leaves no book ([`BookError`]).

mod apery;
mod check;
mod choice;
mod db;
mod entry;
mod fault;
mod format;
mod legal;
mod library;
mod losses;
mod memory;
mod opened;
mod options;
mod order;
mod probe;
mod query;
mod reader;
mod rotate;
mod sbk;
mod shared_file;
mod writer;
mod writer_error;
mod ybb;

pub use check::Checker;
pub use choice::{Dice, line, ponder_move};
pub use entry::{BookEntry, BookMove, UNKNOWN_DEPTH};
pub use fault::{BookError, BookFault, EntryPlace, FaultLog, Place, Problem, Reason};
pub use format::BookFormat;
pub use legal::legal_move;
pub use library::Library;
pub use losses::{Extras, Losses};
pub use opened::Book;
pub use options::BookOptions;
pub use order::order_key;
pub use probe::{Dropped, Probe, ProbedMove, Refusal, probe};
pub use reader::BookReader;
pub use writer::BookWriter;
pub use writer_error::WriteError;

pub(crate) use db::{Blocks, Line, parse_move, split_line};
pub(crate) use rotate::rotated_move;
