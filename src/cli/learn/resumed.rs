//! Options of a run that is resumed: those that its checkpoint does not have are in a file beside
//! it, and those given with `--resume` must be the ones that the run began with.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::ArgMatches;
use clap::parser::ValueSource;
use serde::{Deserialize, Serialize};

use super::arguments::{Arguments, FileOptions};
use crate::cli::result_file;
use crate::train::learn::kppt::Options;
use crate::train::learn::{Data, Settings, fit_scale};

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

/// The names of the arguments that stand in the command line.
pub(in crate::cli) struct Given(HashSet<String>);

impl Given {
    pub(in crate::cli) fn new(matches: Option<&ArgMatches>) -> Self {
        let names = matches.into_iter().flat_map(|matches| {
            let is_given =
                |name: &&str| matches.value_source(name) == Some(ValueSource::CommandLine);
            let names = matches.ids().map(clap::Id::as_str);
            names.filter(is_given).map(str::to_owned)
        });
        Self(names.collect())
    }

    /// Checks options against the run, each with whether the run has the same.
    fn check(&self, options: &[(&str, bool)]) -> anyhow::Result<()> {
        let other = options
            .iter()
            .find(|(name, is_same)| !is_same && self.0.contains(*name));
        let name = other.map_or("", |(name, _)| name).replace('_', "-");
        ensure!(
            other.is_none(),
            "--{name} is not what the run began with: leave it out to resume, or begin another run"
        );
        Ok(())
    }

    /// Checks the kind of what is trained.
    pub(super) fn check_kind(&self, is_same: bool) -> anyhow::Result<()> {
        self.check(&[("kind", is_same)])
    }

    /// Checks the options of three-piece evaluations.
    pub(super) fn check_pieces(&self, ours: Options, theirs: Options) -> anyhow::Result<()> {
        self.check(&[
            ("factors", ours.factors == theirs.factors),
            ("king_constants", ours.kings == theirs.kings),
        ])
    }

    /// Checks the options that are kept beside the checkpoint.
    pub(super) fn check_kept(&self, ours: &Kept, theirs: &Kept) -> anyhow::Result<()> {
        let (our_files, their_files) = (ours.pieces, theirs.pieces);
        self.check(&[
            ("text", ours.text == theirs.text),
            ("begin_with", ours.begin_with == theirs.begin_with),
            (
                "spread_kings",
                our_files.spread_kings == their_files.spread_kings,
            ),
            (
                "king_bits",
                our_files.narrow_kings == their_files.narrow_kings,
            ),
            ("kpp_kkpt", our_files.kpp_kkpt == their_files.kpp_kkpt),
        ])
    }

    /// Checks the options of the data and of the course against the checkpoint.
    pub(super) fn check_run(
        &self,
        arguments: &Arguments,
        theirs: &Settings,
        data: &Data,
    ) -> anyhow::Result<()> {
        let fitted = || fit_scale(data.training.iter()).map(|scale| scale.round() as u16);
        let is_fitted = !arguments.course.fit_scale || fitted() == Some(theirs.scale);
        let ours = arguments.settings(data.positions(), theirs.scale)?;
        let steps = arguments.steps(data.positions(), theirs.batch)?;
        let is_scale = arguments.course.scale == Some(theirs.scale);
        let (source, filter) = (arguments.choice()?, data.source.filter);
        self.check(&[
            ("epochs", steps == theirs.steps),
            ("visits", steps == theirs.steps),
            ("batch", ours.batch == theirs.batch),
            ("width", ours.shape == theirs.shape),
            ("shape", ours.shape == theirs.shape),
            ("rate", same(ours.rate.first, theirs.rate.first)),
            ("last_rate", same(ours.rate.last, theirs.rate.last)),
            ("schedule", ours.rate.shape == theirs.rate.shape),
            ("wdl", ours.result_weight == theirs.result_weight),
            ("tree_weight", same(ours.trees.weight, theirs.trees.weight)),
            (
                "tree_full_depth",
                ours.trees.full_depth == theirs.trees.full_depth,
            ),
            ("decay", same(ours.decay, theirs.decay)),
            ("power", same(ours.power, theirs.power)),
            ("scale", is_scale),
            ("fit_scale", is_fitted),
            ("seed", ours.seed == theirs.seed),
            ("held_out", same(source.held_out, data.source.held_out)),
            (
                "lambda",
                same(source.lambda.into(), data.source.lambda.into()),
            ),
            (
                "eval_limit",
                source.filter.score_limit == filter.score_limit,
            ),
            ("min_ply", source.filter.min_ply == filter.min_ply),
            ("buffer", source.window == data.source.window),
            ("max_ply", source.filter.max_ply == filter.max_ply),
            ("tactical", source.filter.tactical == filter.tactical),
        ])
    }
}

/// Whether two numbers are the same, as the header of a checkpoint keeps them.
fn same(ours: f64, theirs: f64) -> bool {
    (ours - theirs).abs() <= f64::EPSILON * ours.abs()
}
