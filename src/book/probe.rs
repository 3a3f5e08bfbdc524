//! What books propose for a position: the moves that are left after `YaneuraOu`'s rules, and why
//! the others are dropped; and the choice among them.
//!
//! The rules act in this order: ply, legality, `NarrowBook`, `BookDepthLimit`, the limits of the
//! value. "First" is the most frequent move; among equally frequent ones that of the greatest
//! value.

use std::hash::{BuildHasher as _, RandomState};
use std::{cmp::Reverse, io};

use rand::{Rng as _, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::fault::{BookFault, BookPlace, Problem};
use super::opened::{Book, Query};
use super::{BookFormat, BookMove, rotated_move};
use crate::position::Position;
use crate::types::{Color, Move, Repetition};

/// How a move is chosen from books; the defaults are those of `YaneuraOu`. Names in brackets are
/// those of the USI options.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "one for each check option")]
pub struct BookOptions {
    /// Last ply at which books are used (`BookMoves`).
    pub max_ply: u32,
    /// How often books are left aside, in percent (`BookIgnoreRate`).
    pub ignore_rate: u32,
    /// Most centipawns below the value of the first move, by side to move (`BookEvalDiff`, or
    /// `BookEvalBlackDiff` and `BookEvalWhiteDiff`).
    pub value_differences: [i32; Color::NUM],
    /// Least value in centipawns by side to move (`BookEvalBlackLimit`, `BookEvalWhiteLimit`).
    pub value_limits: [i32; Color::NUM],
    /// Positions whose first move has a lower depth are not used; 0 for no limit. By side to move
    /// (`BookDepthLimit`, or `BookDepthBlackLimit` and `BookDepthWhiteLimit`).
    pub depth_limits: [i32; Color::NUM],
    /// Choose in proportion to the counts (`ConsiderBookMoveCount`).
    pub considers_counts: bool,
    /// Drop moves below a tenth of all counts (`NarrowBook`).
    pub is_narrow: bool,
    /// Find positions at any ply (`IgnoreBookPly`).
    pub ignores_ply: bool,
    /// Also look for the position with the sides exchanged (`FlippedBook`).
    pub finds_flipped: bool,
    /// Search large books where they lie instead of loading them (`BookOnTheFly`).
    pub on_the_fly: bool,
    /// Longest line to show, in plies (`BookPvMoves`).
    pub pv_moves: usize,
    /// Seed of the choice; 0 for another choice each time (`BookSeed`).
    pub seed: u64,
}

impl Default for BookOptions {
    fn default() -> Self {
        Self {
            max_ply: 16,
            ignore_rate: 0,
            value_differences: [30; 2],
            value_limits: [0, -140],
            depth_limits: [16; 2],
            considers_counts: false,
            is_narrow: false,
            ignores_ply: false,
            finds_flipped: true,
            on_the_fly: false,
            pv_moves: 8,
            seed: 0,
        }
    }
}

/// Open books; the first that knows a position answers for it.
#[derive(Default, Debug)]
pub struct Library {
    books: Vec<Book>,
}

/// The moves of a position in one of the books.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Found {
    /// Index of the book.
    book: usize,
    /// Whether the position was found with the sides exchanged.
    is_flipped: bool,
    /// The moves, the most frequent first, then by value. Never empty.
    moves: Vec<BookMove>,
}

impl Library {
    /// Takes books, the most important first.
    pub fn new(books: Vec<Book>) -> Self {
        Self { books }
    }

    /// The books, the first to be asked first.
    pub fn books(&self) -> &[Book] {
        &self.books
    }

    /// The moves of the first book that has some for the position.
    fn find(
        &self,
        position: &Position,
        options: &BookOptions,
        faults: &mut Vec<BookFault>,
    ) -> Option<Found> {
        if self.books.is_empty() {
            return None;
        }
        let query = Query::new(position, options.ignores_ply);
        for (index, book) in self.books.iter().enumerate() {
            let (mut moves, is_flipped) = match look_up(book, &query, options) {
                Ok(found) => found,
                Err(error) => {
                    faults.push(BookFault::new(BookPlace::File, error.into()));
                    continue;
                }
            };
            if !moves.is_empty() {
                moves.sort_by_key(|known| Reverse((known.count, known.value)));
                return Some(Found { book: index, is_flipped, moves });
            }
        }
        None
    }
}

