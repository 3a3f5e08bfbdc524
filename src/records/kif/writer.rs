//! Writes KIF and KI2.

use std::time::Duration;

use super::board::diagram;
use super::reader::read;
use super::{is_exact, sentence_of_ending, time_text, word_of_ending};
use crate::position::Position;
use crate::records::game::{Ending, Forks, GameRecord, Line, Walk};
use crate::records::notation::handicap::Handicap;
use crate::records::notation::japanese;
use crate::types::Color;
use crate::util::shorten;

/// The end of a line, as the programs of Windows write it.
const LINE_END: &str = "\r\n";

/// The width of a move in the rows of KIF and KI2, in columns.
const MOVE_WIDTH: usize = 12;

/// Moves in a line of KI2.
const MOVES_IN_LINE: usize = 6;

/// How moves are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// A row for each move, with the square that it comes from and its time.
    Kif,
    /// Moves as books print them, without times.
    Ki2,
}

/// The text of a game. `encoding` is named in the first line of KIF.
pub fn write(record: &GameRecord, style: Style, encoding: &str) -> String {
    let mut writer = Writer {
        style,
        out: String::new(),
        names: side_names(&record.start),
        in_line: 0,
        last_width: 0,
        forks: Forks::of(record),
        walk: Walk::new(record.start.clone()),
    };
    if style == Style::Kif {
        writer.line(&format!("#KIF version=2.0 encoding={encoding}"));
    }
    writer.headings(record);
    if style == Style::Kif {
        writer.line("手数----指手---------消費時間--");
    }
    writer.remarks(&record.comments, record.bookmark.as_deref());
    writer.moves(record, &Line::of_game(record));
    writer.variations(record);
    writer.end_line();
    writer.out
}

/// What of a record the style has no room for, in words.
pub fn losses(record: &GameRecord, style: Style) -> Vec<String> {
    let mut losses = Vec::new();
    if record.ratings.iter().any(Option::is_some) {
        losses.push("ratings".to_owned());
    }
    let odd = record.headings.iter();
    let odd = odd.filter(|heading| !is_heading(heading, record));
    losses.extend(odd.map(|(name, _)| format!("the heading {}", shorten(name))));
    if style == Style::Ki2 && has_times(record) {
        losses.push("times".to_owned());
    } else if record.closing.time.is_some() && record.ending == Ending::Unfinished {
        losses.push("the time of an ending without a word".to_owned());
    }
    losses
}

/// The names of the sides: 下手 and 上手 where White gives a handicap.
pub fn side_names(start: &Position) -> [&'static str; Color::NUM] {
    match Handicap::of_position(start) {
        Some(handicap) if !handicap.is_even() => ["下手", "上手"],
        _ => ["先手", "後手"],
    }
}

struct Writer {
    style: Style,
    out: String,
    names: [&'static str; Color::NUM],
    /// Moves of KI2 in the line that is not ended.
    in_line: usize,
    /// Columns of the last of them.
    last_width: usize,
    forks: Forks,
    /// The position before the next move.
    walk: Walk,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.end_line();
        self.out += text;
        self.out += LINE_END;
    }

    /// Ends a line of KI2.
    fn end_line(&mut self) {
        if self.in_line > 0 {
            self.out += LINE_END;
            self.in_line = 0;
        }
    }

    fn heading(&mut self, name: &str, value: &str) {
        let [name, value] = [name, value].map(one_line);
        if !value.is_empty() {
            self.line(&format!("{name}：{value}"));
        }
    }

    fn headings(&mut self, record: &GameRecord) {
        self.heading("開始日時", record.started_at.as_deref().unwrap_or_default());
        self.heading("棋戦", &record.event);
        self.heading("持ち時間", record.time_limit.as_deref().unwrap_or_default());
        for heading in &record.headings {
            if is_heading(heading, record) {
                self.heading(&heading.0, &heading.1);
            }
        }
        let handicap = Handicap::of_position(&record.start);
        let is_first = record.start.game_ply() == 1;
        if let Some(handicap) = handicap.filter(|handicap| handicap.is_common && is_first) {
            self.heading("手合割", handicap.name);
        } else {
            self.heading("手合割", "その他");
            for line in diagram(&record.start) {
                self.line(&line);
            }
        }
        let names = self.names;
        for (name, player) in names.into_iter().zip(&record.players) {
            self.heading(name, player);
        }
    }

    fn remarks(&mut self, comments: &[String], bookmark: Option<&str>) {
        for comment in comments {
            self.line(&format!("*{}", no_controls(comment)));
        }
        if let Some(bookmark) = bookmark {
            self.line(&format!("&{}", one_line(bookmark)));
        }
    }

