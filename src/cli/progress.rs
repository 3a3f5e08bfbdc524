//! Long work at a terminal: its progress on stderr, so that results can go through a pipe, and
//! Ctrl-C.
//!
//! The progress is a bar on a terminal, otherwise a line every 30 seconds and at the end.

use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::cli::output;
use crate::lang::{Lang, width};
use crate::runs::{Stop, Watch};

/// Runs `work` with a progress bar that counts in units of `size`; Ctrl-C ends it.
pub(super) fn watched<T, E: Into<anyhow::Error>>(
    unit: &str,
    size: u64,
    work: impl FnOnce(&Watch<'_>) -> Result<T, E>,
) -> Result<T> {
    watched_in(Lang::En, unit, size, work)
}

/// The same in this language.
pub(super) fn watched_in<T, E: Into<anyhow::Error>>(
    lang: Lang,
    unit: &str,
    size: u64,
    work: impl FnOnce(&Watch<'_>) -> Result<T, E>,
) -> Result<T> {
    let stop = stop_on_ctrl_c_with(&lang.ending_after_pieces())?;
    metered_in(lang, &stop, unit, size, work)
}

/// The same with another reason to end.
pub(super) fn metered<T, E: Into<anyhow::Error>>(
    stop: &Stop,
    unit: &str,
    size: u64,
    work: impl FnOnce(&Watch<'_>) -> Result<T, E>,
) -> Result<T> {
    metered_in(Lang::En, stop, unit, size, work)
}

fn metered_in<T, E: Into<anyhow::Error>>(
    lang: Lang,
    stop: &Stop,
    unit: &str,
    size: u64,
    work: impl FnOnce(&Watch<'_>) -> Result<T, E>,
) -> Result<T> {
    let meter = OnceLock::new();
    let progress = |done: u64, total: u64| {
        let length = total.div_ceil(size);
        let meter = meter.get_or_init(|| Meter::in_language(lang, unit, Some(length), 0));
        // The last unit may be a part of one.
        meter.advance(done.div_ceil(size), "");
    };
    let result = work(&Watch { stop, progress: &progress });
    if let Some(meter) = meter.get() {
        meter.finish();
    }
    result.map_err(Into::into)
}

/// Columns of the time that has passed, of the bar, and of the spaces.
const BAR_COLUMNS: usize = 8 + 1 + 10 + 1 + 2;
/// Interval between two lines if stderr is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

/// Shows the progress of some work.
pub(super) struct Meter {
    /// The bar, `None` if stderr is not a terminal.
    bar: Option<ProgressBar>,
    lang: Lang,
    /// The number of all units.
    length: Option<u64>,
    /// The unit that is counted, such as "games".
    unit: String,
    lines: Mutex<Lines>,
}

/// The lines without a bar.
struct Lines {
    /// When the work began.
    begun: Instant,
    /// When the last line was printed; at first the beginning.
    last: Instant,
    /// The newest state, unless a line showed it.
    unshown: Option<String>,
}

impl Meter {
    /// Progress of `length` units, `None` if unlimited, of which `done` are done already.
    pub(super) fn new(unit: &str, length: Option<u64>, done: u64) -> Self {
        Self::in_language(Lang::En, unit, length, done)
    }

    /// The same with the remaining time in this language, which is also that of the unit.
    pub(super) fn in_language(lang: Lang, unit: &str, length: Option<u64>, done: u64) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let target = is_terminal.then(ProgressDrawTarget::stderr);
        Self::on(target, lang, unit, length, done)
    }

    /// The same for work that prints rows. Where these go through a pipe, its reader (`| head`) may
    /// print them on our terminal at any time, so there is no bar.
    pub(super) fn with_rows(lang: Lang, unit: &str, length: Option<u64>, done: u64) -> Self {
        if output::is_pipe() {
            return Self::on(None, lang, unit, length, done);
        }
        Self::in_language(lang, unit, length, done)
    }

    /// The same with a bar on this terminal, or without a bar.
    fn on(
        terminal: Option<ProgressDrawTarget>,
        lang: Lang,
        unit: &str,
        length: Option<u64>,
        done: u64,
    ) -> Self {
        Self {
            bar: terminal.map(|terminal| bar(terminal, lang, unit, length, done)),
            lang,
            length,
            unit: unit.to_owned(),
            lines: Mutex::new(Lines::since(Instant::now())),
        }
    }

    /// Shows that `done` units are done, followed by `words`.
    pub(super) fn advance(&self, done: u64, words: &str) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(output::harmless(self.fitting(words)).into_owned());
        } else if let Some(line) = self.take_line(done, words) {
            output::eprint_line(line);
        }
    }

    /// The parts of a text, which two spaces separate, that fit beside the bar; all if none does.
    fn fitting<'a>(&self, words: &'a str) -> &'a str {
        let length = self.length.unwrap_or(0);
        let left = self.lang.time_left(self.lang.duration(Duration::from_secs(59)));
        let count = self.lang.units_of(length, length, &self.unit) + self.lang.separator() + &left;
        let room = output::error_columns().saturating_sub(BAR_COLUMNS + width(&count));
        let mut ends = words.match_indices("  ").map(|(end, _)| &words[..end]).collect::<Vec<_>>();
        ends.push(words);
        ends.into_iter().rfind(|part| width(part) <= room).unwrap_or(words)
    }

    /// Prints a line above the bar.
    pub(super) fn message(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(output::harmless(line)),
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

    /// Removes the bar, or prints a last line where the work was long enough for others before.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        } else if let Some(line) = self.take_last_line() {
            output::eprint_line(line);
        }
    }

    /// The line of a new state, if one is due.
    fn take_line(&self, done: u64, words: &str) -> Option<String> {
        let mut lines = self.lines.lock().ok()?;
        let count = match self.length {
            Some(length) => self.lang.units_of(done, length, &self.unit),
            None => self.lang.units(done, &self.unit),
        };
        lines.unshown = Some(format!("{count}  {words}").trim_end().to_owned());
        if lines.last.elapsed() < LINE_INTERVAL {
            return None;
        }
        lines.last = Instant::now();
        lines.unshown.take()
    }

    fn take_last_line(&self) -> Option<String> {
        let mut lines = self.lines.lock().ok()?;
        if lines.begun.elapsed() < LINE_INTERVAL {
            return None;
        }
        lines.unshown.take()
    }
}

