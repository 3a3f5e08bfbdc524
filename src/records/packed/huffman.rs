//! The stream of bits in a packed position, and the Huffman codes of both formats for pieces on the
//! board, in hand and in the piece box.
//!
//! The codes are those of `YaneuraOu` (`extra/sfen_packer.cpp`) and of cshogi (`position.cpp`).

use crate::types::{Color, Piece, PieceType};

/// The number of bits in the 32 bytes.
pub(super) const CAPACITY: u32 = 256;

/// The stream, the bits that overflow it, and zeros.
const BYTES: usize = 40;

/// The first byte that no stream uses.
const END: usize = BYTES - 2;

/// The Huffman code of a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Code {
    /// The bits, the first one lowest.
    pub(super) bits: u8,
    /// The number of bits, at most 8.
    pub(super) length: u32,
}

/// A stream of bits and the position of the next one.
pub(super) struct Bits {
    bytes: [u8; BYTES],
    position: u32,
}

impl Default for Bits {
    fn default() -> Self {
        Self { bytes: [0; BYTES], position: 0 }
    }
}

impl Bits {
    pub(super) fn from_bytes(bytes: &[u8; 32]) -> Self {
        let mut bits = Self::default();
        bits.bytes[..bytes.len()].copy_from_slice(bytes);
        bits
    }

    /// The first 256 bits.
    pub(super) fn to_bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(&self.bytes[..32]);
        bytes
    }

    /// The bits after the first 256, the first one lowest.
    pub(super) fn overflow(&self) -> u32 {
        self.bytes[CAPACITY as usize / 8].into()
    }

    /// Sets bit `256 + index` of the stream.
    pub(super) fn append(&mut self, index: u32, bit: u32) {
        self.bytes[CAPACITY as usize / 8] |= (bit << index) as u8;
    }

    /// The number of bits read or written so far.
    pub(super) fn position(&self) -> u32 {
        self.position
    }

    #[inline]
    pub(super) fn skip(&mut self, length: u32) {
        self.position += length;
    }

    /// Writes the first bits of the stream without moving the position.
    pub(super) fn put_head(&mut self, bits: u32) {
        for (byte, bits) in self.bytes.iter_mut().zip(bits.to_le_bytes()) {
            *byte |= bits;
        }
    }

    pub(super) fn put(&mut self, code: Code) {
        let (index, shift) = self.place();
        let [low, high] = (u16::from(code.bits) << shift).to_le_bytes();
        self.bytes[index] |= low;
        self.bytes[index + 1] |= high;
        self.position += code.length;
    }

    /// The next 8 bits, padded with zeros after the end.
    #[inline]
    pub(super) fn peek(&self) -> u8 {
        let (index, shift) = self.place();
        let both = u16::from_le_bytes([self.bytes[index], self.bytes[index + 1]]);
        (both >> shift) as u8
    }

    /// Reads up to 8 bits.
    pub(super) fn take(&mut self, length: u32) -> u32 {
        let bits = u32::from(self.peek()) & ((1 << length) - 1);
        self.skip(length);
        bits
    }

    /// Whether all remaining bits are zero.
    pub(super) fn rest_is_zero(&self) -> bool {
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
pub(super) enum InHand {
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
pub(super) struct CodeTable {
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
pub(super) static PACKED_SFEN: CodeTable = CodeTable::new(
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
pub(super) static HUFFMAN_CODED_POS: CodeTable = CodeTable::new(
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
    pub(super) const fn of_square(&self, piece: Option<Piece>) -> Code {
        match piece {
            Some(piece) => self.pieces[piece.index()],
            None => EMPTY_SQUARE,
        }
    }

    pub(super) const fn of_hand(&self, kind: PieceType, color: Color) -> Code {
        let prefix = self.kinds[kind.index() - 1].hand;
        let white = matches!(color, Color::White) as u8;
        code(prefix.bits | white << prefix.length, prefix.length + 1)
    }

    pub(super) const fn of_box(&self, kind: PieceType) -> Code {
        self.kinds[kind.index() - 1].in_box
    }

    /// Decodes a square: its piece and the length of the code. Any 8 bits begin with a code.
    #[inline]
    pub(super) const fn square(&self, next: u8) -> (Option<Piece>, u32) {
        let (piece, length) = self.squares[next as usize];
        (piece, length as u32)
    }

    /// Decodes a piece in hand or in the box and the length of its code; `None` if there is no
    /// code.
    #[inline]
    pub(super) const fn hand(&self, next: u8) -> Option<(InHand, u32)> {
        match self.hands[next as usize] {
            Some((piece, length)) => Some((piece, length as u32)),
            None => None,
        }
    }
}
