//! Pieces in hand, packed into 32 bits: pawn 0-4, lance 8-10, knight 12-14, silver 16-18, bishop
//! 20-21, rook 24-25, gold 28-30 (the layout of `YaneuraOu` and Apery). The gaps between the counts
//! catch borrows, so that "at least as many of every kind" is one subtraction.

use std::fmt;

use super::piece::{Color, Piece, PieceType};

/// The pieces in hand of one side.
///
/// ```
/// use raicho::types::{Color, Hand, PieceType};
///
/// let mut hand = Hand::EMPTY;
/// for kind in [PieceType::Pawn, PieceType::Rook, PieceType::Pawn] {
///     hand.add(kind);
/// }
/// assert_eq!((hand.count(PieceType::Pawn), hand.to_sfen(Color::White)), (2, "r2p".into()));
/// assert!(hand.dominates(Hand::EMPTY));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Hand(u32);

/// Shift of each kind, indexed by the code of the kind.
const SHIFT: [u32; 8] = [0, 0, 8, 12, 16, 20, 24, 28];

/// Mask of each count before the shift.
const MASK: [u32; 8] = [0, 31, 7, 7, 7, 3, 3, 7];

/// The bit above each count.
const BORROW: u32 = {
    let mut mask = 0;
    let mut kind = 1;
    while kind < 8 {
        mask |= (MASK[kind] + 1) << SHIFT[kind];
        kind += 1;
    }
    mask
};

/// Mask of all counts.
const COUNTS: u32 = {
    let mut mask = 0;
    let mut kind = 1;
    while kind < 8 {
        mask |= MASK[kind] << SHIFT[kind];
        kind += 1;
    }
    mask
};

/// The order in which SFEN lists a hand.
const SFEN_ORDER: [PieceType; 7] = {
    let [pawn, lance, knight, silver, bishop, rook, gold] = PieceType::HAND;
    [rook, bishop, gold, silver, knight, lance, pawn]
};

impl Hand {
    /// A hand without pieces.
    pub const EMPTY: Self = Self(0);

    /// How many of `kind` are held; 0 for the king and the promoted kinds.
    #[inline]
    pub const fn count(self, kind: PieceType) -> u32 {
        let index = kind.index();
        if index < SHIFT.len() { (self.0 >> SHIFT[index]) & MASK[index] } else { 0 }
    }

    /// Whether at least one of `kind` is held.
    #[inline]
    pub const fn has(self, kind: PieceType) -> bool {
        self.count(kind) != 0
    }

    /// Whether nothing is held.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether anything but pawns is held.
    #[inline]
    pub const fn has_more_than_pawns(self) -> bool {
        self.0 & !MASK[PieceType::Pawn.index()] != 0
    }

    /// Adds one piece of a kind that can be held.
    #[inline]
    pub const fn add(&mut self, kind: PieceType) {
        self.0 += Self::one(kind);
    }

    /// Removes one piece, which must be there.
    #[inline]
    pub const fn remove(&mut self, kind: PieceType) {
        debug_assert!(self.has(kind));
        self.0 -= Self::one(kind);
    }

    /// Whether this hand has at least as many of every kind as `other`.
    #[inline]
    pub const fn dominates(self, other: Self) -> bool {
        self.0.wrapping_sub(other.0) & BORROW == 0
    }

    /// For each kind the larger of the two counts.
    #[inline]
    #[must_use]
    pub const fn most(self, other: Self) -> Self {
        let ours = self.mask_of_more(other);
        Self(self.0 & ours | other.0 & !ours)
    }

    /// For each kind the smaller of the two counts.
    #[inline]
    #[must_use]
    pub const fn fewest(self, other: Self) -> Self {
        let ours = self.mask_of_more(other);
        Self(other.0 & ours | self.0 & !ours)
    }

