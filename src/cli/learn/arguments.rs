//! The command line of `raicho learn`: the files, and the options of the run.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueEnum};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cli::error::{ensure_usage, usage_error};
use crate::cli::result_file;
use crate::runs;
use crate::train::data::Sources;
use crate::train::learn::{FileGroup, InitialWeights, Settings, Source};

/// Number of points of the loss curve, and of checkpoints, in a run.
const POINTS: u64 = 100;

/// The same with `--kind kppt`, whose checkpoints are some hundred megabytes.
const KPPT_POINTS: u64 = 20;

/// Default of `--batch` with `--kind kppt`. Smaller than for networks, because each position moves
/// few of the weights.
const KPPT_BATCH: usize = 4096;

/// Maximum of `--epochs`.
const MOST_EPOCHS: f64 = 1e6;

/// Example: `raicho learn games/*.pack --epochs 30 --fit-scale --out run1`
#[derive(Args)]
#[command(
    before_help = "Example: raicho learn games/*.pack --epochs 30 --fit-scale --out run1",
    after_help = "The folder gets checkpoint.bin, options.json, loss.csv, loss.svg and at the \
        end net.nnue, which EvalFile and --eval accept; with --kind kppt the files of a \
        three-piece evaluation, so that EvalDir and --eval accept the folder. Ctrl-C ends the run \
        after the current step; --resume with the same data continues it."
)]
pub(in crate::cli) struct Arguments {
    /// Files of training data: .pack, .psv, .hcpe, .hcpe3, .psum or .tree; folders stand for all
    /// such files in them
    #[arg(required_unless_present_any = ["resume", "mix"], value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Folder for all files of the run
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: PathBuf,

    /// Resume the run in the folder of --out; nothing else needs to be repeated, and what is must
    /// be the same. The files may have moved, but their names and content must be the same. With
    /// files given, begin the run if the folder has no checkpoint yet
    #[arg(long)]
    pub(super) resume: bool,

    /// Number of threads [default: all]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,

    /// Files with a share of all visits, instead of FILE; repeated for each source: `--mix 3=deep/
    /// --mix 1=bulk.psv` takes three of four positions from the files in the folder deep
    #[arg(
        long,
        value_name = "PARTS=FILE",
        value_parser = parse_mix,
        conflicts_with = "files",
        help_heading = "Data"
    )]
    mix: Vec<(u32, PathBuf)>,

    #[command(flatten)]
    pub(super) options: Options,
}

/// The options that decide what comes out of a run. They are kept beside its checkpoint.
#[derive(Clone, Args, Serialize, Deserialize)]
pub(super) struct Options {
    /// Begin with the weights of a checkpoint or network of the same width instead of random ones;
    /// where its layers are others, with those of its feature transformer
    #[arg(long, value_name = "FILE")]
    begin_with: Option<PathBuf>,

    /// What is trained
    #[arg(long, value_enum, default_value_t)]
    pub(super) kind: Kind,

    #[command(flatten)]
    pub(super) source: Source,

    #[command(flatten)]
    pub(super) settings: Settings,

    /// Number of passes over all positions
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20.0,
        help_heading = "Course"
    )]
    epochs: f64,

    /// Number of visits to positions, instead of --epochs
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "epochs",
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = "Course"
    )]
    visits: Option<u64>,

    /// Use the scale with which the scores predict the results best
    #[arg(long, help_heading = "Course")]
    pub(super) fit_scale: bool,
}

/// What is trained.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
pub(super) enum Kind {
    /// A network of the engine's own shape
    #[default]
    Net,
    /// A three-piece evaluation (KPPT), as Apery and `YaneuraOu` read it
    Kppt,
}

fn parse_mix(text: &str) -> Result<(u32, PathBuf), String> {
    let expected =
        || "expected PARTS=FILE with a whole number of parts, such as 3=games/".to_owned();
    let (parts, path) = text.split_once('=').ok_or_else(expected)?;
    let parts = parts.parse().ok().filter(|&parts| parts > 0);
    let path = Some(path).filter(|path| !path.is_empty());
    Ok((
        parts.ok_or_else(expected)?,
        path.ok_or_else(expected)?.into(),
    ))
}

impl Arguments {
    /// Whether there are files to begin a run with.
    pub(super) fn has_files(&self) -> bool {
        !self.files.is_empty() || !self.mix.is_empty()
    }

