//! General helpers, independent of shogi.

mod aligned;
#[cfg(not(target_family = "wasm"))]
mod pages;
pub(crate) mod system;
#[cfg(test)]
mod test_folder;
mod text;

use std::io::{self, Read, Write};

pub(crate) use aligned::Aligned;
#[cfg(not(target_family = "wasm"))]
pub(crate) use pages::ZeroedPages;
#[cfg(target_family = "wasm")]
pub(crate) use system::ZeroedPages;
pub(crate) use system::{cores, fits_into_memory, for_each_part};
#[cfg(test)]
pub(crate) use test_folder::TestFolder;
pub(crate) use text::{
    abbreviate, counted, decode_line, file_name_of, free_name, parse_positive, parse_share, shorten,
};

/// Bytes of a megabyte (MB) in options and messages.
pub(crate) const BYTES_PER_MEGABYTE: usize = 1 << 20;

/// A stream and the CRC-32 of what has passed through it.
pub(crate) struct Summed<T> {
    pub(crate) inner: T,
    pub(crate) sum: crc32fast::Hasher,
}

impl<T> Summed<T> {
    /// A stream through which nothing has passed.
    pub(crate) fn new(inner: T) -> Self {
        let sum = crc32fast::Hasher::new();
        Self { inner, sum }
    }
}

impl<T: Write> Write for Summed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Summed<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.sum.update(&bytes[..read]);
        Ok(read)
    }
}

/// Reads input that may end within a record: fills `bytes` until it is full or the input ends, and
/// returns the number of bytes read.
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

// --- Enums ---

/// Declares a fieldless `repr(u8)` enum whose variants are numbered 0, 1, 2, … with `NUM`, `ALL`
/// and the conversions between variant and index.
///
/// Its only unsafe code converts an index known to be in range, which must cost nothing in the move
/// generator, where a lookup in `ALL` costs a load and a compare.
macro_rules! simple_enum {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident),+ $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        $vis enum $name { $($(#[$variant_meta])* $variant),+ }

        impl $name {
            /// How many values there are.
            pub const NUM: usize = [$($name::$variant),+].len();

            /// All values in order of their index.
            pub const ALL: [Self; Self::NUM] = [$($name::$variant),+];

            /// The position in [`Self::ALL`], below [`Self::NUM`].
            #[inline]
            pub const fn index(self) -> usize {
                self as usize
            }

            /// The value with this index, `None` from [`Self::NUM`] on.
            #[inline]
            pub const fn from_index(index: usize) -> Option<Self> {
                if index < Self::NUM { Some(Self::ALL[index]) } else { None }
            }

            /// The value with this index, without the check of [`Self::from_index`].
            ///
            /// # Safety
            /// `index` is below [`Self::NUM`].
            #[inline]
            #[allow(unsafe_code, dead_code, reason = "hot conversion, see util::simple_enum")]
            pub(crate) const unsafe fn from_index_unchecked(index: usize) -> Self {
                debug_assert!(index < Self::NUM);
                // SAFETY: the enum is `repr(u8)` with the discriminants 0..NUM, and the caller
                // keeps `index` below NUM.
                unsafe { std::mem::transmute::<u8, Self>(index as u8) }
            }
        }
    };
}

pub(crate) use simple_enum;

// --- Random numbers that are computed from their index ---

/// The increment of `SplitMix64` (Vigna 2015): 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Value `index` of the generator `SplitMix64` with seed 0.
pub(crate) const fn split_mix(index: u64) -> u64 {
    mixed(index.wrapping_mul(GOLDEN))
}

/// Hashes a number: the step of `SplitMix64` from it.
pub(crate) const fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(GOLDEN);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

// --- Prefetch hints ---

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
