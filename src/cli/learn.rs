//! `raicho learn`: trains a network from teacher data.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use clap::{Args, ValueEnum};

use super::arena::Meter;
use crate::train::learn::{
    Data, Filter, Learner, Schedule, Settings, Shape, Source, Tactical, Watch, fit_scale,
};

/// Files in the folder of a run.
const CHECKPOINT_FILE: &str = "checkpoint.bin";
const CSV_FILE: &str = "loss.csv";
const SVG_FILE: &str = "loss.svg";
const NETWORK_FILE: &str = "net.nnue";

/// Points of the loss curve, and checkpoints, in a run.
const POINTS: u64 = 100;
/// Parts of files that cannot be used and are shown; the others are counted.
const FAULTS_SHOWN: usize = 10;
/// The scale where none is given or fitted.
const DEFAULT_SCALE: u16 = 400;

/// Example: `raicho learn games/*.pack --width 256 --epochs 30 --fit-scale --out run1`
#[derive(Args)]
#[command(
    before_help = "Example: raicho learn games/*.pack --width 256 --epochs 30 --fit-scale --out run1",
    after_help = "The folder gets checkpoint.bin, loss.csv, loss.svg and at the end net.nnue, which EvalFile and \
                  --eval take. Ctrl-C ends after the running step; --resume with the same data goes on."
)]
pub(super) struct Arguments {
    /// Files to learn from: .pack
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Folder for all that is written
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,

    /// Go on with the run in the folder of --out; its settings need not be repeated, the data must be the same
    #[arg(long)]
    resume: bool,

    /// Begin with the weights of this checkpoint instead of made-up ones
    #[arg(long, value_name = "CHECKPOINT", conflicts_with = "resume")]
    begin_with: Option<PathBuf>,

    /// Threads [default: all]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Decides the first weights, the order of the positions and the games that are held out
    #[arg(long, default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    data: DataArguments,

    #[command(flatten)]
    course: CourseArguments,
}

/// Which positions are used.
#[derive(Args)]
#[command(next_help_heading = "Data")]
struct DataArguments {
    /// Part of the games that is held out, to measure by
    #[arg(long, value_name = "PART", default_value_t = 0.01)]
    held_out: f64,

    /// File that is held out as a whole; may be given many times
    #[arg(long, value_name = "FILE")]
    held_out_file: Vec<PathBuf>,

    /// Leave out positions with a score beyond, in units in which a pawn is 90
    #[arg(long, value_name = "SCORE", default_value_t = Filter::default().score_limit)]
    eval_limit: u16,

    /// Leave out positions before this ply; the start position has ply 1
    #[arg(long, value_name = "PLY", default_value_t = Filter::default().min_ply)]
    min_ply: u32,

    /// Leave out positions behind this ply
    #[arg(long, value_name = "PLY", default_value_t = Filter::default().max_ply, hide_default_value = true)]
    max_ply: u32,

    /// What becomes of positions in which a capture or a promotion was played
    #[arg(long, value_enum, default_value_t = TacticalChoice::Drop)]
    tactical: TacticalChoice,
}

#[derive(Clone, Copy, ValueEnum)]
enum TacticalChoice {
    /// They are left out
    Drop,
    /// They are learnt from like others
    Keep,
}

/// What is made of them.
#[derive(Args)]
#[command(next_help_heading = "Course")]
struct CourseArguments {
    /// Sums of each side, a multiple of 64
    #[arg(long, value_name = "COLUMNS", default_value_t = Settings::default().width)]
    width: usize,

    /// How often every position is visited
    #[arg(long, value_name = "N", default_value_t = 20.0)]
    epochs: f64,

    /// Positions of a step
    #[arg(long, value_name = "POSITIONS", default_value_t = Settings::default().batch)]
    batch: usize,

    /// The learning rate at the beginning
    #[arg(long, default_value_t = Settings::default().rate.first)]
    rate: f64,

    /// The learning rate at the end
    #[arg(long, value_name = "RATE", default_value_t = Settings::default().rate.last)]
    last_rate: f64,

    /// How the learning rate goes from one to the other
    #[arg(long, value_enum, default_value_t = ShapeChoice::Cosine)]
    schedule: ShapeChoice,

    /// How much of the target is the result of the game, 0 to 1; the rest is the score. FIRST:LAST changes by equal steps
    #[arg(long, value_name = "PART|FIRST:LAST", default_value = "0.1:0.4", value_parser = result_weight)]
    wdl: Schedule,

