//! Positions in 32 bytes, as teacher data stores them: [`PackedSfen`] of `YaneuraOu` and
//! [`HuffmanCodedPos`] of Apery and dlshogi (hcp).
//!
//! Both are a stream of bits, the lowest bit of each byte first: side to move (0 black), 7 bits for
//! the square of black's king and 7 for white's, a Huffman code for each of the other 79 squares in
//! the order of [`Square`], then the hands, black's first, and last the piece box: the pieces
//! missing from a full set. A piece in hand or in the box takes one bit less than on the board,
//! which pays for the square that it leaves empty, so the stream always has 256 bits. The two
//! formats differ in the codes only.
//!
//! The bytes written are those of `YaneuraOu` 9 and cshogi. The reader also takes hands in any
//! order (`YaneuraOu` 7.6 wrote gold last) and zeros instead of the box.
//!
//! A missing king has the square 81. Its board has one more square to encode, so a stream with all
//! other pieces is one bit longer than 32 bytes, or two bits without both kings; other programs
//! lose these bits. Here the king's field is 82 instead of 81 if the bit that does not fit is 1.

use std::cmp::Ordering;

use bytemuck::{Pod, Zeroable};
use thiserror::Error;

use crate::position::{Board, InvalidPosition, Position};
use crate::types::{Color, Move16, Piece, PieceType, Square};

#[cfg(test)]
mod tests;

/// The king field of a side without a king.
const NO_KING: u32 = Square::NUM as u32;
/// The width of a king field.
const KING_BITS: u32 = 7;
/// The first bit of the square codes, after the side to move and both kings.
const BOARD_START: u32 = 1 + 2 * KING_BITS;

/// A position as `YaneuraOu` packs it (`sfen_packer.cpp`, type `PackedSfen`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub struct PackedSfen([u8; 32]);

/// The order of the bytes, by which books are sorted, eight at a time.
impl Ord for PackedSfen {
    fn cmp(&self, other: &Self) -> Ordering {
        let [own, others] = [self, other].map(|packed| {
            let (words, _) = packed.0.as_chunks::<8>();
            [0, 1, 2, 3].map(|index| u64::from_be_bytes(words[index]))
        });
        own.cmp(&others)
    }
}

