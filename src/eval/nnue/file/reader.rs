//! Bytes of a file, one field after the other.

use super::detect::Header;
use super::error::{Field, NetError};
use super::{LEB128_MAGIC, MAGIC};

/// What is not read yet.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Bytes that are left.
    pub(super) const fn left(&self) -> usize {
        self.bytes.len() - self.offset
    }

    /// The bytes that are left.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.offset..]
    }

    /// So many bytes.
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

    /// Four bytes as a number.
    pub(super) fn number(&mut self, field: Field) -> Result<u32, NetError> {
        let mut number = [0; size_of::<u32>()];
        number.copy_from_slice(self.take(field, size_of::<u32>())?);
        Ok(u32::from_le_bytes(number))
    }

    /// The first four bytes.
    pub(super) fn magic(&mut self) -> Result<(), NetError> {
        match self.number(Field::Magic)? {
            MAGIC => Ok(()),
            found => Err(NetError::Magic { found }),
        }
    }

    /// Magic, hash and architecture text.
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

    /// The bytes of a compressed section.
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

    /// Nothing may be left.
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
