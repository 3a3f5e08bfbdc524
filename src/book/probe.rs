//! What books propose for a position: the moves that are left after `YaneuraOu`'s rules, and why
//! the others are dropped.
//!
//! The rules act in this order: ply, legality, `NarrowBook`, `BookDepthLimit`, the limits of the
//! value. "First" is the most frequent move; among equally frequent ones that of the greatest
//! value.

use std::fmt;

use super::entry::BookMove;
use super::fault::{BookFault, Place, Problem};
use super::legal::legal_move;
use super::library::{Found, Library};
use super::options::BookOptions;
use crate::position::Position;
use crate::types::{Move, Repetition};

/// `NarrowBook` keeps moves with at least the total of the counts divided by this.
const NARROW: u64 = 10;

/// A legal move of a book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProbedMove {
    /// The move.
    pub mv: Move,
    /// What the book says about it.
    pub known: BookMove,
    /// Why it is not played; `None` for a candidate.
    pub dropped: Option<Dropped>,
    /// Share of the choice among the candidates; 0 if it is dropped.
    pub weight: u64,
}

/// Why a move is not played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dropped {
    /// Below a tenth of all counts.
    Rare {
        /// Its count.
        count: u64,
        /// The sum of all.
        sum: u64,
    },
    /// The value is too low.
    Value {
        /// The least that is played.
        least: i32,
    },
    /// Never played before, where counts decide.
    NeverPlayed,
    /// It repeats the position for the fourth time and loses by perpetual check.
    LostRepetition,
    /// The position is refused as a whole.
    Refused,
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rare { count, sum } => write!(f, "count {count} of {sum} is below a tenth"),
            Self::Value { least } => write!(f, "value below {least}"),
            Self::NeverPlayed => f.write_str("count 0"),
            Self::LostRepetition => f.write_str("loses by perpetual check"),
            Self::Refused => f.write_str("the position is refused"),
        }
    }
}

/// Why no book move is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The game has gone on for too long.
    Ply {
        /// Ply of the position.
        ply: u32,
        /// Last ply of the book.
        max: u32,
    },
    /// No book has the position.
    NotFound,
    /// No move of the book is legal.
    NothingLegal,
    /// The first move was searched to a lower depth than demanded.
    Depth {
        /// Its depth.
        depth: i32,
        /// The depth demanded.
        least: i32,
    },
    /// All moves were dropped.
    NothingLeft,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ply { ply, max } => write!(f, "ply {ply} is after BookMoves {max}"),
            Self::NotFound => f.write_str("not in the book"),
            Self::NothingLegal => f.write_str("no move of the book is legal"),
            Self::Depth { depth, least } => {
                write!(f, "depth {depth} is below BookDepthLimit {least}")
            }
            Self::NothingLeft => f.write_str("all moves are dropped"),
        }
    }
}

/// The answer of the books for a position.
#[derive(Debug)]
pub struct Probe {
    /// Why no move is played; `None` if there are candidates.
    pub refusal: Option<Refusal>,
    /// The legal moves, the first first.
    pub moves: Vec<ProbedMove>,
    /// Index of the book in the library.
    pub book: usize,
    /// Whether the position was found with the sides exchanged.
    pub is_flipped: bool,
    /// Illegal moves, and errors of files.
    pub faults: Vec<BookFault>,
}

impl Probe {
    /// The moves that may be played, with their weights.
    pub fn candidates(&self) -> impl Iterator<Item = &ProbedMove> {
        self.moves.iter().filter(|probed| probed.weight > 0)
    }

    fn refused(refusal: Refusal, faults: Vec<BookFault>) -> Self {
        Self {
            refusal: Some(refusal),
            moves: Vec::new(),
            book: 0,
            is_flipped: false,
            faults,
        }
    }
}

