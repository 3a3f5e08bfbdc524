//! A book that is looked into while playing: in memory, or where it lies.
//!
//! Books of gigabytes are searched where they lie. The file is read, not mapped into memory: a
//! mapped file that another program cuts short would end this one.

use std::io::{self, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{fmt, ops::Range};

use super::db::{self, DbOnDisk};
use super::fault::{BookError, BookFault, BookPlace, FaultLog, Problem};
use super::ybb::{self, YbbOnDisk};
use super::{BookFormat, BookMove, apery::AperyBook, merge_moves, sbk::SbkReader};
use crate::position::{Board, Position};
use crate::records::packed::PackedSfen;
use crate::util::system::{File, metadata, thread_pool};
use crate::util::{cores, counted, read_file, read_up_to};

use rayon::prelude::*;

/// A book of our own making.
static EMBEDDED: &[u8] = include_bytes!("../../nets/book.ybb");
/// Largest file in bytes that is loaded because it cannot be searched where it lies.
const LARGEST_LOADED: u64 = 256 << 20;

/// A book that is open, by its format.
#[derive(Debug)]
pub struct Book {
    path: PathBuf,
    format: BookFormat,
    content: Content,
    faults: FaultLog,
}

#[derive(Debug)]
enum Content {
    Memory(MemoryBook),
    Apery(AperyBook),
    DbOnDisk(DbOnDisk),
    YbbOnDisk(YbbOnDisk),
}

impl Book {
    /// Opens a book of any format, which its content tells. `on_the_fly` leaves `.db` and `.ybb` on
    /// the disk and searches them there, which takes no time and memory at the start. The other
    /// formats are always loaded, and so are small books that are not in order.
    ///
    /// # Errors
    /// The file cannot be read, or is no book.
    pub fn open(path: &Path, on_the_fly: bool) -> Result<Self, BookError> {
        Self::open_any(path, on_the_fly).map_err(|source| BookError::new(path, source))
    }

    /// The book inside the executable; `None` while that has no positions.
    pub fn embedded() -> Option<Self> {
        let mut faults = FaultLog::default();
        let book = ybb::read(EMBEDDED, &mut faults).ok()?;
        (book.positions() > 0).then(|| Self {
            path: PathBuf::from("<embedded>"),
            format: BookFormat::Ybb,
            content: Content::Memory(book),
            faults,
        })
    }

    fn open_any(path: &Path, on_the_fly: bool) -> io::Result<Self> {
        let format = BookFormat::of_file(path)?;
        let mut faults = FaultLog::default();
        let on_disk = if on_the_fly { open_on_disk(path, format, &mut faults)? } else { None };
        let content = match on_disk {
            Some(content) => content,
            None => load(path, format, &mut faults)?,
        };
        Ok(Self { path: path.to_owned(), format, content, faults })
    }

    /// The file as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The format that its first bytes show.
    pub const fn format(&self) -> BookFormat {
        self.format
    }

    /// What was found wrong when it was opened. Moves are checked only when they are looked up.
    pub const fn faults(&self) -> &FaultLog {
        &self.faults
    }

    /// Number of positions; `None` for a `.db` on the disk.
    pub fn positions(&self) -> Option<u64> {
        match &self.content {
            Content::Memory(book) => Some(book.positions() as u64),
            Content::Apery(book) => Some(book.positions() as u64),
            Content::DbOnDisk(_) => None,
            Content::YbbOnDisk(book) => Some(book.positions()),
        }
    }

    /// Whether the plies of the book say nothing, so that its positions are found at any ply: the
    /// format stores none, or several positions all have ply 1, as `ShogiHome` saves them. On the
    /// fly a sample of the positions decides.
    pub const fn has_no_plies(&self) -> bool {
        match (&self.content, self.format) {
            (_, BookFormat::Sbk) | (Content::Apery(_), _) => true,
            (Content::Memory(book), _) => book.says_ply_one_only,
            (Content::DbOnDisk(book), _) => book.says_ply_one_only,
            (Content::YbbOnDisk(book), _) => book.says_ply_one_only,
        }
    }

    /// The moves of a position in the order of the file; none if it is not there.
    ///
    /// # Errors
    /// A book on the disk cannot be read.
    pub(super) fn find(&self, query: &Query) -> io::Result<Vec<BookMove>> {
        let query = &Query { ply: query.ply.filter(|_| !self.has_no_plies()), ..query.clone() };
        match &self.content {
            Content::Memory(book) => Ok(book.find(&query.packed, query.ply)),
            Content::Apery(book) => Ok(book.find(&query.board)),
            Content::DbOnDisk(book) => book.find(query),
            Content::YbbOnDisk(book) => book.find(query),
        }
    }
}

/// Opens a book where it lies; `None` if it must be loaded.
fn open_on_disk(
    path: &Path,
    format: BookFormat,
    faults: &mut FaultLog,
) -> io::Result<Option<Content>> {
    let (content, is_sorted) = match format {
        BookFormat::Db => {
            let book = DbOnDisk::open(path)?;
            let is_sorted = book.is_sorted;
            (Content::DbOnDisk(book), is_sorted)
        }
        BookFormat::Ybb => {
            let book = YbbOnDisk::open(path)?;
            let is_sorted = book.is_sorted;
            (Content::YbbOnDisk(book), is_sorted)
        }
        BookFormat::Bin | BookFormat::Sbk => return Ok(None),
    };
    let is_small = metadata(path)?.len() <= LARGEST_LOADED;
    let problem = match (is_sorted, is_small) {
        (true, _) => return Ok(Some(content)),
        (false, true) => "the positions are not in order, so that the book is loaded into memory",
        (false, false) => {
            "the positions are not in order, so that not all are found on the fly; sort the book, \
             or set BookOnTheFly to false"
        }
    };
    faults.add(BookFault::new(BookPlace::File, Problem::other(problem)));
    Ok((!is_small).then_some(content))
}

/// Puts a book into memory, on threads that end with the work.
fn load(path: &Path, format: BookFormat, faults: &mut FaultLog) -> io::Result<Content> {
    let pool = thread_pool(cores()).map_err(io::Error::other)?;
    pool.install(|| {
        Ok(match format {
            BookFormat::Db => Content::Memory(db::load(path, faults)?),
            BookFormat::Ybb => Content::Memory(ybb::read(&read_file(path)?, faults)?),
            BookFormat::Bin => Content::Apery(AperyBook::load(path, faults)?),
            BookFormat::Sbk => Content::Memory(load_graph(path, faults)?),
        })
    })
}

/// Puts the positions of a graph into memory.
fn load_graph(path: &Path, faults: &mut FaultLog) -> io::Result<MemoryBook> {
    let (mut nodes, mut moves) = (Vec::new(), Vec::new());
    for entry in SbkReader::open(path)? {
        match entry {
            Ok(entry) => {
                nodes.push(Node {
                    position: entry.position,
                    ply: entry.ply,
                    first_move: moves.len(),
                    move_count: entry.moves.len() as u32,
                });
                moves.extend(entry.moves);
            }
            Err(fault) => faults.add(fault),
        }
    }
    Ok(MemoryBook::new(nodes, moves))
}

/// The file, the format and the number of positions.
impl fmt::Display for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "book \"{}\" ({}", self.path.display(), self.format)?;
        match self.positions() {
            Some(positions) => write!(f, ", {})", counted(positions, "position")),
            None => f.write_str(", on the fly)"),
        }
    }
}

