//! The openings of a match: their arguments, and `raicho match openings`, which writes a set of
//! them.

use std::fmt;
use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;

use crate::cli::arguments::one_of;
use crate::cli::error::flat_error;
use crate::cli::progress::Meter;
use crate::cli::{output, result_file};
use crate::openings::{OpeningSettings, Order, Plies, Source, write_set};
use crate::util::parse_positive;

/// Default of `--max-imbalance` for random openings, in centipawns.
const MAX_IMBALANCE: u32 = 120;

/// The openings of the games.
#[derive(Args)]
pub(in crate::cli) struct OpeningArguments {
    /// File of openings: lines of SFEN or `startpos moves …`, or a book of `YaneuraOu` (.db)
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["random_plies", "from_startpos"],
        help_heading = "Openings"
    )]
    openings: Option<PathBuf>,

    /// Random openings: number of random moves from the start position, both ends included
    #[arg(
        long,
        value_name = "FROM..TO",
        default_value = "8..12",
        help_heading = "Openings"
    )]
    random_plies: Plies,

    /// Begin at the start position: two games per pairing, as no opening is played twice
    #[arg(long, conflicts_with_all = ["random_plies", "max_imbalance"], help_heading = "Openings")]
    from_startpos: bool,

    /// Skip openings in which our own search sees a larger advantage for either side, in centipawns
    /// [default: 120 for random openings]
    #[arg(long, value_name = "CENTIPAWNS", help_heading = "Openings")]
    max_imbalance: Option<u32>,

    /// Order in which the openings of a file are used
    #[arg(
        long,
        default_value = "random",
        value_parser = one_of(&[("random", Order::Random), ("sequential", Order::Sequential)]),
        help_heading = "Openings"
    )]
    order: Order,

    /// Seed of the random openings and the random order
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Openings")]
    seed: u64,
}

impl OpeningArguments {
    /// The files that are read.
    pub(in crate::cli) fn files(&self) -> &[PathBuf] {
        self.openings.as_slice()
    }

    pub(in crate::cli) fn settings(&self) -> OpeningSettings {
        let plies = self.random_plies;
        let (source, max_imbalance) = match (&self.openings, self.from_startpos) {
            (Some(path), _) => (Source::File(path.clone()), self.max_imbalance),
            (None, true) => (Source::Startpos, None),
            (None, false) => (
                Source::Random { plies },
                Some(self.max_imbalance.unwrap_or(MAX_IMBALANCE)),
            ),
        };
        OpeningSettings {
            source,
            order: self.order,
            max_imbalance,
            seed: self.seed,
        }
    }
}

/// The options on a command line, defaults included.
impl fmt::Display for OpeningArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = self.settings();
        match &settings.source {
            Source::Startpos => f.write_str("--from-startpos")?,
            Source::File(path) => {
                write!(f, "--openings {}", path.display())?;
                if settings.order == Order::Sequential {
                    f.write_str(" --order sequential")?;
                }
            }
            Source::Random { plies } => write!(f, "--random-plies {plies}")?,
        }
        if let Some(most) = settings.max_imbalance {
            write!(f, " --max-imbalance {most}")?;
        }
        write!(f, " --seed {}", settings.seed)
    }
}

/// Example: `raicho match openings --random-plies 8..12 --max-imbalance 100 --count 500 --out
/// openings.sfen`
#[derive(Args)]
#[command(
    before_help = "Example: raicho match openings --random-plies 8..12 --max-imbalance 100 \
        --count 500 --out openings.sfen"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    openings: OpeningArguments,

    /// Number of openings
    #[arg(long, value_name = "N", value_parser = parse_positive::<u32>)]
    count: u32,

    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Overwrite an existing file
    #[arg(long, requires = "out")]
    force: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if let Some(path) = &arguments.out {
        let read = arguments.openings.files().iter().map(PathBuf::as_path);
        result_file::check(path, read)?;
        result_file::check_free(path, arguments.force)?;
    }
    let settings = arguments.openings.settings();
    let count = arguments.count as usize;
    let command = format!(
        "raicho match openings {} --count {count}",
        arguments.openings
    );
    let meter = Meter::new("openings", Some(arguments.count.into()), 0);
    let mut set = Vec::new();
    let result = write_set(&settings, count, &command, &mut set, |done| {
        meter.advance(done as u64, format!("of {count}"));
    });
    meter.finish();
    if let Some(warning) = result.map_err(flat_error)? {
        output::eprint_line(format_args!("note: {warning}"));
    }
    match &arguments.out {
        Some(path) => result_file::save(path, &set),
        None => Ok(output::stdout().write_all(&set)?),
    }
}
