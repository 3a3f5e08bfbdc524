//! The formats of teacher data: a table with one row for each.
//!
//! To add a format, write a type that implements [`Codec`], in `binary.rs` or `text.rs`, and add
//! its variant and its row below.

mod binary;
mod text;

use std::io::{self, BufRead, Write};
use std::{fmt, path::Path, str::FromStr};

use thiserror::Error;

use crate::position::{Board, Position};
use crate::records::teacher::{Fault, Record, Skipped, Span};
use crate::types::{Color, Move16};
use crate::{records::sample::Sample, records::text::TextFormat, util::read_up_to};
use Content::{Games, Positions, Samples, TreePositions};
use binary::FixedSize;

/// A format of teacher data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Samples in the 40 bytes of `YaneuraOu`.
    Psv,
    /// Samples in the 38 bytes of Apery and dlshogi.
    Hcpe,
    /// Positions with the sums of several samples.
    Psum,
    /// Inner nodes of searches, without results.
    Tree,
    /// Games of dlshogi with the candidates of each search.
    Hcpe3,
    /// Games of the archive.
    Pack,
    /// Packed positions without score and result.
    Hcp,
    /// Positions without score and result, one a line; lines of USI are read too.
    Sfen,
    /// Games without scores, one a line, as the USI command `position` writes them.
    Usi,
    /// Games of CSA; `/` alone on a line separates them.
    Csa,
    /// A game of KIF.
    Kif,
    /// A game of KI2.
    Ki2,
    /// A game of JKF.
    Jkf,
}

/// What the records of a format hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Positions without score and result.
    Positions,
    /// Positions with score and result.
    Samples,
    /// Positions with a score that may be a bound, without result.
    TreePositions,
    /// Whole games, with or without scores.
    Games,
}

/// The bytes of a position in a file.
#[derive(Clone, Copy)]
enum Size {
    /// Every record is a position of this size.
    Exactly(usize),
    /// The mean, as an estimate.
    About(usize),
}

/// A row of the table.
struct Row {
    format: Format,
    /// The name, which is also the file name extension.
    name: &'static str,
    content: Content,
    size: Size,
    codec: &'static dyn Codec,
}

/// A format of records of one size.
const fn fixed<const N: usize>(
    format: Format,
    name: &'static str,
    content: Content,
    codec: &'static FixedSize<N>,
) -> Row {
    Row { format, name, content, size: Size::Exactly(N), codec }
}

/// A format in which a position takes about `bytes` bytes.
const fn about(
    format: Format,
    name: &'static str,
    content: Content,
    bytes: usize,
    codec: &'static dyn Codec,
) -> Row {
    Row { format, name, content, size: Size::About(bytes), codec }
}

const TABLE: [Row; 13] = [
    fixed(Format::Psv, "psv", Samples, &binary::PSV),
    fixed(Format::Hcpe, "hcpe", Samples, &binary::HCPE),
    fixed(Format::Psum, "psum", Samples, &binary::PSUM),
    fixed(Format::Tree, "tree", TreePositions, &binary::TREE),
    about(Format::Hcpe3, "hcpe3", Games, 10, &binary::Hcpe3Codec),
    about(Format::Pack, "pack", Games, 4, &binary::PackCodec),
    fixed(Format::Hcp, "hcp", Positions, &binary::HCP),
    about(Format::Sfen, "sfen", Positions, 60, &text::SFEN),
    about(Format::Usi, "usi", Games, 5, &text::USI),
    about(Format::Csa, "csa", Games, 10, &text::Csa),
    about(Format::Kif, "kif", Games, 10, &text::KIF),
    about(Format::Ki2, "ki2", Games, 10, &text::KI2),
    about(Format::Jkf, "jkf", Games, 100, &text::JKF),
];

const _: () = {
    let mut index = 0;
    while index < TABLE.len() {
        assert!(TABLE[index].format as usize == index);
        index += 1;
    }
};

/// Why a format cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FormatError {
    /// The name or file name extension of no format.
    #[error("unknown format '{0}', expected {names}", names = Format::names(|_| true))]
    Unknown(String),
    /// A format that a tool does not write.
    #[error("{format} cannot be written here, expected {expected}")]
    Unwritable {
        /// The format that was asked for.
        format: Format,
        /// The names of those that can be written.
        expected: String,
    },
    /// A position alone, in a format that needs scores and results.
    #[error("{0} needs scores and results, which a position alone does not have")]
    NoScore(Format),
    /// A position of a search tree, in a format that needs results, or anything else in the format
    /// of such positions.
    #[error("{0} cannot keep this record: positions of search trees have a format of their own")]
    Tree(Format),
    /// The format can only be read.
    #[error(
        "{0} holds one game and is not made of teacher data, expected usi or csa for games as text"
    )]
    ReadOnly(Format),
}

