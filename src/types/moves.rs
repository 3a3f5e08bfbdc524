//! Moves: 32 bits everywhere, 16 bits in storage only.
//!
//! [`Move16`] layout: to in bits 0-6, from (or the dropped kind) in bits 7-13, drop flag in bit 14,
//! promotion flag in bit 15. [`Move`] has the same low half; its upper half is the coloured piece
//! that stands on `to` afterwards, so a move tells whose it is.
//!
//! Why unsafe here: reading the fields of a move is the hottest conversion of the engine. Every
//! constructor of [`Move`] ensures valid fields (see [`Move::from_bits`]), so the accessors skip
//! the check.

#![allow(unsafe_code, reason = "accessors of validated fields, see the module text")]

use std::num::{NonZeroU16, NonZeroU32};
use std::{fmt, str::FromStr};

use arrayvec::ArrayVec;
use thiserror::Error;

use super::piece::{Piece, PieceType};
use super::square::Square;

/// Capacity for the legal moves of any position, even with no king or all pieces on one side: there
/// are at most 7 · 81 drops, and a piece on the board takes up to 7 of them, so that its own moves
/// (32 at most, of a rook in the zone, promotions counted twice) add less than 150. With both kings
/// the maximum is 593.
pub const MAX_MOVES: usize = 896;

/// The moves of one position, on the stack.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

const FROM_SHIFT: u32 = 7;
const FIELD_MASK: u32 = 0x7f;
const DROP: u32 = 1 << 14;
const PROMOTION: u32 = 1 << 15;
const PIECE_SHIFT: u32 = 16;

/// A move with the piece that makes it. It is well-formed (its fields are in range and consistent),
/// but need not be possible in any position.
///
/// ```
/// use raicho::types::{Color, Move, Piece, PieceType, Square};
///
/// let pawn = Piece::new(Color::Black, PieceType::Pawn);
/// let mv = Move::normal(Square::S77, Square::S76, pawn);
/// assert_eq!((mv.to_string().as_str(), mv.piece(), mv.is_drop()), ("7g7f", pawn, false));
/// assert_eq!(Move::drop(pawn, Square::S55).to_string(), "P*5e");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU32);

/// A move without its piece, as the transposition table, books and teacher data store it.
/// [`Position::legal_move`](crate::position::Position::legal_move) makes a [`Move`] of it.
///
/// ```
/// use raicho::types::{Move16, Square};
///
/// let mv: Move16 = "8h2b+".parse()?;
/// assert_eq!((mv.from(), mv.to()), (Some(Square::S88), Some(Square::S22)));
/// assert!(mv.is_promotion() && "P*5e".parse::<Move16>()?.is_drop());
/// assert!("8h2j".parse::<Move16>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move16(NonZeroU16);

const _: () = assert!(size_of::<Option<Move>>() == 4 && size_of::<Option<Move16>>() == 2);

impl Move {
    /// A board move of `piece` (as it stands on `from`) that does not promote.
    #[inline]
    pub const fn normal(from: Square, to: Square, piece: Piece) -> Self {
        debug_assert!(from as u8 != to as u8);
        Self::from_valid_bits(
            to as u32 | (from as u32) << FROM_SHIFT | (piece as u32) << PIECE_SHIFT,
        )
    }

    /// A board move after which `promoted` stands on `to`.
    #[inline]
    pub const fn promotion(from: Square, to: Square, promoted: Piece) -> Self {
        debug_assert!(promoted.kind().is_promoted() && from as u8 != to as u8);
        Self::from_valid_bits(
            to as u32 | (from as u32) << FROM_SHIFT | PROMOTION | (promoted as u32) << PIECE_SHIFT,
        )
    }

    /// A drop of `piece`, unpromoted.
    #[inline]
    pub const fn drop(piece: Piece, to: Square) -> Self {
        debug_assert!(piece.kind().index() <= PieceType::Gold.index());
        Self::from_valid_bits(
            to as u32 | (piece.kind() as u32) << FROM_SHIFT | DROP | (piece as u32) << PIECE_SHIFT,
        )
    }

