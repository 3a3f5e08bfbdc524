//! Apery's book format, usually `book.bin`: records of a key, a move, a count and a score. The
//! positions themselves are not stored.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::io::{self, Write as _};
use std::{cmp::Reverse, path::Path, sync::LazyLock};

use bytemuck::{Pod, Zeroable, bytes_of, pod_read_unaligned};

use super::fault::{BookFault, BookPlace, FaultLog, Problem};
use super::{BookEntry, BookMove, FormatWriter, Losses, UNKNOWN_DEPTH, merge_moves};
use crate::position::{Board, Position};
use crate::records::packed::{PackedSfen, from_apery, to_apery};
use crate::types::{Color, Move, Piece, PieceType, Square};
use crate::util::{counted, read_file};
use crate::{movegen::legal_moves, runs::OutputFile};

/// The positions of a book in the order of their plies, from the start position over all legal
/// moves.
///
/// A line may leave the book for one move. Positions that no such line reaches, and those of other
/// starts, cannot be found, because the file holds only their keys.
pub(super) struct AperyReader {
    records: Vec<Record>,
    /// Positions to visit, by ply.
    open: BTreeMap<u32, Vec<PackedSfen>>,
    /// Keys that were visited.
    seen: HashSet<u64>,
    /// Where moves are made; keeps its allocations.
    position: Position,
    /// Faults that are returned before the next entry.
    faults: VecDeque<BookFault>,
    /// Key of the last entry.
    pub(super) key: u64,
    is_done: bool,
}

impl AperyReader {
    /// Reads the records. A strict reader also returns a fault for each that is out of order.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn open(path: &Path, is_strict: bool) -> io::Result<Self> {
        let bytes = read_file(path)?;
        let mut faults = VecDeque::new();
        let records = read_all(&bytes, |fault| faults.push_back(fault));
        if is_strict {
            check_order(&bytes, |fault| faults.push_back(fault));
        }
        let start = Position::startpos();
        Ok(Self {
            records,
            open: BTreeMap::from([(1, vec![PackedSfen::of(&start)])]),
            seen: HashSet::new(),
            position: start,
            faults,
            key: 0,
            is_done: false,
        })
    }

    fn next_open(&mut self) -> Option<(u32, Board)> {
        loop {
            let mut first = self.open.first_entry()?;
            let ply = *first.key();
            let Some(packed) = first.get_mut().pop() else {
                first.remove();
                continue;
            };
            if let Ok(board) = packed.unpack_board()
                && self.seen.insert(key_of(&board))
            {
                return Some((ply, board));
            }
        }
    }

    /// Reads the entry of a position and opens those after it.
    fn visit(&mut self, ply: u32, board: Board) -> Option<BookEntry> {
        let key = key_of(&board);
        let position = PackedSfen::of_board(&board);
        let moves = self.moves_of(key);
        self.position.set_up(board, ply);
        if moves.is_empty() {
            // Only the start position is opened without being in the book.
            self.open_children(ply);
            return None;
        }
        let keys = ChildKeys::of(self.position.board());
        let mut legal = Vec::with_capacity(moves.len());
        for known in moves {
            let Some(mv) = self.position.legal_move(known.mv) else {
                let sfen = self.position.to_sfen();
                let problem = Problem::Illegal { mv: known.mv, sfen };
                let fault = BookFault::new(BookPlace::Key(key), problem);
                self.faults.push_back(fault);
                continue;
            };
            let answers = self.moves_of(keys.after(self.position.board(), mv));
            let ponder = answers.first().map(|answer| answer.mv);
            legal.push(BookMove { ponder, ..known });
        }
        if legal.is_empty() {
            return None;
        }
        let moves = legal;
        self.key = key;
        self.open_children(ply);
        Some(BookEntry { position, ply, moves })
    }

    /// The moves of a key, the most frequent first.
    fn moves_of(&self, key: u64) -> Vec<BookMove> {
        let mut moves = moves_of_key(&self.records, key);
        moves.sort_by_key(|known| Reverse((known.count, known.value)));
        moves
    }

    /// Opens the positions of the book after one move, or after two where the first leaves it.
    fn open_children(&mut self, ply: u32) {
        for mv in self.open_next(ply + 1) {
            self.position.do_move(mv);
            self.open_next(ply + 2);
            self.position.undo_move();
        }
    }

    /// Opens the positions of the book after one move, and returns the moves that leave it.
    fn open_next(&mut self, ply: u32) -> Vec<Move> {
        let keys = ChildKeys::of(self.position.board());
        let mut leaving = Vec::new();
        for mv in legal_moves(&self.position) {
            let key = keys.after(self.position.board(), mv);
            if !self.has(key) {
                leaving.push(mv);
            } else if !self.seen.contains(&key) {
                let mut child = self.position.board().clone();
                child.apply(mv);
                let packed = PackedSfen::of_board(&child);
                self.open.entry(ply).or_default().push(packed);
            }
        }
        leaving
    }

    fn has(&self, key: u64) -> bool {
        !of_key(&self.records, key).is_empty()
    }

    /// The number of keys that were not reached, as a fault.
    fn rest(&self) -> Option<BookFault> {
        let keys = self.records.chunk_by(|one, next| one.key == next.key);
        let is_missing = |records: &&[Record]| !self.seen.contains(&records[0].key);
        let count = keys.filter(is_missing).count() as u64;
        let positions = counted(count, "position");
        let text = format!("skipped, as not reached from the start position: {positions}");
        (count > 0).then(|| BookFault::new(BookPlace::File, Problem::other(text)))
    }
}

