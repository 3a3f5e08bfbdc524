//! Game records in JKF, JSON Kifu Format, the format of Kifu for JS
//! (`https://github.com/na2hiro/Kifu-for-JS`).
//!
//! It names squares, pieces and endings as CSA does, and headings as KIF does. Moves are written
//! with all that its schema calls normal (piece, capture, relative position); records without
//! those are read too.

use std::fmt::{self, Display};
use std::{collections::BTreeMap, time::Duration};

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, value::RawValue};

use crate::position::Position;
use crate::records::csa::{self, ending_of_word, is_renamed, kind, piece_name};
use crate::records::notation::japanese::{Promotion, Written, promotion, relative};
use crate::records::{Builder, Ending, EndingWords, Forks, GameRecord, Line, RecordError};
use crate::records::{RecordedMove, Setup, Walk, impossible, possible, quoted};
use crate::types::{Color, File, Move, PieceType, Rank, Square};
use crate::{records::kif::side_names, records::notation::Handicap, util::harmless_json};

#[cfg(test)]
mod tests;

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

/// Reads the game of a text.
///
/// A variation (fork) that cannot be read is left out from its first bad entry on, and so are moves
/// after the end of the game, which [`GameRecord::omissions`] says.
///
/// # Errors
/// The text is not JSON, or the position or a move is wrong.
pub fn read(text: &str) -> Result<GameRecord, RecordError> {
    let text = text.trim_start_matches('\u{feff}');
    let record: Record<&RawValue> = serde_json::from_str(text).map_err(RecordError::new)?;
    let start = start_of(record.initial.as_ref()).map_err(|error| error.at("'initial'"))?;
    let mut reader = Reader {
        game: Builder::new(GameRecord::new(start), EndingWords { word, is_exact }),
        waiting: Vec::new(),
        has_too_deep: false,
    };
    reader.line(&record.moves, 0)?;
    while let Some(fork) = reader.waiting.pop() {
        reader.fork(&fork)?;
    }
    let mut game = reader.game.into_record();
    for (name, value) in record.header.0 {
        let is_single = ["先手", "下手", "後手", "上手", "棋戦", "開始日時"].contains(&&*name);
        if name == "手合割" {
            continue;
        }
        if is_single {
            game.set_heading(&name, value);
            continue;
        }
        // The writer makes lines of headings of one name.
        for value in value.split('\n') {
            if name == "持ち時間" && game.time_limit.is_some() {
                game.headings.push((name.clone(), value.to_owned()));
            } else {
                game.set_heading(&name, value.to_owned());
            }
        }
    }
    Ok(game)
}

struct Reader<'text> {
    game: Builder,
    /// Variations that are read later, the next one last.
    waiting: Vec<Branch<'text>>,
    /// Whether variations that are nested too deep were left out.
    has_too_deep: bool,
}

/// A variation that is not read yet.
struct Branch<'text> {
    parent: Option<usize>,
    /// Moves from the start of the game to its first one.
    after: usize,
    /// How many variations it is nested in, itself included.
    depth: usize,
    entries: &'text RawValue,
}