    /// Writes the rows of a line.
    fn moves(&mut self, record: &GameRecord, line: &Line<'_>) {
        self.walk.go_to(&line.before);
        let mut totals = line.totals;
        let mut last = line.before.last().map(|mv| mv.to());
        let mut number = line.before.len() + 1;
        let mut side = self.walk.position().side_to_move();
        for recorded in line.moves {
            let has_fork = self.has_fork(record, number - 1, line.index);
            match self.style {
                Style::Kif => {
                    let total = &mut totals[side.index()];
                    *total = total.saturating_add(recorded.time.unwrap_or_default());
                    let time = recorded.time.map(|time| time_text(time, *total));
                    let text = japanese::with_origin(recorded.mv, last);
                    self.row(number, &text, time, has_fork);
                }
                Style::Ki2 => {
                    let text = japanese::with_mark(self.walk.position(), recorded.mv, last);
                    self.move_in_line(&text);
                }
            }
            self.remarks(&recorded.comment_lines(), recorded.bookmark.as_deref());
            self.walk.push(recorded.mv);
            last = Some(recorded.mv.to());
            number += 1;
            side = !side;
        }
        let has_fork = self.has_fork(record, number - 1, line.index);
        self.ending(line, side, number, totals[side.index()], has_fork);
    }

    /// Writes how a line ends. `has_fork`: another line goes on where this one ends.
    fn ending(
        &mut self,
        line: &Line<'_>,
        side: Color,
        number: usize,
        total: Duration,
        has_fork: bool,
    ) {
        let Some(ending) = line.ending else {
            return self.remarks(&line.closing.comment_lines(), None);
        };
        if let Some(word) = word_of_ending(ending, side)
            && self.style == Style::Kif
        {
            let time = line.closing.time;
            let time = time.map(|time| time_text(time, total.saturating_add(time)));
            self.row(number, word, time, has_fork);
        }
        let sentence = sentence_of_ending(ending, side, number - 1, self.names);
        if let Some(sentence) = sentence.as_ref().filter(|_| self.style == Style::Ki2) {
            self.line(sentence);
        }
        if !is_exact(ending) {
            self.line(&format!("*{}", one_line(&ending.to_string())));
        }
        if *ending == Ending::Unfinished {
            // As a comment the time would be read as that of the last move.
            return self.remarks(&line.closing.comments, None);
        }
        self.remarks(&line.closing.comment_lines(), None);
        if let Some(sentence) = sentence.filter(|_| self.style == Style::Kif) {
            self.line(&sentence);
        }
    }

    /// Whether a line that is written later has another move after as many `moves` than the
    /// variation `own`, or the game.
    fn has_fork(&self, record: &GameRecord, moves: usize, own: Option<usize>) -> bool {
        let variation = own.and_then(|own| record.variations.get(own));
        match variation.filter(|variation| variation.after == moves) {
            Some(variation) => {
                let others = self.forks.at(variation.parent, moves);
                others.iter().any(|&other| Some(other) > own)
            }
            None => !self.forks.at(own, moves).is_empty(),
        }
    }

    /// Writes a row of KIF.
    fn row(&mut self, number: usize, text: &str, time: Option<String>, has_fork: bool) {
        let mut row = format!("{number:4} {text}");
        if let Some(time) = time {
            row += &" ".repeat(MOVE_WIDTH.saturating_sub(columns(text)) + 1);
            row += &time;
        }
        if has_fork {
            row.push('+');
        }
        self.line(&row);
    }

    fn move_in_line(&mut self, text: &str) {
        if self.in_line > 0 {
            self.out += &" ".repeat(MOVE_WIDTH.saturating_sub(self.last_width).max(1));
        }
        self.out += text;
        self.in_line += 1;
        self.last_width = columns(text);
        if self.in_line == MOVES_IN_LINE {
            self.end_line();
        }
    }

    /// Writes the variations so that each can be found by going back from the one before it: those
    /// of a line from its end on, each followed by its own.
    fn variations(&mut self, record: &GameRecord) {
        // A stack, whose top is written next.
        let mut waiting: Vec<usize> = self.forks.of_line(None).collect();
        waiting.reverse();
        while let Some(index) = waiting.pop() {
            self.end_line();
            self.out += LINE_END;
            self.line(&format!("変化：{}手", record.variations[index].after + 1));
            self.moves(record, &Line::of_variation(record, index));
            let begin = waiting.len();
            waiting.extend(self.forks.of_line(Some(index)));
            waiting[begin..].reverse();
        }
    }
}

/// Whether the line of a heading is read back as that heading, and has no other meaning.
fn is_heading((name, value): &(String, String), record: &GameRecord) -> bool {
    if name == "持ち時間" {
        return record.time_limit.is_none();
    }
    let [name, value] = [name, value].map(|text| one_line(text));
    let again = read(&format!("手合割：平手\n{name}：{value}\n"));
    again.is_ok_and(|game| game.headings == [(name, value)] && game.omissions.is_empty())
}

/// Whether the record has the time of a move or of an ending.
fn has_times(record: &GameRecord) -> bool {
    let lines = record.variations.iter();
    let lines = lines.map(|line| (&line.moves, &line.closing));
    lines
        .chain([(&record.moves, &record.closing)])
        .any(|(moves, closing)| {
            closing.time.is_some() || moves.iter().any(|played| played.time.is_some())
        })
}

/// The columns that a text takes, two for each character that is not ASCII.
fn columns(text: &str) -> usize {
    text.chars()
        .map(|letter| if letter.is_ascii() { 1 } else { 2 })
        .sum()
}

/// The text with control characters replaced by spaces, without blanks around it.
fn one_line(text: &str) -> String {
    no_controls(text).trim().to_owned()
}

/// The text in one line. Tabs stay: comments have them.
fn no_controls(text: &str) -> String {
    text.replace(|letter: char| letter.is_control() && letter != '\t', " ")
}