impl Iterator for AperyReader {
    type Item = Result<BookEntry, BookFault>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(fault) = self.faults.pop_front() {
                return Some(Err(fault));
            }
            let Some((ply, board)) = self.next_open() else {
                let is_done = std::mem::replace(&mut self.is_done, true);
                return if is_done { None } else { self.rest().map(Err) };
            };
            if let Some(entry) = self.visit(ply, board) {
                return Some(Ok(entry));
            }
        }
    }
}

/// A book in memory: all records, in order of the key.
#[derive(Debug)]
pub(super) struct AperyBook {
    records: Vec<Record>,
}

impl AperyBook {
    /// Loads a file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn load(path: &Path, faults: &mut FaultLog) -> io::Result<Self> {
        let bytes = read_file(path)?;
        let records = read_all(&bytes, |fault| faults.add(fault));
        Ok(Self { records })
    }

    /// Positions that have a move in the book.
    pub(super) fn positions(&self) -> usize {
        let keys = self.records.chunk_by(|one, next| one.key == next.key);
        keys.count()
    }

    /// The moves of a position. Those of another position with the same key may be among them.
    pub(super) fn find(&self, board: &Board) -> Vec<BookMove> {
        moves_of_key(&self.records, key_of(board))
    }
}

/// A file that is being written.
pub(super) struct AperyWriter(pub(super) OutputFile);

impl FormatWriter for AperyWriter {
    fn write(&mut self, entry: &BookEntry, losses: &mut Losses) -> io::Result<()> {
        if entry.moves.is_empty() {
            losses.empty += 1;
            return Ok(());
        }
        losses.plies += 1;
        let key = key_of_packed(&entry.position);
        let mut moves: Vec<&BookMove> = entry.moves.iter().collect();
        moves.sort_by_key(|known| Reverse(known.count));
        for known in moves {
            let count = known.count.min(u16::MAX.into());
            losses.counts += u64::from(count != known.count);
            losses.depths += u64::from(![0, UNKNOWN_DEPTH].contains(&known.depth));
            losses.ponder_moves += u64::from(known.ponder.is_some());
            let known = BookMove { count, ..*known };
            let record = Record { key, known }.packed();
            self.0.write_all(bytes_of(&record))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>, _: &mut Losses) -> io::Result<()> {
        self.0.finish()
    }
}

/// Bytes of a record.
const RECORD: usize = size_of::<Packed>();
/// Records that are looked at to tell the format.
const SAMPLES: usize = 4096;

/// A record of 16 bytes, little endian.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Packed {
    key: u64,
    mv: u16,
    count: u16,
    score: i32,
}

/// A record with a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Record {
    key: u64,
    known: BookMove,
}

impl Record {
    /// Reads a record.
    ///
    /// # Errors
    /// Its move is none.
    fn read(bytes: &[u8; RECORD]) -> Result<Self, Problem> {
        let Packed { key, mv, count, score } = pod_read_unaligned(bytes);
        Ok(Self {
            key,
            known: BookMove {
                mv: from_apery(mv).ok_or_else(|| Problem::not_a_move(mv.into()))?,
                ponder: None,
                value: score,
                depth: UNKNOWN_DEPTH,
                count: count.into(),
            },
        })
    }

