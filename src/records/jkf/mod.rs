//! Game records in JKF, JSON Kifu Format, the format of Kifu for JS
//! (`https://github.com/na2hiro/Kifu-for-JS`).
//!
//! It names squares, pieces and endings as CSA does, and headings as KIF does. Moves are written
//! with all that its schema calls normal (piece, capture, relative position); records without
//! those are read too.

mod reader;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, fmt, time::Duration};

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;

use crate::records::csa::{self, piece_name};
use crate::records::notation::japanese::{Promotion, promotion, relative};
use crate::records::{Ending, Forks, GameRecord, Line, Walk, kif::side_names, notation::Handicap};
use crate::types::{Color, File, Move, PieceType, Rank, Square};
use crate::{position::Position, util::harmless_json};

pub use reader::read;

// --- Objects ---

/// The deepest nesting of variations in variations. Each level costs another look at the text, and
/// the stack of whoever reads it.
const MOST_NESTED: usize = 256;

/// A record. Forks are text while it is read, which keeps the reader from nesting as they do.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "F: Deserialize<'de>"))]
#[serde(expecting = "an object with \"header\" and \"moves\"")]
struct Record<F> {
    #[serde(default)]
    header: Header,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    initial: Option<Initial>,
    moves: Vec<Entry<F>>,
}

/// The headings in their order.
#[derive(Default)]
struct Header(Vec<(String, String)>);

impl Serialize for Header {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Header;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object of headings")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
                let mut pairs = Vec::new();
                while let Some((name, value)) = map.next_entry()? {
                    pairs.extend(text_of(value).map(|text| (name, text)));
                }
                Ok(Header(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// The text of a heading, which programs write as a number too, or as `null` without one.
fn text_of(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with \"preset\"")]
struct Initial {
    preset: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Data>,
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with \"color\", \"board\" and \"hands\"")]
struct Data {
    /// The side to move: 0 is black.
    #[serde(default)]
    color: u8,
    /// `board[x - 1][y - 1]` is the square x, y.
    #[serde(default)]
    board: Vec<Vec<Piece>>,
    #[serde(default)]
    hands: Vec<BTreeMap<String, u32>>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(expecting = "an object with \"color\" and \"kind\"")]
struct Piece {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    color: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
}

/// A move, an ending, or the comments on the start position.
#[derive(Serialize, Deserialize, Default)]
#[serde(bound(deserialize = "F: Deserialize<'de>"))]
#[serde(expecting = "an object with \"move\", \"comments\" or \"special\"")]
struct Entry<F> {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    comments: Vec<String>,
    #[serde(default, skip_serializing)]
    comment: Option<String>,
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    played: Option<Played>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    special: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    forks: Vec<F>,
}

/// A fork that is written.
#[derive(Serialize, Default)]
#[serde(transparent)]
struct Fork(Vec<Entry<Fork>>);

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with \"to\", \"from\" and \"piece\"")]
struct Played {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    color: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<Place>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<Place>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    piece: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    same: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    promote: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    capture: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    relative: Option<String>,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(expecting = "an object with \"x\" and \"y\"")]
struct Place {
    x: u8,
    y: u8,
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with \"now\" and \"total\"")]
struct Time {
    now: Clock,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total: Option<Clock>,
}

/// Whole numbers in the standard; some programs write decimals.
#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with \"m\" and \"s\"")]
struct Clock {
    #[serde(default, skip_serializing_if = "Value::is_null")]
    h: Value,
    #[serde(default)]
    m: Value,
    #[serde(default)]
    s: Value,
}

/// The letters of `relative`, and the words for them.
const RELATIVE: [(char, char); 7] =
    [('L', '左'), ('C', '直'), ('R', '右'), ('U', '上'), ('M', '寄'), ('D', '引'), ('H', '打')];

// --- Endings ---

/// The word for an ending. A checkmate has its own, unlike in records of servers.
fn word(ending: &Ending, side: Color) -> Option<&'static str> {
    match ending {
        Ending::Checkmate => Some("TSUMI"),
        _ => csa::word_of_ending(ending, side).and_then(|word| word.strip_prefix('%')),
    }
}

