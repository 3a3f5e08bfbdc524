//! The protobuf message of a book: its fields, the states, and moves in 32 bits.

use std::io;

use crate::book::fault::{BookFault, BookPlace, Problem, no_book};
use crate::book::file::Extras;
use crate::position::Board;
use crate::types::{Color, File, Move, Move16, Piece, PieceType, Rank, Square};

// Fields of a book.
pub(super) const AUTHOR: u64 = 1;
const DESCRIPTION: u64 = 2;
pub(super) const STATE: u64 = 3;
// Fields of a state.
pub(super) const STATE_ID: u64 = 1;
const STATE_GAMES: u64 = 4;
pub(super) const STATE_POSITION: u64 = 7;
const STATE_COMMENT: u64 = 8;
pub(super) const STATE_MOVE: u64 = 9;
pub(super) const STATE_EVALUATION: u64 = 10;
// Fields of a move.
pub(super) const MOVE_BITS: u64 = 1;
const MOVE_MARK: u64 = 2;
pub(super) const MOVE_WEIGHT: u64 = 3;
pub(super) const MOVE_NEXT: u64 = 4;
// Fields of an evaluation.
pub(super) const EVALUATION_VALUE: u64 = 1;
pub(super) const EVALUATION_DEPTH: u64 = 2;

/// A position of the graph.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct State {
    /// SFEN of a root; empty elsewhere.
    pub(super) position: String,
    pub(super) moves: Vec<StateMove>,
}

/// A move of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StateMove {
    pub(super) mv: Move16,
    pub(super) weight: i32,
    /// Number of the state after the move; none if it is no index.
    pub(super) next: i32,
}

/// Whether the head of a file of `size` bytes is the beginning of a book: its fields have the right
/// types, and the first state has moves or a position.
pub(in crate::book) fn is_message(head: &[u8], size: u64) -> bool {
    let mut fields = Fields::new(head, 0);
    while let Some(field) = fields.next() {
        match field {
            Ok(Field {
                number: AUTHOR | DESCRIPTION,
                content: Content::Bytes(text),
            }) if std::str::from_utf8(text).is_ok() => {}
            Ok(Field {
                number: STATE,
                content: Content::Bytes(state),
            }) => return Fields::new(state, 0).all(|field| field.is_ok()),
            // A long field may reach beyond the head.
            Err(_) => return size > head.len() as u64 && fields.offset() > 0,
            Ok(_) => return false,
        }
    }
    false
}

/// Reads all states of a book.
///
/// # Errors
/// The message is damaged.
pub(super) fn read_states(
    bytes: &[u8],
    faults: &mut Vec<BookFault>,
    extras: &mut Extras,
) -> io::Result<Vec<State>> {
    let mut states = Vec::new();
    let mut fields = Fields::new(bytes, 0);
    while let Some(field) = fields.next() {
        if let Field {
            number: STATE,
            content: Content::Bytes(state),
        } = field?
        {
            let offset = fields.offset() - state.len() as u64;
            let place = BookPlace::State(states.len() as u64);
            states.push(read_state(
                Fields::new(state, offset),
                place,
                faults,
                extras,
            )?);
        }
    }
    Ok(states)
}

fn read_state(
    mut fields: Fields<'_>,
    place: BookPlace,
    faults: &mut Vec<BookFault>,
    extras: &mut Extras,
) -> io::Result<State> {
    let mut state = State::default();
    while let Some(field) = fields.next() {
        let field = field?;
        match (field.number, field.content) {
            (STATE_POSITION, Content::Bytes(text)) => {
                let text = String::from_utf8_lossy(text);
                text.trim().clone_into(&mut state.position);
            }
            (STATE_MOVE, Content::Bytes(bytes)) => {
                let offset = fields.offset() - bytes.len() as u64;
                match read_move(Fields::new(bytes, offset), extras)? {
                    Ok(mv) => state.moves.push(mv),
                    Err(bits) => faults.push(BookFault::new(place, Problem::MoveBits(bits))),
                }
            }
            (STATE_GAMES, Content::Number(1..)) => extras.results += 1,
            (STATE_COMMENT, Content::Bytes([_, ..])) => extras.comments += 1,
            (STATE_EVALUATION, _) => extras.evaluations += 1,
            _ => {}
        }
    }
    Ok(state)
}

