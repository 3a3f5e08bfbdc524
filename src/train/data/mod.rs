//! Tools for files of teacher data: convert, validate, shuffle, remove duplicates, statistics.
//!
//! All of them stream, so files may be of any size. [`Sources`] reads them, one record after the
//! other; an [`Output`] is called `NAME.partial` until it is complete.

pub mod pass;
pub mod sort;
pub mod stats;

use std::fs::{self, File};
use std::io::{BufReader, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fmt};

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use crate::records::teacher::{Format, Record, TeacherError, TeacherReader, TeacherWriter};
use crate::runs::{OutputFile, Watch};
use crate::util::{AtPath, counted};

/// Large, because several files are read and written in turns.
pub(super) const BUFFER: usize = 1 << 18;

/// Records between two looks at the watch.
const WATCH_INTERVAL: u64 = 256;

/// The number of invalid records of a class that are kept as examples.
const EXAMPLES: usize = 5;

// --- Input ---

/// A file to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The path of the file.
    pub path: PathBuf,
    /// What is in it.
    pub format: Format,
    /// Whether it was found in a folder, not named.
    is_found: bool,
}

impl Source {
    /// The size of the file.
    fn bytes(&self) -> Result<u64> {
        let metadata = fs::metadata(&self.path).at(&self.path)?;
        Ok(metadata.len())
    }
}

/// Files to read one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
    needs_results: bool,
    takes_problems: bool,
    skips_bad_records: bool,
}

/// A place between two records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Place {
    /// Index of the file.
    pub file: usize,
    /// Bytes of the file before the place.
    pub offset: u64,
    /// Records of the file before the place.
    pub records: u64,
}

impl Sources {
    /// Takes files, and for a folder all files of a known format below it, in the order of their
    /// paths. Evaluations and books called `.bin` are left out of folders. `format` overrides the
    /// extensions of files that are named directly.
    ///
    /// # Errors
    /// An extension is unknown, or a folder cannot be listed or has no teacher data.
    pub fn new(paths: &[PathBuf], format: Option<Format>) -> Result<Self> {
        let mut sources = Vec::new();
        for path in paths {
            if !path.is_dir() {
                if path.extension().is_none() {
                    // Most likely the name of a folder.
                    fs::metadata(path).at(path)?;
                }
                let found = format.map_or_else(|| Format::of_path(path), Ok);
                sources.push(Source {
                    path: path.clone(),
                    format: found.at(path)?,
                    is_found: false,
                });
                continue;
            }
            let mut files = Vec::new();
            add_folder(path, &mut files)?;
            if files.is_empty() {
                let (path, expected) = (path.display(), Format::names(|_| true));
                bail!("{path}: no file of a known format, expected {expected}");
            }
            files.sort_by(|a, b| a.path.cmp(&b.path));
            sources.append(&mut files);
        }
        Ok(Self { files: sources, ..Self::default() })
    }

    /// Makes games without a result by play or by the rules invalid if `format` has scores and
    /// results to learn from. For lists of positions, tsume problems are valid too.
    #[must_use]
    pub fn for_output(mut self, format: Format) -> Self {
        self.needs_results = format.has_scores();
        self.takes_problems = format == Format::Sfen;
        self
    }

    /// Counts and skips invalid records, of which otherwise the first one is an error.
    #[must_use]
    pub fn skipping_bad_records(mut self, is_skipping: bool) -> Self {
        self.skips_bad_records = is_skipping;
        self
    }

    /// Whether invalid records are skipped.
    pub const fn skips_bad_records(&self) -> bool {
        self.skips_bad_records
    }

    /// Leaves out the files found in folders whose format is not usable, and returns them. If no
    /// usable file remains, all stay.
    pub fn leave_out(&mut self, is_usable: impl Fn(Format) -> bool) -> Vec<Source> {
        if !self.files.iter().any(|file| is_usable(file.format)) {
            return Vec::new();
        }
        let is_other = |file: &mut Source| file.is_found && !is_usable(file.format);
        self.files.extract_if(.., is_other).collect()
    }

    /// The files in the order in which they are read.
    pub fn files(&self) -> &[Source] {
        &self.files
    }

    /// The size of all files.
    ///
    /// # Errors
    /// Where a file is not there.
    pub fn bytes(&self) -> Result<u64> {
        self.files.iter().map(Source::bytes).sum()
    }

