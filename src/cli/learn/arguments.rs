//! The command line of `raicho learn`, and its conversion to settings, sources and initial weights.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::cli::arguments::Indivisible;
use crate::cli::error::{ensure_usage, usage_error};
use crate::eval::nnue::FeatureSet;
use crate::eval::nnue::shape::Shape as NetShape;
use crate::train::data::Sources;
use crate::train::learn::kppt::{Factors, KingConstants, Options};
use crate::train::learn::{
    DEFAULT_SCALE, DEFAULT_WINDOW, FileGroup, Filter, InitialWeights, Schedule, Settings, Shape,
    Source, Tactical, TreeWeight,
};

/// Number of points of the loss curve, and of checkpoints, in a run.
const POINTS: u64 = 100;

/// The same with `--kind kppt`, whose checkpoints are some hundred megabytes.
const KPPT_POINTS: u64 = 20;

/// Default of `--batch` with `--kind kppt`. Smaller than for networks, because each position moves
/// few of the weights.
const KPPT_BATCH: usize = 4096;

/// Maximum of `--epochs`.
const MOST_EPOCHS: f64 = 1e6;

/// Example: `raicho learn games/*.pack --width 256 --epochs 30 --fit-scale --out run1`
#[derive(Args)]
#[command(
    before_help = "Example: raicho learn games/*.pack --width 256 --epochs 30 --fit-scale \
        --out run1",
    after_help = "The folder gets checkpoint.bin, options.json, loss.csv, loss.svg and at the \
        end net.nnue, which EvalFile and --eval accept; with --kind kppt the files of a \
        three-piece evaluation, so that EvalDir and --eval accept the folder. Ctrl-C ends the run \
        after the current step; --resume with the same data continues it."
)]
pub(in crate::cli) struct Arguments {
    /// Files of training data: .pack, .psv, .hcpe, .hcpe3, .psum or .tree; folders stand for all
    /// such files in them
    #[arg(required_unless_present_any = ["resume", "mix"], value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Folder for all files of the run
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: PathBuf,

    /// Resume the run in the folder of --out; nothing else needs to be repeated, and what is must
    /// be the same. The files may have moved, but their names and content must be the same. With
    /// files given, begin the run if the folder has no checkpoint yet
    #[arg(long)]
    pub(super) resume: bool,

    /// Begin with the weights of a checkpoint or network of the same width instead of random ones;
    /// where its layers are others, with those of its feature transformer
    #[arg(long, value_name = "FILE")]
    pub(super) begin_with: Option<PathBuf>,

    /// What is trained
    #[arg(long, value_enum, default_value_t)]
    pub(super) kind: Kind,

    /// Number of threads [default: all]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,

    /// Seed of the initial weights, the order of the positions and the held-out games
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,

    #[command(flatten)]
    data: DataArguments,

    #[command(flatten)]
    pub(super) course: CourseArguments,

    #[command(flatten)]
    pub(super) pieces: ThreePieceArguments,

    #[command(flatten)]
    pub(super) indivisible: Indivisible,
}

/// What is trained.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Kind {
    /// A network of the engine's own shape
    #[default]
    Net,
    /// A three-piece evaluation (KPPT), as Apery and `YaneuraOu` read it
    Kppt,
}

/// The training data.
#[derive(Args)]
#[command(next_help_heading = "Data")]
struct DataArguments {
    /// Share of the games that is held out for validation; ignored for files of positions without
    /// games
    #[arg(long, value_name = "PART", default_value_t = 0.01)]
    held_out: f64,

