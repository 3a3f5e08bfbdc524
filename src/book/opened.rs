//! A book that is looked into while playing: in memory, or where it lies.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::apery::AperyBook;
use super::db::{self, DbOnDisk};
use super::entry::BookMove;
use super::fault::{BookError, BookFault, FaultLog, Place, Problem, Reason};
use super::format::BookFormat;
use super::memory::{MemoryBook, Node};
use super::query::Query;
use super::sbk::SbkReader;
use super::ybb::{self, YbbOnDisk};
use crate::util::system::thread_pool;
use crate::util::{cores, counted};

/// A book of our own making.
static EMBEDDED: &[u8] = include_bytes!("../../nets/book.ybb");
/// Largest file in bytes that is loaded because it cannot be searched where it lies.
const LARGEST_LOADED: u64 = 256 << 20;

/// An open book.
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
        Self::open_any(path, on_the_fly).map_err(|reason| BookError::new(path, reason))
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

    fn open_any(path: &Path, on_the_fly: bool) -> Result<Self, Reason> {
        let format = BookFormat::of_file(path)?;
        let mut faults = FaultLog::default();
        let on_disk = if on_the_fly {
            open_on_disk(path, format, &mut faults)?
        } else {
            None
        };
        let content = match on_disk {
            Some(content) => content,
            None => load(path, format, &mut faults)?,
        };
        Ok(Self {
            path: path.to_owned(),
            format,
            content,
            faults,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its format.
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
            (Content::Memory(book), _) => book.says_ply_one_only(),
            (Content::DbOnDisk(book), _) => book.says_ply_one_only(),
            (Content::YbbOnDisk(book), _) => book.says_ply_one_only(),
        }
    }

    /// The moves of a position in the order of the file; none if it is not there.
    ///
    /// # Errors
    /// A book on the disk cannot be read.
    pub(super) fn find(&self, query: &Query) -> io::Result<Vec<BookMove>> {
        let at_any_ply;
        let query = if self.has_no_plies() {
            at_any_ply = query.at_any_ply();
            &at_any_ply
        } else {
            query
        };
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
) -> Result<Option<Content>, Reason> {
    let (content, is_sorted) = match format {
        BookFormat::Db => {
            let book = DbOnDisk::open(path)?;
            let is_sorted = book.is_sorted();
            (Content::DbOnDisk(book), is_sorted)
        }
        BookFormat::Ybb => {
            let book = YbbOnDisk::open(path)?;
            let is_sorted = book.is_sorted();
            (Content::YbbOnDisk(book), is_sorted)
        }
        BookFormat::Bin | BookFormat::Sbk => return Ok(None),
    };
    let is_small = path.metadata()?.len() <= LARGEST_LOADED;
    let problem = match (is_sorted, is_small) {
        (true, _) => return Ok(Some(content)),
        (false, true) => Problem::NotSortedLoaded,
        (false, false) => Problem::NotSorted,
    };
    faults.add(BookFault::new(Place::File, problem));
    Ok((!is_small).then_some(content))
}

/// Puts a book into memory, on threads that end with the work.
fn load(path: &Path, format: BookFormat, faults: &mut FaultLog) -> Result<Content, Reason> {
    let pool = thread_pool(cores()).map_err(io::Error::other)?;
    pool.install(|| {
        Ok(match format {
            BookFormat::Db => Content::Memory(db::load(path, faults)?),
            BookFormat::Ybb => Content::Memory(ybb::load(path, faults)?),
            BookFormat::Bin => Content::Apery(AperyBook::load(path, faults)?),
            BookFormat::Sbk => Content::Memory(load_graph(path, faults)?),
        })
    })
}

/// Puts the positions of a graph into memory.
fn load_graph(path: &Path, faults: &mut FaultLog) -> Result<MemoryBook, Reason> {
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
