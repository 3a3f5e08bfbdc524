//! Game records in CSA format, version 2.2
//! (`http://www2.computer-shogi.org/protocol/record_v22.html`).
//!
//! Where the standard leaves a choice, the writer follows what most programs read. The first line,
//! a comment in 2.2, names the encoding as version 3 does. Scores and variations are comments in
//! the notation of floodgate (`'** -35 -3334FU …`, from black's point of view) after the move and
//! its time. The standard lacks a word for some endings; the writer then uses the nearest word and
//! a comment with the real ending.
//!
//! The crate `csa` (1.0.2) is not used: it reads 24 of the 35 records that this reader is tested
//! with, drops comments (ratings, scores, the server's summary), does not check moves, and its
//! error names neither line nor reason.

mod reader;
#[cfg(test)]
mod tests;

use std::{fmt::Display, time::Duration};

use crate::records::{Ending, GameRecord, TITLE};
use crate::types::{Color, File, Move, Piece, PieceType, Rank, Repetition, Square};
use crate::{movegen::legal_moves, position::Position, util::shorten};

pub(super) use reader::read_next;
pub use reader::{read, read_each, read_server_position};

/// The line between two games of a file.
pub(super) const SEPARATOR: &str = "/";

/// The beginnings of the comments of floodgate with the players' ratings, by [`Color::index`].
const RATING_PREFIXES: [&str; Color::NUM] = ["'black_rate:", "'white_rate:"];

// --- Squares, pieces and moves ---

/// A move in the notation of CSA, which names the piece after the move: `+7776FU`, or `-0055FU` for
/// a drop.
pub fn move_text(mv: Move) -> String {
    let from = mv.from().map_or_else(|| "00".to_owned(), square_text);
    let piece = mv.piece();
    let (sign, name) = (sign(piece.color()), piece_name(piece.kind()));
    format!("{sign}{from}{}{name}", square_text(mv.to()))
}

/// `+` for black, `-` for white.
const fn sign(color: Color) -> char {
    match color {
        Color::Black => '+',
        Color::White => '-',
    }
}

/// The file and rank of a square as two digits: `77`.
fn square_text(square: Square) -> String {
    format!("{}{}", square.file().index() + 1, square.rank().index() + 1)
}

/// The sign and name of a piece: `+FU`.
fn piece_text(piece: Piece) -> String {
    format!("{}{}", sign(piece.color()), piece_name(piece.kind()))
}

/// The letters of the piece types in the order of their codes.
const PIECE_NAMES: [&str; 14] =
    ["FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"];

/// The two letters of a piece type.
pub(super) const fn piece_name(kind: PieceType) -> &'static str {
    PIECE_NAMES[kind.index() - 1]
}

/// Parses a sign: `+` is black, `-` white.
fn color_of(text: &str) -> Option<Color> {
    match text {
        "+" => Some(Color::Black),
        "-" => Some(Color::White),
        _ => None,
    }
}

/// Parses a square of two digits, file and rank.
fn square(text: &str) -> Option<Square> {
    let mut digits = text.chars().map(|letter| letter.to_digit(10));
    let (file, rank) = (digits.next()??, digits.next()??);
    let file = File::from_index((file as usize).checked_sub(1)?)?;
    let rank = Rank::from_index((rank as usize).checked_sub(1)?)?;
    digits.next().is_none().then(|| Square::new(file, rank))
}

/// Parses the two letters of a piece type.
pub(super) fn kind(text: &str) -> Option<PieceType> {
    PieceType::ALL.into_iter().find(|&kind| piece_name(kind) == text)
}

/// Parses a piece with its sign: `+FU`.
fn piece(text: &str) -> Option<Piece> {
    Some(Piece::new(color_of(text.get(..1)?)?, kind(text.get(1..)?)?))
}

/// A parsed move, which names the piece after the move.
struct Notation {
    color: Color,
    from: Option<Square>,
    to: Square,
    kind: PieceType,
}

impl Notation {
    /// Whether the notation denotes this move.
    fn is(&self, mv: Move) -> bool {
        let piece = mv.piece();
        (mv.from(), mv.to(), piece.kind(), piece.color())
            == (self.from, self.to, self.kind, self.color)
    }
}

