//! Ctrl-C, for all commands alike.

use std::sync::Arc;

use anyhow::Context;

use crate::cli::output;
use crate::runs::Stop;

/// What shells report of a program that Ctrl-C ended.
const EXIT_INTERRUPTED: i32 = 130;

/// The first Ctrl-C (or SIGTERM) ends the work after the running pieces, the second breaks them
/// off, the third ends the program. Can be called once.
///
/// # Errors
/// The system does not let us watch Ctrl-C.
pub(super) fn stop_on_ctrl_c() -> anyhow::Result<Arc<Stop>> {
    let stop = Arc::new(Stop::new());
    let seen = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if seen.is_abort() {
            // Somebody still waits for an engine; what is written is complete at any moment.
            std::process::exit(EXIT_INTERRUPTED);
        } else if seen.is_requested() {
            seen.abort();
        } else {
            output::eprint_line(format_args!(
                "\nending after the running work; Ctrl-C again breaks it off"
            ));
            seen.finish();
        }
    })
    .context("Ctrl-C cannot be watched")?;
    Ok(stop)
}
