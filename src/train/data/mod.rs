//! Tools for files of teacher data: convert, validate, shuffle, remove duplicates, statistics.
//!
//! All of them stream, so files may be of any size. An output is called `NAME.partial` until it is
//! complete.

mod buckets;
pub mod column;
pub mod dedup;
pub mod pass;
pub mod reading;
pub mod shuffle;
pub mod signs;
pub mod stats;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use crate::records::teacher::{Format, Record, TeacherWriter, UnknownFormat};
use crate::runs::{FolderError, Interrupted, OutputFile, ThreadError};
use crate::transposition::TableError;

/// Large, because several files are read and written in turns.
pub(super) const BUFFER: usize = 1 << 18;

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
    fn bytes(&self) -> Result<u64, DataError> {
        let metadata = fs::metadata(&self.path).map_err(DataError::at(&self.path))?;
        Ok(metadata.len())
    }
}

/// Files to read one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
    files: Vec<Source>,
    needs_results: bool,
}

impl Sources {
    /// Takes files, and for a folder all files of a known format below it, in the order of their
    /// paths. Evaluations and books called `.bin` are left out of folders. `format` overrides the
    /// extensions of files that are named directly.
    ///
    /// # Errors
    /// An extension is unknown, or a folder cannot be listed or has no teacher data.
    pub fn new(paths: &[PathBuf], format: Option<Format>) -> Result<Self, DataError> {
        let mut sources = Vec::new();
        for path in paths {
            if !path.is_dir() {
                if path.extension().is_none() {
                    // Most likely the name of a folder.
                    fs::metadata(path).map_err(DataError::at(path))?;
                }
                let found = format.map_or_else(|| Format::of_path(path), Ok);
                sources.push(Source {
                    path: path.clone(),
                    format: found.map_err(|error| DataError::Format {
                        path: path.clone(),
                        error,
                    })?,
                    is_found: false,
                });
                continue;
            }
            let mut files = Vec::new();
            add_folder(path, &mut files)?;
            if files.is_empty() {
                return Err(DataError::EmptyFolder(path.clone()));
            }
            files.sort_by(|a, b| a.path.cmp(&b.path));
            sources.append(&mut files);
        }
        Ok(Self {
            files: sources,
            needs_results: false,
        })
    }