impl Lines {
    const fn since(begun: Instant) -> Self {
        Self { begun, last: begun, unshown: None }
    }
}

fn bar(
    terminal: ProgressDrawTarget,
    lang: Lang,
    unit: &str,
    length: Option<u64>,
    done: u64,
) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(length, terminal);
    let template = if length.is_some() {
        let done = lang.units_of("{pos}", "{len}", unit);
        format!("{{elapsed_precise}} {{bar:10}} {done}{}{{left}}  {{wide_msg}}", lang.separator())
    } else {
        format!("{{elapsed_precise}} {{spinner}} {}  {{wide_msg}}", lang.units("{pos}", unit))
    };
    if let Ok(style) = ProgressStyle::with_template(&template) {
        // The remaining time is unknown until a first unit is done.
        let left = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let left = if state.pos() > done { lang.duration(state.eta()) } else { "?".to_owned() };
            let _ = out.write_str(&lang.time_left(left));
        };
        bar.set_style(style.with_key("left", left));
    }
    bar.set_position(done);
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// Handles Ctrl-C and SIGTERM: the first ends the work after the running pieces, the second aborts
/// these, the third exits. May be called once.
///
/// # Errors
/// The signal handler cannot be installed.
pub(super) fn stop_on_ctrl_c() -> Result<Arc<Stop>> {
    stop_on_ctrl_c_with(&Lang::En.ending_after_pieces())
}

