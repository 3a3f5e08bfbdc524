//! The option groups of `raicho gensfen`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::share::parse_share;
use crate::cli::usage::ensure_usage;
use crate::train::gensfen::{
    Beginnings, Diversions, Endings, EnteringKings, Gaps, Openings, Starts, StartsError,
    TreeSampling,
};
use crate::types::EnteringKingRule;

/// Default of `--opening-limit` in centipawns.
const OPENING_LIMIT: u32 = 800;

#[derive(Args)]
#[command(next_help_heading = "Openings")]
pub(super) struct OpeningArguments {
    /// Begin from the positions of a file instead of the start position: one per line as an SFEN or
    /// `startpos moves …`, or packed as hcp if the file name ends in .hcp
    #[arg(long, value_name = "FILE")]
    roots: Option<PathBuf>,

    /// Random first moves, each legal move equally likely: a number, or a range with both ends
    /// included [default: 8..9, with --roots 0]
    #[arg(long, value_name = "N..M", value_parser = parse_range)]
    random_plies: Option<(u32, u32)>,

    /// Maximum advantage of either side after the opening in centipawns; other openings are
    /// replaced [default: 800]
    #[arg(long, value_name = "CP")]
    opening_limit: Option<u32>,

    /// Nodes of the search that judges an opening; 0 accepts every opening
    #[arg(long, value_name = "N", default_value_t = 5000)]
    opening_nodes: u64,

    /// Begin some games around the entry of a king into the promotion zone, taken from the games of
    /// .pack files such as those of an earlier run; these games are not adjudicated by score
    #[arg(long, value_name = "FILE", num_args = 1..)]
    entering_king_from: Vec<PathBuf>,

    /// Share of those games
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.04,
        value_parser = parse_share,
        requires = "entering_king_from"
    )]
    entering_king_share: f64,

    /// Move number after which such a game is a draw
    #[arg(
        long,
        value_name = "PLY",
        default_value_t = 400,
        requires = "entering_king_from"
    )]
    entering_king_maxply: u32,
}

#[derive(Args)]
#[command(next_help_heading = "Moves that are not the best")]
pub(super) struct DiversionArguments {
    /// Number of random moves per game
    #[arg(long = "random-move-count", value_name = "N", default_value_t = 0)]
    count: u32,

    /// First move number of a random move
    #[arg(
        long = "random-move-minply",
        value_name = "PLY",
        default_value_t = 1,
        requires = "count"
    )]
    min_ply: u32,

    /// Last move number of a random move
    #[arg(
        long = "random-move-maxply",
        value_name = "PLY",
        default_value_t = 24,
        value_parser = clap::value_parser!(u32).range(..10_000),
        requires = "count"
    )]
    max_ply: u32,

    /// Number of best moves among which a random move is chosen; 0 for any legal move, in which
    /// case the moves before it are not written
    #[arg(
        long = "random-multi-pv",
        value_name = "N",
        default_value_t = 0,
        requires = "count"
    )]
    multi_pv: u16,

    /// Maximum difference to the score of the best move in centipawns
    #[arg(
        long = "random-multi-pv-diff",
        value_name = "CP",
        default_value_t = 100,
        requires = "multi_pv"
    )]
    multi_pv_diff: u32,

    /// Softmax temperature: a move that is worse by this many centipawns is chosen 1/e times as
    /// often; 0 for equal probabilities
    #[arg(
        long = "random-multi-pv-temperature",
        value_name = "CP",
        default_value_t = 50,
        requires = "multi_pv"
    )]
    temperature: u32,
}

#[derive(Args)]
#[command(next_help_heading = "Endings")]
pub(super) struct EndingArguments {
    /// Move number after which a game is a draw
    #[arg(long, value_name = "PLY", default_value_t = 320)]
    write_maxply: u32,

    /// Score in centipawns that wins a game at once; from 32000 on no score does
    #[arg(
        long,
        value_name = "CP",
        default_value_t = 32_000,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    eval_limit: u32,

    /// Score in centipawns that wins a game if both sides agree …
    #[arg(
        long,
        value_name = "CP",
        default_value_t = 3000,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    win_limit: u32,

    /// … for this number of consecutive plies
    #[arg(
        long,
        value_name = "N",
        default_value_t = 6,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    win_plies: u32,

    /// Share of games that are not adjudicated but played to mate
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = parse_share)]
    to_mate: f64,

    /// Rule for declarations
    #[arg(long, value_name = "RULE", default_value_t = EnteringKingRule::default())]
    entering_king_rule: EnteringKingRule,
}

#[derive(Args)]
#[command(next_help_heading = "Files")]
pub(super) struct WritingArguments {
    /// Prefix of the file names [default: games, with the shard's number if there is one]
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,

    /// First move number of which the position is written
    #[arg(long, value_name = "PLY", default_value_t = 1)]
    pub(super) write_minply: u32,

    /// Write only every N-th position of a game, beginning at a random one
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(2..=100),
        requires = "between_nodes"
    )]
    write_every: Option<u32>,

    /// Soft node limit of the positions between, and of the moves of --opponent; needs one of
    /// --write-every and --opponent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    between_nodes: Option<u64>,

    /// Size in MB after which another file begins
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 32,
        value_parser = clap::value_parser!(u64).range(1..1 << 20)
    )]
    pub(super) file_mb: u64,

    /// Memory in MB for the keys of written positions, 8 bytes each, which are not written again; 0
    /// writes all positions
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 64,
        value_parser = clap::value_parser!(u32).range(..1 << 20)
    )]
    pub(super) dedup_mb: u32,
}

#[derive(Args)]
#[command(next_help_heading = "Positions of search trees")]
pub(super) struct TreeArguments {
    /// Write up to N inner nodes of each search, chosen at random, with their values and bounds to
    /// .tree files [default: none]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    tree_positions: Option<u16>,

