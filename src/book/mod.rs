//! Opening books: their formats, look-up, and the choice of a move.
//!
//! A book is a list of positions ([`BookEntry`]) with their moves ([`BookMove`]), whatever its
//! format. [`BookReader`] and [`BookWriter`] go through files entry by entry. [`Book`] looks
//! positions up while playing, in memory or on the disk, and [`probe()`] applies the rules of
//! `YaneuraOu` to what a [`Library`] of books has for a position.
//!
//! Formats are known by content ([`BookFormat`]). What is wrong with a file is named by its place
//! ([`BookFault`]) and skipped, or leaves no book ([`BookError`]).

mod apery;
mod db;
mod fault;
mod opened;
mod probe;
mod sbk;
mod ybb;

use std::{fmt, io, path::Path};

use crate::records::packed::PackedSfen;
use crate::runs::{OutputError, OutputFile};
use crate::types::{Move16, Square};
use crate::util::{read_up_to, system::File, system::metadata};
use apery::{AperyReader, AperyWriter};
use db::{DbReader, DbWriter};
use fault::no_book;
use sbk::{SbkReader, SbkWriter};
use ybb::{YbbReader, YbbWriter};

pub use fault::{BookError, BookFault, BookPlace, Checker, EntryPlace, FaultLog, Problem};
pub use opened::Book;
pub use probe::{BookOptions, Dice, Library, Probe, ProbedMove, Refusal, line, ponder_move, probe};

pub(crate) use db::{Block, Blocks, Line, lines, parse_position};

/// The depth of moves from formats that store none, as `YaneuraOu` takes it: deep enough for any
/// limit.
pub const UNKNOWN_DEPTH: i32 = 256;

/// A move of a book position. What a format does not store keeps its default: no ponder move,
/// depth 0 ([`UNKNOWN_DEPTH`] from Apery's and `ShogiGUI`'s books), count 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move itself; it may be illegal where it stands.
    pub mv: Move16,
    /// The expected answer.
    pub ponder: Option<Move16>,
    /// Value in centipawns from the view of the side to move.
    pub value: i32,
    /// Depth of the search behind the value, in plies.
    pub depth: i32,
    /// How often the move was played.
    pub count: u64,
}

/// A position of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookEntry {
    /// The position without its ply.
    pub position: PackedSfen,
    /// Ply of the position, 1 at the start of a game; 0 where a `.db` gives none.
    pub ply: u32,
    /// Its moves in the order of the file.
    pub moves: Vec<BookMove>,
}

impl BookEntry {
    /// Adds the moves of another entry for the same position. A move that is there gets the new
    /// value, depth and ponder move, and the sum of the counts.
    pub fn merge(&mut self, other: &Self) {
        merge_moves(&mut self.moves, &other.moves);
    }
}

/// Adds moves to those of the same position, as [`BookEntry::merge`] does.
fn merge_moves(moves: &mut Vec<BookMove>, more: &[BookMove]) {
    for new in more {
        match moves.iter_mut().find(|known| known.mv == new.mv) {
            Some(known) => {
                *known = BookMove { count: known.count.saturating_add(new.count), ..*new }
            }
            None => moves.push(*new),
        }
    }
}

/// A format of opening books.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BookFormat {
    /// `YANEURAOU-DB2016`: text, an SFEN and its moves.
    Db,
    /// `YANE-BINBOOK-V1`: packed positions in order, and their moves.
    Ybb,
    /// Apery's records of a key and a move.
    Bin,
    /// `ShogiGUI`'s graph of positions, a protobuf message.
    Sbk,
}

/// Bytes of the beginning of a file that are looked at.
const HEAD: usize = 1 << 16;
const UTF16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

impl BookFormat {
    /// The formats that are read and written.
    pub const ALL: [Self; 4] = [Self::Db, Self::Ybb, Self::Bin, Self::Sbk];