    /// Reads the valid records and returns the counts.
    ///
    /// # Errors
    /// A file cannot be opened, the work is stopped, `visit` fails, or a record is invalid and such
    /// records are not skipped.
    pub fn read(
        &self,
        watch: &Watch<'_>,
        mut visit: impl FnMut(&Source, Record) -> Result<()>,
    ) -> Result<Tally> {
        let mut tally = Tally::default();
        self.read_from(Place::default(), watch, |_, source, record| {
            match self.take(&mut tally, source, record)? {
                Some(record) => visit(source, record),
                None => Ok(()),
            }
        })?;
        Ok(tally)
    }

    /// Reads the records from a place on, valid or not. `visit` also gets the place before each.
    ///
    /// # Errors
    /// A file cannot be opened, the work is stopped, or `visit` fails.
    pub(super) fn read_from(
        &self,
        from: Place,
        watch: &Watch<'_>,
        mut visit: impl FnMut(Place, &Source, Result<Record, TeacherError>) -> Result<()>,
    ) -> Result<()> {
        let total = self.bytes()?;
        let before = self.files.iter().take(from.file).map(Source::bytes);
        let mut before: u64 = before.sum::<Result<u64>>()?;
        let mut start = from;
        for source in self.files.iter().skip(from.file) {
            let mut reader = self.open(source, start)?;
            loop {
                let (offset, records) = (reader.offset(), reader.records());
                let place = Place { offset, records, ..start };
                let Some(record) = reader.next() else {
                    break;
                };
                visit(place, source, record)?;
                if (records + 1).is_multiple_of(WATCH_INTERVAL) {
                    watch.advance(before + offset, total)?;
                }
            }
            before += source.bytes()?;
            start = Place { file: start.file + 1, ..Place::default() };
        }
        Ok(watch.advance(total, total)?)
    }

    /// The records of a file from a place on.
    fn open(&self, source: &Source, from: Place) -> Result<TeacherReader<BufReader<File>>> {
        let mut file = File::open(&source.path).at(&source.path)?;
        file.seek(SeekFrom::Start(from.offset)).at(&source.path)?;
        let input = BufReader::with_capacity(BUFFER, file);
        let reader = TeacherReader::resume(input, source.format, from.offset, from.records);
        Ok(match (self.needs_results, self.takes_problems) {
            (true, _) => reader.needing_results(),
            (_, true) => reader.taking_problems(),
            _ => reader,
        })
    }

    /// Counts a record and returns it if it is valid.
    ///
    /// # Errors
    /// It is invalid, and such records are not skipped.
    pub(super) fn take(
        &self,
        tally: &mut Tally,
        source: &Source,
        record: Result<Record, TeacherError>,
    ) -> Result<Option<Record>> {
        match record {
            Ok(record) => {
                tally.records += 1;
                tally.games += u64::from(record.is_game());
                tally.without_move += u64::from(record.is_without_move());
                Ok(Some(record))
            }
            Err(error) if self.skips_bad_records => {
                let class = tally.faults.entry(error.fault.class().to_owned());
                let class = class.or_default();
                class.count += 1;
                if class.examples.len() < EXAMPLES {
                    let path = source.path.display();
                    class.examples.push(format!("{path}: {error}"));
                }
                Ok(None)
            }
            Err(error) => Err(error).at(&source.path),
        }
    }
}

/// Counts of the valid and invalid records of a run.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Tally {
    /// Valid records, which are positions or games.
    pub records: u64,
    /// Valid records that are games.
    pub games: u64,
    /// Valid records of positions with no move.
    #[serde(default)]
    pub without_move: u64,
    /// Number of positions in the output.
    pub written: u64,
    /// Positions that the format of the output cannot keep, see [`Format::keeps`].
    #[serde(default)]
    pub left_out: u64,
    /// Invalid records by class.
    pub faults: BTreeMap<String, FaultClass>,
}

/// The invalid records of a class.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct FaultClass {
    /// The number of records.
    pub count: u64,
    /// The file and place of the first ones, as text.
    pub examples: Vec<String>,
}

impl Tally {
    /// The number of invalid records.
    pub fn bad(&self) -> u64 {
        self.faults.values().map(|class| class.count).sum()
    }
}