/// The legal move of `position` that a text such as `+7776FU` denotes; `None` if there is none.
pub fn legal_move(position: &Position, text: &str) -> Option<Move> {
    let notation = parse_move(text)?;
    legal_moves(position).into_iter().find(|&mv| notation.is(mv))
}

/// Parses a move such as `+7776FU`.
fn parse_move(text: &str) -> Option<Notation> {
    let color = color_of(text.get(..1)?)?;
    let from = match text.get(1..3)? {
        "00" => None,
        text => Some(square(text)?),
    };
    let to = square(text.get(3..5)?)?;
    let kind = kind(text.get(5..)?)?;
    Some(Notation { color, from, to, kind })
}

// --- Endings ---

/// The ending of a word such as `%TORYO`; `None` if the word is unknown. `illegal` is a move before
/// it that the rules forbid.
pub(super) fn ending_of_word(
    word: &str,
    position: &Position,
    illegal: Option<&str>,
) -> Option<Ending> {
    let loser = position.side_to_move();
    Some(match word {
        "%TORYO" => Ending::Resignation,
        "%TSUMI" => Ending::Checkmate,
        "%KACHI" => Ending::Declaration,
        "%SENNICHITE" => Ending::Repetition,
        "%OUTE_SENNICHITE" => Ending::PerpetualCheck { loser },
        "%JISHOGI" | "%MAX_MOVES" => Ending::MaxMoves,
        "%HIKIWAKE" => Ending::AdjudicatedDraw,
        "%TIME_UP" => Ending::TimeUp,
        "%ILLEGAL_MOVE" => illegal_move(position, illegal),
        "%+ILLEGAL_ACTION" => illegal_action(position, Color::Black, illegal),
        "%-ILLEGAL_ACTION" => illegal_action(position, Color::White, illegal),
        "%FUZUMI" => Ending::NoMate,
        "%CHUDAN" | "%MATTA" | "%ERROR" => Ending::Interrupted,
        _ => return None,
    })
}

/// Whether the word is another one when it is written again. It becomes a comment.
pub(super) fn is_renamed(word: &str) -> bool {
    ["%MAX_MOVES", "%MATTA", "%ERROR"].contains(&word)
}

/// An illegal move; without a `text`, perhaps the move that completed a perpetual check.
fn illegal_move(position: &Position, text: Option<&str>) -> Ending {
    match (text, position.rule_repetition()) {
        (None, Some(Repetition::Lose)) => Ending::PerpetualCheck { loser: position.side_to_move() },
        (text, _) => Ending::IllegalMove { text: text.unwrap_or_default().to_owned() },
    }
}

fn illegal_action(position: &Position, by: Color, illegal: Option<&str>) -> Ending {
    if by == position.side_to_move() {
        illegal_move(position, illegal)
    } else if position.rule_repetition() == Some(Repetition::Win) {
        Ending::PerpetualCheck { loser: by }
    } else {
        Ending::IllegalAction { loser: by }
    }
}

/// The word of the standard for an ending with `side` to move.
///
/// - Checkmate is `%TORYO` with a comment, as the loser resigns on servers: some readers take the
///   standard's `%TSUMI` for a draw.
/// - The maximum length is `%JISHOGI`, the draw that every reader knows; `%MAX_MOVES` is not in the
///   standard.
/// - An illegal move and a disconnection of the side to move are `%ILLEGAL_MOVE`. If the other side
///   gave perpetual check or acted illegally, it is `%±ILLEGAL_ACTION`; some readers confuse its
///   sides, so it has no other use.
/// - An adjudicated win is `%TORYO` if the loser is to move, otherwise `%CHUDAN`, as no other word
///   fits.
pub(super) fn word_of_ending(ending: &Ending, side: Color) -> Option<&'static str> {
    Some(match ending {
        Ending::Resignation | Ending::Checkmate => "%TORYO",
        Ending::Declaration => "%KACHI",
        Ending::Repetition => "%SENNICHITE",
        Ending::PerpetualCheck { loser } if *loser != side => action_word(*loser),
        Ending::IllegalAction { loser } => action_word(*loser),
        Ending::MaxMoves => "%JISHOGI",
        Ending::TimeUp => "%TIME_UP",
        Ending::PerpetualCheck { .. }
        | Ending::IllegalMove { .. }
        | Ending::IllegalDeclaration
        | Ending::Disconnection { .. } => "%ILLEGAL_MOVE",
        Ending::AdjudicatedWin { winner } | Ending::Forfeit { winner } if *winner != side => {
            "%TORYO"
        }
        Ending::AdjudicatedDraw => "%HIKIWAKE",
        Ending::NoMate => "%FUZUMI",
        Ending::AdjudicatedWin { .. } | Ending::Forfeit { .. } | Ending::Interrupted => "%CHUDAN",
        Ending::Unfinished => return None,
    })
}

