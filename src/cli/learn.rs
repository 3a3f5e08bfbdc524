//! `raicho learn`: trains a network, or a three-piece evaluation, from teacher data.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{collections::HashSet, fmt::Write as _, fs};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::arguments::{BYTES_PER_MEGABYTE, Given};
use super::error::{ensure_usage, usage_error};
use super::progress::{Meter, metered, stop_on_ctrl_c};
use super::{output, result_file};
use crate::runs::{self, FolderLock};
use crate::train::data::Sources;
use crate::train::learn::{Data, FileGroup, InitialWeights, Learner, Model, Run, Settings, Source};
use crate::train::learn::{best_before_rise, fit_scale, kppt};
use crate::util::{AtPath, counted};

/// Files in the folder of a run.
const CHECKPOINT_FILE: &str = "checkpoint.bin";
const CSV_FILE: &str = "loss.csv";
const SVG_FILE: &str = "loss.svg";
const NETWORK_FILE: &str = "net.nnue";

/// Maximum number of bad records that are shown; the others are counted.
const FAULTS_SHOWN: usize = 10;

pub(super) fn run(arguments: &Arguments, given: &Given) -> Result<()> {
    ensure!(
        !arguments.out.is_file(),
        "--out {}: a file, expected a folder",
        arguments.out.display()
    );
    // Before anything is read: what reads a checkpoint works in parallel already.
    rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.map_or(0, usize::from))
        .build_global()?;
    let checkpoint = arguments.out.join(CHECKPOINT_FILE);
    let shown = checkpoint.display();
    // With files, `--resume` begins the run where no checkpoint is yet.
    let goes_on = arguments.resume && (checkpoint.is_file() || !arguments.has_files());
    let (options, initial) = if goes_on {
        ensure!(checkpoint.is_file(), "{shown} is not there, nothing to resume");
        let theirs = Options::read(&arguments.out)?;
        arguments.options.check_given(&theirs, given)?;
        (theirs, None)
    } else {
        ensure!(
            !checkpoint.exists(),
            "{shown} is there already, expected --resume or another --out"
        );
        let options = arguments.new_run(given)?;
        let initial = options.initial_weights()?;
        (options, initial)
    };
    let _lock = FolderLock::take(&arguments.out)?;
    match options.kind {
        Kind::Net => {
            let begin = |learner: &mut Learner<'_>| {
                if let Some(weights) = initial {
                    learner.init_from(weights);
                }
            };
            train(arguments, options, goes_on, begin, export)
        }
        Kind::Kppt => train(arguments, options, goes_on, |_| (), export_kppt),
    }
}