/// The counts and the examples of each class of faults.
impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", counted(self.records, "good record"))?;
        if self.games > 0 {
            write!(formatter, ", {} of them games", self.games)?;
        }
        writeln!(formatter)?;
        if self.without_move > 0 {
            let count = self.without_move;
            writeln!(formatter, "{count} of them with no move recorded")?;
        }
        if self.left_out > 0 {
            writeln!(
                formatter,
                "{} left out: no format keeps both positions of games and those of search trees",
                counted(self.left_out, "position")
            )?;
        }
        writeln!(formatter, "{}", counted(self.bad(), "bad record"))?;
        for (name, class) in &self.faults {
            writeln!(formatter, "  {:>10}  {name}", class.count)?;
            for example in &class.examples {
                writeln!(formatter, "              {example}")?;
            }
            if class.count > class.examples.len() as u64 {
                writeln!(formatter, "              …")?;
            }
        }
        Ok(())
    }
}

/// Whether a file called `.bin`, as teacher data can be, is an evaluation, a checkpoint of `learn`
/// or a book by its name.
fn is_other_data(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_ascii_lowercase();
    ["nn.bin", "progress.bin", "checkpoint.bin"].contains(&&*name)
        || name.ends_with("_synthesized.bin")
        || name.ends_with("book.bin")
}

/// Whether a file repeats the records beside it: the lines of all games that a match keeps.
fn repeats_records(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "games.sfen")
        && path.with_file_name("match.json").is_file()
        && path.with_file_name("csa").is_dir()
}

/// Adds the files below a folder. Links to folders are not followed, because they could form a
/// cycle.
fn add_folder(folder: &Path, files: &mut Vec<Source>) -> Result<()> {
    for entry in fs::read_dir(folder).at(folder)? {
        let entry = entry.at(folder)?;
        let path = entry.path();
        if entry.file_type().at(&path)?.is_dir() {
            add_folder(&path, files)?;
        } else if let Ok(format) = Format::of_path(&path)
            && !is_other_data(&path)
            && !repeats_records(&path)
            && path.is_file()
        {
            files.push(Source { path, format, is_found: true });
        }
    }
    Ok(())
}

// --- Output ---

/// A file of teacher data that is being written. [`Output::finish`] gives it its name.
pub struct Output {
    writer: TeacherWriter<OutputFile>,
    path: PathBuf,
}

impl Output {
    /// Begins to write.
    ///
    /// # Errors
    /// Where the file cannot be created.
    pub fn create(path: &Path, format: Format) -> Result<Self> {
        Ok(Self {
            writer: TeacherWriter::new(OutputFile::create(path).at(path)?, format),
            path: path.to_owned(),
        })
    }

    /// Writes a record.
    ///
    /// # Errors
    /// Where the file fails or the format cannot hold the record.
    pub fn write(&mut self, record: &Record) -> Result<()> {
        self.writer.write(record).at(&self.path)
    }

    /// Begins to write a file that can be resumed, or continues behind `length` bytes and as many
    /// `positions`.
    ///
    /// # Errors
    /// Where the file cannot be created or continued.
    pub fn resume(path: &Path, format: Format, length: u64, positions: u64) -> Result<Self> {
        let file = if length == 0 {
            OutputFile::create(path).at(path)?.kept()
        } else {
            OutputFile::resume(path, length).at(path)?
        };
        Ok(Self { writer: TeacherWriter::resume(file, format, positions), path: path.to_owned() })
    }

    /// Writes the game that is still open.
    ///
    /// # Errors
    /// Where the file fails.
    pub fn end_game(&mut self) -> Result<()> {
        self.writer.end_game().at(&self.path)
    }

    /// The format that is written.
    pub const fn format(&self) -> Format {
        self.writer.format()
    }

    /// Puts everything on the disk, and returns the number of bytes and of positions.
    ///
    /// # Errors
    /// Where the file fails.
    pub fn pause(&mut self) -> Result<(u64, u64)> {
        let (file, positions) = self.writer.pause().at(&self.path)?;
        file.sync().at(&self.path)?;
        Ok((file.length(), positions))
    }

    /// Ends the file, gives it its name, and returns how many positions it holds.
    ///
    /// # Errors
    /// Where the file fails.
    pub fn finish(self) -> Result<u64> {
        let (file, positions) = self.writer.finish().at(&self.path)?;
        file.finish().at(&self.path)?;
        Ok(positions)
    }
}

#[cfg(test)]
mod tests;
