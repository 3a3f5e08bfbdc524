//! Arguments that several commands share, and how their values are read: long work that is kept and
//! divided, limits of searches, evaluations, positions, times, shares, and names from a list.

use std::path::{Path, PathBuf};
use std::{collections::HashSet, error::Error, marker::PhantomData, str::FromStr, time::Duration};
use std::{ffi::OsStr, ops::Deref};

use anyhow::{Result, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};
use serde::{Serialize, de::DeserializeOwned};

use crate::arena::time_control::{doubt_base_and_increment, parse_base_and_increment};
use crate::engine::{Engine, EvalFile, PositionError, load_evaluator};
use crate::runs::{FolderError, RunFolder, RunKind, Shard, Stop};
use crate::util::{AtPath, BareNumber, crowding, read_file, read_stream, shorten};
use crate::{arena::settings::EngineText, records::teacher::Format, records::text::TextFormat};
use crate::{cli::output, eval::Evaluator, position::SfenError};

/// Long work of one machine.
#[derive(Args)]
#[command(next_help_heading = "Long work")]
pub(super) struct KeptWork {
    /// Folder that stores each finished piece, so that the work can be resumed after a kill
    #[arg(long, value_name = "FOLDER")]
    work: Option<PathBuf>,

    /// Resume the work in the folder of --work; begin it if the folder has none yet
    #[arg(long, requires = "work")]
    resume: bool,
}

/// Long work that can be divided among machines.
#[derive(Args)]
#[command(next_help_heading = "Long work")]
pub(super) struct WorkArguments {
    #[command(flatten)]
    kept: KeptWork,

    /// Do only shard I of N, such as 3/16
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
}

impl WorkArguments {
    /// The shard that is done here.
    pub(super) fn shard(&self) -> Shard {
        self.shard.unwrap_or(Shard::WHOLE)
    }
}

impl Deref for WorkArguments {
    type Target = KeptWork;

    fn deref(&self) -> &KeptWork {
        &self.kept
    }
}

impl KeptWork {
    /// Opens the folder, if one was requested, and returns the journal entries that it holds.
    ///
    /// # Errors
    /// The folder holds other work, or cannot be read or written.
    pub(super) fn open<S: Serialize + DeserializeOwned, E: DeserializeOwned>(
        &self,
        kind: RunKind,
        settings: &S,
    ) -> Result<(Option<RunFolder>, Vec<E>), FolderError> {
        let Some(path) = &self.work else {
            return Ok((None, Vec::new()));
        };
        if self.resume && RunFolder::exists(path, kind) {
            let (folder, entries) = RunFolder::resume_same(path, kind, settings, |_: &E| true)?;
            return Ok((Some(folder), entries));
        }
        Ok((Some(RunFolder::create(path, kind, settings)?), Vec::new()))
    }

    /// Fails if the work was interrupted, so that a script does not take a part for the whole.
    pub(super) fn check_complete(&self, stop: &Stop) -> Result<()> {
        let advice =
            if self.work.is_some() { "; the same command with --resume continues" } else { "" };
        ensure!(!stop.is_requested(), "interrupted{advice}");
        Ok(())
    }
}

/// The names of the arguments that stand in the command line of a subcommand.
pub(super) struct Given(HashSet<String>);

impl Given {
    pub(super) fn new(matches: Option<&ArgMatches>) -> Self {
        let names = matches.into_iter().flat_map(|matches| {
            let is_given =
                |name: &&str| matches.value_source(name) == Some(ValueSource::CommandLine);
            let names = matches.ids().map(clap::Id::as_str);
            names.filter(is_given).map(str::to_owned)
        });
        Self(names.collect())
    }

    /// Whether an argument is given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// Searches of many games or positions at a time.
#[derive(Args)]
pub(super) struct WorkerArguments {
    /// Evaluation: `<embedded>`, `<material>`, or a network file or its folder
    #[arg(long, value_name = "EVAL", default_value = "<embedded>")]
    eval: String,

