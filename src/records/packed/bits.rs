//! A stream of bits, the lowest bit of each byte first.

/// The number of bits in the 32 bytes.
pub(super) const CAPACITY: u32 = 256;

const WORD: u32 = u64::BITS;
/// Four words are stored; the fifth holds overflowing bits and lets [`Bits::peek`] read past the
/// end.
const WORDS: usize = 5;

/// A Huffman code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Code {
    /// The bits, the first one lowest.
    pub(super) bits: u8,
    /// The number of bits, at most 8.
    pub(super) length: u32,
}

/// A stream of bits and the position of the next one.
#[derive(Default)]
pub(super) struct Bits {
    words: [u64; WORDS],
    position: u32,
}

impl Bits {
    pub(super) fn from_bytes(bytes: &[u8; 32]) -> Self {
        let mut words = [0; WORDS];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        Self { words, position: 0 }
    }

    /// The first 256 bits.
    pub(super) fn to_bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (word, bytes) in self.words.iter().zip(bytes.as_chunks_mut::<8>().0) {
            *bytes = word.to_le_bytes();
        }
        bytes
    }

    /// The bits after the first 256, the first one lowest.
    pub(super) fn overflow(&self) -> u32 {
        self.words[WORDS - 1] as u32
    }

    /// Sets bit `256 + index` of the stream.
    pub(super) fn append(&mut self, index: u32, bit: u32) {
        self.words[WORDS - 1] |= u64::from(bit) << index;
    }

    /// The number of bits read or written so far.
    pub(super) fn position(&self) -> u32 {
        self.position
    }

    pub(super) fn skip(&mut self, length: u32) {
        self.position += length;
    }

    /// Writes the first bits of the stream without moving the position.
    pub(super) fn put_head(&mut self, bits: u32) {
        self.words[0] |= u64::from(bits);
    }

    pub(super) fn put(&mut self, code: Code) {
        let (index, shift) = self.place();
        let bits = u128::from(code.bits) << shift;
        self.or(index, bits as u64);
        self.or(index + 1, (bits >> WORD) as u64);
        self.position += code.length;
    }

    fn or(&mut self, index: usize, bits: u64) {
        if let Some(word) = self.words.get_mut(index) {
            *word |= bits;
        }
    }

    /// The next 8 bits, padded with zeros after the end.
    #[inline]
    pub(super) fn peek(&self) -> u8 {
        let (index, shift) = self.place();
        let word = |index: usize| self.words.get(index).copied().unwrap_or(0);
        let both = u128::from(word(index)) | u128::from(word(index + 1)) << WORD;
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
        let mut rest = self.words.iter().skip(index);
        rest.next().is_none_or(|word| word >> shift == 0) && rest.all(|&word| word == 0)
    }

    fn place(&self) -> (usize, u32) {
        ((self.position / WORD) as usize, self.position % WORD)
    }
}