    /// Files with a share of all visits, instead of FILE; repeated for each source: `--mix 3=deep/
    /// --mix 1=bulk.psv` takes three of four positions from the files in the folder deep
    #[arg(
        long,
        value_name = "PARTS=FILE",
        value_parser = parse_mix,
        conflicts_with = "files"
    )]
    mix: Vec<(u32, PathBuf)>,

    /// Positions in memory among which the order of visits is random, 48 bytes each; two such
    /// buffers are in memory if there are more positions, which are then read during the run
    #[arg(
        long,
        value_name = "POSITIONS",
        default_value_t = DEFAULT_WINDOW,
        value_parser = parse_buffer
    )]
    buffer: usize,

    /// File that is held out as a whole; may be repeated
    #[arg(long, value_name = "FILE")]
    held_out_file: Vec<PathBuf>,

    /// Maximum score of a position, in units in which a pawn is 90
    #[arg(long, value_name = "SCORE", default_value_t = Filter::default().score_limit)]
    eval_limit: u16,

    /// Minimum ply of a position; the start position has ply 1
    #[arg(long, value_name = "PLY", default_value_t = Filter::default().min_ply)]
    min_ply: u32,

    /// Maximum ply of a position
    #[arg(
        long,
        value_name = "PLY",
        default_value_t = Filter::default().max_ply,
        hide_default_value = true
    )]
    max_ply: u32,

    /// Treatment of positions in which a capture or a promotion was played
    #[arg(long, value_enum, default_value_t = TacticalChoice::Drop)]
    tactical: TacticalChoice,

    /// TD(λ), at least 0 and below 1: how much of each score comes from the following plies of the
    /// game; ignored for files of positions without games
    #[arg(long, value_name = "PART", default_value_t = 0.0)]
    lambda: f32,
}

#[derive(Clone, Copy, ValueEnum)]
enum TacticalChoice {
    /// Leave them out
    Drop,
    /// Use them like all others
    Keep,
    /// Use the position at the end of the best captures instead
    Leaf,
}

/// The course of the training.
#[derive(Args)]
#[command(next_help_heading = "Course")]
pub(super) struct CourseArguments {
    /// Width of the accumulator of each side of a network, a multiple of 64 [default: 256]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,

    /// Shape of the network: `raicho_256x2-8` (8 outputs), `raicho_256x2-32-32` (two hidden layers)
    /// or `SFNN_raicho_512_15_32` (two hidden layers over pairwise products), with other numbers;
    /// `raicho4` instead of `raicho` has four zones of the own king
    /// [default: raicho_256x2-8]
    #[arg(long, value_name = "NAME", conflicts_with = "width")]
    shape: Option<NetShape>,

    /// Number of passes over all positions
    #[arg(long, value_name = "N", default_value_t = 20.0)]
    epochs: f64,

    /// Number of visits to positions, instead of --epochs
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "epochs",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    visits: Option<u64>,

    /// Positions per step [default: 16384, with --kind kppt 4096]
    #[arg(long, value_name = "POSITIONS")]
    batch: Option<usize>,

    /// Initial learning rate
    #[arg(long, default_value_t = Settings::default().rate.first)]
    rate: f64,

    /// Final learning rate
    #[arg(long, value_name = "RATE", default_value_t = Settings::default().rate.last)]
    last_rate: f64,

    /// Course of the learning rate from the initial to the final value
    #[arg(long, value_enum, default_value_t = ShapeChoice::Cosine)]
    schedule: ShapeChoice,

    /// Weight of the game result in the target, 0 to 1; the rest is the score. FIRST:LAST changes
    /// linearly
    #[arg(
        long,
        value_name = "PART|FIRST:LAST",
        default_value = "0.1:0.4",
        value_parser = result_weight
    )]
    wdl: Schedule,

    /// Weight of a position of a search tree in the loss; that of the position of a game is 1
    #[arg(long, value_name = "WEIGHT", default_value_t = TreeWeight::default().weight)]
    tree_weight: f64,

    /// Depth from which positions of search trees have that weight; below it, it is proportional to
    /// the depth
    #[arg(
        long,
        value_name = "PLIES",
        default_value_t = TreeWeight::default().full_depth,
        value_parser = clap::value_parser!(u8).range(1..=127)
    )]
    tree_full_depth: u8,

    /// Weight decay of a network: each step subtracts this times the learning rate from each
    /// weight [default: 0.01]
    #[arg(long)]
    decay: Option<f64>,

    /// Exponent of the loss: the power of the distance to the target
    #[arg(long, default_value_t = Settings::default().power)]
    power: f64,

    /// Scale of the scores, in units in which a pawn is 90: they are divided by it before they
    /// become winning probabilities [default: 800]
    #[arg(long, conflicts_with = "fit_scale")]
    pub(super) scale: Option<u16>,

    /// Use the scale with which the scores predict the results best
    #[arg(long)]
    pub(super) fit_scale: bool,

    /// Text that is added to the description in the network file
    #[arg(long, default_value = "")]
    pub(super) text: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum ShapeChoice {
    /// Linear
    Linear,
    /// Half a cosine wave: slow at both ends
    Cosine,
}

