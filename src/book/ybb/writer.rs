//! Writes `.ybb` files. The index and the moves grow at the same time: the moves are kept in a
//! second file and appended at the end.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use super::layout::{Header, IndexEntry};
use crate::book::entry::{BookEntry, BookMove};
use crate::book::losses::Losses;
use crate::book::writer_error::WriteError;
use crate::records::packed::PackedSfen;
use crate::runs::{OutputError, OutputFile};

/// A file that is being written.
pub(in crate::book) struct YbbWriter {
    index: OutputFile,
    moves: MovesFile,
    header: Header,
    last: Option<PackedSfen>,
    losses: Losses,
}

/// The moves until they are appended; removed when it is dropped.
struct MovesFile {
    out: BufWriter<File>,
    path: PathBuf,
    length: u64,
}

impl YbbWriter {
    pub(in crate::book) fn create(path: &Path) -> Result<Self, OutputError> {
        let mut index = OutputFile::create(path)?;
        let header = Header {
            positions: 0,
            has_depth: true,
        };
        index.write_all(&header.to_bytes())?;
        Ok(Self {
            index,
            moves: MovesFile::create(path)?,
            header,
            last: None,
            losses: Losses::default(),
        })
    }

    pub(in crate::book) fn write(&mut self, entry: &BookEntry) -> Result<(), WriteError> {
        if self.last == Some(entry.position) {
            self.losses.entries += 1;
            return Ok(());
        }
        if self.last > Some(entry.position) {
            let number = self.header.positions + 1;
            return Err(WriteError::Order { number });
        }
        self.last = Some(entry.position);
        self.header.positions += 1;
        let ply = entry.ply.min(u16::MAX.into()) as u16;
        self.losses.plies += u64::from(u32::from(ply) != entry.ply);
        let most = usize::from(u16::MAX);
        let index = IndexEntry {
            position: entry.position,
            offset: self.moves.length,
            ply,
            move_count: entry.moves.len().min(most) as u16,
        };
        self.index.write_all(&index.to_bytes())?;
        for known in entry.moves.iter().take(most) {
            let bytes = self.move_bytes(known);
            self.moves.write(&bytes)?;
        }
        Ok(())
    }

    fn move_bytes(&mut self, known: &BookMove) -> [u8; 6] {
        let value = known.value.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        let depth = known.depth.clamp(0, u16::MAX.into()) as u16;
        self.losses.values += u64::from(i32::from(value) != known.value);
        self.losses.depths += u64::from(i32::from(depth) != known.depth);
        self.losses.ponder_moves += u64::from(known.ponder.is_some());
        self.losses.counts += u64::from(known.count > 0);
        let mut bytes = [0; 6];
        bytes[..2].copy_from_slice(&known.mv.to_bits().to_le_bytes());
        bytes[2..4].copy_from_slice(&value.to_le_bytes());
        bytes[4..].copy_from_slice(&depth.to_le_bytes());
        bytes
    }

    pub(in crate::book) fn finish(mut self) -> io::Result<Losses> {
        self.moves.copy_to(&mut self.index)?;
        self.index.overwrite(0, &self.header.to_bytes())?;
        self.index.finish()?;
        Ok(self.losses)
    }
}

impl MovesFile {
    fn create(path: &Path) -> io::Result<Self> {
        let mut name = path.as_os_str().to_owned();
        name.push(".moves.partial");
        let path = PathBuf::from(name);
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(true);
        Ok(Self {
            out: BufWriter::new(file.open(&path)?),
            path,
            length: 0,
        })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.length += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    fn copy_to(&mut self, output: &mut OutputFile) -> io::Result<()> {
        self.out.flush()?;
        let file = self.out.get_mut();
        file.rewind()?;
        io::copy(file, output)?;
        Ok(())
    }
}

impl Drop for MovesFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            log::warn!("{}: {error}", self.path.display());
        }
    }
}