impl PartialOrd for PackedSfen {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A position as Apery, dlshogi and cshogi pack it (`HuffmanCodedPos`, hcp).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub struct HuffmanCodedPos([u8; 32]);

/// Why 32 bytes are not a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PackedError {
    /// A king field is not a square.
    #[error("{} king on square {found}, expected 0 to 80, or 81 for no king", color.name())]
    King {
        /// The side of the king.
        color: Color,
        /// The value of the field.
        found: u32,
    },
    /// Both kings are on one square.
    #[error("both kings on {0}, expected different squares")]
    KingsTogether(Square),
    /// The codes of the squares take more than the 256 bits.
    #[error("the board takes more than {CAPACITY} bits")]
    LongBoard,
    /// Bits after the squares that are not the code of a piece.
    #[error("no code of a piece in hand begins at bit {bit}")]
    Hand {
        /// The first bit of the code, from 0.
        bit: u32,
    },
    /// The last code is longer than the bits that are left.
    #[error("the piece in hand at bit {bit} ends after the last bit")]
    LongHands {
        /// The first bit of the code, from 0.
        bit: u32,
    },
    /// The position breaks a rule, such as two pawns on a file.
    #[error("impossible position: {0}")]
    Impossible(#[from] InvalidPosition),
}

/// The methods that the two formats share.
macro_rules! packed_position {
    ($name:ident, $codes:expr) => {
        impl $name {
            /// Packs a position without its history and ply.
            pub fn of(position: &Position) -> Self {
                Self::of_board(position.board())
            }

            /// Packs a board, which need not be a valid position.
            pub fn of_board(board: &Board) -> Self {
                Self(pack(board, $codes))
            }

            /// Unpacks a position, whose next move gets the number `ply`.
            ///
            /// # Errors
            /// The bytes are not a valid position.
            pub fn unpack(&self, ply: u32) -> Result<Position, PackedError> {
                Ok(Position::from_board(unpack(&self.0, $codes)?, ply)?)
            }

            /// Unpacks the board only, which is much faster than a position with room for a
            /// history.
            ///
            /// # Errors
            /// The bytes are not a valid position.
            pub fn unpack_board(&self) -> Result<Board, PackedError> {
                let board = unpack(&self.0, $codes)?;
                board.validate()?;
                Ok(board)
            }

            /// The side to move, which is the first bit.
            pub const fn side_to_move(self) -> Color {
                if self.0[0] & 1 == 0 { Color::Black } else { Color::White }
            }

            /// Takes stored bytes without checking them.
            pub const fn from_bytes(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            /// The bytes to store.
            pub const fn to_bytes(self) -> [u8; 32] {
                self.0
            }
        }
    };
}

packed_position!(PackedSfen, &PACKED_SFEN);
packed_position!(HuffmanCodedPos, &HUFFMAN_CODED_POS);

fn pack(board: &Board, codes: &CodeTable) -> [u8; 32] {
    let mut bits = Bits::default();
    bits.skip(BOARD_START);
    let mut in_box = PieceType::HAND.map(|kind| (kind, kind.count_in_set()));
    let mut take = |kind: PieceType, count: u32| {
        let (_, left) = &mut in_box[kind.unpromoted().index() - 1];
        *left = left.saturating_sub(count);
    };
    for &piece in board.squares() {
        let is_king = piece.is_some_and(|piece| piece.kind() == PieceType::King);
        if !is_king {
            bits.put(codes.of_square(piece));
        }
        if let Some(piece) = piece.filter(|_| !is_king) {
            take(piece.kind(), 1);
        }
    }
    for color in Color::ALL {
        for kind in PieceType::HAND_OF_APERY {
            let count = board.hand(color).count(kind);
            take(kind, count);
            (0..count).for_each(|_| bits.put(codes.of_hand(kind, color)));
        }
    }
    for kind in PieceType::HAND_OF_APERY {
        let (_, count) = in_box[kind.index() - 1];
        (0..count).for_each(|_| bits.put(codes.of_box(kind)));
    }
    let mut overflow = bits.overflow();
    let kings = Color::ALL.map(|color| {
        board.king(color).map_or_else(
            || {
                let bit = overflow & 1;
                overflow >>= 1;
                NO_KING + bit
            },
            |square| square.index() as u32,
        )
    });
    bits.put_head(board.side_to_move() as u32 | kings[0] << 1 | kings[1] << (1 + KING_BITS));
    bits.to_bytes()
}

fn unpack(bytes: &[u8; 32], codes: &CodeTable) -> Result<Board, PackedError> {
    let mut bits = Bits::from_bytes(bytes);
    let mut board = Board::EMPTY;
    let is_white = bits.take(1) == 1;
    board.set_side_to_move(if is_white { Color::White } else { Color::Black });
    let end = CAPACITY + read_kings(&mut bits, &mut board)?;
    for square in Square::ALL {
        if board.piece_on(square).is_some() {
            continue;
        }
        let (piece, length) = codes.square(bits.peek());
        bits.skip(length);
        if let Some(piece) = piece {
            board.put(piece, square);
        }
    }
    if bits.position() > end {
        return Err(PackedError::LongBoard);
    }
    read_hands(&mut bits, end, &mut board, codes)?;
    Ok(board)
}

/// Returns the number of bits beyond the 32 bytes, one for each missing king, after appending them.
fn read_kings(bits: &mut Bits, board: &mut Board) -> Result<u32, PackedError> {
    let mut missing = 0;
    for color in Color::ALL {
        let found = bits.take(KING_BITS);
        match Square::from_index(found as usize) {
            Some(square) if board.piece_on(square).is_some() => {
                return Err(PackedError::KingsTogether(square));
            }
            Some(square) => board.put(Piece::new(color, PieceType::King), square),
            None if found <= NO_KING + 1 => {
                bits.append(missing, found - NO_KING);
                missing += 1;
            }
            None => return Err(PackedError::King { color, found }),
        }
    }
    Ok(missing)
}

fn read_hands(
    bits: &mut Bits,
    end: u32,
    board: &mut Board,
    codes: &CodeTable,
) -> Result<(), PackedError> {
    let mut counts = [[0; PieceType::HAND.len() + 1]; Color::NUM];
    while bits.position() < end {
        if bits.rest_is_zero() {
            // Zeros are codes of black's pawns. If no pawns are left for them, the piece box was
            // not written.
            counts[0][PieceType::Pawn.index()] += missing_pawns(board, &counts)
                .min((end - bits.position()) / codes.of_hand(PieceType::Pawn, Color::Black).length);
            break;
        }
        let bit = bits.position();
        let (piece, length) = codes.hand(bits.peek()).ok_or(PackedError::Hand { bit })?;
        bits.skip(length);
        if bits.position() > end {
            return Err(PackedError::LongHands { bit });
        }
        if let InHand::Held(color, kind) = piece {
            counts[color.index()][kind.index()] += 1;
        }
    }
    for color in Color::ALL {
        for kind in PieceType::HAND {
            board.give(color, kind, counts[color.index()][kind.index()])?;
        }
    }
    Ok(())
}

/// The pawns of a full set that are neither on the board nor in `counts`.
fn missing_pawns(board: &Board, counts: &[[u32; PieceType::HAND.len() + 1]; Color::NUM]) -> u32 {
    let on_board = board.kind(PieceType::Pawn) | board.kind(PieceType::ProPawn);
    let [black, white] = counts.map(|hand| hand[PieceType::Pawn.index()]);
    let in_hand = black + white;
    (PieceType::Pawn.count_in_set()).saturating_sub(on_board.count() as u32 + in_hand)
}

// --- Moves in the 16 bits of Apery, which hcpe, hcpe3 and `.pack` store ---

// Bits 0-6 the target square, bits 7-13 the origin, bit 14 the promotion. A drop has the origin 81
// (pawn) to 87 (gold). `Move16` has the layout of YaneuraOu.

/// The first bit of the origin, and the width of the target.
pub(super) const FROM_SHIFT: u32 = 7;
/// The bits of one square field, at its lowest place.
pub(super) const FIELD_MASK: u16 = 0x7f;
const PROMOTION: u16 = 1 << 14;
/// The drop and promotion bits of `Move16`, whose order differs from Apery's.
const OWN_DROP: u16 = 1 << 14;
const OWN_PROMOTION: u16 = 1 << 15;
/// The origin of a pawn drop.
const FIRST_DROP: u16 = Square::NUM as u16;

/// Converts a move to Apery's 16 bits.
pub const fn to_apery(mv: Move16) -> u16 {
    let bits = mv.to_bits();
    let to = bits & FIELD_MASK;
    let origin = bits >> FROM_SHIFT & FIELD_MASK;
    if mv.is_drop() {
        to | (FIRST_DROP + origin - PieceType::Pawn as u16) << FROM_SHIFT
    } else if mv.is_promotion() {
        to | origin << FROM_SHIFT | PROMOTION
    } else {
        to | origin << FROM_SHIFT
    }
}

/// Converts Apery's 16 bits to a move; `None` if a field is out of range, a drop promotes, or both
/// squares are the same.
pub const fn from_apery(bits: u16) -> Option<Move16> {
    let to = bits & FIELD_MASK;
    let origin = bits >> FROM_SHIFT & FIELD_MASK;
    let is_promotion = bits & PROMOTION != 0;
    if to >= Square::NUM as u16 || to == origin || bits & !(PROMOTION | (PROMOTION - 1)) != 0 {
        return None;
    }
    if origin < Square::NUM as u16 {
        let promotion = if is_promotion { OWN_PROMOTION } else { 0 };
        return Move16::from_bits(to | origin << FROM_SHIFT | promotion);
    }
    let kind = origin - FIRST_DROP + PieceType::Pawn as u16;
    if is_promotion || kind > PieceType::Gold as u16 {
        return None;
    }
    Move16::from_bits(to | kind << FROM_SHIFT | OWN_DROP)
}

// --- The stream of bits, and the Huffman codes of both formats ---
//
// Pieces on the board, in hand and in the piece box have codes of their own: those of `YaneuraOu`
// (`extra/sfen_packer.cpp`) and of cshogi (`position.cpp`).

/// The number of bits in the 32 bytes.
const CAPACITY: u32 = 256;

/// The stream, the bits that overflow it, and zeros.
const BYTES: usize = 40;

/// The first byte that no stream uses.
const END: usize = BYTES - 2;

/// The Huffman code of a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Code {
    /// The bits, the first one lowest.
    bits: u8,
    /// The number of bits, at most 8.
    length: u32,
}

/// A stream of bits and the position of the next one.
struct Bits {
    bytes: [u8; BYTES],
    position: u32,
}

impl Default for Bits {
    fn default() -> Self {
        Self { bytes: [0; BYTES], position: 0 }
    }
}

impl Bits {
    fn from_bytes(bytes: &[u8; 32]) -> Self {
        let mut bits = Self::default();
        bits.bytes[..bytes.len()].copy_from_slice(bytes);
        bits
    }

