//! The settings that determine the games. They are kept with the games, so that a run can only be
//! resumed with the settings it began with.

use serde::{Deserialize, Serialize};

use crate::openings::SelfPlayOpenings;
use crate::runs::Shard;
use crate::search::Limits;
use crate::types::Depth;

/// The settings of a run of self-play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GensfenSettings {
    /// The evaluation as it was requested, with a checksum of its weights.
    pub eval: String,
    /// That of the other side in runs of version 1, which are not resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<String>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// The shard of the games that is played here.
    pub shard: Shard,
    /// Size of each thread's transposition table in MB.
    pub hash_mb: usize,
    /// Search limits of each move.
    pub effort: Effort,
    /// Which positions of a game are left out; `None` to write all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gaps: Option<Gaps>,
    /// How games begin.
    pub openings: SelfPlayOpenings,
    /// Random moves in place of the best ones.
    pub diversions: Diversions,
    /// The ends of games.
    pub endings: Endings,
    /// The files, and which positions are written.
    pub writing: Writing,
    /// The inner nodes of searches that are written; `None` for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trees: Option<TreeSampling>,
}

/// The search limits of each move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Effort {
    /// Soft node limit: no further iteration begins after this many nodes, so that a search takes
    /// about 1.8 times as many. A search that reaches [`HARD_FACTOR`] times this number is stopped.
    /// Stopping between two root moves instead would save 8 % of the nodes but gained nothing at
    /// equal nodes: +6 ± 15 Elo in 2000 games.
    pub nodes: Option<u64>,
    /// Maximum depth of a search in plies.
    pub depth: Option<Depth>,
}

impl Effort {
    /// The limits of a search.
    pub(in crate::train) fn limits(&self) -> Limits {
        Limits {
            depth: self.depth,
            soft_nodes: self.nodes,
            nodes: self.nodes.map(|nodes| nodes.saturating_mul(HARD_FACTOR)),
            ..Limits::default()
        }
    }
}

/// Positions of a game that are searched with fewer nodes and not written. Neighbours are alike, so
/// as many positions of more games teach more.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Gaps {
    /// The distance of two written positions in plies, at least 2.
    pub every: u32,
    /// Soft node limit of the positions between, see [`Effort::nodes`].
    pub nodes: u64,
}

impl Gaps {
    /// The limits of the searches between.
    pub(super) fn limits(&self) -> Limits {
        let effort = Effort {
            nodes: Some(self.nodes),
            depth: None,
        };
        effort.limits()
    }
}

/// Ratio of the hard to the soft node limit, as in Viridithas.
pub const HARD_FACTOR: u64 = 8;

/// Random moves in place of the best ones. The options have the names of `YaneuraOu`'s.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Diversions {
    /// Number of random moves per game.
    pub count: u32,
    /// First move number of a random move.
    pub min_ply: u32,
    /// Last move number of a random move.
    pub max_ply: u32,
    /// Number of best moves among which the move is chosen; 0 for all legal moves.
    pub multi_pv: usize,
    /// Maximum difference to the score of the best move, in centipawns.
    pub multi_pv_diff: u32,
    /// Softmax temperature: a move that is worse by this many centipawns is chosen 1/e times as
    /// often; 0 for equal probabilities.
    pub temperature: u32,
}

/// Ends of games besides mate, declaration and repetition.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Endings {
    /// Move number after which a game is a draw, unless that move mates.
    pub max_ply: u32,
    /// 32000; another score that won a game at once in runs of version 1, which are not resumed.
    pub eval_limit: u32,
    /// Score in centipawns that wins a game if both sides agree for [`Self::adjudication_plies`].
    pub adjudication: u32,
    /// Number of consecutive plies for which both sides must agree.
    pub adjudication_plies: u32,
    /// Share of games that are not adjudicated but played to their end, 0 to 1.
    pub to_mate: f64,
    /// Name of the rule for declarations (nyugyoku).
    pub entering_king: String,
}

/// The files, and which positions are written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Writing {
    /// Prefix of the file names.
    pub name: String,
    /// 1; the first move number that was written in runs of version 1, which are not resumed.
    pub min_ply: u32,
    /// Size in MB after which another file begins.
    pub file_mb: u64,
    /// Memory in MB for the keys of written positions, which are not written again; 0 writes all
    /// positions.
    pub dedup_mb: usize,
}

/// A sample of the inner nodes of the searches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TreeSampling {
    /// Maximum number of nodes of each search, at least 1.
    pub positions: usize,
    /// Minimum depth of the search below a node, in plies, at least 1.
    pub min_depth: Depth,
}
