//! Squares, file by file: 1一 = 0, 1二 = 1, … 9九 = 80; files (筋, 1 to 9 from the right) and ranks
//! (段, 一 to 九 from the top).

use std::fmt;

use super::piece::Color;
use crate::util::simple_enum;

simple_enum! {
    /// One of the 81 squares; `S76` is file 7, rank 6. The index is file · 9 + rank, both from 0.
    ///
    /// ```
    /// use raicho::types::{Color, File, Rank, Square};
    ///
    /// assert_eq!(Square::from_text("7f"), Some(Square::S76));
    /// assert_eq!((Square::S76.file(), Square::S76.rank()), (File::File7, Rank::Rank6));
    /// assert_eq!((Square::S76.rotated(), Square::S76.mirrored()), (Square::S34, Square::S36));
    /// assert!(Square::S33.rank().is_promotion_zone(Color::Black));
    /// ```
    #[allow(missing_docs, reason = "the names say it")]
    pub enum Square {
        S11, S12, S13, S14, S15, S16, S17, S18, S19,
        S21, S22, S23, S24, S25, S26, S27, S28, S29,
        S31, S32, S33, S34, S35, S36, S37, S38, S39,
        S41, S42, S43, S44, S45, S46, S47, S48, S49,
        S51, S52, S53, S54, S55, S56, S57, S58, S59,
        S61, S62, S63, S64, S65, S66, S67, S68, S69,
        S71, S72, S73, S74, S75, S76, S77, S78, S79,
        S81, S82, S83, S84, S85, S86, S87, S88, S89,
        S91, S92, S93, S94, S95, S96, S97, S98, S99,
    }
}

const _: () = assert!(size_of::<Option<Square>>() == 1);

impl Square {
    /// The square on this file and rank.
    #[inline]
    pub const fn new(file: File, rank: Rank) -> Self {
        Self::ALL[file.index() * Rank::NUM + rank.index()]
    }

    /// The file of the square.
    #[inline]
    pub const fn file(self) -> File {
        File::ALL[self.index() / Rank::NUM]
    }

    /// The rank of the square.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank::ALL[self.index() % Rank::NUM]
    }

    /// The square rotated by 180 degrees.
    #[inline]
    #[must_use]
    pub const fn rotated(self) -> Self {
        Self::ALL[Self::NUM - 1 - self.index()]
    }

    /// The square on the other side of the middle file: 7g for 3g.
    #[inline]
    #[must_use]
    pub const fn mirrored(self) -> Self {
        Self::new(File::ALL[File::NUM - 1 - self.file().index()], self.rank())
    }

    /// The square `files` to the left (as black sees it) and `ranks` down, `None` off the board.
    pub const fn offset(self, files: i32, ranks: i32) -> Option<Self> {
        let file = self.file() as i32 + files;
        let rank = self.rank() as i32 + ranks;
        if 0 <= file && file < File::NUM as i32 && 0 <= rank && rank < Rank::NUM as i32 {
            Self::from_index((file * Rank::NUM as i32 + rank) as usize)
        } else {
            None
        }
    }

    /// The square of a USI text such as `7g`.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut letters = text.chars();
        let file = File::from_char(letters.next()?)?;
        let rank = Rank::from_char(letters.next()?)?;
        letters.next().is_none().then(|| Self::new(file, rank))
    }
}

/// The square as USI writes it: `7g`.
impl fmt::Display for Square {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", self.file().to_char(), self.rank().to_char())
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_index_round_trip() {
        for (index, square) in Square::ALL.into_iter().enumerate() {
            assert_eq!(square.index(), index);
            assert_eq!(Square::new(square.file(), square.rank()), square);
            assert_eq!(Square::from_text(&square.to_string()), Some(square));
            assert_eq!(square.rotated().index(), 80 - index);
            assert_eq!(square.mirrored().rank(), square.rank());
            assert_eq!(square.mirrored().file().index(), 8 - square.file().index());
        }
        assert_eq!(Square::from_index(81), None);
        assert_eq!(Square::S12.index(), 1);
        assert_eq!(Square::from_text("7g"), Some(Square::S77));
        assert_eq!(Square::from_text("7j"), None);
        assert_eq!(Square::from_text("77"), None);
        assert_eq!(Square::from_text("7gg"), None);
    }

    #[test]
    fn offset_stays_on_the_board() {
        assert_eq!(Square::S55.offset(1, -2), Some(Square::S63));
        assert_eq!(Square::S19.offset(0, 1), None);
        assert_eq!(Square::S11.offset(-1, 0), None);
    }
}
