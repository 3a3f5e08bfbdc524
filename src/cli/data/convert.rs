//! `raicho convert`: converts games and teacher data to another format.
//!
//! Games as text that stay games as text (CSA, KIF, KI2, JKF, lines of USI) keep their names,
//! times, comments and variations: [`convert_games`]. Everything else goes through records of
//! teacher data.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use anyhow::{Context, bail, ensure};
use clap::Args;

use super::{Input, check_output, output_format, report_written, watched};
use crate::cli::arguments::{Named, outputs};
use crate::cli::error::ensure_usage;
use crate::cli::progress::stop_on_ctrl_c;
use crate::cli::{output, result_file};
use crate::records::game::GameRecord;
use crate::records::teacher::Format;
use crate::records::text::{TextEncoding, TextFormat};
use crate::records::{RecordError, encoding};
use crate::runs::{OutputFile, Stop, is_stream};
use crate::train::data::pass::{self, HeldOut};
use crate::train::data::{Source, Sources};
use crate::util::{counted, parse_share};

/// Example: `raicho convert game.csa --out game.kif`
#[derive(Args)]
#[command(before_help = "Example: raicho convert game.csa --out game.kif\n\
                   Example: raicho convert records/ --out as-ki2/ --to ki2\n\
                   Example: raicho convert - --out - --to kifu\n\
                   Example: raicho convert games.pack --out positions.psv --held-out test.pack")]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    input: Input,

    /// File to write; the extension determines the format. For games as text, a folder makes a file
    /// of each file that is read, and `-` with --to writes to standard output
    #[arg(long, value_name = "OUT")]
    out: PathBuf,

    /// Format of the output, regardless of its name, and the files in a folder: kif and ki2 are in
    /// Shift JIS, kifu and ki2u in UTF-8
    #[arg(long, value_name = "FORMAT", value_parser = Named::<String>::new(outputs()))]
    to: Option<String>,

    /// Overwrite existing output files
    #[arg(long)]
    force: bool,

    /// Skip games in which the reader has to guess, as those that cannot be read; without it the
    /// guess is noted
    #[arg(long)]
    strict: bool,

    /// Write only positions with a king in the promotion zone
    #[arg(long)]
    entered_kings: bool,

    /// File for games that are held out from training; the extension determines the format
    #[arg(long, value_name = "FILE")]
    held_out: Option<PathBuf>,

    /// Share of the games that are held out
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.01,
        value_parser = parse_share,
        requires = "held_out"
    )]
    held_out_share: f64,
}

impl Arguments {
    fn is_to_stdout(&self) -> bool {
        self.out.as_os_str() == "-"
    }

    /// The option, if one is given, that only teacher data has.
    fn for_teacher_data(&self) -> Option<&'static str> {
        if self.entered_kings {
            return Some("--entered-kings");
        }
        self.held_out.is_some().then_some("--held-out")
    }
}

pub(in crate::cli) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let sources = if arguments.input.is_stdin() {
        Sources::new(&[], None)?
    } else {
        arguments.input.sources()?
    };
    if let Some(target) = Target::of(arguments, &sources)? {
        return convert_games(arguments, &sources, &target);
    }
    ensure_usage!(
        !arguments.input.is_stdin(),
        "- is for games as text, and --out for one of kif, kifu, ki2, ki2u, csa, jkf or usi"
    );
    ensure_usage!(
        !arguments.strict,
        "--strict is for games as text, and --out for one of kif, kifu, ki2, ki2u, csa, jkf or usi"
    );
    ensure_usage!(
        !arguments.is_to_stdout(),
        "--out - is for games as text, with --to kif, kifu, ki2, ki2u, csa, jkf or usi: expected \
         the name of a file"
    );
    let path = &arguments.out;
    let format = match &arguments.to {
        Some(name) => name.parse()?,
        None => Format::of_path(path).with_context(|| path.display().to_string())?,
    };
    check_output(path, arguments.force, &sources)?;
    let sources = sources.for_output(format);
    let mut destination = pass::Destination {
        output: Some((path.clone(), format)),
        held_out: None,
        entered_kings: arguments.entered_kings,
    };
    if let Some(path) = &arguments.held_out {
        result_file::check_apart(("--out", &arguments.out), ("--held-out", path))?;
        destination.held_out = Some(HeldOut {
            path: path.clone(),
            format: output_format(path, arguments.force, &sources)?,
            share: arguments.held_out_share,
            seed: 1,
        });
    }
    let report = watched(|watch| pass::run(&sources, &destination, watch))?;
    report_written(&report, report.tally.written);
    if arguments.held_out.is_some() {
        output::eprint_line(format_args!(
            "{} held out",
            counted(report.held_out, "position")
        ));
    }
    Ok(())
}