impl Format {
    /// Every format, in the order of the table.
    pub const ALL: [Self; TABLE.len()] = {
        let mut all = [Self::Psv; TABLE.len()];
        let mut index = 0;
        while index < TABLE.len() {
            all[index] = TABLE[index].format;
            index += 1;
        }
        all
    };

    const fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// The name, which is also the file name extension.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Another extension of the same format.
    const fn alias(self) -> Option<&'static str> {
        match self {
            Self::Psv => Some("bin"),
            Self::Kif => Some("kifu"),
            Self::Ki2 => Some("ki2u"),
            _ => None,
        }
    }

    /// The names of the formats that `is_listed` accepts, for messages:
    /// `psv (or bin), hcpe or kif`.
    pub fn names(is_listed: impl Fn(Self) -> bool) -> String {
        let rows = TABLE.iter().filter(|row| is_listed(row.format));
        let names: Vec<String> = rows
            .map(|row| match row.format.alias() {
                Some(alias) => format!("{} (or {alias})", row.name),
                None => row.name.to_owned(),
            })
            .collect();
        match &names[..] {
            [names @ .., last] if !names.is_empty() => format!("{} or {last}", names.join(", ")),
            names => names.concat(),
        }
    }

    /// The format that the extension of a file name stands for.
    ///
    /// # Errors
    /// The name has no extension or an unknown one.
    pub fn of_path(path: &Path) -> Result<Self, FormatError> {
        let extension = path.extension().unwrap_or_default();
        extension.to_string_lossy().parse()
    }

    /// Checks that a tool can write the format.
    ///
    /// # Errors
    /// It is not one that `is_fit` accepts.
    pub fn check(self, is_fit: impl Fn(Self) -> bool) -> Result<(), FormatError> {
        if is_fit(self) {
            return Ok(());
        }
        Err(FormatError::Unwritable { format: self, expected: Self::names(is_fit) })
    }

    /// What the records hold.
    pub const fn content(self) -> Content {
        self.row().content
    }

    /// Whether a file can keep the scores of a search. Lines of moves and plain positions cannot.
    pub const fn keeps_scores(self) -> bool {
        !matches!(self.content(), Positions) && !matches!(self, Self::Usi)
    }

    /// Whether the records have scores to learn from.
    pub const fn has_scores(self) -> bool {
        self.text().is_none() && !matches!(self.content(), Positions)
    }

    /// Whether a file of this format can keep what a record says. Positions of search trees have a
    /// format of their own, because their scores may be bounds and there is no result.
    pub const fn keeps(self, record: &Record) -> bool {
        match self.content() {
            Positions => true,
            TreePositions => matches!(record, Record::Tree(_) | Record::Position(..)),
            Samples | Games => !matches!(record, Record::Tree(_)),
        }
    }

    /// Checks that a record can be written.
    pub(super) fn check_record(self, record: &Record) -> Result<(), FormatError> {
        if !self.is_writable() {
            return Err(FormatError::ReadOnly(self));
        }
        if !self.keeps(record) {
            return Err(FormatError::Tree(self));
        }
        if matches!(record, Record::Position(..)) && self.content() != Positions {
            return Err(FormatError::NoScore(self));
        }
        Ok(())
    }

    /// Whether the format can be written, not only read.
    pub const fn is_writable(self) -> bool {
        match self.text() {
            Some(text) => text.holds_many(),
            None => true,
        }
    }

    /// The format in which a file is read as games with names and times; `None` if it has none.
    pub const fn text(self) -> Option<TextFormat> {
        match self {
            Self::Sfen | Self::Usi => Some(TextFormat::Usi),
            Self::Csa => Some(TextFormat::Csa),
            Self::Kif => Some(TextFormat::Kif),
            Self::Ki2 => Some(TextFormat::Ki2),
            Self::Jkf => Some(TextFormat::Jkf),
            _ => None,
        }
    }

    /// Bytes of a record if all have the same size; each is a position then.
    pub const fn record_size(self) -> Option<usize> {
        match self.row().size {
            Size::Exactly(bytes) => Some(bytes),
            Size::About(_) => None,
        }
    }

    /// The mean size of a position in bytes: exact if all records have the same size, otherwise an
    /// estimate.
    pub const fn bytes_per_position(self) -> usize {
        match self.row().size {
            Size::Exactly(bytes) | Size::About(bytes) => bytes,
        }
    }

    pub(super) const fn codec(self) -> &'static dyn Codec {
        self.row().codec
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = FormatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_named = |name: &str| name.eq_ignore_ascii_case(text);
        TABLE
            .iter()
            .find(|row| is_named(row.name) || row.format.alias().is_some_and(is_named))
            .map(|row| row.format)
            .ok_or_else(|| FormatError::Unknown(text.to_owned()))
    }
}

// --- Codecs ---

/// How one format is read and written.
pub(super) trait Codec: Sync {
    /// Reads the next record; `None` at the end of the input. `scratch` is a position that the
    /// codec may set up for its checks; it saves an allocation for each record.
    ///
    /// # Errors
    /// The input fails, or the record is invalid.
    fn read(
        &self,
        input: &mut dyn BufRead,
        scratch: &mut Position,
    ) -> Result<Option<Record>, Fault>;