/// The same with another message at the first Ctrl-C.
///
/// # Errors
/// As [`stop_on_ctrl_c`].
pub(super) fn stop_on_ctrl_c_with(message: &str) -> Result<Arc<Stop>> {
    let say = |message: &str| output::eprint_line(format_args!("\n{message}"));
    Ok(Arc::clone(on_ctrl_c(message, say, || {})?.stop()))
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
) -> Result<Arc<Interrupt>> {
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

/// Exit status that shells use for a program ended by Ctrl-C.
const EXIT_INTERRUPTED: i32 = 130;

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

#[cfg(test)]
mod tests {
    use indicatif::InMemoryTerm;

    use super::*;

    /// A bar of eight games on a screen of 80 columns.
    fn eight_games() -> (InMemoryTerm, Meter) {
        let screen = InMemoryTerm::new(10, 80);
        let target = ProgressDrawTarget::term_like(Box::new(screen.clone()));
        (screen, Meter::on(Some(target), Lang::En, "games", Some(8), 0))
    }

    #[test]
    fn the_time_left_is_unknown_until_a_first_unit_is_done() {
        let (screen, meter) = eight_games();
        meter.advance(0, "none");
        let shown = screen.contents();
        assert!(shown.contains("0/8 games, ? left"), "{shown}");
    }

    #[test]
    fn parts_that_do_not_fit_beside_the_bar_are_left_out_whole() {
        let (_, meter) = eight_games();
        let words = "+2 =1 -1  Elo 120.4 ± 310.2  LOS 70 %  a long remark";
        assert_eq!(meter.fitting(words), "+2 =1 -1  Elo 120.4 ± 310.2");
        assert_eq!(meter.fitting("+2 =1 -1"), "+2 =1 -1");
    }

    #[test]
    fn the_bar_may_be_japanese() {
        let screen = InMemoryTerm::new(10, 100);
        let target = ProgressDrawTarget::term_like(Box::new(screen.clone()));
        let meter = Meter::on(Some(target), Lang::Ja, "問", Some(8), 0);
        meter.advance(0, "詰み 0、不詰 0");
        let shown = screen.contents();
        assert!(shown.contains("0問（全8問）、残り?  詰み 0、不詰 0"), "{shown}");
        let meter = Meter::on(None, Lang::Ja, "局", None, 0);
        let _ = meter.take_line(3, "一");
        let last = meter.lines.lock().expect("no panic").unshown.clone();
        assert_eq!(last.as_deref(), Some("3局  一"));
    }

    #[test]
    fn a_message_stands_above_the_bar() {
        let (screen, meter) = eight_games();
        meter.advance(0, "none");
        meter.message("a is Raicho 0.1");
        let shown = screen.contents();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "a is Raicho 0.1");
        assert_eq!(lines.len(), 2, "{shown}");
        assert!(lines[1].contains("0/8 games"), "{shown}");
    }

    /// A meter without a bar, `None` where the clock cannot tell such a time.
    fn begun_before(seconds: u64) -> Option<Meter> {
        let begun = Instant::now().checked_sub(Duration::from_secs(seconds))?;
        let mut meter = Meter::on(None, Lang::En, "games", Some(8), 0);
        meter.lines = Mutex::new(Lines::since(begun));
        Some(meter)
    }

    #[test]
    fn long_work_without_a_terminal_ends_with_a_line() {
        let Some(long) = begun_before(40) else { return };
        let first = long.take_line(3, "some");
        assert_eq!(first.as_deref(), Some("3/8 games  some"));
        assert_eq!(long.take_last_line(), None, "it is shown already");
        assert_eq!(long.take_line(8, "all"), None, "too soon");
        assert_eq!(long.take_last_line().as_deref(), Some("8/8 games  all"));
        assert_eq!(long.take_last_line(), None, "once");
        let Some(short) = begun_before(10) else {
            return;
        };
        assert_eq!(short.take_line(8, "all"), None);
        assert_eq!(short.take_last_line(), None);
    }

    #[test]
    fn long_words_are_cut_at_the_edge_of_the_terminal() {
        let (screen, meter) = eight_games();
        meter.advance(1, &"+1 =0 -0 ".repeat(9));
        let shown = screen.contents();
        assert_eq!(shown.lines().count(), 1, "{shown}");
        assert!(shown.contains("1/8 games") && shown.contains("+1 =0 -0"), "{shown}");
    }

    #[test]
    fn the_bar_is_gone_at_the_end() {
        let (screen, meter) = eight_games();
        meter.advance(8, "all");
        meter.finish();
        assert_eq!(screen.contents(), "");
    }
}
