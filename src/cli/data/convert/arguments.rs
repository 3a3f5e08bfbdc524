//! The arguments of `raicho convert`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::data::Input;
use crate::cli::named::{Named, outputs};
use crate::cli::share::parse_share;
use crate::cli::work::WorkArguments;

/// Example: `raicho convert game.csa --out game.kif`
#[derive(Args)]
#[command(before_help = "Example: raicho convert game.csa --out game.kif\n\
                   Example: raicho convert records/ --out as-ki2/ --to ki2\n\
                   Example: raicho convert - --out - --to kifu\n\
                   Example: raicho convert games.pack --out positions.psv --held-out test.pack")]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    pub(super) input: Input,

    /// File to write; the extension determines the format. For games as text, a folder makes a file
    /// of each file that is read, and `-` with --to writes to standard output
    #[arg(long, value_name = "OUT")]
    pub(super) out: PathBuf,

    /// Format of the output, regardless of its name, and the files in a folder: kif and ki2 are in
    /// Shift JIS, kifu and ki2u in UTF-8
    #[arg(long, value_name = "FORMAT", value_parser = Named::<String>::new(outputs()))]
    pub(super) to: Option<String>,

    /// Overwrite existing output files
    #[arg(long)]
    pub(super) force: bool,

    /// Write only positions with a king in the promotion zone
    #[arg(long)]
    pub(super) entered_kings: bool,

    /// File for games that are held out from training; the extension determines the format
    #[arg(long, value_name = "FILE")]
    pub(super) held_out: Option<PathBuf>,

    /// Share of the games that are held out
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.01,
        value_parser = parse_share,
        requires = "held_out"
    )]
    pub(super) held_out_share: f64,

    /// Seed of the choice of these games
    #[arg(long, default_value_t = 1, requires = "held_out")]
    pub(super) seed: u64,

    #[command(flatten)]
    pub(super) work: WorkArguments,
}

impl Arguments {
    pub(super) fn is_to_stdout(&self) -> bool {
        self.out.as_os_str() == "-"
    }

    /// The option, if one is given, that only teacher data has.
    pub(super) fn for_teacher_data(&self) -> Option<&'static str> {
        let given = [
            (self.entered_kings, "--entered-kings"),
            (self.held_out.is_some(), "--held-out"),
            (self.work.is_kept(), "--work"),
            (!self.work.shard().is_whole(), "--shard"),
        ];
        given
            .into_iter()
            .find_map(|(is_given, name)| is_given.then_some(name))
    }
}
