//! A search of one position, and what it found.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::book::BookMove;
use crate::eval::Evaluator;
use crate::position::Position;
use crate::search::{Generations, Limits, Settings, Solo, SoloLine};
use crate::transposition::TableError;
use crate::types::{Bound, Move16, Score};

/// The value of a mate at once. Later ones are worth a centipawn less for each ply.
const MATE_VALUE: i32 = 32_000;

/// How long and how widely positions are searched.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Effort {
    /// Number of best moves to find, at least 1.
    pub multi_pv: usize,
    /// Largest number of nodes.
    pub nodes: Option<u64>,
    /// Largest depth in plies.
    pub depth: Option<i32>,
    /// Largest time. The results then depend on the machine.
    pub time: Option<Duration>,
    /// Size of the transposition table in MB, which is cleared before each search.
    pub hash_mb: usize,
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Thought {
    /// Number of the position in its list or book, from 0.
    pub number: u64,
    /// The position, as an SFEN without the ply.
    pub position: String,
    /// The best moves, the best first.
    pub moves: Vec<ThoughtMove>,
}

/// A move and its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ThoughtMove {
    /// The move in USI notation.
    pub mv: String,
    /// The expected answer.
    pub reply: Option<String>,
    /// Centipawns from the view of the side to move; 32000 minus the plies for a mate.
    pub value: i32,
    /// Depth of the search in plies.
    pub depth: i32,
}

impl Thought {
    /// The moves as a book has them, each with a count of 1. Those that cannot be read are left
    /// out.
    pub fn book_moves(&self) -> Vec<BookMove> {
        let moves = self.moves.iter().filter_map(|known| {
            let reply = known.reply.as_ref();
            Some(BookMove {
                mv: known.mv.parse().ok()?,
                ponder: reply.and_then(|reply| reply.parse::<Move16>().ok()),
                value: known.value,
                depth: known.depth,
                count: 1,
            })
        });
        moves.collect()
    }
}

/// Searches positions one after another on the calling thread, which needs a stack of
/// [`SOLO_STACK_BYTES`](crate::search::SOLO_STACK_BYTES).
pub struct Searcher {
    solo: Solo,
    effort: Effort,
}

impl Searcher {
    /// A searcher with a table of its own.
    ///
    /// # Errors
    /// There is too little memory for the table.
    pub fn new(effort: &Effort, evaluator: &Evaluator) -> Result<Self, TableError> {
        let solo = Solo::new(Settings {
            hash_mb: effort.hash_mb,
            multi_pv: effort.multi_pv,
            evaluator: evaluator.clone(),
            generations: Generations::Strict,
            ..Settings::default()
        })?;
        Ok(Self {
            solo,
            effort: effort.clone(),
        })
    }

    /// Searches a position. The result depends on nothing that was searched before.
    pub fn think(&mut self, number: u64, position: &Position) -> Thought {
        self.solo.new_game();
        let limits = Limits {
            nodes: self.effort.nodes,
            depth: self.effort.depth,
            movetime: self.effort.time,
            start: Instant::now(),
            ..Limits::default()
        };
        let lines = self.solo.search(position, &Arc::new(limits)).lines;
        // A bound says little; it is kept only where there is nothing better.
        let exact = lines.iter().filter(|line| line.bound == Bound::Exact);
        let mut moves: Vec<ThoughtMove> = exact.map(thought_move).collect();
        if moves.is_empty() {
            moves.extend(lines.first().map(thought_move));
        }
        Thought {
            number,
            position: position.board().to_sfen(),
            moves,
        }
    }
}

fn thought_move(line: &SoloLine) -> ThoughtMove {
    let value = match Score::from_value(line.value) {
        Score::Cp(value) => value,
        Score::Mate(plies) if plies > 0 => MATE_VALUE - plies,
        Score::Mate(plies) => -MATE_VALUE - plies,
    };
    ThoughtMove {
        mv: line.mv.to_string(),
        reply: line.reply.map(|reply| reply.to_string()),
        value,
        depth: line.depth,
    }
}
