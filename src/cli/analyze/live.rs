//! The best lines of a running search, shown in place on a terminal.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use console::{Term, truncate_str};

use super::board::is_dumb;
use super::words::in_words;
use crate::lang::Lang;
use crate::position::Position;
use crate::search::Info;

/// Time between two displays.
const INTERVAL: Duration = Duration::from_millis(100);

/// Shows the lines below what was printed before; does nothing where standard output is no
/// terminal.
pub(super) struct Live {
    term: Option<Term>,
    position: Position,
    lang: Lang,
    /// Lines on the screen that the next display replaces.
    shown: usize,
    last: Option<Instant>,
}

impl Live {
    /// For a search of this position.
    pub(super) fn new(position: &Position, lang: Lang) -> Self {
        Self {
            term: (std::io::stdout().is_terminal() && !is_dumb()).then(Term::stdout),
            position: position.clone(),
            lang,
            shown: 0,
            last: None,
        }
    }

    /// Shows the lines, unless others were shown a moment ago.
    pub(super) fn show(&mut self, lines: &BTreeMap<usize, Info>) {
        let Some(term) = &self.term else { return };
        if self.last.is_some_and(|last| last.elapsed() < INTERVAL) {
            return;
        }
        self.last = Some(Instant::now());
        let (height, width) = term.size();
        let mut texts = self.texts(lines);
        // The cursor stands below them. What has left the screen cannot be replaced.
        texts.truncate(usize::from(height).saturating_sub(1));
        // A terminal that fails shows nothing; the result is printed all the same.
        let _ = term.clear_last_lines(self.shown);
        for text in &texts {
            let _ = term.write_line(&truncate_str(text, width.into(), "…"));
        }
        self.shown = texts.len();
    }

    /// Removes the lines.
    pub(super) fn clear(&mut self) {
        if let Some(term) = &self.term {
            let _ = term.clear_last_lines(self.shown);
        }
        self.shown = 0;
    }

    fn texts(&self, lines: &BTreeMap<usize, Info>) -> Vec<String> {
        let mut texts = Vec::new();
        for (rank, info) in lines {
            let words = in_words(info.score, &self.position, self.lang);
            texts.push(format!("{rank}. {words}"));
            let seconds = format!("{:.1}", info.time.as_secs_f64());
            let effort =
                self.lang
                    .depth_and_nodes(info.depth, self.lang.nodes(info.nodes), seconds);
            texts.push(format!(
                "   {effort}: {}",
                self.lang.line(&self.position, &info.pv)
            ));
        }
        texts
    }
}