    /// The usual extension of its files.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Db => "db",
            Self::Ybb => "ybb",
            Self::Bin => "bin",
            Self::Sbk => "sbk",
        }
    }

    /// Whether it stores values of moves.
    pub const fn has_values(self) -> bool {
        !matches!(self, Self::Sbk)
    }

    /// Whether it stores depths of moves.
    pub const fn has_depths(self) -> bool {
        matches!(self, Self::Db | Self::Ybb)
    }

    /// Whether it stores how often moves were played.
    pub const fn has_counts(self) -> bool {
        !matches!(self, Self::Ybb)
    }

    /// The format that the extension of a file to be written names.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        let is_named = |format: &Self| extension.eq_ignore_ascii_case(format.extension());
        Self::ALL.into_iter().find(is_named)
    }

    /// The format of a file that exists, by its content. The name decides only between damaged
    /// files.
    ///
    /// # Errors
    /// The file cannot be read, or has none of the formats.
    pub fn of_file(path: &Path) -> io::Result<Self> {
        if !metadata(path)?.is_file() {
            return Err(no_book("not a regular file"));
        }
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        let mut head = vec![0; size.min(HEAD as u64) as usize];
        let length = read_up_to(&mut file, &mut head)?;
        head.truncate(length);
        Self::of_head(&head, size, Self::of_path(path))
    }

    /// The same from the first bytes of a file of `size` bytes.
    fn of_head(head: &[u8], size: u64, named: Option<Self>) -> io::Result<Self> {
        if head.is_empty() {
            return Err(no_book("the file is empty"));
        }
        if UTF16_MARKS.iter().any(|mark| head.starts_with(mark)) {
            return Err(no_book("text in UTF-16, expected UTF-8"));
        }
        if ybb::is_named_so(head) {
            Ok(Self::Ybb)
        } else if db::is_text(head) {
            Ok(Self::Db)
        } else if sbk::is_message(head, size) {
            Ok(Self::Sbk)
        } else if apery::are_records(head) {
            Ok(Self::Bin)
        } else {
            named.filter(|format| matches!(format, Self::Ybb | Self::Sbk)).ok_or_else(|| {
                no_book("no book format has such content, expected .db, .ybb, Apery's .bin or .sbk")
            })
        }
    }
}

/// The extension with its dot.
impl fmt::Display for BookFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.extension())
    }
}

/// A key whose byte order is the order of the entries in files of a format. Entries of one position
/// come in the order of their plies, except in `.db`, where the ply is text. `.sbk` has no order:
/// the keys are empty. Bytes that are no position come first.
pub fn order_key(format: BookFormat, entry: &BookEntry) -> Vec<u8> {
    let with_ply = |key: &[u8]| [key, &entry.ply.to_be_bytes()].concat();
    match format {
        BookFormat::Db => db::position_text(entry).into_bytes(),
        _ => unique_key(format, &entry.position).map_or_else(Vec::new, |key| with_ply(&key)),
    }
}

/// The key of a position in the order of a format that has each position once, whatever its ply.
fn unique_key(format: BookFormat, position: &PackedSfen) -> Option<Vec<u8>> {
    match format {
        BookFormat::Ybb => Some(position.to_bytes().to_vec()),
        BookFormat::Bin => Some(apery::key_of_packed(position).to_be_bytes().to_vec()),
        BookFormat::Db | BookFormat::Sbk => None,
    }
}

const FIELD: u16 = 0x7f;
const FROM_SHIFT: u32 = 7;

/// The move on the board turned round; `None` if a field is out of range.
pub(crate) fn rotated_move(mv: Move16) -> Option<Move16> {
    let index = |square: Square| square.rotated().index() as u16;
    let bits = mv.to_bits() & !FIELD | index(mv.to()?);
    if mv.is_drop() {
        return Move16::from_bits(bits);
    }
    let from = index(mv.from()?) << FROM_SHIFT;
    Move16::from_bits(bits & !(FIELD << FROM_SHIFT) | from)
}

// --- Files of every format, entry by entry: reading, writing, and what is lost between formats ---

/// The positions of a book in the order of the file, and the faults between them.
///
/// `.db` and `.ybb` are streamed. `.bin` and `.sbk` are read into memory: their positions follow
/// from one another.
pub struct BookReader {
    format: BookFormat,
    inner: FormatReader,
}

enum FormatReader {
    Db(DbReader),
    Ybb(YbbReader),
    Bin(Box<AperyReader>),
    Sbk(Box<SbkReader>),
}

impl BookReader {
    /// Opens a book of any format, which its content tells.
    ///
    /// # Errors
    /// The file cannot be read, or is no book.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        Self::open_any(path, false).map_err(|source| BookError::new(path, source))
    }

    /// The same with a fault for each position of a `.db` or `.bin` that other programs would not
    /// find.
    ///
    /// # Errors
    /// The file cannot be read, or is no book.
    pub fn open_strictly(path: &Path) -> Result<Self, BookError> {
        Self::open_any(path, true).map_err(|source| BookError::new(path, source))
    }

    fn open_any(path: &Path, is_strict: bool) -> io::Result<Self> {
        let format = BookFormat::of_file(path)?;
        let inner = match format {
            BookFormat::Db => FormatReader::Db(DbReader::open(path, is_strict)?),
            BookFormat::Ybb => FormatReader::Ybb(YbbReader::open(path)?),
            BookFormat::Bin => FormatReader::Bin(Box::new(AperyReader::open(path, is_strict)?)),
            BookFormat::Sbk => FormatReader::Sbk(Box::new(SbkReader::open(path)?)),
        };
        Ok(Self { format, inner })
    }

    /// The format of the file.
    pub const fn format(&self) -> BookFormat {
        self.format
    }

    /// Where the last entry stands in the file.
    pub fn place(&self) -> EntryPlace<'_> {
        let (entry, move_lines): (_, &[u64]) = match &self.inner {
            FormatReader::Db(reader) => (BookPlace::Line(reader.line), &reader.move_lines),
            FormatReader::Ybb(reader) => (BookPlace::Index(reader.number()), &[]),
            FormatReader::Bin(reader) => (BookPlace::Key(reader.key), &[]),
            FormatReader::Sbk(reader) => (BookPlace::State(reader.state as u64), &[]),
        };
        EntryPlace { entry, move_lines }
    }

    /// What the file has and entries have no place for.
    pub fn extras(&self) -> Extras {
        match &self.inner {
            FormatReader::Sbk(reader) => reader.extras,
            _ => Extras::default(),
        }
    }

    /// Number of positions, where the file gives it.
    pub const fn positions(&self) -> Option<u64> {
        match &self.inner {
            FormatReader::Ybb(reader) => Some(reader.positions()),
            _ => None,
        }
    }
}

