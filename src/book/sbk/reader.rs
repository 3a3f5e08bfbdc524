//! Reads `.sbk` books: the positions follow from those of the roots by the moves.

use std::collections::VecDeque;
use std::path::Path;

use super::state::{State, read_states};
use crate::book::entry::{BookEntry, BookMove, UNKNOWN_DEPTH};
use crate::book::fault::{BookFault, Place, Problem, Reason};
use crate::book::legal::legal_move;
use crate::book::losses::Extras;
use crate::position::{Board, Position, START_SFEN};
use crate::records::packed::PackedSfen;

/// The positions of a book: root by root, the nearest first. Roots other than the start position
/// carry no true ply; then all positions have ply 1, as `ShogiHome` writes them.
pub(in crate::book) struct SbkReader {
    states: Vec<State>,
    /// Whether a state was reached, by number.
    is_seen: Vec<bool>,
    next_root: usize,
    open: VecDeque<Open>,
    /// Where moves are tried; keeps its allocations.
    position: Position,
    ready: VecDeque<BookFault>,
    /// Number of the state of the last entry.
    state: usize,
    extras: Extras,
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
    pub(in crate::book) fn open(path: &Path) -> Result<Self, Reason> {
        Self::new(&std::fs::read(path)?)
    }

    fn new(bytes: &[u8]) -> Result<Self, Reason> {
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

    /// What the file has beside moves and weights.
    pub(in crate::book) const fn extras(&self) -> Extras {
        self.extras
    }

    /// Number of the state of the last entry, from 0.
    pub(in crate::book) const fn state(&self) -> u64 {
        self.state as u64
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
        let place = Place::State(state as u64);
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
            let Some(mv) = legal_move(&self.position, known.mv) else {
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
