//! Writes `.db` files: five fields for each move, lines that end with LF.

use std::io::{self, Write};
use std::path::Path;

use crate::book::entry::BookEntry;
use crate::book::losses::Losses;
use crate::runs::{OutputError, OutputFile};

const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// A file that is being written.
pub(in crate::book) struct DbWriter(OutputFile);

impl DbWriter {
    pub(in crate::book) fn create(path: &Path) -> Result<Self, OutputError> {
        let mut file = OutputFile::create(path)?;
        writeln!(file, "{HEADER}")?;
        Ok(Self(file))
    }

    pub(in crate::book) fn write(&mut self, entry: &BookEntry) -> io::Result<()> {
        writeln!(self.0, "sfen {}", position_text(entry))?;
        for known in &entry.moves {
            write!(self.0, "{} ", known.mv)?;
            match known.ponder {
                Some(ponder) => write!(self.0, "{ponder}")?,
                None => self.0.write_all(b"none")?,
            }
            let (value, depth, count) = (known.value, known.depth, known.count);
            writeln!(self.0, " {value} {depth} {count}")?;
        }
        Ok(())
    }

    pub(in crate::book) fn finish(self) -> io::Result<Losses> {
        self.0.finish()?;
        Ok(Losses::default())
    }
}

/// The SFEN of a position with its ply, 1 where it has none. Empty for bytes that are no position.
pub(in crate::book) fn position_text(entry: &BookEntry) -> String {
    let sfen = entry.position.unpack_board().map(|board| board.to_sfen());
    sfen.map_or_else(
        |_| String::new(),
        |sfen| format!("{sfen} {}", entry.ply.max(1)),
    )
}