    /// Weight decay
    #[arg(long, default_value_t = Settings::default().decay)]
    decay: f64,

    /// The loss is this power of the distance to the target
    #[arg(long, default_value_t = Settings::default().power)]
    power: f64,

    /// Scores, in units in which a pawn is 90, are divided by this before they become winning chances [default: 400]
    #[arg(long, conflicts_with = "fit_scale")]
    scale: Option<u16>,

    /// Take the scale with which the scores predict the results best
    #[arg(long)]
    fit_scale: bool,

    /// What the network's file says of itself, behind the data of the run
    #[arg(long, default_value = "")]
    text: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum ShapeChoice {
    /// By equal steps
    Linear,
    /// Half a wave: slow at both ends
    Cosine,
}

fn result_weight(text: &str) -> Result<Schedule, String> {
    let number = |text: &str| {
        text.parse::<f64>()
            .map_err(|error| format!("{text:?}: {error}"))
    };
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    Ok(Schedule::linear(number(first)?, number(last)?))
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let checkpoint = arguments.out.join(CHECKPOINT_FILE);
    let shown = checkpoint.display();
    if arguments.resume {
        ensure!(checkpoint.is_file(), "{shown} is not there, nothing to resume");
    } else {
        ensure!(!checkpoint.exists(), "{shown} is there already, expected --resume or another --out");
    }
    let threads = arguments.threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let stop = stop_on_ctrl_c()?;
    let data = pool.install(|| load(arguments, &stop))?;
    let mut learner = if arguments.resume {
        Learner::resume(&checkpoint, &data).with_context(|| shown.to_string())?
    } else {
        begin(arguments, &data)?
    };
    fs::create_dir_all(&arguments.out).with_context(|| arguments.out.display().to_string())?;
    pool.install(|| learn(&mut learner, &arguments.out, &stop))?;
    if !learner.is_finished() {
        // Not a success: a script must not take a part of a run for the whole.
        bail!("interrupted after {} steps, and --resume goes on", learner.steps());
    }
    export(&learner, &arguments.out, &arguments.course.text, &data)
}

/// Ends the work at the next good moment.
fn stop_on_ctrl_c() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        eprintln!("\nending after the running step");
        seen.store(true, Ordering::Relaxed);
    })
    .context("Ctrl-C cannot be watched")?;
    Ok(stop)
}

fn load(arguments: &Arguments, stop: &AtomicBool) -> anyhow::Result<Data> {
    let choice = &arguments.data;
    let source = Source {
        files: arguments.files.clone(),
        held_out_files: choice.held_out_file.clone(),
        filter: Filter {
            tactical: match choice.tactical {
                TacticalChoice::Drop => Tactical::Drop,
                TacticalChoice::Keep => Tactical::Keep,
            },
            score_limit: choice.eval_limit,
            min_ply: choice.min_ply,
            max_ply: choice.max_ply,
        },
        held_out: choice.held_out,
        seed: arguments.seed,
    };
    ensure!(
        (0.0..1.0).contains(&choice.held_out),
        "--held-out {}, expected 0 to 1",
        choice.held_out
    );
    let files = source.files.iter().chain(&source.held_out_files);
    let length = files.filter_map(|file| Some(file.metadata().ok()?.len()));
    let meter = Meter::new("bytes", Some(length.sum()), 0);
    let read = AtomicU64::new(0);
    let watch = Watch {
        stop,
        on_bytes: &|bytes| {
            let all = read.fetch_add(bytes, Ordering::Relaxed) + bytes;
            meter.advance(all, "read".to_owned());
        },
    };
    let data = Data::load(&source, &watch);
    meter.finish();
    let data = data?;
    report_data(&data)?;
    Ok(data)
}

fn report_data(data: &Data) -> anyhow::Result<()> {
    for fault in data.faults.iter().take(FAULTS_SHOWN) {
        eprintln!("{fault}");
    }
    if data.faults.len() > FAULTS_SHOWN {
        eprintln!("{} more faults", data.faults.len() - FAULTS_SHOWN);
    }
    let mut out = std::io::stdout().lock();
    let counts = &data.counts;
    writeln!(out, "{} games, {} positions", counts.games, counts.positions)?;
    for (count, reason) in counts.left_out().filter(|(count, _)| *count > 0) {
        writeln!(out, "left out: {count}, {reason}")?;
    }
    let (training, held_out) = (data.training.len(), data.held_out.len());
    writeln!(out, "learnt from: {training}, held out: {held_out}")?;
    Ok(())
}