/// Begins a run or goes on with it, and writes the evaluation when it is finished. `begin` changes
/// the weights of a new run.
fn train<M: Model>(
    arguments: &Arguments,
    mut options: Options,
    goes_on: bool,
    begin: impl FnOnce(&mut Run<'_, M>),
    export: impl Fn(&Run<'_, M>, &Path) -> Result<()>,
) -> Result<()> {
    let folder = &arguments.out;
    let checkpoint = folder.join(CHECKPOINT_FILE);
    let source = if goes_on {
        Run::<M>::source(&checkpoint).at(&checkpoint)?
    } else {
        options.source.clone()
    };
    let source = arguments.located(source)?;
    let stop = stop_on_ctrl_c()?;
    let data = metered(&stop, "MB", BYTES_PER_MEGABYTE, |watch| Data::load(&source, watch))?;
    report_data(&data)?;
    let mut learner = if goes_on {
        Run::resume(&checkpoint, &data).at(&checkpoint)?
    } else {
        set_scale(&mut options, &data)?;
        options.set_steps(data.positions())?;
        let mut learner = Run::new(options.settings.clone(), &data)?;
        begin(&mut learner);
        options.write(folder)?;
        learner
    };
    learn(&mut learner, folder, stop.flag())?;
    export(&learner, folder)
}

/// Shows the first invalid records, and the number of the others.
fn report_faults(count: u64, faults: &[String]) {
    for fault in faults.iter().take(FAULTS_SHOWN) {
        output::eprint_line(format_args!("{fault}"));
    }
    let shown = faults.len().min(FAULTS_SHOWN) as u64;
    if count > shown {
        let more = counted(count - shown, "more bad record");
        output::eprint_line(format_args!("left out: {more}"));
    }
}

fn report_data(data: &Data) -> Result<()> {
    report_faults(data.fault_count, &data.faults);
    let mut out = output::stdout();
    let counts = &data.counts;
    writeln!(
        out,
        "{}, {} with a score",
        counted(counts.games, "game"),
        counted(counts.positions, "position")
    )?;
    if counts.tree_positions > 0 {
        writeln!(out, "{} of them of search trees", counts.tree_positions)?;
    }
    for (count, reason) in counts.left_out().filter(|(count, _)| *count > 0) {
        writeln!(out, "left out: {count}, {reason}")?;
    }
    let held_out = data.held_out.len();
    if held_out == 0 {
        output::eprint_line(format_args!(
            "nothing is held out, so nothing will tell when there is too little data"
        ));
    }
    let held_out_games = counts.held_out_games;
    let about = if data.is_streamed() { "about " } else { "" };
    writeln!(
        out,
        "learnt from: {about}{} of {}, held out: {held_out} of {held_out_games}",
        counted(data.positions(), "position"),
        counted(counts.games - held_out_games, "game")
    )?;
    if data.is_streamed() {
        writeln!(
            out,
            "read during the run, {} at a time; the counts above are those of {} read first",
            data.source.buffer,
            counted(counts.positions, "position")
        )?;
    }
    Ok(())
}

/// Fits the scale of a new run if that was asked for.
fn set_scale(options: &mut Options, data: &Data) -> Result<()> {
    let fitted = fit_scale(data.training.iter());
    if options.fit_scale {
        let scale = fitted.context("scores do not predict results, so no scale fits")?;
        options.settings.scale = scale.round() as u16;
    }
    let (mut out, scale) = (output::stdout(), options.settings.scale);
    match fitted {
        Some(fitted) => {
            writeln!(out, "scale {scale}; results are predicted best with {fitted:.1}")?;
        }
        None => writeln!(out, "scale {scale}; results are not predicted by scores")?,
    }
    Ok(())
}

/// Least time between two checkpoints: those of three-piece evaluations are large.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_mins(1);

/// Performs the steps that are left, and writes a checkpoint at regular intervals. An interruption
/// is an error.
fn learn<M: Model>(learner: &mut Run<'_, M>, folder: &Path, stop: &AtomicBool) -> Result<()> {
    let settings = learner.settings().clone();
    let meter = Meter::new("steps", Some(settings.steps), learner.steps());
    let (begun, first) = (Instant::now(), learner.steps());
    let mut words = String::new();
    let mut written: Option<Instant> = None;
    let show = |steps: u64, words: &str| {
        let visits = (steps - first) * settings.batch as u64;
        let speed = visits as f64 / begun.elapsed().as_secs_f64();
        meter.advance(steps, &format!("{speed:.0} visits/s{words}"));
    };
    while !learner.is_finished() && !stop.load(Ordering::Relaxed) {
        let points = learner.points().len();
        learner.advance(stop, &mut |steps| show(steps, &words))?;
        let (count, faults) = learner.take_faults();
        meter.suspend(|| report_faults(count, &faults));
        if let [.., point] = &learner.points()[points..] {
            words = format!(", loss {:.6}", point.training);
            if let Some(held_out) = point.held_out {
                let _ = write!(words, ", held out {held_out:.6}");
            }
            show(learner.steps(), &words);
        }
        let is_due = written.is_none_or(|at| at.elapsed() >= BETWEEN_CHECKPOINTS);
        if is_due || learner.is_finished() || stop.load(Ordering::Relaxed) {
            write(learner, folder)?;
            written = Some(Instant::now());
        }
    }
    meter.finish();
    let seconds = begun.elapsed().as_secs_f64();
    let visits = (learner.steps() - first) * settings.batch as u64;
    output::eprint_line(format_args!(
        "{visits} visits to positions in {seconds:.0} s, {:.0} visits/s; each step visits {}",
        visits as f64 / seconds,
        settings.batch
    ));
    // Not a success: a script must not take a part of a run for the whole.
    ensure!(
        learner.is_finished(),
        "interrupted after {}; --resume continues",
        counted(learner.steps(), "step")
    );
    Ok(())
}

fn write<M: Model>(learner: &Run<'_, M>, folder: &Path) -> Result<()> {
    let put = |name: &str, text: &str| result_file::save(&folder.join(name), text.as_bytes());
    let path = folder.join(CHECKPOINT_FILE);
    learner.save(&path).at(&path)?;
    let (csv, svg) = learner.curve();
    put(CSV_FILE, &csv)?;
    svg.map_or(Ok(()), |svg| put(SVG_FILE, &svg))
}

/// Writes the network of a finished run.
fn export(learner: &Learner<'_>, folder: &Path) -> Result<()> {
    let settings = learner.settings();
    let positions = learner.data().positions();
    let visits = settings.steps * settings.batch as u64;
    let seed = settings.seed;
    let text = format!("Raicho: {positions} positions, {visits} visits, seed {seed}");
    let quantised = learner.quantised(&text);
    let path = folder.join(NETWORK_FILE);
    result_file::save_network(&path, &quantised.network)?;
    let errors = quantised.errors;
    let mut out = output::stdout();
    writeln!(
        out,
        "rounding: mean error {:.2}, largest {:.2}, over {} positions of mean value {:.0} (a pawn \
        is 90)",
        errors.mean, errors.most, errors.positions, errors.mean_value
    )?;
    write_loss(learner, &mut out)?;
    if let Some(best) = best_before_rise(learner.points()) {
        output::eprint_line(format_args!(
            "the games held out were predicted best after {} of {} steps: fewer --epochs or a \
            smaller --wdl will make a \
             better network, and so will more games",
            best.step, settings.steps
        ));
    }
    Ok(writeln!(out, "{}", path.display())?)
}

/// Writes the losses at the end of a run.
fn write_loss<M: Model>(learner: &Run<'_, M>, out: &mut impl io::Write) -> io::Result<()> {
    let Some(point) = learner.points().last() else {
        return Ok(());
    };
    let held_out = point.held_out.map(|loss| format!(", held out {loss:.6}"));
    let held_out = held_out.unwrap_or_default();
    writeln!(out, "loss {:.6}{held_out}", point.training)
}

/// Writes the three-piece evaluation of a finished run.
fn export_kppt(learner: &kppt::Learner<'_>, folder: &Path) -> Result<()> {
    let saturated = kppt::write(folder, &learner.folded())?;
    let mut out = output::stdout();
    writeln!(out, "numbers of KPP that do not fit into 16 bits: {saturated}")?;
    write_loss(learner, &mut out)?;
    Ok(writeln!(out, "{}", folder.display())?)
}

// --- The command line ---

/// Number of points of the loss curve, and of checkpoints, in a run.
const POINTS: u64 = 100;

/// The same with `--kind kppt`, whose checkpoints are some hundred megabytes.
const KPPT_POINTS: u64 = 20;

/// Default of `--batch` with `--kind kppt`. Smaller than for networks, because each position moves
/// few of the weights.
const KPPT_BATCH: usize = 4096;

/// Maximum of `--epochs`.
const MOST_EPOCHS: f64 = 1e6;

/// Example: `raicho learn games/*.pack --epochs 30 --fit-scale --out run1`
#[derive(Args)]
#[command(
    before_help = "Example: raicho learn games/*.pack --epochs 30 --fit-scale --out run1",
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
    out: PathBuf,

    /// Resume the run in the folder of --out; nothing else needs to be repeated, and what is must
    /// be the same. The files may have moved, but their names and content must be the same. With
    /// files given, begin the run if the folder has no checkpoint yet
    #[arg(long)]
    resume: bool,

    /// Number of threads [default: all]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Files with a share of all visits, instead of FILE; repeated for each source: `--mix 3=deep/
    /// --mix 1=bulk.psv` takes three of four positions from the files in the folder deep
    #[arg(long, value_name = "PARTS=FILE", value_parser = parse_mix, conflicts_with = "files",
          help_heading = "Data")]
    mix: Vec<(u32, PathBuf)>,

    #[command(flatten)]
    options: Options,
}

