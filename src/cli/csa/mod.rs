//! `raicho csa`: plays on a CSA server such as floodgate, and shows how the games went.

mod sandbox;
mod screen;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::{fs, num::NonZero, time::Duration};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{Args, Subcommand};

use crate::cli::error::{bail_usage, ensure_usage, flat_error, usage_error};
use crate::cli::output::{self, print_line};
use crate::csa::config::{Account, Config};
use crate::csa::journal::{self, Entry, Journal, JournalOwner, Tally, by_opponent};
use crate::csa::lines::{Password, is_game_name};
use crate::csa::run::{self, RunEvent, RunSettings};
use crate::csa::session::{Pondering, SessionSettings};
use crate::csa::{clock::Delays, game::ResignRule, player::PlayerSettings};
use crate::lang::{self, Lang};
use crate::util::{AtPath, cores, counted, crowding, read_utf8};
use crate::{arena::settings::EngineText, cli::progress::on_ctrl_c, engine::Settings};
use crate::{records, usi::client::PASSWORD_VARIABLE};
use screen::{Screen, Shared};

/// What the help says about floodgate.
const FLOODGATE: &str = "\
floodgate (wdoor.c.u-tokyo.ac.jp) needs no registration: take a name that nobody has, and any \
password; both together are the player, so keep the password. Games begin at :00 and :30 among \
those who wait, 5 minutes and 10 seconds a move. After some 15 games the player has a rating:
http://wdoor.c.u-tokyo.ac.jp/shogi/LATEST/players-floodgate.html";

/// Example: `raicho csa --host wdoor.c.u-tokyo.ac.jp --id NAME --password-file FILE --game
/// floodgate-300-10F`
#[derive(Args)]
#[command(
    before_help = "Example: raicho csa --host wdoor.c.u-tokyo.ac.jp --id raicho --password-file \
        raicho.password --game floodgate-300-10F --ponder",
    after_help = FLOODGATE
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

    /// Keep the right to write anywhere, to start programs and to connect to anybody, which Raicho
    /// drops on Linux while it plays itself
    #[arg(long)]
    no_sandbox: bool,
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

pub(super) fn run(arguments: &Arguments, lang: Lang) -> Result<()> {
    match &arguments.command {
        Some(Command::Stats(arguments)) => stats(&arguments.folder, lang),
        None => play(arguments, lang),
    }
}

/// Longest time that the third Ctrl-C leaves to record the running games.
const RECORDING_TIME: Duration = Duration::from_millis(500);

fn play(arguments: &Arguments, lang: Lang) -> Result<()> {
    let setups = setups(arguments, lang)?;
    if setups.len() > 1 {
        output::eprint_line(threads_text(&setups));
    }
    let mut clients = Vec::new();
    for setup in &setups {
        let owner =
            JournalOwner { host: setup.run.host.clone(), account: setup.run.session.name.clone() };
        let (journal, entries) = Journal::open(&setup.out, &owner).map_err(flat_error)?;
        clients.push((setup, journal, entries));
    }
    let is_alone = clients.len() == 1;
    let account = |(setup, _, entries): &(&Setup, Journal, Vec<Entry>)| {
        let name = (!is_alone).then(|| format!(" {}:", setup.run.session.name));
        screen::Account::new(lang, title(setup, lang), name.unwrap_or_default(), entries)
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
    // Engines of others need their files. Before any thread, each of which has rights of its own.
    if !arguments.no_sandbox && setups.iter().all(|setup| setup.run.player.program.is_none()) {
        let folders: Vec<&Path> = setups.iter().map(|setup| setup.out.as_path()).collect();
        let ports: Vec<u16> = setups.iter().map(|setup| setup.run.port).collect();
        sandbox::enter(&folders, &ports);
    }
    let interrupt = on_ctrl_c(&lang.csa_ending(), say, leave)?;
    let screen = screen::is_possible().then(|| Screen::open(Arc::clone(&shared)));
    let screen = screen.transpose().context("the full-screen view (TERM=dumb does without)")?;
    let unwritten = Mutex::new(Vec::new());
    let results: Vec<Result<()>> = thread::scope(|scope| {
        let mut threads = Vec::new();
        for (number, (setup, journal, _)) in clients.into_iter().enumerate() {
            let (shared, interrupt, unwritten) = (&shared, &interrupt, &unwritten);
            threads.push(scope.spawn(move || {
                let watch = |event: RunEvent<'_>| {
                    shared.show(number, &event);
                    if let RunEvent::Unwritten(record) = event {
                        unwritten
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push(records::csa::write(record));
                    }
                };
                run::run(&setup.run, journal, interrupt.stop(), &watch)
            }));
        }
        if let Some(screen) = screen {
            let is_done = || threads.iter().all(ScopedJoinHandle::is_finished);
            if let Err(error) = screen.run(&interrupt, is_done) {
                output::eprint_line(format_args!("the full-screen view: {error}"));
            }
            // The view took the last positions with it.
            shared.last_positions().into_iter().for_each(output::eprint_line);
        }
        let results = threads.into_iter().map(ScopedJoinHandle::join);
        let result = |joined: thread::Result<_>| joined.unwrap_or_else(|_| Err(anyhow!("panic")));
        results.map(result).collect()
    });
    // Better here than nowhere.
    for record in unwritten.into_inner().unwrap_or_else(PoisonError::into_inner) {
        output::eprint_line(record);
    }
    report(&setups, results)
}

