//! `.sbk`, the books of `ShogiGUI`: a protobuf message with a graph of states. A state holds its
//! moves, and each move the number of the state after it; positions are written at the roots only,
//! all others follow from those by the moves.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Write as _};
use std::{collections::hash_map::Entry, path::Path};

use super::fault::{BookFault, BookPlace, Problem, no_book};
use super::{BookEntry, BookMove, Extras, FormatWriter, Losses, UNKNOWN_DEPTH, db::position_text};
use crate::position::{Board, Position, START_SFEN};
use crate::runs::{OutputError, OutputFile};
use crate::types::{Color, File, Move, Move16, Piece, PieceType, Rank, Square};
use crate::{records::packed::PackedSfen, util::read_file};

/// The positions of a book: root by root, the nearest first. Roots other than the start position
/// carry no true ply; then all positions have ply 1, as `ShogiHome` writes them.
pub(super) struct SbkReader {
    states: Vec<State>,
    /// Whether a state was reached, by number.
    is_seen: Vec<bool>,
    next_root: usize,
    open: VecDeque<Open>,
    /// Where moves are tried; keeps its allocations.
    position: Position,
    ready: VecDeque<BookFault>,
    /// Number of the state of the last entry.
    pub(super) state: usize,
    /// What the file has beside moves and weights.
    pub(super) extras: Extras,
    /// Whether all roots are the start position, so that the plies are known.
    has_plies: bool,
}

/// A state whose position is known.
struct Open {
    state: usize,
    position: PackedSfen,
    ply: u32,
}

impl SbkReader {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Self::new(&read_file(path)?)
    }

    fn new(bytes: &[u8]) -> io::Result<Self> {
        let mut faults = Vec::new();
        let mut extras = Extras::default();
        let mut states = read_states(bytes, &mut faults, &mut extras)?;
        if let Some(first) = states.first_mut()
            && first.position.is_empty()
        {
            START_SFEN.clone_into(&mut first.position);
        }
        let mut roots = states.iter().filter(|state| !state.position.is_empty());
        Ok(Self {
            has_plies: roots.all(|root| is_start(&root.position)),
            is_seen: vec![false; states.len()],
            states,
            next_root: 0,
            open: VecDeque::new(),
            position: Position::startpos(),
            ready: faults.into(),
            state: 0,
            extras,
        })
    }

    /// Opens the next root that was not reached. False if there is none.
    fn open_root(&mut self) -> bool {
        while let Some(state) = self.states.get(self.next_root) {
            let number = self.next_root;
            self.next_root += 1;
            if state.position.is_empty() || self.is_seen[number] {
                continue;
            }
            match root(&state.position) {
                Ok((position, ply)) => {
                    self.is_seen[number] = true;
                    self.open.push_back(Open { state: number, position, ply });
                    return true;
                }
                Err(problem) => self.add_fault(number, problem),
            }
        }
        false
    }

    fn add_fault(&mut self, state: usize, problem: Problem) {
        let place = BookPlace::State(state as u64);
        self.ready.push_back(BookFault::new(place, problem));
    }

    fn visit(&mut self, open: &Open) -> Option<BookEntry> {
        let Ok(board) = open.position.unpack_board() else {
            return None;
        };
        self.position.set_up(board, open.ply);
        let state = std::mem::take(&mut self.states[open.state]);
        let mut moves = Vec::with_capacity(state.moves.len());
        for known in &state.moves {
            let Some(mv) = self.position.legal_move(known.mv) else {
                let sfen = self.position.to_sfen();
                self.add_fault(open.state, Problem::Illegal { mv: known.mv, sfen });
                continue;
            };
            moves.push(BookMove {
                mv: known.mv,
                ponder: None,
                value: 0,
                depth: UNKNOWN_DEPTH,
                count: known.weight.max(0) as u64,
            });
            let Ok(next) = usize::try_from(known.next) else {
                continue;
            };
            match self.is_seen.get_mut(next) {
                None => {
                    let text = format!("the state after {} does not exist", known.mv);
                    self.add_fault(open.state, Problem::other(text));
                }
                Some(true) => {}
                Some(is_seen) => {
                    *is_seen = true;
                    let mut board = self.position.board().clone();
                    board.apply(mv);
                    self.open.push_back(Open {
                        state: next,
                        position: PackedSfen::of_board(&board),
                        ply: open.ply + 1,
                    });
                }
            }
        }
        Some(BookEntry {
            position: open.position,
            ply: if self.has_plies { open.ply } else { 1 },
            moves,
        })
    }
}

