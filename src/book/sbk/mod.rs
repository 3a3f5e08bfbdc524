//! `.sbk`, the books of `ShogiGUI`: a protobuf message with a graph of states. A state holds its
//! moves, and each move the number of the state after it; positions are written at the roots only,
//! all others follow from those by the moves.

mod message;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::io::{self, Write as _};
use std::path::Path;

use message::{
    AUTHOR, EVALUATION_DEPTH, EVALUATION_VALUE, MOVE_BITS, MOVE_NEXT, MOVE_WEIGHT, STATE,
    STATE_EVALUATION, STATE_ID, STATE_MOVE, STATE_POSITION, State, bits_of, put_bytes, put_number,
    read_states,
};

use super::db::position_text;
use super::fault::{BookFault, BookPlace, Problem};
use super::file::{Extras, Losses};
use super::{BookEntry, BookMove, UNKNOWN_DEPTH};
use crate::position::{Board, Position, START_SFEN};
use crate::records::packed::PackedSfen;
use crate::runs::{OutputError, OutputFile};

pub(super) use message::is_message;

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
        Self::new(&std::fs::read(path)?)
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
                    self.open.push_back(Open {
                        state: number,
                        position,
                        ply,
                    });
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
                None => self.add_fault(open.state, Problem::NextState(known.mv)),
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
    losses: Losses,
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
        Ok(Self {
            file: OutputFile::create(path)?,
            entries: Vec::new(),
            losses: Losses::default(),
        })
    }

    pub(super) fn add(&mut self, entry: &BookEntry) {
        self.entries.push(entry.clone());
    }

    pub(super) fn finish(mut self) -> io::Result<Losses> {
        let mut author = Vec::new();
        put_bytes(&mut author, AUTHOR, b"Raicho");
        self.file.write_all(&author)?;
        let mut states = States::of(&self.entries, &mut self.losses);
        self.link(&mut states);
        states.find_roots();
        // Roots first: ShogiGUI needs it.
        let (roots, others): (Vec<usize>, Vec<usize>) =
            (0..states.all.len()).partition(|&state| states.all[state].is_root);
        // A reader counts plies from the start position, if it is the only root.
        let start = PackedSfen::of_board(Position::startpos().board());
        let mut of_roots = roots.iter().filter_map(|&state| states.all[state].entry);
        if !of_roots.all(|entry| self.entries[entry].position == start) {
            let later = self.entries.iter().filter(|entry| entry.ply > 1);
            self.losses.plies += later.count() as u64;
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
        self.file.finish()?;
        Ok(self.losses)
    }

    /// Finds the legal moves of each entry that has a state, and the states after them.
    fn link(&mut self, states: &mut States) {
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
                    self.losses.illegal_moves += 1;
                    continue;
                };
                let mut after = position.board().clone();
                after.apply(mv);
                let link = Link {
                    bits: bits_of(position.board(), mv),
                    next: states.reach(PackedSfen::of_board(&after)),
                    weight: weight(known, &mut self.losses),
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
        let mut states = Self {
            numbers: HashMap::with_capacity(entries.len()),
            all: Vec::new(),
        };
        for (index, entry) in entries.iter().enumerate() {
            match states.numbers.entry(entry.position) {
                Entry::Occupied(_) => losses.entries += 1,
                Entry::Vacant(free) => {
                    free.insert(states.all.len());
                    states.all.push(WrittenState {
                        entry: Some(index),
                        ..WrittenState::default()
                    });
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
