//! Output of the result of a match or a run of SPSA: a table or JSON on standard output, and both
//! in the folder.

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::cli::{output, result_file};

/// The destination of the JSON; `-` is standard output, where it replaces the table.
#[derive(Args, Clone)]
pub(in crate::cli) struct JsonArguments {
    /// Write the result as JSON to FILE, or to standard output instead of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub(super) json: Option<PathBuf>,
}

impl JsonArguments {
    /// Checks that the file can be written, and is none of those that are `read`.
    ///
    /// # Errors
    /// It cannot, or is.
    pub(in crate::cli) fn check(&self, read: &[PathBuf]) -> anyhow::Result<()> {
        match &self.json {
            Some(path) if !self.is_on_stdout() => {
                result_file::check_kind(path, "json", read.iter().map(PathBuf::as_path))
            }
            _ => Ok(()),
        }
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
        if let Some(path) = self.json.as_ref().filter(|_| !is_stdout) {
            files.push((path.clone(), json.clone()));
        }
        // Print first: a full disk must not hide the result.
        let mut out = output::stdout();
        if is_stdout {
            write!(out, "{json}")?;
        } else {
            writeln!(out, "{text}")?;
        }
        for (path, text) in files {
            result_file::save(&path, text.as_bytes())?;
        }
        Ok(())
    }
}
