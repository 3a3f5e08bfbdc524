//! The formats of opening books, known by content.

use std::fmt;
use std::fs::File;
use std::path::Path;

use super::fault::Reason;
use super::{apery, sbk, ybb};
use crate::util::read_up_to;

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
const BOM: &[u8] = b"\xef\xbb\xbf";
const UTF16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

impl BookFormat {
    /// All formats.
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
    pub fn of_file(path: &Path) -> Result<Self, Reason> {
        if !path.metadata()?.is_file() {
            return Err(Reason::NotAFile);
        }
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        let mut head = vec![0; size.min(HEAD as u64) as usize];
        let length = read_up_to(&mut file, &mut head)?;
        head.truncate(length);
        Self::of_head(&head, size, Self::of_path(path))
    }

    /// The same from the first bytes of a file of `size` bytes.
    fn of_head(head: &[u8], size: u64, named: Option<Self>) -> Result<Self, Reason> {
        if head.is_empty() {
            return Err(Reason::Empty);
        }
        if UTF16_MARKS.iter().any(|mark| head.starts_with(mark)) {
            return Err(Reason::Utf16);
        }
        if ybb::is_named_so(head) {
            Ok(Self::Ybb)
        } else if is_db(head) {
            Ok(Self::Db)
        } else if sbk::is_message(head, size) {
            Ok(Self::Sbk)
        } else if apery::are_records(head) {
            Ok(Self::Bin)
        } else {
            named
                .filter(|format| matches!(format, Self::Ybb | Self::Sbk))
                .ok_or(Reason::Unknown)
        }
    }
}

/// Whether a text begins with a comment, or has a position soon.
fn is_db(head: &[u8]) -> bool {
    let text = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
    let mut lines = head.split(|&byte| byte == b'\n' || byte == b'\r');
    let begins = |prefix: &[u8]| text.starts_with(prefix);
    begins(b"#")
        || begins(b"//")
        || begins(b"sfen ")
        || lines.any(|line| line.starts_with(b"sfen "))
}

/// The extension with its dot.
impl fmt::Display for BookFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.extension())
    }
}
