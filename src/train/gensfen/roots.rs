//! Starting positions from a file: one a line, as an SFEN or as `startpos moves …`.

use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::position::Position;
use crate::records::sfen_line::{SfenLine, SfenLineError};

/// Why there are no starting positions.
#[derive(Debug, Error)]
pub enum RootsError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line is no position.
    #[error("{} line {line}: {source}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        source: Box<SfenLineError>,
    },
    /// The file is empty.
    #[error("{} has no positions, expected one a line", .0.display())]
    Empty(PathBuf),
}

/// Reads the file; empty lines and those that begin with `#` do not count.
pub(super) fn read(path: &Path) -> Result<Vec<Position>, RootsError> {
    let text = fs::read_to_string(path).map_err(|source| RootsError::Io {
        path: path.to_owned(),
        source,
    })?;
    let mut positions = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let game: SfenLine = line.parse().map_err(|error| RootsError::Line {
            path: path.to_owned(),
            line: index + 1,
            source: Box::new(error),
        })?;
        positions.push(game.position());
    }
    if positions.is_empty() {
        return Err(RootsError::Empty(path.to_owned()));
    }
    Ok(positions)
}
