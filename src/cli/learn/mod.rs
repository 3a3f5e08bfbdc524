//! `raicho learn`: trains a network, or a three-piece evaluation, from teacher data.

mod arguments;

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use crate::cli::progress::{Meter, metered, stop_on_ctrl_c};
use crate::cli::{output, result_file};
use crate::runs::FolderLock;
use crate::train::learn::{Data, Learner, Model, Run, best_before_rise, fit_scale, kppt};
use crate::util::counted;
use arguments::{Kind, Options};

pub(super) use arguments::{Arguments, Given};

/// Files in the folder of a run.
const CHECKPOINT_FILE: &str = "checkpoint.bin";
const CSV_FILE: &str = "loss.csv";
const SVG_FILE: &str = "loss.svg";
const NETWORK_FILE: &str = "net.nnue";

/// Maximum number of bad records that are shown; the others are counted.
const FAULTS_SHOWN: usize = 10;

pub(super) fn run(arguments: &Arguments, given: &Given) -> anyhow::Result<()> {
    ensure!(
        !arguments.out.is_file(),
        "--out {}: a file, expected a folder",
        arguments.out.display()
    );
    let checkpoint = arguments.out.join(CHECKPOINT_FILE);
    let shown = checkpoint.display();
    // With files, `--resume` begins the run where no checkpoint is yet.
    let goes_on = arguments.resume && (checkpoint.is_file() || !arguments.has_files());
    let (options, initial) = if goes_on {
        ensure!(
            checkpoint.is_file(),
            "{shown} is not there, nothing to resume"
        );
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
    rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.map_or(0, usize::from))
        .build_global()?;
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
    export: impl Fn(&Run<'_, M>, &Path) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let folder = &arguments.out;
    let checkpoint = folder.join(CHECKPOINT_FILE);
    let shown = || checkpoint.display().to_string();
    let source = if goes_on {
        Run::<M>::source(&checkpoint).with_context(shown)?
    } else {
        options.source.clone()
    };
    let source = arguments.located(source)?;
    let stop = stop_on_ctrl_c()?;
    let data = metered(&stop, "bytes", 1, |watch| Data::load(&source, watch))?;
    report_data(&data)?;
    let mut learner = if goes_on {
        Run::resume(&checkpoint, &data).with_context(shown)?
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
        output::eprint_line(format_args!(
            "left out: {}",
            counted(count - shown, "more bad record")
        ));
    }
}

fn report_data(data: &Data) -> anyhow::Result<()> {
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
fn set_scale(options: &mut Options, data: &Data) -> anyhow::Result<()> {
    let fitted = fit_scale(data.training.iter());
    if options.fit_scale {
        let scale = fitted.context("scores do not predict results, so no scale fits")?;
        options.settings.scale = scale.round() as u16;
    }
    let (mut out, scale) = (output::stdout(), options.settings.scale);
    match fitted {
        Some(fitted) => writeln!(
            out,
            "scale {scale}; results are predicted best with {fitted:.1}"
        )?,
        None => writeln!(out, "scale {scale}; results are not predicted by scores")?,
    }
    Ok(())
}

/// Least time between two checkpoints: those of three-piece evaluations are large.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_mins(1);

/// Performs the steps that are left, and writes a checkpoint at regular intervals. An interruption
/// is an error.
#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn learn<M: Model>(
    learner: &mut Run<'_, M>,
    folder: &Path,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let settings = learner.settings().clone();
    let meter = Meter::new("steps", Some(settings.steps), learner.steps());
    let (begun, first) = (Instant::now(), learner.steps());
    let mut words = String::new();
    let mut written: Option<Instant> = None;
    let speed = |steps: u64| {
        let visits = (steps - first) * settings.batch as u64;
        visits as f64 / begun.elapsed().as_secs_f64()
    };
    while !learner.is_finished() && !stop.load(Ordering::Relaxed) {
        let points = learner.points().len();
        learner.advance(stop, &mut |steps| {
            meter.advance(steps, format!("{:.0} visits/s{words}", speed(steps)));
        })?;
        let (count, faults) = learner.take_faults();
        report_faults(count, &faults);
        if let Some(point) = learner
            .points()
            .last()
            .filter(|_| learner.points().len() > points)
        {
            words = format!(", loss {:.6}", point.training);
            if let Some(held_out) = point.held_out {
                let _ = write!(words, ", held out {held_out:.6}");
            }
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

fn write<M: Model>(learner: &Run<'_, M>, folder: &Path) -> anyhow::Result<()> {
    let put = |name: &str, text: &str| result_file::save(&folder.join(name), text.as_bytes());
    let path = folder.join(CHECKPOINT_FILE);
    learner
        .save(&path)
        .with_context(|| path.display().to_string())?;
    let (csv, svg) = learner.curve();
    put(CSV_FILE, &csv)?;
    svg.map_or(Ok(()), |svg| put(SVG_FILE, &svg))
}

/// Writes the network of a finished run.
fn export(learner: &Learner<'_>, folder: &Path) -> anyhow::Result<()> {
    let settings = learner.settings();
    let positions = learner.data().positions();
    let visits = settings.steps * settings.batch as u64;
    let seed = settings.seed;
    let text = format!("Raicho: {positions} positions, {visits} visits, seed {seed}");
    let quantised = learner.quantised(&text);
    let path = folder.join(NETWORK_FILE);
    let bytes = quantised
        .network
        .to_bytes()
        .context("a network of another format")?;
    result_file::save(&path, &bytes)?;
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
    writeln!(out, "{}", path.display())?;
    Ok(())
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
fn export_kppt(learner: &kppt::Learner<'_>, folder: &Path) -> anyhow::Result<()> {
    let saturated = kppt::write(folder, &learner.folded())?;
    let mut out = output::stdout();
    writeln!(
        out,
        "numbers of KPP that do not fit into 16 bits: {saturated}"
    )?;
    write_loss(learner, &mut out)?;
    writeln!(out, "{}", folder.display())?;
    Ok(())
}
