//! Teacher data by self-play: fast games from many different openings, of which every position is
//! written with its move, its score and the result of the game.
//!
//! Each thread plays whole games with a searcher and a table of its own (with `YaneuraOu`'s shared
//! table, wrong values spread from game to game in 2018). A game depends only on the settings and
//! its number, so with one thread an interrupted and resumed run writes the same bytes as an
//! uninterrupted one.
//!
//! [`run`] begins, `game` plays, `archive` writes. The recipe (soft node limit, random first moves
//! that are judged by a search, adjudication with some games played out) is that of Stoat,
//! Viridithas and `YaneuraOu`'s `gensfen`; options with the same meaning have the names of the
//! latter.

mod archive;
mod game;

use anyhow::{Result, bail};
use clap::Args;
use game::{PlayedGame, Player};
use serde::{Deserialize, Serialize};

use crate::eval::Evaluator;
use crate::openings::{SelfPlayOpenings, StartSet};
use crate::runs::{Execution, Job, Numbers, Plan, Shard, Stop, execute};
use crate::search::{Limits, SOLO_STACK_BYTES};
use crate::types::{Depth, EnteringKingRule};
use crate::util::{parse_positive, parse_share};

pub use archive::{Archive, Entry, Place, Tally, TreeEntry};
pub use game::Reason;

/// Number of consecutive games without a new position after which a run without a number of games
/// ends: it would play the same games for ever.
const FRUITLESS_GAMES: u64 = 300;

/// What determines the games.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The settings, which are kept with the games.
    pub settings: &'a GensfenSettings,
    /// The start positions that the settings name.
    pub starts: &'a StartSet,
    /// The evaluation that the settings name.
    pub evaluator: &'a Evaluator,
}

/// The length of a run and its number of threads: settings that may change when the run is resumed.
#[derive(Clone, Debug)]
pub struct RunLimits {
    /// Number of games at a time.
    pub threads: usize,
    /// Total number of games over all shards; `None` for no limit.
    pub games: Option<u64>,
    /// Number of positions in this folder after which no further game begins; `None` for no limit.
    pub positions: Option<u64>,
}

impl RunLimits {
    /// Whether a run with this tally is complete: a limit is reached, or there is none.
    pub fn are_reached(&self, shard: Shard, tally: &Tally) -> bool {
        let games = self.games.map(|games| tally.games >= shard.share_of(games));
        let positions = self.positions.map(|positions| tally.written >= positions);
        games.into_iter().chain(positions).reduce(|a, b| a || b) != Some(false)
    }
}

/// Plays games until the limits are reached or `stop` is requested. `entries` are the games that
/// the archive holds already; `on_game` gets the tally after each game.
///
/// # Errors
/// The settings are not valid, a file cannot be written, or there is too little memory.
pub fn run(
    run: &Run<'_>,
    limits: &RunLimits,
    archive: Archive,
    entries: &[Entry],
    stop: &Stop,
    on_game: &(dyn Fn(&Tally) + Sync),
) -> Result<Tally> {
    let games = Games { run: *run, stop };
    let done = entries.iter().map(|entry| entry.game);
    let mut schedule = Schedule {
        numbers: Numbers::new(limits.games, run.settings.shard, done),
        limits,
        fruitless: 0,
        archive,
        tally: Tally::of(entries),
        on_game,
    };
    let execution = Execution {
        threads: limits.threads,
        name: "gensfen",
        stack_bytes: Some(SOLO_STACK_BYTES),
        stop,
    };
    execute(&games, &mut schedule, &execution)?;
    Ok(schedule.tally)
}

/// The games of a run as a [`Job`].
struct Games<'a> {
    run: Run<'a>,
    stop: &'a Stop,
}

impl<'a> Job for Games<'a> {
    type Worker = Player<'a>;
    type Piece = u64;
    type Output = PlayedGame;
    type Error = anyhow::Error;

    fn worker(&self) -> Result<Player<'a>> {
        Player::new(self.run)
    }

    fn perform(&self, player: &mut Player<'a>, &number: &u64) -> Result<Option<PlayedGame>> {
        player.play(number, &|| self.stop.is_abort())
    }
}

/// The order of the games, and their results.
struct Schedule<'a> {
    numbers: Numbers,
    limits: &'a RunLimits,
    /// Number of games since the last one of which a position was written.
    fruitless: u64,
    archive: Archive,
    tally: Tally,
    on_game: &'a (dyn Fn(&Tally) + Sync),
}

impl Plan<Games<'_>> for Schedule<'_> {
    fn next(&mut self) -> Result<Option<u64>> {
        Ok(match self.limits.positions {
            Some(enough) if self.tally.written >= enough => None,
            _ => self.numbers.next(),
        })
    }

    fn keep(&mut self, _: u64, game: PlayedGame) -> Result<()> {
        let entry = self.archive.append(game)?;
        self.tally.add(&entry);
        (self.on_game)(&self.tally);
        let is_fruitless = entry.written == 0;
        self.fruitless = if is_fruitless { self.fruitless + 1 } else { 0 };
        if self.limits.games.is_none() && self.fruitless >= FRUITLESS_GAMES {
            bail!(
                "{FRUITLESS_GAMES} games in a row have no new position: expected more random plies \
                 or roots, or more nodes"
            );
        }
        Ok(())
    }
}

// --- Settings ---

/// The settings of a run of self-play: options of `raicho gensfen`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, Args)]
pub struct GensfenSettings {
    /// The evaluation as it was requested, with a checksum of its weights.
    #[arg(skip)]
    pub eval: String,