    /// The record in a file; the count must fit into 16 bits.
    fn packed(self) -> Packed {
        Packed {
            key: self.key,
            mv: to_apery(self.known.mv),
            count: self.known.count as u16,
            score: self.known.value,
        }
    }
}

/// Whether at least half of the first records have a move.
pub(super) fn are_records(head: &[u8]) -> bool {
    let records = &head.as_chunks::<RECORD>().0;
    let records = &records[..records.len().min(SAMPLES)];
    let good = records.iter().filter(|record| Record::read(record).is_ok());
    !records.is_empty() && good.count() * 2 >= records.len()
}

/// Reads all records of a file, in order of the key, those of one key in the order of the file.
fn read_all(bytes: &[u8], mut on_fault: impl FnMut(BookFault)) -> Vec<Record> {
    let (chunks, rest) = bytes.as_chunks::<RECORD>();
    let mut records = Vec::with_capacity(chunks.len());
    for (index, chunk) in chunks.iter().enumerate() {
        match Record::read(chunk) {
            Ok(record) => records.push(record),
            Err(problem) => on_fault(BookFault::new(place_of(index), problem)),
        }
    }
    if !rest.is_empty() {
        let place = place_of(chunks.len());
        let bytes = counted(rest.len(), "byte");
        let problem = Problem::other(format!("{bytes} at the end, no whole record: skipped"));
        on_fault(BookFault::new(place, problem));
    }
    records.sort_by_key(|record| record.key);
    records
}

/// Finds records that belong before the one before them, which programs that bisect do not find.
fn check_order(bytes: &[u8], mut on_fault: impl FnMut(BookFault)) {
    let mut last = 0;
    for (index, chunk) in bytes.as_chunks::<RECORD>().0.iter().enumerate() {
        let Ok(record) = Record::read(chunk) else {
            continue;
        };
        if record.key < last {
            on_fault(BookFault::new(place_of(index), Problem::ORDER));
        }
        last = record.key;
    }
}

/// Where a record begins.
const fn place_of(index: usize) -> BookPlace {
    BookPlace::Byte((index * RECORD) as u64)
}

/// The records of a key in sorted records.
fn of_key(records: &[Record], key: u64) -> &[Record] {
    let start = records.partition_point(|record| record.key < key);
    let rest = &records[start..];
    let count = rest.partition_point(|record| record.key == key);
    &rest[..count]
}

/// The moves of a key in sorted records, in the order of the file; equal ones are merged.
fn moves_of_key(records: &[Record], key: u64) -> Vec<BookMove> {
    let mut moves = Vec::new();
    for record in of_key(records, key) {
        merge_moves(&mut moves, &[record.known]);
    }
    moves
}

// --- Keys ---

// A key is the exclusive or of a number for each piece on the board, one for each count in the hand
// of the side to move, and one for White's turn. The other hand is not part of it.

/// Codes of pieces, holes included.
const PIECES: usize = 31;
/// Counts of a kind in hand, from 0.
const COUNTS: usize = 19;

struct Numbers {
    // [piece][square]
    board: Vec<[u64; Square::NUM]>,
    // [place in `PieceType::HAND_OF_APERY`][count]
    hand: [[u64; COUNTS]; PieceType::HAND_OF_APERY.len()],
    turn: u64,
}

static NUMBERS: LazyLock<Numbers> = LazyLock::new(|| {
    let mut twister = MersenneTwister::new();
    Numbers {
        board: (0..PIECES).map(|_| std::array::from_fn(|_| twister.next())).collect(),
        hand: std::array::from_fn(|_| std::array::from_fn(|_| twister.next())),
        turn: twister.next(),
    }
});

/// The number of a piece on a square.
fn piece_number(piece: Piece, square: Square) -> u64 {
    NUMBERS.board[piece.index()][square.index()]
}

/// The part of the key that comes from the turn and the hand of the side to move.
fn number_of_side(board: &Board, us: Color) -> u64 {
    let hand = board.hand(us);
    let mut key = if us == Color::White { NUMBERS.turn } else { 0 };
    for (numbers, kind) in NUMBERS.hand.iter().zip(PieceType::HAND_OF_APERY) {
        key ^= numbers[hand.count(kind) as usize];
    }
    key
}