/// Whether the word alone is read back as the ending.
fn is_exact(ending: &Ending) -> bool {
    *ending == Ending::Checkmate || csa::is_exact(ending)
}

// --- Writing ---

/// The text of a game.
pub fn write(record: &GameRecord) -> String {
    let mut start = Entry { comments: record.comments.clone(), ..Entry::default() };
    let mut writer = Writer {
        forks: Forks::of(record),
        written: record.variations.iter().map(|_| Vec::new()).collect(),
        walk: Walk::new(record.start.clone()),
    };
    // The variations of a line stand after it and are written before it.
    for (index, &depth) in depths(record).iter().enumerate().rev() {
        if depth <= MOST_NESTED {
            writer.written[index] = writer.entries(&Line::of_variation(record, index));
        }
    }
    start.comments.iter_mut().for_each(no_line_ends);
    let mut moves = vec![start];
    moves.extend(writer.entries(&Line::of_game(record)));
    let json =
        Record { header: Header(headings(record)), initial: Some(initial(&record.start)), moves };
    harmless_json(&serde_json::to_string(&json).unwrap_or_default()) + "\n"
}

/// What of a record the format has no room for, in words.
pub fn losses(record: &GameRecord) -> Vec<String> {
    let mut losses = Vec::new();
    if record.ratings.iter().any(Option::is_some) {
        losses.push("ratings".to_owned());
    }
    let played = record.moves.iter();
    let lines = record.variations.iter().flat_map(|line| &line.moves);
    let has_mark = played.chain(lines).any(|played| played.bookmark.is_some());
    if has_mark || record.bookmark.is_some() {
        losses.push("bookmarks".to_owned());
    }
    if record.start.game_ply() > 1 {
        losses.push("the number of the first move".to_owned());
    }
    if depths(record).into_iter().any(|depth| depth > MOST_NESTED) {
        losses.push(format!("variations nested deeper than {MOST_NESTED}"));
    }
    losses
}

/// How deep each variation is nested, 1 for those of the game.
fn depths(record: &GameRecord) -> Vec<usize> {
    let mut depths = Vec::new();
    for variation in &record.variations {
        let parent = variation.parent.and_then(|parent| depths.get(parent));
        depths.push(parent.map_or(1, |depth: &usize| depth + 1));
    }
    depths
}

fn headings(record: &GameRecord) -> Vec<(String, String)> {
    let names = side_names(&record.start);
    let optional = |text: &Option<String>| text.clone().unwrap_or_default();
    let known = [
        (names[0], record.players[0].clone()),
        (names[1], record.players[1].clone()),
        ("開始日時", optional(&record.started_at)),
        ("棋戦", record.event.clone()),
        ("持ち時間", optional(&record.time_limit)),
    ];
    let known = known.into_iter().filter(|(_, value)| !value.is_empty());
    let known = known.map(|(name, value)| (name.to_owned(), value));
    let mut all: Vec<(String, String)> = Vec::new();
    for (name, value) in known.chain(record.headings.iter().cloned()) {
        // An object has each name once. Headings of one name are lines of its value.
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, text)) => {
                text.push('\n');
                text.push_str(&value);
            }
            None => all.push((name, value)),
        }
    }
    all
}

fn initial(start: &Position) -> Initial {
    // Not every reader knows the names of the others, such as 5.
    let handicap = Handicap::of_position(start).filter(|handicap| handicap.is_common);
    if let Some(preset) = handicap.and_then(|handicap| handicap.jkf) {
        return Initial { preset: preset.to_owned(), data: None };
    }
    let column = |file: File| {
        let square = |rank: Rank| {
            let piece = start.piece_on(Square::new(file, rank));
            Piece {
                color: piece.map(|piece| piece.color() as u8),
                kind: piece.map(|piece| piece_name(piece.kind()).to_owned()),
            }
        };
        Rank::ALL.into_iter().map(square).collect()
    };
    let hand = |color: Color| {
        let held = start.hand(color);
        let count = |kind: PieceType| (piece_name(kind).to_owned(), held.count(kind));
        PieceType::HAND.into_iter().map(count).collect()
    };
    Initial {
        preset: "OTHER".to_owned(),
        data: Some(Data {
            color: start.side_to_move() as u8,
            board: File::ALL.into_iter().map(column).collect(),
            hands: Color::ALL.into_iter().map(hand).collect(),
        }),
    }
}