    /// The sum of both hands, which together must not exceed a full set.
    #[inline]
    #[must_use]
    pub const fn together_with(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// This hand with its count of `kind` replaced by that of `other`.
    #[inline]
    #[must_use]
    pub const fn with_count_of(self, kind: PieceType, other: Self) -> Self {
        let index = kind.index() & 7;
        let mask = MASK[index] << SHIFT[index];
        Self(self.0 & !mask | other.0 & mask)
    }

    /// Mask of the counts that are at least as large as those of `other`.
    #[inline]
    const fn mask_of_more(self, other: Self) -> u32 {
        let mut mask = 0;
        let kept = (self.0 | BORROW).wrapping_sub(other.0) & BORROW;
        let mut kind = 1;
        while kind < 8 {
            let borrow = (MASK[kind] + 1) << SHIFT[kind];
            if kept & borrow != 0 {
                mask |= MASK[kind] << SHIFT[kind];
            }
            kind += 1;
        }
        mask
    }

    /// The packed counts, see the module text.
    #[inline]
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// Unpacks a hand. Bits outside of the counts are ignored.
    #[inline]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits & !BORROW & COUNTS)
    }

    /// The hand of `color` in canonical SFEN; empty if nothing is in hand.
    pub fn to_sfen(self, color: Color) -> String {
        let mut text = String::new();
        for kind in SFEN_ORDER {
            let count = self.count(kind);
            if count > 1 {
                text += &count.to_string();
            }
            if count > 0 {
                text += &Piece::new(color, kind).to_string();
            }
        }
        text
    }

    #[inline]
    const fn one(kind: PieceType) -> u32 {
        debug_assert!(kind.index() < SHIFT.len());
        1 << SHIFT[kind.index() & 7]
    }
}

/// The hand for board diagrams: `R G2 P3`, or `-` if empty.
impl fmt::Display for Hand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return formatter.write_str("-");
        }
        let mut separator = "";
        for kind in SFEN_ORDER {
            match self.count(kind) {
                0 => continue,
                1 => write!(formatter, "{separator}{}", kind.letter())?,
                count => write!(formatter, "{separator}{}{count}", kind.letter())?,
            }
            separator = " ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hand(kinds: &[PieceType]) -> Hand {
        let mut hand = Hand::EMPTY;
        for &kind in kinds {
            hand.add(kind);
        }
        hand
    }

    #[test]
    fn counts_every_kind_to_its_maximum() {
        let mut full = Hand::EMPTY;
        for kind in PieceType::HAND {
            for _ in 0..kind.count_in_set() {
                full.add(kind);
            }
        }
        for kind in PieceType::HAND {
            assert_eq!(full.count(kind), kind.count_in_set());
        }
        assert_eq!(full.to_sfen(Color::White), "2r2b4g4s4n4l18p");
        assert!(full.dominates(Hand::EMPTY) && full.dominates(full));
        assert!(!Hand::EMPTY.dominates(full));
    }

    #[test]
    fn dominance_needs_every_kind() {
        let pawn = hand(&[PieceType::Pawn]);
        let gold = hand(&[PieceType::Gold]);
        assert!(!pawn.dominates(gold) && !gold.dominates(pawn));
        assert!(hand(&[PieceType::Pawn, PieceType::Gold]).dominates(gold));
    }

    #[test]
    fn hands_are_compared_kind_by_kind() {
        use PieceType::{Gold, Lance, Pawn, Rook};
        let (one, other) = (hand(&[Pawn, Pawn, Rook, Gold]), hand(&[Pawn, Lance, Gold]));
        assert_eq!(one.most(other), hand(&[Pawn, Pawn, Rook, Gold, Lance]));
        assert_eq!(one.fewest(other), hand(&[Pawn, Gold]));
        assert_eq!(other.with_count_of(Pawn, one), hand(&[Pawn, Pawn, Lance, Gold]));
        assert_eq!(Hand::from_bits(one.to_bits()), one);
    }
}