    /// Number of games or positions at a time, each on one core
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

impl WorkerArguments {
    /// The requested evaluation with a checksum of its weights, and the evaluation.
    ///
    /// # Errors
    /// The file cannot be used.
    pub(super) fn evaluation(&self) -> Result<(String, Evaluator)> {
        let (choice, evaluator) = load_evaluation(&self.eval)?;
        Ok((evaluation_identity(&choice, &evaluator), evaluator))
    }

    /// The number of threads; says so where they are more than the processor bears.
    pub(super) fn threads(&self) -> usize {
        let threads = self.threads.into();
        warn_of_crowding(threads);
        threads
    }
}

/// Says so where threads are more than the processor bears.
pub(super) fn warn_of_crowding(threads: usize) {
    warn_of(crowding(threads));
}

/// Bytes of the megabytes on the command line and in the progress of data tools.
pub(super) const BYTES_PER_MEGABYTE: u64 = crate::util::BYTES_PER_MEGABYTE as u64;

/// How much memory a sort may take.
#[derive(Args)]
pub(super) struct SortMemory {
    /// Memory in MB; what does not fit is sorted in files beside the output
    #[arg(long = "memory", value_name = "MB", default_value_t = 1024,
          value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    megabytes: u64,
}

impl SortMemory {
    /// The memory in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.megabytes * BYTES_PER_MEGABYTE
    }
}

/// Loads the evaluation that `--eval` names. Warnings about the file go to standard error.
///
/// # Errors
/// The file cannot be used.
pub(super) fn load_evaluation(text: &str) -> Result<(EvalFile, Evaluator)> {
    let choice = match text {
        // Without angle brackets, which need quotes in a shell.
        "material" => EvalFile::Material,
        other => EvalFile::from(other),
    };
    let (evaluator, problems) = load_evaluator(&choice)?;
    for problem in problems {
        output::eprint_line(format_args!("note: {problem}"));
    }
    Ok((choice, evaluator))
}

/// The requested evaluation and a checksum of its weights: a run is not resumed with others.
pub(super) fn evaluation_identity(choice: &EvalFile, evaluator: &Evaluator) -> String {
    let network = match evaluator {
        Evaluator::Material => return choice.to_string(),
        Evaluator::Kppt(model) => {
            return format!("{choice}, checksum {:08x}", model.tables().checksum());
        }
        Evaluator::Nnue(model) => model.network(),
    };
    // Not all networks of other programs can be written; their text says at least what they are.
    match network.checksum() {
        Some(checksum) => format!("{choice}, checksum {checksum:08x}"),
        None => format!("{choice}, {}", network.text()),
    }
}

/// Sets the position of a text such as follows the USI command `position`.
///
/// # Errors
/// It is not such a text.
pub(super) fn set_position(engine: &mut Engine, text: &str) -> Result<()> {
    let text = text.strip_prefix("position ").unwrap_or(text);
    let (start, moves) = text.split_once(" moves").unwrap_or((text, ""));
    let start = start.trim().strip_prefix("sfen ").unwrap_or(start.trim());
    let moves: Vec<String> = moves.split_whitespace().map(str::to_owned).collect();
    let sfen = (start != "startpos").then_some(start);
    engine.set_position(sfen, &moves).map_err(|error| match error {
        // Its message has the text already.
        PositionError::Sfen(SfenError::Fields { .. }) => error.into(),
        _ => anyhow::Error::new(error).context(format!("'{}'", shorten(text))),
    })
}

/// The bytes of a file; `-` is standard input.
///
/// # Errors
/// It cannot be read.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        return Ok(read_stream(std::io::stdin().lock())?);
    }
    read_file(path).at(path)
}

/// The names of files or folders, with commas between them.
pub(super) fn list_of(paths: &[PathBuf]) -> String {
    let names = paths.iter().map(|path| path.display().to_string());
    names.collect::<Vec<_>>().join(", ")
}