impl<'text> Reader<'text> {
    fn fork(&mut self, fork: &Branch<'text>) -> Result<(), RecordError> {
        let entries: Vec<Entry<&'text RawValue>> = match serde_json::from_str(fork.entries.get()) {
            Ok(entries) => entries,
            Err(error) => {
                self.game.omit(format!("a variation: {error}"));
                return Ok(());
            }
        };
        if !self.game.branch_from(fork.parent, fork.after) {
            self.game.omit("a variation that begins behind its line");
            return Ok(());
        }
        self.line(&entries, fork.depth)
    }

    /// Reads the entries of a line. The lines that branch off from it wait.
    fn line(
        &mut self,
        entries: &[Entry<&'text RawValue>],
        depth: usize,
    ) -> Result<(), RecordError> {
        let parent = self.game.line();
        let mut forks = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let after = self.game.ply();
            forks.extend(entry.forks.iter().map(|entries| Branch {
                parent,
                after,
                depth: depth + 1,
                entries,
            }));
            if let Err(fault) = self.entry(entry, index) {
                let is_behind = fault.is_after_the_end();
                let error = fault.at(place_of(index, after + 1));
                let error = self.game.take_illegal().unwrap_or(error);
                if !self.game.is_in_game() {
                    self.game.omit(format!("the rest of a variation: {error}"));
                } else if is_behind {
                    self.game.omit(error.to_string());
                } else {
                    return Err(error);
                }
                break;
            }
        }
        if self.game.is_in_game() {
            self.game.end_with_illegal()?;
        } else if let Some(error) = self.game.take_illegal() {
            self.game.omit(format!("the rest of a variation: {error}"));
        }
        if depth < MOST_NESTED {
            self.waiting.extend(forks.into_iter().rev());
        } else if !forks.is_empty() && !self.has_too_deep {
            self.has_too_deep = true;
            self.game.omit(format!("variations nested deeper than {MOST_NESTED}"));
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<&RawValue>, index: usize) -> Result<(), RecordError> {
        let time = entry.time.as_ref().and_then(|time| {
            let read = duration(&time.now);
            if read.is_none() {
                let found = serde_json::to_string(&time.now).unwrap_or_default();
                let place = format!("'moves', entry {index}");
                self.game.omit_time(&place, &found);
            }
            read
        });
        if let Some(played) = &entry.played {
            self.play(played, time, index)?;
        }
        if let Some(word) = &entry.special {
            self.end(word, time);
        }
        let lines = entry.comment.iter().chain(&entry.comments);
        for line in lines.flat_map(|text| text.lines().chain(text.is_empty().then_some(""))) {
            self.game.add_comment(line);
        }
        Ok(())
    }

    /// Ends the line with a word. A word that is unknown becomes a comment.
    fn end(&mut self, special: &str, time: Option<Duration>) {
        let word = format!("%{special}");
        let known = ending_of_word(&word, self.game.position(), self.game.illegal());
        let is_kept = known.is_some() && !is_renamed(&word);
        let ending = known.unwrap_or(Ending::Unfinished);
        if self.game.illegal().is_some() && !ending.explains_an_illegal_move() {
            return;
        }
        self.game.take_illegal();
        self.game.end_with(ending, is_kept.then_some(special));
        self.game.closing_mut().add_time(time);
        if !is_kept {
            self.game.add_comment(special);
        }
    }

    /// Makes a move, or keeps one that is illegal, which the next entry must explain.
    fn play(
        &mut self,
        played: &Played,
        time: Option<Duration>,
        index: usize,
    ) -> Result<(), RecordError> {
        if self.game.has_ended() {
            return Err(RecordError::after_the_end(describe(played)));
        }
        let found = self.find(played).filter(|_| self.game.illegal().is_none());
        if let Some(mv) = found {
            self.game.push(RecordedMove { time, ..RecordedMove::from(mv) });
            return Ok(());
        }
        let fault = RecordError::illegal(describe(played), self.game.position());
        if self.game.illegal().is_some() {
            return Err(fault);
        }
        let fault = fault.at(place_of(index, self.game.ply() + 1));
        self.game.set_illegal(&describe(played), fault, time);
        Ok(())
    }

    /// The legal move of an entry.
    fn find(&self, played: &Played) -> Option<Move> {
        let position = self.game.position();
        let to = match played.to {
            Some(place) => square(place)?,
            None if played.same == Some(true) => self.game.last_target()?,
            None => return None,
        };
        let from = match played.from {
            Some(place) => Some(square(place)?),
            None => None,
        };
        let kind = match (&played.piece, from) {
            (Some(name), _) => kind(name)?,
            (None, from) => position.piece_on(from?)?.kind(),
        };
        let letters = played.relative.as_deref().unwrap_or_default();
        let word = |letter: char| RELATIVE.iter().find(|(known, _)| *known == letter);
        let words: String = letters.chars().filter_map(word).map(|row| row.1).collect();
        let promotes = played.promote == Some(true);
        Written::from_parts(to, kind, from, promotes, &words).find(position)
    }
}

/// The place of an entry in the list of moves, and the number of its move in the game.
fn place_of(entry: usize, number: usize) -> String {
    format!("'moves', entry {entry} (move {number})")
}

