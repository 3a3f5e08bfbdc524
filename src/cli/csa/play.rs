//! `raicho csa` without a subcommand: plays.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::Args;

use super::live::Live;
use super::password;
use crate::arena::engine_text::EngineText;
use crate::cli::flat_error::flat_error;
use crate::cli::interrupt::stop_on_ctrl_c_with;
use crate::cli::output;
use crate::csa::clock::Delays;
use crate::csa::config::{Account, Config};
use crate::csa::game::ResignRule;
use crate::csa::journal::{Journal, Place};
use crate::csa::player::PlayerSettings;
use crate::csa::run::{self, RunSettings};
use crate::csa::session::{Pondering, SessionSettings};

/// The port of nearly all CSA servers.
const PORT: u16 = 4081;
/// Longest time for `usiok` and `readyok`. The server waits 120 s for us to agree.
const READY_TIMEOUT: Duration = Duration::from_secs(90);
/// Names of the options with the delays to plan with, and their defaults in milliseconds.
const DELAYS: [(&str, u64); 2] = [("NetworkDelay", 120), ("NetworkDelay2", 1120)];
/// Own moves in a row with a bad score, unless the command line says more.
const RESIGN_AFTER: u32 = 3;

// This struct is flattened into another one of the same name, whose clap group it must not share.
#[derive(Args)]
#[group(skip)]
#[expect(clippy::struct_excessive_bools, reason = "one for each switch")]
pub(super) struct Arguments {
    /// Server, with its port if it is not 4081
    #[arg(long, value_name = "HOST[:PORT]")]
    host: Option<String>,

    /// Port of the server
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,

    /// Name of the account
    #[arg(long, value_name = "NAME")]
    id: Option<String>,

    /// File with the password in its first line, which nobody else should be able to read. Without
    /// it: the variable `RAICHO_CSA_PASSWORD`, or a question on the terminal
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,

    /// Environment variable with the password
    #[arg(long, value_name = "NAME", conflicts_with = "password_file")]
    password_variable: Option<String>,

    /// Game to wait for, such as floodgate-300-10F; it is sent before the password. Leave it out
    /// where the password itself begins with the game
    #[arg(long, value_name = "NAME")]
    game: Option<String>,

    /// Games to finish [default: play for ever]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,

    /// Configuration file with accounts (TOML); the command line wins over it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Account of the configuration file [default: the first]
    #[arg(long, value_name = "NAME", requires = "config")]
    account: Option<String>,

    /// Folder for the journal, the records and the log of the dialogue [default: csa-NAME]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Another engine in place of Raicho: cmd=PROGRAM[,args=WORDS][,dir=FOLDER][,env.NAME=VALUE]
    /// [,option.NAME=VALUE…]
    #[arg(long, value_name = "KEY=VALUE,…", help_heading = "Engine")]
    engine: Option<EngineText>,

    /// USI option of the engine; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", help_heading = "Engine")]
    options: Vec<String>,

    /// Let the engine ponder
    #[arg(long, help_heading = "Engine")]
    ponder: bool,

    /// Send `go ponder` to the engine of --engine before the clocks are known, and the clocks with
    /// `ponderhit`; Raicho itself always does so
    #[arg(long, help_heading = "Engine")]
    early_ponder: bool,

    /// Resign at a score of minus this or worse, in centipawns [default: the engine decides]
    #[arg(long, value_name = "CENTIPAWNS", help_heading = "Play")]
    resign_score: Option<u32>,

    /// Own moves in a row with such a score before it resigns [default: 3]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Play"
    )]
    resign_after: Option<u32>,

    /// Send no scores and lines with the moves
    #[arg(long, help_heading = "Play")]
    no_comments: bool,

    /// Print the board after each move
    #[arg(long)]
    board: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let account = account(arguments)?;
    let settings = settings(arguments, &account)?;
    let out = arguments.out.clone().or_else(|| account.out.clone());
    let out = out.unwrap_or_else(|| PathBuf::from(format!("csa-{}", settings.session.name)));
    let place = Place {
        host: settings.host.clone(),
        account: settings.session.name.clone(),
    };
    let (journal, entries) = Journal::open(&out, &place).map_err(flat_error)?;
    let stop = stop_on_ctrl_c_with("ending after this game; Ctrl-C again resigns it")?;
    let live = Live::new(&entries, arguments.board);
    let result = run::run(&settings, journal, &stop, &|happening| {
        live.show(&happening);
    });
    live.finish();
    result.map_err(flat_error)
}