/// Waits a moment before the program exits, in which the running games are recorded.
fn leave() {
    thread::sleep(RECORDING_TIME);
    screen::close();
}

/// The first error; those of other accounts are printed with their names.
fn report(setups: &[Setup], results: Vec<Result<()>>) -> Result<()> {
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
fn stats(folder: &Path, lang: Lang) -> Result<()> {
    fs::metadata(folder).at(folder)?;
    let entries = journal::read(folder).map_err(flat_error)?;
    let name = folder.display();
    ensure!(!entries.is_empty(), "{name} has no games of a csa client");
    let row = |name: &str, cells: [String; 6]| {
        let mut row = lang::left(name, 24);
        for (cell, width) in cells.iter().zip([6, 5, 5, 5, 6, 7]) {
            row.push(' ');
            row += &lang::right(cell, width);
        }
        print_line(row)
    };
    let headings = [
        lang.column_games(),
        lang.csa_won(),
        lang.csa_lost(),
        lang.csa_drawn(),
        lang.csa_broken(),
        lang.csa_points(),
    ];
    row(&lang.csa_opponent(), headings)?;
    let mut tallies: Vec<(String, Tally)> = by_opponent(&entries).into_iter().collect();
    tallies.push((lang.csa_all(), Tally::of(&entries)));
    for (name, tally) in &tallies {
        let counts = [tally.games(), tally.wins, tally.losses, tally.draws, tally.broken];
        let [games, won, lost, drawn, broken] = counts.map(|count| count.to_string());
        row(name, [games, won, lost, drawn, broken, tally.points().to_string()])?;
    }
    Ok(())
}

fn tally_text(lang: Lang, tally: &Tally) -> String {
    if lang == Lang::Ja && tally.broken == 0 {
        return lang.result(tally.wins, tally.draws, tally.losses);
    }
    lang.csa_tally(tally.wins, tally.losses, tally.draws, tally.broken)
}

fn title(setup: &Setup, lang: Lang) -> String {
    let session = &setup.run.session;
    let game = match &*session.game {
        "" => String::new(),
        game => format!("{}{game}", lang.separator()),
    };
    lang.csa_title(&session.name, &setup.run.host, game)
}

/// How many threads search at once when all accounts play.
fn threads_text(setups: &[Setup]) -> String {
    let text = |setup: &Setup| format!("{} {}", setup.run.session.name, setup.threads_text());
    let threads: Vec<String> = setups.iter().map(text).collect();
    let known: usize = setups.iter().filter_map(|setup| setup.threads).sum();
    let warning =
        crowding(known).map_or_else(String::new, |warning| format!("; warning: {warning}"));
    format!(
        "{} accounts play at once, each with its own engine: {} on {}{warning}",
        setups.len(),
        threads.join(", "),
        counted(cores(), "processor core")
    )
}

// --- The accounts that play, from the configuration file and the command line ---

// Passwords come from a file, an environment variable, or the terminal; never from the command
// line, which every user of the machine can read.

/// The port of nearly all CSA servers.
const PORT: u16 = 4081;
/// Longest time for `usiok` and `readyok`. The server waits 120 s for us to agree.
const READY_TIMEOUT: Duration = Duration::from_secs(90);
/// Names of the options with the delays to plan with, and their defaults in milliseconds.
const DELAYS: [(&str, u64); 2] = [("NetworkDelay", 120), ("NetworkDelay2", 1120)];
/// Own moves in a row with a bad score, unless the configuration says more.
const RESIGN_AFTER: u32 = 3;

/// An account that is ready to play.
struct Setup {
    run: RunSettings,
    /// Folder for the journal, the records and the log.
    out: PathBuf,
    /// What `Threads` is set to, where it is.
    threads: Option<usize>,
}

impl Setup {
    fn threads_text(&self) -> String {
        match self.threads {
            Some(threads) => counted(threads, "thread"),
            None => "as many threads as its engine takes".to_owned(),
        }
    }
}

/// The accounts that the arguments ask for.
///
/// # Errors
/// The configuration or an argument cannot be used.
fn setups(arguments: &Arguments, lang: Lang) -> Result<Vec<Setup>> {
    let (accounts, variables) = chosen(arguments)?;
    let count = accounts.len();
    if count > 1 {
        let single = [
            ("--id", arguments.id.is_some()),
            ("--out", arguments.out.is_some()),
            ("--password-file", arguments.password_file.is_some()),
        ];
        for (name, is_set) in single {
            ensure_usage!(!is_set, "{name} is for one account, but {count} play");
        }
    }
    // What one engine would take by itself is divided among those that say nothing else.
    let share = (Settings::default().search.threads / count).max(1);
    accounts
        .into_iter()
        .map(|account| {
            let mut setup = setup(arguments, account, (count > 1).then_some(share), lang)?;
            if let Some(program) = &mut setup.run.player.program {
                program.withheld.clone_from(&variables);
            }
            Ok(setup)
        })
        .collect()
}

/// The accounts of the configuration file, or an empty one for the command line to fill; and the
/// variables that hold passwords of any account of the file.
fn chosen(arguments: &Arguments) -> Result<(Vec<Account>, Vec<String>)> {
    let Some(path) = &arguments.config else {
        return Ok((vec![Account::default()], Vec::new()));
    };
    let text = read_utf8(path).at(path)?;
    let config = Config::parse(&text).map_err(flat_error).at(path)?;
    let account = |name: Option<&str>| {
        let account = config.account(name);
        account.cloned().map_err(flat_error).at(path)
    };
    let variables = config.accounts.iter();
    let variables = variables.filter_map(|account| account.password_variable.clone());
    let variables = variables.collect();
    if arguments.accounts.is_empty() {
        return Ok((vec![account(None)?], variables));
    }
    for (index, name) in arguments.accounts.iter().enumerate() {
        let is_second = arguments.accounts[..index].contains(name);
        ensure_usage!(!is_second, "--account {name} is given twice");
    }
    let names = arguments.accounts.iter();
    let accounts = names.map(|name| account(Some(name)));
    Ok((accounts.collect::<Result<_>>()?, variables))
}

/// `share` is the number of threads of an engine that is one of several.
fn setup(
    arguments: &Arguments,
    account: Account,
    share: Option<usize>,
    lang: Lang,
) -> Result<Setup> {
    let account = merged(arguments, account)?;
    let mut run = settings(arguments, &account, lang)?;
    let out = arguments.out.clone().or_else(|| account.out.clone());
    let options = &mut run.player.options;
    if let Some(share) = share
        && run.player.program.is_none()
        && value_of(options, "Threads").is_none()
    {
        options.push(("Threads".to_owned(), share.to_string()));
    }
    let threads = value_of(options, "Threads");
    Ok(Setup {
        out: out.unwrap_or_else(|| PathBuf::from(format!("csa-{}", account.name))),
        threads: threads.and_then(|value| value.parse().ok()),
        run,
    })
}

/// The account with what the command line says.
fn merged(arguments: &Arguments, mut account: Account) -> Result<Account> {
    if let Some(name) = &arguments.id {
        account.name.clone_from(name);
    }
    let text = |own: &Option<String>, other: Option<String>| own.clone().or(other);
    account.host = text(&arguments.host, account.host);
    account.game = text(&arguments.game, account.game);
    account.password_file = arguments.password_file.clone().or(account.password_file);
    account.games = arguments.games.or(account.games);
    if account.name.is_empty() {
        match &arguments.config {
            Some(path) => bail!("{}: an account has no name", path.display()),
            None => bail_usage!("no account: expected --id NAME or --config FILE"),
        }
    }
    ensure_usage!(
        account.name.len() <= 32 && account.name.bytes().all(is_name_byte),
        "the name {} cannot be sent: expected at most 32 letters, digits, _, -, @, + and .",
        account.name
    );
    if let Some(game) = &account.game {
        ensure_usage!(
            game.bytes().all(|byte| byte.is_ascii_graphic()),
            "the game {game:?} cannot be sent: expected a word of ASCII letters"
        );
    }
    Ok(account)
}

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'@' | b'+' | b'.')
}