/// The options of `--kind kppt`.
#[derive(Args)]
#[command(next_help_heading = "Three-piece evaluation (--kind kppt)")]
pub(super) struct ThreePieceArguments {
    /// Factors of which each weight is the sum, separated by commas: kpp, relative-kpp, rank-pp,
    /// pp, relative-pp (two pieces); kkp, kp, relative-kp (one piece); kk [default: all]
    #[arg(long, value_name = "LIST")]
    factors: Option<Factors>,

    /// Values of kings by their squares [default: learnt]
    #[arg(long, value_enum)]
    king_constants: Option<KingsChoice>,

    /// Write KK as 0 and spread it over KKP, a 38th to each piece
    #[arg(long)]
    spread_kings: bool,

    /// Bits of the numbers of KK and KKP in the files; Apery has had 16 since April 2017, which
    /// `YaneuraOu` does not read [default: 32]
    #[arg(long, value_parser = ["16", "32"])]
    king_bits: Option<String>,

    /// Write KPP without the turn part (`KPP_KKPT`): half the size
    #[arg(long)]
    kpp_kkpt: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum KingsChoice {
    /// There are none
    Zero,
    /// They are learnt
    Learnt,
    /// Apery's table of 2015, set by hand; all else is learnt around it
    Apery,
}

/// What the files of a finished run are like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct FileOptions {
    /// KK is written as 0 and spread over KKP.
    pub(super) spread_kings: bool,
    /// The numbers of KK and KKP have 16 bits.
    pub(super) narrow_kings: bool,
    /// KPP has no turn part.
    pub(super) kpp_kkpt: bool,
}

/// The smallest buffer: some batches, so that each batch comes from many places.
const LEAST_BUFFER: usize = 100_000;

fn parse_buffer(text: &str) -> Result<usize, String> {
    let positions: usize = text.parse().map_err(|error| format!("{error}"))?;
    if positions < LEAST_BUFFER {
        return Err(format!("expected at least {LEAST_BUFFER}"));
    }
    Ok(positions)
}

fn parse_mix(text: &str) -> Result<(u32, PathBuf), String> {
    let expected =
        || "expected PARTS=FILE with a whole number of parts, such as 3=games/".to_owned();
    let (parts, path) = text.split_once('=').ok_or_else(expected)?;
    let parts = parts.parse().ok().filter(|&parts| parts > 0);
    let path = Some(path).filter(|path| !path.is_empty());
    Ok((
        parts.ok_or_else(expected)?,
        path.ok_or_else(expected)?.into(),
    ))
}

fn result_weight(text: &str) -> Result<Schedule, String> {
    let number = |text: &str| {
        text.parse::<f64>()
            .map_err(|error| format!("{text:?}: {error}"))
    };
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    Ok(Schedule::linear(number(first)?, number(last)?))
}

impl CourseArguments {
    /// Whether positions of search trees count at all.
    pub(super) fn has_tree_weight(&self) -> bool {
        self.tree_weight > 0.0
    }
}

impl Arguments {
    /// The training data of a new run.
    pub(super) fn source(&self) -> anyhow::Result<Source> {
        let source = Source {
            groups: self.groups()?,
            held_out_files: listed(&self.data.held_out_file)?,
            ..self.choice()?
        };
        check_apart(source.files(), &source.held_out_files)?;
        Ok(source)
    }

