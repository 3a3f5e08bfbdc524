//! Files that are read one after the other, and files that appear when they are whole.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{DataError, Watch};
use crate::records::teacher::{Format, Record, TeacherError, TeacherReader, TeacherWriter};

/// Large, because several files are read and written in turns.
pub(super) const BUFFER: usize = 1 << 18;

/// Records between two looks at the watch.
const WATCH_INTERVAL: u64 = 256;

/// A file to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Where it is.
    pub path: PathBuf,
    /// What is in it.
    pub format: Format,
}

/// Files to read one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
    files: Vec<Source>,
    needs_results: bool,
}

impl Sources {
    /// Takes files, and for a folder all files of a known format below it, in the order of their
    /// paths. `format` overrides the extensions of files that are named directly.
    ///
    /// # Errors
    /// An extension is unknown, or a folder cannot be listed or has no teacher data.
    pub fn new(paths: &[PathBuf], format: Option<Format>) -> Result<Self, DataError> {
        let mut sources = Vec::new();
        for path in paths {
            if !path.is_dir() {
                let found = format.map_or_else(|| Format::of_path(path), Ok);
                sources.push(Source {
                    path: path.clone(),
                    format: found.map_err(|error| DataError::Format {
                        path: path.clone(),
                        error,
                    })?,
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

    /// The files.
    pub fn files(&self) -> &[Source] {
        &self.files
    }

    /// The size of all files.
    ///
    /// # Errors
    /// Where a file is not there.
    pub fn bytes(&self) -> Result<u64, DataError> {
        let size = |source: &Source| {
            let file = fs::metadata(&source.path).map_err(DataError::io(&source.path))?;
            Ok(file.len())
        };
        self.files.iter().map(size).sum()
    }

    /// Hands out every record, good or bad.
    ///
    /// # Errors
    /// Where a file cannot be opened, where the watch says stop, and what `visit` says.
    pub fn read(
        &self,
        watch: &Watch<'_>,
        mut visit: impl FnMut(&Source, Result<Record, TeacherError>) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let total = self.bytes()?;
        let mut before = 0;
        for source in &self.files {
            let file = File::open(&source.path).map_err(DataError::io(&source.path))?;
            let input = BufReader::with_capacity(BUFFER, file);
            let mut reader = TeacherReader::new(input, source.format);
            if self.needs_results {
                reader = reader.needing_results();
            }
            let mut records = 0_u64;
            while let Some(record) = reader.next() {
                visit(source, record)?;
                records += 1;
                if records.is_multiple_of(WATCH_INTERVAL) {
                    watch.check(before + reader.offset(), total)?;
                }
            }
            before += reader.offset();
        }
        watch.check(total, total)
    }
}

/// Adds the files below a folder. Links to folders are not followed, because they could form a
/// cycle.
fn add_folder(folder: &Path, files: &mut Vec<Source>) -> Result<(), DataError> {
    for entry in fs::read_dir(folder).map_err(DataError::io(folder))? {
        let entry = entry.map_err(DataError::io(folder))?;
        let path = entry.path();
        if entry.file_type().map_err(DataError::io(&path))?.is_dir() {
            add_folder(&path, files)?;
        } else if let Ok(format) = Format::of_path(&path)
            && path.is_file()
        {
            files.push(Source { path, format });
        }
    }
    Ok(())
}

/// A file that is called `NAME.partial` until [`PartialFile::finish`] renames it. It is removed if
/// it is dropped before.
pub(super) struct PartialFile {
    out: BufWriter<File>,
    partial: PathBuf,
    path: PathBuf,
}

impl PartialFile {
    pub(super) fn create(path: &Path) -> Result<Self, DataError> {
        let partial = beside(path, ".partial");
        let file = File::create(&partial).map_err(DataError::io(&partial))?;
        Ok(Self {
            out: BufWriter::with_capacity(BUFFER, file),
            partial,
            path: path.to_owned(),
        })
    }

    pub(super) fn finish(mut self) -> Result<(), DataError> {
        self.out.flush().map_err(DataError::io(&self.path))?;
        let file = self.out.get_ref();
        file.sync_all().map_err(DataError::io(&self.path))?;
        fs::rename(&self.partial, &self.path).map_err(DataError::io(&self.path))
    }
}

impl Write for PartialFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if self.partial.exists()
            && let Err(error) = fs::remove_file(&self.partial)
        {
            log::warn!("{}: {error}", self.partial.display());
        }
    }
}

/// A file of teacher data that is being written. [`Output::finish`] gives it its name.
pub struct Output {
    writer: TeacherWriter<PartialFile>,
    path: PathBuf,
}

impl Output {
    /// Begins to write.
    ///
    /// # Errors
    /// Where the file cannot be created.
    pub fn create(path: &Path, format: Format) -> Result<Self, DataError> {
        Ok(Self {
            writer: TeacherWriter::new(PartialFile::create(path)?, format),
            path: path.to_owned(),
        })
    }

    /// Writes a record.
    ///
    /// # Errors
    /// Where the file fails or the format cannot hold the record.
    pub fn write(&mut self, record: &Record) -> Result<(), DataError> {
        let written = self.writer.write(record);
        written.map_err(DataError::write(&self.path))
    }

    /// Ends the file, gives it its name, and returns how many positions it holds.
    ///
    /// # Errors
    /// Where the file fails.
    pub fn finish(self) -> Result<u64, DataError> {
        let (file, positions) = self.writer.finish().map_err(DataError::write(&self.path))?;
        file.finish()?;
        Ok(positions)
    }
}

/// The path with something appended to its name.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
