//! Ctrl-C in the commands for long work.

use std::sync::Arc;

use anyhow::Context;

use crate::cli::output;
use crate::runs::Stop;

/// Exit status that shells use for a program ended by Ctrl-C.
const EXIT_INTERRUPTED: i32 = 130;

/// Handles Ctrl-C and SIGTERM: the first ends the work after the running pieces, the second aborts
/// these, the third exits. May be called once.
///
/// # Errors
/// The signal handler cannot be installed.
pub(super) fn stop_on_ctrl_c() -> anyhow::Result<Arc<Stop>> {
    stop_on_ctrl_c_with("ending after the running pieces; Ctrl-C again aborts them")
}

/// The same with another message at the first Ctrl-C.
///
/// # Errors
/// As [`stop_on_ctrl_c`].
pub(super) fn stop_on_ctrl_c_with(message: &'static str) -> anyhow::Result<Arc<Stop>> {
    let stop = Arc::new(Stop::new());
    let seen = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if seen.is_abort() {
            // Some thread is blocked, for example by an engine; all files are complete at any time.
            std::process::exit(EXIT_INTERRUPTED);
        } else if seen.is_requested() {
            seen.abort();
        } else {
            output::eprint_line(format_args!("\n{message}"));
            seen.finish();
        }
    })
    .context("Ctrl-C cannot be watched")?;
    Ok(stop)
}
