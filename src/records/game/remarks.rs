//! What records say of a move besides the move: its time, and comments, in which programs write the
//! score in the notation of floodgate (`* -35 -3334FU`, from black's point of view) and the figures
//! of our own records (`depth 12 nodes 34567 time 0.123s`).

use std::time::Duration;

use super::{Closing, RecordedMove, Thought};
use crate::types::{Color, Score};
use crate::{records::csa::move_text, util::shorten};

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
        let is_score = |line: &String| line.starts_with(SCORE_MARK);
        let is_said = self.comments.iter().any(is_score);
        let thought = self.thought.as_ref().filter(|_| !is_said);
        let score = thought.and_then(|thought| score_line(self, thought));
        let figures = Figures::of(self.thought.as_ref(), self.time).text();
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

    /// Whether the line holds figures as they are written here and nothing else; then they are
    /// read, unless the record has others.
    fn take_figures(&mut self, line: &str) -> bool {
        let Some(figures) = Figures::parse(line).filter(|figures| figures.fits(self.time)) else {
            return false;
        };
        if figures.depth.is_some() || figures.nodes.is_some() {
            let thought = self.thought.get_or_insert(Thought::NOTHING);
            if thought.depth.is_some() || thought.nodes.is_some() {
                return false;
            }
            (thought.depth, thought.nodes) = (figures.depth, figures.nodes);
        }
        self.time = figures.time.or(self.time);
        true
    }
}

impl Closing {
    /// All comments, a line each: the exact time, if it has one, and those of the record.
    pub(in crate::records) fn comment_lines(&self) -> Vec<String> {
        let figures = Figures::of(None, self.time).text();
        figures.into_iter().chain(self.comments.clone()).collect()
    }

    /// Adds time. A move that is illegal takes some before the game ends.
    pub(in crate::records) fn add_time(&mut self, time: Option<Duration>) {
        self.time = match (self.time, time) {
            (Some(before), Some(time)) => Some(before.saturating_add(time)),
            (before, time) => time.or(before),
        };
    }

    /// Adds a comment of a record. An exact time becomes the time.
    pub(in crate::records) fn add_comment(&mut self, line: &str) {
        let figures = Figures::parse(line).filter(|figures| figures.fits(self.time));
        match figures {
            Some(Figures { depth: None, nodes: None, time }) => self.time = time,
            _ => self.comments.push(line.to_owned()),
        }
    }
}

impl Thought {
    /// A thought of which nothing is known.
    pub const NOTHING: Self = Self { score: None, depth: None, nodes: None, pv: Vec::new() };
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
#[derive(Default)]
struct Figures {
    depth: Option<u32>,
    nodes: Option<u64>,
    /// The time, where it is not a whole number of seconds.
    time: Option<Duration>,
}

impl Figures {
    fn of(thought: Option<&Thought>, time: Option<Duration>) -> Self {
        Self {
            depth: thought.and_then(|thought| thought.depth),
            nodes: thought.and_then(|thought| thought.nodes),
            time,
        }
    }

    fn text(&self) -> Option<String> {
        let exact = self.time.filter(|time| time.subsec_millis() != 0);
        let exact = exact.map(|time| (time.as_secs(), time.subsec_millis()));
        let texts = [
            self.depth.map(|depth| format!("depth {depth}")),
            self.nodes.map(|nodes| format!("nodes {nodes}")),
            exact.map(|(seconds, millis)| format!("time {seconds}.{millis:03}s")),
        ];
        let texts: Vec<String> = texts.into_iter().flatten().collect();
        (!texts.is_empty()).then(|| texts.join(" "))
    }

    /// Parses a line; `None` unless it is written exactly so. People write comments such as
    /// `time 3s` too.
    fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        let mut figures = Self::default();
        for pair in words.chunks(2) {
            match *pair {
                ["depth", number] => figures.depth = Some(number.parse().ok()?),
                ["nodes", number] => figures.nodes = Some(number.parse().ok()?),
                ["time", number] => {
                    figures.time = Some(parse_seconds(number.strip_suffix('s')?)?);
                }
                _ => return None,
            }
        }
        (figures.text().as_deref() == Some(line)).then_some(figures)
    }

    /// Whether the exact time may be that of a record.
    fn fits(&self, recorded: Option<Duration>) -> bool {
        let times = self.time.zip(recorded);
        times.is_none_or(|(exact, whole)| exact.as_secs() == whole.as_secs())
    }
}

/// Converts the number of a score comment. Numbers beyond [`MATE_SCORE`], which some programs
/// write, are not mates and are clamped to [`MAX_SCORE`].
fn parse_score(score: i64) -> Score {
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

// --- Times ---

/// No move takes longer, so that no sum of times overflows.
const LONGEST: Duration = Duration::from_secs(1_000_000_000);

/// Digits of a second that are kept.
const DECIMALS: usize = 9;

/// Parses a number of seconds, `16` or `16.5`.
pub(in crate::records) fn parse_seconds(text: &str) -> Option<Duration> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let all_digits = |text: &str| text.bytes().all(|letter| letter.is_ascii_digit());
    if !all_digits(whole) || !all_digits(decimals) {
        return None;
    }
    let kept = &decimals[..decimals.len().min(DECIMALS)];
    let nanos = format!("{kept:0<DECIMALS$}").parse().ok()?;
    possible(Duration::new(whole.parse().ok()?, nanos))
}

/// The time, `None` where it is longer than a move can take.
pub(in crate::records) fn possible(time: Duration) -> Option<Duration> {
    (time <= LONGEST).then_some(time)
}

/// Whether a time control is in the notation of CSA, `00:10+05`, which a record keeps apart.
pub(super) fn is_time_limit(text: &str) -> bool {
    let of_csa = |byte: u8| byte.is_ascii_digit() || matches!(byte, b':' | b'+');
    text.contains('+') && text.bytes().all(of_csa)
}

/// The times of a record that cannot be read.
#[derive(Default)]
pub(in crate::records) struct UnreadTimes {
    /// Where the first one is, and what was found.
    first: Option<String>,
    count: usize,
}

impl UnreadTimes {
    /// Counts one. `place` is as in `line 12`.
    pub(in crate::records) fn add(&mut self, place: &str, found: &str) {
        self.count += 1;
        if self.first.is_none() {
            self.first = Some(format!("{place}: '{}' is no time", shorten(found.trim())));
        }
    }

    /// What the reader left out.
    pub(in crate::records) fn omission(self) -> Option<String> {
        let first = self.first?;
        Some(match self.count {
            1 => first,
            count => format!("{first}, and {} more", count - 1),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_may_have_decimals() {
        let milliseconds = |number| Some(Duration::from_millis(number));
        for (text, time) in [
            ("16", milliseconds(16_000)),
            ("16.", milliseconds(16_000)),
            ("3.5", milliseconds(3_500)),
            ("1.987", milliseconds(1_987)),
            ("0.0000000009", milliseconds(0)),
            ("", None),
            ("-5", None),
            ("+5", None),
            ("1e3", None),
            ("abc", None),
            ("9000000000000000000", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(parse_seconds(text), time, "{text}");
        }
    }
}
