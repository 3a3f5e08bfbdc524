//! Progress of long work on stderr, so that results can go through a pipe: a bar on a terminal,
//! otherwise a line every 30 seconds.

use crate::cli::output;
use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

/// Interval between two lines if stderr is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

/// Shows the progress of some work.
pub(super) struct Meter {
    /// The bar, `None` if stderr is not a terminal.
    bar: Option<ProgressBar>,
    /// The unit that is counted, such as "games".
    unit: &'static str,
    last_line: Mutex<Instant>,
}

impl Meter {
    /// Progress of `length` units, `None` if unlimited, of which `done` are done already.
    pub(super) fn new(unit: &'static str, length: Option<u64>, done: u64) -> Self {
        let bar = std::io::stderr()
            .is_terminal()
            .then(|| bar(unit, length, done));
        Self {
            bar,
            unit,
            last_line: Mutex::new(Instant::now()),
        }
    }

    /// Shows that `done` units are done, followed by `words`.
    pub(super) fn advance(&self, done: u64, words: String) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(words);
        } else if self.is_line_due() {
            output::eprint_line(format_args!("{done} {}  {words}", self.unit));
        }
    }

    /// Prints a line above the bar.
    pub(super) fn message(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| output::eprint_line(format_args!("{line}"))),
            None => output::eprint_line(format_args!("{line}")),
        }
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn is_line_due(&self) -> bool {
        let Ok(mut last) = self.last_line.lock() else {
            return false;
        };
        let is_due = last.elapsed() >= LINE_INTERVAL;
        if is_due {
            *last = Instant::now();
        }
        is_due
    }
}

fn bar(unit: &str, length: Option<u64>, done: u64) -> ProgressBar {
    let bar = length.map_or_else(ProgressBar::no_length, ProgressBar::new);
    let template = if length.is_some() {
        format!("{{elapsed_precise}} {{bar:20}} {{pos}}/{{len}} {unit}, {{left}} left  {{msg}}")
    } else {
        format!("{{elapsed_precise}} {{spinner}} {{pos}} {unit}  {{msg}}")
    };
    if let Ok(style) = ProgressStyle::with_template(&template) {
        // The remaining time is unknown until a first unit is done.
        let left = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = if state.pos() > done {
                let seconds = Duration::from_secs(state.eta().as_secs());
                write!(out, "{}", indicatif::HumanDuration(seconds))
            } else {
                out.write_str("?")
            };
        };
        bar.set_style(style.with_key("left", left));
    }
    bar.set_position(done);
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}