/// The account of the configuration file with what the command line says.
fn account(arguments: &Arguments) -> anyhow::Result<Account> {
    let mut account = match &arguments.config {
        Some(path) => {
            let place = || path.display().to_string();
            let text = fs::read_to_string(path).with_context(place)?;
            let config = Config::parse(&text)
                .map_err(flat_error)
                .with_context(place)?;
            let account = config.account(arguments.account.as_deref());
            account.map_err(flat_error).with_context(place)?.clone()
        }
        None => Account::default(),
    };
    if let Some(name) = &arguments.id {
        account.name.clone_from(name);
    }
    if arguments.password_variable.is_some() {
        account.password_file = None;
    }
    let text = |own: &Option<String>, other: Option<String>| own.clone().or(other);
    account.host = text(&arguments.host, account.host);
    account.game = text(&arguments.game, account.game);
    account.password_variable = text(&arguments.password_variable, account.password_variable);
    account.password_file = arguments.password_file.clone().or(account.password_file);
    account.games = arguments.games.or(account.games);
    account.resign_score = arguments.resign_score.or(account.resign_score);
    account.resign_after = arguments.resign_after.or(account.resign_after);
    ensure!(
        !account.name.is_empty(),
        "no account: expected --id NAME or --config FILE"
    );
    ensure!(
        account.name.len() <= 32 && account.name.bytes().all(is_name_byte),
        "the name {} cannot be sent: expected at most 32 letters, digits, _, -, @ and .",
        account.name
    );
    Ok(account)
}

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'@' | b'.')
}

fn settings(arguments: &Arguments, account: &Account) -> anyhow::Result<RunSettings> {
    let Some(host) = &account.host else {
        bail!("no server: expected --host HOST");
    };
    let (host, port) = host_and_port(host, arguments.port)?;
    let engine = engine(arguments, account)?;
    let mut options = account.usi_options().map_err(flat_error)?;
    options.extend(engine.options.iter().cloned());
    for text in &arguments.options {
        let Some((name, value)) = text.split_once('=') else {
            bail!("--option {text}: expected NAME=VALUE");
        };
        options.push((name.to_owned(), value.to_owned()));
    }
    let program = engine.program();
    let ponders = arguments.ponder || arguments.early_ponder || account.ponder.unwrap_or(false);
    let pondering = match (ponders, &program) {
        (false, _) => Pondering::Off,
        (true, Some(_)) if !arguments.early_ponder => Pondering::AfterEcho,
        (true, _) => Pondering::Early,
    };
    let game = account.game.clone().unwrap_or_default();
    let password = password::read(
        account.password_file.as_deref(),
        account.password_variable.as_deref(),
        &account.name,
    )?;
    if game.is_empty() && !password.names_a_game() {
        output::eprint_line(
            "warning: neither --game nor the password names a game such as floodgate-300-10F; \
            shogi-server then waits for an opponent who does not either",
        );
    }
    Ok(RunSettings {
        host,
        port,
        session: SessionSettings {
            name: account.name.clone(),
            game,
            password,
            pondering,
            sends_comments: !arguments.no_comments && account.comments.unwrap_or(true),
            resign: account.resign_score.map(|score| ResignRule {
                score,
                moves: account.resign_after.unwrap_or(RESIGN_AFTER),
            }),
            delays: delays(&options)?,
        },
        player: PlayerSettings {
            program,
            options,
            ponders,
            ready_timeout: READY_TIMEOUT,
        },
        games: account.games,
    })
}

/// The engine of the command line or of the configuration.
fn engine(arguments: &Arguments, account: &Account) -> anyhow::Result<EngineText> {
    match (&arguments.engine, &account.engine) {
        (Some(engine), _) => Ok(engine.clone()),
        (None, Some(text)) => Ok(text.parse()?),
        (None, None) => Ok(EngineText::default()),
    }
}

fn host_and_port(text: &str, port: Option<u16>) -> anyhow::Result<(String, u16)> {
    match text.rsplit_once(':') {
        // An address of IPv6 has several colons.
        Some((host, number)) if !host.contains(':') => {
            let number = number.parse();
            let number = number.with_context(|| format!("--host {text}: no such port"))?;
            Ok((host.to_owned(), port.unwrap_or(number)))
        }
        _ => Ok((text.to_owned(), port.unwrap_or(PORT))),
    }
}

/// The least delays, which can be set by the options of the engine.
fn delays(options: &[(String, String)]) -> anyhow::Result<Delays> {
    let mut found = [Duration::ZERO; 2];
    for ((name, default), delay) in DELAYS.into_iter().zip(&mut found) {
        let mut set = options.iter().rev();
        let milliseconds = match set.find(|(option, _)| option.eq_ignore_ascii_case(name)) {
            Some((_, value)) => value
                .parse()
                .with_context(|| format!("option {name}: expected milliseconds"))?,
            None => default,
        };
        *delay = Duration::from_millis(milliseconds);
    }
    let [usual, worst] = found;
    Ok(Delays { usual, worst })
}
