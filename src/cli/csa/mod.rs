//! `raicho csa`: plays on a CSA server such as floodgate, and shows how the games went.

mod accounts;
mod screen;

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use clap::{Args, Subcommand};

use crate::arena::settings::EngineText;
use crate::cli::error::flat_error;
use crate::cli::output::{self, print_line};
use crate::cli::progress::on_ctrl_c;
use crate::csa::journal::{self, Entry, Journal, JournalOwner, Tally, by_opponent};
use crate::csa::run::{self, RunEvent};
use crate::util::counted;
use accounts::{Setup, setups};
use screen::{Account, Screen, Shared};

/// Example: `raicho csa --host wdoor.c.u-tokyo.ac.jp --id NAME --password-file FILE --game
/// floodgate-300-10F`
#[derive(Args)]
#[command(
    before_help = "Example: raicho csa --host wdoor.c.u-tokyo.ac.jp --id raicho --password-file \
        raicho.password --game floodgate-300-10F --ponder"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    /// Server, with its port if it is not 4081
    #[arg(long, value_name = "HOST[:PORT]")]
    host: Option<String>,

    /// Name of the account
    #[arg(long, value_name = "NAME")]
    id: Option<String>,

    /// File with the password in its first line, which nobody else should be able to read. Without
    /// it: the variable `RAICHO_CSA_PASSWORD`, or a question on the terminal
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,

    /// Game to wait for, such as floodgate-300-10F; it is sent before the password. Leave it out
    /// where the password itself begins with the game
    #[arg(long, value_name = "NAME")]
    game: Option<String>,

    /// Games to finish [default: play for ever]
    #[arg(long, value_name = "N")]
    games: Option<NonZero<u64>>,

    /// Configuration file with accounts (TOML); the command line wins over it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Account of the configuration file [default: the first]; may be repeated, to play with
    /// several at once
    #[arg(long = "account", value_name = "NAME", requires = "config")]
    accounts: Vec<String>,

    /// Folder for the journal, the records and the log of the dialogue [default: csa-NAME]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// USI options of Raicho, option.NAME=VALUE[,…], or another engine in its place:
    /// cmd=PROGRAM[,args=WORDS][,dir=FOLDER][,env.NAME=VALUE][,option.NAME=VALUE…]
    #[arg(long, value_name = "KEY=VALUE,…", help_heading = "Engine")]
    engine: Option<EngineText>,

    /// Let the engine ponder
    #[arg(long, help_heading = "Engine")]
    ponder: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Show the results in a folder of games
    Stats(StatsArguments),
}

/// Example: `raicho csa stats csa-raicho`
#[derive(Args)]
#[command(before_help = "Example: raicho csa stats csa-raicho")]
struct StatsArguments {
    /// Folder of a client
    folder: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Some(Command::Stats(arguments)) => stats(&arguments.folder),
        None => play(arguments),
    }
}

/// Longest time that the third Ctrl-C leaves to record the running games.
const RECORDING_TIME: Duration = Duration::from_millis(500);
/// What the first Ctrl-C says.
const ENDING: &str = "ending; a running game is played to its end, Ctrl-C again resigns it";

fn play(arguments: &Arguments) -> anyhow::Result<()> {
    let setups = setups(arguments)?;
    if setups.len() > 1 {
        output::eprint_line(threads_text(&setups));
    }
    let mut clients = Vec::new();
    for setup in &setups {
        let owner = JournalOwner {
            host: setup.run.host.clone(),
            account: setup.run.session.name.clone(),
        };
        let (journal, entries) = Journal::open(&setup.out, &owner).map_err(flat_error)?;
        clients.push((setup, journal, entries));
    }
    let is_alone = clients.len() == 1;
    let account = |(setup, _, entries): &(&Setup, Journal, Vec<Entry>)| {
        let name = (!is_alone).then(|| format!(" {}:", setup.run.session.name));
        Account::new(title(setup), name.unwrap_or_default(), entries)
    };
    let shared = Arc::new(Shared::new(clients.iter().map(account).collect()));
    let shown = Arc::clone(&shared);
    let say = move |message: &str| {
        if screen::is_open() {
            shown.say(message);
        } else {
            output::eprint_line(format_args!("\n{message}"));
        }
    };
    let interrupt = on_ctrl_c(ENDING, say, leave)?;
    let screen = screen::is_possible().then(|| Screen::open(Arc::clone(&shared)));
    let screen = screen
        .transpose()
        .context("the full-screen view (TERM=dumb does without)")?;
    let results: Vec<anyhow::Result<()>> = thread::scope(|scope| {
        let mut threads = Vec::new();
        for (number, (setup, journal, _)) in clients.into_iter().enumerate() {
            let (shared, interrupt) = (&shared, &interrupt);
            threads.push(scope.spawn(move || {
                let watch = |event: RunEvent<'_>| shared.show(number, &event);
                run::run(&setup.run, journal, interrupt.stop(), &watch)
            }));
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

/// The first error; those of other accounts are printed with their names.
fn report(setups: &[Setup], results: Vec<anyhow::Result<()>>) -> anyhow::Result<()> {
    if results.len() == 1 {
        return results.into_iter().collect();
    }
    let mut failed = 0;
    for (setup, result) in setups.iter().zip(results) {
        if let Err(error) = result {
            failed += 1;
            let (name, message) = (&setup.run.session.name, output::message(&error));
            output::eprint_line(format_args!("{name}: {message}"));
        }
    }
    if failed > 0 {
        let accounts = counted(setups.len(), "account");
        bail!("{failed} of {accounts} ended with an error");
    }
    Ok(())
}

/// Prints the results in the folder of a client.
fn stats(folder: &Path) -> anyhow::Result<()> {
    fs::metadata(folder).with_context(|| folder.display().to_string())?;
    let entries = journal::read(folder).map_err(flat_error)?;
    ensure!(
        !entries.is_empty(),
        "{} has no games of a csa client",
        folder.display()
    );
    print_line(format_args!(
        "{:<24} {:>6} {:>5} {:>5} {:>5} {:>6} {:>7}",
        "opponent", "games", "won", "lost", "drawn", "broken", "points"
    ))?;
    let mut tallies: Vec<(String, Tally)> = by_opponent(&entries).into_iter().collect();
    tallies.push(("all".to_owned(), Tally::of(&entries)));
    for (name, tally) in &tallies {
        print_line(format_args!(
            "{name:<24} {:>6} {:>5} {:>5} {:>5} {:>6} {:>7}",
            tally.games(),
            tally.wins,
            tally.losses,
            tally.draws,
            tally.broken,
            tally.points()
        ))?;
    }
    Ok(())
}

fn tally_text(tally: &Tally) -> String {
    format!(
        "{} won, {} lost, {} drawn, {} broken off",
        tally.wins, tally.losses, tally.draws, tally.broken
    )
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
