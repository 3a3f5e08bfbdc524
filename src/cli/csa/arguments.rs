//! The arguments of `raicho csa` without a subcommand.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;

use crate::arena::engine_text::EngineText;

// This struct is flattened into another one of the same name, whose clap group it must not share.
#[derive(Args)]
#[group(skip)]
#[expect(clippy::struct_excessive_bools, reason = "one for each switch")]
pub(super) struct Arguments {
    /// Server, with its port if it is not 4081
    #[arg(long, value_name = "HOST[:PORT]")]
    pub(super) host: Option<String>,

    /// Port of the server
    #[arg(long, value_name = "PORT")]
    pub(super) port: Option<u16>,

    /// Name of the account
    #[arg(long, value_name = "NAME")]
    pub(super) id: Option<String>,

    /// File with the password in its first line, which nobody else should be able to read. Without
    /// it: the variable `RAICHO_CSA_PASSWORD`, or a question on the terminal
    #[arg(long, value_name = "FILE")]
    pub(super) password_file: Option<PathBuf>,

    /// Environment variable with the password
    #[arg(long, value_name = "NAME", conflicts_with = "password_file")]
    pub(super) password_variable: Option<String>,

    /// Game to wait for, such as floodgate-300-10F; it is sent before the password. Leave it out
    /// where the password itself begins with the game
    #[arg(long, value_name = "NAME")]
    pub(super) game: Option<String>,

    /// Games to finish [default: play for ever]
    #[arg(long, value_name = "N")]
    pub(super) games: Option<NonZero<u64>>,

    /// Configuration file with accounts (TOML); the command line wins over it
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    /// Account of the configuration file [default: the first]; may be repeated, to play with
    /// several at once
    #[arg(long = "account", value_name = "NAME", requires = "config")]
    pub(super) accounts: Vec<String>,

    /// Play with all accounts of the configuration file at once
    #[arg(long, requires = "config", conflicts_with = "accounts")]
    pub(super) all: bool,

    /// Folder for the journal, the records and the log of the dialogue [default: csa-NAME]
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: Option<PathBuf>,

    /// Another engine in place of Raicho: cmd=PROGRAM[,args=WORDS][,dir=FOLDER][,env.NAME=VALUE]
    /// [,option.NAME=VALUE…]
    #[arg(long, value_name = "KEY=VALUE,…", help_heading = "Engine")]
    pub(super) engine: Option<EngineText>,

    /// USI option of the engine; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", help_heading = "Engine")]
    pub(super) options: Vec<String>,

    /// Let the engine ponder
    #[arg(long, help_heading = "Engine")]
    pub(super) ponder: bool,

    /// Send `go ponder` to the engine of --engine before the clocks are known, and the clocks with
    /// `ponderhit`; Raicho itself always does so
    #[arg(long, help_heading = "Engine")]
    pub(super) early_ponder: bool,

    /// Resign at a score of minus this or worse, in centipawns [default: the engine decides]
    #[arg(long, value_name = "CENTIPAWNS", help_heading = "Play")]
    pub(super) resign_score: Option<u32>,

    /// Own moves in a row with such a score before it resigns [default: 3]
    #[arg(long, value_name = "N", help_heading = "Play")]
    pub(super) resign_after: Option<NonZero<u32>>,

    /// Send no scores and lines with the moves
    #[arg(long, help_heading = "Play")]
    pub(super) no_comments: bool,

    /// Print the board after each move
    #[arg(long)]
    pub(super) board: bool,

    /// Print lines in place of the full-screen view, which needs a terminal
    #[arg(long)]
    pub(super) no_screen: bool,
}
