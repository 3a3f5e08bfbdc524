//! `raicho gensfen`: makes teacher data by self-play.

mod settings;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::bail;
use clap::Args;

use super::effort::EffortArguments;
use super::evaluation;
use super::flat_error::flat_error;
use super::interrupt::stop_on_ctrl_c;
use super::progress::Meter;
use crate::cli::output;
use crate::cli::usage::bail_usage;
use crate::runs::Shard;
use crate::train::gensfen::{
    self, Archive, Beginnings, GensfenSettings, Run, RunLimits, Tally, Writing,
};
use crate::util::counted;
use settings::{
    DiversionArguments, EndingArguments, OpeningArguments, TreeArguments, WritingArguments,
};

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
    let (choice, evaluator) = evaluation::load(&arguments.eval)?;
    let opponent = arguments.opponent.as_deref().map(evaluation::load);
    let opponent = opponent.transpose()?;
    let beginnings = arguments.openings.beginnings().map_err(flat_error)?;
    if let Some(starts) = &beginnings.entering_kings {
        output::eprint_line(format_args!(
            "{} around a king's entry",
            counted(starts.len(), "position")
        ));
    }
    let eval = evaluation::identity(&choice, &evaluator);
    let of_opponent = opponent
        .as_ref()
        .map(|(choice, evaluator)| evaluation::identity(choice, evaluator));
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