/// A move, or its bits if they are none.
fn read_move(fields: Fields<'_>, extras: &mut Extras) -> io::Result<Result<StateMove, u32>> {
    let (mut bits, mut weight, mut next) = (0, 0, 0);
    for field in fields {
        let field = field?;
        if let Content::Number(number) = field.content {
            match field.number {
                MOVE_BITS => bits = number as u32,
                MOVE_MARK => extras.marks += u64::from(number > 0),
                MOVE_WEIGHT => weight = number as i32,
                MOVE_NEXT => next = number as i32,
                _ => {}
            }
        }
    }
    let with_fields = |mv| StateMove { mv, weight, next };
    Ok(move_of(bits).map(with_fields).ok_or(bits))
}

// Moves in the 32 bits of `ShogiGUI`: rank and file of origin and target, promotion, the captured
// piece, the piece before the move, and the colour.

/// Mask of the square of origin, 0 for a drop.
const ORIGIN: u32 = 0xff;
const TO_SHIFT: u32 = 8;
const PROMOTION: u32 = 1 << 19;
const CAPTURED_SHIFT: u32 = 20;
const PIECE_SHIFT: u32 = 24;
const WHITE: u32 = 1 << 31;
/// Added to the code of a kind for a promoted piece, and for White's.
const PROMOTED: u32 = 8;
const OF_WHITE: u32 = 16;
/// The code of the king; below it are those of the other kinds, from 1, in the order of
/// [`PieceType::HAND_OF_APERY`].
const KING: u32 = 8;

/// Reads a move; `None` if a field is out of range.
fn move_of(bits: u32) -> Option<Move16> {
    let to = square(bits >> TO_SHIFT)?;
    if bits & ORIGIN == 0 {
        let code = bits >> PIECE_SHIFT & (PROMOTED - 1);
        let kind = *PieceType::HAND_OF_APERY.get((code as usize).checked_sub(1)?)?;
        return Some(Move::drop(Piece::new(Color::Black, kind), to).to_move16());
    }
    let from = square(bits)?;
    // Only the squares and the promotion remain in 16 bits, so that any piece will do.
    let mv = match (from == to, bits & PROMOTION != 0) {
        (true, _) => return None,
        (false, true) => Move::promotion(from, to, Piece::BlackHorse),
        (false, false) => Move::normal(from, to, Piece::BlackRook),
    };
    Some(mv.to_move16())
}

/// The bits of a legal move of a position.
pub(super) fn bits_of(board: &Board, mv: Move) -> u32 {
    let us = board.side_to_move();
    let mut bits = code(mv.piece_before()) << PIECE_SHIFT | number(mv.to()) << TO_SHIFT;
    if let Some(from) = mv.from() {
        bits |= number(from);
    }
    if mv.is_promotion() {
        bits |= PROMOTION;
    }
    if let Some(captured) = board.piece_on(mv.to()) {
        bits |= (code(captured) & (OF_WHITE - 1)) << CAPTURED_SHIFT;
    }
    if us == Color::White {
        bits | WHITE
    } else {
        bits
    }
}

/// A square in eight bits: rank in the low half, file in the high half, both from 1.
fn square(bits: u32) -> Option<Square> {
    let rank = Rank::from_index((bits as usize & 15).checked_sub(1)?)?;
    let file = File::from_index((bits as usize >> 4 & 15).checked_sub(1)?)?;
    Some(Square::new(file, rank))
}

fn number(square: Square) -> u32 {
    let (file, rank) = (square.file().index(), square.rank().index());
    (file as u32 + 1) << 4 | (rank as u32 + 1)
}

fn code(piece: Piece) -> u32 {
    let kind = piece.kind();
    let kinds = PieceType::HAND_OF_APERY;
    let place = kinds.iter().position(|&known| known == kind.unpromoted());
    let mut code = place.map_or(KING, |place| place as u32 + 1);
    if kind.is_promoted() {
        code += PROMOTED;
    }
    if piece.color() == Color::White {
        code += OF_WHITE;
    }
    code
}

/// A field of a message: its number and content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Field<'a> {
    number: u64,
    content: Content<'a>,
}

/// What a field holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Content<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// A number of fixed width, which no field of a book has.
    Fixed,
}

/// The fields of a message, one after another.
#[derive(Clone, Debug)]
struct Fields<'a> {
    bytes: &'a [u8],
    /// Offset of `bytes` in the file.
    offset: u64,
    has_failed: bool,
}

