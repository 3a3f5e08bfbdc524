//! Start positions of games, read from files. They are kept packed, because a file can have
//! millions.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use super::entering;
use super::random::below;
use super::start::Start;
use crate::position::Position;
use crate::records::pack::{PackError, PackReader};
use crate::records::packed::{HuffmanCodedPos, PackedError};
use crate::records::sfen_line::{SfenLine, SfenLineError};

/// Bytes of a position in a file of hcp.
const HCP_BYTES: usize = size_of::<HuffmanCodedPos>();
/// The ply of a position of hcp, which the format does not store.
const HCP_PLY: u32 = 1;

/// Why start positions cannot be read.
#[derive(Debug, Error)]
pub enum StartsError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A line is not a position.
    #[error("{} line {line}: {source}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        source: Box<SfenLineError>,
    },
    /// The size of a file of packed positions is not a multiple of 32 bytes.
    #[error("{} has {length} bytes, expected a multiple of {HCP_BYTES} in a file of \
        hcp", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        length: usize,
    },
    /// A packed position is invalid.
    #[error("{} record {record}: {source}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// The number of the record, from 1.
        record: usize,
        /// What is wrong with it.
        source: PackedError,
    },
    /// A game cannot be read.
    #[error("{}: {source}", path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<PackError>,
    },
    /// The file has no positions.
    #[error("{} has no positions, expected one at least", .0.display())]
    Empty(PathBuf),
    /// No king enters its promotion zone in any of the games.
    #[error(
        "no king enters the enemy's camp in any of the {games} games, expected files with such \
         games"
    )]
    NoEntry {
        /// The number of games in all files.
        games: u64,
    },
}

/// A set of start positions.
#[derive(Clone, Debug)]
pub struct Starts {
    positions: Vec<Start>,
    files: Vec<String>,
}

impl Starts {
    /// Only the start position of an even game.
    pub fn startpos() -> Self {
        Self {
            positions: vec![Start::of(&Position::startpos())],
            files: Vec::new(),
        }
    }

    /// Reads the positions of a file. A file `.hcp` has 32 bytes for each, as Apery and dlshogi
    /// store roots; any other file has one a line, an SFEN or `startpos moves …`, and empty lines
    /// and lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// The file cannot be read, has no positions, or a line or record is invalid.
    pub fn of_roots(path: &Path) -> Result<Self, StartsError> {
        let bytes = fs::read(path).map_err(at(path))?;
        let is_hcp = path.extension().is_some_and(|extension| extension == "hcp");
        let positions = if is_hcp {
            packed(path, &bytes)?
        } else {
            lines(path, &bytes)?
        };
        if positions.is_empty() {
            return Err(StartsError::Empty(path.to_owned()));
        }
        Ok(Self {
            positions,
            files: vec![identity(path, crc32fast::hash(&bytes))],
        })
    }

    /// Takes the positions around the first entry of a king into its promotion zone from games of
    /// `.pack` files.
    ///
    /// # Errors
    /// A file cannot be read, or no king enters.
    pub fn of_entering_kings(paths: &[PathBuf]) -> Result<Self, StartsError> {
        let (mut positions, mut files, mut games) = (Vec::new(), Vec::new(), 0);
        for path in paths {
            let mut input = Summed {
                input: File::open(path).map_err(at(path))?,
                sum: crc32fast::Hasher::new(),
            };
            for game in PackReader::new(BufReader::new(&mut input)) {
                let game = game.map_err(|source| StartsError::Game {
                    path: path.clone(),
                    source: Box::new(source),
                })?;
                positions.extend(entering::starts(&game));
                games += 1;
            }
            files.push(identity(path, input.sum.finalize()));
        }
        if positions.is_empty() {
            return Err(StartsError::NoEntry { games });
        }
        Ok(Self { positions, files })
    }

    /// The number of positions, at least one.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// The names of the files with their checksums, by which a resumed run recognises them in any
    /// folder.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Draws a position uniformly.
    pub(super) fn choose(&self, random: &mut ChaCha8Rng) -> Position {
        self.positions[below(random, self.positions.len())].position()
    }
}

fn packed(path: &Path, bytes: &[u8]) -> Result<Vec<Start>, StartsError> {
    let (records, rest) = bytes.as_chunks::<HCP_BYTES>();
    if !rest.is_empty() {
        return Err(StartsError::Length {
            path: path.to_owned(),
            length: bytes.len(),
        });
    }
    let start = |(index, &record)| {
        let position = HuffmanCodedPos::from_bytes(record).unpack(HCP_PLY);
        position
            .map(|position| Start::of(&position))
            .map_err(|source| StartsError::Record {
                path: path.to_owned(),
                record: index + 1,
                source,
            })
    };
    records.iter().enumerate().map(start).collect()
}

fn lines(path: &Path, bytes: &[u8]) -> Result<Vec<Start>, StartsError> {
    // Bytes that are not UTF-8 cannot be a move; the error then names their line.
    let text = String::from_utf8_lossy(bytes);
    let mut starts = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let game: SfenLine = line.parse().map_err(|error| StartsError::Line {
            path: path.to_owned(),
            line: index + 1,
            source: Box::new(error),
        })?;
        starts.push(Start::of(&game.position()));
    }
    Ok(starts)
}

fn identity(path: &Path, checksum: u32) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{name}, checksum {checksum:08x}")
}

fn at(path: &Path) -> impl Fn(io::Error) -> StartsError {
    move |source| StartsError::Io {
        path: path.to_owned(),
        source,
    }
}

/// A reader that computes the checksum of its bytes.
struct Summed<R> {
    input: R,
    sum: crc32fast::Hasher,
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.sum.update(&buffer[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests;
