//! The options of a run that its checkpoint does not have, in a file beside it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use super::three_pieces::FileOptions;
use crate::cli::result_file;

const FILE: &str = "options.json";

/// Options that say where a run begins and what it writes at its end.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Kept {
    /// Text that is added to the description in the network file.
    pub(super) text: String,
    /// The file of the initial weights, as it was given.
    pub(super) begin_with: Option<PathBuf>,
    /// The files of a three-piece evaluation.
    pub(super) pieces: FileOptions,
}

impl Kept {
    /// The options of a command line.
    pub(super) fn of(arguments: &Arguments) -> Self {
        Self {
            text: arguments.course.text.clone(),
            begin_with: arguments.begin_with.clone(),
            pieces: arguments.pieces.file_options(),
        }
    }

    /// Writes the options of a new run.
    pub(super) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        result_file::save(&folder.join(FILE), text.as_bytes())
    }

    /// The options of the run in this folder; `None` if an earlier version began it.
    pub(super) fn read(folder: &Path) -> anyhow::Result<Option<Self>> {
        let path = folder.join(FILE);
        let name = || path.display().to_string();
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(serde_json::from_str(&text).with_context(name)?)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(name),
        }
    }
}
