//! Finds the positions of Apery's book: from the start position over all legal moves.
//!
//! A line may leave the book for one move. Positions that no such line reaches, and those of other
//! starts, cannot be found, because the file holds only their keys.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::io;
use std::path::Path;

use super::key::{ChildKeys, key_of};
use super::record::{Record, check_order, of_key, read_all};
use crate::book::entry::{BookEntry, BookMove, merge_moves};
use crate::book::fault::{BookFault, Place, Problem};
use crate::book::legal::legal_move;
use crate::movegen::legal_moves;
use crate::position::{Board, Position};
use crate::records::packed::PackedSfen;

/// The positions of a book in the order of their plies.
pub(in crate::book) struct AperyReader {
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
    key: u64,
    is_done: bool,
}

impl AperyReader {
    /// Reads the records. A strict reader also returns a fault for each that is out of order.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(in crate::book) fn open(path: &Path, is_strict: bool) -> io::Result<Self> {
        let bytes = std::fs::read(path)?;
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

    /// Key of the last entry.
    pub(in crate::book) const fn key(&self) -> u64 {
        self.key
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
            let Some(mv) = legal_move(&self.position, known.mv) else {
                let sfen = self.position.to_sfen();
                let problem = Problem::Illegal { mv: known.mv, sfen };
                let fault = BookFault::new(Place::Key(key), problem);
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
        Some(BookEntry {
            position,
            ply,
            moves,
        })
    }

    /// The moves of a key, the most frequent first.
    fn moves_of(&self, key: u64) -> Vec<BookMove> {
        let mut moves = Vec::new();
        for record in of_key(&self.records, key) {
            merge_moves(&mut moves, &[record.known]);
        }
        moves.sort_by_key(|known| Reverse((known.count, known.value)));
        moves
    }

    /// Opens the positions of the book after one move, or after two where the first leaves it.
    fn open_children(&mut self, ply: u32) {
        let keys = ChildKeys::of(self.position.board());
        for mv in legal_moves(&self.position) {
            let key = keys.after(self.position.board(), mv);
            if self.is_new(key) {
                let mut child = self.position.board().clone();
                child.apply(mv);
                let packed = PackedSfen::of_board(&child);
                self.open.entry(ply + 1).or_default().push(packed);
            } else if !self.has(key) {
                self.position.do_move(mv);
                self.open_grandchildren(ply + 2);
                self.position.undo_move();
            }
        }
    }

    fn open_grandchildren(&mut self, ply: u32) {
        let keys = ChildKeys::of(self.position.board());
        for mv in legal_moves(&self.position) {
            if self.is_new(keys.after(self.position.board(), mv)) {
                let mut child = self.position.board().clone();
                child.apply(mv);
                let packed = PackedSfen::of_board(&child);
                self.open.entry(ply).or_default().push(packed);
            }
        }
    }

    fn has(&self, key: u64) -> bool {
        !of_key(&self.records, key).is_empty()
    }

    fn is_new(&self, key: u64) -> bool {
        !self.seen.contains(&key) && self.has(key)
    }

    /// The number of keys that were not reached, as a fault.
    fn rest(&self) -> Option<BookFault> {
        let keys = self.records.chunk_by(|one, next| one.key == next.key);
        let is_missing = |records: &&[Record]| !self.seen.contains(&records[0].key);
        let count = keys.filter(is_missing).count() as u64;
        (count > 0).then(|| BookFault::new(Place::File, Problem::NotReached(count)))
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
                break;
            };
            if let Some(entry) = self.visit(ply, board) {
                return Some(Ok(entry));
            }
        }
        if std::mem::replace(&mut self.is_done, true) {
            return None;
        }
        self.rest().map(Err)
    }
}
