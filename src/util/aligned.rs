//! A fixed number of plain values that begin on a cache line, as vector instructions like them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable};

/// Bytes of a cache line, and of the widest vector register.
pub(crate) const CACHE_LINE: usize = 64;

/// One cache line of raw bytes.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; CACHE_LINE]);

const _: () = assert!(align_of::<Line>() == CACHE_LINE);

/// A boxed slice whose first value begins on a cache line. Its memory ends on a whole line; what lies behind the last value
/// is zero.
#[derive(Clone)]
pub(crate) struct Aligned<T> {
    lines: Vec<Line>,
    length: usize,
    values: PhantomData<T>,
}

impl<T: Pod> Aligned<T> {
    /// So many zeros. Large memory comes from the system as it is touched.
    pub(crate) fn zeroed(length: usize) -> Self {
        const { assert!(CACHE_LINE.is_multiple_of(size_of::<T>())) }
        Self {
            lines: bytemuck::zeroed_vec((length * size_of::<T>()).div_ceil(CACHE_LINE)),
            length,
            values: PhantomData,
        }
    }
}

impl<T: Pod> Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &bytemuck::cast_slice(&self.lines)[..self.length]
    }
}

impl<T: Pod> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.length]
    }
}

/// Only the number of values: there are millions of them.
impl<T> fmt::Debug for Aligned<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Aligned({} values)", self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_begin_on_a_line_and_can_be_written() {
        for length in [0, 1, 31, 32, 33, 1000] {
            let mut values = Aligned::<i16>::zeroed(length);
            assert_eq!(values.len(), length);
            assert!(values.is_empty() || values.as_ptr().addr().is_multiple_of(CACHE_LINE));
            assert!(values.iter().all(|&value| value == 0));
            for (index, value) in values.iter_mut().enumerate() {
                *value = index as i16;
            }
            assert_eq!(
                values.iter().map(|&value| value as usize).sum::<usize>(),
                length * length.saturating_sub(1) / 2
            );
        }
    }
}