struct Writer {
    forks: Forks,
    /// The entries of each variation that is written already and not yet part of another.
    written: Vec<Vec<Entry<Fork>>>,
    /// The position before the next move.
    walk: Walk,
}

impl Writer {
    /// The entries of a line, each with the lines that branch off before it.
    fn entries(&mut self, line: &Line<'_>) -> Vec<Entry<Fork>> {
        self.walk.go_to(&line.before);
        let mut totals = line.totals;
        let mut entries = Vec::new();
        for recorded in line.moves {
            let forks = self.forks(line.index);
            let position = self.walk.position();
            let total = &mut totals[position.side_to_move().index()];
            *total = total.saturating_add(recorded.time.unwrap_or_default());
            let mut comments = recorded.comment_lines();
            comments.iter_mut().for_each(no_line_ends);
            entries.push(Entry {
                comments,
                played: Some(played(position, recorded.mv)),
                time: recorded.time.map(|time| clock(time, *total)),
                forks,
                ..Entry::default()
            });
            self.walk.push(recorded.mv);
        }
        let side = self.walk.position().side_to_move();
        let word = line.ending.and_then(|ending| word(ending, side));
        let mut last = Entry {
            comments: match word {
                Some(_) => line.closing.comment_lines(),
                // As a comment the time would be read as that of the last move.
                None => line.closing.comments.clone(),
            },
            forks: self.forks(line.index),
            ..Entry::default()
        };
        last.comments.iter_mut().for_each(no_line_ends);
        if let (Some(word), Some(ending)) = (word, line.ending) {
            last.special = Some(word.to_owned());
            let total = totals[side.index()];
            let time = line.closing.time;
            last.time = time.map(|time| clock(time, total.saturating_add(time)));
            if !is_exact(ending) {
                let mut exact = ending.to_string();
                no_line_ends(&mut exact);
                last.comments.insert(0, exact);
            }
        }
        if last.special.is_some() || !last.forks.is_empty() {
            entries.push(last);
        } else if let Some(entry) = entries.last_mut() {
            entry.comments.append(&mut last.comments);
        }
        entries
    }

    /// The variations that branch off from a line at the position of the walk.
    fn forks(&mut self, parent: Option<usize>) -> Vec<Fork> {
        let own = self.forks.at(parent, self.walk.ply()).iter();
        let lines = own.map(|&fork| std::mem::take(&mut self.written[fork]));
        let lines = lines.filter(|entries| !entries.is_empty());
        lines.map(Fork).collect()
    }
}

fn played(position: &Position, mv: Move) -> Played {
    let last = position.last_move().map(Move::to);
    let piece = mv.piece_before();
    let captured = position.piece_on(mv.to());
    let words = relative(position, mv);
    let letter = |word: char| RELATIVE.iter().find(|(_, known)| *known == word);
    let letters: String = words.chars().filter_map(letter).map(|row| row.0).collect();
    Played {
        color: Some(piece.color() as u8),
        from: mv.from().map(place),
        to: Some(place(mv.to())),
        piece: Some(piece_name(piece.kind()).to_owned()),
        same: (last == Some(mv.to())).then_some(true),
        promote: match promotion(mv) {
            Promotion::Impossible => None,
            Promotion::Made => Some(true),
            Promotion::Refused => Some(false),
        },
        capture: captured.map(|captured| piece_name(captured.kind()).to_owned()),
        relative: (!letters.is_empty()).then_some(letters),
    }
}

fn place(square: Square) -> Place {
    Place { x: square.file().index() as u8 + 1, y: square.rank().index() as u8 + 1 }
}

fn clock(now: Duration, total: Duration) -> Time {
    let [now, total] = [now, total].map(|time| time.as_secs());
    Time {
        now: Clock { h: Value::Null, m: (now / 60).into(), s: (now % 60).into() },
        total: Some(Clock {
            h: (total / 3600).into(),
            m: (total / 60 % 60).into(),
            s: (total % 60).into(),
        }),
    }
}

/// Comments are one line each.
fn no_line_ends(text: &mut String) {
    *text = text.replace(['\r', '\n'], " ");
}
