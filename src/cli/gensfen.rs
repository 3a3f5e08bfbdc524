//! `raicho gensfen`: makes teacher data by self-play.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::bail;
use clap::Args;

use crate::cli::arguments::{EffortArguments, WorkerArguments, parse_share};
use crate::cli::error::{ensure_usage, flat_error};
use crate::cli::output;
use crate::cli::progress::{Meter, stop_on_ctrl_c};
use crate::openings::{
    EnteringKings, OpeningError, Plies, SelfPlayOpenings, StartPositions, StartSet,
};
use crate::runs::Shard;
use crate::train::gensfen::{
    self, Archive, Diversions, Endings, Entry, Gaps, GensfenSettings, Run, RunLimits, Tally,
    TreeSampling, Writing,
};
use crate::types::EnteringKingRule;
use crate::util::{counted, parse_positive};

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

    #[command(flatten)]
    workers: WorkerArguments,

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
    let (eval, evaluator) = arguments.workers.evaluation()?;
    let starts = arguments.openings.starts().map_err(flat_error)?;
    if let Some(starts) = &starts.entering_kings {
        output::eprint_line(format_args!(
            "{} around a king's entry",
            counted(starts.len(), "position")
        ));
    }
    let settings = arguments.settings(eval, &starts);
    let (archive, entries) = arguments.archive(&settings)?;
    let stop = stop_on_ctrl_c()?;
    let before = Tally::of(&entries);
    let meter = Meter::new("positions", arguments.positions, before.written);
    let begun = Instant::now();
    let words = |tally: &Tally| progress_text(tally, &before, begun);
    let run = Run {
        settings: &settings,
        starts: &starts,
        evaluator: &evaluator,
    };
    let limits = RunLimits {
        threads: arguments.workers.threads(),
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

/// The speed since `begun`, when the run had the tally `before`, and the tally.
fn progress_text(tally: &Tally, before: &Tally, begun: Instant) -> String {
    let millis = begun.elapsed().as_millis().max(1);
    let rate = |count: u64| u128::from(count) * 1000 / millis;
    let games = rate(tally.written - before.written);
    match rate(tally.tree_positions - before.tree_positions) {
        0 => format!("{games}/s, {tally}"),
        trees => format!("{games}/s and {trees}/s of search trees, {tally}"),
    }
}

impl Arguments {
    /// Checks that every option has an effect, and that games can be written at all.
    fn check(&self) -> anyhow::Result<()> {
        self.openings.check(&self.endings)?;
        self.diversions
            .check(self.openings.max_ply(&self.endings))?;
        self.trees.check(self.effort.effort().depth)
    }

    /// The folder of the run, and the games that it holds already.
    fn archive(&self, settings: &GensfenSettings) -> anyhow::Result<(Archive, Vec<Entry>)> {
        let folder = &self.out;
        if !(self.resume && Archive::exists(folder)) {
            let archive = Archive::create(folder, settings).map_err(flat_error)?;
            return Ok((archive, Vec::new()));
        }
        let (archive, entries) = Archive::resume(folder, settings).map_err(flat_error)?;
        if archive.lost() > 0 {
            output::eprint_line(format_args!(
                "note: played again, as the last file does not have them: {}",
                counted(archive.lost(), "game")
            ));
        }
        Ok((archive, entries))
    }

    fn settings(&self, eval: String, starts: &StartPositions) -> GensfenSettings {
        let shard = self.shard.unwrap_or(Shard::WHOLE);
        GensfenSettings {
            eval,
            opponent: None,
            seed: self.workers.seed,
            shard,
            hash_mb: self.effort.hash.into(),
            effort: self.effort.effort(),
            gaps: self.writing.gaps(),
            openings: self.openings.settings(starts),
            diversions: self.diversions.diversions(),
            endings: self.endings.endings(),
            writing: self.writing.writing(shard),
            trees: self.trees.sampling(),
        }
    }
}

// --- The groups of options ---

/// Default of `--opening-limit` in centipawns.
const OPENING_LIMIT: u32 = 800;
/// Move number after which a game that began around the entry of a king is a draw.
const ENTERING_KING_MAX_PLY: u32 = 400;

#[derive(Args)]
#[command(next_help_heading = "Openings")]
struct OpeningArguments {
    /// Begin from the positions of a file instead of the start position: one per line as an SFEN or
    /// `startpos moves …`, or packed as hcp if the file name ends in .hcp
    #[arg(long, value_name = "FILE")]
    roots: Option<PathBuf>,

    /// Random first moves, each legal move equally likely: a number, or a range with both ends
    /// included [default: 8..9, with --roots 0]
    #[arg(long, value_name = "N..M")]
    random_plies: Option<Plies>,

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
}

impl OpeningArguments {
    fn plies(&self) -> Plies {
        const AFTER_ROOTS: Plies = Plies::exactly(0);
        let default = self
            .roots
            .as_ref()
            .map_or(Plies::SELF_PLAY, |_| AFTER_ROOTS);
        self.random_plies.unwrap_or(default)
    }

    /// Checks that the options have an effect, and that a game follows the opening.
    fn check(&self, endings: &EndingArguments) -> anyhow::Result<()> {
        ensure_usage!(
            self.opening_nodes > 0 || self.opening_limit.is_none(),
            "--opening-limit with --opening-nodes 0, which accepts every opening"
        );
        let (most, max_ply) = (self.plies().most(), endings.write_maxply);
        ensure_usage!(
            most < max_ply,
            "--write-maxply {max_ply}, expected more than the {most} random plies of the opening"
        );
        Ok(())
    }

    /// The last ply that any game can reach.
    fn max_ply(&self, endings: &EndingArguments) -> u32 {
        if self.entering_king_from.is_empty() {
            endings.write_maxply
        } else {
            endings.write_maxply.max(ENTERING_KING_MAX_PLY)
        }
    }

    /// Reads the start positions.
    fn starts(&self) -> Result<StartPositions, OpeningError> {
        let roots = self.roots.as_deref().map(StartSet::of_roots);
        let files = &self.entering_king_from;
        let entering_kings = (!files.is_empty()).then(|| StartSet::of_entering_kings(files));
        Ok(StartPositions {
            roots: roots.unwrap_or_else(|| Ok(StartSet::startpos()))?,
            entering_kings: entering_kings.transpose()?,
        })
    }

    fn settings(&self, starts: &StartPositions) -> SelfPlayOpenings {
        let plies = self.plies();
        let entering_kings = starts.entering_kings.as_ref();
        SelfPlayOpenings {
            roots: starts.roots.files().first().cloned(),
            least_plies: plies.least(),
            most_plies: plies.most(),
            limit: self.opening_limit.unwrap_or(OPENING_LIMIT),
            nodes: self.opening_nodes,
            entering_kings: entering_kings.map(|starts| EnteringKings {
                share: self.entering_king_share,
                max_ply: ENTERING_KING_MAX_PLY,
                files: starts.files().to_vec(),
            }),
        }
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
        let (min_ply, last) = (self.min_ply, self.max_ply.min(max_ply));
        ensure_usage!(
            self.count == 0 || min_ply <= last,
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

    /// Score in centipawns that wins a game if both sides agree for six plies
    #[arg(long, value_name = "CP", default_value_t = 3000, value_parser = parse_positive::<u32>)]
    win_limit: u32,

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
            eval_limit: 32_000,
            adjudication: self.win_limit,
            adjudication_plies: 6,
            to_mate: self.to_mate,
            entering_king: self.entering_king_rule.name().to_owned(),
        }
    }
}

#[derive(Args)]
#[command(next_help_heading = "Files")]
struct WritingArguments {
    /// Write only every N-th position of a game, beginning at a random one
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(2..=100),
        requires = "between_nodes"
    )]
    write_every: Option<u32>,

    /// Soft node limit of the positions between
    #[arg(long, value_name = "N", value_parser = parse_positive::<u64>, requires = "write_every")]
    between_nodes: Option<u64>,

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
        let (every, nodes) = (self.write_every?, self.between_nodes?);
        Some(Gaps { every, nodes })
    }

    fn writing(&self, shard: Shard) -> Writing {
        // The last shard also has index 0.
        let number = if shard.index == 0 {
            shard.count
        } else {
            shard.index
        };
        Writing {
            name: if shard.count > 1 {
                format!("games-{number}of{}", shard.count)
            } else {
                "games".to_owned()
            },
            min_ply: 1,
            file_mb: 32,
            dedup_mb: self.dedup_mb as usize,
        }
    }
}

#[derive(Args)]
#[command(next_help_heading = "Positions of search trees")]
struct TreeArguments {
    /// Write up to N inner nodes of each search, chosen at random, with their values and bounds to
    /// .tree files [default: none]
    #[arg(long, value_name = "N", value_parser = parse_positive::<u16>)]
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
