//! Numbered files that are written one after the other, each up to a size.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::runs::{FolderError, io_error};

/// The place behind a piece of a series.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The number of the file, from 1.
    pub file: u32,
    /// The size of that file after the piece, in bytes.
    pub end: u64,
}

impl Place {
    /// The beginning of the first file.
    pub(super) const START: Self = Self { file: 1, end: 0 };
}

/// The names of a series: `PREFIX-0001.ENDING` …
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) folder: PathBuf,
    pub(super) prefix: String,
    pub(super) ending: &'static str,
}

impl Names {
    pub(super) fn path(&self, file: u32) -> PathBuf {
        let Self { prefix, ending, .. } = self;
        self.folder.join(format!("{prefix}-{file:04}.{ending}"))
    }

    /// The size of a file in bytes; 0 if it does not exist.
    pub(super) fn size(&self, file: u32) -> u64 {
        fs::metadata(self.path(file)).map_or(0, |file| file.len())
    }

    /// Whether the file of a place reaches to it.
    pub(super) fn reaches(&self, place: Place) -> bool {
        self.size(place.file) >= place.end
    }

    /// Checks that every file reaches to the last of its places, which are in order.
    pub(super) fn check(&self, places: impl Iterator<Item = Place>) -> Result<(), FolderError> {
        let ends: BTreeMap<u32, u64> = places.map(|place| (place.file, place.end)).collect();
        let short = ends.into_iter().find(|&(file, end)| self.size(file) < end);
        short.map_or(Ok(()), |(file, end)| {
            Err(FolderError::Content {
                path: self.path(file),
                line: None,
                reason: format!("has {} bytes, expected {end}", self.size(file)),
            })
        })
    }
}

/// A series that is open for writing.
#[derive(Debug)]
pub(super) struct Series {
    names: Names,
    /// Size in bytes after which another file begins.
    limit: u64,
    place: Place,
    /// The file of `place`.
    file: File,
}

impl Series {
    /// Opens a series behind a place; anything after it is cut off.
    pub(super) fn open(names: Names, limit: u64, place: Place) -> Result<Self, FolderError> {
        let path = names.path(place.file);
        let mut series = Self {
            file: open(&path)?,
            names,
            limit,
            place,
        };
        series.cut().map_err(io_error(&path))?;
        Ok(series)
    }

    /// The place behind the last piece.
    pub(super) const fn place(&self) -> Place {
        self.place
    }

    /// Cuts off everything behind the last piece.
    pub(super) fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.place.end)?;
        self.file.seek(SeekFrom::Start(self.place.end)).map(drop)
    }

    /// Writes a piece and returns the place behind it. It becomes a part of the series by
    /// [`Self::keep`]; until then [`Self::cut`] removes it.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<Place, FolderError> {
        if self.place.end >= self.limit {
            self.next_file()?;
        }
        let path = self.names.path(self.place.file);
        self.file.write_all(bytes).map_err(io_error(&path))?;
        Ok(Place {
            end: self.place.end + bytes.len() as u64,
            ..self.place
        })
    }

    /// Keeps the piece that was written last.
    pub(super) const fn keep(&mut self, place: Place) {
        self.place = place;
    }

    fn next_file(&mut self) -> Result<(), FolderError> {
        let path = self.names.path(self.place.file);
        self.file.sync_data().map_err(io_error(&path))?;
        self.place = Place {
            file: self.place.file + 1,
            end: 0,
        };
        let path = self.names.path(self.place.file);
        self.file = open(&path)?;
        self.cut().map_err(io_error(&path))
    }
}

fn open(path: &Path) -> Result<File, FolderError> {
    // Not in append mode, in which a file cannot be shortened on every system.
    let options = File::options()
        .create(true)
        .write(true)
        .truncate(false)
        .open(path);
    options.map_err(io_error(path))
}