fn settings(arguments: &Arguments, account: &Account, lang: Lang) -> Result<RunSettings> {
    let Some(host) = &account.host else {
        bail_usage!("no server: expected --host HOST");
    };
    let (host, port) = host_and_port(host)?;
    let configured = account.engine.as_deref().unwrap_or_default();
    let configured: EngineText = configured.parse().map_err(flat_error)?;
    // Options alone are for the configured engine.
    let engine = match arguments.engine.clone().unwrap_or_default() {
        engine if engine.command.is_some() => engine,
        engine => engine.or(&configured),
    };
    let mut options = account.usi_options().map_err(flat_error)?;
    options.extend(engine.options.iter().cloned());
    let program = engine.program();
    let ponders = arguments.ponder || account.ponder.unwrap_or(false);
    let pondering = match (ponders, &program) {
        (false, _) => Pondering::Off,
        (true, Some(_)) => Pondering::AfterEcho,
        (true, None) => Pondering::Early,
    };
    let game = account.game.clone().unwrap_or_default();
    let file = account.password_file.as_deref();
    let variable = account.password_variable.as_deref();
    let password = read_password(file, variable, &account.name, lang)?;
    if let Some(doubt) = doubt_about_game(&game, &password) {
        output::eprint_line(lang.warning(doubt));
    }
    Ok(RunSettings {
        host,
        port,
        session: SessionSettings {
            name: account.name.clone(),
            game,
            password,
            pondering,
            sends_comments: account.comments.unwrap_or(true),
            // The engine refuses a bad value.
            entering_king_rule: value_of(&options, "EnteringKingRule")
                .and_then(|value| value.parse().ok()),
            resign: account.resign_score.map(|score| ResignRule {
                score,
                moves: account.resign_after.map_or(RESIGN_AFTER, NonZero::get),
            }),
            delays: delays(&options)?,
        },
        player: PlayerSettings { program, options, ponders, ready_timeout: READY_TIMEOUT },
        games: account.games.map(NonZero::get),
    })
}

