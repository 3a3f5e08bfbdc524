//! `raicho completions` and `raicho man`: what a shell and `man` want to know about the command
//! line.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;

use super::output;

/// Example: `raicho completions bash > ~/.local/share/bash-completion/completions/raicho`
#[derive(Args)]
#[command(before_help = "Example: raicho completions bash \
    > ~/.local/share/bash-completion/completions/raicho")]
pub(super) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Example: `raicho man ~/.local/share/man/man1`
#[derive(Args)]
#[command(before_help = "Example: raicho man ~/.local/share/man/man1")]
pub(super) struct Man {
    /// Folder for the pages, one for each subcommand; without it the page of `raicho` goes to
    /// standard output
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// Prints the completions of `command`.
///
/// # Errors
/// Standard output cannot be written.
pub(super) fn completions(arguments: &Completions, mut command: Command) -> anyhow::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "raicho", &mut text);
    Ok(output::print(String::from_utf8_lossy(&text))?)
}

/// Writes the manual pages of `command` and its subcommands.
///
/// # Errors
/// A file or standard output cannot be written.
pub(super) fn man(arguments: &Man, command: Command) -> anyhow::Result<()> {
    let Some(folder) = &arguments.folder else {
        let mut text = Vec::new();
        // `raicho help` has no page of its own.
        let command = command.disable_help_subcommand(true);
        clap_mangen::Man::new(command).render(&mut text)?;
        return Ok(output::print(String::from_utf8_lossy(&text))?);
    };
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    clap_mangen::generate_to(command, folder).with_context(|| folder.display().to_string())
}
