//! Writes JKF.

use std::time::Duration;

use super::schema::{Clock, Data, Entry, Header, Initial, Piece, Place, Played, Record, Time};
use crate::position::Position;
use crate::records::csa::{piece_name, word_of_ending};
use crate::records::game::{Closing, Ending, GameRecord, RecordedMove};
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
    start.comments.iter_mut().for_each(no_line_ends);
    let mut moves = vec![start];
    let game = Line {
        index: None,
        after: 0,
        moves: &record.moves,
        ending: Some(&record.ending),
        closing: &record.closing,
    };
    let begin = Begin {
        position: record.start.clone(),
        totals: [Duration::ZERO; Color::NUM],
        last: None,
    };
    moves.extend(entries(record, &game, begin));
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
    losses
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
    known.chain(record.headings.iter().cloned()).collect()
}

fn initial(start: &Position) -> Initial {
    let handicap = Handicap::of_position(start);
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

/// The game or a variation.
struct Line<'a> {
    index: Option<usize>,
    /// Moves before it.
    after: usize,
    moves: &'a [RecordedMove],
    ending: Option<&'a Ending>,
    closing: &'a Closing,
}

/// Where a line begins.
#[derive(Clone)]
struct Begin {
    position: Position,
    totals: [Duration; Color::NUM],
    last: Option<Square>,
}

/// The entries of a line, each with the lines that branch off before it. The recursion is as deep
/// as variations are nested.
fn entries(record: &GameRecord, line: &Line<'_>, mut begin: Begin) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (number, recorded) in (line.after..).zip(line.moves) {
        let forks = forks(record, line.index, number, &begin);
        let side = begin.position.side_to_move();
        let total = &mut begin.totals[side.index()];
        *total = total.saturating_add(recorded.time.unwrap_or_default());
        let mut comments = recorded.comment_lines();
        comments.iter_mut().for_each(no_line_ends);
        entries.push(Entry {
            comments,
            played: Some(played(&begin.position, recorded.mv, begin.last)),
            time: recorded.time.map(|time| clock(time, *total)),
            forks,
            ..Entry::default()
        });
        begin.position.do_move(recorded.mv);
        begin.last = Some(recorded.mv.to());
    }
    let end = line.after + line.moves.len();
    let mut last = Entry {
        comments: line.closing.comments.clone(),
        forks: forks(record, line.index, end, &begin),
        ..Entry::default()
    };
    last.comments.iter_mut().for_each(no_line_ends);
    let side = begin.position.side_to_move();
    let word = line.ending.and_then(|ending| word(ending, side));
    if let (Some(word), Some(ending)) = (word, line.ending) {
        last.special = Some(word.to_owned());
        let total = begin.totals[side.index()];
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

/// The variations that branch off from a line after so many moves.
fn forks(
    record: &GameRecord,
    parent: Option<usize>,
    after: usize,
    begin: &Begin,
) -> Vec<Vec<Entry>> {
    let all = record.variations.iter().enumerate();
    let own = all.filter(|(_, fork)| fork.parent == parent && fork.after == after);
    let lines = own.map(|(index, fork)| {
        let line = Line {
            index: Some(index),
            after,
            moves: &fork.moves,
            ending: fork.ending.as_ref(),
            closing: &fork.closing,
        };
        entries(record, &line, begin.clone())
    });
    lines.filter(|entries| !entries.is_empty()).collect()
}

fn played(position: &Position, mv: Move, last: Option<Square>) -> Played {
    let piece = mv.piece_before();
    let words = relative(position, mv);
    let letters: String = words.chars().map(letter_of_word).collect();
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

fn letter_of_word(word: char) -> char {
    match word {
        '左' => 'L',
        '直' => 'C',
        '右' => 'R',
        '上' => 'U',
        '寄' => 'M',
        '引' => 'D',
        _ => 'H',
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
            h: None,
            m: now / 60,
            s: now % 60,
        },
        total: Some(Clock {
            h: Some(total / 3600),
            m: total / 60 % 60,
            s: total % 60,
        }),
    }
}

/// The word of CSA for an ending. A checkmate has its own, unlike in records of servers.
fn word(ending: &Ending, side: Color) -> Option<&'static str> {
    match ending {
        Ending::Checkmate => Some("TSUMI"),
        _ => word_of_ending(ending, side).and_then(|word| word.strip_prefix('%')),
    }
}

/// Whether the word alone is read back as the ending.
fn is_exact(ending: &Ending) -> bool {
    !matches!(
        ending,
        Ending::PerpetualCheck { .. }
            | Ending::IllegalMove { .. }
            | Ending::IllegalDeclaration
            | Ending::Disconnection { .. }
            | Ending::AdjudicatedWin { .. }
            | Ending::Forfeit { .. }
    )
}

/// Comments are one line each.
fn no_line_ends(text: &mut String) {
    *text = text.replace(['\r', '\n'], " ");
}