// --- Games as text to games as text ---

/// What is to be written.
#[derive(Clone, Debug)]
struct Target {
    format: TextFormat,
    encoding: TextEncoding,
    /// The extension of files in a folder.
    extension: String,
    /// Whether each file that is read becomes a file in a folder.
    is_folder: bool,
}

impl Target {
    /// The target, if all files are games as text and the output is too; `None` for teacher data.
    ///
    /// # Errors
    /// An option of teacher data is given, and the games have more than teacher data can say.
    fn of(arguments: &Arguments, sources: &Sources) -> anyhow::Result<Option<Self>> {
        let out = &arguments.out;
        let extension = arguments.to.clone().or_else(|| {
            let extension = out.extension()?;
            Some(extension.to_string_lossy().into_owned())
        });
        let extension = extension.unwrap_or_default().to_ascii_lowercase();
        let Some((format, encoding)) = TextFormat::of_name(&extension) else {
            return Ok(None);
        };
        let mut files = sources.files().iter();
        if !files.all(|file| file.format.text().is_some()) {
            return Ok(None);
        }
        if let Some(option) = arguments.for_teacher_data() {
            // Lines of moves are teacher data too.
            ensure_usage!(
                format == TextFormat::Usi,
                "{option} is for teacher data, where names and times of games are lost: expected \
                 --out in one of its formats, such as .pack, or .usi"
            );
            return Ok(None);
        }
        let text = out.as_os_str().to_string_lossy();
        let is_open = arguments.is_to_stdout() || is_stream(out);
        let names_no_file = arguments.to.is_some() && out.extension().is_none() && !is_open;
        let is_folder = out.is_dir() || text.ends_with(['/', '\\']) || names_no_file;
        Ok(Some(Self {
            format,
            encoding,
            extension,
            is_folder,
        }))
    }
}

/// A game and, if its file has several, its number there.
type Found = (Option<usize>, GameRecord);

/// A conversion, and what happened so far.
struct Conversion<'a> {
    arguments: &'a Arguments,
    sources: &'a Sources,
    target: &'a Target,
    games: usize,
    broken: usize,
    files: usize,
    /// What the format has no room for, and in how many games.
    losses: BTreeMap<String, usize>,
    /// Games with characters that the encoding lacks.
    not_encoded: usize,
}

fn convert_games(arguments: &Arguments, sources: &Sources, target: &Target) -> anyhow::Result<()> {
    let stop = stop_on_ctrl_c()?;
    let mut conversion = Conversion {
        arguments,
        sources,
        target,
        games: 0,
        broken: 0,
        files: 0,
        losses: BTreeMap::new(),
        not_encoded: 0,
    };
    if target.is_folder {
        conversion.write_folder(&stop)?;
    } else {
        conversion.write_file()?;
    }
    conversion.report()?;
    ensure!(!stop.is_requested(), "interrupted");
    Ok(())
}

