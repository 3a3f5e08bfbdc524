//! `raicho csa` without a subcommand: plays, with one account or several at once.

use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};

use super::accounts::{Setup, setups};
use super::arguments::Arguments;
use super::live::Live;
use super::screen::{self, Account, Screen, Shared};
use crate::cli::flat_error::flat_error;
use crate::cli::interrupt::{Interrupt, on_ctrl_c};
use crate::cli::output;
use crate::csa::journal::{Journal, Place};
use crate::csa::run;
use crate::util::counted;

/// Longest time that the third Ctrl-C leaves to record the running games.
const RECORDING_TIME: Duration = Duration::from_millis(500);
/// What the first Ctrl-C says.
const ENDING: &str = "ending; a running game is played to its end, Ctrl-C again resigns it";

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let setups = setups(arguments)?;
    if setups.len() > 1 {
        output::eprint_line(threads_text(&setups));
    }
    let mut clients = Vec::new();
    for setup in &setups {
        let place = Place {
            host: setup.run.host.clone(),
            account: setup.run.session.name.clone(),
        };
        let (journal, entries) = Journal::open(&setup.out, &place).map_err(flat_error)?;
        clients.push((setup, journal, entries));
    }
    let accounts = clients
        .iter()
        .map(|(setup, _, entries)| Account::new(title(setup), entries));
    let shared = Arc::new(Shared::new(accounts.collect()));
    let told = Arc::clone(&shared);
    let say = move |message: &str| {
        if screen::is_open() {
            told.say(message);
        } else {
            output::eprint_line(format_args!("\n{message}"));
        }
    };
    let interrupt = on_ctrl_c(ENDING, say, leave)?;
    // Lines of boards and the view exclude each other.
    let has_screen = !arguments.no_screen && !arguments.board && screen::is_possible();
    let screen = if has_screen {
        Some(Screen::open(Arc::clone(&shared)).context("the full-screen view (try --no-screen)")?)
    } else {
        None
    };
    let is_alone = clients.len() == 1;
    let results: Vec<anyhow::Result<()>> = thread::scope(|scope| {
        let mut threads = Vec::new();
        for (number, (setup, journal, entries)) in clients.into_iter().enumerate() {
            let name = (!is_alone).then_some(setup.run.session.name.as_str());
            let show = Show {
                number,
                shared: &shared,
                live: Live::new(&entries, arguments.board, name),
            };
            let interrupt = &interrupt;
            threads.push(scope.spawn(move || play(setup, journal, &show, interrupt)));
        }
        if let Some(screen) = screen {
            let is_done = || threads.iter().all(ScopedJoinHandle::is_finished);
            if let Err(error) = screen.run(&interrupt, is_done) {
                output::eprint_line(format_args!("the full-screen view: {error}"));
            }
        }
        let results = threads.into_iter().map(ScopedJoinHandle::join);
        let result = |joined: thread::Result<_>| joined.unwrap_or_else(|_| Err(anyhow!("panic")));
        results.map(result).collect()
    });
    report(&setups, results)
}

/// Waits a moment before the program exits, in which the running games are recorded.
fn leave() {
    thread::sleep(RECORDING_TIME);
    screen::close();
}

/// Shows what happens to one account: in the view, or as lines.
struct Show<'a> {
    number: usize,
    shared: &'a Shared,
    live: Live,
}

fn play(
    setup: &Setup,
    journal: Journal,
    show: &Show<'_>,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let result = run::run(&setup.run, journal, interrupt.stop(), &|happening| {
        if screen::is_open() {
            show.shared.show(show.number, &happening);
        } else {
            show.live.show(&happening);
        }
    });
    show.live.finish();
    result.map_err(flat_error)
}

/// The first error; those of other accounts are printed with their names.
fn report(setups: &[Setup], results: Vec<anyhow::Result<()>>) -> anyhow::Result<()> {
    if results.len() == 1 {
        return results.into_iter().collect();
    }
    let mut failed = 0;
    for (setup, result) in setups.iter().zip(results) {
        if let Err(error) = result {
            failed += 1;
            output::eprint_line(format_args!("{}: {error:#}", setup.run.session.name));
        }
    }
    if failed > 0 {
        let accounts = counted(setups.len(), "account");
        bail!("{failed} of {accounts} ended with an error");
    }
    Ok(())
}

fn title(setup: &Setup) -> String {
    let session = &setup.run.session;
    let game = if session.game.is_empty() {
        String::new()
    } else {
        format!(", {}", session.game)
    };
    format!("{} at {}{game}", session.name, setup.run.host)
}

/// How many threads search at once when all accounts play.
fn threads_text(setups: &[Setup]) -> String {
    let threads: Vec<String> = setups
        .iter()
        .map(|setup| format!("{} {}", setup.run.session.name, setup.threads_text()))
        .collect();
    let known: usize = setups.iter().filter_map(|setup| setup.threads).sum();
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let warning = if known > processors {
        "; warning: more than processors, the engines slow each other down"
    } else {
        ""
    };
    format!(
        "{} accounts play at once, each with its own engine: {} on {}{warning}",
        setups.len(),
        threads.join(", "),
        counted(processors, "processor")
    )
}
