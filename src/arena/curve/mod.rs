//! A curve over node limits: the same match several times, each with another number of nodes a
//! move. It shows what a change of engine or network is worth when searches get deeper.
//!
//! | In the folder | Content |
//! |---|---|
//! | `curve.json` | the node limits |
//! | `nodes-2000/` … | the match of each limit, a folder like any other match |
//! | `curve.txt`, `curve.svg` | the results |

mod points;
mod svg;
mod text;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::journal::MatchFolder;
use super::settings::MatchSettings;
use crate::runs::{FolderError, RunFolder, RunKind, read_settings};

pub use points::{Curve, CurvePoint};

/// The files of the folder of a curve.
pub const KIND: RunKind = RunKind {
    noun: "curve over nodes",
    settings: "curve.json",
    journal: "curve.jsonl",
    format: 1,
};

/// What a curve consists of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CurveSettings {
    /// The node limits, in the order in which the matches are played; each once.
    pub nodes: Vec<u64>,
}

impl CurveSettings {
    /// Begins a curve in a folder: all matches exist from then on, without games. `settings` are
    /// those of each match, in the order of the node limits.
    ///
    /// # Errors
    /// The folder holds a curve or a match already, or cannot be written.
    pub fn create(&self, path: &Path, settings: &[MatchSettings]) -> Result<(), FolderError> {
        RunFolder::check_free(path, super::journal::KIND)?;
        RunFolder::check_free(path, KIND)?;
        for (&nodes, settings) in self.nodes.iter().zip(settings) {
            MatchFolder::create(&match_folder(path, nodes), settings)?;
        }
        // Last, so that what a kill leaves before it is no curve.
        RunFolder::create(path, KIND, self)?;
        Ok(())
    }

    /// The curve of a folder.
    ///
    /// # Errors
    /// [`FolderError::Missing`] if there is none, or the file is not valid.
    pub fn read(path: &Path) -> Result<Self, FolderError> {
        read_settings(path, KIND)
    }
}

/// The folder of the match with this node limit.
pub fn match_folder(curve: &Path, nodes: u64) -> PathBuf {
    curve.join(format!("nodes-{nodes}"))
}

#[cfg(test)]
mod tests;