/// The options that decide what comes out of a run. They are kept beside its checkpoint.
#[derive(Clone, Args, Serialize, Deserialize)]
struct Options {
    /// Begin with the weights of a checkpoint or network of the same width instead of random ones;
    /// where its layers are others, with those of its feature transformer
    #[arg(long, value_name = "FILE")]
    begin_with: Option<PathBuf>,

    /// What is trained
    #[arg(long, value_enum, default_value_t)]
    kind: Kind,

    #[command(flatten)]
    source: Source,

    #[command(flatten)]
    settings: Settings,

    /// Number of passes over all positions
    #[arg(long, value_name = "N", default_value_t = 20.0, help_heading = "Course")]
    epochs: f64,

    /// Number of visits to positions, instead of --epochs
    #[arg(long, value_name = "N", conflicts_with = "epochs",
          value_parser = clap::value_parser!(u64).range(1..), help_heading = "Course")]
    visits: Option<u64>,

    /// Use the scale with which the scores predict the results best
    #[arg(long, help_heading = "Course")]
    fit_scale: bool,
}

/// What is trained.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
enum Kind {
    /// A network of the engine's own shape
    #[default]
    Net,
    /// A three-piece evaluation (KPPT), as Apery and `YaneuraOu` read it
    Kppt,
}

