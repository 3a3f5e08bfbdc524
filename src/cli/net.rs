//! `raicho net`: networks for tests and for those who look into them. Not in the list of commands.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::{Args, Subcommand};

use super::data::{Input, watched};
use super::part::parse_share;
use super::{evaluation, output};
use crate::eval::nnue::shape::{Head, Shape};
use crate::eval::nnue::{Network, explain, of_material, random, scalar};
use crate::position::Position;
use crate::train::judge::{self, JudgeSettings};
use crate::train::learn::DEFAULT_SCALE;
use crate::types::EnteringKingRule;

/// Example: `raicho net random halfkp_256x2-32-32 nn.bin`
#[derive(Args)]
#[command(before_help = "Example: raicho net random halfkp_256x2-32-32 nn.bin")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write a network of small made-up weights
    #[command(
        before_help = "Example: raicho net random SFNN_halfka2_256_7_32_k3k3 nn.bin --seed 5"
    )]
    Random {
        /// Its shape, as `YaneuraOu` names it
        shape: Shape,
        /// The file to write
        file: PathBuf,
        /// Other weights for other numbers
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..1 << 24))]
        seed: u64,
    },
    /// Write the network that knows material only, which the engine carries until there is a trained one
    #[command(before_help = "Example: raicho net material nets/raicho.nnue")]
    Material {
        /// The file to write
        file: PathBuf,
    },
    /// Say which shape a file has and what is odd about it; evaluate positions by the plain specification
    #[command(before_help = "Example: raicho net show nn.bin --sfen-file positions.sfen")]
    Show {
        /// The file, or a folder with `nn.bin`
        file: PathBuf,
        /// File with an SFEN a line; raw evaluations follow each, behind a tab
        #[arg(long, value_name = "FILE")]
        sfen_file: Option<PathBuf>,
        /// Explain each evaluation
        #[arg(long, requires = "sfen_file")]
        explain: bool,
    },
    /// Write a network of our own with larger or smaller values
    #[command(before_help = "Example: raicho net scale run1/net.nnue 2 nets/raicho.nnue")]
    Scale {
        /// The network
        from: PathBuf,
        /// Its values are multiplied by this
        #[arg(value_parser = parse_factor)]
        factor: f64,
        /// The file to write
        to: PathBuf,
    },
    /// Say how well an evaluation predicts scores and results of teacher data, and of entered kings among them
    #[command(before_help = "Example: raicho net loss run1/net.nnue held-out.pack")]
    Loss(LossArguments),
}

#[derive(Args)]
struct LossArguments {
    /// Evaluation: `<embedded>`, `<material>`, or a file of a network or its folder
    eval: String,

    #[command(flatten)]
    input: Input,

    /// What an output of 1 is worth, a pawn is 90: the scale with which the network was trained
    #[arg(long, default_value_t = DEFAULT_SCALE, value_parser = clap::value_parser!(u16).range(1..=4096))]
    scale: u16,

    /// How much of the target is the result of the game; the rest is the score
    #[arg(long, value_name = "SHARE", default_value_t = 0.4, value_parser = parse_share)]
    result_weight: f64,

    /// When a side wins by declaration
    #[arg(long, value_name = "RULE", default_value_t = EnteringKingRule::default())]
    entering_king_rule: EnteringKingRule,
}

/// Weights of a compressed section: a file says its bytes in 32 bits, and some weights take two.
const MAX_COMPRESSED: usize = 1 << 31;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Random { shape, file, seed } => write(shape, file, *seed),
        Command::Material { file } => {
            let bytes = of_material()
                .to_bytes()
                .context("a network of another format")?;
            fs::write(file, bytes).with_context(|| file.display().to_string())
        }
        Command::Scale { from, factor, to } => scale(from, *factor, to),
        Command::Show {
            file,
            sfen_file,
            explain,
        } => show(file, sfen_file.as_deref(), *explain),
        Command::Loss(arguments) => loss(arguments),
    }
}

fn loss(arguments: &LossArguments) -> anyhow::Result<()> {
    let (_, evaluator) = evaluation::load(&arguments.eval)?;
    let sources = arguments.input.sources()?;
    let settings = JudgeSettings {
        scale: arguments.scale.into(),
        result_weight: arguments.result_weight,
        rule: arguments.entering_king_rule,
        bad_records: arguments.input.bad_records(),
    };
    let found = watched(|watch| judge::run(&evaluator, &sources, &settings, watch))?;
    output::eprint(&found.tally);
    output::print(format_args!("{evaluator}\n{found}"))?;
    Ok(())
}

fn write(shape: &Shape, path: &Path, seed: u64) -> anyhow::Result<()> {
    let weights = shape.inputs.count() * shape.width;
    ensure!(
        weights <= MAX_COMPRESSED,
        "{shape}: {weights} weights, expected at most {MAX_COMPRESSED}"
    );
    fs::write(path, random::file(shape, seed)).with_context(|| path.display().to_string())
}

/// Values can be made so many times larger or smaller.
const MAX_FACTOR: f64 = 100.0;

fn parse_factor(text: &str) -> Result<f64, String> {
    let factor: f64 = text.parse().map_err(|error| format!("{error}"))?;
    if (1.0 / MAX_FACTOR..=MAX_FACTOR).contains(&factor) {
        Ok(factor)
    } else {
        Err(format!("expected {} to {MAX_FACTOR}", 1.0 / MAX_FACTOR))
    }
}

fn scale(from: &Path, factor: f64, to: &Path) -> anyhow::Result<()> {
    let (mut network, _) = Network::open(from).with_context(|| from.display().to_string())?;
    let scale = network
        .enlarge(factor)
        .with_context(|| from.display().to_string())?;
    let bytes = network.to_bytes().context("a network of another format")?;
    fs::write(to, bytes).with_context(|| to.display().to_string())?;
    let to = to.display();
    output::print_line(format_args!("{to}: an output of 1 is worth {scale}"))?;
    Ok(())
}

fn show(path: &Path, sfen_file: Option<&Path>, is_explained: bool) -> anyhow::Result<()> {
    let (network, warnings) = Network::open(path).with_context(|| path.display().to_string())?;
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
    let positions =
        fs::read_to_string(sfen_file).with_context(|| sfen_file.display().to_string())?;
    for line in positions.lines().filter(|line| !line.starts_with('#')) {
        let sfen = line.split('\t').next().unwrap_or_default();
        let position: Position = Position::from_sfen(sfen).with_context(|| line.to_owned())?;
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

/// How much the first layer behind the transformer has to do.
#[derive(Default)]
struct Sparsity {
    activations: usize,
    not_zero: usize,
    /// Groups of four are looked at or skipped together.
    groups: usize,
    groups_not_zero: usize,
}

impl Sparsity {
    fn add(&mut self, activations: Option<Vec<u8>>) {
        let activations = activations.unwrap_or_default();
        let (groups, _) = activations.as_chunks::<4>();
        self.activations += activations.len();
        self.not_zero += activations.iter().filter(|&&one| one != 0).count();
        self.groups += groups.len();
        self.groups_not_zero += groups.iter().filter(|&&group| group != [0; 4]).count();
    }
}

impl std::fmt::Display for Sparsity {
    #[expect(clippy::cast_precision_loss, reason = "shown with few digits")]
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
        write!(
            formatter,
            "inputs of the first layer that are not 0: {:.1} %, groups of four: {:.1} %",
            percent(self.not_zero, self.activations),
            percent(self.groups_not_zero, self.groups)
        )
    }
}
