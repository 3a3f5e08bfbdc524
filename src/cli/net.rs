//! `raicho net`: shows, scales, judges and compares evaluations, and makes up networks for tests.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::{Args, Subcommand};

use super::data::{Input, watched};
use super::{arguments::load_evaluation, output, result_file};
use crate::eval::nnue::shape::{Head, Shape};
use crate::eval::nnue::{Network, explain, material_network, random, scalar};
use crate::train::judge::{self, JudgeSettings};
use crate::util::{AtPath, read_utf8, shorten};
use crate::{cli::error::ensure_usage, eval::nnue::file::in_folder, records::teacher::Format};
use crate::{engine::EvalFile, position::Position};

/// Example: `raicho net random halfkp_256x2-32-32 nn.bin`
#[derive(Args)]
#[command(before_help = "Example: raicho net random halfkp_256x2-32-32 nn.bin")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write a network with small random weights, for tests
    #[command(
        before_help = "Example: raicho net random SFNN_halfka2_256_7_32_k3k3 nn.bin --seed 5"
    )]
    Random {
        /// Shape, as `YaneuraOu` names it
        shape: Shape,
        #[command(flatten)]
        to: NewFile,
        /// Seed of the weights
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..1 << 24))]
        seed: u64,
    },
    /// Write a network that counts material only, to start training from
    #[command(before_help = "Example: raicho net material nets/raicho.nnue")]
    Material {
        #[command(flatten)]
        to: NewFile,
    },
    /// Show shape, text and warnings of a file; evaluate positions with the plain reference code
    #[command(before_help = "Example: raicho net show nn.bin --sfen-file positions.sfen")]
    Show {
        /// Network file, or a folder with `nn.bin`
        file: PathBuf,
        /// File with an SFEN per line; each is printed with its evaluation after a tab
        #[arg(long, value_name = "FILE")]
        sfen_file: Option<PathBuf>,
        /// Explain each evaluation
        #[arg(long, requires = "sfen_file")]
        explain: bool,
    },
    /// Multiply the evaluation of a network of Raicho's own format
    #[command(before_help = "Example: raicho net scale run1/net.nnue 2 nets/raicho.nnue")]
    Scale {
        /// Network file to read
        from: PathBuf,
        /// Factor, 0.01 to 100
        #[arg(value_parser = parse_factor)]
        factor: f64,
        #[command(flatten)]
        to: NewFile,
    },
    /// Measure how well an evaluation predicts scores and results of teacher data
    #[command(before_help = "Example: raicho net loss run1/net.nnue held-out.pack")]
    Loss(LossArguments),
    /// Compare the static values of two evaluations on the positions of teacher data
    #[command(before_help = "Example: raicho net difference run1/net.nnue teacher/ new-games.pack")]
    Difference(DifferenceArguments),
}

#[derive(Args)]
struct NewFile {
    /// File to write
    file: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

#[derive(Args)]
struct DifferenceArguments {
    /// First evaluation: `<embedded>`, `<material>`, or a network file or its folder
    first: String,

    /// Second evaluation, such as the teacher of the first
    second: String,

    #[command(flatten)]
    input: Input,
}

#[derive(Args)]
struct LossArguments {
    /// Evaluation: `<embedded>`, `<material>`, or a network file or its folder
    eval: String,

    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    settings: JudgeSettings,
}

/// Most weights of a compressed section: its size in bytes has 32 bits, and a weight takes up to
/// two.
const MAX_COMPRESSED: usize = 1 << 31;

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.command {
        Command::Random { shape, to, seed } => {
            result_file::check_new(&to.file, to.force)?;
            write(shape, &to.file, *seed)
        }
        Command::Material { to } => {
            result_file::check_new(&to.file, to.force)?;
            result_file::save_network(&to.file, &material_network())
        }
        Command::Scale { from, factor, to } => scale(from, *factor, to),
        Command::Show { file, sfen_file, explain } => show(file, sfen_file.as_deref(), *explain),
        Command::Loss(arguments) => loss(arguments),
        Command::Difference(arguments) => difference(arguments),
    }
}

fn loss(arguments: &LossArguments) -> Result<()> {
    let (_, evaluator) = load_evaluation(&arguments.eval)?;
    let sources = arguments.input.sources()?;
    // Without scores all would count as 0.
    let mut files = sources.files().iter();
    if let Some(file) = files.find(|file| !file.format.has_scores()) {
        let expected = Format::names(Format::has_scores);
        ensure_usage!(
            arguments.settings.result_weight.total_cmp(&1.0).is_ge(),
            "{}: {} has no scores to judge by, expected {expected}, or --result-weight 1 to judge \
             by the results alone",
            file.path.display(),
            file.format
        );
    }
    let settings = &arguments.settings;
    let found = watched(|watch| judge::loss(&evaluator, &sources, settings, watch))?;
    output::eprint(&found.tally);
    ensure!(
        found.all.positions + found.in_check > 0,
        "no position has a score and a result, nothing to judge"
    );
    Ok(output::print(format_args!("{evaluator}\n{found}"))?)
}

