//! Piece types and pieces, in the numbering that the shogi world shares (`FORMATS` §2.1): 1 pawn … 8 king, 9 promoted
//! pawn … 14 dragon, and 16 more for white.

use std::fmt;

use super::Color;

/// A kind of piece without its owner.
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

const PROMOTION: u8 = 8;
const WHITE: u8 = 16;

impl PieceType {
    /// Table size for arrays indexed by [`Self::index`].
    pub const NUM: usize = 15;

    /// Every kind.
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

    /// The kinds that can be held in hand, in the order of the codes.
    pub const HAND: [Self; 7] = [
        Self::Pawn,
        Self::Lance,
        Self::Knight,
        Self::Silver,
        Self::Bishop,
        Self::Rook,
        Self::Gold,
    ];

    /// The code, 1 to 14.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind with this code.
    #[inline(always)]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index >= 1 && index <= Self::ALL.len() {
            Some(Self::ALL[index - 1])
        } else {
            None
        }
    }

    /// The kind that can be held in hand and has this code, 1 to 7.
    #[inline(always)]
    pub const fn hand_from_index(index: usize) -> Option<Self> {
        if index >= 1 && index <= Self::HAND.len() {
            Some(Self::HAND[index - 1])
        } else {
            None
        }
    }

    /// Whether this is one of the six promoted kinds.
    #[inline(always)]
    pub const fn is_promoted(self) -> bool {
        self as u8 > PROMOTION
    }

    /// The kind after promotion, `None` for gold, king and promoted kinds.
    #[inline(always)]
    pub const fn promoted(self) -> Option<Self> {
        if (self as u8) < Self::Gold as u8 {
            Self::from_index((self as u8 + PROMOTION) as usize)
        } else {
            None
        }
    }

    /// The kind that it becomes in hand; a king stays a king.
    #[inline(always)]
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

    /// Whether it moves any distance along a line.
    pub const fn is_slider(self) -> bool {
        matches!(
            self,
            Self::Lance | Self::Bishop | Self::Rook | Self::Horse | Self::Dragon
        )
    }

    /// Whether it moves as a gold.
    #[inline(always)]
    pub const fn moves_as_gold(self) -> bool {
        matches!(
            self,
            Self::Gold | Self::ProPawn | Self::ProLance | Self::ProKnight | Self::ProSilver
        )
    }

    /// How many of the unpromoted kind there are in a full set.
    pub const fn count_in_set(self) -> u32 {
        match self.unpromoted() {
            Self::Pawn => 18,
            Self::Bishop | Self::Rook | Self::King => 2,
            _ => 4,
        }
    }

    /// How many ranks from the far edge this kind, unpromoted, has no move any more: 1 for pawn and lance, 2 for knight.
    #[inline(always)]
    pub const fn dead_end_ranks(self) -> usize {
        match self {
            Self::Pawn | Self::Lance => 1,
            Self::Knight => 2,
            _ => 0,
        }
    }

    /// The capital letter of SFEN for the unpromoted kind.
    pub const fn letter(self) -> char {
        match self.unpromoted() {
            Self::Pawn => 'P',
            Self::Lance => 'L',
            Self::Knight => 'N',
            Self::Silver => 'S',
            Self::Bishop => 'B',
            Self::Rook => 'R',
            Self::Gold => 'G',
            _ => 'K',
        }
    }

    /// The unpromoted kind of an SFEN letter, upper case only.
    pub const fn from_letter(letter: char) -> Option<Self> {
        Some(match letter {
            'P' => Self::Pawn,
            'L' => Self::Lance,
            'N' => Self::Knight,
            'S' => Self::Silver,
            'B' => Self::Bishop,
            'R' => Self::Rook,
            'G' => Self::Gold,
            'K' => Self::King,
            _ => return None,
        })
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

/// A piece with its owner; the code is the kind's, plus 16 for white.
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

    /// By code; holes hold `None`.
    const BY_CODE: [Option<Self>; 32] = {
        let mut pieces = [None; 32];
        let mut i = 0;
        while i < 14 {
            pieces[i + 1] = Some(BLACK_PIECES[i]);
            pieces[i + 1 + WHITE as usize] = Some(WHITE_PIECES[i]);
            i += 1;
        }
        pieces
    };

    /// The piece of a kind and an owner.
    #[inline(always)]
    pub const fn new(color: Color, kind: PieceType) -> Self {
        match color {
            Color::Black => BLACK_PIECES[kind as usize - 1],
            Color::White => WHITE_PIECES[kind as usize - 1],
        }
    }

    /// The code, 1 to 14 or 17 to 30.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The piece with this code.
    #[inline(always)]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < Self::BY_CODE.len() {
            Self::BY_CODE[index]
        } else {
            None
        }
    }

    /// The code of its kind, without the detour over [`PieceType`].
    #[inline(always)]
    pub const fn kind_index(self) -> usize {
        self as usize & (WHITE as usize - 1)
    }

    /// Its owner.
    #[inline(always)]
    pub const fn color(self) -> Color {
        if (self as u8) < WHITE {
            Color::Black
        } else {
            Color::White
        }
    }

    /// Its kind.
    #[inline(always)]
    pub const fn kind(self) -> PieceType {
        PieceType::ALL[self.kind_index() - 1]
    }

    /// The same owner's piece after promotion, `None` where the kind does not promote.
    #[inline(always)]
    pub const fn promoted(self) -> Option<Self> {
        match self.kind().promoted() {
            Some(kind) => Some(Self::new(self.color(), kind)),
            None => None,
        }
    }

    /// The same owner's unpromoted piece.
    #[inline(always)]
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

const BLACK_PIECES: [Piece; 14] = [
    Piece::BlackPawn,
    Piece::BlackLance,
    Piece::BlackKnight,
    Piece::BlackSilver,
    Piece::BlackBishop,
    Piece::BlackRook,
    Piece::BlackGold,
    Piece::BlackKing,
    Piece::BlackProPawn,
    Piece::BlackProLance,
    Piece::BlackProKnight,
    Piece::BlackProSilver,
    Piece::BlackHorse,
    Piece::BlackDragon,
];

const WHITE_PIECES: [Piece; 14] = [
    Piece::WhitePawn,
    Piece::WhiteLance,
    Piece::WhiteKnight,
    Piece::WhiteSilver,
    Piece::WhiteBishop,
    Piece::WhiteRook,
    Piece::WhiteGold,
    Piece::WhiteKing,
    Piece::WhiteProPawn,
    Piece::WhiteProLance,
    Piece::WhiteProKnight,
    Piece::WhiteProSilver,
    Piece::WhiteHorse,
    Piece::WhiteDragon,
];

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
        assert_eq!(Piece::WhiteHorse.to_string(), "+b");
    }
}
