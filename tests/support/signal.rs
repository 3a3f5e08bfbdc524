//! Signals to processes.

use std::process::{Child, Command};

/// Sends a signal, such as `INT`, by the shell: a small system has no other `kill`.
pub(crate) fn send(process: &Child, name: &str) {
    let command = format!("kill -{name} {}", process.id());
    let sent = Command::new("sh").args(["-c", &command]).status();
    assert!(sent.expect("a shell").success(), "{command}");
}