    /// Makes games without a result by play or by the rules invalid if `format` has scores and
    /// results to learn from.
    #[must_use]
    pub fn for_output(mut self, format: Format) -> Self {
        self.needs_results = format.has_scores();
        self
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

    /// Whether games that neither play nor the rules ended are bad records.
    pub(super) const fn needs_results(&self) -> bool {
        self.needs_results
    }

    /// The files in the order in which they are read.
    pub fn files(&self) -> &[Source] {
        &self.files
    }

    /// The size of all files.
    ///
    /// # Errors
    /// Where a file is not there.
    pub fn bytes(&self) -> Result<u64, DataError> {
        self.files.iter().map(Source::bytes).sum()
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
fn add_folder(folder: &Path, files: &mut Vec<Source>) -> Result<(), DataError> {
    for entry in fs::read_dir(folder).map_err(DataError::at(folder))? {
        let entry = entry.map_err(DataError::at(folder))?;
        let path = entry.path();
        if entry.file_type().map_err(DataError::at(&path))?.is_dir() {
            add_folder(&path, files)?;
        } else if let Ok(format) = Format::of_path(&path)
            && !is_other_data(&path)
            && !repeats_records(&path)
            && path.is_file()
        {
            files.push(Source {
                path,
                format,
                is_found: true,
            });
        }
    }
    Ok(())
}

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
    pub fn create(path: &Path, format: Format) -> Result<Self, DataError> {
        Ok(Self {
            writer: TeacherWriter::new(create_output(path)?, format),
            path: path.to_owned(),
        })
    }

    /// Writes a record.
    ///
    /// # Errors
    /// Where the file fails or the format cannot hold the record.
    pub fn write(&mut self, record: &Record) -> Result<(), DataError> {
        let written = self.writer.write(record);
        written.map_err(DataError::at(&self.path))
    }

    /// Begins to write a file that can be resumed, or continues behind `length` bytes and as many
    /// `positions`.
    ///
    /// # Errors
    /// Where the file cannot be created or continued.
    pub fn resume(
        path: &Path,
        format: Format,
        length: u64,
        positions: u64,
    ) -> Result<Self, DataError> {
        let file = if length == 0 {
            create_output(path)?.kept()
        } else {
            OutputFile::resume(path, length).map_err(DataError::at(path))?
        };
        Ok(Self {
            writer: TeacherWriter::resume(file, format, positions),
            path: path.to_owned(),
        })
    }

    /// Writes the game that is still open.
    ///
    /// # Errors
    /// Where the file fails.
    pub fn end_game(&mut self) -> Result<(), DataError> {
        self.writer.end_game().map_err(DataError::at(&self.path))
    }

    /// The format that is written.
    pub const fn format(&self) -> Format {
        self.writer.format()
    }

    /// Puts everything on the disk, and returns the number of bytes and of positions.
    ///
    /// # Errors
    /// Where the file fails.
    pub fn pause(&mut self) -> Result<(u64, u64), DataError> {
        let (file, positions) = self.writer.pause().map_err(DataError::at(&self.path))?;
        file.sync().map_err(DataError::at(&self.path))?;
        Ok((file.length(), positions))
    }

    /// Ends the file, gives it its name, and returns how many positions it holds.
    ///
    /// # Errors
    /// Where the file fails.
    pub fn finish(self) -> Result<u64, DataError> {
        let (file, positions) = self.writer.finish().map_err(DataError::at(&self.path))?;
        file.finish().map_err(DataError::at(&self.path))?;
        Ok(positions)
    }
}

/// Begins a file that gets its name when it is complete.
pub(super) fn create_output(path: &Path) -> Result<OutputFile, DataError> {
    OutputFile::create(path).map_err(DataError::at(path))
}

/// Why a tool failed.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A file cannot be read or written, a record in it is invalid or cannot be written there, or
    /// the scores of another program in it cannot be used.
    #[error("{}: {error}", path.display())]
    File {
        /// The file concerned.
        path: PathBuf,
        /// What is wrong with it.
        error: Box<dyn Error + Send + Sync>,
    },
    /// The extension of a file name is not that of a format.
    #[error("{}: {error}", path.display())]
    Format {
        /// The file whose format is unknown.
        path: PathBuf,
        /// The extension that was found.
        error: UnknownFormat,
    },
    /// A folder has no file of a known format.
    #[error("{}: no file of a known format, expected {}", .0.display(), Format::names(|_| true))]
    EmptyFolder(PathBuf),
    /// The tool does not write this format.
    #[error("{format} cannot be written here, expected {expected}")]
    Unwritable {
        /// The format that was asked for.
        format: Format,
        /// The names of those that can be written.
        expected: String,
    },
    /// The output would keep less than the input, or needs more.
    #[error(
        "{}: {found} is not written as {output}, expected the same kind of data",
        path.display()
    )]
    OtherKind {
        /// The input whose kind of data differs.
        path: PathBuf,
        /// The format of the input.
        found: Format,
        /// The format of the output.
        output: Format,
    },
    /// There is too little memory for a transposition table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread cannot be started.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// The folder that keeps the work.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The work was stopped.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl DataError {
    /// Makes an error of an operation on a file, for [`Result::map_err`].
    pub(crate) fn at<E: Error + Send + Sync + 'static>(path: &Path) -> impl FnOnce(E) -> Self {
        let path = path.to_owned();
        |error| Self::File {
            path,
            error: error.into(),
        }
    }
}

#[cfg(test)]
mod tests;