impl Iterator for SbkReader {
    type Item = Result<BookEntry, BookFault>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(fault) = self.ready.pop_front() {
                return Some(Err(fault));
            }
            let Some(open) = self.open.pop_front() else {
                if self.open_root() || !self.ready.is_empty() {
                    continue;
                }
                return None;
            };
            self.state = open.state;
            if let Some(entry) = self.visit(&open).filter(|entry| !entry.moves.is_empty()) {
                return Some(Ok(entry));
            }
        }
    }
}

/// Whether an SFEN is that of the start position, at any ply.
fn is_start(sfen: &str) -> bool {
    let start = START_SFEN.split_whitespace().take(3);
    sfen.split_whitespace().take(3).eq(start)
}

/// The position of a root and its ply.
fn root(sfen: &str) -> Result<(PackedSfen, u32), Problem> {
    let (board, ply) = Board::from_sfen(sfen)?;
    board.validate()?;
    Ok((PackedSfen::of_board(&board), ply.unwrap_or(1).max(1)))
}

/// A file that is being written. The graph must be known as a whole, so that all entries are kept
/// until the end.
pub(super) struct SbkWriter {
    file: OutputFile,
    entries: Vec<BookEntry>,
}

/// The states in the order in which they were met.
struct States {
    numbers: HashMap<PackedSfen, usize>,
    all: Vec<WrittenState>,
}

/// A state that is written.
#[derive(Default)]
struct WrittenState {
    /// Its entry; none for positions that only moves reach.
    entry: Option<usize>,
    /// The legal moves of the entry.
    links: Vec<Link>,
    /// Whether any move leads to it.
    is_reached: bool,
    /// Whether it is written with its position.
    is_root: bool,
}

impl SbkWriter {
    pub(super) fn create(path: &Path) -> Result<Self, OutputError> {
        Ok(Self { file: OutputFile::create(path)?, entries: Vec::new() })
    }
}

impl FormatWriter for SbkWriter {
    fn write(&mut self, entry: &BookEntry, _: &mut Losses) -> io::Result<()> {
        self.entries.push(entry.clone());
        Ok(())
    }

    fn finish(mut self: Box<Self>, losses: &mut Losses) -> io::Result<()> {
        let mut author = Vec::new();
        put_bytes(&mut author, AUTHOR, b"Raicho");
        self.file.write_all(&author)?;
        let mut states = States::of(&self.entries, losses);
        self.link(&mut states, losses);
        states.find_roots();
        // Roots first: ShogiGUI needs it.
        let (roots, others): (Vec<usize>, Vec<usize>) =
            (0..states.all.len()).partition(|&state| states.all[state].is_root);
        // A reader counts plies from the start position, if it is the only root.
        let start = PackedSfen::of_board(Position::startpos().board());
        let mut of_roots = roots.iter().filter_map(|&state| states.all[state].entry);
        if !of_roots.all(|entry| self.entries[entry].position == start) {
            let later = self.entries.iter().filter(|entry| entry.ply > 1);
            losses.plies += later.count() as u64;
        }
        let order: Vec<usize> = roots.into_iter().chain(others).collect();
        let mut numbers = vec![0; order.len()];
        for (number, &state) in order.iter().enumerate() {
            numbers[state] = number;
        }
        for &state in &order {
            let bytes = self.state(&states.all[state], numbers[state], &numbers);
            let mut field = Vec::with_capacity(bytes.len() + 8);
            put_bytes(&mut field, STATE, &bytes);
            self.file.write_all(&field)?;
        }
        self.file.finish()
    }
}

impl SbkWriter {
    /// Finds the legal moves of each entry that has a state, and the states after them.
    fn link(&self, states: &mut States, losses: &mut Losses) {
        let mut position = Position::startpos();
        for state in 0..states.all.len() {
            let Some(index) = states.all[state].entry else {
                continue;
            };
            let entry = &self.entries[index];
            let Ok(board) = entry.position.unpack_board() else {
                continue;
            };
            position.set_up(board, entry.ply.max(1));
            for known in &entry.moves {
                let Some(mv) = position.legal_move(known.mv) else {
                    losses.illegal_moves += 1;
                    continue;
                };
                let mut after = position.board().clone();
                after.apply(mv);
                let link = Link {
                    bits: bits_of(position.board(), mv),
                    next: states.reach(PackedSfen::of_board(&after)),
                    weight: weight(known, losses),
                };
                states.all[state].links.push(link);
            }
        }
    }

