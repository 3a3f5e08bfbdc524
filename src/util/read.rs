//! Reading input that may end within a record.

use std::io::{self, Read};

/// Fills `bytes` until it is full or the input ends, and returns the number of bytes read.
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
