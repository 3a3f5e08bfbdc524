//! `raicho gensfen`: makes teacher data by self-play.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::bail;
use clap::Args;

use crate::cli::arguments::{EffortArguments, evaluation_identity, load_evaluation, parse_share};
use crate::cli::error::{bail_usage, ensure_usage, flat_error};
use crate::cli::output;
use crate::cli::progress::{Meter, stop_on_ctrl_c};
use crate::runs::Shard;
use crate::train::gensfen::{
    self, Archive, Beginnings, Diversions, Endings, EnteringKings, Gaps, GensfenSettings, Openings,
    Run, RunLimits, Starts, StartsError, Tally, TreeSampling, Writing,
};
use crate::types::EnteringKingRule;
use crate::util::counted;

/// Example: `raicho gensfen --nodes 1000 --threads 8 --loop 10000000 --out gen-1`
#[derive(Args)]
#[command(
    before_help = "Example: raicho gensfen --nodes 1000 --threads 8 --loop 10000000 --out gen-1"
)]
pub(super) struct Arguments {
    /// Folder for the games
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,

    /// Resume the run in the folder of --out; begin it if the folder has none yet. Settings must be
    /// the same, except --threads, --loop and --games
    #[arg(long)]
    resume: bool,

    /// Evaluation: `<embedded>`, `<material>`, or a network file or its folder
    #[arg(long, value_name = "EVAL", default_value = "<embedded>")]
    eval: String,

    /// Evaluation of the other side, black in every second game. Its moves are played, but the
    /// scores and best moves that are written are those of --eval [default: that of --eval]
    #[arg(long, value_name = "EVAL")]
    opponent: Option<String>,

    /// Number of games at a time, each on one core
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=1024)
    )]
    threads: u16,

    /// Number of positions in the folder after which the run ends; each shard has its own [default:
    /// at Ctrl-C]
    #[arg(long = "loop", value_name = "POSITIONS")]
    positions: Option<u64>,

    /// Number of games over all shards
    #[arg(long, value_name = "N")]
    games: Option<u64>,

    /// Play only shard I of N, such as 3/16
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,

    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    effort: EffortArguments,

    #[command(flatten)]
    openings: OpeningArguments,

    #[command(flatten)]
    diversions: DiversionArguments,

    #[command(flatten)]
    endings: EndingArguments,

    #[command(flatten)]
    writing: WritingArguments,

    #[command(flatten)]
    trees: TreeArguments,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    arguments.check()?;
    let (choice, evaluator) = load_evaluation(&arguments.eval)?;
    let opponent = arguments.opponent.as_deref().map(load_evaluation);
    let opponent = opponent.transpose()?;
    let beginnings = arguments.openings.beginnings().map_err(flat_error)?;
    if let Some(starts) = &beginnings.entering_kings {
        output::eprint_line(format_args!(
            "{} around a king's entry",
            counted(starts.len(), "position")
        ));
    }
    let eval = evaluation_identity(&choice, &evaluator);
    let of_opponent = opponent
        .as_ref()
        .map(|(choice, evaluator)| evaluation_identity(choice, evaluator));
    let settings = arguments.settings(eval, of_opponent, &beginnings)?;
    let folder = &arguments.out;
    let (archive, entries) = if arguments.resume && Archive::exists(folder) {
        let (archive, entries) = Archive::resume(folder, &settings).map_err(flat_error)?;
        if archive.lost() > 0 {
            output::eprint_line(format_args!(
                "note: played again, as the last file does not have them: {}",
                counted(archive.lost(), "game")
            ));
        }
        (archive, entries)
    } else {
        let archive = Archive::create(folder, &settings).map_err(flat_error)?;
        (archive, Vec::new())
    };
    let written = entries.iter().map(|entry| entry.written).sum();
    let trees = entries.iter().filter_map(|entry| entry.trees);
    let tree_positions: u64 = trees.map(|trees| trees.positions).sum();
    let stop = stop_on_ctrl_c()?;
    let meter = Meter::new("positions", arguments.positions, written);
    let begun = Instant::now();
    let words = |tally: &Tally| {
        let millis = begun.elapsed().as_millis().max(1);
        let rate = |count: u64| u128::from(count) * 1000 / millis;
        let games = rate(tally.written - written);
        match rate(tally.tree_positions - tree_positions) {
            0 => format!("{games}/s, {tally}"),
            trees => format!("{games}/s and {trees}/s of search trees, {tally}"),
        }
    };
    let run = Run {
        settings: &settings,
        beginnings: &beginnings,
        evaluator: &evaluator,
        opponent: opponent.as_ref().map(|(_, evaluator)| evaluator),
    };
    let limits = RunLimits {
        threads: arguments.threads.into(),
        games: arguments.games,
        positions: arguments.positions,
    };
    let result = gensfen::run(&run, &limits, archive, &entries, &stop, &|tally| {
        meter.advance(tally.written, words(tally));
    });
    meter.finish();
    let tally = match result {
        Ok(tally) => tally,
        Err(error) => bail!("{error}\nfinished games are kept; --resume continues"),
    };
    output::print_line(format_args!(
        "{}, {}",
        counted(tally.written, "position"),
        words(&tally)
    ))?;
    for (reason, count) in &tally.reasons {
        output::print_line(format_args!(
            "{} ended by {reason}",
            counted(*count, "game")
        ))?;
    }
    if stop.is_requested() && !limits.are_reached(settings.shard, &tally) {
        // Not a success: a script must not take a part of a run for the whole.
        bail!("interrupted; the same command with --resume continues");
    }
    Ok(())
}

