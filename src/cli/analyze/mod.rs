//! `raicho analyze`: positions and whole games for people.

mod games;
mod inputs;
mod outputs;
mod position;
mod table;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::analysis::{Effort, Order, Thresholds};
use crate::cli::arguments::{Indivisible, KeptWork, one_of, parse_time};
use crate::cli::error::ensure_usage;
use crate::lang::Lang;
use crate::records::game::GameRecord;
use crate::types::Color;
use crate::util::cores;
use inputs::Inputs;

/// Example: `raicho analyze game.kif --html game.html`
#[derive(Args)]
#[command(
    before_help = "Example: raicho analyze game.kif --threads 4 --html game.html\n\
        Example: raicho analyze games/ --time 500ms --kif analysed/\n\
        Example: raicho analyze --sfen \"4k4/9/4P4/9/9/9/9/9/4K4 b G 1\" --time 3s"
)]
pub(super) struct Arguments {
    /// Games (CSA, KIF, KI2, JKF, lines `startpos moves 7g7f …`), folders of them, or a file with a
    /// position per line; `-` reads standard input
    #[arg(value_name = "GAME", conflicts_with = "sfen")]
    files: Vec<PathBuf>,

    /// A single position, optionally followed by ` moves …` [default: the start position]
    #[arg(long, value_name = "SFEN")]
    sfen: Option<String>,

    /// Take lines with moves as positions, not as games
    #[arg(long)]
    positions: bool,

    #[command(flatten)]
    search: SearchArguments,

    #[command(flatten)]
    output: OutputArguments,

    #[command(flatten)]
    work: KeptWork,

    #[command(flatten)]
    indivisible: Indivisible,
}

#[derive(Args)]
#[command(next_help_heading = "Search")]
struct SearchArguments {
    /// Time for each position: milliseconds, or with a unit such as `3s` or `500ms` [default: 5s
    /// for positions, 1s in games]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,

    /// Depth to search each position to
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(i32).range(1..=245))]
    depth: Option<i32>,

    /// Nodes to search for each position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// How many of the best lines to show
    #[arg(long, value_name = "K", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=600))]
    multipv: u16,

    /// Threads: for a position they search together, for games each searches positions of its own
    /// [default: all cores; 1 for positions with --nodes or --depth, so that the result is always
    /// the same]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,

    /// Size of the transposition table in MB; for games of each thread [default: 256, games 64]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..))]
    hash: Option<u32>,

    /// Evaluation: `<embedded>`, `<material>`, or a file
    #[arg(long, value_name = "EVAL", default_value = "<embedded>")]
    eval: String,

    /// Order of a game's positions: `forward` as they were played, or `backward`, the last one
    /// first, so that the table knows what follows
    #[arg(long, value_name = "ORDER", default_value = "backward", value_parser = one_of(&ORDERS))]
    order: Order,
}

const ORDERS: [(&str, Order); 2] = [("forward", Order::Forward), ("backward", Order::Backward)];

#[derive(Args)]
#[command(next_help_heading = "Results of games")]
struct OutputArguments {
    /// Write a page with board, graph and summary that any browser shows, without a network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Let the page carry the engine, for moves of its reader; FOLDER is what `web/build.sh` makes,
    /// without it `pkg` beside the executable
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, requires = "html")]
    #[expect(clippy::option_option, reason = "the folder may be left out")]
    with_engine: Option<Option<PathBuf>>,

    /// Write the graph of each game; OUT is a file, or a folder for several games
    #[arg(long, value_name = "OUT")]
    svg: Option<PathBuf>,

    /// Write the games with comments as KIF
    #[arg(long, value_name = "OUT")]
    kif: Option<PathBuf>,

    /// Write the games with comments as CSA
    #[arg(long, value_name = "OUT")]
    csa: Option<PathBuf>,

    /// Write the analysis as JSON; `-` is standard output, where it replaces the table
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,

    /// Print only the summaries
    #[arg(long)]
    summary: bool,

    /// Loss of win chance in percent from which a move is doubtful (疑問手)
    #[arg(long, value_name = "PERCENT", default_value_t = 10.0, value_parser = parse_percent)]
    doubtful: f64,

    /// Loss of win chance in percent from which a move is a blunder (悪手)
    #[arg(long, value_name = "PERCENT", default_value_t = 20.0, value_parser = parse_percent)]
    blunder: f64,
}

fn parse_percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').parse() {
        Ok(percent) if percent > 0.0 && percent <= 100.0 => Ok(percent),
        _ => Err("expected a number above 0, at most 100".to_owned()),
    }
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    arguments
        .indivisible
        .check("give each machine some of the files")?;
    match inputs::find(arguments)? {
        Inputs::Positions(source) => {
            check_positions(arguments)?;
            position::run(arguments, &source, lang)
        }
        Inputs::Games(games, broken) => games::run(arguments, games, &broken, lang),
    }
}

/// Refuses what only games have.
fn check_positions(arguments: &Arguments) -> anyhow::Result<()> {
    let work = arguments.work.is_kept().then_some("--work");
    let option = arguments.output.option().or(work);
    ensure_usage!(
        option.is_none(),
        "{} is for games, and these are positions",
        option.unwrap_or_default()
    );
    Ok(())
}

impl SearchArguments {
    /// The limits of each position, with this time where there is no other.
    fn effort(&self, default: Duration) -> Effort {
        let has_limit = self.depth.is_some() || self.nodes.is_some();
        Effort {
            time: self.time.or((!has_limit).then_some(default)),
            nodes: self.nodes,
            depth: self.depth,
        }
    }

    /// Threads for a position.
    fn threads_for_positions(&self) -> usize {
        let is_exact = self.nodes.is_some() || self.depth.is_some();
        let default = || if is_exact { 1 } else { cores() };
        self.threads.map_or_else(default, usize::from)
    }
}

impl OutputArguments {
    /// From which loss moves have their names.
    ///
    /// # Errors
    /// No move could be doubtful.
    fn thresholds(&self) -> anyhow::Result<Thresholds> {
        let (doubtful, blunder) = (self.doubtful, self.blunder);
        let is_ordered = doubtful <= blunder;
        ensure_usage!(
            is_ordered,
            "--doubtful {doubtful} is more than --blunder {blunder}: no move would be doubtful"
        );
        Ok(Thresholds {
            doubtful: doubtful / 100.0,
            blunder: blunder / 100.0,
        })
    }

    /// The first option for something that only games have.
    fn option(&self) -> Option<&'static str> {
        self.file_option()
            .or_else(|| self.is_json_on_stdout().then_some("--json"))
            .or_else(|| self.summary.then_some("--summary"))
    }

    /// The first option for a file.
    fn file_option(&self) -> Option<&'static str> {
        let is_json = self.json.is_some() && !self.is_json_on_stdout();
        let options = [
            ("--html", self.html.is_some()),
            ("--svg", self.svg.is_some()),
            ("--kif", self.kif.is_some()),
            ("--csa", self.csa.is_some()),
            ("--json", is_json),
        ];
        let found = options.into_iter().find(|&(_, is_given)| is_given);
        found.map(|(option, _)| option)
    }

    /// Whether standard output holds the JSON.
    fn is_json_on_stdout(&self) -> bool {
        self.json
            .as_ref()
            .is_some_and(|path| path.as_os_str() == "-")
    }
}

/// The players' names, or their sides where the record has none.
fn names(record: &GameRecord, lang: Lang) -> [String; Color::NUM] {
    let sides = lang.sides(&record.start);
    Color::ALL.map(|color| match &*record.players[color.index()] {
        "" => sides[color.index()].to_owned(),
        name => name.to_owned(),
    })
}
