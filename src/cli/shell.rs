//! `raicho completions` and `raicho man`: what a shell and `man` want to know about the command
//! line.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;

use super::output;
use crate::util::AtPath;

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
    // `raicho help` has no page of its own.
    let mut command = command.disable_help_subcommand(true);
    let Some(folder) = &arguments.folder else {
        let mut text = Vec::new();
        page(&command).render(&mut text)?;
        return Ok(output::print(String::from_utf8_lossy(&text))?);
    };
    std::fs::create_dir_all(folder).at(folder)?;
    command.build();
    pages(&command, folder).at(folder)
}

/// Writes the pages of `command` and of all its subcommands.
fn pages(command: &Command, folder: &Path) -> io::Result<()> {
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        pages(subcommand, folder)?;
    }
    page(command).generate_to(folder).map(drop)
}

/// The page of `command`, with the version of the program in its footer.
fn page(command: &Command) -> clap_mangen::Man {
    clap_mangen::Man::new(command.clone())
        .source(concat!("raicho ", env!("CARGO_PKG_VERSION")))
        .manual("Raicho")
}
