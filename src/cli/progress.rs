//! Progress of long work on stderr, so that results can go through a pipe: a bar on a terminal,
//! otherwise a line every 30 seconds.

use crate::cli::output;
use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

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
        let is_terminal = std::io::stderr().is_terminal();
        let target = is_terminal.then(ProgressDrawTarget::stderr);
        Self::on(target, unit, length, done)
    }

    /// The same with a bar on this terminal, or without a bar.
    fn on(
        terminal: Option<ProgressDrawTarget>,
        unit: &'static str,
        length: Option<u64>,
        done: u64,
    ) -> Self {
        Self {
            bar: terminal.map(|terminal| bar(terminal, unit, length, done)),
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
            Some(bar) => bar.println(line),
            None => output::eprint_line(format_args!("{line}")),
        }
    }

    /// Calls `print`, which writes to standard output, with the bar out of its way.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
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

fn bar(terminal: ProgressDrawTarget, unit: &str, length: Option<u64>, done: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(length, terminal);
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

#[cfg(test)]
mod tests {
    use indicatif::InMemoryTerm;

    use super::*;

    /// A bar of eight games on a screen of 100 columns.
    fn eight_games() -> (InMemoryTerm, Meter) {
        let screen = InMemoryTerm::new(10, 100);
        let target = ProgressDrawTarget::term_like(Box::new(screen.clone()));
        (screen, Meter::on(Some(target), "games", Some(8), 0))
    }

    #[test]
    fn the_time_left_is_unknown_until_a_first_unit_is_done() {
        let (screen, meter) = eight_games();
        meter.advance(0, "none".to_owned());
        let shown = screen.contents();
        assert!(shown.contains("0/8 games, ? left"), "{shown}");
    }

    #[test]
    fn a_message_stands_above_the_bar() {
        let (screen, meter) = eight_games();
        meter.advance(0, "none".to_owned());
        meter.message("a is Raicho 0.1");
        let shown = screen.contents();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "a is Raicho 0.1");
        assert_eq!(lines.len(), 2, "{shown}");
        assert!(lines[1].contains("0/8 games"), "{shown}");
    }

    #[test]
    fn the_bar_is_gone_at_the_end() {
        let (screen, meter) = eight_games();
        meter.advance(8, "all".to_owned());
        meter.finish();
        assert_eq!(screen.contents(), "");
    }
}
