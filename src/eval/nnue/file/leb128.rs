//! Signed LEB128: integers in groups of seven bits, the lowest group first. The top bit of a byte
//! is set where more follow; the second highest bit of the last byte is the sign.

use super::NetError;
use crate::util::{Aligned, counted};

/// Payload bits of a byte.
const GROUP: u32 = 7;

/// Most bytes of a 16-bit value.
const MAX_BYTES: u32 = 3;

/// The `count` weights in `bytes`, which belong to `field`.
///
/// # Errors
/// There are fewer bytes than weights, or [`decode`] refuses them.
pub(super) fn weights(field: &str, bytes: &[u8], count: usize) -> Result<Aligned<i16>, NetError> {
    // Checked before the allocation: each value takes at least one byte.
    if bytes.len() < count {
        let size = bytes.len();
        return Err(NetError::Invalid(format!("{field}: {size} bytes for {count} values")));
    }
    let mut values = Aligned::zeroed(count);
    decode(bytes, &mut values)
        .map_err(|problem| NetError::Invalid(format!("{field}: {problem}")))?;
    Ok(values)
}

/// Decodes `bytes` into `values`; both must be used up exactly.
///
/// # Errors
/// The first value that is cut off or out of range, or the number of surplus bytes.
fn decode(bytes: &[u8], values: &mut [i16]) -> Result<(), String> {
    let mut rest = bytes;
    let count = values.len();
    for (number, value) in values.iter_mut().enumerate() {
        *value = match rest {
            // Fast path: nearly all weights take one byte.
            [byte, after @ ..] if byte & 0x80 == 0 => {
                rest = after;
                i16::from((byte << 1) as i8 >> 1)
            }
            _ => {
                long(&mut rest).map_err(|problem| format!("value {number} of {count} {problem}"))?
            }
        };
    }
    match rest.len() {
        0 => Ok(()),
        left => {
            let [left, count] = [counted(left, "byte"), counted(count, "value")];
            Err(format!("{left} too many for {count}"))
        }
    }
}

/// Appends the shortest encoding of a value.
pub(in crate::eval::nnue) fn encode(value: i16, to: &mut Vec<u8>) {
    let mut value = value;
    loop {
        let low = (value & 0x7f) as u8;
        value >>= GROUP;
        // Only sign bits are left, and the highest payload bit is equal to them.
        if value == -i16::from(low >> (GROUP - 1)) {
            to.push(low);
            return;
        }
        to.push(low | 0x80);
    }
}

/// Decodes one value of one to three bytes.
fn long(rest: &mut &[u8]) -> Result<i16, &'static str> {
    let mut value = 0;
    for group in 1..=MAX_BYTES {
        let (&byte, after) = rest.split_first().ok_or("is cut off")?;
        *rest = after;
        value |= i32::from(byte & 0x7f) << ((group - 1) * GROUP);
        if byte & 0x80 == 0 {
            let unused = i32::BITS - group * GROUP;
            return i16::try_from(value << unused >> unused).map_err(|_| "is no 16-bit integer");
        }
    }
    Err("is longer than 16 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], count: usize) -> Result<Vec<i16>, String> {
        let mut values = vec![0; count];
        decode(bytes, &mut values).map(|()| values)
    }

    #[test]
    fn numbers_of_all_lengths() {
        let bytes =
            [0x00, 0x3f, 0x40, 0x7f, 0xc0, 0x00, 0xbf, 0x7f, 0xff, 0xff, 0x01, 0x80, 0x80, 0x7e];
        let values = [0, 63, -64, -1, 64, -65, 32767, -32768];
        assert_eq!(decoded(&bytes, values.len()), Ok(values.to_vec()));
        // Padded encodings, which some writers produce, are accepted.
        assert_eq!(decoded(&[0x81, 0x80, 0x00], 1), Ok(vec![1]));
    }

    #[test]
    fn broken_numbers_are_named() {
        #[rustfmt::skip]
        let broken: [(&[u8], usize, &str); 5] = [
            (&[], 1, "value 0 of 1 is cut off"),
            (&[1, 0x80], 2, "value 1 of 2 is cut off"),
            (&[0x80, 0x80, 0x02], 1, "value 0 of 1 is no 16-bit integer"),
            (&[0x80, 0x80, 0x80, 0x00], 1, "value 0 of 1 is longer than 16 bits"),
            (&[1, 2, 3], 2, "1 byte too many for 2 values"),
        ];
        for (bytes, count, problem) in broken {
            assert_eq!(decoded(bytes, count), Err(problem.to_owned()));
        }
    }
}
