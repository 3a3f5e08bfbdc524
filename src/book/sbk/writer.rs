//! Writes `.sbk` books. The graph must be known as a whole, so that all entries are kept until the
//! end.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, Write as _};
use std::path::Path;

use super::message::{put_bytes, put_number};
use super::moves::bits_of;
use crate::book::entry::{BookEntry, BookMove, UNKNOWN_DEPTH};
use crate::book::legal::legal_move;
use crate::book::losses::Losses;
use crate::position::Position;
use crate::records::packed::PackedSfen;
use crate::runs::{OutputError, OutputFile};

// Fields of a book, a state, a move and an evaluation.
const AUTHOR: u8 = 1;
const STATE: u8 = 3;
const STATE_ID: u8 = 1;
const STATE_POSITION: u8 = 7;
const STATE_MOVE: u8 = 9;
const STATE_EVALUATION: u8 = 10;
const MOVE_BITS: u8 = 1;
const MOVE_WEIGHT: u8 = 3;
const MOVE_NEXT: u8 = 4;
const EVALUATION_VALUE: u8 = 1;
const EVALUATION_DEPTH: u8 = 2;

/// A file that is being written.
pub(in crate::book) struct SbkWriter {
    file: OutputFile,
    entries: Vec<BookEntry>,
    losses: Losses,
}

/// The states in the order of their numbers.
struct States {
    numbers: HashMap<PackedSfen, usize>,
    /// The entry of each state; none for positions that only moves reach.
    entries: Vec<Option<usize>>,
    /// Whether any move leads to a state.
    is_reached: Vec<bool>,
    /// Whether a state is written with its position.
    is_root: Vec<bool>,
}

impl SbkWriter {
    pub(in crate::book) fn create(path: &Path) -> Result<Self, OutputError> {
        Ok(Self {
            file: OutputFile::create(path)?,
            entries: Vec::new(),
            losses: Losses::default(),
        })
    }

    pub(in crate::book) fn add(&mut self, entry: &BookEntry) {
        self.entries.push(entry.clone());
    }

    pub(in crate::book) fn finish(mut self) -> io::Result<Losses> {
        let mut author = Vec::new();
        put_bytes(&mut author, AUTHOR, b"Raicho");
        self.file.write_all(&author)?;
        let mut states = States::of(&self.entries, &mut self.losses);
        let mut position = Position::startpos();
        let links = self.links(&mut states, &mut position);
        states.find_roots(&links);
        // A reader counts plies from the start position, if it is the only root.
        let start = PackedSfen::of_board(Position::startpos().board());
        let is_start = |entry: usize| self.entries[entry].position == start;
        let roots = (0..states.entries.len()).filter(|&state| states.is_root[state]);
        if !roots
            .filter_map(|state| states.entries[state])
            .all(is_start)
        {
            let later = self.entries.iter().filter(|entry| entry.ply > 1);
            self.losses.plies += later.count() as u64;
        }
        // Roots first: ShogiGUI needs it.
        let (roots, others): (Vec<usize>, Vec<usize>) =
            (0..states.entries.len()).partition(|&state| states.is_root[state]);
        let order: Vec<usize> = roots.into_iter().chain(others).collect();
        let mut numbers = vec![0; order.len()];
        for (number, &state) in order.iter().enumerate() {
            numbers[state] = number;
        }
        for &state in &order {
            let bytes = self.state(&states, state, &links, &numbers);
            let mut field = Vec::with_capacity(bytes.len() + 8);
            put_bytes(&mut field, STATE, &bytes);
            self.file.write_all(&field)?;
        }
        self.file.finish()?;
        Ok(self.losses)
    }

    /// For each entry the bits of its legal moves and the states after them.
    fn links(&mut self, states: &mut States, position: &mut Position) -> Vec<Vec<Link>> {
        let mut all = Vec::with_capacity(self.entries.len());
        for (index, entry) in self.entries.iter().enumerate() {
            let mut links = Vec::with_capacity(entry.moves.len());
            if let Ok(board) = entry.position.unpack_board()
                && states.is_first(entry, index)
            {
                position.set_up(board, entry.ply.max(1));
                for known in &entry.moves {
                    let Some(mv) = legal_move(position, known.mv) else {
                        self.losses.illegal_moves += 1;
                        continue;
                    };
                    let mut after = position.board().clone();
                    after.apply(mv);
                    links.push(Link {
                        bits: bits_of(position.board(), mv),
                        next: states.reach(PackedSfen::of_board(&after)),
                        weight: weight(known, &mut self.losses),
                    });
                }
            }
            all.push(links);
        }
        all
    }

    fn state(
        &self,
        states: &States,
        state: usize,
        links: &[Vec<Link>],
        numbers: &[usize],
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_number(&mut bytes, STATE_ID, numbers[state] as i64);
        let Some(entry) = states.entries[state] else {
            return bytes;
        };
        if states.is_root[state] {
            let text = crate::book::db::position_text(&self.entries[entry]);
            put_bytes(&mut bytes, STATE_POSITION, text.as_bytes());
        }
        for link in &links[entry] {
            let mut field = Vec::new();
            put_number(&mut field, MOVE_BITS, i64::from(link.bits as i32));
            put_number(&mut field, MOVE_WEIGHT, link.weight.into());
            put_number(&mut field, MOVE_NEXT, numbers[link.next] as i64);
            put_bytes(&mut bytes, STATE_MOVE, &field);
        }
        if let Some(best) = self.entries[entry].moves.first()
            && has_evaluation(best)
        {
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
            entries: Vec::new(),
            is_reached: Vec::new(),
            is_root: Vec::new(),
        };
        for (index, entry) in entries.iter().enumerate() {
            match states.numbers.entry(entry.position) {
                Entry::Occupied(_) => losses.entries += 1,
                Entry::Vacant(free) => {
                    free.insert(states.entries.len());
                    states.entries.push(Some(index));
                    states.is_reached.push(false);
                    count_losses(entry, losses);
                }
            }
        }
        states
    }

    fn is_first(&self, entry: &BookEntry, index: usize) -> bool {
        let state = self.numbers.get(&entry.position);
        state.is_some_and(|&state| self.entries[state] == Some(index))
    }

    /// The state of a position that a move leads to.
    fn reach(&mut self, position: PackedSfen) -> usize {
        let new = self.entries.len();
        let state = *self.numbers.entry(position).or_insert(new);
        if state == new {
            self.entries.push(None);
            self.is_reached.push(true);
        }
        self.is_reached[state] = true;
        state
    }

    /// Chooses roots from which all states are reached: those that no move leads to, and one for
    /// each cycle that is left.
    fn find_roots(&mut self, links: &[Vec<Link>]) {
        let count = self.entries.len();
        self.is_root = vec![false; count];
        let mut is_visited = vec![false; count];
        let unreached = (0..count).filter(|&state| !self.is_reached[state]);
        let candidates: Vec<usize> = unreached.chain(0..count).collect();
        let mut open = Vec::new();
        for root in candidates {
            if is_visited[root] {
                continue;
            }
            self.is_root[root] = true;
            open.push(root);
            while let Some(state) = open.pop() {
                if !std::mem::replace(&mut is_visited[state], true)
                    && let Some(entry) = self.entries[state]
                {
                    open.extend(links[entry].iter().map(|link| link.next));
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