    /// That of the other side in runs of version 1, which are not resumed.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<String>,

    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Play only shard I of N, such as 3/16
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE, hide_default_value = true)]
    pub shard: Shard,

    /// Size of each thread's transposition table in MB.
    #[arg(skip = HASH_MB)]
    pub hash_mb: usize,

    /// Search limits of each move.
    #[command(flatten)]
    pub effort: Effort,

    /// Which positions of a game are left out; `None` to write all.
    #[command(flatten)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gaps: Option<Gaps>,

    /// How games begin.
    #[arg(skip)]
    pub openings: SelfPlayOpenings,

    /// Random moves in place of the best ones.
    #[command(flatten)]
    pub diversions: Diversions,

    /// The ends of games.
    #[command(flatten)]
    pub endings: Endings,

    /// The files, and which positions are written.
    #[arg(skip)]
    pub writing: Writing,

    /// The inner nodes of searches that are written; `None` for none.
    #[command(flatten)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trees: Option<TreeSampling>,
}

/// Size of each thread's transposition table in MB: a small one is cleared quickly.
pub const HASH_MB: usize = 1;

/// The search limits of each move: options of `raicho gensfen` and `rescore`.
//
// A search takes about 1.8 times as many nodes as its soft limit. Stopping between two root moves
// instead would save 8 % of the nodes but gained nothing at equal nodes: +6 ± 15 Elo in 2000
// games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, Args)]
#[command(next_help_heading = "Search")]
pub struct Effort {
    /// Soft node limit per position: no further iteration begins after it, and the search stops at
    /// eight times this number [default: 1000, unless --depth is given]
    #[arg(long, value_name = "N", value_parser = parse_positive::<u64>)]
    pub nodes: Option<u64>,

    /// Depth per position; with --nodes, whichever limit is reached first
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(i32).range(1..=245))]
    pub depth: Option<Depth>,
}

impl Effort {
    /// The same, with 1000 nodes where there is no limit.
    #[must_use]
    pub fn or_default(&self) -> Self {
        let default = self.depth.is_none().then_some(1000);
        Self { nodes: self.nodes.or(default), depth: self.depth }
    }

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
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, Args)]
#[command(next_help_heading = "Files")]
pub struct Gaps {
    /// Write only every N-th position of a game, beginning at a random one
    #[arg(long = "write-every", value_name = "N",
          value_parser = clap::value_parser!(u32).range(2..=100), required = false,
          requires = "between_nodes")]
    pub every: u32,

    /// Soft node limit of the positions between
    #[arg(id = "between_nodes", long = "between-nodes", value_name = "N",
          value_parser = parse_positive::<u64>, required = false, requires = "every")]
    pub nodes: u64,
}

impl Gaps {
    /// The limits of the searches between.
    fn limits(&self) -> Limits {
        let effort = Effort { nodes: Some(self.nodes), depth: None };
        effort.limits()
    }
}

/// Ratio of the hard to the soft node limit, as in Viridithas.
pub const HARD_FACTOR: u64 = 8;

/// Random moves in place of the best ones. The options have the names of `YaneuraOu`'s.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, Args)]
#[command(next_help_heading = "Moves that are not the best")]
pub struct Diversions {
    /// Number of random moves per game, up to move 24
    #[arg(long = "random-move-count", value_name = "N", default_value_t = 0)]
    pub count: u32,

    /// First move number of a random move.
    #[arg(skip = 1_u32)]
    pub min_ply: u32,

    /// Last move number of a random move.
    #[arg(skip = 24_u32)]
    pub max_ply: u32,

    /// Number of best moves, within 100 centipawns, among which a random move is chosen, better
    /// ones more often; 0 for any legal move, in which case the moves before it are not written
    #[arg(long = "random-multi-pv", value_name = "N", default_value_t = 0, requires = "count")]
    pub multi_pv: usize,

    /// Maximum difference to the score of the best move in centipawns.
    #[arg(skip = 100_u32)]
    pub multi_pv_diff: u32,

    /// Softmax temperature: a move that is worse by this many centipawns is chosen 1/e times as
    /// often; 0 for equal probabilities.
    #[arg(skip = 50_u32)]
    pub temperature: u32,
}

/// The rule for declarations.
const RULE: EnteringKingRule = EnteringKingRule::CsaRule27;

/// Ends of games besides mate, declaration and repetition.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, Args)]
#[command(next_help_heading = "Endings")]
pub struct Endings {
    /// Move number after which a game is a draw, unless that move mates.
    #[arg(skip = 320_u32)]
    pub max_ply: u32,

    /// A score that won a game at once in runs of version 1.
    #[arg(skip = 32_000_u32)]
    pub eval_limit: u32,

    /// Score in centipawns that wins a game if both sides agree.
    #[arg(skip = 3000_u32)]
    pub adjudication: u32,

    /// Number of consecutive plies for which both sides must agree.
    #[arg(skip = 6_u32)]
    pub adjudication_plies: u32,

    /// Share of games that are not adjudicated but played to mate
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = parse_share)]
    pub to_mate: f64,

    /// Name of the rule for declarations (nyugyoku).
    #[arg(skip = RULE.name())]
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

impl Default for Writing {
    fn default() -> Self {
        Self { name: "games".to_owned(), min_ply: 1, file_mb: 32, dedup_mb: 64 }
    }
}

/// A sample of the inner nodes of the searches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, Args)]
#[command(next_help_heading = "Positions of search trees")]
pub struct TreeSampling {
    /// Write up to N inner nodes of each search, chosen at random, with their values and bounds to
    /// .tree files [default: none]
    #[arg(id = "tree_positions", long = "tree-positions", value_name = "N",
          value_parser = parse_positive::<usize>, required = false)]
    pub positions: usize,

    /// Minimum depth of the search below a node, in plies.
    #[arg(skip = 3_i32)]
    pub min_depth: Depth,
}
