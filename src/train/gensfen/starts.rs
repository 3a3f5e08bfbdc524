//! Positions that games begin from, out of files. They are kept packed, because a file can hold millions.

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

/// Bytes of a position in a file of hcp, which holds nothing else.
const HCP_BYTES: usize = size_of::<HuffmanCodedPos>();
/// Their move number, which such a file does not tell.
const HCP_PLY: u32 = 1;

/// Why there are no starting positions.
#[derive(Debug, Error)]
pub enum StartsError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
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
    /// A file of packed positions ends within one.
    #[error("{} has {length} bytes, expected a multiple of {HCP_BYTES} in a file of hcp", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Its size.
        length: usize,
    },
    /// A packed position is none.
    #[error("{} record {record}: {source}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// The record, counted from 1.
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
    /// The file is empty.
    #[error("{} has no positions, expected one at least", .0.display())]
    Empty(PathBuf),
    /// Kings stay at home.
    #[error(
        "no king enters the enemy's camp in any of the {games} games, expected files with such games"
    )]
    NoEntry {
        /// Games of all files.
        games: u64,
    },
}

/// Positions to begin from.
#[derive(Clone, Debug)]
pub struct Starts {
    positions: Vec<Start>,
    files: Vec<String>,
}

impl Starts {
    /// The start position of an even game.
    pub fn startpos() -> Self {
        Self {
            positions: vec![Start::of(&Position::startpos())],
            files: Vec::new(),
        }
    }

    /// The positions of a file: of 32 bytes each where its name ends in `.hcp`, as Apery and dlshogi keep roots; else one a
    /// line, as an SFEN or as `startpos moves …`, where empty lines and those that begin with `#` do not count.
    ///
    /// # Errors
    /// Says what is wrong with the file, and where.
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

    /// From the games of `.pack` files, the positions around each first entry of a king into the enemy's camp.
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

    /// How many positions there are, at least one.
    #[expect(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// The files that they come from, each with a checksum, by which a run knows them again wherever they lie.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// One of them, each as likely as the others.
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
    // What is no text is no move either, and named with its line.
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

/// Takes the checksum of what is read.
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
