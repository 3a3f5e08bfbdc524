//! How to start an engine.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The command line of an engine, with its working directory and environment.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Program {
    /// The executable: a path relative to our working directory, or a bare name to look up in
    /// `PATH`.
    pub path: PathBuf,
    /// The arguments.
    pub arguments: Vec<String>,
    /// Its working directory; ours if `None`.
    pub directory: Option<PathBuf>,
    /// Environment variables in addition to ours.
    pub environment: Vec<(String, String)>,
}

impl Program {
    /// A program without arguments.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        for argument in &self.arguments {
            write!(f, " {argument}")?;
        }
        Ok(())
    }
}
