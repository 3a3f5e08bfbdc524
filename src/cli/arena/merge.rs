//! `raicho match merge`: merges the shards of a match that were played on different machines.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use super::page::PageArguments;
use super::report::{JsonArguments, own_files};
use crate::arena::journal::KIND;
use crate::arena::merge::merge;
use crate::cli::flat_error::flat_error;
use crate::cli::output;
use crate::lang::Lang;

/// Example: `raicho match merge part-0 part-1 part-2 --out whole`
#[derive(Args)]
#[command(before_help = "Example: raicho match merge part-0 part-1 part-2 --out whole")]
pub(super) struct Arguments {
    /// The folders written by `raicho match --shard … --out FOLDER`
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,

    /// Folder for all results and records; without it only the result is shown
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    #[command(flatten)]
    json: JsonArguments,

    #[command(flatten)]
    page: PageArguments,
}

pub(super) fn run(arguments: &Arguments, lang: Lang) -> anyhow::Result<()> {
    // In `--json part-0 part-1` the first folder would be taken for the JSON file, and its games
    // would silently be left out.
    if let Some(path) = arguments.json.json.as_deref().filter(|path| path.is_dir()) {
        let path = path.display();
        bail!("--json {path}: a folder, expected a file, or --json after the folders");
    }
    let files = [KIND.settings, KIND.journal];
    let read = |folder: &PathBuf| files.map(|name| folder.join(name));
    let read: Vec<PathBuf> = arguments.folders.iter().flat_map(read).collect();
    let own = own_files(arguments.out.as_deref().unwrap_or(&arguments.folders[0]));
    arguments.page.check(&arguments.json, &own, &read)?;
    let merged = merge(&arguments.folders).map_err(flat_error)?;
    if merged.entries().is_empty() {
        bail!("no game has been played in these folders");
    }
    if let Some(folder) = &arguments.out {
        merged.write(folder).map_err(flat_error)?;
    }
    let folders: Vec<String> = arguments
        .folders
        .iter()
        .map(|f| f.display().to_string())
        .collect();
    let place = arguments.out.as_ref().map(|out| out.display().to_string());
    let summary = merged
        .summary(&place.unwrap_or_else(|| folders.join(", ")))
        .map_err(flat_error)?;
    let text = summary.text(lang);
    let printed = arguments
        .json
        .report_text(&summary, &text, arguments.out.as_deref());
    arguments.page.write(&arguments.folders, lang)?;
    printed?;
    for note in merged.notes() {
        output::eprint_line(format_args!("note: {note}"));
    }
    Ok(())
}
