//! The binary driven through pipes, as a GUI drives it.
//!
//! One test program for all topics: linking is what takes the time.

mod declarations;
mod driver;
mod garbage;
mod networks;
mod oracle;
mod protocol;
mod refusals;
mod searching;
mod tools;
mod traces;
