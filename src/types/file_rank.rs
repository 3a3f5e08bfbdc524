//! Files (筋, 1 to 9 from the right) and ranks (段, 一 to 九 from the top).

use super::color::Color;
use crate::util::simple_enum;

simple_enum! {
    /// A column of the board, numbered from the right as black sees it.
    #[allow(missing_docs, reason = "the names say it")]
    pub enum File { File1, File2, File3, File4, File5, File6, File7, File8, File9 }
}

simple_enum! {
    /// A row of the board, numbered from white's side: rank 1 is written `a` in USI.
    #[allow(missing_docs, reason = "the names say it")]
    pub enum Rank { Rank1, Rank2, Rank3, Rank4, Rank5, Rank6, Rank7, Rank8, Rank9 }
}

impl File {
    /// The digit of USI, `1` to `9`.
    pub const fn to_char(self) -> char {
        (b'1' + self as u8) as char
    }

    /// The file of a USI digit.
    pub const fn from_char(letter: char) -> Option<Self> {
        match letter {
            '1'..='9' => Self::from_index(letter as usize - '1' as usize),
            _ => None,
        }
    }
}

impl Rank {
    /// The letter of USI, `a` to `i`.
    pub const fn to_char(self) -> char {
        (b'a' + self as u8) as char
    }

    /// The rank of a USI letter.
    pub const fn from_char(letter: char) -> Option<Self> {
        match letter {
            'a'..='i' => Self::from_index(letter as usize - 'a' as usize),
            _ => None,
        }
    }

    /// Number of ranks between this one and the far edge of the board as `color` plays: 0 on its
    /// last rank.
    #[inline]
    pub const fn distance_to_edge(self, color: Color) -> usize {
        match color {
            Color::Black => self as usize,
            Color::White => 8 - self as usize,
        }
    }

    /// Whether `color` promotes on this rank: its three farthest ranks.
    #[inline]
    pub const fn is_promotion_zone(self, color: Color) -> bool {
        self.distance_to_edge(color) < 3
    }
}
