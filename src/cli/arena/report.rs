//! Output of the result of a match or a run of SPSA: a table or JSON on standard output, and both
//! in the folder.

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::cli::result_file::OwnFiles;
use crate::cli::{output, result_file};

/// The files of a match or a curve in its folder which no result may replace.
const OWN_FILES: &[&str] = &[
    "match.json",
    "games.jsonl",
    "games.sfen",
    "curve.json",
    "curve.jsonl",
    "summary.txt",
];

/// Those files in this folder.
pub(super) const fn own_files(folder: &Path) -> OwnFiles<'_> {
    OwnFiles {
        folder,
        names: OWN_FILES,
    }
}

/// The destination of the JSON; `-` is standard output, where it replaces the table.
#[derive(Args, Clone)]
pub(in crate::cli) struct JsonArguments {
    /// Write the result as JSON to FILE, or to standard output instead of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub(super) json: Option<PathBuf>,
}

impl JsonArguments {
    /// Checks that the file can be written, and is none of the run's own and none of those that are
    /// `read`.
    ///
    /// # Errors
    /// It cannot, or is.
    pub(in crate::cli) fn check(&self, own: &OwnFiles<'_>, read: &[PathBuf]) -> anyhow::Result<()> {
        self.file().map_or(Ok(()), |path| {
            result_file::check_beside(path, "json", own, read.iter().map(PathBuf::as_path))
        })
    }

    /// The file for the JSON, unless that is standard output.
    pub(super) fn file(&self) -> Option<&Path> {
        self.json.as_deref().filter(|_| !self.is_on_stdout())
    }

    fn is_on_stdout(&self) -> bool {
        self.json.as_deref() == Some(Path::new("-"))
    }

    /// Prints the table or the JSON, and writes both to the folder if there is one.
    pub(in crate::cli) fn report<S: Serialize + fmt::Display>(
        &self,
        summary: &S,
        folder: Option<&Path>,
    ) -> anyhow::Result<()> {
        self.report_text(summary, &summary.to_string(), folder)
    }

    /// The same with this text as the table.
    pub(super) fn report_text(
        &self,
        summary: &impl Serialize,
        text: &str,
        folder: Option<&Path>,
    ) -> anyhow::Result<()> {
        let json = serde_json::to_string_pretty(summary)? + "\n";
        let mut files: Vec<(PathBuf, String)> = Vec::new();
        if let Some(folder) = folder {
            files.push((folder.join("summary.json"), json.clone()));
            files.push((folder.join("summary.txt"), format!("{text}\n")));
        }
        let is_stdout = self.is_on_stdout();
        if let Some(path) = self.file() {
            files.push((path.to_owned(), json.clone()));
        }
        // Print first: a full disk must not hide the result. Nor must a reader that is gone keep it
        // from the files.
        let mut out = output::stdout();
        let printed = if is_stdout {
            write!(out, "{json}")
        } else {
            writeln!(out, "{text}")
        };
        let saved = files
            .iter()
            .map(|(path, text)| result_file::save(path, text.as_bytes()));
        let saved: Vec<anyhow::Result<()>> = saved.collect();
        saved.into_iter().collect::<anyhow::Result<()>>()?;
        Ok(printed?)
    }
}