/// The moves of a book for the position, or else for the same position with the sides exchanged,
/// and whether it is that one.
fn look_up(book: &Book, query: &Query, options: &BookOptions) -> io::Result<(Vec<BookMove>, bool)> {
    let moves = book.find(query)?;
    if !moves.is_empty() || !options.finds_flipped || book.format() == BookFormat::Bin {
        return Ok((moves, false));
    }
    Ok((rotated_moves(&book.find(&query.rotated())?), true))
}

/// The moves of a position, for the position turned round. Moves without a meaning are left out.
fn rotated_moves(moves: &[BookMove]) -> Vec<BookMove> {
    let rotated = |known: &BookMove| {
        Some(BookMove {
            mv: rotated_move(known.mv)?,
            ponder: known.ponder.and_then(rotated_move),
            ..*known
        })
    };
    moves.iter().filter_map(rotated).collect()
}

/// `NarrowBook` keeps moves with at least the total of the counts divided by this.
const NARROW: u64 = 10;

/// Why a move of a book is not played, or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The books are not used at this number of moves.
    Ply {
        /// The ply of the position.
        ply: u32,
        /// The last at which books are used.
        max: u32,
    },
    /// No book has the position.
    NotInBook,
    /// No move is played here, whatever it is.
    Position,
    /// The moves are those of another position.
    AllIllegal,
    /// Each move has a reason of its own.
    AllDropped,
    /// The first move was searched too little.
    Depth {
        /// The depth of the first move.
        depth: i32,
        /// The least depth that the settings ask for.
        least: i32,
    },
    /// The move was played in less than a tenth of the games.
    Rare {
        /// How often it was played.
        count: u64,
        /// How often all moves were.
        sum: u64,
    },
    /// The move is worth too little.
    Value {
        /// The least value that the settings ask for.
        least: i32,
    },
    /// The move gives the check that loses.
    PerpetualCheck,
    /// Counts decide, and the move has none.
    NoCount,
}

/// A legal move of a book.
#[derive(Clone, Debug)]
pub struct ProbedMove {
    /// The move, legal in the position that was asked about.
    pub mv: Move,
    /// What the book says about it.
    pub known: BookMove,
    /// Why it is not played; `None` for a candidate.
    pub dropped: Option<Refusal>,
    /// Share of the choice among the candidates; 0 if it is dropped.
    pub weight: u64,
}

/// The answer of the books for a position.
#[derive(Debug, Default)]
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
}

/// What the books propose for a position.
///
/// ```
/// use raicho::book::{Book, BookOptions, Library, probe};
/// use raicho::position::Position;
///
/// let library = Library::new(Book::embedded().into_iter().collect());
/// let answer = probe(&library, &Position::startpos(), &BookOptions::default());
/// assert!(answer.candidates().count() > 0);
/// ```
pub fn probe(library: &Library, position: &Position, options: &BookOptions) -> Probe {
    let ply = position.game_ply();
    let max = options.max_ply;
    if ply > max {
        return Probe { refusal: Some(Refusal::Ply { ply, max }), ..Probe::default() };
    }
    let mut faults = Vec::new();
    let Some(found) = library.find(position, options, &mut faults) else {
        return Probe { refusal: Some(Refusal::NotInBook), faults, ..Probe::default() };
    };
    let mut moves = legal_moves_of(&found, position, &mut faults);
    let refusal = judge(&mut moves, position, options);
    if refusal.is_some() {
        for probed in &mut moves {
            probed.weight = 0;
            probed.dropped.get_or_insert(Refusal::Position);
        }
    }
    Probe { refusal, moves, book: found.book, is_flipped: found.is_flipped, faults }
}

