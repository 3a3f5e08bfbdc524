//! A stream of bits, the lowest bit of each byte first.

/// The number of bits in the 32 bytes.
pub(super) const CAPACITY: u32 = 256;

/// The stream, the bits that overflow it, and zeros.
const BYTES: usize = 40;

/// The first byte that no stream uses.
const END: usize = BYTES - 2;

/// A Huffman code.
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
        Self {
            bytes: [0; BYTES],
            position: 0,
        }
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
