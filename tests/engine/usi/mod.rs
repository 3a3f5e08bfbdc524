//! The binary driven through pipes, as a GUI drives it.

mod books;
mod declarations;
mod driver;
mod garbage;
mod logging;
#[cfg(target_os = "linux")]
mod memory;
mod networks;
mod oracle;
mod protocol;
mod refusals;
mod searching;
mod sequences;
mod tools;
mod traces;
mod tunables;