/// What the books propose for a position.
pub fn probe(library: &Library, position: &Position, options: &BookOptions) -> Probe {
    let ply = position.game_ply();
    let max = options.max_ply;
    if ply > max {
        return Probe::refused(Refusal::Ply { ply, max }, Vec::new());
    }
    let mut faults = Vec::new();
    let Some(found) = library.find(position, options, &mut faults) else {
        return Probe::refused(Refusal::NotFound, faults);
    };
    let mut moves = legal_moves_of(&found, position, &mut faults);
    let refusal = judge(&mut moves, position, options);
    if refusal.is_some() {
        for probed in &mut moves {
            probed.weight = 0;
            probed.dropped.get_or_insert(Dropped::Refused);
        }
    }
    Probe {
        refusal,
        moves,
        book: found.book,
        is_flipped: found.is_flipped,
        faults,
    }
}

fn legal_moves_of(
    found: &Found,
    position: &Position,
    faults: &mut Vec<BookFault>,
) -> Vec<ProbedMove> {
    let mut moves = Vec::with_capacity(found.moves.len());
    for known in &found.moves {
        match legal_move(position, known.mv) {
            Some(mv) => moves.push(ProbedMove {
                mv,
                known: *known,
                dropped: None,
                weight: 0,
            }),
            None => faults.push(BookFault::new(
                Place::File,
                Problem::Illegal {
                    mv: known.mv,
                    sfen: position.to_sfen(),
                },
            )),
        }
    }
    moves
}

/// Marks the moves that are dropped and weighs the others.
fn judge(moves: &mut [ProbedMove], position: &Position, options: &BookOptions) -> Option<Refusal> {
    if moves.is_empty() {
        return Some(Refusal::NothingLegal);
    }
    if options.is_narrow {
        drop_rare(moves);
    }
    let Some(first) = moves.iter().find(|probed| probed.dropped.is_none()) else {
        return Some(Refusal::NothingLeft);
    };
    let (depth, least) = (first.known.depth, options.depth_limit);
    if least != 0 && depth < least {
        return Some(Refusal::Depth { depth, least });
    }
    let limit = options.value_limits[position.side_to_move().index()];
    let least = first.known.value.saturating_sub(options.value_difference);
    drop_below(moves, least.max(limit));
    drop_lost_repetitions(moves, position);
    weigh(moves, options.considers_counts);
    let has_candidate = moves.iter().any(|probed| probed.weight > 0);
    (!has_candidate).then_some(Refusal::NothingLeft)
}

fn drop_rare(moves: &mut [ProbedMove]) {
    let counts = moves.iter().map(|probed| probed.known.count);
    let sum = counts.fold(0, u64::saturating_add);
    for probed in moves {
        let count = probed.known.count;
        if u128::from(count) * u128::from(NARROW) < u128::from(sum) {
            probed.dropped = Some(Dropped::Rare { count, sum });
        }
    }
}

fn drop_below(moves: &mut [ProbedMove], least: i32) {
    for probed in moves {
        if probed.known.value < least {
            probed.dropped.get_or_insert(Dropped::Value { least });
        }
    }
}

fn drop_lost_repetitions(moves: &mut [ProbedMove], position: &Position) {
    let mut after = None;
    for probed in moves.iter_mut().filter(|probed| probed.dropped.is_none()) {
        let after = after.get_or_insert_with(|| position.clone());
        after.do_move(probed.mv);
        if after.rule_repetition() == Some(Repetition::Win) {
            probed.dropped = Some(Dropped::LostRepetition);
        }
        after.undo_move();
    }
}

/// The counts, if they are considered and there are any; otherwise all equal.
fn weigh(moves: &mut [ProbedMove], considers_counts: bool) {
    let has_counts = moves
        .iter()
        .any(|probed| probed.dropped.is_none() && probed.known.count > 0);
    for probed in moves.iter_mut().filter(|probed| probed.dropped.is_none()) {
        if !considers_counts || !has_counts {
            probed.weight = 1;
        } else if probed.known.count == 0 {
            probed.dropped = Some(Dropped::NeverPlayed);
        } else {
            probed.weight = probed.known.count;
        }
    }
}