fn parse_mix(text: &str) -> Result<(u32, PathBuf), String> {
    let expected =
        || "expected PARTS=FILE with a whole number of parts, such as 3=games/".to_owned();
    let (parts, path) = text.split_once('=').ok_or_else(expected)?;
    let parts = parts.parse().ok().filter(|&parts| parts > 0);
    let path = Some(path).filter(|path| !path.is_empty());
    Ok((parts.ok_or_else(expected)?, path.ok_or_else(expected)?.into()))
}

impl Arguments {
    /// Whether there are files to begin a run with.
    fn has_files(&self) -> bool {
        !self.files.is_empty() || !self.mix.is_empty()
    }

    /// The options of a new run, checked, so that wrong ones are refused before any data are read.
    fn new_run(&self, given: &Given) -> Result<Options> {
        let mut options = self.options.clone();
        options.check_kind()?;
        if options.kind == Kind::Kppt && !given.has("batch") {
            options.settings.batch = KPPT_BATCH;
        }
        options.source.seed = options.settings.seed;
        options.source.lambda_scale = options.settings.scale;
        options.source.validate().map_err(usage_error)?;
        // The number of positions only decides the number of steps.
        options.set_steps(1)?;
        options.settings.validate().map_err(usage_error)?;
        Ok(options)
    }

    /// The training data of a run, wherever its files are now.
    fn located(&self, mut source: Source) -> Result<Source> {
        if self.has_files() {
            source.groups = self.groups()?;
        }
        let held_out_files = &self.options.source.held_out_files;
        if !held_out_files.is_empty() {
            source.held_out_files = listed(held_out_files)?;
        }
        check_apart(&source)?;
        Ok(source)
    }

    fn groups(&self) -> Result<Vec<FileGroup>> {
        if self.mix.is_empty() {
            let files = listed(&self.files)?;
            return Ok(vec![FileGroup { files, parts: 1 }]);
        }
        let group = |&(parts, ref path): &(u32, PathBuf)| {
            let files = listed(std::slice::from_ref(path))?;
            Ok(FileGroup { files, parts })
        };
        self.mix.iter().map(group).collect()
    }
}