fn difference(arguments: &DifferenceArguments) -> Result<()> {
    let (_, first) = load_evaluation(&arguments.first)?;
    let (_, second) = load_evaluation(&arguments.second)?;
    let sources = arguments.input.sources()?;
    let found = watched(|watch| judge::difference([&first, &second], &sources, watch))?;
    output::eprint(&found.tally);
    Ok(output::print(format_args!("{first}\n{second}\n{found}"))?)
}

fn write(shape: &Shape, path: &Path, seed: u64) -> Result<()> {
    let weights = shape.features.count() * shape.width;
    ensure_usage!(
        weights <= MAX_COMPRESSED,
        "{shape}: {weights} weights, expected at most {MAX_COMPRESSED}"
    );
    result_file::save(path, &random::file(shape, seed))
}

/// Largest factor of `scale`; its inverse is the smallest.
const MAX_FACTOR: f64 = 100.0;

fn parse_factor(text: &str) -> Result<f64, String> {
    let factor: f64 = text.parse().map_err(|error| format!("{error}"))?;
    if (1.0 / MAX_FACTOR..=MAX_FACTOR).contains(&factor) {
        Ok(factor)
    } else {
        Err(format!("expected {} to {MAX_FACTOR}", 1.0 / MAX_FACTOR))
    }
}

/// The network of a file, of a folder with `nn.bin`, or `<embedded>`, with its warnings.
fn open(from: &Path) -> Result<(Network, Vec<String>)> {
    if EvalFile::from(from.to_string_lossy().as_ref()) == EvalFile::Embedded {
        return Ok((Network::embedded(), Vec::new()));
    }
    let (network, warnings) = Network::open(from).at(&in_folder(from))?;
    let warnings = warnings.iter().map(ToString::to_string);
    Ok((network, warnings.collect()))
}

fn scale(from: &Path, factor: f64, to: &NewFile) -> Result<()> {
    result_file::check(&to.file, std::iter::once(from))?;
    result_file::check_free(&to.file, to.force)?;
    let (mut network, _) = open(from)?;
    let before = network.rescale(1.0).at(from)?;
    let scale = network.rescale(factor).at(from)?;
    ensure!(
        scale != before,
        "{}: an output of 1 is worth {before}, which is a whole number and stays the same times \
         {factor}",
        from.display()
    );
    // The factor that was applied, as the value of an output is rounded.
    let applied = format!("{:.4}", f64::from(scale) / f64::from(before));
    let applied = applied.trim_end_matches('0').trim_end_matches('.');
    network.add_to_text(&format!("times {applied}"));
    result_file::save_network(&to.file, &network)?;
    let to = to.file.display();
    output::print_line(format_args!("{to}: an output of 1 is worth {scale}"))?;
    Ok(())
}

fn show(path: &Path, sfen_file: Option<&Path>, is_explained: bool) -> Result<()> {
    let (network, warnings) = open(path)?;
    let mut out = output::stdout();
    let shape = network.shape();
    if shape.head == Head::Direct {
        writeln!(out, "# {shape}")?;
    } else {
        writeln!(out, "# {shape}, FV_SCALE {}", network.scale())?;
    }
    writeln!(out, "# {}", network.text())?;
    for warning in warnings {
        writeln!(out, "# warning: {warning}")?;
    }
    let Some(sfen_file) = sfen_file else {
        return Ok(());
    };
    let mut sparsity = Sparsity::default();
    let positions = read_utf8(sfen_file).at(sfen_file)?;
    for line in positions.lines().filter(|line| !line.starts_with('#')) {
        let sfen = line.split('\t').next().unwrap_or_default();
        let sfen = sfen.trim_start_matches("sfen ");
        let position: Position = Position::from_sfen(sfen).with_context(|| shorten(line))?;
        match scalar::evaluate(&network, &position) {
            Some(value) => writeln!(out, "{sfen}\t{value}")?,
            None => writeln!(out, "{sfen}\tno king")?,
        }
        sparsity.add(scalar::first_activations(&network, &position));
        if is_explained {
            writeln!(out, "{}\n", explain(&network, &position))?;
        }
    }
    if sparsity.activations > 0 {
        writeln!(out, "# {sparsity}")?;
    }
    Ok(())
}

/// Sparsity of the inputs of the first layer after the feature transformer.
#[derive(Default)]
struct Sparsity {
    activations: usize,
    nonzero: usize,
    /// The kernels skip groups of four inputs that are all zero.
    groups: usize,
    groups_nonzero: usize,
}

impl Sparsity {
    fn add(&mut self, activations: Option<Vec<u8>>) {
        let activations = activations.unwrap_or_default();
        let (groups, _) = activations.as_chunks::<4>();
        self.activations += activations.len();
        self.nonzero += activations.iter().filter(|&&one| one != 0).count();
        self.groups += groups.len();
        self.groups_nonzero += groups.iter().filter(|&&group| group != [0; 4]).count();
    }
}

impl std::fmt::Display for Sparsity {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
        write!(
            formatter,
            "inputs of the first layer that are not 0: {:.1} %, groups of four: {:.1} %",
            percent(self.nonzero, self.activations),
            percent(self.groups_nonzero, self.groups)
        )
    }
}
