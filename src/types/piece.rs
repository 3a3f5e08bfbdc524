//! Colours, kinds of pieces, and pieces, with the usual codes of shogi programs: kinds are 1 pawn …
//! 8 king, 9 promoted pawn … 14 dragon, and a piece is its kind, plus 16 for white.
//!
//! Why unsafe here: kind and colour are bit fields of the code, and extracting them is the most
//! frequent operation of the engine. A checked table lookup instead of the mask costs 3 % of all
//! instructions of a search.

#![allow(unsafe_code, reason = "parts of codes, see the module text")]

use std::{fmt, ops::Not};

use crate::util::simple_enum;

simple_enum! {
    /// A side of the game.
    #[derive(serde::Serialize, serde::Deserialize)]
    #[expect(
        clippy::unsafe_derive_deserialize,
        reason = "what is read is one of the two names, never an index"
    )]
    #[serde(rename_all = "lowercase")]
    pub enum Color {
        /// 先手, moves first and plays up the board, towards rank 1.
        Black,
        /// 後手, plays down the board, towards rank 9.
        White,
    }
}

impl Color {
    /// The English name, for messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Black => "black",
            Self::White => "white",
        }
    }

    /// The side that plays against this one.
    #[inline]
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

/// Evaluates code that is compiled once for each side, so that the compiler folds directions and
/// tables.
macro_rules! for_side {
    ($side:expr, |$us:ident| $code:expr) => {
        match $side {
            $crate::types::Color::Black => {
                let $us = $crate::types::Color::Black;
                $code
            }
            $crate::types::Color::White => {
                let $us = $crate::types::Color::White;
                $code
            }
        }
    };
}

pub(crate) use for_side;

impl Not for Color {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        self.opponent()
    }
}

/// The side as SFEN writes it: `b` or `w`.
impl fmt::Display for Color {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Black => "b",
            Self::White => "w",
        })
    }
}

/// A kind of piece, without its colour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names say it")]
pub enum PieceType {
    Pawn = 1,
    Lance,
    Knight,
    Silver,
    Bishop,
    Rook,
    Gold,
    King,
    ProPawn,
    ProLance,
    ProKnight,
    ProSilver,
    Horse,
    Dragon,
}

/// The kind as SFEN writes black's piece: `P`, `+P`.
impl fmt::Display for PieceType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Piece::new(Color::Black, *self), formatter)
    }
}

const PROMOTION: u8 = 8;

/// The letters of SFEN in the order of the codes.
const LETTERS: [u8; 8] = *b"PLNSBRGK";

impl PieceType {
    /// Table size for arrays indexed by [`Self::index`].
    pub const NUM: usize = 15;

    /// All 14 kinds in the order of their codes.
    pub const ALL: [Self; 14] = [
        Self::Pawn,
        Self::Lance,
        Self::Knight,
        Self::Silver,
        Self::Bishop,
        Self::Rook,
        Self::Gold,
        Self::King,
        Self::ProPawn,
        Self::ProLance,
        Self::ProKnight,
        Self::ProSilver,
        Self::Horse,
        Self::Dragon,
    ];

    /// The seven kinds that can be in hand, in the order of their codes.
    pub const HAND: [Self; 7] = {
        let [pawn, lance, knight, silver, bishop, rook, gold, ..] = Self::ALL;
        [pawn, lance, knight, silver, bishop, rook, gold]
    };

    /// The same kinds in the order in which Apery and cshogi store hands.
    pub(crate) const HAND_OF_APERY: [Self; 7] = {
        let [pawn, lance, knight, silver, bishop, rook, gold] = Self::HAND;
        [pawn, lance, knight, silver, gold, bishop, rook]
    };

    /// Kinds that may be dropped on every rank.
    pub(crate) const DROPPED_ANYWHERE: [Self; 4] =
        [Self::Silver, Self::Gold, Self::Bishop, Self::Rook];