/// A new run.
fn begin<'a>(arguments: &Arguments, data: &'a Data) -> anyhow::Result<Learner<'a>> {
    let course = &arguments.course;
    let fitted = || fit_scale(data.training.iter());
    let scale = match course.scale {
        Some(scale) => scale,
        None if course.fit_scale => {
            let scale = fitted().context("scores do not predict results, so no scale fits")?;
            scale.round() as u16
        }
        None => DEFAULT_SCALE,
    };
    let steps = data.training.len() as f64 * course.epochs / course.batch as f64;
    let steps = (steps.ceil() as u64).max(1);
    let settings = Settings {
        width: course.width,
        batch: course.batch,
        steps,
        interval: steps.div_ceil(POINTS),
        rate: Schedule {
            first: course.rate,
            last: course.last_rate,
            shape: match course.schedule {
                ShapeChoice::Linear => Shape::Linear,
                ShapeChoice::Cosine => Shape::Cosine,
            },
        },
        result_weight: course.wdl,
        decay: course.decay,
        power: course.power,
        scale,
        seed: arguments.seed,
    };
    let mut out = std::io::stdout().lock();
    match fitted() {
        Some(fitted) => writeln!(out, "scale {scale}; results are predicted best with {fitted:.1}")?,
        None => writeln!(out, "scale {scale}; results are not predicted by scores")?,
    }
    let mut learner = Learner::new(settings, data)?;
    if let Some(path) = &arguments.begin_with {
        let context = || path.display().to_string();
        learner.begin_with(path).with_context(context)?;
    }
    Ok(learner)
}

/// All steps, with a checkpoint now and then.
fn learn(learner: &mut Learner<'_>, folder: &Path, stop: &AtomicBool) -> anyhow::Result<()> {
    let settings = learner.settings().clone();
    let meter = Meter::new("steps", Some(settings.steps), learner.steps());
    let (begun, first) = (Instant::now(), learner.steps());
    let mut words = String::new();
    while !learner.is_finished() && !stop.load(Ordering::Relaxed) {
        let points = learner.points().len();
        learner.advance(stop, |steps| {
            let visits = (steps - first) * settings.batch as u64;
            let speed = visits as f64 / begun.elapsed().as_secs_f64();
            meter.advance(steps, format!("{speed:.0} positions/s{words}"));
        });
        if let Some(point) = learner.points().last().filter(|_| learner.points().len() > points) {
            words = format!(", loss {:.6}", point.training);
            if let Some(held_out) = point.held_out {
                words += &format!(", held out {held_out:.6}");
            }
        }
        write(learner, folder)?;
    }
    meter.finish();
    let seconds = begun.elapsed().as_secs_f64();
    let visits = (learner.steps() - first) * settings.batch as u64;
    eprintln!("{visits} positions in {seconds:.0} s, {:.0} positions/s", visits as f64 / seconds);
    Ok(())
}

fn write(learner: &Learner<'_>, folder: &Path) -> anyhow::Result<()> {
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| path.display().to_string())
    };
    let path = folder.join(CHECKPOINT_FILE);
    learner.save(&path).with_context(|| path.display().to_string())?;
    let (csv, svg) = learner.curve();
    put(CSV_FILE, &csv)?;
    svg.map_or(Ok(()), |svg| put(SVG_FILE, &svg))
}

/// The network of a finished run.
fn export(learner: &Learner<'_>, folder: &Path, text: &str, data: &Data) -> anyhow::Result<()> {
    let settings = learner.settings();
    let positions = data.training.len();
    let visits = settings.steps * settings.batch as u64;
    let mut line = format!("Raicho: {positions} positions, {visits} visits, seed {}", settings.seed);
    if !text.is_empty() {
        line = format!("{line}; {text}");
    }
    let quantised = learner.quantised(&line);
    let path = folder.join(NETWORK_FILE);
    let bytes = quantised.network.to_bytes().context("a network of another format")?;
    fs::write(&path, bytes).with_context(|| path.display().to_string())?;
    let errors = quantised.errors;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "rounding: mean error {:.2}, largest {:.2}, over {} positions of mean value {:.0} (a pawn is 90)",
        errors.mean, errors.most, errors.positions, errors.mean_value
    )?;
    if let Some(point) = learner.points().last() {
        let held_out = point.held_out.map(|loss| format!(", held out {loss:.6}"));
        writeln!(out, "loss {:.6}{}", point.training, held_out.unwrap_or_default())?;
    }
    writeln!(out, "{}", path.display())?;
    Ok(())
}
