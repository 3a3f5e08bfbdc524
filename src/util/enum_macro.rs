//! A macro for the fieldless enums of `types`: count, list of all values, conversion from an index.
//!
//! Why unsafe here: converting an index known to be in range must cost nothing in the move
//! generator, where a lookup in `ALL` costs a load and a compare. The conversion is the only unsafe
//! code.

/// Declares a fieldless `repr(u8)` enum whose variants are numbered 0, 1, 2, … with `NUM`, `ALL`
/// and the conversions between variant and index.
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
            #[allow(unsafe_code, dead_code, reason = "hot conversion, see util::enum_macro")]
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