/// What shogi-server would make of the game, where that can hardly be meant.
fn doubt_about_game(game: &str, password: &Password) -> Option<String> {
    match (game.is_empty(), password.names_a_game()) {
        (true, true) => None,
        (true, false) => Some(
            "neither --game nor the password names a game such as floodgate-300-10F; \
            shogi-server then waits for an opponent who does not either"
                .to_owned(),
        ),
        (false, true) => Some(format!(
            "the password names a game already, and --game {game} comes before it; for \
            shogi-server that is another password, and another player"
        )),
        (false, false) => (!is_game_name(game)).then(|| {
            format!(
                "--game {game} is no name such as floodgate-300-10F; shogi-server then waits for \
                an opponent without a game"
            )
        }),
    }
}

fn host_and_port(text: &str) -> Result<(String, u16)> {
    let bad_port = || usage_error(format_args!("--host {text}: no such port"));
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, "")) => (host, None),
        Some((host, rest)) => (host, Some(rest.strip_prefix(':').ok_or_else(bad_port)?)),
        None => match text.rsplit_once(':') {
            // An address of IPv6 without brackets has several colons and no port.
            Some((host, number)) if !host.contains(':') => (host, Some(number)),
            _ => (text, None),
        },
    };
    ensure_usage!(!host.is_empty(), "--host {text}: expected HOST or HOST:PORT");
    let port = match port {
        Some(number) => number.parse().map_err(|_| bad_port())?,
        None => PORT,
    };
    Ok((host.to_owned(), port))
}