impl Arguments {
    /// Checks that every option has an effect, and that games can be written at all.
    fn check(&self) -> anyhow::Result<()> {
        self.openings.check(&self.endings)?;
        let max_ply = self.openings.max_ply(&self.endings);
        self.diversions.check(max_ply)?;
        self.writing.check(self.opponent.is_some(), max_ply)?;
        self.trees.check(self.effort.effort().depth)
    }

    fn settings(
        &self,
        eval: String,
        opponent: Option<String>,
        beginnings: &Beginnings,
    ) -> anyhow::Result<GensfenSettings> {
        let shard = self.shard.unwrap_or(Shard::WHOLE);
        let name = match &self.writing.name {
            Some(name) if name.is_empty() || name.contains(['/', '\\']) => {
                bail_usage!(
                    "--name '{name}' cannot begin the name of a file, expected letters and digits"
                );
            }
            Some(name) => name.clone(),
            // The last shard also has index 0.
            None if shard.count > 1 && shard.index == 0 => format!("games-{0}of{0}", shard.count),
            None if shard.count > 1 => format!("games-{}of{}", shard.index, shard.count),
            None => "games".to_owned(),
        };
        Ok(GensfenSettings {
            eval,
            opponent,
            seed: self.seed,
            shard,
            hash_mb: self.effort.hash.into(),
            effort: self.effort.effort(),
            gaps: self.writing.gaps(),
            openings: self.openings.openings(beginnings),
            diversions: self.diversions.diversions(),
            endings: self.endings.endings(),
            writing: Writing {
                name,
                min_ply: self.writing.write_minply,
                file_mb: self.writing.file_mb,
                dedup_mb: self.writing.dedup_mb as usize,
            },
            trees: self.trees.sampling(),
        })
    }
}

// --- The groups of options ---

/// Default of `--opening-limit` in centipawns.
const OPENING_LIMIT: u32 = 800;

#[derive(Args)]
#[command(next_help_heading = "Openings")]
struct OpeningArguments {
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

impl OpeningArguments {
    /// The least and the greatest number of random moves.
    fn plies(&self) -> (u32, u32) {
        let default = if self.roots.is_some() { (0, 0) } else { (8, 9) };
        self.random_plies.unwrap_or(default)
    }

    /// Checks that the options have an effect, and that a game follows the opening.
    fn check(&self, endings: &EndingArguments) -> anyhow::Result<()> {
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
    fn max_ply(&self, endings: &EndingArguments) -> u32 {
        let entering = (!self.entering_king_from.is_empty()).then_some(self.entering_king_maxply);
        endings.write_maxply.max(entering.unwrap_or(0))
    }

    /// Reads the start positions.
    fn beginnings(&self) -> Result<Beginnings, StartsError> {
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

    fn openings(&self, beginnings: &Beginnings) -> Openings {
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

#[derive(Args)]
#[command(next_help_heading = "Moves that are not the best")]
struct DiversionArguments {
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

impl DiversionArguments {
    /// Checks that the random moves have a place. Games end after `max_ply` at the latest.
    fn check(&self, max_ply: u32) -> anyhow::Result<()> {
        let Self { count, min_ply, .. } = *self;
        let last = self.max_ply.min(max_ply);
        ensure_usage!(
            count == 0 || min_ply <= last,
            "--random-move-minply {min_ply}, expected at most {last}, the last ply of a random move"
        );
        Ok(())
    }

    fn diversions(&self) -> Diversions {
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

#[derive(Args)]
#[command(next_help_heading = "Endings")]
struct EndingArguments {
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

impl EndingArguments {
    fn endings(&self) -> Endings {
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

#[derive(Args)]
#[command(next_help_heading = "Files")]
struct WritingArguments {
    /// Prefix of the file names [default: games, with the shard's number if there is one]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// First move number of which the position is written
    #[arg(long, value_name = "PLY", default_value_t = 1)]
    write_minply: u32,

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
    file_mb: u64,

    /// Memory in MB for the keys of written positions, 8 bytes each, which are not written again; 0
    /// writes all positions
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 64,
        value_parser = clap::value_parser!(u32).range(..1 << 20)
    )]
    dedup_mb: u32,
}

impl WritingArguments {
    fn gaps(&self) -> Option<Gaps> {
        let nodes = self.between_nodes?;
        // Without gaps only the moves of the opponent have that limit.
        let every = self.write_every.unwrap_or(1);
        Some(Gaps { every, nodes })
    }

    /// Checks that the options have an effect. Games end after `max_ply` at the latest.
    fn check(&self, has_opponent: bool, max_ply: u32) -> anyhow::Result<()> {
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

#[derive(Args)]
#[command(next_help_heading = "Positions of search trees")]
struct TreeArguments {
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

impl TreeArguments {
    /// Checks that searches to `depth` have such nodes.
    fn check(&self, depth: Option<i32>) -> anyhow::Result<()> {
        let least = self.tree_min_depth;
        ensure_usage!(
            self.tree_positions.is_none() || depth.is_none_or(|depth| least <= depth),
            "--tree-min-depth {least} is greater than --depth, so that no node would be written"
        );
        Ok(())
    }

    fn sampling(&self) -> Option<TreeSampling> {
        self.tree_positions.map(|positions| TreeSampling {
            positions: positions.into(),
            min_depth: self.tree_min_depth,
        })
    }
}