    /// The code, 1 to 14.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind with this code.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index >= 1 && index <= Self::ALL.len() { Some(Self::ALL[index - 1]) } else { None }
    }

    /// The kind with this code, 1 to 7, that can be in hand.
    #[inline]
    pub const fn hand_from_index(index: usize) -> Option<Self> {
        if index >= 1 && index <= Self::HAND.len() { Some(Self::HAND[index - 1]) } else { None }
    }

    /// Whether this is one of the six promoted kinds.
    #[inline]
    pub const fn is_promoted(self) -> bool {
        self as u8 > PROMOTION
    }

    /// The kind after promotion, `None` for gold, king and promoted kinds.
    #[inline]
    pub const fn promoted(self) -> Option<Self> {
        if (self as u8) < Self::Gold as u8 {
            Self::from_index((self as u8 + PROMOTION) as usize)
        } else {
            None
        }
    }

    /// The kind before promotion; also what a captured piece becomes in hand.
    #[inline]
    #[must_use]
    pub const fn unpromoted(self) -> Self {
        match self {
            Self::King => Self::King,
            _ => match Self::from_index((self as u8 & (PROMOTION - 1)) as usize) {
                Some(kind) => kind,
                None => Self::King,
            },
        }
    }

    /// Whether it moves as a gold: gold and the four small promoted kinds.
    #[inline]
    pub const fn moves_as_gold(self) -> bool {
        matches!(
            self,
            Self::Gold | Self::ProPawn | Self::ProLance | Self::ProKnight | Self::ProSilver
        )
    }

    /// Number of pieces of the unpromoted kind in a full set.
    pub const fn count_in_set(self) -> u32 {
        match self.unpromoted() {
            Self::Pawn => 18,
            Self::Bishop | Self::Rook | Self::King => 2,
            _ => 4,
        }
    }

    /// Number of far ranks on which this kind, unpromoted, could never move again: 1 for pawn and
    /// lance, 2 for knight, else 0.
    #[inline]
    pub const fn dead_end_ranks(self) -> usize {
        match self {
            Self::Pawn | Self::Lance => 1,
            Self::Knight => 2,
            _ => 0,
        }
    }

    /// The capital letter of SFEN for the unpromoted kind.
    pub const fn letter(self) -> char {
        LETTERS[self.unpromoted().index() - 1] as char
    }

    /// The unpromoted kind of an SFEN letter, upper case only.
    pub const fn from_letter(letter: char) -> Option<Self> {
        let mut index = 0;
        while index < LETTERS.len() {
            if LETTERS[index] as char == letter {
                return Some(Self::ALL[index]);
            }
            index += 1;
        }
        None
    }

    /// The English name in lower case, for messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pawn => "pawn",
            Self::Lance => "lance",
            Self::Knight => "knight",
            Self::Silver => "silver",
            Self::Bishop => "bishop",
            Self::Rook => "rook",
            Self::Gold => "gold",
            Self::King => "king",
            Self::ProPawn => "promoted pawn",
            Self::ProLance => "promoted lance",
            Self::ProKnight => "promoted knight",
            Self::ProSilver => "promoted silver",
            Self::Horse => "horse",
            Self::Dragon => "dragon",
        }
    }
}

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
        let color = if letter.is_ascii_uppercase() { Color::Black } else { Color::White };
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
        let letter =
            if self.color() == Color::Black { letter } else { letter.to_ascii_lowercase() };
        write!(formatter, "{letter}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotion_and_back() {
        for kind in PieceType::ALL {
            if let Some(promoted) = kind.promoted() {
                assert!(promoted.is_promoted());
                assert_eq!(promoted.unpromoted(), kind);
            }
        }
        assert_eq!(PieceType::Gold.promoted(), None);
        assert_eq!(PieceType::King.promoted(), None);
        assert_eq!(PieceType::Horse.promoted(), None);
    }

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
