//! Prefetch hints.

/// Brings the cache line of `value` into the cache.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the prefetch instruction has no safe form")]
pub(crate) fn prefetch<T>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: the address comes from a reference, and a prefetch faults on no address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
}

/// Does nothing: there is no portable prefetch.
#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn prefetch<T>(_value: &T) {}
