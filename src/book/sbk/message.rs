//! Fields of protobuf messages: tags, numbers and byte strings.

use crate::book::fault::Reason;

/// A field of a message: its number and content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Field<'a> {
    pub(super) number: u64,
    pub(super) content: Content<'a>,
}

/// What a field holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// A number of fixed width, which no field of a book has.
    Fixed,
}

/// The fields of a message, one after another.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    /// Offset of `bytes` in the file.
    offset: u64,
    has_failed: bool,
}

impl<'a> Fields<'a> {
    /// The fields of a message that begins at byte `offset` of the file.
    pub(super) const fn new(bytes: &'a [u8], offset: u64) -> Self {
        Self {
            bytes,
            offset,
            has_failed: false,
        }
    }

    /// Offset in the file of the byte after the last field.
    pub(super) const fn offset(&self) -> u64 {
        self.offset
    }

    /// The next field.
    fn read(&mut self) -> Result<Field<'a>, &'static str> {
        let tag = self.varint()?;
        let content = match tag & 7 {
            0 => Content::Number(self.varint()?),
            1 => self.take(8).map(|_| Content::Fixed)?,
            2 => {
                let length = self.varint()?;
                Content::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Content::Fixed)?,
            _ => return Err("a field of unknown type"),
        };
        match tag >> 3 {
            0 => Err("a field without a number"),
            number => Ok(Field { number, content }),
        }
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], &'static str> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let (taken, rest) = self
            .bytes
            .split_at_checked(length)
            .ok_or("a field is longer than the rest of the file")?;
        self.bytes = rest;
        self.offset += length as u64;
        Ok(taken)
    }

    fn varint(&mut self) -> Result<u64, &'static str> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.take(1).map_err(|_| "the file ends within a number")?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err("a number of more than 64 bits")
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Reason>;

    /// Zeros at the end are no fields.
    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed || self.bytes.iter().all(|&byte| byte == 0) {
            return None;
        }
        let offset = self.offset;
        Some(self.read().map_err(|problem| {
            self.has_failed = true;
            Reason::Message { offset, problem }
        }))
    }
}

/// Appends a number.
pub(super) fn put_number(bytes: &mut Vec<u8>, field: u8, number: i64) {
    bytes.push(field << 3);
    put_varint(bytes, number as u64);
}

/// Appends a byte string.
pub(super) fn put_bytes(bytes: &mut Vec<u8>, field: u8, content: &[u8]) {
    bytes.push(field << 3 | 2);
    put_varint(bytes, content.len() as u64);
    bytes.extend(content);
}

fn put_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back() {
        let mut bytes = Vec::new();
        put_number(&mut bytes, 3, -1);
        put_bytes(&mut bytes, 7, b"text");
        put_number(&mut bytes, 1, 300);
        let fields: Vec<_> = Fields::new(&bytes, 0)
            .map(|field| field.expect("a field"))
            .map(|field| (field.number, field.content))
            .collect();
        assert_eq!(
            fields,
            [
                (3, Content::Number(u64::MAX)),
                (7, Content::Bytes(b"text")),
                (1, Content::Number(300)),
            ]
        );
        bytes.extend([0, 0]);
        assert_eq!(Fields::new(&bytes, 0).count(), 3, "zeros at the end");
    }

    #[test]
    fn damaged_fields_are_errors() {
        for (bytes, problem) in [
            (&[0x08][..], "ends within a number"),
            (&[0x12, 5, 1], "longer than the rest"),
            (&[0x0b, 1], "unknown type"),
            (&[0x02, 0, 1], "without a number"),
            (
                &[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
                "more than 64",
            ),
        ] {
            let mut fields = Fields::new(bytes, 0);
            let error = fields.next().expect("a field").expect_err("an error");
            assert!(error.to_string().contains(problem), "{error}");
            assert!(fields.next().is_none());
        }
    }
}