    /// The first 256 bits.
    fn to_bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(&self.bytes[..32]);
        bytes
    }

    /// The bits after the first 256, the first one lowest.
    fn overflow(&self) -> u32 {
        self.bytes[CAPACITY as usize / 8].into()
    }

    /// Sets bit `256 + index` of the stream.
    fn append(&mut self, index: u32, bit: u32) {
        self.bytes[CAPACITY as usize / 8] |= (bit << index) as u8;
    }

    /// The number of bits read or written so far.
    fn position(&self) -> u32 {
        self.position
    }

    #[inline]
    fn skip(&mut self, length: u32) {
        self.position += length;
    }

    /// Writes the first bits of the stream without moving the position.
    fn put_head(&mut self, bits: u32) {
        for (byte, bits) in self.bytes.iter_mut().zip(bits.to_le_bytes()) {
            *byte |= bits;
        }
    }

    fn put(&mut self, code: Code) {
        let (index, shift) = self.place();
        let [low, high] = (u16::from(code.bits) << shift).to_le_bytes();
        self.bytes[index] |= low;
        self.bytes[index + 1] |= high;
        self.position += code.length;
    }

    /// The next 8 bits, padded with zeros after the end.
    #[inline]
    fn peek(&self) -> u8 {
        let (index, shift) = self.place();
        let both = u16::from_le_bytes([self.bytes[index], self.bytes[index + 1]]);
        (both >> shift) as u8
    }