/// Whether the word alone is read back as the ending.
pub(super) const fn is_exact(ending: &Ending) -> bool {
    match ending {
        Ending::IllegalMove { text } => text.is_empty(),
        Ending::Checkmate
        | Ending::PerpetualCheck { .. }
        | Ending::IllegalDeclaration
        | Ending::Disconnection { .. }
        | Ending::AdjudicatedWin { .. }
        | Ending::Forfeit { .. } => false,
        _ => true,
    }
}

const fn action_word(by: Color) -> &'static str {
    match by {
        Color::Black => "%+ILLEGAL_ACTION",
        Color::White => "%-ILLEGAL_ACTION",
    }
}

/// The ending by the rules of a record without an ending.
pub(super) fn ending_by_the_rules(position: &Position) -> Ending {
    if legal_moves(position).is_empty() {
        return Ending::Checkmate;
    }
    by_repetition(position).unwrap_or(Ending::Unfinished)
}

/// The ending of a position that occurred for the fourth time.
fn by_repetition(position: &Position) -> Option<Ending> {
    let us = position.side_to_move();
    Some(match position.rule_repetition()? {
        Repetition::Win => Ending::PerpetualCheck { loser: !us },
        Repetition::Lose => Ending::PerpetualCheck { loser: us },
        _ => Ending::Repetition,
    })
}

// --- Headings ---

/// Fields besides those that a record has members for; the last ones are of version 3.
const FIELDS: &[(&str, &str)] = &[
    ("SITE", "場所"),
    ("OPENING", "戦型"),
    ("END_TIME", "終了日時"),
    ("TIME", "持ち時間"),
    ("TIME+", "先手持ち時間"),
    ("TIME-", "後手持ち時間"),
    ("MAX_MOVES", "最大手数"),
    ("JISHOGI", "持将棋"),
    (NOTE, "備考"),
];

/// The field in which `\n` stands for a line end and `\\` for `\`.
const NOTE: &str = "NOTE";

/// The heading of a record for a field; a field of another program keeps its name.
fn heading(field: &str) -> &str {
    let known = FIELDS.iter().find(|(name, _)| *name == field);
    known.map_or(field, |(_, heading)| heading)
}

/// The field for a heading of a record, if there is one.
fn field_name(heading: &str) -> Option<&str> {
    let known = FIELDS.iter().find(|(_, name)| *name == heading);
    let is_field = |letter: u8| letter.is_ascii_uppercase() || matches!(letter, b'_' | b'+' | b'-');
    let own = Some(heading).filter(|name| !name.is_empty() && name.bytes().all(is_field));
    known.map(|(field, _)| *field).or(own)
}

/// The value of a heading for that of a field.
fn decoded(field: &str, value: &str) -> String {
    if field != NOTE {
        return value.to_owned();
    }
    let mut text = String::new();
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            _ => text.push(letter),
        }
    }
    text
}

/// The value of a field for that of a heading.
fn encoded(field: &str, value: &str) -> String {
    if field == NOTE { value.replace('\\', "\\\\").replace('\n', "\\n") } else { value.to_owned() }
}

// --- Writing ---

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
    let mut moves = record.moves.iter();
    if record.bookmark.is_some() || moves.any(|played| played.bookmark.is_some()) {
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
