//! `raicho match`: engines against each other.

mod merge;
mod openings;
mod play;
mod progress;
mod settings;

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand};
use serde::Serialize;

pub(super) use settings::{EngineArguments, OpeningArguments, RuleArguments};

/// Example: `raicho match --engine cmd=./new --engine cmd=./old --tc 10+0.1 --games 200 --out new-old`
#[derive(Args)]
#[command(
    before_help = "Example: raicho match --engine cmd=./new,option.USI_Hash=64 --engine cmd=./old --tc 10+0.1 --games 200 --out new-old",
    args_conflicts_with_subcommands = true
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    play: play::Arguments,
}

#[derive(Subcommand)]
enum Command {
    /// Put the parts of a match together that were played with --shard
    Merge(merge::Arguments),
    /// Write a set of openings
    Openings(openings::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Some(Command::Merge(arguments)) => merge::run(arguments),
        Some(Command::Openings(arguments)) => openings::run(arguments),
        None => play::run(&arguments.play),
    }
}

/// An error of the arena, whose text names its cause already: the chain would say everything twice.
pub(super) fn said(error: impl fmt::Display) -> anyhow::Error {
    anyhow::Error::msg(error.to_string())
}

/// Where the JSON goes: `-` is standard output, where it replaces the table.
#[derive(Args, Clone)]
pub(super) struct Json {
    /// Write the result as JSON to FILE, or to standard output instead of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
}

impl Json {
    /// Prints the table or the JSON, and keeps both in the folder if there is one.
    pub(super) fn report<S: Serialize + fmt::Display>(
        &self,
        summary: &S,
        folder: Option<&Path>,
    ) -> anyhow::Result<()> {
        let json = serde_json::to_string_pretty(summary)? + "\n";
        let mut files: Vec<(PathBuf, String)> = Vec::new();
        if let Some(folder) = folder {
            files.push((folder.join("summary.json"), json.clone()));
            files.push((folder.join("summary.txt"), format!("{summary}\n")));
        }
        let is_stdout = self.json.as_deref() == Some(Path::new("-"));
        if let Some(path) = self.json.as_ref().filter(|_| !is_stdout) {
            files.push((path.clone(), json.clone()));
        }
        // First for the eyes: a full disk must not hide the result.
        let mut out = std::io::stdout().lock();
        if is_stdout {
            write!(out, "{json}")?;
        } else {
            writeln!(out, "{summary}")?;
        }
        for (path, text) in files {
            std::fs::write(&path, text).with_context(|| format!("{}", path.display()))?;
        }
        Ok(())
    }
}