    /// The options of a new run, checked, so that wrong ones are refused before any data are read.
    pub(super) fn new_run(&self, given: &Given) -> anyhow::Result<Options> {
        let mut options = self.options.clone();
        options.check_kind()?;
        if options.kind == Kind::Kppt && !given.has("batch") {
            options.settings.batch = KPPT_BATCH;
        }
        options.source.seed = options.settings.seed;
        options.source.lambda_scale = options.settings.scale;
        options.source.validate().map_err(usage_error)?;
        // The number of positions only decides the number of steps.
        options.set_steps(1)?;
        options.settings.validate().map_err(usage_error)?;
        Ok(options)
    }

    /// The training data of a run, wherever its files are now.
    pub(super) fn located(&self, mut source: Source) -> anyhow::Result<Source> {
        if self.has_files() {
            source.groups = self.groups()?;
        }
        let held_out_files = &self.options.source.held_out_files;
        if !held_out_files.is_empty() {
            source.held_out_files = listed(held_out_files)?;
        }
        check_apart(&source)?;
        Ok(source)
    }

    fn groups(&self) -> anyhow::Result<Vec<FileGroup>> {
        if self.mix.is_empty() {
            let files = listed(&self.files)?;
            return Ok(vec![FileGroup { files, parts: 1 }]);
        }
        let group = |&(parts, ref path): &(u32, PathBuf)| {
            let files = listed(std::slice::from_ref(path))?;
            Ok(FileGroup { files, parts })
        };
        self.mix.iter().map(group).collect()
    }
}

impl Options {
    /// Checks that no option is given that is for networks only, where none is trained.
    fn check_kind(&self) -> anyhow::Result<()> {
        if self.kind == Kind::Net {
            return Ok(());
        }
        let default = Settings::default();
        ensure_usage!(
            self.settings.shape == default.shape
                && self.settings.decay.total_cmp(&default.decay).is_eq(),
            "--shape and --decay are for networks, not for --kind kppt"
        );
        ensure_usage!(
            self.begin_with.is_none(),
            "--begin-with is for networks, not for --kind kppt"
        );
        Ok(())
    }

    /// The initial weights of a new run, `None` for random ones.
    pub(super) fn initial_weights(&self) -> anyhow::Result<Option<InitialWeights>> {
        let open = |path: &PathBuf| {
            InitialWeights::open(path, self.settings.shape)
                .with_context(|| path.display().to_string())
        };
        self.begin_with.as_ref().map(open).transpose()
    }

    /// Sets the number of steps for this number of positions.
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 positions")]
    pub(super) fn set_steps(&mut self, positions: u64) -> anyhow::Result<()> {
        let (epochs, batch) = (self.epochs, self.settings.batch.max(1));
        ensure_usage!(
            epochs > 0.0 && epochs <= MOST_EPOCHS,
            "--epochs {epochs}, expected more than 0 and at most {MOST_EPOCHS}"
        );
        let steps = match self.visits {
            Some(visits) => visits.div_ceil(batch as u64),
            None => (positions as f64 * epochs / batch as f64).ceil() as u64,
        };
        let points = match self.kind {
            Kind::Net => POINTS,
            Kind::Kppt => KPPT_POINTS,
        };
        self.settings.steps = steps.max(1);
        self.settings.interval = self.settings.steps.div_ceil(points);
        Ok(())
    }
}

/// Checks that no file is learnt from twice, or both learnt from and held out.
fn check_apart(source: &Source) -> anyhow::Result<()> {
    let mut seen = HashSet::new();
    for path in source.files().chain(&source.held_out_files) {
        // A file that is not there is refused when it is read.
        let place = path.canonicalize().unwrap_or_else(|_| path.clone());
        ensure_usage!(
            seen.insert(place),
            "{} is given twice: expected each file once, to learn from or held out",
            path.display()
        );
    }
    Ok(())
}

/// The files, with folders replaced by the files in them.
fn listed(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let sources = Sources::new(paths, None)?;
    let files = sources.files().iter().map(|file| (file, &file.path));
    // A named file is read or refused; of folders only usable files are taken.
    let files = files.filter(|(file, path)| file.format.has_scores() || paths.contains(path));
    Ok(files.map(|(_, path)| path.clone()).collect())
}

// --- Options of a run that is resumed ---

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
