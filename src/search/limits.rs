//! What a search is asked: when it ends ([`Limits`]), and how it searches, which stays the same
//! from move to move of a game ([`Settings`]).

use std::time::Duration;

use crate::eval::Evaluator;
use crate::transposition::{Extent, Generations};
use crate::types::{Color, Depth, EnteringKingRule, Move};
use crate::util::system::{DEFAULT_TABLE_MB, Instant};

use super::skill::Skill;

/// The clocks of both sides, indexed by [`Color::index`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Remaining main time of each side.
    pub time: [Duration; Color::NUM],
    /// Time added to each side's clock after each of its moves.
    pub increment: [Duration; Color::NUM],
    /// Byoyomi (秒読み): time per move once the main time is used up.
    pub byoyomi: [Duration; Color::NUM],
}

/// When a search ends. Without any limit it runs until it is stopped or reaches the maximum depth.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Clocks of the game, from which the thinking time is planned.
    pub clock: Option<Clock>,
    /// Fixed time per move; takes precedence over the clocks.
    pub movetime: Option<Duration>,
    /// Maximum depth of iterative deepening in plies, at least 1.
    pub depth: Option<Depth>,
    /// Maximum number of nodes of all threads together.
    pub nodes: Option<u64>,
    /// No new iteration starts once the main thread has searched this many nodes.
    pub soft_nodes: Option<u64>,
    /// `go infinite`: [`Event::Done`](super::Event::Done) is delivered only after a stop.
    pub infinite: bool,
    /// `go ponder`: [`Event::Done`](super::Event::Done) is delivered only after a stop or a
    /// ponderhit; the clock starts at the ponderhit.
    pub ponder: bool,
    /// Root moves to search (`searchmoves`); empty for all legal moves.
    pub search_moves: Vec<Move>,
    /// When the search was requested; thinking time is measured from here.
    pub start: Instant,
}

impl Limits {
    /// The clusters of the table to search with. Where depth or nodes end the search, its result
    /// must not depend on how fast memory comes.
    pub(super) fn extent(&self, settings: &Settings) -> Extent {
        let is_timed = self.clock.is_some() || self.movetime.is_some();
        let is_counted = self.depth.is_some() || self.nodes.is_some() || self.soft_nodes.is_some();
        let is_exact = if is_timed { settings.nodes_time > 0 } else { is_counted };
        if is_exact { Extent::Whole } else { Extent::Supplied }
    }
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

/// How to search: what stays the same from move to move of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Settings {
    /// Number of search threads, at least 1.
    pub threads: usize,
    /// Size of the transposition table in MB, at least 1.
    pub hash_mb: usize,
    /// Number of best root moves to search with an exact value (`MultiPV`), at least 1.
    pub multi_pv: usize,
    /// Usual delay between engine and server; subtracted when a full second is used up.
    pub network_delay: Duration,
    /// Worst delay between engine and server; this much of the clock is kept in reserve.
    pub network_delay2: Duration,
    /// Minimum time per move in a game with clocks, before the network delay is subtracted.
    pub minimum_thinking_time: Duration,
    /// Thinking time in percent of the planned time; 100 changes nothing.
    pub slow_mover: u32,
    /// On clocks that count full seconds only, use each second that was begun to its end.
    pub round_up_to_full_second: bool,
    /// Measure time in nodes, this many per millisecond; 0 for real time.
    pub nodes_time: u64,
    /// Positions after this game ply are draws (`MaxMovesToDraw`); 0 for no limit.
    pub max_moves_to_draw: u32,
    /// The rule for winning by declaration.
    pub entering_king_rule: EnteringKingRule,
    /// Also search non-promotions of pawns, lances, bishops and rooks that are never better.
    pub generate_all_legal_moves: bool,
    /// Minimum time between two reports of the best lines.
    pub pv_interval: Duration,
    /// Report aspiration window failures (`lowerbound`, `upperbound`) in long searches.
    pub shows_bounds: bool,
    /// Value of a draw for the side to move at the root, in centipawns, indexed by its colour.
    pub draw_value: [i32; Color::NUM],
    /// How much the giver of a handicap avoids exchanges: the value, in centipawns, that each piece
    /// in hand but pawns, whoever holds it, takes from the evaluation of the side to move at the
    /// root. 0 changes nothing.
    pub handicap_contempt: i32,
    /// Resign when the score is at most minus this, in centipawns.
    pub resign_value: i32,
    /// Playing strength: below [`Skill::FULL`] the search sees and chooses less well.
    pub skill: Skill,
    /// Whether the engine ponders; the opponent's time then allows for longer thinking.
    pub ponder: bool,
    /// The evaluation function; threads take it over when a search starts.
    pub evaluator: Evaluator,
    /// Whether a search sees table entries of earlier searches; [`Generations::Strict`] for
    /// teacher data.
    pub generations: Generations,
}

/// Beyond every score: the engine never resigns before it is mated.
const NO_RESIGN_VALUE: i32 = 99_999;

impl Default for Settings {
    fn default() -> Self {
        Self {
            threads: 1,
            hash_mb: DEFAULT_TABLE_MB,
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
            handicap_contempt: 0,
            resign_value: NO_RESIGN_VALUE,
            skill: Skill::FULL,
            ponder: false,
            evaluator: Evaluator::default(),
            generations: Generations::default(),
        }
    }
}