impl Options {
    /// Checks that no option is given that is for networks only, where none is trained.
    fn check_kind(&self) -> Result<()> {
        if self.kind == Kind::Net {
            return Ok(());
        }
        let default = Settings::default();
        ensure_usage!(
            self.settings.shape == default.shape
                && self.settings.decay.total_cmp(&default.decay).is_eq(),
            "--shape and --decay are for networks, not for --kind kppt"
        );
        ensure_usage!(
            self.begin_with.is_none(),
            "--begin-with is for networks, not for --kind kppt"
        );
        Ok(())
    }

    /// The initial weights of a new run, `None` for random ones.
    fn initial_weights(&self) -> Result<Option<InitialWeights>> {
        let open = |path: &PathBuf| InitialWeights::open(path, self.settings.shape).at(path);
        self.begin_with.as_ref().map(open).transpose()
    }

    /// Sets the number of steps for this number of positions.
    fn set_steps(&mut self, positions: u64) -> Result<()> {
        let (epochs, batch) = (self.epochs, self.settings.batch.max(1));
        ensure_usage!(
            epochs > 0.0 && epochs <= MOST_EPOCHS,
            "--epochs {epochs}, expected more than 0 and at most {MOST_EPOCHS}"
        );
        let steps = match self.visits {
            Some(visits) => visits.div_ceil(batch as u64),
            None => (positions as f64 * epochs / batch as f64).ceil() as u64,
        };
        let points = match self.kind {
            Kind::Net => POINTS,
            Kind::Kppt => KPPT_POINTS,
        };
        self.settings.steps = steps.max(1);
        self.settings.interval = self.settings.steps.div_ceil(points);
        Ok(())
    }
}

/// Checks that no file is learnt from twice, or both learnt from and held out.
fn check_apart(source: &Source) -> Result<()> {
    let mut seen = HashSet::new();
    for path in source.files().chain(&source.held_out_files) {
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
fn listed(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let sources = Sources::new(paths, None)?;
    let files = sources.files().iter().map(|file| (file, &file.path));
    // A named file is read or refused; of folders only usable files are taken.
    let files = files.filter(|(file, path)| file.format.has_scores() || paths.contains(path));
    Ok(files.map(|(_, path)| path.clone()).collect())
}

// --- Options of a run that is resumed ---

const FILE: &str = "options.json";

/// Options that may differ, because files may have moved.
const FREE: &str = "held_out_files";

impl Options {
    /// Writes the options of a new run.
    fn write(&self, folder: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        result_file::save(&folder.join(FILE), text.as_bytes())
    }

    /// The options of the run in this folder.
    fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let text = fs::read_to_string(&path).at(&path)?;
        serde_json::from_str(&text).with_context(|| {
            let name = path.display();
            format!("{name}: the run was begun by another version of this program")
        })
    }

    /// Checks that the options that were `given` are those that the run began with, `theirs`.
    fn check_given(&self, theirs: &Self, given: &Given) -> Result<()> {
        let theirs = serde_json::to_value(theirs)?;
        let ours = merged(given, &serde_json::to_value(self)?, &theirs);
        let Some(difference) = runs::difference(&ours, &theirs) else {
            return Ok(());
        };
        let path = difference.split(' ').next().unwrap_or_default();
        let name = path.split('.').find(|name| given.has(name));
        let name = name.unwrap_or(path).replace('_', "-");
        bail!(
            "--{name} is not what the run began with ({difference}): leave it out to resume, or \
             begin another run"
        );
    }
}

/// `theirs` with the options of `ours` that are `given`.
fn merged(given: &Given, ours: &Value, theirs: &Value) -> Value {
    let Value::Object(fields) = theirs else {
        return theirs.clone();
    };
    let merged = fields.iter().map(|(name, theirs)| {
        let ours = &ours[name];
        let value = if given.has(name) && name != FREE {
            ours.clone()
        } else {
            merged(given, ours, theirs)
        };
        (name.clone(), value)
    });
    merged.collect()
}
