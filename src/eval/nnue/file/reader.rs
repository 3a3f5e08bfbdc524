//! Sequential reading of the fields of a file.

use super::error::{Field, NetError};
use super::format::{LEB128_MAGIC, MAGIC};
use super::header::Header;

/// The bytes of a file and the offset of the next field.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Number of bytes that are left.
    pub(super) const fn left(&self) -> usize {
        self.bytes.len() - self.offset
    }

    /// The bytes that are left.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.offset..]
    }

    /// Takes `size` bytes, which belong to `field`.
    pub(super) fn take(&mut self, field: Field, size: usize) -> Result<&'a [u8], NetError> {
        let Some((taken, _)) = self.rest().split_at_checked(size) else {
            return Err(NetError::Truncated {
                field,
                offset: self.offset,
                needed: size,
                left: self.left(),
            });
        };
        self.offset += size;
        Ok(taken)
    }

    /// Takes a little-endian 32-bit number.
    pub(super) fn number(&mut self, field: Field) -> Result<u32, NetError> {
        let mut number = [0; size_of::<u32>()];
        number.copy_from_slice(self.take(field, size_of::<u32>())?);
        Ok(u32::from_le_bytes(number))
    }

    /// Takes and checks the first four bytes.
    pub(super) fn magic(&mut self) -> Result<(), NetError> {
        match self.number(Field::Magic)? {
            MAGIC => Ok(()),
            found => Err(NetError::Magic { found }),
        }
    }

    /// Takes the header: magic, hash and architecture text.
    pub(super) fn header(&mut self) -> Result<Header, NetError> {
        self.magic()?;
        let hash = self.number(Field::FileHash)?;
        let length = self.number(Field::TextLength)? as usize;
        let left = self.left();
        if length > left {
            return Err(NetError::TextLength {
                found: length,
                left,
            });
        }
        let text = self.take(Field::TextLength, length)?;
        Ok(Header::new(hash, text))
    }

    /// Takes a compressed section and returns its payload.
    pub(super) fn compressed(&mut self, field: Field) -> Result<&'a [u8], NetError> {
        let magic = self.take(field, LEB128_MAGIC.len())?;
        if magic != LEB128_MAGIC {
            let (found, expected) = (magic.escape_ascii(), LEB128_MAGIC.escape_ascii());
            let problem = format!("found '{found}', expected '{expected}'");
            return Err(NetError::Compressed { field, problem });
        }
        let size = self.number(field)? as usize;
        self.take(field, size)
    }

    /// Checks that no bytes are left.
    pub(super) fn end(&self) -> Result<(), NetError> {
        match self.left() {
            0 => Ok(()),
            left => Err(NetError::TooLong {
                offset: self.offset,
                left,
            }),
        }
    }
}