fn legal_moves_of(
    found: &Found,
    position: &Position,
    faults: &mut Vec<BookFault>,
) -> Vec<ProbedMove> {
    let mut moves = Vec::with_capacity(found.moves.len());
    for &known in &found.moves {
        let Some(mv) = position.legal_move(known.mv) else {
            let (mv, sfen) = (known.mv, position.to_sfen());
            let problem = Problem::Illegal { mv, sfen };
            faults.push(BookFault::new(BookPlace::File, problem));
            continue;
        };
        moves.push(ProbedMove { mv, known, dropped: None, weight: 0 });
    }
    moves
}

/// Marks the moves that are dropped and weighs the others.
fn judge(moves: &mut [ProbedMove], position: &Position, options: &BookOptions) -> Option<Refusal> {
    if moves.is_empty() {
        return Some(Refusal::AllIllegal);
    }
    if options.is_narrow {
        drop_rare(moves);
    }
    let Some(first) = moves.iter().find(|probed| probed.dropped.is_none()) else {
        return Some(Refusal::AllDropped);
    };
    let side = position.side_to_move().index();
    let (depth, least) = (first.known.depth, options.depth_limits[side]);
    if least != 0 && depth < least {
        return Some(Refusal::Depth { depth, least });
    }
    let difference = options.value_differences[side];
    let least = first.known.value.saturating_sub(difference);
    drop_below(moves, least.max(options.value_limits[side]));
    drop_lost_repetitions(moves, position);
    weigh(moves, options.considers_counts);
    let has_candidate = moves.iter().any(|probed| probed.weight > 0);
    (!has_candidate).then_some(Refusal::AllDropped)
}

fn drop_rare(moves: &mut [ProbedMove]) {
    let counts = moves.iter().map(|probed| probed.known.count);
    let sum = counts.fold(0, u64::saturating_add);
    for probed in moves {
        let count = probed.known.count;
        if u128::from(count) * u128::from(NARROW) < u128::from(sum) {
            probed.dropped = Some(Refusal::Rare { count, sum });
        }
    }
}

fn drop_below(moves: &mut [ProbedMove], least: i32) {
    for probed in moves {
        if probed.known.value < least {
            probed.dropped.get_or_insert(Refusal::Value { least });
        }
    }
}

fn drop_lost_repetitions(moves: &mut [ProbedMove], position: &Position) {
    let mut after = None;
    for probed in moves.iter_mut().filter(|probed| probed.dropped.is_none()) {
        let after = after.get_or_insert_with(|| position.clone());
        after.do_move(probed.mv);
        if after.rule_repetition() == Some(Repetition::Win) {
            probed.dropped = Some(Refusal::PerpetualCheck);
        }
        after.undo_move();
    }
}

/// The counts, if they are considered and there are any; otherwise all equal.
fn weigh(moves: &mut [ProbedMove], considers_counts: bool) {
    let has_counts = moves.iter().any(|probed| probed.dropped.is_none() && probed.known.count > 0);
    for probed in moves.iter_mut().filter(|probed| probed.dropped.is_none()) {
        if !considers_counts || !has_counts {
            probed.weight = 1;
        } else if probed.known.count == 0 {
            probed.dropped = Some(Refusal::NoCount);
        } else {
            probed.weight = probed.known.count;
        }
    }
}

/// Random numbers for one position: with a seed always the same for the same position.
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// The numbers for a position.
    pub fn new(seed: u64, position: &Position) -> Self {
        let seed = match seed {
            // Each state has new random keys.
            0 => RandomState::new().hash_one(0),
            seed => seed ^ position.key().low64(),
        };
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Whether the books are left aside this time.
    pub fn ignores_books(&mut self, options: &BookOptions) -> bool {
        options.ignore_rate > 0 && self.0.random_range(0..100) < options.ignore_rate
    }

    /// One of the candidates, by weight; `None` if there is none.
    pub fn choose<'a>(&mut self, probe: &'a Probe) -> Option<&'a ProbedMove> {
        let weights = || probe.candidates().map(|probed| u128::from(probed.weight));
        let sum: u128 = weights().sum();
        if sum == 0 {
            return None;
        }
        let mut point = u128::from(self.0.next_u64()) % sum;
        probe.candidates().find(|probed| {
            let weight = u128::from(probed.weight);
            let is_chosen = point < weight;
            point = point.saturating_sub(weight);
            is_chosen
        })
    }
}

