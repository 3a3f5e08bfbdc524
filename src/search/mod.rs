//! The search: iterative deepening alpha-beta on one or more threads.
//!
//! [`Searcher`] owns the threads and the transposition table. A search is started with a position, [`Limits`] and
//! [`Settings`], runs by itself, and reports through [`Event`]s: any number of `Info`, `CurrentMove` and `Note`, then exactly
//! one `Done`, whatever happens. With one thread and no clock the same calls give the same nodes, moves and values.
//! Start reading in `alpha_beta.rs`; `iterative.rs` drives it, `pool.rs` starts and ends it.
//!
//! Must not know: USI text, options by name, stdout.

mod alpha_beta;
mod audit;
mod candidates;
mod capacity;
#[cfg(test)]
mod collisions;
mod correction;
mod entry;
mod history;
mod iterative;
mod lead;
mod learning;
mod move_picker;
mod node;
mod ordering;
mod pool;
mod principal_variation;
mod pruning;
mod quiescence;
mod quiet_moves;
mod reductions;
mod reporter;
mod root;
mod signals;
mod skill;
mod solo;
mod static_info;
mod time;
pub mod tunables;
mod vote;
mod worker;

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use crate::eval::Evaluator;
use crate::types::{Bound, Color, Depth, EnteringKingRule, Move, Score};

pub use crate::transposition::Generations;
pub use capacity::{MEGABYTES_PER_THREAD, max_threads};
pub use pool::{PrepareError, Searcher};
pub use signals::Statistics;
pub use skill::Skill;
pub use solo::{SOLO_STACK_BYTES, Solo, SoloLine, SoloResult};

/// The clocks of both sides, by index of the colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Time left.
    pub time: [Duration; Color::NUM],
    /// Added after each move.
    pub increment: [Duration; Color::NUM],
    /// 秒読み: given for each move when the time left is used up.
    pub byoyomi: [Duration; Color::NUM],
}

/// When a search ends. Without any limit it runs until it is stopped or can go no deeper.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Think as a game with these clocks allows.
    pub clock: Option<Clock>,
    /// Think so long.
    pub movetime: Option<Duration>,
    /// Search so deep.
    pub depth: Option<Depth>,
    /// Search so many nodes.
    pub nodes: Option<u64>,
    /// Begin no further iteration after so many nodes of the leading thread.
    pub soft_nodes: Option<u64>,
    /// Deliver [`Event::Done`] only after a stop.
    pub infinite: bool,
    /// Deliver [`Event::Done`] only after a stop, or after a ponderhit and as the other limits say.
    pub ponder: bool,
    /// Moves to choose from; empty for all.
    pub search_moves: Vec<Move>,
    /// When the search was asked for; thinking time counts from here.
    pub start: Instant,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            clock: None,
            movetime: None,
            depth: None,
            nodes: None,
            soft_nodes: None,
            infinite: false,
            ponder: false,
            search_moves: Vec::new(),
            start: Instant::now(),
        }
    }
}

/// How to search.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Settings {
    /// Search threads, at least one.
    pub threads: usize,
    /// Size of the transposition table in MB.
    pub hash_mb: usize,
    /// How many best lines to find.
    pub multi_pv: usize,
    /// The usual delay between engine and server.
    pub network_delay: Duration,
    /// The worst delay: a move comes so long before time runs out.
    pub network_delay2: Duration,
    /// Think at least so long in a game with clocks.
    pub minimum_thinking_time: Duration,
    /// Thinking time in percent of the usual.
    pub slow_mover: u32,
    /// Clocks that show nothing but full seconds count only those: use each begun one.
    pub round_up_to_full_second: bool,
    /// Time runs in nodes, so many a millisecond; 0 for real time.
    pub nodes_time: u64,
    /// A position in which more moves have been made is a draw; 0 for no limit.
    pub max_moves_to_draw: u32,
    /// How a game is won by declaration.
    pub entering_king_rule: EnteringKingRule,
    /// Also search non-promotions that make no sense.
    pub generate_all_legal_moves: bool,
    /// Time between infos.
    pub pv_interval: Duration,
    /// Also tell of values that fell out of the window, in long searches.
    pub shows_bounds: bool,
    /// What a draw is worth to the side that searches, in centipawns, by its colour.
    pub draw_value: [i32; Color::NUM],
    /// Resign when the value is so many centipawns below zero.
    pub resign_value: i32,
    /// How well to play.
    pub skill: Skill,
    /// The opponent's time is used too, so more of the own can be.
    pub ponder: bool,
    /// How positions are evaluated.
    pub evaluator: Evaluator,
    /// Whether a search sees what earlier ones left in the table. [`Generations::Strict`] for teacher data.
    pub generations: Generations,
}

/// Beyond every score: never resign before mate.
const NO_RESIGN_VALUE: i32 = 99_999;

impl Default for Settings {
    fn default() -> Self {
        Self {
            threads: 1,
            hash_mb: 256,
            multi_pv: 1,
            network_delay: Duration::from_millis(120),
            network_delay2: Duration::from_millis(1120),
            minimum_thinking_time: Duration::from_secs(2),
            slow_mover: 100,
            round_up_to_full_second: true,
            nodes_time: 0,
            max_moves_to_draw: 0,
            entering_king_rule: EnteringKingRule::default(),
            generate_all_legal_moves: false,
            pv_interval: Duration::from_millis(300),
            shows_bounds: true,
            draw_value: [-2; Color::NUM],
            resign_value: NO_RESIGN_VALUE,
            skill: Skill::FULL,
            ponder: false,
            evaluator: Evaluator::default(),
            generations: Generations::default(),
        }
    }
}

/// What the search knows so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Info {
    /// The depth of this line.
    pub depth: Depth,
    /// The longest line looked at.
    pub seldepth: i32,
    /// Rank of this line, from 1.
    pub multi_pv: usize,
    /// Value of this line for the side to move.
    pub score: Score,
    /// Whether the score is exact.
    pub bound: Bound,
    /// Nodes of all threads: moves made.
    pub nodes: u64,
    /// Since [`Limits::start`].
    pub time: Duration,
    /// How full the table is, in permill.
    pub hashfull: u32,
    /// The line; each move is legal where it stands.
    pub pv: Vec<Move>,
}

/// What the search works on, told only when it takes long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CurrentMove {
    /// The depth of the running iteration.
    pub depth: Depth,
    /// The root move that is searched now.
    pub mv: Move,
    /// How many root moves this iteration has come to with it, from 1.
    pub number: usize,
}

/// The end of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Play this.
    Move {
        /// The move.
        best: Move,
        /// What the opponent will probably answer.
        ponder: Option<Move>,
    },
    /// There is no legal move, or no hope.
    Resign,
    /// Declare the win of the entering king.
    Win,
    /// A ponder search was stopped where no legal move exists: there is nothing to answer.
    Nothing,
}

/// A report of the search.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// A line.
    Info(Info),
    /// A root move in work.
    CurrentMove(CurrentMove),
    /// Something that people should read.
    Note(String),
    /// The end; comes exactly once, and last.
    Done(Decision),
}
