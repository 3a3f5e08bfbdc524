//! The comments of a move, and what programs say in them: the score in the notation of floodgate
//! (`* -35 -3334FU`, from black's point of view) and the figures of our own records
//! (`depth 12 nodes 34567 time 0.123s`).

use std::time::Duration;

use super::{RecordedMove, Thought};
use crate::records::csa::move_text;
use crate::types::{Color, Score};

/// The score that stands for a mate in 0 plies; each ply is one less. It fits in 16 bits, because
/// readers store it so.
const MATE_SCORE: i32 = 32_000;

/// The largest score that is not a mate.
const MAX_SCORE: i32 = 30_000;

/// The beginning of a comment with a score.
const SCORE_MARK: &str = "*";

impl RecordedMove {
    /// All comments, a line each: those of the record, and before them the score and the figures
    /// of the engine's thought where no comment says them.
    pub fn comment_lines(&self) -> Vec<String> {
        let is_said = self
            .comments
            .iter()
            .any(|line| line.starts_with(SCORE_MARK));
        let thought = self.thought.as_ref().filter(|_| !is_said);
        let score = thought.and_then(|thought| score_line(self, thought));
        let figures = figures(self.thought.as_ref(), self.time);
        let own = self.comments.iter().cloned();
        score.into_iter().chain(figures).chain(own).collect()
    }

    /// Adds a comment of a record. Figures become fields, and the score does too.
    pub fn add_comment(&mut self, line: &str) {
        if self.take_figures(line) {
            return;
        }
        if let Some(text) = line.strip_prefix(SCORE_MARK) {
            self.take_score(text);
        }
        self.comments.push(line.to_owned());
    }

    /// Reads the score that the text begins with.
    fn take_score(&mut self, text: &str) {
        let word = text.split_whitespace().next();
        let Some(Ok(score)) = word.map(str::parse::<i64>) else {
            return;
        };
        let for_mover = match self.mv.piece().color() {
            Color::Black => score,
            Color::White => score.saturating_neg(),
        };
        let thought = self.thought.get_or_insert(Thought::NOTHING);
        thought.score = thought.score.or(Some(parse_score(for_mover)));
    }

    /// Whether the line holds figures and nothing else; then they are read.
    fn take_figures(&mut self, line: &str) -> bool {
        let words: Vec<&str> = line.split(' ').collect();
        let (mut depth, mut nodes, mut time) = (None, None, None);
        for pair in words.chunks(2) {
            let is_read = match *pair {
                ["depth", number] => number.parse().map(|number| depth = Some(number)).is_ok(),
                ["nodes", number] => number.parse().map(|number| nodes = Some(number)).is_ok(),
                ["time", number] => {
                    time = parse_seconds(number);
                    time.is_some()
                }
                _ => false,
            };
            if !is_read {
                return false;
            }
        }
        self.time = time.or(self.time);
        if depth.is_some() || nodes.is_some() {
            let thought = self.thought.get_or_insert(Thought::NOTHING);
            (thought.depth, thought.nodes) = (depth, nodes);
        }
        true
    }
}

impl Thought {
    /// Nothing is known.
    pub const NOTHING: Self = Self {
        score: None,
        depth: None,
        nodes: None,
        pv: Vec::new(),
    };
}

/// Parses `0.123s`.
fn parse_seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// The score comment of floodgate. The variation is left out if it does not begin with the move
/// played.
fn score_line(recorded: &RecordedMove, thought: &Thought) -> Option<String> {
    let mv = recorded.mv;
    let for_black = black_score(thought.score?, mv.piece().color());
    let mut line = format!("{SCORE_MARK} {for_black}");
    if thought.pv.first() == Some(&mv) {
        for &expected in &thought.pv[1..] {
            line.push(' ');
            line += &move_text(expected);
        }
    }
    Some(line)
}

/// Depth, nodes and exact time, which the formats have no fields for.
fn figures(thought: Option<&Thought>, time: Option<Duration>) -> Option<String> {
    let depth = thought.and_then(|thought| thought.depth);
    let nodes = thought.and_then(|thought| thought.nodes);
    let exact = time.filter(|time| time.subsec_nanos() != 0);
    let texts = [
        depth.map(|depth| format!("depth {depth}")),
        nodes.map(|nodes| format!("nodes {nodes}")),
        exact.map(|time| format!("time {:.3}s", time.as_secs_f64())),
    ];
    let texts: Vec<String> = texts.into_iter().flatten().collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

/// Converts the number of a score comment. Numbers beyond [`MATE_SCORE`], which some programs
/// write, are not mates and are clamped to [`MAX_SCORE`].
pub(in crate::records) fn parse_score(score: i64) -> Score {
    let [max, mate] = [MAX_SCORE, MATE_SCORE].map(i64::from);
    let size = score.saturating_abs();
    if size > max && size <= mate {
        let distance = (mate - size) as i32;
        Score::Mate(if score < 0 { -distance } else { distance })
    } else {
        Score::Cp(score.clamp(-max, max) as i32)
    }
}

/// The number of a score comment: the score of the side that moved, from black's point of view.
/// Centipawns are clamped to ±30,000; a mate in `n` plies is ±(32,000 - n).
pub fn black_score(score: Score, mover: Color) -> i32 {
    let for_mover = match score {
        Score::Cp(centipawns) => centipawns.clamp(-MAX_SCORE, MAX_SCORE),
        Score::Mate(plies) => {
            let distance = plies.saturating_abs().min(MATE_SCORE - MAX_SCORE - 1);
            (MATE_SCORE - distance) * if plies < 0 { -1 } else { 1 }
        }
    };
    match mover {
        Color::Black => for_mover,
        Color::White => -for_mover,
    }
}
