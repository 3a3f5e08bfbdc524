//! Writes records.

use std::fmt::Display;
use std::time::Duration;

use super::{
    RATING_PREFIXES, encoded, field_name, is_exact, move_text, piece_name, piece_text, sign,
    word_of_ending,
};
use crate::position::Position;
use crate::records::game::{GameRecord, TITLE};
use crate::types::{Color, File, PieceType, Rank, Square};
use crate::util::shorten;

/// The text of a game in CSA 2.2.
pub fn write(record: &GameRecord) -> String {
    let mut writer = Writer::default();
    writer.line("'CSA encoding=UTF-8");
    writer.line("V2.2");
    for (color, name) in Color::ALL.into_iter().zip(&record.players) {
        writer.field(&format!("N{}", sign(color)), name);
    }
    writer.field("$EVENT:", record.title());
    let optional = |text: &Option<String>| text.clone().unwrap_or_default();
    writer.field("$START_TIME:", &optional(&record.started_at));
    writer.field("$TIME_LIMIT:", &optional(&record.time_limit));
    for (name, value) in &record.headings {
        if let Some(field) = field_name(name) {
            writer.field(&format!("${field}:"), &encoded(field, value));
        }
    }
    writer.position(&record.start);
    for (index, prefix) in RATING_PREFIXES.into_iter().enumerate() {
        if let Some(rating) = record.ratings[index] {
            let name = one_line(&record.players[index]);
            writer.line(format_args!("{prefix}{name}:{rating:.1}"));
        }
    }
    writer.comments(&record.comments);
    for recorded in &record.moves {
        writer.line(move_text(recorded.mv));
        writer.time(recorded.time);
        writer.comments(&recorded.comment_lines());
    }
    let side = record.side_to_move_at_end();
    if let Some(word) = word_of_ending(&record.ending, side) {
        writer.line(word);
        writer.time(record.closing.time);
        if !is_exact(&record.ending) {
            writer.comments(&[record.ending.to_string()]);
        }
        writer.comments(&record.closing.comment_lines());
    } else {
        // As a comment the time would be read as that of the last move.
        writer.comments(&record.closing.comments);
    }
    writer.out
}

/// What of a record the format has no room for, in words.
pub fn losses(record: &GameRecord) -> Vec<String> {
    let mut losses = Vec::new();
    if !record.variations.is_empty() {
        losses.push("variations".to_owned());
    }
    let marks = record
        .moves
        .iter()
        .filter(|played| played.bookmark.is_some());
    if record.bookmark.is_some() || marks.count() > 0 {
        losses.push("bookmarks".to_owned());
    }
    if record.start.game_ply() > 1 {
        losses.push("the number of the first move".to_owned());
    }
    let word = word_of_ending(&record.ending, record.side_to_move_at_end());
    if record.closing.time.is_some() && word.is_none() {
        losses.push("the time of an ending without a word".to_owned());
    }
    let unknown = record
        .headings
        .iter()
        .filter(|(name, _)| field_name(name).is_none())
        .filter(|(name, value)| name != TITLE || value != record.title());
    losses.extend(unknown.map(|(name, _)| format!("the heading {}", shorten(name))));
    losses
}

/// The text with control characters such as line breaks replaced by spaces.
fn one_line(text: &str) -> String {
    let text = text.replace(|letter: char| letter.is_control(), " ");
    text.trim().to_owned()
}

#[derive(Default)]
struct Writer {
    out: String,
}

impl Writer {
    fn line(&mut self, text: impl Display) {
        self.out.push_str(&text.to_string());
        self.out.push('\n');
    }

    /// Writes a line of a prefix and a text, or nothing if the text is empty.
    fn field(&mut self, prefix: &str, text: &str) {
        let text = one_line(text);
        if !text.is_empty() {
            self.line(format_args!("{prefix}{text}"));
        }
    }

    fn time(&mut self, time: Option<Duration>) {
        if let Some(time) = time {
            self.line(format_args!("T{}", time.as_secs()));
        }
    }

    fn comments(&mut self, lines: &[String]) {
        for line in lines {
            let line = line.replace(|letter: char| letter.is_control() && letter != '\t', " ");
            self.line(format_args!("'*{line}"));
        }
    }

    fn position(&mut self, start: &Position) {
        let hands = Color::ALL.map(|color| hand(start, color));
        let is_even = start.board().squares() == Position::startpos().board().squares();
        if is_even && hands.iter().all(String::is_empty) {
            self.line("PI");
        } else {
            for rank in Rank::ALL {
                let text = |file: File| {
                    let piece = start.piece_on(Square::new(file, rank));
                    piece.map_or_else(|| " * ".to_owned(), piece_text)
                };
                let squares: String = File::ALL.into_iter().rev().map(text).collect();
                self.line(format_args!("P{}{squares}", rank.index() + 1));
            }
            for (color, hand) in Color::ALL.into_iter().zip(hands) {
                self.field(&format!("P{}", sign(color)), &hand);
            }
        }
        self.line(sign(start.side_to_move()));
    }
}

/// The pieces in hand: `00HI00FU`.
fn hand(start: &Position, color: Color) -> String {
    let hand = start.hand(color);
    let kinds = PieceType::HAND.into_iter().rev();
    let pieces =
        kinds.map(|kind| format!("00{}", piece_name(kind)).repeat(hand.count(kind) as usize));
    pieces.collect()
}
