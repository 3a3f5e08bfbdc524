//! What stands before the first move: headings, the board, and comments on the start.

use super::board::Diagram;
use super::fault::KifFault;
use crate::position::{Position, START_SFEN};
use crate::records::game::{Builder, GameRecord};
use crate::records::notation::handicap::Handicap;
use crate::types::Color;
use crate::util::shorten;

/// The lines before the first move so far.
#[derive(Default)]
pub(super) struct Preamble {
    event: String,
    players: [String; Color::NUM],
    started_at: Option<String>,
    time_limit: Option<String>,
    headings: Vec<(String, String)>,
    handicap: Option<&'static Handicap>,
    /// An unknown handicap, which needs a drawn board, and its line.
    other_handicap: Option<(String, usize)>,
    diagram: Diagram,
    pub(super) comments: Vec<String>,
    pub(super) bookmark: Option<String>,
    /// Whether the line above the rows of moves was read.
    pub(super) is_over: bool,
    /// Lines that say nothing known.
    omissions: Vec<String>,
}

impl Preamble {
    /// Reads a line if it belongs to a diagram; `false` if it does not.
    pub(super) fn diagram_line(&mut self, line: &str) -> Result<bool, KifFault> {
        self.diagram.line(line)
    }

    pub(super) fn heading(&mut self, name: &str, value: &str, line: usize) {
        match name {
            "" => {}
            "先手" | "下手" => value.clone_into(&mut self.players[0]),
            "後手" | "上手" => value.clone_into(&mut self.players[1]),
            "棋戦" => value.clone_into(&mut self.event),
            "開始日時" => self.started_at = Some(value.to_owned()),
            "持ち時間" if is_time_limit(value) => self.time_limit = Some(value.to_owned()),
            "手合割" => {
                self.handicap = Handicap::of_name(value);
                if self.handicap.is_none() {
                    self.other_handicap = Some((value.to_owned(), line));
                }
            }
            _ => self.headings.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Takes a heading behind the first move; `false` if the record has another of this name.
    pub(super) fn late_heading(&mut self, name: &str, value: &str) -> bool {
        let mut same = self.headings.iter().filter(|(known, _)| known == name);
        let known = match name {
            "先手" | "下手" => Some(&self.players[0]),
            "後手" | "上手" => Some(&self.players[1]),
            "棋戦" => Some(&self.event),
            _ => same.next().map(|(_, value)| value),
        };
        if let Some(known) = known.filter(|known| !known.is_empty()) {
            return known == value;
        }
        // The line only matters to a handicap, with which another game begins.
        self.heading(name, value, 0);
        true
    }

    /// Leaves out a line that says nothing known.
    pub(super) fn leave_out(&mut self, text: &str, line: usize) {
        let text = shorten(text);
        self.omissions
            .push(format!("line {line}: '{text}', expected a heading"));
    }

    /// Whether the lines say with which position the game begins, even if wrongly.
    pub(super) fn has_position(&self) -> bool {
        self.handicap.is_some() || self.other_handicap.is_some() || !self.diagram.is_empty()
    }

    /// The line of the handicap that is not known, unless a board is drawn.
    pub(super) fn line_of_unknown_handicap(&self) -> Option<usize> {
        let other = self.other_handicap.as_ref();
        let other = other.filter(|_| self.diagram.is_empty());
        other.map(|(_, line)| *line)
    }

    /// The game, which begins with the position of these lines.
    pub(super) fn begin(&mut self) -> Result<Builder, KifFault> {
        let white_first = self.handicap.is_some_and(|handicap| !handicap.is_even());
        let sfen = match (self.diagram.to_sfen(white_first), self.handicap) {
            (Some(drawn), _) => drawn,
            (None, Some(handicap)) => handicap.sfen.to_owned(),
            (None, None) => match &self.other_handicap {
                Some((name, _)) => return Err(KifFault::Handicap(shorten(name))),
                None => START_SFEN.to_owned(),
            },
        };
        if self.diagram.has_only_hands() {
            let omission = "pieces in hand, expected a board too";
            self.omissions.push(omission.to_owned());
        }
        let sfen = self.diagram.with_side(&sfen);
        let start = Position::from_sfen(&sfen).map_err(KifFault::Position)?;
        let mut game = Builder::new(start);
        game.set_first_target(self.diagram.last_target());
        game.record_mut().comments = std::mem::take(&mut self.comments);
        game.record_mut().bookmark = self.bookmark.take();
        game.record_mut().omissions = std::mem::take(&mut self.omissions);
        Ok(game)
    }

    /// The record with these headings.
    pub(super) fn complete(self, record: GameRecord) -> GameRecord {
        GameRecord {
            event: self.event,
            players: self.players,
            started_at: self.started_at,
            time_limit: self.time_limit,
            headings: self.headings,
            ..record
        }
    }
}

/// Whether a time control is in the notation of CSA, `00:10+05`, which the record keeps.
fn is_time_limit(text: &str) -> bool {
    text.contains('+')
        && text
            .chars()
            .all(|letter| letter.is_ascii_digit() || matches!(letter, ':' | '+'))
}
