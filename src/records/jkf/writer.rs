//! Writes JKF.

use std::time::Duration;

use serde_json::Value;

use super::{
    Clock, Data, Entry, Fork, Header, Initial, MOST_NESTED, Piece, Place, Played, RELATIVE, Record,
    Time, is_exact, word,
};
use crate::position::Position;
use crate::records::csa::piece_name;
use crate::records::game::{Forks, GameRecord, Line, Walk};
use crate::records::kif::side_names;
use crate::records::notation::handicap::Handicap;
use crate::records::notation::japanese::{Promotion, promotion, relative};
use crate::types::{Color, File, Move, PieceType, Rank, Square};

/// The text of a game.
pub fn write(record: &GameRecord) -> String {
    let mut start = Entry {
        comments: record.comments.clone(),
        ..Entry::default()
    };
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
    let json = Record {
        header: Header(headings(record)),
        initial: Some(initial(&record.start)),
        moves,
    };
    serde_json::to_string(&json).unwrap_or_default() + "\n"
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
        return Initial {
            preset: preset.to_owned(),
            data: None,
        };
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
        capture: position
            .piece_on(mv.to())
            .map(|captured| piece_name(captured.kind()).to_owned()),
        relative: (!letters.is_empty()).then_some(letters),
    }
}

fn place(square: Square) -> Place {
    Place {
        x: square.file().index() as u8 + 1,
        y: square.rank().index() as u8 + 1,
    }
}

fn clock(now: Duration, total: Duration) -> Time {
    let [now, total] = [now, total].map(|time| time.as_secs());
    Time {
        now: Clock {
            h: Value::Null,
            m: (now / 60).into(),
            s: (now % 60).into(),
        },
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
