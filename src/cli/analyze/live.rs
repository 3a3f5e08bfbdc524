//! The best lines of a running search, shown in place on a terminal.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use console::{Term, truncate_str};

use super::position::in_words;
use crate::search::Info;
use crate::types::Color;

/// Time between two displays.
const INTERVAL: Duration = Duration::from_millis(100);

/// Shows the lines below what was printed before; does nothing where standard output is no terminal.
pub(super) struct Live {
    term: Option<Term>,
    side: Color,
    /// Lines on the screen that the next display replaces.
    shown: usize,
    last: Option<Instant>,
}

impl Live {
    /// For a search with this side to move.
    pub(super) fn new(side: Color) -> Self {
        Self {
            term: std::io::stdout().is_terminal().then(Term::stdout),
            side,
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
        let (_, width) = term.size();
        let texts = texts(lines, self.side);
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
}

fn texts(lines: &BTreeMap<usize, Info>, side: Color) -> Vec<String> {
    let mut texts = Vec::new();
    for (rank, info) in lines {
        let pv: Vec<String> = info.pv.iter().map(ToString::to_string).collect();
        texts.push(format!("{rank}. {}", in_words(info.score, side)));
        texts.push(format!(
            "   depth {}, {} nodes, {:.1} s: {}",
            info.depth,
            info.nodes,
            info.time.as_secs_f64(),
            pv.join(" ")
        ));
    }
    texts
}