fn square(place: Place) -> Option<Square> {
    let file = File::from_index(usize::from(place.x).checked_sub(1)?)?;
    let rank = Rank::from_index(usize::from(place.y).checked_sub(1)?)?;
    Some(Square::new(file, rank))
}

/// A move in the notation of CSA, as far as it is known.
fn describe(played: &Played) -> String {
    let place = |place: Option<Place>| {
        place.map_or_else(|| "00".to_owned(), |Place { x, y }| format!("{x}{y}"))
    };
    let piece = played.piece.as_deref().unwrap_or_default();
    let promotes = played.promote == Some(true);
    let promotion = if promotes { "+" } else { "" };
    let [from, to] = [played.from, played.to].map(place);
    quoted(&format!("{from}{to}{piece}{promotion}"))
}

fn duration(clock: &Clock) -> Option<Duration> {
    let [hours, minutes, seconds] = [&clock.h, &clock.m, &clock.s].map(number);
    let seconds = 3600.0 * hours? + 60.0 * minutes? + seconds?;
    Duration::try_from_secs_f64(seconds).ok().and_then(possible)
}

/// A number of a clock, 0 without one.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Null => Some(0.0),
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    }
}

// --- The start position ---

/// The position of a preset, or the one that is drawn.
fn start_of(initial: Option<&Initial>) -> Result<Position, RecordError> {
    let Some(initial) = initial else {
        return Ok(Position::startpos());
    };
    let handicap = Handicap::of_jkf(&initial.preset);
    if let Some(data) = &initial.data
        && (initial.preset == "OTHER" || handicap.is_none())
    {
        return drawn(data);
    }
    let start = handicap.and_then(|handicap| Position::from_sfen(&handicap.sfen()).ok());
    start.ok_or_else(|| {
        RecordError::new(format_args!(
            "the preset {} is unknown, expected HIRATE, KY, …, 10, or OTHER with data",
            quoted(&initial.preset)
        ))
    })
}

fn drawn(data: &Data) -> Result<Position, RecordError> {
    let side = color_of(data.color)?;
    let mut setup = Setup::default();
    for (file, column) in data.board.iter().enumerate() {
        for (rank, piece) in column.iter().enumerate() {
            let Some(found) = piece_of(piece)? else {
                continue;
            };
            let place = File::from_index(file).zip(Rank::from_index(rank));
            let (file, rank) = place.ok_or_else(|| {
                fault(
                    format_args!("a piece on {}, {}", file + 1, rank + 1),
                    "nine files of nine squares",
                )
            })?;
            setup.squares[Square::new(file, rank).index()] = Some(found);
        }
    }
    for (color, hand) in Color::ALL.into_iter().zip(&data.hands) {
        for (name, &count) in hand {
            if count == 0 {
                continue;
            }
            let kind = kind(name).filter(|kind| PieceType::HAND.contains(kind));
            let kind = kind.filter(|kind| count <= kind.count_in_set());
            let kind = kind.ok_or_else(|| {
                fault(
                    format_args!("{count} of {} in hand", quoted(name)),
                    "pieces that can be in hand, no more than there are",
                )
            })?;
            setup.hands[color.index()][kind.index()] = count;
        }
    }
    Position::from_board(setup.board(side)?, 1).map_err(impossible)
}

fn fault(found: impl Display, expected: &str) -> RecordError {
    RecordError::new(format_args!("{found}, expected {expected}"))
}

fn color_of(code: u8) -> Result<Color, RecordError> {
    match code {
        0 => Ok(Color::Black),
        1 => Ok(Color::White),
        _ => Err(fault(format_args!("the colour {code}"), "0 or 1")),
    }
}

fn piece_of(piece: &Piece) -> Result<Option<crate::types::Piece>, RecordError> {
    let Some(name) = &piece.kind else {
        return Ok(None);
    };
    let kind = kind(name)
        .ok_or_else(|| fault(format_args!("the piece {}", quoted(name)), "a piece such as FU"))?;
    let color = color_of(piece.color.unwrap_or_default())?;
    Ok(Some(crate::types::Piece::new(color, kind)))
}
