//! Reading where the input may end within a record.

use std::io::{self, Read};

/// Fills `bytes` as far as the input goes and returns how far that is.
///
/// # Errors
/// The input cannot be read.
pub(crate) fn read_up_to(input: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match input.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
