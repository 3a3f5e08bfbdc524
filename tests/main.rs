//! The integration tests, in one executable: each one would link the crate again.

#[macro_use]
#[path = "../src/util/test_cases.rs"]
mod test_cases;

mod architecture;
mod books;
mod engine;
mod guide;
mod japanese;
mod networks;
mod rules;
mod tools;

#[path = "support/common.rs"]
mod common;
#[path = "support/folder.rs"]
mod folder;
#[path = "support/misbehaving.rs"]
mod misbehaving;
#[path = "support/runner.rs"]
mod runner;
#[cfg(unix)]
#[path = "support/signal.rs"]
mod signal;