    /// Whether there are files to begin a run with.
    pub(super) fn has_files(&self) -> bool {
        !self.files.is_empty() || !self.data.mix.is_empty()
    }

    fn groups(&self) -> anyhow::Result<Vec<FileGroup>> {
        if self.data.mix.is_empty() {
            let files = listed(&self.files)?;
            return Ok(vec![FileGroup { files, parts: 1 }]);
        }
        let group = |(parts, path): &(u32, PathBuf)| {
            let files = listed(std::slice::from_ref(path))?;
            let parts = *parts;
            Ok(FileGroup { files, parts })
        };
        self.data.mix.iter().map(group).collect()
    }

    /// What is taken of the training data, without the files.
    pub(super) fn choice(&self) -> anyhow::Result<Source> {
        let choice = &self.data;
        let held_out = choice.held_out;
        ensure_usage!(
            (0.0..1.0).contains(&held_out),
            "--held-out {held_out}, expected at least 0 and below 1"
        );
        let lambda = choice.lambda;
        ensure_usage!(
            (0.0..1.0).contains(&lambda),
            "--lambda {lambda}, expected at least 0 and below 1"
        );
        Ok(Source {
            groups: Vec::new(),
            held_out_files: Vec::new(),
            window: choice.buffer,
            filter: Filter {
                tactical: match choice.tactical {
                    TacticalChoice::Drop => Tactical::Drop,
                    TacticalChoice::Keep => Tactical::Keep,
                    TacticalChoice::Leaf => Tactical::Leaf,
                },
                score_limit: choice.eval_limit,
                min_ply: choice.min_ply,
                max_ply: choice.max_ply,
            },
            lambda,
            lambda_scale: self.course.scale.unwrap_or(DEFAULT_SCALE),
            held_out,
            seed: self.seed,
        })
    }

    fn shape(&self) -> NetShape {
        let course = &self.course;
        let direct = |width| NetShape::direct(FeatureSet::Raicho, width);
        let of_width = course.width.map(direct);
        course
            .shape
            .or(of_width)
            .unwrap_or(Settings::default().shape)
    }

    /// Checks the options of a new run, so that wrong ones are refused before any data are read.
    pub(super) fn validate(&self) -> anyhow::Result<()> {
        match self.kind {
            Kind::Net => self.pieces.check_unused()?,
            Kind::Kppt => {
                let course = &self.course;
                ensure_usage!(
                    course.width.is_none() && course.shape.is_none() && course.decay.is_none(),
                    "--width, --shape and --decay are for networks, not for --kind kppt"
                );
                ensure_usage!(
                    self.begin_with.is_none(),
                    "--begin-with is for networks, not for --kind kppt"
                );
            }
        }
        // The number of positions only decides the number of steps.
        let scale = self.course.scale.unwrap_or(DEFAULT_SCALE);
        self.settings(1, scale)?.validate().map_err(usage_error)
    }

    /// The initial weights of a new run, `None` for random ones.
    pub(super) fn initial_weights(&self) -> anyhow::Result<Option<InitialWeights>> {
        let open = |path: &PathBuf| {
            InitialWeights::open(path, self.shape()).with_context(|| path.display().to_string())
        };
        self.begin_with.as_ref().map(open).transpose()
    }

    /// The training data of a resumed run, wherever its files are now.
    pub(super) fn moved(&self, mut source: Source) -> anyhow::Result<Source> {
        if self.has_files() {
            source.groups = self.groups()?;
        }
        if !self.data.held_out_file.is_empty() {
            source.held_out_files = listed(&self.data.held_out_file)?;
        }
        check_apart(source.files(), &source.held_out_files)?;
        Ok(source)
    }