/// The value that an option of the engine is set to last; case does not matter.
fn value_of<'a>(options: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let mut set = options.iter().rev();
    let (_, value) = set.find(|(option, _)| option.eq_ignore_ascii_case(name))?;
    Some(value)
}

/// The least delays, which can be set by the options of the engine.
fn delays(options: &[(String, String)]) -> Result<Delays> {
    let [usual, worst] = DELAYS.map(|(name, default)| {
        let milliseconds = value_of(options, name).map_or(Ok(default), str::parse);
        let milliseconds = milliseconds
            .map_err(|_| usage_error(format_args!("option {name}: expected milliseconds")));
        milliseconds.map(Duration::from_millis)
    });
    Ok(Delays { usual: usual?, worst: worst? })
}

/// Reads the password of `account`.
///
/// # Errors
/// The file or variable cannot be read, or the password cannot be sent.
fn read_password(
    file: Option<&Path>,
    variable: Option<&str>,
    account: &str,
    lang: Lang,
) -> Result<Password> {
    let no_password = || {
        format!(
            "no password: expected --password-file, the variable {PASSWORD_VARIABLE} or a terminal"
        )
    };
    let text = match (file, variable) {
        (Some(path), _) => password_of_file(path, lang)?,
        (None, Some(name)) => std::env::var(name).with_context(|| format!("variable {name}"))?,
        (None, None) => match std::env::var(PASSWORD_VARIABLE) {
            Ok(text) => text,
            Err(_) => {
                rpassword::prompt_password(lang.csa_password(account)).with_context(no_password)?
            }
        },
    };
    ensure!(!text.is_empty(), "the password is empty");
    ensure!(
        !text.contains(char::is_whitespace) && text.is_ascii(),
        "the password holds a space or a letter that is not ASCII, which the protocol cannot send"
    );
    Ok(Password::new(text))
}

fn password_of_file(path: &Path, lang: Lang) -> Result<String> {
    let text = read_utf8(path).at(path)?;
    if is_readable_by_others(path) {
        let path = path.display();
        let text = format!("{path} can be read by other users (chmod 600 {path})");
        output::eprint_line(lang.warning(text));
    }
    match text.lines().next() {
        Some(line) => Ok(line.trim().to_owned()),
        None => bail!("{} is empty", path.display()),
    }
}

#[cfg(unix)]
fn is_readable_by_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    /// Any right of the group or of others.
    const OTHERS: u32 = 0o077;
    fs::metadata(path).is_ok_and(|data| data.permissions().mode() & OTHERS != 0)
}

#[cfg(not(unix))]
const fn is_readable_by_others(_path: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_may_have_brackets_and_ports() {
        let read = |text: &str| host_and_port(text).ok();
        let is = |host: &str, port| Some((host.to_owned(), port));
        assert_eq!(read("a.jp"), is("a.jp", PORT));
        assert_eq!(read("a.jp:5000"), is("a.jp", 5000));
        assert_eq!(read("::1"), is("::1", PORT));
        assert_eq!(read("[::1]"), is("::1", PORT));
        assert_eq!(read("[::1]:5000"), is("::1", 5000));
        for text in ["", ":5000", "[]:5000", "a.jp:x", "[::1]5000"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn games_that_no_server_knows_are_doubted() {
        let is_doubted =
            |game: &str, password: &str| doubt_about_game(game, &Password::new(password)).is_some();
        assert!(!is_doubted("floodgate-300-10F", "trip"));
        assert!(!is_doubted("", "floodgate-300-10F,trip"));
        assert!(is_doubted("", "trip"));
        assert!(is_doubted("foo", "trip"));
        assert!(is_doubted("floodgate-300-10F", "floodgate-300-10F,trip"));
    }
}