    /// Reads up to 8 bits.
    fn take(&mut self, length: u32) -> u32 {
        let bits = u32::from(self.peek()) & ((1 << length) - 1);
        self.skip(length);
        bits
    }

    /// Whether all remaining bits are zero.
    fn rest_is_zero(&self) -> bool {
        let (index, shift) = self.place();
        let mut rest = self.bytes[index..].iter();
        rest.next().is_none_or(|byte| byte >> shift == 0) && rest.all(|&byte| byte == 0)
    }

    /// The byte with the next bit, and its number there. All places after the end are alike.
    #[inline]
    fn place(&self) -> (usize, u32) {
        let index = (self.position / 8) as usize;
        (index.min(END), self.position % 8)
    }
}

// --- Codes ---

const KINDS: usize = PieceType::HAND.len();
/// Entries of a lookup table, which is indexed by the next 8 bits.
const PREFIXES: usize = 1 << u8::BITS;

/// A piece that is not on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum InHand {
    /// In the hand of a side.
    Held(Color, PieceType),
    /// In the piece box: missing from the full set.
    InBox,
}

/// The codes of a piece type.
#[derive(Clone, Copy)]
struct KindCodes {
    /// On the board, followed by the bits of colour and promotion.
    board: Code,
    /// In hand, followed by the bit of the colour.
    hand: Code,
    /// In the piece box.
    in_box: Code,
}

/// The codes of a format, for encoding and decoding.
struct CodeTable {
    kinds: [KindCodes; KINDS],
    pieces: [Code; Piece::NUM],
    squares: [(Option<Piece>, u8); PREFIXES],
    hands: [Option<(InHand, u8)>; PREFIXES],
}

const fn code(bits: u8, length: u32) -> Code {
    Code { bits, length }
}

const fn kind(board: Code, hand: Code, in_box: Code) -> KindCodes {
    KindCodes { board, hand, in_box }
}

/// The codes of `YaneuraOu`: the promotion comes before the colour.
static PACKED_SFEN: CodeTable = CodeTable::new(
    [
        kind(code(0b1, 2), code(0b0, 2), code(0b010, 3)),
        kind(code(0b0011, 4), code(0b0001, 4), code(0b0_1001, 5)),
        kind(code(0b1011, 4), code(0b0101, 4), code(0b0_1101, 5)),
        kind(code(0b0111, 4), code(0b0011, 4), code(0b0_1011, 5)),
        kind(code(0b01_1111, 6), code(0b00_1111, 6), code(0b010_1111, 7)),
        kind(code(0b11_1111, 6), code(0b01_1111, 6), code(0b011_1111, 7)),
        kind(code(0b0_1111, 5), code(0b0111, 4), code(0b1_1011, 5)),
    ],
    false,
);