    fn state(&self, state: &WrittenState, number: usize, numbers: &[usize]) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_number(&mut bytes, STATE_ID, number as i64);
        let Some(entry) = state.entry.map(|entry| &self.entries[entry]) else {
            return bytes;
        };
        if state.is_root {
            put_bytes(&mut bytes, STATE_POSITION, position_text(entry).as_bytes());
        }
        for link in &state.links {
            let mut field = Vec::new();
            put_number(&mut field, MOVE_BITS, i64::from(link.bits as i32));
            put_number(&mut field, MOVE_WEIGHT, link.weight.into());
            put_number(&mut field, MOVE_NEXT, numbers[link.next] as i64);
            put_bytes(&mut bytes, STATE_MOVE, &field);
        }
        if let Some(best) = entry.moves.first().filter(|best| has_evaluation(best)) {
            let mut field = Vec::new();
            put_number(&mut field, EVALUATION_VALUE, best.value.into());
            put_number(&mut field, EVALUATION_DEPTH, best.depth.into());
            put_bytes(&mut bytes, STATE_EVALUATION, &field);
        }
        bytes
    }
}

struct Link {
    bits: u32,
    /// State before they are numbered anew.
    next: usize,
    weight: i32,
}

impl States {
    /// The states of the entries; further entries of a position are counted as lost.
    fn of(entries: &[BookEntry], losses: &mut Losses) -> Self {
        let mut states = Self { numbers: HashMap::with_capacity(entries.len()), all: Vec::new() };
        for (index, entry) in entries.iter().enumerate() {
            match states.numbers.entry(entry.position) {
                Entry::Occupied(_) => losses.entries += 1,
                Entry::Vacant(free) => {
                    free.insert(states.all.len());
                    states.all.push(WrittenState { entry: Some(index), ..WrittenState::default() });
                    count_losses(entry, losses);
                }
            }
        }
        states
    }

    /// The state of a position that a move leads to.
    fn reach(&mut self, position: PackedSfen) -> usize {
        let new = self.all.len();
        let state = *self.numbers.entry(position).or_insert(new);
        if state == new {
            self.all.push(WrittenState::default());
        }
        self.all[state].is_reached = true;
        state
    }

    /// Chooses roots from which all states are reached: those that no move leads to, and one for
    /// each cycle that is left.
    fn find_roots(&mut self) {
        let count = self.all.len();
        let mut is_visited = vec![false; count];
        let unreached = (0..count).filter(|&state| !self.all[state].is_reached);
        let candidates: Vec<usize> = unreached.chain(0..count).collect();
        let mut open = Vec::new();
        for root in candidates {
            if is_visited[root] {
                continue;
            }
            self.all[root].is_root = true;
            open.push(root);
            while let Some(state) = open.pop() {
                if !std::mem::replace(&mut is_visited[state], true) {
                    open.extend(self.all[state].links.iter().map(|link| link.next));
                }
            }
        }
    }
}

fn count_losses(entry: &BookEntry, losses: &mut Losses) {
    losses.empty += u64::from(entry.moves.is_empty());
    for (index, known) in entry.moves.iter().enumerate() {
        losses.ponder_moves += u64::from(known.ponder.is_some());
        if index > 0 {
            losses.values += u64::from(known.value != 0);
            losses.depths += u64::from(![0, UNKNOWN_DEPTH].contains(&known.depth));
        }
    }
}

/// Whether a move has a value or depth worth writing.
const fn has_evaluation(known: &BookMove) -> bool {
    known.value != 0 || known.depth != 0 && known.depth != UNKNOWN_DEPTH
}

fn weight(known: &BookMove, losses: &mut Losses) -> i32 {
    i32::try_from(known.count).unwrap_or_else(|_| {
        losses.counts += 1;
        i32::MAX
    })
}

// --- The message: its fields, the states, and moves in 32 bits ---

// Fields of a book.
const AUTHOR: u64 = 1;
const DESCRIPTION: u64 = 2;
const STATE: u64 = 3;
// Fields of a state.
const STATE_ID: u64 = 1;
const STATE_GAMES: u64 = 4;
const STATE_POSITION: u64 = 7;
const STATE_COMMENT: u64 = 8;
const STATE_MOVE: u64 = 9;
const STATE_EVALUATION: u64 = 10;
// Fields of a move.
const MOVE_BITS: u64 = 1;
const MOVE_MARK: u64 = 2;
const MOVE_WEIGHT: u64 = 3;
const MOVE_NEXT: u64 = 4;
// Fields of an evaluation.
const EVALUATION_VALUE: u64 = 1;
const EVALUATION_DEPTH: u64 = 2;