impl Conversion<'_> {
    /// Makes a file of each file.
    fn write_folder(&mut self, stop: &Stop) -> anyhow::Result<()> {
        ensure_usage!(
            !self.arguments.input.is_stdin(),
            "standard input has no name for a file in a folder: expected --out FILE"
        );
        let files = self.sources.files();
        let paths: Vec<&Path> = files.iter().map(|source| source.path.as_path()).collect();
        for (source, stem) in files.iter().zip(result_file::distinct_stems(&paths)) {
            if stop.is_requested() {
                break;
            }
            let games = self.read(source)?;
            self.write_each(&stem, games)?;
        }
        Ok(())
    }

    /// Makes one file of all games.
    fn write_file(&mut self) -> anyhow::Result<()> {
        let mut games = Vec::new();
        if self.arguments.input.is_stdin() {
            games = self.read_stdin()?;
        }
        for source in self.sources.files() {
            games.append(&mut self.read(source)?);
        }
        let games: Vec<GameRecord> = games.into_iter().map(|(_, record)| record).collect();
        let (count, out) = (games.len(), &self.arguments.out);
        ensure!(
            count <= 1 || self.target.format.holds_many(),
            "{} holds one game, but {count} were read: give a folder, as in --out FOLDER --to {}",
            out.display(),
            self.target.extension
        );
        if count > 0 {
            self.write(out, &games)?;
        }
        Ok(())
    }

    /// Reads the games of a file, and says what is wrong with those that cannot be read.
    fn read(&mut self, source: &Source) -> anyhow::Result<Vec<Found>> {
        let name = source.path.display();
        let bytes = fs::read(&source.path).with_context(|| name.to_string())?;
        let format = source.format.text().context("a file of games as text")?;
        let text = encoding::decode(&bytes);
        let games = format.read_or(TextFormat::of_content(&text), &text);
        Ok(self.good(games, &name))
    }

    /// Reads the games of standard input.
    fn read_stdin(&mut self) -> anyhow::Result<Vec<Found>> {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes)?;
        let text = encoding::decode(&bytes);
        let format = match self.arguments.input.files.format {
            Some(format) => format
                .text()
                .with_context(|| format!("- is for games as text, found --format {format}"))?,
            None => TextFormat::of_content(&text),
        };
        Ok(self.good(format.read_text(&text), &"-"))
    }

    /// The games that could be read. What is wrong with the others is said.
    fn good(
        &mut self,
        found: Vec<Result<GameRecord, RecordError>>,
        name: &impl fmt::Display,
    ) -> Vec<Found> {
        let mut games = Vec::new();
        let has_several = found.len() > 1;
        for (game, number) in found.into_iter().zip(1..) {
            let game = game.map_err(anyhow::Error::from);
            let game = game.and_then(|record| match record.readings.first() {
                Some(reading) if self.arguments.strict => {
                    bail!("{reading}, which --strict refuses")
                }
                _ => Ok(record),
            });
            match game {
                Ok(record) => {
                    for note in record.notes() {
                        output::eprint_line(format_args!("note: {name}: {note}"));
                    }
                    let number = has_several.then_some(number);
                    games.push((number, record));
                }
                Err(error) => {
                    self.broken += 1;
                    let error = error.context(format!("{name}: game {number}"));
                    let message = output::message(&error);
                    output::eprint_line(format_args!("error: {message}; the game is skipped"));
                }
            }
        }
        games
    }

    /// Writes the games of a file, each to a file of its own where the format holds only one.
    fn write_each(&mut self, stem: &str, games: Vec<Found>) -> anyhow::Result<()> {
        let folder = &self.arguments.out;
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let extension = &self.target.extension;
        if self.target.format.holds_many() {
            let games: Vec<GameRecord> = games.into_iter().map(|(_, record)| record).collect();
            if games.is_empty() {
                return Ok(());
            }
            return self.write(&folder.join(format!("{stem}.{extension}")), &games);
        }
        for (number, record) in &games {
            let name = match number {
                Some(number) => format!("{stem}-{number}.{extension}"),
                None => format!("{stem}.{extension}"),
            };
            self.write(&folder.join(name), std::slice::from_ref(record))?;
        }
        Ok(())
    }

    /// Writes games to a file, which gets its name when it is complete, or to standard output.
    fn write(&mut self, path: &Path, games: &[GameRecord]) -> anyhow::Result<()> {
        let bytes = self.bytes_of(games);
        if self.arguments.is_to_stdout() {
            output::stdout().write_all(&bytes)?;
            return Ok(());
        }
        check_output(path, self.arguments.force, self.sources)?;
        let name = || path.display().to_string();
        let mut file = OutputFile::create(path).with_context(name)?;
        file.write_all(&bytes).with_context(name)?;
        file.finish().with_context(name)?;
        self.files += 1;
        Ok(())
    }

    fn bytes_of(&mut self, games: &[GameRecord]) -> Vec<u8> {
        let Target {
            format, encoding, ..
        } = self.target;
        let mut bytes = Vec::new();
        for (index, game) in games.iter().enumerate() {
            if index > 0 {
                bytes.extend_from_slice(format.separator().as_bytes());
            }
            let mut written = format.write(game, *encoding);
            bytes.append(&mut written.bytes);
            self.games += 1;
            self.not_encoded += usize::from(written.encoding != *encoding);
            let losses: BTreeSet<String> = format.losses(game).into_iter().collect();
            for loss in losses {
                *self.losses.entry(loss).or_default() += 1;
            }
        }
        bytes
    }

    /// Says what was done, and what the format has no room for.
    fn report(&self) -> anyhow::Result<()> {
        for (loss, games) in &self.losses {
            let format = self.target.format;
            let games = counted(*games, "game");
            output::eprint_line(format_args!(
                "note: {format} has no room for {loss} ({games})"
            ));
        }
        if self.not_encoded > 0 {
            let games = counted(self.not_encoded, "game");
            output::eprint_line(format_args!(
                "note: Shift JIS lacks letters of {games}, written in UTF-8"
            ));
        }
        let games = counted(self.games, "game");
        let place = if self.arguments.is_to_stdout() {
            "standard output".to_owned()
        } else {
            counted(self.files, "file")
        };
        output::eprint_line(format_args!("{games} written to {place}"));
        if self.broken > 0 {
            let broken = counted(self.broken, "game");
            bail!("{broken} could not be read");
        }
        Ok(())
    }
}