/// The codes of Apery: the colour comes before the promotion, and the codes of knight and silver
/// are swapped.
static HUFFMAN_CODED_POS: CodeTable = CodeTable::new(
    [
        kind(code(0b1, 2), code(0b0, 2), code(0b010, 3)),
        kind(code(0b0011, 4), code(0b0001, 4), code(0b0_1001, 5)),
        kind(code(0b0111, 4), code(0b0011, 4), code(0b0_1011, 5)),
        kind(code(0b1011, 4), code(0b0101, 4), code(0b0_1101, 5)),
        kind(code(0b01_1111, 6), code(0b01_1111, 6), code(0b000_1111, 7)),
        kind(code(0b11_1111, 6), code(0b11_1111, 6), code(0b010_1111, 7)),
        kind(code(0b0_1111, 5), code(0b0111, 4), code(0b1_1101, 5)),
    ],
    true,
);

const EMPTY_SQUARE: Code = code(0, 1);

impl CodeTable {
    /// `kinds` in the order of [`PieceType::HAND`].
    const fn new(kinds: [KindCodes; KINDS], color_first: bool) -> Self {
        let mut table = Self {
            kinds,
            pieces: [EMPTY_SQUARE; Piece::NUM],
            squares: [(None, EMPTY_SQUARE.length as u8); PREFIXES],
            hands: [None; PREFIXES],
        };
        let mut index = 0;
        while index < Piece::ALL.len() {
            let piece = Piece::ALL[index];
            if !matches!(piece.kind(), PieceType::King) {
                table.enter_piece(piece, color_first);
            }
            index += 1;
        }
        let mut index = 0;
        while index < KINDS {
            let kind = PieceType::HAND[index];
            table.enter_hand(InHand::InBox, kinds[index].in_box);
            let mut color = 0;
            while color < Color::NUM {
                let color_value = Color::ALL[color];
                let code = table.of_hand(kind, color_value);
                table.enter_hand(InHand::Held(color_value, kind), code);
                color += 1;
            }
            index += 1;
        }
        table
    }

    const fn enter_piece(&mut self, piece: Piece, color_first: bool) {
        let kind = piece.kind();
        let prefix = self.kinds[kind.unpromoted().index() - 1].board;
        let white = matches!(piece.color(), Color::White) as u8;
        let promoted = kind.is_promoted() as u8;
        let code = if matches!(kind, PieceType::Gold) {
            code(prefix.bits | white << prefix.length, prefix.length + 1)
        } else {
            let marks = if color_first { white | promoted << 1 } else { promoted | white << 1 };
            code(prefix.bits | marks << prefix.length, prefix.length + 2)
        };
        self.pieces[piece.index()] = code;
        let mut rest = 0;
        while rest < PREFIXES >> code.length {
            let prefix = code.bits as usize | rest << code.length;
            self.squares[prefix] = (Some(piece), code.length as u8);
            rest += 1;
        }
    }

    const fn enter_hand(&mut self, piece: InHand, code: Code) {
        let mut rest = 0;
        while rest < PREFIXES >> code.length {
            let prefix = code.bits as usize | rest << code.length;
            assert!(self.hands[prefix].is_none());
            self.hands[prefix] = Some((piece, code.length as u8));
            rest += 1;
        }
    }

    /// The code of a square that holds no king.
    #[inline]
    const fn of_square(&self, piece: Option<Piece>) -> Code {
        match piece {
            Some(piece) => self.pieces[piece.index()],
            None => EMPTY_SQUARE,
        }
    }

    const fn of_hand(&self, kind: PieceType, color: Color) -> Code {
        let prefix = self.kinds[kind.index() - 1].hand;
        let white = matches!(color, Color::White) as u8;
        code(prefix.bits | white << prefix.length, prefix.length + 1)
    }

    const fn of_box(&self, kind: PieceType) -> Code {
        self.kinds[kind.index() - 1].in_box
    }

    /// Decodes a square: its piece and the length of the code. Any 8 bits begin with a code.
    #[inline]
    const fn square(&self, next: u8) -> (Option<Piece>, u32) {
        let (piece, length) = self.squares[next as usize];
        (piece, length as u32)
    }

    /// Decodes a piece in hand or in the box and the length of its code; `None` if there is no
    /// code.
    #[inline]
    const fn hand(&self, next: u8) -> Option<(InHand, u32)> {
        match self.hands[next as usize] {
            Some((piece, length)) => Some((piece, length as u32)),
            None => None,
        }
    }
}
