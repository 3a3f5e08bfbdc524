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
pub(super) fn stop_on_ctrl_c_with(message: &str) -> anyhow::Result<Arc<Stop>> {
    let say = |message: &str| output::eprint_line(format_args!("\n{message}"));
    Ok(Arc::clone(on_ctrl_c(message, say, || {})?.stop()))
}

/// What Ctrl-C does, also where the terminal passes it on as a key.
pub(super) struct Interrupt {
    stop: Arc<Stop>,
    /// What is said at the first press, and how.
    message: String,
    say: Box<dyn Fn(&str) + Send + Sync>,
    /// Called before the program exits at the third press.
    before_exit: fn(),
}

impl Interrupt {
    /// The first press ends the work after the running pieces, the second aborts these, the third
    /// exits.
    pub(super) fn press(&self) {
        if self.stop.is_abort() {
            self.stop.give_up();
            (self.before_exit)();
            // Some thread is blocked, for example by an engine; all files are complete at any time.
            std::process::exit(EXIT_INTERRUPTED);
        } else if self.stop.is_requested() {
            self.stop.abort();
        } else {
            (self.say)(&self.message);
            self.stop.finish();
        }
    }

    /// The stop that it requests.
    pub(super) const fn stop(&self) -> &Arc<Stop> {
        &self.stop
    }
}

/// As [`stop_on_ctrl_c`] with another message at the first press, another way to say it, and
/// something to do before the program exits at once.
///
/// # Errors
/// The signal handler cannot be installed.
pub(super) fn on_ctrl_c(
    message: &str,
    say: impl Fn(&str) + Send + Sync + 'static,
    before_exit: fn(),
) -> anyhow::Result<Arc<Interrupt>> {
    let interrupt = Arc::new(Interrupt {
        stop: Arc::new(Stop::new()),
        message: message.to_owned(),
        say: Box::new(say),
        before_exit,
    });
    let seen = Arc::clone(&interrupt);
    ctrlc::set_handler(move || seen.press()).context("Ctrl-C cannot be watched")?;
    Ok(interrupt)
}