/// A position of the graph.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct State {
    /// SFEN of a root; empty elsewhere.
    position: String,
    moves: Vec<StateMove>,
}

/// A move of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct StateMove {
    mv: Move16,
    weight: i32,
    /// Number of the state after the move; none if it is no index.
    next: i32,
}

/// Whether the head of a file of `size` bytes is the beginning of a book: its fields have the right
/// types, and the first state has moves or a position.
pub(super) fn is_message(head: &[u8], size: u64) -> bool {
    let mut fields = Fields::new(head, 0);
    while let Some(field) = fields.next() {
        match field {
            Ok((AUTHOR | DESCRIPTION, Content::Bytes(text)))
                if std::str::from_utf8(text).is_ok() => {}
            Ok((STATE, Content::Bytes(state))) => {
                return Fields::new(state, 0).all(|field| field.is_ok());
            }
            // A long field may reach beyond the head.
            Err(_) => return size > head.len() as u64 && fields.offset > 0,
            Ok(_) => return false,
        }
    }
    false
}

/// Reads all states of a book.
///
/// # Errors
/// The message is damaged.
fn read_states(
    bytes: &[u8],
    faults: &mut Vec<BookFault>,
    extras: &mut Extras,
) -> io::Result<Vec<State>> {
    let mut states = Vec::new();
    let mut fields = Fields::new(bytes, 0);
    while let Some(field) = fields.next() {
        if let (STATE, Content::Bytes(state)) = field? {
            let fields = Fields::new(state, fields.offset - state.len() as u64);
            let place = BookPlace::State(states.len() as u64);
            states.push(read_state(fields, place, faults, extras)?);
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
        match field? {
            (STATE_POSITION, Content::Bytes(text)) => {
                let text = String::from_utf8_lossy(text);
                text.trim().clone_into(&mut state.position);
            }
            (STATE_MOVE, Content::Bytes(bytes)) => {
                let offset = fields.offset - bytes.len() as u64;
                match read_move(Fields::new(bytes, offset), extras)? {
                    Ok(mv) => state.moves.push(mv),
                    Err(bits) => faults.push(BookFault::new(place, Problem::not_a_move(bits))),
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
        if let (field, Content::Number(number)) = field? {
            match field {
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
fn bits_of(board: &Board, mv: Move) -> u32 {
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
    if board.side_to_move() == Color::White {
        bits |= WHITE;
    }
    bits
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
type Field<'a> = (u64, Content<'a>);

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
}

impl<'a> Fields<'a> {
    /// The fields of a message that begins at byte `offset` of the file.
    const fn new(bytes: &'a [u8], offset: u64) -> Self {
        Self { bytes, offset }
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
            number => Ok((number, content)),
        }
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], &'static str> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let parts = self.bytes.split_at_checked(length);
        let (taken, rest) = parts.ok_or("a field is longer than the rest of the file")?;
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
        if self.bytes.iter().all(|&byte| byte == 0) {
            return None;
        }
        let offset = self.offset;
        Some(self.read().map_err(|problem| {
            self.bytes = &[];
            no_book(format_args!("byte {offset}: {problem}"))
        }))
    }
}

/// Appends a field that holds a number.
fn put_number(bytes: &mut Vec<u8>, field: u64, number: i64) {
    put_varint(bytes, field << 3);
    put_varint(bytes, number as u64);
}

/// Appends a field that holds a byte string.
fn put_bytes(bytes: &mut Vec<u8>, field: u64, content: &[u8]) {
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
        let fields: Vec<_> = Fields::new(&bytes, 0).map(|field| field.expect("a field")).collect();
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
        for (bytes, problem) in cases! {
            &[0x08][..] => "ends within a number";
            &[0x12, 5, 1] => "longer than the rest";
            &[0x0b, 1] => "unknown type";
            &[0x02, 0, 1] => "without a number";
            &[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1] => "more than 64";
        } {
            let mut fields = Fields::new(bytes, 0);
            let error = fields.next().expect("a field").expect_err("an error");
            assert!(error.to_string().contains(problem), "{error}");
            assert!(fields.next().is_none());
        }
    }
}
