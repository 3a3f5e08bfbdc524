//! Options of a run that is resumed: they are in a file beside its checkpoint, and those given with
//! `--resume` must be the ones that the run began with.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use clap::ArgMatches;
use clap::parser::ValueSource;
use serde_json::Value;

use super::arguments::Options;
use crate::cli::result_file;
use crate::runs;

const FILE: &str = "options.json";

/// Options that may differ, because files may have moved.
const FREE: &str = "held_out_files";

impl Options {
    /// Writes the options of a new run.
    pub(super) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        result_file::save(&folder.join(FILE), text.as_bytes())
    }

    /// The options of the run in this folder.
    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(FILE);
        let name = || path.display().to_string();
        let text = fs::read_to_string(&path).with_context(name)?;
        serde_json::from_str(&text).with_context(|| {
            let name = name();
            format!("{name}: the run was begun by another version of this program")
        })
    }

    /// Checks that the options that were `given` are those that the run began with, `theirs`.
    pub(super) fn check_given(&self, theirs: &Self, given: &Given) -> anyhow::Result<()> {
        let theirs = serde_json::to_value(theirs)?;
        let ours = given.merged(&serde_json::to_value(self)?, &theirs);
        let Some(difference) = runs::difference(&ours, &theirs) else {
            return Ok(());
        };
        let path = difference.split(' ').next().unwrap_or_default();
        let name = path.split('.').find(|name| given.has(name));
        let name = name.unwrap_or(path).replace('_', "-");
        bail!(
            "--{name} is not what the run began with ({difference}): leave it out to resume, or \
             begin another run"
        );
    }
}

/// The names of the arguments that stand in the command line.
pub(in crate::cli) struct Given(HashSet<String>);

impl Given {
    pub(in crate::cli) fn new(matches: Option<&ArgMatches>) -> Self {
        let names = matches.into_iter().flat_map(|matches| {
            let is_given =
                |name: &&str| matches.value_source(name) == Some(ValueSource::CommandLine);
            let names = matches.ids().map(clap::Id::as_str);
            names
                .filter(|name| *name != FREE)
                .filter(is_given)
                .map(str::to_owned)
        });
        Self(names.collect())
    }

    /// Whether an argument is given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// `theirs` with the options of `ours` that are given.
    fn merged(&self, ours: &Value, theirs: &Value) -> Value {
        let Value::Object(fields) = theirs else {
            return theirs.clone();
        };
        let merged = fields.iter().map(|(name, theirs)| {
            let ours = &ours[name];
            let value = if self.has(name) {
                ours.clone()
            } else {
                self.merged(ours, theirs)
            };
            (name.clone(), value)
        });
        merged.collect()
    }
}