/// The lines of a text that say something, trimmed, with their numbers from 1: neither blank ones
/// nor those that begin with `#`. Some editors begin a file with a byte order mark.
pub(super) fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    (1..).zip(lines).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// A parser of durations, which warns of an absurd number without a unit.
pub(super) fn time(bare: BareNumber) -> impl Fn(&str) -> Result<Duration, String> + Clone {
    move |text| {
        warn_of(bare.doubt(text));
        bare.parse(text)
    }
}

/// Parses `BASE+INCREMENT` with the same warning.
pub(super) fn parse_clock(text: &str) -> Result<(Duration, Duration), String> {
    warn_of(doubt_base_and_increment(text));
    parse_base_and_increment(text)
}

/// Parses the text of an engine with the same warning.
pub(super) fn parse_engine(text: &str) -> Result<EngineText, String> {
    let engine: EngineText = text.parse()?;
    warn_of(engine.doubts.clone());
    Ok(engine)
}

fn warn_of(doubts: impl IntoIterator<Item = String>) {
    for doubt in doubts {
        output::eprint_line(format_args!("warning: {doubt}"));
    }
}

/// Parses a `T` by its own rules, which may know more than the names that are listed.
#[derive(Clone)]
pub(super) struct Named<T> {
    names: Vec<&'static str>,
    kind: PhantomData<T>,
}

impl<T> Named<T> {
    /// With the names to list.
    pub(super) fn new(names: impl IntoIterator<Item = &'static str>) -> Self {
        Self { names: names.into_iter().collect(), kind: PhantomData }
    }
}

impl<T> TypedValueParser for Named<T>
where
    T: FromStr<Err: Into<Box<dyn Error + Send + Sync>>> + Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        str::parse::<T>.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().map(PossibleValue::new)))
    }
}

/// A parser of names that stand for values.
pub(super) fn one_of<T: Copy + Send + Sync + 'static>(
    names: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let value_of = |text: String| names.iter().find(|(name, _)| *name == text).map(|row| row.1);
    PossibleValuesParser::new(names.iter().map(|(name, _)| *name))
        .map(move |text| value_of(text).expect("the parser takes listed names only"))
}

/// The names of formats to read.
pub(super) fn formats() -> Vec<&'static str> {
    Format::ALL.map(Format::name).into()
}

/// The names of formats to write.
pub(super) fn writable_formats() -> Vec<&'static str> {
    let writable = Format::ALL.iter().filter(|format| format.is_writable());
    writable.map(|format| format.name()).collect()
}

/// The names of formats to write games or teacher data as.
pub(super) fn outputs() -> Vec<&'static str> {
    let mut names: Vec<&str> = TextFormat::names().collect();
    let others = writable_formats();
    names.extend(others.iter().filter(|name| TextFormat::of_name(name).is_none()));
    names
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::lang::Lang;

    #[derive(Parser)]
    struct Arguments {
        #[arg(long, value_parser = Named::<Lang>::new(["ja", "en"]))]
        lang: Option<Lang>,
    }

    #[test]
    fn names_are_listed_and_others_are_refused_in_the_words_of_their_type() {
        let parse = |name| Arguments::try_parse_from(["raicho", "--lang", name]);
        let lang = |name| parse(name).ok().and_then(|arguments| arguments.lang);
        assert_eq!(lang("ja"), Some(Lang::Ja));
        assert_eq!(lang("English"), Some(Lang::En), "more than the list");
        let error = parse("fr").err().map(|error| error.to_string());
        assert!(
            error.is_some_and(|error| error.contains("unknown language 'fr'")),
            "not the words of the type"
        );
    }

    #[test]
    fn each_listed_format_can_be_written() {
        for name in outputs() {
            let is_text = TextFormat::of_name(name).is_some();
            let is_writable = name.parse().is_ok_and(Format::is_writable);
            assert!(is_text || is_writable, "{name}");
        }
        assert!(outputs().contains(&"pack") && !writable_formats().contains(&"kif"));
    }
}