/// The numbers of all pieces on the board.
fn numbers_of_pieces(board: &Board) -> u64 {
    let pieces = board.occupied().into_iter();
    let numbers = pieces.filter_map(|square| {
        let piece = board.piece_on(square)?;
        Some(piece_number(piece, square))
    });
    numbers.fold(0, |key, number| key ^ number)
}

/// The key of a position.
fn key_of(board: &Board) -> u64 {
    numbers_of_pieces(board) ^ number_of_side(board, board.side_to_move())
}

/// The keys after the moves of a position, without making them.
struct ChildKeys(u64);

impl ChildKeys {
    fn of(board: &Board) -> Self {
        // A move does not change the hand of the side that moves next.
        let next = number_of_side(board, !board.side_to_move());
        Self(numbers_of_pieces(board) ^ next)
    }

    /// The key after a legal move of the same position.
    fn after(&self, board: &Board, mv: Move) -> u64 {
        let mut key = self.0 ^ piece_number(mv.piece(), mv.to());
        if let Some(from) = mv.from() {
            key ^= piece_number(mv.piece_before(), from);
        }
        if let Some(captured) = board.piece_on(mv.to()) {
            key ^= piece_number(captured, mv.to());
        }
        key
    }
}

/// The key of a packed position, 0 for bytes that are none.
pub(super) fn key_of_packed(position: &PackedSfen) -> u64 {
    position.unpack_board().map_or(0, |board| key_of(&board))
}

// The 64-bit Mersenne twister (Nishimura and Matsumoto), from whose first numbers the keys are
// made.
const LENGTH: usize = 312;
const MIDDLE: usize = 156;
const SEED: u64 = 5489;
const MATRIX: u64 = 0xb502_6f5a_a966_19e9;
const INITIAL_FACTOR: u64 = 6_364_136_223_846_793_005;
/// The bits that come from one word, and from the next.
const UPPER: u64 = !LOWER;
const LOWER: u64 = 0x7fff_ffff;

/// A Mersenne twister in its initial state.
struct MersenneTwister {
    state: [u64; LENGTH],
    next: usize,
}

impl MersenneTwister {
    fn new() -> Self {
        let mut state = [SEED; LENGTH];
        for index in 1..LENGTH {
            let last = state[index - 1];
            state[index] =
                (last ^ last >> 62).wrapping_mul(INITIAL_FACTOR).wrapping_add(index as u64);
        }
        Self { state, next: LENGTH }
    }

    fn next(&mut self) -> u64 {
        if self.next == LENGTH {
            self.renew();
        }
        let mut number = self.state[self.next];
        self.next += 1;
        number ^= number >> 29 & 0x5555_5555_5555_5555;
        number ^= number << 17 & 0x71d6_7fff_eda6_0000;
        number ^= number << 37 & 0xfff7_eee0_0000_0000;
        number ^ number >> 43
    }

    fn renew(&mut self) {
        for index in 0..LENGTH {
            let word = self.state[index] & UPPER | self.state[(index + 1) % LENGTH] & LOWER;
            let mixed = word >> 1 ^ if word & 1 == 1 { MATRIX } else { 0 };
            self.state[index] = self.state[(index + MIDDLE) % LENGTH] ^ mixed;
        }
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn the_start_position_has_its_known_key() {
        assert_eq!(key_of(Position::startpos().board()), 0xeebe_8ee7_e1ad_7e15);
    }

    #[test]
    fn keys_after_moves_are_those_of_the_positions_after_them() {
        let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
        let mut position = Position::from_sfen(sfen).expect("a position");
        let keys = ChildKeys::of(position.board());
        for mv in legal_moves(&position) {
            let key = keys.after(position.board(), mv);
            position.do_move(mv);
            assert_eq!(key, key_of(position.board()), "{mv}");
            position.undo_move();
        }
    }

    #[test]
    fn the_known_number_comes_out() {
        let mut twister = MersenneTwister::new();
        (1..10_000).for_each(|_| {
            twister.next();
        });
        assert_eq!(twister.next(), 9_981_545_732_273_789_042);
    }
}
