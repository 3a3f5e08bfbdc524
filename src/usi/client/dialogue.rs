//! The latest lines of the dialogue with an engine, for reports of failures.
//!
//! Each kind of line has its own buffer, so that a flood of `info` does not displace the command
//! that it answers, nor the output on standard error the moves.

use std::collections::VecDeque;
use std::time::Instant;

use crate::util::shorten;

/// Characters kept of a line; `position` with the longest games fits.
const MAX_CHARACTERS: usize = 8192;

/// The source of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Voice {
    /// This program.
    Us,
    /// The engine.
    Engine,
    /// Its standard error.
    Diagnostics,
}

/// The latest lines.
#[derive(Debug)]
pub(super) struct Dialogue {
    start: Instant,
    count: u64,
    infos: LastLines<40>,
    diagnostics: LastLines<40>,
    others: LastLines<60>,
    /// Whether standard error has been read to its end.
    pub(super) is_diagnostics_ended: bool,
}

#[derive(Debug)]
struct Line {
    /// Its number, which orders lines of the same time.
    number: u64,
    at: Instant,
    voice: Voice,
    text: String,
}

/// The last `LINES` lines of a kind.
#[derive(Debug, Default)]
struct LastLines<const LINES: usize>(VecDeque<Line>);

impl<const LINES: usize> LastLines<LINES> {
    fn push(&mut self, line: Line) {
        if self.0.len() == LINES {
            self.0.pop_front();
        }
        self.0.push_back(line);
    }
}

impl Dialogue {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            count: 0,
            infos: LastLines::default(),
            diagnostics: LastLines::default(),
            others: LastLines::default(),
            is_diagnostics_ended: false,
        }
    }

    pub(super) fn note(&mut self, voice: Voice, at: Instant, text: &str) {
        let end = text
            .char_indices()
            .nth(MAX_CHARACTERS)
            .map_or(text.len(), |(end, _)| end);
        let line = Line {
            number: self.count,
            at,
            voice,
            text: text[..end].to_owned(),
        };
        self.count += 1;
        match voice {
            Voice::Diagnostics => self.diagnostics.push(line),
            Voice::Engine if text.trim_start().starts_with("info") => self.infos.push(line),
            Voice::Us | Voice::Engine => self.others.push(line),
        }
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<&Line> = (self.infos.0.iter())
            .chain(&self.diagnostics.0)
            .chain(&self.others.0)
            .collect();
        lines.sort_by_key(|line| line.number);
        lines.into_iter().map(|line| self.show(line)).collect()
    }

    /// The last line on standard error that says something; Rust ends a panic with a note.
    pub(super) fn last_diagnostic(&self) -> Option<String> {
        let mut lines = self.diagnostics.0.iter().rev();
        let says = |line: &&Line| {
            let text = line.text.trim();
            !text.is_empty() && !text.starts_with("note: ")
        };
        lines.find(says).map(|line| shorten(line.text.trim()))
    }

    fn show(&self, line: &Line) -> String {
        let seconds = line.at.saturating_duration_since(self.start).as_secs_f64();
        let sign = match line.voice {
            Voice::Us => '>',
            Voice::Engine => '<',
            Voice::Diagnostics => '!',
        };
        // No control sequences for the terminal on which the report is shown.
        let text = line.text.replace(char::is_control, " ");
        format!("{seconds:.3} {sign} {text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floods_displace_only_their_own_kind() {
        let mut dialogue = Dialogue::new();
        let at = dialogue.start;
        dialogue.note(Voice::Us, at, "go infinite");
        for number in 0..1000 {
            dialogue.note(Voice::Engine, at, &format!("info depth {number}"));
            dialogue.note(Voice::Diagnostics, at, "noise\u{1b}[2J");
        }
        dialogue.note(Voice::Engine, at, "bestmove resign");
        let lines = dialogue.lines();
        assert_eq!(lines.len(), 82);
        assert_eq!(lines[0], "0.000 > go infinite");
        assert_eq!(lines[1], "0.000 < info depth 960");
        assert_eq!(lines[2], "0.000 ! noise [2J");
        assert_eq!(lines[81], "0.000 < bestmove resign");
    }

    #[test]
    fn long_lines_are_cut_at_a_character() {
        let mut dialogue = Dialogue::new();
        dialogue.note(Voice::Engine, dialogue.start, &"雷".repeat(10_000));
        assert_eq!(dialogue.lines()[0].chars().count(), 8192 + 8);
    }
}
