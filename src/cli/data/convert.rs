//! `raicho convert`: converts games and teacher data to another format.
//!
//! Games as text that stay games as text (CSA, KIF, KI2, JKF, lines of USI) keep their names,
//! times, comments and variations: [`convert_games`]. Everything else goes through records of
//! teacher data.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::{fmt, fs, iter::Peekable, sync::Arc};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use super::{Input, check_output, output_format, report_written, watched};
use crate::cli::arguments::{Named, outputs};
use crate::cli::{output, result_file};
use crate::records::text::{Games, TextEncoding, TextFormat};
use crate::runs::{OutputFile, Stop, is_stream};
use crate::train::data::pass::{self, HeldOut};
use crate::train::data::{Source, Sources};
use crate::util::{AtPath, counted, parse_share};
use crate::{cli::error::ensure_usage, cli::progress::stop_on_ctrl_c, records::game::GameRecord};
use crate::{records::encoding::Lines, records::teacher::Format};

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
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = parse_share,
          requires = "held_out")]
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

pub(in crate::cli) fn run(arguments: &Arguments) -> Result<()> {
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
        None => Format::of_path(path).at(path)?,
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
        let held_out = counted(report.held_out, "position");
        output::eprint_line(format_args!("{held_out} held out"));
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
    fn of(arguments: &Arguments, sources: &Sources) -> Result<Option<Self>> {
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
        Ok(Some(Self { format, encoding, extension, is_folder }))
    }
}

/// A conversion, and what happened so far.
struct Conversion<'a> {
    arguments: &'a Arguments,
    sources: &'a Sources,
    target: &'a Target,
    stop: Arc<Stop>,
    games: usize,
    broken: usize,
    files: usize,
    /// What the format has no room for, and in how many games.
    losses: BTreeMap<String, usize>,
    /// Games with characters that the encoding lacks.
    not_encoded: usize,
}

/// A file that is being written, or standard output.
struct Out {
    path: PathBuf,
    file: Option<OutputFile>,
    games: usize,
    /// The only game that the format has room for, until it is known that no other follows.
    only: Option<GameRecord>,
}

impl Out {
    fn new(path: PathBuf) -> Self {
        Self { path, file: None, games: 0, only: None }
    }
}

fn convert_games(arguments: &Arguments, sources: &Sources, target: &Target) -> Result<()> {
    let mut conversion = Conversion {
        arguments,
        sources,
        target,
        stop: stop_on_ctrl_c()?,
        games: 0,
        broken: 0,
        files: 0,
        losses: BTreeMap::new(),
        not_encoded: 0,
    };
    if target.is_folder {
        conversion.write_folder()?;
    } else {
        conversion.write_file()?;
    }
    conversion.report()
}