    /// The number of steps for this number of positions.
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 positions")]
    pub(super) fn steps(&self, positions: u64, batch: usize) -> anyhow::Result<u64> {
        if let Some(visits) = self.course.visits {
            return Ok(visits.div_ceil(batch.max(1) as u64));
        }
        let epochs = self.course.epochs;
        ensure_usage!(
            epochs > 0.0 && epochs <= MOST_EPOCHS,
            "--epochs {epochs}, expected more than 0 and at most {MOST_EPOCHS}"
        );
        let steps = positions as f64 * epochs / batch.max(1) as f64;
        Ok((steps.ceil() as u64).max(1))
    }

    /// The settings for this number of positions and this scale.
    pub(super) fn settings(&self, positions: u64, scale: u16) -> anyhow::Result<Settings> {
        let course = &self.course;
        let (batch, points) = match self.kind {
            Kind::Net => (Settings::default().batch, POINTS),
            Kind::Kppt => (KPPT_BATCH, KPPT_POINTS),
        };
        let batch = course.batch.unwrap_or(batch);
        let steps = self.steps(positions, batch)?;
        Ok(Settings {
            shape: self.shape(),
            batch,
            steps,
            interval: steps.div_ceil(points),
            rate: Schedule {
                first: course.rate,
                last: course.last_rate,
                shape: match course.schedule {
                    ShapeChoice::Linear => Shape::Linear,
                    ShapeChoice::Cosine => Shape::Cosine,
                },
            },
            result_weight: course.wdl,
            decay: course.decay.unwrap_or(Settings::default().decay),
            power: course.power,
            scale,
            trees: TreeWeight {
                weight: course.tree_weight,
                full_depth: course.tree_full_depth,
            },
            seed: self.seed,
        })
    }
}

impl ThreePieceArguments {
    /// Checks that no option is given, for another kind of evaluation.
    fn check_unused(&self) -> anyhow::Result<()> {
        let given = [
            (self.factors.is_some(), "--factors"),
            (self.king_constants.is_some(), "--king-constants"),
            (self.spread_kings, "--spread-kings"),
            (self.king_bits.is_some(), "--king-bits"),
            (self.kpp_kkpt, "--kpp-kkpt"),
        ];
        let given = given.into_iter().find(|(is_given, _)| *is_given);
        ensure_usage!(
            given.is_none(),
            "{} needs --kind kppt",
            given.map_or("", |(_, name)| name)
        );
        Ok(())
    }

    /// What is learnt of a three-piece evaluation.
    pub(super) fn options(&self) -> Options {
        Options {
            factors: self.factors.unwrap_or(Factors::ALL),
            kings: match self.king_constants {
                Some(KingsChoice::Zero) => KingConstants::Zero,
                None | Some(KingsChoice::Learnt) => KingConstants::Learnt,
                Some(KingsChoice::Apery) => KingConstants::Apery,
            },
        }
    }

    /// How the files of a three-piece evaluation are written.
    pub(super) fn file_options(&self) -> FileOptions {
        FileOptions {
            spread_kings: self.spread_kings,
            narrow_kings: self.king_bits.as_deref() == Some("16"),
            kpp_kkpt: self.kpp_kkpt,
        }
    }
}

/// Checks that no file is learnt from twice, or both learnt from and held out.
pub(super) fn check_apart<'a>(
    files: impl Iterator<Item = &'a PathBuf>,
    held_out_files: &'a [PathBuf],
) -> anyhow::Result<()> {
    let mut seen = HashSet::new();
    for path in files.chain(held_out_files) {
        // A file that is not there is refused when it is read.
        let place = path.canonicalize().unwrap_or_else(|_| path.clone());
        ensure_usage!(
            seen.insert(place),
            "{} is given twice: expected each file once, to learn from or held out",
            path.display()
        );
    }
    Ok(())
}

/// The files, with folders replaced by the files in them.
pub(super) fn listed(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let sources = Sources::new(paths, None)?;
    let files = sources.files().iter().map(|file| (file, &file.path));
    // A named file is read or refused; of folders only usable files are taken.
    let files = files.filter(|(file, path)| file.format.has_scores() || paths.contains(path));
    Ok(files.map(|(_, path)| path.clone()).collect())
}
