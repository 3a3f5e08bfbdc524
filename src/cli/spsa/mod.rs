//! `raicho spsa`: tunes the numbers of an engine by games against itself.

mod arguments;
mod resume;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, bail};

use super::flat_error::flat_error;
use super::interrupt::stop_on_ctrl_c;
use super::progress::Meter;
use super::result_file::{self, OwnFiles};
use crate::arena::spsa::games::Games;
use crate::arena::spsa::tuning::{Event, Folder, one_line, tune};

pub(super) use arguments::Arguments;

/// File with the tuned values, in the form of `--params`.
const PARAMETERS_FILE: &str = "params.txt";
/// The files of a run in its folder which no result may replace.
const OWN_FILES: &[&str] = &[
    "tuning.json",
    "spsa.json",
    "history.csv",
    PARAMETERS_FILE,
    "faults.jsonl",
    "summary.txt",
];
/// Maximum number of faults that are shown when they happen.
const FAULTS_SHOWN: u32 = 20;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    arguments
        .indivisible
        .check("each iteration starts from the values that all before it have found")?;
    let path = arguments.out.clone().unwrap_or_else(|| {
        let now = jiff::Zoned::now().strftime("spsa-%Y%m%d-%H%M%S");
        PathBuf::from(now.to_string())
    });
    let own = OwnFiles {
        folder: &path,
        names: OWN_FILES,
    };
    let openings = arguments.openings.files().iter();
    let read: Vec<PathBuf> = openings.chain(&arguments.params).cloned().collect();
    arguments.json.check(&own, &read)?;
    let is_new = Folder::check_free(&path).is_ok();
    let goes_on = arguments.resume && (!is_new || arguments.engines.is_empty());
    let stop = stop_on_ctrl_c()?;
    // The engine and the openings are checked before a folder is created.
    let (folder, mut state, games) = if goes_on {
        let (folder, state) = Folder::resume(&path).map_err(flat_error)?;
        resume::check(arguments, folder.settings(), &state)
            .with_context(|| format!("{} holds another run", path.display()))?;
        let games = Games::new(folder.settings(), state.parameters(), &stop).map_err(flat_error)?;
        (folder, state, games)
    } else {
        Folder::check_free(&path).map_err(flat_error)?;
        let (settings, state) = arguments.beginning()?;
        let games = Games::new(&settings, state.parameters(), &stop).map_err(flat_error)?;
        let folder = Folder::create(&path, settings, &state).map_err(flat_error)?;
        (folder, state, games)
    };
    let meter = Meter::new(
        "iterations",
        Some(state.settings().iterations),
        state.finished(),
    );
    let engine = &folder.settings().engine.name;
    meter.message(&format!("{engine} is {}", games.program_name()));
    let faults = AtomicU32::new(0);
    let concurrency = arguments.concurrency.into();
    let outcome = tune(games, &folder, &mut state, concurrency, &stop, &|event| {
        show(&event, &meter, &faults);
    });
    meter.finish();
    let shown = path.display();
    let summary = match outcome {
        Ok(summary) => summary,
        Err(error) => bail!(
            "{error}\nfinished iterations are kept; raicho spsa --out {shown} --resume continues"
        ),
    };
    let parameters = path.join(PARAMETERS_FILE);
    result_file::save(&parameters, summary.parameter_lines().as_bytes())?;
    arguments.json.report(&summary, Some(&path))?;
    if summary.is_interrupted {
        // Not a success: a script must not take a part of a run for the whole.
        bail!("interrupted; raicho spsa --out {shown} --resume continues");
    }
    Ok(())
}

fn show(event: &Event<'_>, meter: &Meter, faults: &AtomicU32) {
    match event {
        Event::Iteration(state) => meter.advance(state.finished(), one_line(state)),
        Event::Note(note) => meter.message(&format!("note: {note}")),
        Event::Fault(fault) => match faults.fetch_add(1, Ordering::Relaxed) {
            ..FAULTS_SHOWN => meter.message(&fault.to_string()),
            FAULTS_SHOWN => {
                meter.message("more games are lost by faults; they are only counted now");
            }
            _ => {}
        },
    }
}
