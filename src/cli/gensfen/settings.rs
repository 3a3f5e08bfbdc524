//! What `raicho gensfen` can be asked for, as groups of options.

use std::path::PathBuf;

use clap::Args;

use crate::cli::share::parse_share;
use crate::train::gensfen::{
    Beginnings, Diversions, Effort, Endings, EnteringKings, Openings, Starts, StartsError,
};
use crate::types::EnteringKingRule;

#[derive(Args)]
#[command(next_help_heading = "Search")]
pub(super) struct EffortArguments {
    /// Nodes for a move: no further iteration begins after so many, and at eight times as many the search ends at once
    /// [default: 1000, unless there is a --depth]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Depth for a move; with --nodes whichever comes first
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(i32).range(1..=245))]
    depth: Option<i32>,

    /// Size of the transposition table of each thread in MB
    #[arg(long, value_name = "MB", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) hash: u16,
}

#[derive(Args)]
#[command(next_help_heading = "Openings")]
pub(super) struct OpeningArguments {
    /// Begin from the positions of a file instead of the start position: one a line as an SFEN or `startpos moves …`, or
    /// packed as hcp in a file whose name ends in .hcp
    #[arg(long, value_name = "FILE")]
    roots: Option<PathBuf>,

    /// Random moves at the beginning, each legal one as likely as the others: a number, or a range with both ends
    /// included [default: 8..9, after --roots 0]
    #[arg(long, value_name = "N..M", value_parser = parse_range)]
    random_plies: Option<(u32, u32)>,

    /// Take another opening where a side is more than so many centipawns ahead
    #[arg(long, value_name = "CP", default_value_t = 800)]
    opening_limit: u32,

    /// Nodes of the search that judges an opening; 0 takes all
    #[arg(long, value_name = "N", default_value_t = 5000)]
    opening_nodes: u64,

    /// Begin some games around a king's entry into the enemy's camp in the games of .pack files, such as those of an earlier
    /// run; there scores decide no game
    #[arg(long, value_name = "FILE", num_args = 1..)]
    entering_king_from: Vec<PathBuf>,

    /// The share of those games
    #[arg(long, value_name = "SHARE", default_value_t = 0.04, value_parser = parse_share, requires = "entering_king_from")]
    entering_king_share: f64,

    /// Such a game that is not over after the move of this number is a draw
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
    /// So many moves of a game are chosen at random
    #[arg(long = "random-move-count", value_name = "N", default_value_t = 0)]
    count: u32,

    /// The first move number of those
    #[arg(long = "random-move-minply", value_name = "PLY", default_value_t = 1)]
    min_ply: u32,

    /// The last one
    #[arg(long = "random-move-maxply", value_name = "PLY", default_value_t = 24, value_parser = clap::value_parser!(u32).range(..10_000))]
    max_ply: u32,

    /// Choose among so many best moves; 0 for any legal move, after which what was played before is not written
    #[arg(long = "random-multi-pv", value_name = "N", default_value_t = 0)]
    multi_pv: u16,

    /// Choose none that is more than so many centipawns worse than the best
    #[arg(
        long = "random-multi-pv-diff",
        value_name = "CP",
        default_value_t = 100
    )]
    multi_pv_diff: u32,

    /// Choose a move that is worse by so many centipawns 1/e times as often; 0 for all alike
    #[arg(
        long = "random-multi-pv-temperature",
        value_name = "CP",
        default_value_t = 50
    )]
    temperature: u32,
}

#[derive(Args)]
#[command(next_help_heading = "Endings")]
pub(super) struct EndingArguments {
    /// A game that is not over after the move of this number is a draw
    #[arg(long, value_name = "PLY", default_value_t = 320)]
    write_maxply: u32,

    /// A score of so many centipawns ends the game at once as won; from 32000 on no score does
    #[arg(long, value_name = "CP", default_value_t = 32_000)]
    eval_limit: u32,

    /// A game is won when the scores of both sides say so by at least so many centipawns …
    #[arg(long, value_name = "CP", default_value_t = 3000)]
    win_limit: u32,

    /// … for so many plies in a row
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..))]
    win_plies: u32,

    /// The share of games that go on to mate all the same
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = parse_share)]
    to_mate: f64,

    /// When a side wins by declaration
    #[arg(long, value_name = "RULE", default_value_t = EnteringKingRule::default())]
    entering_king_rule: EnteringKingRule,
}

#[derive(Args)]
#[command(next_help_heading = "Files")]
pub(super) struct WritingArguments {
    /// What the names of the files begin with [default: games, with the shard's number if there is one]
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,

    /// Positions before this move number are not written
    #[arg(long, value_name = "PLY", default_value_t = 1)]
    pub(super) write_minply: u32,

    /// Begin another file after so many MB
    #[arg(long, value_name = "MB", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..1 << 20))]
    pub(super) file_mb: u64,

    /// Memory for the positions that are not written again, in MB: 8 bytes each; 0 writes all
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(..1 << 20))]
    pub(super) dedup_mb: u32,
}

impl EffortArguments {
    pub(super) fn effort(&self) -> Effort {
        const DEFAULT_NODES: u64 = 1000;
        let default = self.depth.is_none().then_some(DEFAULT_NODES);
        Effort {
            nodes: self.nodes.or(default),
            depth: self.depth,
        }
    }
}

impl OpeningArguments {
    /// Reads the files.
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
        let default = if self.roots.is_some() { (0, 0) } else { (8, 9) };
        let (least_plies, most_plies) = self.random_plies.unwrap_or(default);
        Openings {
            roots: beginnings.roots.files().first().cloned(),
            least_plies,
            most_plies,
            limit: self.opening_limit,
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

/// `8` or `8..9`, both ends included.
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
