//! The states of a book and their moves.

use super::message::{Content, Field, Fields};
use super::moves::move_of;
use crate::book::fault::{BookFault, Place, Problem, Reason};
use crate::book::losses::Extras;
use crate::types::Move16;

// Fields of a book.
const AUTHOR: u64 = 1;
const DESCRIPTION: u64 = 2;
const STATE: u64 = 3;
// Fields of a state and of a move.
const GAMES: u64 = 4;
const POSITION: u64 = 7;
const COMMENT: u64 = 8;
const MOVE: u64 = 9;
const EVALUATION: u64 = 10;
const MOVE_BITS: u64 = 1;
const MOVE_MARK: u64 = 2;
const MOVE_WEIGHT: u64 = 3;
const MOVE_NEXT: u64 = 4;

/// A state.
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
) -> Result<Vec<State>, Reason> {
    let mut states = Vec::new();
    let mut fields = Fields::new(bytes, 0);
    while let Some(field) = fields.next() {
        if let Field {
            number: STATE,
            content: Content::Bytes(state),
        } = field?
        {
            let offset = fields.offset() - state.len() as u64;
            let place = Place::State(states.len() as u64);
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
    place: Place,
    faults: &mut Vec<BookFault>,
    extras: &mut Extras,
) -> Result<State, Reason> {
    let mut state = State::default();
    while let Some(field) = fields.next() {
        let field = field?;
        match (field.number, field.content) {
            (POSITION, Content::Bytes(text)) => {
                let text = String::from_utf8_lossy(text);
                text.trim().clone_into(&mut state.position);
            }
            (MOVE, Content::Bytes(bytes)) => {
                let offset = fields.offset() - bytes.len() as u64;
                match read_move(Fields::new(bytes, offset), extras)? {
                    Ok(mv) => state.moves.push(mv),
                    Err(bits) => faults.push(BookFault::new(place, Problem::MoveBits(bits))),
                }
            }
            (GAMES, Content::Number(1..)) => extras.results += 1,
            (COMMENT, Content::Bytes([_, ..])) => extras.comments += 1,
            (EVALUATION, _) => extras.evaluations += 1,
            _ => {}
        }
    }
    Ok(state)
}

/// A move, or its bits if they are none.
fn read_move(fields: Fields<'_>, extras: &mut Extras) -> Result<Result<StateMove, u32>, Reason> {
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
