//! Pieces with their colour: the code of the kind, plus 16 for white.
//!
//! Why unsafe here: kind and colour are bit fields of the code, and extracting them is the most
//! frequent operation of the engine. A checked table lookup instead of the mask costs 3 % of all
//! instructions of a search.

#![allow(unsafe_code, reason = "parts of codes, see the module text")]

use std::fmt;

use super::color::Color;
use super::piece_type::PieceType;

const WHITE: u8 = 16;
const COLOR_SHIFT: u32 = WHITE.trailing_zeros();

/// A piece with its colour. The code is that of the kind, plus 16 for white.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Piece {
    BlackPawn = 1,
    BlackLance,
    BlackKnight,
    BlackSilver,
    BlackBishop,
    BlackRook,
    BlackGold,
    BlackKing,
    BlackProPawn,
    BlackProLance,
    BlackProKnight,
    BlackProSilver,
    BlackHorse,
    BlackDragon,
    WhitePawn = 17,
    WhiteLance,
    WhiteKnight,
    WhiteSilver,
    WhiteBishop,
    WhiteRook,
    WhiteGold,
    WhiteKing,
    WhiteProPawn,
    WhiteProLance,
    WhiteProKnight,
    WhiteProSilver,
    WhiteHorse,
    WhiteDragon,
}

const _: () = assert!(size_of::<Option<Piece>>() == 1);

impl Piece {
    /// Table size for arrays indexed by [`Self::index`].
    pub const NUM: usize = 31;

    /// Every piece, black's first.
    pub const ALL: [Self; 28] = {
        let mut all = [Self::BlackPawn; 28];
        let mut i = 0;
        while i < 14 {
            all[i] = Self::new(Color::Black, PieceType::ALL[i]);
            all[i + 14] = Self::new(Color::White, PieceType::ALL[i]);
            i += 1;
        }
        all
    };

    /// The piece of this colour and kind.
    #[inline]
    pub const fn new(color: Color, kind: PieceType) -> Self {
        // SAFETY: a kind is 1 to 14, a colour 0 or 1; 1 to 14 and 17 to 30 are the codes of the
        // pieces.
        unsafe { std::mem::transmute::<u8, Self>(kind as u8 | (color as u8) << COLOR_SHIFT) }
    }

    /// The code, 1 to 14 or 17 to 30.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The piece with this code.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Self> {
        let kind = index % WHITE as usize;
        if index < 2 * WHITE as usize && kind >= 1 && kind <= PieceType::ALL.len() {
            // SAFETY: checked above: the code is 1 to 14, or 17 to 30.
            Some(unsafe { std::mem::transmute::<u8, Self>(index as u8) })
        } else {
            None
        }
    }

    /// The piece with this code, without the check of [`Self::from_index`].
    ///
    /// # Safety
    /// `index` is [`Self::index`] of a piece.
    #[inline]
    pub(crate) const unsafe fn from_index_unchecked(index: usize) -> Self {
        debug_assert!(Self::from_index(index).is_some());
        // SAFETY: the caller gives the code of a piece.
        unsafe { std::mem::transmute::<u8, Self>(index as u8) }
    }

    /// The code of its kind, 1 to 14, as an index.
    #[inline]
    pub const fn kind_index(self) -> usize {
        self as usize & (WHITE as usize - 1)
    }

    /// The side that it belongs to.
    #[inline]
    pub const fn color(self) -> Color {
        // SAFETY: codes are below 32, so the shifted code is 0 or 1, the codes of the colours.
        unsafe { std::mem::transmute::<u8, Color>(self as u8 >> COLOR_SHIFT) }
    }

    /// Its kind, without the colour.
    #[inline]
    pub const fn kind(self) -> PieceType {
        // SAFETY: the low four bits of a piece are the code of its kind, 1 to 14.
        unsafe { std::mem::transmute::<u8, PieceType>(self as u8 & (WHITE - 1)) }
    }

    /// The promoted piece of the same colour, `None` where the kind does not promote.
    #[inline]
    pub const fn promoted(self) -> Option<Self> {
        match self.kind().promoted() {
            Some(kind) => Some(Self::new(self.color(), kind)),
            None => None,
        }
    }

    /// The unpromoted piece of the same colour.
    #[inline]
    #[must_use]
    pub const fn unpromoted(self) -> Self {
        Self::new(self.color(), self.kind().unpromoted())
    }

    /// The piece of an SFEN letter: capital for black. Promotion is not part of the letter.
    pub const fn from_letter(letter: char) -> Option<Self> {
        let color = if letter.is_ascii_uppercase() {
            Color::Black
        } else {
            Color::White
        };
        match PieceType::from_letter(letter.to_ascii_uppercase()) {
            Some(kind) => Some(Self::new(color, kind)),
            None => None,
        }
    }
}

/// The piece as SFEN writes it: `P`, `+p`.
impl fmt::Display for Piece {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind().is_promoted() {
            formatter.write_str("+")?;
        }
        let letter = self.kind().letter();
        let letter = if self.color() == Color::Black {
            letter
        } else {
            letter.to_ascii_lowercase()
        };
        write!(formatter, "{letter}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_match_the_shared_numbering() {
        assert_eq!(Piece::WhiteDragon.index(), 30);
        assert_eq!(PieceType::King.index(), 8);
        for piece in Piece::ALL {
            assert_eq!(Piece::from_index(piece.index()), Some(piece));
            assert_eq!(Piece::new(piece.color(), piece.kind()), piece);
        }
        for hole in [0, 15, 16, 31, 32, 1000] {
            assert_eq!(Piece::from_index(hole), None);
        }
    }

    #[test]
    fn promoted_pieces_are_written_with_a_plus() {
        assert_eq!(Piece::WhiteHorse.to_string(), "+b");
        assert_eq!(Piece::BlackHorse.unpromoted(), Piece::BlackBishop);
        assert_eq!(Piece::WhiteGold.promoted(), None);
    }
}
