//! What a search reports: lines, the current root move, notes, and the final decision.

use std::time::Duration;

use crate::types::{Bound, Depth, Move, Score};

/// One principal variation with its score and the counters of the search (USI `info`).
#[derive(Clone, PartialEq, Debug)]
pub struct Info {
    /// Depth of the iteration that found this line, in plies.
    pub depth: Depth,
    /// Length of the longest line searched, in plies from the root.
    pub seldepth: i32,
    /// Rank of this line, from 1.
    pub multi_pv: usize,
    /// Score from the point of view of the side to move.
    pub score: Score,
    /// Whether the score is exact, a lower bound or an upper bound.
    pub bound: Bound,
    /// Moves made by all threads since the search started.
    pub nodes: u64,
    /// Time since [`Limits::start`](super::Limits::start).
    pub time: Duration,
    /// Use of the transposition table by this search, in permill.
    pub hashfull: u32,
    /// The principal variation; each move is legal after the moves before it.
    pub pv: Vec<Move>,
}

impl Info {
    /// Whether it says only that the side to move is mated, so that there is no line.
    pub fn is_of_mated(&self) -> bool {
        self.score == Score::Mate(0)
    }
}

/// The root move being searched (USI `currmove`); reported only in long searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CurrentMove {
    /// Depth of the running iteration, in plies.
    pub depth: Depth,
    /// The root move.
    pub mv: Move,
    /// Its place in the order of root moves of this iteration, from 1.
    pub number: usize,
}

/// The result of a search (USI `bestmove`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Play a move.
    Move {
        /// The best move.
        best: Move,
        /// The expected reply.
        ponder: Option<Move>,
    },
    /// There is no legal move, or the score is below the resign value.
    Resign,
    /// Declare a win by entering king.
    Win,
    /// A ponder search was stopped in a position without a legal move: no answer is due.
    Nothing,
}

/// A report of the search.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// A principal variation.
    Info(Info),
    /// The root move being searched.
    CurrentMove(CurrentMove),
    /// A message for the user, such as an error.
    Note(String),
    /// The end of the search; delivered exactly once, as the last event.
    Done(Decision),
}

/// Receives the events of a search.
pub(super) type OnEvent = Box<dyn FnMut(Event) + Send>;
