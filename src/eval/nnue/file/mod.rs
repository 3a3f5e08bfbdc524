//! Reading and writing of network files: `nn.bin` files of `YaneuraOu`'s format and files of our
//! own format (`raicho`), told apart by their magic.

pub(super) mod leb128;
mod raicho;
#[cfg(test)]
mod tests;
mod yaneuraou;

use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Network;
use crate::util::ZeroedPages;
use crate::util::system::{File, metadata};

use raicho::RAICHO_MAGIC;
pub(super) use yaneuraou::{LEB128_MAGIC, MAGIC};

/// The name of the network file in an evaluation folder.
pub const FILE_NAME: &str = "nn.bin";

/// Why a file is refused.
#[derive(Debug, Error)]
pub enum NetError {
    /// The system cannot open or read the file.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not a network, or damaged: the field, what was found and what was expected.
    #[error("{0}")]
    Invalid(String),
}

impl Network {
    /// Reads a file, or `nn.bin` in a folder. The warnings name oddities that are tolerated.
    ///
    /// # Errors
    /// The file cannot be read, or [`Self::read`] refuses it.
    pub fn open(path: &Path) -> Result<(Self, Vec<String>), NetError> {
        let path = in_folder(path);
        let metadata = metadata(&path)?;
        // Before it is opened: to open a pipe waits for its writer.
        if !metadata.is_file() {
            return Err(NetError::Invalid("not a regular file".to_owned()));
        }
        let mut file = File::open(&path)?;
        // The magic is checked first, because a file that is not a network may be of any size.
        let mut magic = Vec::new();
        let size = RAICHO_MAGIC.len() as u64;
        file.by_ref().take(size).read_to_end(&mut magic)?;
        if !raicho::has_magic(&magic) {
            yaneuraou::check_magic(&mut Reader::new(&magic))?;
        }
        // Not memory-mapped: truncating a mapped file crashes every process that reads it.
        let length = usize::try_from(metadata.len()).ok();
        let bytes = length.and_then(|length| ZeroedPages::on_demand(length).ok());
        let mut bytes = bytes.ok_or_else(|| NetError::Invalid("not enough memory".to_owned()))?;
        file.rewind()?;
        file.read_exact(&mut bytes)?;
        let (mut network, warnings) = Self::read(&bytes)?;
        network.source = path.display().to_string();
        Ok((network, warnings))
    }

    /// Reads a network from the bytes of a file. The warnings name oddities that are tolerated.
    ///
    /// # Errors
    /// The bytes are damaged, or not those of a known shape.
    pub fn read(bytes: &[u8]) -> Result<(Self, Vec<String>), NetError> {
        if raicho::has_magic(bytes) {
            return Ok((raicho::read(bytes)?, Vec::new()));
        }
        yaneuraou::read(bytes)
    }

    /// The CRC-32 of the bytes of a file, without the one that ends files of our own format: with
    /// it the CRC-32 of every such file is the same number, the residue of the code. `None` as
    /// [`Self::to_bytes`].
    pub fn checksum(&self) -> Option<u32> {
        let bytes = self.to_bytes()?;
        let own = self.output_layer.as_ref().map_or(0, |_| size_of::<u32>());
        Some(crc32fast::hash(&bytes[..bytes.len() - own]))
    }

    /// The bytes of a file, of our own format without hidden layers and of `YaneuraOu`'s with them;
    /// `None` where output buckets depend on the progress of the game. [`Self::read`] restores the
    /// same network from them.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        match &self.output_layer {
            Some(output_layer) => Some(raicho::to_bytes(self, output_layer)),
            None => yaneuraou::to_bytes(self),
        }
    }
}

/// The path itself, or that of `nn.bin` in it where it is a folder.
pub fn in_folder(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(FILE_NAME) } else { path.to_owned() }
}

/// The bytes of a file and the offset of the next field.
#[derive(Clone, Copy)]
struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Number of bytes that are left.
    const fn left(&self) -> usize {
        self.bytes.len() - self.offset
    }

    /// The bytes that are left.
    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.offset..]
    }

    /// Takes `size` bytes, which belong to `field`.
    fn take(&mut self, field: &str, size: usize) -> Result<&'a [u8], NetError> {
        let Some((taken, _)) = self.rest().split_at_checked(size) else {
            let (offset, left) = (self.offset, self.left());
            return Err(NetError::Invalid(format!(
                "{field}: {size} bytes expected at offset {offset}, found {left}"
            )));
        };
        self.offset += size;
        Ok(taken)
    }

    /// Takes a little-endian 32-bit number.
    fn number(&mut self, field: &str) -> Result<u32, NetError> {
        let mut number = [0; size_of::<u32>()];
        number.copy_from_slice(self.take(field, size_of::<u32>())?);
        Ok(u32::from_le_bytes(number))
    }

    /// Checks that no bytes are left.
    fn end(&self) -> Result<(), NetError> {
        match self.left() {
            0 => Ok(()),
            left => Err(NetError::Invalid(format!(
                "end of the file: expected at offset {}, found {left} bytes more",
                self.offset
            ))),
        }
    }
}
