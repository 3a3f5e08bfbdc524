//! Piece types, with the usual codes of shogi programs: 1 pawn … 8 king, 9 promoted pawn … 14
//! dragon.

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

const PROMOTION: u8 = 8;

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
    pub const HAND: [Self; 7] = [
        Self::Pawn,
        Self::Lance,
        Self::Knight,
        Self::Silver,
        Self::Bishop,
        Self::Rook,
        Self::Gold,
    ];

    /// The same kinds in the order in which Apery and cshogi store hands.
    pub(crate) const HAND_OF_APERY: [Self; 7] = [
        Self::Pawn,
        Self::Lance,
        Self::Knight,
        Self::Silver,
        Self::Gold,
        Self::Bishop,
        Self::Rook,
    ];

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
        if index >= 1 && index <= Self::ALL.len() {
            Some(Self::ALL[index - 1])
        } else {
            None
        }
    }

    /// The kind with this code, 1 to 7, that can be in hand.
    #[inline]
    pub const fn hand_from_index(index: usize) -> Option<Self> {
        if index >= 1 && index <= Self::HAND.len() {
            Some(Self::HAND[index - 1])
        } else {
            None
        }
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
}