/// A position to look up.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) board: Board,
    pub(super) packed: PackedSfen,
    /// The ply that an entry must have; `None` for any.
    pub(super) ply: Option<u32>,
}

impl Query {
    pub(super) fn new(position: &Position, ignores_ply: bool) -> Self {
        let ply = (!ignores_ply).then(|| position.game_ply());
        Self::of_board(position.board().clone(), ply)
    }

    fn of_board(board: Board, ply: Option<u32>) -> Self {
        let packed = PackedSfen::of_board(&board);
        Self { board, packed, ply }
    }

    /// The same position with the sides exchanged.
    pub(super) fn rotated(&self) -> Self {
        Self::of_board(self.board.rotated(), self.ply)
    }
}

/// A position of the index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) position: PackedSfen,
    /// From 1; 0 where the file gives none.
    pub(super) ply: u32,
    /// Index of its first move.
    pub(super) first_move: usize,
    pub(super) move_count: u32,
}

impl Node {
    /// Where its moves are.
    pub(crate) fn moves(&self) -> Range<usize> {
        self.first_move..self.first_move + self.move_count as usize
    }
}

/// A book in memory: an index of positions in order, and one array with the moves of all.
#[derive(Default, Debug)]
pub(super) struct MemoryBook {
    /// In order of position, equal ones in the order of the file.
    nodes: Vec<Node>,
    moves: Vec<BookMove>,
    says_ply_one_only: bool,
}

impl MemoryBook {
    /// Takes positions in the order of their file.
    pub(super) fn new(mut nodes: Vec<Node>, mut moves: Vec<BookMove>) -> Self {
        let says_ply_one_only = nodes.len() > 1 && nodes.iter().all(|node| node.ply == 1);
        let order = |node: &Node| (node.position, node.first_move);
        if !nodes.is_sorted_by_key(order) {
            nodes.par_sort_unstable_by_key(order);
        }
        nodes.shrink_to_fit();
        moves.shrink_to_fit();
        Self { nodes, moves, says_ply_one_only }
    }

    /// Number of positions, where those of different plies count each.
    fn positions(&self) -> usize {
        self.nodes.len()
    }

    /// The moves of a position at a ply, or at any for `None`: those of all entries together.
    fn find(&self, position: &PackedSfen, ply: Option<u32>) -> Vec<BookMove> {
        let start = self.nodes.partition_point(|node| node.position < *position);
        let nodes = self.nodes[start..].iter();
        let mut moves = Vec::new();
        for node in nodes.take_while(|node| node.position == *position) {
            if fits(node.ply, ply) {
                merge_moves(&mut moves, &self.moves[node.moves()]);
            }
        }
        moves
    }
}

/// Whether an entry of ply `found` answers for the ply `wanted`. An entry without a ply fits all.
pub(super) fn fits(found: u32, wanted: Option<u32>) -> bool {
    found == 0 || wanted.is_none_or(|wanted| wanted == found)
}

/// An open file and its size. Any thread may read any part of it.
#[derive(Debug)]
pub(super) struct SharedFile {
    file: Mutex<File>,
    size: u64,
}

impl SharedFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        let file = Mutex::new(file);
        Ok(Self { file, size })
    }

    /// Size in bytes when it was opened.
    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    /// Fills `bytes` from `offset` on, or up to the end of the file; returns the number of bytes.
    pub(super) fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        read_up_to(&mut *file, bytes)
    }
}