    /// Decodes a move. `None` unless the squares are on the board and differ, the piece exists, it
    /// is a promoted one if the promotion bit is set, the dropped kind is that of the piece, and no
    /// other bit is set.
    pub const fn from_bits(bits: u32) -> Option<Self> {
        let Some(piece) = Piece::from_index((bits >> PIECE_SHIFT) as usize) else {
            return None;
        };
        if bits & FIELD_MASK >= Square::NUM as u32 {
            return None;
        }
        let from = bits >> FROM_SHIFT & FIELD_MASK;
        let is_valid = if bits & DROP != 0 {
            bits & PROMOTION == 0 && from == piece.kind() as u32 && from <= PieceType::Gold as u32
        } else {
            from < Square::NUM as u32
                && from != bits & FIELD_MASK
                && (bits & PROMOTION == 0 || piece.kind().is_promoted())
        };
        if is_valid { Some(Self::from_valid_bits(bits)) } else { None }
    }

    /// The encoded move, see the module text.
    #[inline]
    pub const fn to_bits(self) -> u32 {
        self.0.get()
    }

    /// The low half: the move without its piece.
    ///
    /// # Panics
    /// Panics where the move was made from equal squares, which [`Self::normal`] forbids.
    #[inline]
    pub const fn to_move16(self) -> Move16 {
        match NonZeroU16::new(self.to_bits() as u16) {
            Some(bits) => Move16(bits),
            None => panic!("a drop has the drop bit, a board move differs in from and to"),
        }
    }

    /// The square to which a piece moves or is dropped.
    #[inline]
    pub const fn to(self) -> Square {
        // SAFETY: `from_bits` and the constructors keep the field below `Square::NUM`.
        unsafe { Square::from_index_unchecked((self.to_bits() & FIELD_MASK) as usize) }
    }

    /// The origin square, `None` for drops.
    #[inline]
    pub const fn from(self) -> Option<Square> {
        if self.is_drop() {
            None
        } else {
            // SAFETY: this is a board move, whose from field the constructors keep below
            // `Square::NUM`.
            Some(unsafe {
                Square::from_index_unchecked((self.to_bits() >> FROM_SHIFT & FIELD_MASK) as usize)
            })
        }
    }

    /// The piece that stands on `to` afterwards.
    #[inline]
    pub const fn piece(self) -> Piece {
        // SAFETY: every constructor stores the code of a piece.
        unsafe { Piece::from_index_unchecked((self.to_bits() >> PIECE_SHIFT) as usize) }
    }

    /// The piece before the move: the unpromoted one where the move promotes.
    #[inline]
    pub const fn piece_before(self) -> Piece {
        if self.is_promotion() { self.piece().unpromoted() } else { self.piece() }
    }

    /// Whether the move is a drop.
    #[inline]
    pub const fn is_drop(self) -> bool {
        self.to_bits() & DROP != 0
    }

    /// Whether the piece promotes.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.to_bits() & PROMOTION != 0
    }

    /// Index for history tables, below 81 · 88: origin · 81 + target, where drops of the seven
    /// kinds count as origins 81 to 87.
    #[inline]
    pub const fn from_to_index(self) -> usize {
        // The field of a drop is the kind, from 1. No branch: drops and moves alternate at random.
        let field = self.to_bits() >> FROM_SHIFT & FIELD_MASK;
        let origin = field + (Square::NUM as u32 - 1) * self.is_drop() as u32;
        origin as usize * Square::NUM + self.to().index()
    }

    #[inline]
    const fn from_valid_bits(bits: u32) -> Self {
        match NonZeroU32::new(bits) {
            Some(bits) => Self(bits),
            // SAFETY: the piece code in the upper half is never 0.
            None => unsafe { std::hint::unreachable_unchecked() },
        }
    }
}

impl Move16 {
    /// Decodes 16 bits; `None` for 0.
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Self> {
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }

    /// The encoded move, see the module text.
    #[inline]
    pub const fn to_bits(self) -> u16 {
        self.0.get()
    }

    /// The target square, `None` where the field is not a square.
    #[inline]
    pub const fn to(self) -> Option<Square> {
        Square::from_index((self.to_bits() as u32 & FIELD_MASK) as usize)
    }

    /// The origin square, `None` for drops and where the field is not a square.
    #[inline]
    pub const fn from(self) -> Option<Square> {
        if self.is_drop() { None } else { Square::from_index(self.origin_field()) }
    }

    /// The dropped kind, `None` for board moves and where the field is not a kind that can be in
    /// hand.
    #[inline]
    pub const fn dropped_kind(self) -> Option<PieceType> {
        if self.is_drop() { PieceType::hand_from_index(self.origin_field()) } else { None }
    }