impl Conversion<'_> {
    /// Makes a file of each file, or of each game where the format holds only one.
    fn write_folder(&mut self) -> Result<()> {
        ensure_usage!(
            !self.arguments.input.is_stdin(),
            "standard input has no name for a file in a folder: expected --out FILE"
        );
        let folder = &self.arguments.out;
        let extension = &self.target.extension;
        let files = self.sources.files();
        let paths: Vec<&Path> = files.iter().map(|source| source.path.as_path()).collect();
        for (source, stem) in files.iter().zip(result_file::distinct_stems(&paths)) {
            let mut whole = Out::new(folder.join(format!("{stem}.{extension}")));
            self.read(source, |conversion, number, record| {
                fs::create_dir_all(folder).at(folder)?;
                match number.filter(|_| !conversion.target.format.holds_many()) {
                    None => conversion.put(&mut whole, record),
                    Some(number) => {
                        let name = format!("{stem}-{number}.{extension}");
                        let mut own = Out::new(folder.join(name));
                        conversion.put(&mut own, record)?;
                        conversion.finish(own)
                    }
                }
            })?;
            self.finish(whole)?;
        }
        Ok(())
    }

    /// Makes one file of all games.
    fn write_file(&mut self) -> Result<()> {
        let mut out = Out::new(self.arguments.out.clone());
        if self.arguments.input.is_stdin() {
            let lines = Lines::new(std::io::stdin().lock())?;
            let format = match self.arguments.input.files.format {
                Some(format) => format
                    .text()
                    .with_context(|| format!("- is for games as text, found --format {format}"))?,
                None => TextFormat::of_content(lines.ahead()),
            };
            self.visit(format.games(lines), &"-", |conversion, _, record| {
                conversion.put(&mut out, record)
            })?;
        }
        for source in self.sources.files() {
            self.read(source, |conversion, _, record| conversion.put(&mut out, record))?;
        }
        self.finish(out)
    }

    /// Reads the games of a file for `work`, which gets the number of each if there are several.
    fn read(
        &mut self,
        source: &Source,
        work: impl FnMut(&mut Self, Option<usize>, GameRecord) -> Result<()>,
    ) -> Result<()> {
        let name = source.path.display();
        let format = source.format.text().context("a file of games as text")?;
        let open = || Lines::new(fs::File::open(&source.path)?);
        let lines = open().at(&source.path)?;
        let content = TextFormat::of_content(lines.ahead());
        let games = format.games_or(content, lines, open).at(&source.path)?;
        self.visit(games, &name, work)
    }

    /// The games that can be read, for `work`. What is wrong with the others is said.
    fn visit(
        &mut self,
        mut games: Peekable<Games<impl Read>>,
        name: &impl fmt::Display,
        mut work: impl FnMut(&mut Self, Option<usize>, GameRecord) -> Result<()>,
    ) -> Result<()> {
        let mut number = 0;
        while let Some(game) = games.next() {
            ensure!(!self.stop.is_requested(), "interrupted");
            number += 1;
            let has_several = number > 1 || games.peek().is_some();
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
                    work(self, has_several.then_some(number), record)?;
                }
                Err(error) => {
                    self.broken += 1;
                    let error = error.context(format!("{name}: game {number}"));
                    let message = output::message(&error);
                    output::eprint_line(format_args!("error: {message}; the game is skipped"));
                }
            }
        }
        Ok(())
    }

    /// Adds a game to a file.
    fn put(&mut self, out: &mut Out, record: GameRecord) -> Result<()> {
        if self.target.format.holds_many() {
            return self.write(out, &record);
        }
        ensure!(
            out.only.is_none(),
            "{} holds one game, but several were read: give a folder, as in --out FOLDER --to {}",
            out.path.display(),
            self.target.extension
        );
        out.only = Some(record);
        Ok(())
    }

    /// Gives a file its name, if it has a game.
    fn finish(&mut self, mut out: Out) -> Result<()> {
        if let Some(record) = out.only.take() {
            self.write(&mut out, &record)?;
        }
        if let Some(file) = out.file {
            file.finish().at(&out.path)?;
            self.files += 1;
        }
        Ok(())
    }

    /// Writes a game to a file or to standard output.
    fn write(&mut self, out: &mut Out, record: &GameRecord) -> Result<()> {
        let (format, encoding) = (self.target.format, self.target.encoding);
        let mut bytes = match out.games {
            0 => Vec::new(),
            _ => format.separator().as_bytes().to_vec(),
        };
        let mut written = format.write(record, encoding);
        bytes.append(&mut written.bytes);
        out.games += 1;
        self.games += 1;
        self.not_encoded += usize::from(written.encoding != encoding);
        let losses: BTreeSet<String> = format.losses(record).into_iter().collect();
        for loss in losses {
            *self.losses.entry(loss).or_default() += 1;
        }
        if self.arguments.is_to_stdout() {
            return Ok(output::stdout().write_all(&bytes)?);
        }
        let file = match &mut out.file {
            Some(file) => file,
            none => {
                check_output(&out.path, self.arguments.force, self.sources)?;
                none.insert(OutputFile::create(&out.path).at(&out.path)?)
            }
        };
        file.write_all(&bytes).at(&out.path)
    }

    /// Says what was done, and what the format has no room for.
    fn report(&self) -> Result<()> {
        for (loss, games) in &self.losses {
            let format = self.target.format;
            let games = counted(*games, "game");
            output::eprint_line(format_args!("note: {format} has no room for {loss} ({games})"));
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