/// The expected answer to a move of a probe: that of the book, or else the first move that the
/// books have after it. `None` if it is illegal.
pub fn ponder_move(
    library: &Library,
    position: &Position,
    probed: &ProbedMove,
    options: &BookOptions,
) -> Option<Move> {
    let mut after = position.clone();
    after.do_move(probed.mv);
    let first_answer = || {
        let found = library.find(&after, options, &mut Vec::new())?;
        Some(found.moves.first()?.mv)
    };
    let answer = probed.known.ponder.or_else(first_answer)?;
    after.legal_move(answer)
}

/// The line of a legal move and the legal answer to it, and then the first legal moves of the
/// books: at most [`BookOptions::pv_moves`] in all, up to a repetition.
pub fn line(
    library: &Library,
    position: &Position,
    mv: Move,
    ponder: Option<Move>,
    options: &BookOptions,
) -> Vec<Move> {
    let mut after = position.clone();
    let mut line = Vec::new();
    let mut next = Some(mv);
    while let Some(mv) = next {
        line.push(mv);
        after.do_move(mv);
        if line.len() >= options.pv_moves || after.search_repetition(usize::MAX).is_some() {
            break;
        }
        let from_books = || {
            let found = library.find(&after, options, &mut Vec::new())?;
            let mut moves = found.moves.iter();
            moves.find_map(|known| after.legal_move(known.mv))
        };
        let is_answer = line.len() == 1;
        next = ponder.filter(|_| is_answer).or_else(from_books);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Move16;

    fn candidate(text: &str, weight: u64) -> ProbedMove {
        let mv: Move16 = text.parse().expect("a move");
        ProbedMove {
            mv: Position::startpos().legal_move(mv).expect("it is legal"),
            known: BookMove { mv, ponder: None, value: 0, depth: 0, count: weight },
            dropped: None,
            weight,
        }
    }

    fn probe(weights: [u64; 3]) -> Probe {
        let moves = ["7g7f", "2g2f", "5g5f"].into_iter().zip(weights);
        Probe {
            refusal: None,
            moves: moves.map(|(text, weight)| candidate(text, weight)).collect(),
            book: 0,
            is_flipped: false,
            faults: Vec::new(),
        }
    }

    #[test]
    fn moves_are_drawn_by_weight() {
        let probe = probe([300, 0, 100]);
        let mut counts = [0; 3];
        for seed in 1..=4000 {
            let mut dice = Dice::new(seed, &Position::startpos());
            let chosen = dice.choose(&probe).expect("there are candidates").mv;
            let index = probe.moves.iter().position(|probed| probed.mv == chosen);
            counts[index.expect("it is one of them")] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((2900..3100).contains(&counts[0]), "{counts:?}");
        let none = self::probe([0; 3]);
        assert!(Dice::new(0, &Position::startpos()).choose(&none).is_none());
        let huge = self::probe([u64::MAX; 3]);
        assert!(Dice::new(0, &Position::startpos()).choose(&huge).is_some());
    }

    #[test]
    fn books_are_left_aside_as_often_as_asked() {
        let ignored = |percent| {
            let options = BookOptions { ignore_rate: percent, ..BookOptions::default() };
            let ignores =
                |seed: &u64| Dice::new(*seed, &Position::startpos()).ignores_books(&options);
            (1..=1000).filter(ignores).count()
        };
        assert_eq!((ignored(0), ignored(100)), (0, 1000));
        assert!((200..300).contains(&ignored(25)));
    }
}