    /// Whether the drop bit is set.
    #[inline]
    pub const fn is_drop(self) -> bool {
        self.to_bits() as u32 & DROP != 0
    }

    /// Whether the promotion bit is set.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.to_bits() as u32 & PROMOTION != 0
    }

    const fn origin_field(self) -> usize {
        (self.to_bits() as u32 >> FROM_SHIFT & FIELD_MASK) as usize
    }
}

/// USI text: `7g7f`, `8h2b+`, `P*5e`.
impl fmt::Display for Move {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_move16(), formatter)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self} ({})", self.piece())
    }
}

/// USI text; fields out of range show as `?`.
impl fmt::Display for Move16 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let square = |square: Option<Square>| {
            square.map_or_else(|| "?".to_owned(), |square| square.to_string())
        };
        if self.is_drop() {
            let letter = self.dropped_kind().map_or('?', PieceType::letter);
            write!(formatter, "{letter}*{}", square(self.to()))
        } else {
            let suffix = if self.is_promotion() { "+" } else { "" };
            write!(formatter, "{}{}{suffix}", square(self.from()), square(self.to()))
        }
    }
}

impl fmt::Debug for Move16 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// The text is not a USI move.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is not a move, expected for example 7g7f, 8h2b+ or P*5e")]
pub struct MoveTextError(pub String);

impl FromStr for Move16 {
    type Err = MoveTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| MoveTextError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Move16> {
    let to_text = text.get(2..4)?;
    let to = Square::from_text(to_text)? as u32;
    let bits = if text.as_bytes()[1] == b'*' {
        let kind = PieceType::from_letter(text.as_bytes()[0] as char)?;
        let is_complete = text.len() == 4 && PieceType::HAND.contains(&kind);
        is_complete.then_some(to | (kind as u32) << FROM_SHIFT | DROP)?
    } else {
        let from = Square::from_text(text.get(0..2)?)? as u32;
        let promotion = match text.get(4..)? {
            "" => 0,
            "+" => PROMOTION,
            _ => return None,
        };
        to | from << FROM_SHIFT | promotion
    };
    // 1a1a has all bits 0 and is not a move.
    Move16::from_bits(bits as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        for text in ["7g7f", "8h2b+", "P*5e", "G*1a", "9i9a+", "R*9i", "1a1b"] {
            let found = text.parse::<Move16>().map(|mv| mv.to_string());
            assert_eq!(found, Ok(text.to_owned()));
        }
        for text in [
            "", "7g", "7g7", "7g7f++", "7g7f*", "K*5e", "p*5e", "P*5e+", "X*5e", "0a1b", "resign",
            "7g7ｆ", "1a1a",
        ] {
            assert!(text.parse::<Move16>().is_err(), "{text}");
        }
    }

    #[test]
    fn fields_round_trip() {
        let mv = Move::promotion(Square::S88, Square::S22, Piece::BlackHorse);
        let expected = (Some(Square::S88), Square::S22, Piece::BlackHorse);
        assert_eq!((mv.from(), mv.to(), mv.piece()), expected);
        assert_eq!(mv.piece_before(), Piece::BlackBishop);
        assert_eq!(mv.to_string(), "8h2b+");
        assert_eq!(Move::from_bits(mv.to_bits()), Some(mv));
        let drop = Move::drop(Piece::WhitePawn, Square::S55);
        assert_eq!((drop.from(), drop.to_string().as_str()), (None, "P*5e"));
        assert_eq!(drop.to_move16().dropped_kind(), Some(PieceType::Pawn));
    }

    #[test]
    fn malformed_bits_are_no_moves() {
        let good = Move::normal(Square::S77, Square::S76, Piece::BlackPawn).to_bits();
        assert!(Move::from_bits(good).is_some());
        for bad in [
            0,
            good & 0xffff,
            good | 1 << 31,
            good | 0x7f,
            good | 0x7f << 7,
            good | PROMOTION,
            good | DROP,
            // From and to both 1一: the low half would be 0.
            (Piece::BlackPawn as u32) << PIECE_SHIFT,
            good & !0x7f | good >> FROM_SHIFT & 0x7f,
        ] {
            assert_eq!(Move::from_bits(bad), None, "{bad:x}");
        }
    }
}
