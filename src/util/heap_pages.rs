//! Zeroed memory where the system maps none, such as in a browser: it comes from the allocator.

use std::io;
use std::ops::{Deref, DerefMut};

use bytemuck::Zeroable;

/// Least size in bytes that is written by several threads.
const LARGE: usize = 16 << 20;

/// A slice of zeroed values.
pub(crate) struct ZeroedPages<T>(Box<[T]>);

impl<T: Zeroable> ZeroedPages<T> {
    /// `length` zeros.
    ///
    /// # Errors
    /// There is not enough memory, or the size overflows.
    pub(crate) fn new(length: usize) -> io::Result<Self> {
        let values = bytemuck::try_zeroed_slice_box(length);
        values
            .map(Self)
            .map_err(|()| io::ErrorKind::OutOfMemory.into())
    }

    /// As [`Self::new`].
    ///
    /// # Errors
    /// There is not enough memory, or the size overflows.
    pub(crate) fn on_demand(length: usize) -> io::Result<Self> {
        Self::new(length)
    }

    /// Number of values that the system has supplied: all.
    pub(crate) fn supplied(&self) -> usize {
        self.0.len()
    }
}

impl<T> ZeroedPages<T> {
    /// Nothing is fetched beside a search.
    #[expect(clippy::unused_self, reason = "elsewhere memory comes by and by")]
    pub(crate) fn set_busy(&self, _is_busy: bool) {}

    /// Whether it is large enough to be written by several threads.
    pub(crate) fn is_large(&self) -> bool {
        size_of_val(&*self.0) >= LARGE
    }
}

impl<T> Deref for ZeroedPages<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for ZeroedPages<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}
