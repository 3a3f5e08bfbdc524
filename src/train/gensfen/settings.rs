//! What decides which games are played. It is kept beside them, so that a run can only go on as it began.

use serde::{Deserialize, Serialize};

use crate::runs::Shard;
use crate::types::Depth;

/// A run of self-play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GensfenSettings {
    /// The evaluation as it was asked for, and what identifies its weights.
    pub eval: String,
    /// Where all random numbers come from.
    pub seed: u64,
    /// Which of the games are played here.
    pub shard: Shard,
    /// Size of each thread's table in MB.
    pub hash_mb: usize,
    /// How much each move is thought about.
    pub effort: Effort,
    /// How games begin.
    pub openings: Openings,
    /// Moves that are not the best.
    pub diversions: Diversions,
    /// How games end.
    pub endings: Endings,
    /// What is written.
    pub writing: Writing,
}

/// How much each move is thought about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Effort {
    /// After so many nodes no further iteration begins, so that a search takes about 1.8 times as many. One that takes
    /// [`HARD_FACTOR`] times as many is broken off. To stop between two moves of the root instead would save 8 %, and plays no
    /// better with the same nodes: +6 ± 15 Elo in 2000 games.
    pub nodes: Option<u64>,
    /// No iteration is deeper.
    pub depth: Option<Depth>,
}

/// How far a search may go beyond its soft limit. The idea and the number are Viridithas'.
pub const HARD_FACTOR: u64 = 8;

/// How games begin.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Openings {
    /// The file of positions to begin from instead of the start position, by its name and checksum.
    pub roots: Option<String>,
    /// At least so many random plies, each legal move as likely as the others.
    pub least_plies: u32,
    /// At most so many.
    pub most_plies: u32,
    /// Openings in which a side is more than so many centipawns ahead are replaced by others.
    pub limit: u32,
    /// Nodes of the search that judges an opening, 0 to judge none.
    pub nodes: u64,
    /// Games that begin otherwise.
    pub entering_kings: Option<EnteringKings>,
}

/// Games that begin where a king has entered the enemy's camp or is on its way. They have no adjudication.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EnteringKings {
    /// Their share of all games, 0 to 1.
    pub share: f64,
    /// Takes the place of [`Endings::max_ply`] in them.
    pub max_ply: u32,
    /// The files with games to take positions from, by name and checksum.
    pub files: Vec<String>,
}

/// Plies at which a random move is made instead of the best. The names are those of `YaneuraOu`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Diversions {
    /// How many in a game.
    pub count: u32,
    /// The first move number at which they can be.
    pub min_ply: u32,
    /// The last one.
    pub max_ply: u32,
    /// The move is one of so many best ones; 0 for any legal move.
    pub multi_pv: usize,
    /// Only moves are chosen that are at most so many centipawns worse than the best.
    pub multi_pv_diff: u32,
    /// Softmax: a move that is worse by so many centipawns is chosen 1/e times as often; 0 for all alike.
    pub temperature: u32,
}

/// How games end, besides mate, declaration and repetition.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Endings {
    /// A game whose move of this number has been made is a draw, unless that move mates.
    pub max_ply: u32,
    /// A score of so many centipawns wins at once.
    pub eval_limit: u32,
    /// So many centipawns win when both sides agree for a while.
    pub adjudication: u32,
    /// Plies in a row for which they must.
    pub adjudication_plies: u32,
    /// The share of games that are played to their real end all the same, 0 to 1.
    pub to_mate: f64,
    /// When a side may declare its win.
    pub entering_king: String,
}

/// What is written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Writing {
    /// What the names of the files begin with.
    pub name: String,
    /// Positions before this move number are not written.
    pub min_ply: u32,
    /// A file of so many MB is followed by another.
    pub file_mb: u64,
    /// Memory for the keys of positions that are not written again, in MB; 0 writes all.
    pub dedup_mb: usize,
}
