//! Writes records.

use std::io::{self, Write};

use super::{
    RATING_PREFIXES, encoded, field_name, is_exact, move_text, piece_name, piece_text, sign,
    word_of_ending,
};
use crate::position::Position;
use crate::records::game::{GameRecord, RecordedMove, TITLE};
use crate::types::{Color, File, PieceType, Rank, Square};
use crate::util::shorten;

/// Writes a record as a game of CSA 2.2.
///
/// # Errors
/// `out` fails.
pub fn write(record: &GameRecord, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "'CSA encoding=UTF-8\nV2.2")?;
    for (color, name) in Color::ALL.into_iter().zip(&record.players) {
        write_field(out, &format!("N{}", sign(color)), name)?;
    }
    write_field(out, "$EVENT:", record.title())?;
    let optional = |text: &Option<String>| text.clone().unwrap_or_default();
    write_field(out, "$START_TIME:", &optional(&record.started_at))?;
    write_field(out, "$TIME_LIMIT:", &optional(&record.time_limit))?;
    for (name, value) in &record.headings {
        if let Some(field) = field_name(name) {
            write_field(out, &format!("${field}:"), &encoded(field, value))?;
        }
    }
    write_position(&record.start, out)?;
    for (index, prefix) in RATING_PREFIXES.into_iter().enumerate() {
        if let Some(rating) = record.ratings[index] {
            writeln!(
                out,
                "{prefix}{}:{rating:.1}",
                one_line(&record.players[index])
            )?;
        }
    }
    for line in &record.comments {
        write_comment(line, out)?;
    }
    for recorded in &record.moves {
        write_move(recorded, out)?;
    }
    let side = record.side_to_move_at_end();
    let Some(word) = word_of_ending(&record.ending, side) else {
        // As a comment the time would be read as that of the last move.
        return write_comments(&record.closing.comments, out);
    };
    writeln!(out, "{word}")?;
    if let Some(time) = record.closing.time {
        writeln!(out, "T{}", time.as_secs())?;
    }
    if !is_exact(&record.ending) {
        write_comment(&record.ending.to_string(), out)?;
    }
    write_comments(&record.closing.comment_lines(), out)
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

/// Writes a line of a prefix and a text, or nothing if the text is empty.
fn write_field(out: &mut impl Write, prefix: &str, text: &str) -> io::Result<()> {
    let text = one_line(text);
    if text.is_empty() {
        return Ok(());
    }
    writeln!(out, "{prefix}{text}")
}

/// The text with control characters such as line breaks replaced by spaces.
fn one_line(text: &str) -> String {
    let text = text.replace(|letter: char| letter.is_control(), " ");
    text.trim().to_owned()
}

fn write_position(start: &Position, out: &mut impl Write) -> io::Result<()> {
    let has_hands = Color::ALL
        .iter()
        .any(|&color| !start.hand(color).is_empty());
    if start.board().squares() == Position::startpos().board().squares() && !has_hands {
        writeln!(out, "PI")?;
    } else {
        for rank in Rank::ALL {
            write!(out, "P{}", rank.index() + 1)?;
            for file in File::ALL.into_iter().rev() {
                match start.piece_on(Square::new(file, rank)) {
                    None => write!(out, " * ")?,
                    Some(piece) => write!(out, "{}", piece_text(piece))?,
                }
            }
            writeln!(out)?;
        }
        for color in Color::ALL {
            write_hand(start, color, out)?;
        }
    }
    writeln!(out, "{}", sign(start.side_to_move()))
}

fn write_hand(start: &Position, color: Color, out: &mut impl Write) -> io::Result<()> {
    let hand = start.hand(color);
    if hand.is_empty() {
        return Ok(());
    }
    write!(out, "P{}", sign(color))?;
    for kind in PieceType::HAND.into_iter().rev() {
        for _ in 0..hand.count(kind) {
            write!(out, "00{}", piece_name(kind))?;
        }
    }
    writeln!(out)
}

fn write_move(recorded: &RecordedMove, out: &mut impl Write) -> io::Result<()> {
    let mv = recorded.mv;
    writeln!(out, "{}", move_text(mv))?;
    if let Some(time) = recorded.time {
        writeln!(out, "T{}", time.as_secs())?;
    }
    write_comments(&recorded.comment_lines(), out)
}

fn write_comments(lines: &[String], out: &mut impl Write) -> io::Result<()> {
    lines.iter().try_for_each(|line| write_comment(line, out))
}

fn write_comment(line: &str, out: &mut impl Write) -> io::Result<()> {
    let line = line.replace(|letter: char| letter.is_control() && letter != '\t', " ");
    writeln!(out, "'*{line}")
}
