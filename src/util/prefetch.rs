//! Prefetch hints.

/// Whether [`prefetch`] does anything. Where it does not, callers should not look for the value
/// either.
pub(crate) const PREFETCHES: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Brings the cache line of `value` into the cache.
#[inline]
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the prefetch instruction has no safe form")]
pub(crate) fn prefetch<T>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: the address comes from a reference, and a prefetch faults on no address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
}

/// Brings the cache line of `value` into the cache.
#[inline]
#[cfg(target_arch = "aarch64")]
#[expect(unsafe_code, reason = "the prefetch instruction has no safe form")]
pub(crate) fn prefetch<T>(value: &T) {
    let address = std::ptr::from_ref(value);
    // SAFETY: a prefetch faults on no address and changes neither memory nor registers.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{}]",
            in(reg) address,
            options(nostack, preserves_flags, readonly)
        );
    }
}

/// Does nothing: there is no portable prefetch.
#[inline]
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn prefetch<T>(_value: &T) {}
