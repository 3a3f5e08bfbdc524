//! A boxed slice of plain values aligned to a cache line, for vector instructions. Large slices lie
//! on large pages where the system provides them: network weights are read at random, and large
//! pages need fewer address translations.

use std::ops::{Deref, DerefMut};
use std::{fmt, marker::PhantomData};

use bytemuck::{Pod, Zeroable};

use super::ZeroedPages;

/// Size of a cache line, and of the widest vector register, in bytes.
pub(crate) const CACHE_LINE: usize = 64;

/// One cache line of raw bytes.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; CACHE_LINE]);

const _: () = assert!(align_of::<Line>() == CACHE_LINE);

/// Least size in bytes for which large pages are requested.
const LARGE: usize = 2 << 20;

/// A boxed slice whose first value is aligned to a cache line. The memory is padded with zeros to a
/// whole line.
pub(crate) struct Aligned<T> {
    lines: Lines,
    length: usize,
    values: PhantomData<T>,
}

enum Lines {
    Small(Vec<Line>),
    Large(ZeroedPages<Line>),
}

impl Lines {
    fn zeroed(lines: usize) -> Self {
        if lines >= LARGE / CACHE_LINE
            && let Ok(pages) = ZeroedPages::on_demand(lines)
        {
            return Self::Large(pages);
        }
        Self::Small(bytemuck::zeroed_vec(lines))
    }
}

impl<T: Pod> Aligned<T> {
    /// `length` zeros. Large memory is allocated on first touch.
    pub(crate) fn zeroed(length: usize) -> Self {
        const { assert!(CACHE_LINE.is_multiple_of(size_of::<T>())) }
        Self {
            lines: Lines::zeroed((length * size_of::<T>()).div_ceil(CACHE_LINE)),
            length,
            values: PhantomData,
        }
    }
}

impl<T: Pod> Deref for Aligned<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        let lines = match &self.lines {
            Lines::Small(lines) => &lines[..],
            Lines::Large(pages) => &pages[..],
        };
        &bytemuck::cast_slice(lines)[..self.length]
    }
}

impl<T: Pod> DerefMut for Aligned<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        let lines = match &mut self.lines {
            Lines::Small(lines) => &mut lines[..],
            Lines::Large(pages) => &mut pages[..],
        };
        &mut bytemuck::cast_slice_mut(lines)[..self.length]
    }
}

/// Prints only the number of values, which may be millions.
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
        for length in [0, 1, 31, 32, 33, 1000, LARGE] {
            let mut values = Aligned::<i16>::zeroed(length);
            assert_eq!(values.len(), length);
            assert!(values.is_empty() || values.as_ptr().addr().is_multiple_of(CACHE_LINE));
            assert!(values.iter().all(|&value| value == 0));
            for (index, value) in values.iter_mut().enumerate() {
                *value = index as i16;
            }
            assert_eq!(
                values.iter().map(|&value| i64::from(value)).sum::<i64>(),
                (0..length).map(|index| i64::from(index as i16)).sum::<i64>()
            );
        }
    }
}
