//! The command line: one program, `raicho`, whose default is the USI engine.
//!
//! Each subcommand is a file with its arguments and `run`. Errors end here, as one readable chain on stderr.

mod analyze;
mod arena;
mod bench;
mod data;
mod evaluation;
mod flat_error;
mod gensfen;
mod interrupt;
mod learn;
mod mate;
mod net;
mod perft;
mod progress;
mod share;
mod spsa;
mod usi;
mod work;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Raicho (雷鳥), a USI shogi engine. Without a subcommand it speaks USI on standard input and output.
#[derive(Parser)]
#[command(name = "raicho", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Show positions and their best lines, for people
    Analyze(analyze::Arguments),
    /// Search fixed positions; the node count identifies a version
    Bench(bench::Arguments),
    /// Turn teacher data and games from one format into another
    Convert(data::convert::Arguments),
    /// Write each position of teacher data once, with the mean of its scores
    Dedup(data::dedup::Arguments),
    /// Make teacher data: games of the engine against itself
    Gensfen(Box<gensfen::Arguments>),
    /// Train a network from teacher data
    Learn(Box<learn::Arguments>),
    /// Let engines play against each other, with error bars and a referee who knows all the rules
    Match(Box<arena::Arguments>),
    /// Solve tsume problems: find mates by checks alone
    Mate(mate::Arguments),
    /// Make and show networks, for tests
    #[command(hide = true)]
    Net(net::Arguments),
    /// Count the leaves of the tree of legal moves
    Perft(perft::Arguments),
    /// Choose positions for `gensfen` to begin from, out of games such as those of floodgate
    Roots(data::roots::Arguments),
    /// Put the positions of teacher data into random order
    Shuffle(data::shuffle::Arguments),
    /// Tune the numbers of an engine by games against itself
    Spsa(Box<spsa::Arguments>),
    /// Count what is in teacher data
    Stats(data::stats::Arguments),
    /// Speak USI, which is also what happens without a subcommand
    #[command(before_help = "Example: raicho usi")]
    Usi,
    /// Find the bad records of teacher data, and write the good ones
    Validate(data::validate::Arguments),
}

/// Runs what the command line asks for. Success is 0, an error 1, a command line that makes no sense 2.
pub fn run() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Some(Command::Analyze(arguments)) => analyze::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
        Some(Command::Convert(arguments)) => data::convert::run(&arguments),
        Some(Command::Dedup(arguments)) => data::dedup::run(&arguments),
        Some(Command::Gensfen(arguments)) => gensfen::run(&arguments),
        Some(Command::Learn(arguments)) => learn::run(&arguments),
        Some(Command::Match(arguments)) => arena::run(&arguments),
        Some(Command::Mate(arguments)) => mate::run(&arguments),
        None | Some(Command::Usi) => usi::run(),
        Some(Command::Net(arguments)) => net::run(&arguments),
        Some(Command::Perft(arguments)) => perft::run(&arguments),
        Some(Command::Roots(arguments)) => data::roots::run(&arguments),
        Some(Command::Shuffle(arguments)) => data::shuffle::run(&arguments),
        Some(Command::Spsa(arguments)) => spsa::run(&arguments),
        Some(Command::Stats(arguments)) => data::stats::run(&arguments),
        Some(Command::Validate(arguments)) => data::validate::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the reader of our output went away, which is no error: `raicho perft 3 --divide | head`.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