impl<'a> Fields<'a> {
    /// The fields of a message that begins at byte `offset` of the file.
    const fn new(bytes: &'a [u8], offset: u64) -> Self {
        Self {
            bytes,
            offset,
            has_failed: false,
        }
    }

    /// Offset in the file of the byte after the last field.
    const fn offset(&self) -> u64 {
        self.offset
    }

    /// The next field.
    fn read(&mut self) -> Result<Field<'a>, &'static str> {
        let tag = self.varint()?;
        let content = match tag & 7 {
            0 => Content::Number(self.varint()?),
            1 => self.take(8).map(|_| Content::Fixed)?,
            2 => {
                let length = self.varint()?;
                Content::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Content::Fixed)?,
            _ => return Err("a field of unknown type"),
        };
        match tag >> 3 {
            0 => Err("a field without a number"),
            number => Ok(Field { number, content }),
        }
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], &'static str> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let (taken, rest) = self
            .bytes
            .split_at_checked(length)
            .ok_or("a field is longer than the rest of the file")?;
        self.bytes = rest;
        self.offset += length as u64;
        Ok(taken)
    }

    fn varint(&mut self) -> Result<u64, &'static str> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.take(1).map_err(|_| "the file ends within a number")?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err("a number of more than 64 bits")
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = io::Result<Field<'a>>;

    /// Zeros at the end are no fields.
    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed || self.bytes.iter().all(|&byte| byte == 0) {
            return None;
        }
        let offset = self.offset;
        Some(self.read().map_err(|problem| {
            self.has_failed = true;
            no_book(format_args!("byte {offset}: {problem}"))
        }))
    }
}

/// Appends a field that holds a number.
pub(super) fn put_number(bytes: &mut Vec<u8>, field: u64, number: i64) {
    put_varint(bytes, field << 3);
    put_varint(bytes, number as u64);
}

/// Appends a field that holds a byte string.
pub(super) fn put_bytes(bytes: &mut Vec<u8>, field: u64, content: &[u8]) {
    put_varint(bytes, field << 3 | 2);
    put_varint(bytes, content.len() as u64);
    bytes.extend(content);
}

fn put_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_moves;
    use crate::position::Position;

    #[test]
    fn every_legal_move_comes_back() {
        for sfen in [
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
            "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        ] {
            let position = Position::from_sfen(sfen).expect("a position");
            for mv in legal_moves(&position) {
                let bits = bits_of(position.board(), mv);
                assert_eq!(move_of(bits), Some(mv.to_move16()), "{mv} {bits:x}");
            }
        }
    }

    #[test]
    fn the_bits_are_those_of_shogihome() {
        let position = Position::startpos();
        let mv = position.to_move("7g7f".parse().expect("a move"));
        let bits = bits_of(position.board(), mv.expect("it is possible"));
        assert_eq!(bits, 0x0100_7677);
        for bits in [0, 0x0a00, 0x00ff, 0x1111, 0x0800_5500] {
            assert_eq!(move_of(bits), None, "{bits:x}");
        }
    }

    #[test]
    fn fields_come_back() {
        let mut bytes = Vec::new();
        put_number(&mut bytes, 3, -1);
        put_bytes(&mut bytes, 7, b"text");
        put_number(&mut bytes, 1, 300);
        let fields: Vec<_> = Fields::new(&bytes, 0)
            .map(|field| field.expect("a field"))
            .map(|field| (field.number, field.content))
            .collect();
        assert_eq!(
            fields,
            [
                (3, Content::Number(u64::MAX)),
                (7, Content::Bytes(b"text")),
                (1, Content::Number(300)),
            ]
        );
        bytes.extend([0, 0]);
        assert_eq!(Fields::new(&bytes, 0).count(), 3, "zeros at the end");
    }

    #[test]
    fn damaged_fields_are_errors() {
        for (bytes, problem) in [
            (&[0x08][..], "ends within a number"),
            (&[0x12, 5, 1], "longer than the rest"),
            (&[0x0b, 1], "unknown type"),
            (&[0x02, 0, 1], "without a number"),
            (
                &[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
                "more than 64",
            ),
        ] {
            let mut fields = Fields::new(bytes, 0);
            let error = fields.next().expect("a field").expect_err("an error");
            assert!(error.to_string().contains(problem), "{error}");
            assert!(fields.next().is_none());
        }
    }
}
