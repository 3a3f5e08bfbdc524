//! `raicho analyze`: positions and whole games for people.

mod games;
mod inputs;
mod outputs;
mod position;
mod table;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::analysis::Effort;
use crate::cli::arguments::parse_time;
use crate::cli::error::bail_usage;
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
}

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

    /// Write the games with comments as KIF; OUT is a file, or a folder for several games
    #[arg(long, value_name = "OUT")]
    kif: Option<PathBuf>,

    /// Write the analysis as JSON; `-` is standard output, where it replaces the table
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,

    /// Print only the summaries
    #[arg(long)]
    summary: bool,
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    match inputs::find(arguments)? {
        Inputs::Positions(source) => {
            if let Some(option) = arguments.output.option() {
                bail_usage!("{option} is for games, and these are positions");
            }
            position::run(arguments, &source, lang)
        }
        Inputs::Games(games, broken) => games::run(arguments, games, &broken, lang),
    }
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
            ("--kif", self.kif.is_some()),
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