    /// Minimum depth of the search below such a node
    #[arg(
        long,
        value_name = "PLIES",
        default_value_t = 3,
        value_parser = clap::value_parser!(i32).range(1..=245),
        requires = "tree_positions"
    )]
    tree_min_depth: i32,
}

impl WritingArguments {
    pub(super) fn gaps(&self) -> Option<Gaps> {
        let nodes = self.between_nodes?;
        // Without gaps only the moves of the opponent have that limit.
        let every = self.write_every.unwrap_or(1);
        Some(Gaps { every, nodes })
    }

    /// Checks that the options have an effect. Games end after `max_ply` at the latest.
    pub(super) fn check(&self, has_opponent: bool, max_ply: u32) -> anyhow::Result<()> {
        ensure_usage!(
            self.between_nodes.is_none() || self.write_every.is_some() || has_opponent,
            "--between-nodes without positions between: expected --write-every or --opponent"
        );
        ensure_usage!(
            self.write_minply <= max_ply,
            "--write-minply {}, expected at most {max_ply}, after which every game has ended",
            self.write_minply
        );
        Ok(())
    }
}

impl TreeArguments {
    /// Checks that searches to `depth` have such nodes.
    pub(super) fn check(&self, depth: Option<i32>) -> anyhow::Result<()> {
        let least = self.tree_min_depth;
        ensure_usage!(
            self.tree_positions.is_none() || depth.is_none_or(|depth| least <= depth),
            "--tree-min-depth {least} is greater than --depth, so that no node would be written"
        );
        Ok(())
    }

    pub(super) fn sampling(&self) -> Option<TreeSampling> {
        self.tree_positions.map(|positions| TreeSampling {
            positions: positions.into(),
            min_depth: self.tree_min_depth,
        })
    }
}

impl OpeningArguments {
    /// The least and the greatest number of random moves.
    fn plies(&self) -> (u32, u32) {
        let default = if self.roots.is_some() { (0, 0) } else { (8, 9) };
        self.random_plies.unwrap_or(default)
    }

    /// Checks that the options have an effect, and that a game follows the opening.
    pub(super) fn check(&self, endings: &EndingArguments) -> anyhow::Result<()> {
        ensure_usage!(
            self.opening_nodes > 0 || self.opening_limit.is_none(),
            "--opening-limit with --opening-nodes 0, which accepts every opening"
        );
        let (most, max_ply) = (self.plies().1, endings.write_maxply);
        ensure_usage!(
            most < max_ply,
            "--write-maxply {max_ply}, expected more than the {most} random plies of the opening"
        );
        Ok(())
    }

    /// The last ply that any game can reach.
    pub(super) fn max_ply(&self, endings: &EndingArguments) -> u32 {
        let entering = (!self.entering_king_from.is_empty()).then_some(self.entering_king_maxply);
        endings.write_maxply.max(entering.unwrap_or(0))
    }

    /// Reads the start positions.
    pub(super) fn beginnings(&self) -> Result<Beginnings, StartsError> {
        let roots = match &self.roots {
            Some(path) => Starts::of_roots(path)?,
            None => Starts::startpos(),
        };
        let files = &self.entering_king_from;
        let entering_kings = if files.is_empty() {
            None
        } else {
            Some(Starts::of_entering_kings(files)?)
        };
        Ok(Beginnings {
            roots,
            entering_kings,
        })
    }

    pub(super) fn openings(&self, beginnings: &Beginnings) -> Openings {
        let (least_plies, most_plies) = self.plies();
        Openings {
            roots: beginnings.roots.files().first().cloned(),
            least_plies,
            most_plies,
            limit: self.opening_limit.unwrap_or(OPENING_LIMIT),
            nodes: self.opening_nodes,
            entering_kings: beginnings
                .entering_kings
                .as_ref()
                .map(|starts| EnteringKings {
                    share: self.entering_king_share,
                    max_ply: self.entering_king_maxply,
                    files: starts.files().to_vec(),
                }),
        }
    }
}

impl DiversionArguments {
    /// Checks that the random moves have a place. Games end after `max_ply` at the latest.
    pub(super) fn check(&self, max_ply: u32) -> anyhow::Result<()> {
        let Self { count, min_ply, .. } = *self;
        let last = self.max_ply.min(max_ply);
        ensure_usage!(
            count == 0 || min_ply <= last,
            "--random-move-minply {min_ply}, expected at most {last}, the last ply of a random move"
        );
        Ok(())
    }

    pub(super) fn diversions(&self) -> Diversions {
        Diversions {
            count: self.count,
            min_ply: self.min_ply,
            max_ply: self.max_ply,
            multi_pv: self.multi_pv.into(),
            multi_pv_diff: self.multi_pv_diff,
            temperature: self.temperature,
        }
    }
}

impl EndingArguments {
    pub(super) fn endings(&self) -> Endings {
        Endings {
            max_ply: self.write_maxply,
            eval_limit: self.eval_limit,
            adjudication: self.win_limit,
            adjudication_plies: self.win_plies,
            to_mate: self.to_mate,
            entering_king: self.entering_king_rule.name().to_owned(),
        }
    }
}

/// Parses `8` or `8..9`, both ends included.
fn parse_range(text: &str) -> Result<(u32, u32), String> {
    const MOST: u32 = 200;
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    match (least.trim().parse(), most.trim().parse()) {
        (Ok(least), Ok(most)) if least <= most && most <= MOST => Ok((least, most)),
        _ => Err(format!(
            "'{text}' is no range of plies, expected numbers up to {MOST} such as 8..9, or one"
        )),
    }
}