    /// Reads past the next record, and returns what it holds; `None` at the end of the input.
    ///
    /// Faster than [`Self::read`] where the end of a record follows from its bytes alone, and then
    /// an invalid record is found only if its end is unknown.
    ///
    /// # Errors
    /// The input fails, or the record is invalid.
    fn skip_record(
        &self,
        input: &mut dyn BufRead,
        scratch: &mut Position,
    ) -> Result<Option<Skipped>, Fault> {
        let record = self.read(input, scratch)?;
        let skipped = |record| Span::of_game(&record).map_or(Skipped::Position, Skipped::Game);
        Ok(record.map(skipped))
    }

    /// Writes a record and returns the number of positions written. The record has what the format
    /// needs: a format of games gets games, a format with scores gets samples, sums or games.
    ///
    /// # Errors
    /// The output fails.
    fn write(&self, record: &Record, out: &mut dyn Write) -> io::Result<u64>;
}

/// Reads a record of `N` bytes; `None` at the end of the input.
fn read_record<const N: usize>(mut input: &mut dyn BufRead) -> Result<Option<[u8; N]>, Fault> {
    let mut bytes = [0; N];
    match read_up_to(&mut input, &mut bytes)? {
        0 => Ok(None),
        found if found < N => Err(Fault::Truncated { found, expected: N }),
        _ => Ok(Some(bytes)),
    }
}

/// Sets a position up and checks that it has both kings.
fn set_up(position: &mut Position, board: Board, ply: u16) -> Result<(), Fault> {
    position.set_up(board, u32::from(ply.max(1)));
    check_kings(position)
}

/// Checks that both sides have a king.
pub(super) fn check_kings(position: &Position) -> Result<(), Fault> {
    let missing = Color::ALL.into_iter().find(|&color| position.king(color).is_none());
    missing.map_or(Ok(()), |color| Err(Fault::NoKing { color }))
}

/// Checks that a best move is legal. 0 `bits` stand for none.
fn check_move(position: &Position, mv: Option<Move16>, bits: u16) -> Result<(), Fault> {
    if bits == 0 || mv.is_some_and(|mv| position.legal_move(mv).is_some()) {
        return Ok(());
    }
    Err(Fault::Move {
        text: mv.map_or_else(|| format!("{bits:#06x}"), |mv| mv.to_string()),
        sfen: position.to_sfen(),
    })
}

/// Writes each sample of a record in a single call of `out`. A record that was read in this
/// `format` is copied.
fn write_samples<const N: usize>(
    format: Format,
    record: &Record,
    out: &mut dyn Write,
    encode: impl Fn(&Sample) -> [u8; N],
) -> io::Result<u64> {
    if let Some(bytes) = record.source_bytes(format) {
        out.write_all(bytes)?;
        return Ok(1);
    }
    write_each(out, |put| {
        record.for_each_sample(|sample| put(encode(sample)));
    })
}

/// Writes each position of a record in a single call of `out`.
fn write_positions<B: AsRef<[u8]>>(
    record: &Record,
    out: &mut dyn Write,
    encode: impl Fn(&Position) -> B,
) -> io::Result<u64> {
    write_each(out, |put| {
        record.for_each_position(|position, ply| {
            // Never an error: the reader has checked the position.
            if let Ok(position) = position.unpack(u32::from(ply.max(1))) {
                put(encode(&position));
            }
        });
    })
}

/// Writes what `visit` passes on, each in a single call of `out`, and returns how many there were.
fn write_each<B: AsRef<[u8]>>(
    out: &mut dyn Write,
    visit: impl FnOnce(&mut dyn FnMut(B)),
) -> io::Result<u64> {
    let mut written = Ok(0);
    visit(&mut |bytes| {
        if let Ok(count) = &mut written {
            *count += 1;
            if let Err(error) = out.write_all(bytes.as_ref()) {
                written = Err(error);
            }
        }
    });
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases_are_understood() {
        for row in &TABLE {
            for name in [Some(row.name), row.format.alias()].into_iter().flatten() {
                assert_eq!(name.parse(), Ok(row.format));
                assert_eq!(name.to_uppercase().parse(), Ok(row.format));
                assert_eq!(Format::of_path(&Path::new("a").with_extension(name)), Ok(row.format));
            }
        }
        assert_eq!(
            "xyz".parse::<Format>().map_err(|error| error.to_string()),
            Err("unknown format 'xyz', expected psv (or bin), hcpe, psum, tree, hcpe3, pack, \
                 hcp, sfen, usi, csa, kif (or kifu), ki2 (or ki2u) or jkf"
                .to_owned())
        );
        assert_eq!(Format::names(|format| format == Format::Hcp), "hcp");
    }
}
