//! Kinds of search values.

/// Kind of a value from alpha-beta search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Bound {
    /// The true value is at most this one (all moves failed low).
    Upper = 1,
    /// The true value is at least this one (a move failed high).
    Lower = 2,
    /// The true value.
    Exact = 3,
}

impl Bound {
    /// The bound of the negated value.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Upper => Self::Lower,
            Self::Lower => Self::Upper,
            Self::Exact => Self::Exact,
        }
    }

    /// The bound of two stored bits, `None` for 0.
    #[inline]
    pub const fn from_bits(bits: u8) -> Option<Self> {
        match bits & 3 {
            1 => Some(Self::Upper),
            2 => Some(Self::Lower),
            3 => Some(Self::Exact),
            _ => None,
        }
    }
}