/// A fault stands for what it names: the rest is read, unless [`BookFault::is_end`] says otherwise.
impl Iterator for BookReader {
    type Item = Result<BookEntry, BookFault>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.inner {
            FormatReader::Db(reader) => reader.next(),
            FormatReader::Ybb(reader) => reader.next(),
            FormatReader::Bin(reader) => reader.next(),
            FormatReader::Sbk(reader) => reader.next(),
        }
    }
}

/// A book that is being written. The file gets its name in [`BookWriter::finish`].
///
/// `.ybb` and `.bin` take entries in the order of [`order_key`] only; of several
/// entries for one position the first is written. `.db` takes any order, but only a sorted file can
/// be searched [on the fly](BookOptions::on_the_fly). `.sbk` is kept in memory until it is
/// finished.
pub struct BookWriter {
    format: BookFormat,
    writer: Box<dyn FormatWriter>,
    /// Key of the last entry, where the format has each position once.
    last: Option<Vec<u8>>,
    /// Number of entries that were written.
    entries: u64,
    losses: Losses,
}

/// Writes the entries of one format in the order of its file, and counts what it cannot hold.
trait FormatWriter {
    fn write(&mut self, entry: &BookEntry, losses: &mut Losses) -> io::Result<()>;

    /// Writes what is still in memory.
    fn finish(self: Box<Self>, losses: &mut Losses) -> io::Result<()>;
}

impl BookWriter {
    /// Creates the file.
    ///
    /// # Errors
    /// The system refuses, or another process writes it.
    pub fn create(path: &Path, format: BookFormat) -> Result<Self, OutputError> {
        let writer: Box<dyn FormatWriter> = match format {
            BookFormat::Db => Box::new(DbWriter::create(path)?),
            BookFormat::Ybb => Box::new(YbbWriter::create(path)?),
            BookFormat::Bin => Box::new(AperyWriter(OutputFile::create(path)?)),
            BookFormat::Sbk => Box::new(SbkWriter::create(path)?),
        };
        Ok(Self { format, writer, last: None, entries: 0, losses: Losses::default() })
    }

    /// Writes an entry.
    ///
    /// # Errors
    /// The system refuses, or the entry is out of order.
    pub fn write(&mut self, entry: &BookEntry) -> io::Result<()> {
        let key = unique_key(self.format, &entry.position);
        if key.is_some() && self.last == key {
            self.losses.entries += 1;
            return Ok(());
        }
        self.entries += 1;
        if self.last > key {
            return Err(out_of_order(self.entries));
        }
        self.last = key;
        self.writer.write(entry, &mut self.losses)
    }

    /// Completes the file and returns what it could not hold.
    ///
    /// # Errors
    /// The system refuses.
    pub fn finish(mut self) -> io::Result<Losses> {
        self.writer.finish(&mut self.losses)?;
        Ok(self.losses)
    }
}

/// The error of an entry that belongs before the last one. `number` counts from 1.
fn out_of_order(number: u64) -> io::Error {
    io::Error::other(format!(
        "entry {number} belongs before the one before it: `raicho book sort` first"
    ))
}

/// Counts of what was changed or left out. All 0 for `.db`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Losses {
    /// Further entries of a position, left out.
    pub entries: u64,
    /// Positions without moves, left out.
    pub empty: u64,
    /// Positions whose ply was left out or limited to 65535.
    pub plies: u64,
    /// Expected answers, left out.
    pub ponder_moves: u64,
    /// Values that were left out, or limited to 16 bits.
    pub values: u64,
    /// Depths that were left out, or limited to 16 bits.
    pub depths: u64,
    /// Counts that were left out, or limited to 16 or 32 bits.
    pub counts: u64,
    /// Illegal moves, left out where the format leads from position to position.
    pub illegal_moves: u64,
}

/// What a `.sbk` book has and entries have no place for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extras {
    /// Comments on positions, which no other format has.
    pub comments: u64,
    /// Positions with numbers of games and wins.
    pub results: u64,
    /// Evaluations of positions by engines.
    pub evaluations: u64,
    /// Moves that are marked as good, dubious and the like.
    pub marks: u64,
}
