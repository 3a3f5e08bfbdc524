//! General helpers, independent of shogi.

mod aligned;
mod duration;
#[cfg(not(target_family = "wasm"))]
mod pages;
pub(crate) mod system;
#[cfg(test)]
mod test_folder;

use std::fmt::{Display, Write as _};
use std::io::{self, Read, Write};
use std::{borrow::Cow, path::Path};

use encoding_rs::SHIFT_JIS;

pub(crate) use aligned::Aligned;
pub(crate) use duration::BareNumber;
#[cfg(not(target_family = "wasm"))]
pub(crate) use pages::ZeroedPages;
use system::File;
#[cfg(target_family = "wasm")]
pub(crate) use system::ZeroedPages;
pub(crate) use system::{cores, fits_into_memory, for_each_part};
#[cfg(test)]
pub(crate) use test_folder::TestFolder;

/// Bytes of a megabyte (MB) in options and messages.
pub(crate) const BYTES_PER_MEGABYTE: usize = 1 << 20;

/// Names in an error the file or folder that it is about.
#[cfg(feature = "cli")]
pub(crate) trait AtPath<T> {
    /// # Errors
    /// That of `self`, with the path as its context.
    fn at(self, path: &Path) -> anyhow::Result<T>;
}

#[cfg(feature = "cli")]
impl<T, E> AtPath<T> for Result<T, E>
where
    Self: anyhow::Context<T, E>,
{
    fn at(self, path: &Path) -> anyhow::Result<T> {
        anyhow::Context::with_context(self, || path.display().to_string())
    }
}

/// A stream and the CRC-32 of what has passed through it.
pub(crate) struct Summed<T> {
    pub(crate) inner: T,
    pub(crate) sum: crc32fast::Hasher,
}

impl<T> Summed<T> {
    /// A stream through which nothing has passed.
    pub(crate) fn new(inner: T) -> Self {
        let sum = crc32fast::Hasher::new();
        Self { inner, sum }
    }
}

impl<T: Write> Write for Summed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Summed<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.sum.update(&bytes[..read]);
        Ok(read)
    }
}

/// Reads input that may end within a record: fills `bytes` until it is full or the input ends, and
/// returns the number of bytes read.
///
/// # Errors
/// The input cannot be read.
pub(crate) fn read_up_to(input: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match input.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

// --- Enums ---

/// Declares a fieldless `repr(u8)` enum whose variants are numbered 0, 1, 2, … with `NUM`, `ALL`
/// and the conversions between variant and index.
///
/// Its only unsafe code converts an index known to be in range, which must cost nothing in the move
/// generator, where a lookup in `ALL` costs a load and a compare.
macro_rules! simple_enum {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident),+ $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        $vis enum $name { $($(#[$variant_meta])* $variant),+ }

        impl $name {
            /// How many values there are.
            pub const NUM: usize = [$($name::$variant),+].len();

            /// All values in order of their index.
            pub const ALL: [Self; Self::NUM] = [$($name::$variant),+];

            /// The position in [`Self::ALL`], below [`Self::NUM`].
            #[inline]
            pub const fn index(self) -> usize {
                self as usize
            }

            /// The value with this index, `None` from [`Self::NUM`] on.
            #[inline]
            pub const fn from_index(index: usize) -> Option<Self> {
                if index < Self::NUM { Some(Self::ALL[index]) } else { None }
            }

            /// The value with this index, without the check of [`Self::from_index`].
            ///
            /// # Safety
            /// `index` is below [`Self::NUM`].
            #[inline]
            #[allow(unsafe_code, dead_code, reason = "hot conversion, see util::simple_enum")]
            pub(crate) const unsafe fn from_index_unchecked(index: usize) -> Self {
                debug_assert!(index < Self::NUM);
                // SAFETY: the enum is `repr(u8)` with the discriminants 0..NUM, and the caller
                // keeps `index` below NUM.
                unsafe { std::mem::transmute::<u8, Self>(index as u8) }
            }
        }
    };
}

pub(crate) use simple_enum;

// --- Random numbers that are computed from their index ---

/// The increment of `SplitMix64` (Vigna 2015): 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Value `index` of the generator `SplitMix64` with seed 0.
pub(crate) const fn split_mix(index: u64) -> u64 {
    mixed(index.wrapping_mul(GOLDEN))
}

/// Hashes a number: the step of `SplitMix64` from it.
pub(crate) const fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(GOLDEN);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

// --- Prefetch hints ---

/// Whether [`prefetch`] does anything. Where it does not, callers should not look for the value
/// either.
pub(crate) const PREFETCHES: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Brings the cache line of `value` into the cache.
#[inline]
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the prefetch instruction has no safe form")]
pub(crate) fn prefetch<T>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: the address comes from a reference, and a prefetch faults on no address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
}

/// Brings the cache line of `value` into the cache.
#[inline]
#[cfg(target_arch = "aarch64")]
#[expect(unsafe_code, reason = "the prefetch instruction has no safe form")]
pub(crate) fn prefetch<T>(value: &T) {
    let address = std::ptr::from_ref(value);
    // SAFETY: a prefetch faults on no address and changes neither memory nor registers.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{}]",
            in(reg) address,
            options(nostack, preserves_flags, readonly)
        );
    }
}

/// Does nothing: there is no portable prefetch.
#[inline]
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn prefetch<T>(_value: &T) {}

// --- Text: numbers of things in English, quotes of foreign text, and its decoding ---

/// A number with its noun: `1 game`, `2 games`, `0 entries`.
pub(crate) fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    if number == N::from(1) {
        return format!("1 {noun}");
    }
    let stem = noun.strip_suffix('y');
    match stem.filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => format!("{number} {stem}ies"),
        None if noun.ends_with("ss") || noun.ends_with('x') => format!("{number} {noun}es"),
        None => format!("{number} {noun}s"),
    }
}

/// Characters that [`shorten`] keeps.
const SHOWN: usize = 40;

/// Characters of the longest message that [`abbreviate`] leaves as it is.
const MAX_MESSAGE: usize = 1000;

/// Whether a terminal would obey a character instead of showing it: controls, those of ISO 6429's
/// upper half included, and marks that turn the direction of the text around them.
pub(crate) fn is_command(letter: char) -> bool {
    let turns = matches!(
        letter,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    turns || letter.is_control()
}

/// JSON in which such characters are escaped; its own line ends stay.
pub(crate) fn harmless_json(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter != '\n' && is_command(letter) {
            let _ = write!(text, "\\u{:04x}", u32::from(letter));
        } else {
            text.push(letter);
        }
    }
    text
}

/// The beginning of foreign text, for quotes in messages, with spaces for control characters, so
/// that a message stays a readable line whatever it quotes, and commands no terminal.
pub(crate) fn shorten(text: &str) -> String {
    let shown: String = text.chars().take(SHOWN).collect();
    let mut shown = shown.replace(is_command, " ");
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("...");
    }
    shown
}

/// A message without the middle of a very long text that it quotes: its end says what is wrong.
pub(crate) fn abbreviate(message: String) -> String {
    let cuts = (
        message.char_indices().nth(MAX_MESSAGE / 2),
        message.char_indices().nth_back(MAX_MESSAGE / 2),
    );
    match cuts {
        (Some((end, _)), Some((start, _))) if message.chars().count() > MAX_MESSAGE => {
            format!("{} ... {}", &message[..end], &message[start..])
        }
        _ => message,
    }
}

/// Decodes a line of another program: UTF-8, or CP932, which GUIs and engines on Japanese Windows
/// write. Bytes that are valid in neither encoding become replacement characters.
pub(crate) fn decode_line(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => SHIFT_JIS
            .decode_without_bom_handling_and_without_replacement(bytes)
            .unwrap_or_else(|| String::from_utf8_lossy(bytes)),
    }
}

/// Parses a whole number from 1. The error says what was expected.
pub(crate) fn parse_positive<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let number = text.trim().parse().ok().filter(|&number| number > 0);
    number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
        let most = u64::MAX >> (u64::BITS as usize - 8 * size_of::<T>());
        format!("expected a whole number from 1 to {most}")
    })
}

/// Parses a number from 0 to 1.
pub(crate) fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err(format!("'{text}' is no share, expected a number from 0 to 1")),
    }
}

/// Most bytes of a name in a file name: two names, a date and a number stay below the 255 bytes
/// that file systems allow.
const LONGEST_NAME: usize = 80;

/// What is wrong with more threads than processor cores, if there are more.
pub(crate) fn crowding(threads: usize) -> Option<String> {
    let cores = cores();
    (threads > cores).then(|| {
        let (threads, cores) = (counted(threads, "thread"), counted(cores, "processor core"));
        format!("{threads} on {cores} slow each other down")
    })
}

/// Most bytes of an input without a length of its own.
const LONGEST_STREAM: u64 = 256 << 20;

/// The bytes of a file. Of a pipe or a device only the first are kept, as they may have no end.
///
/// # Errors
/// It cannot be read, does not fit into the memory, or has no end before 256 MB.
pub(crate) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let megabytes = metadata.len() / BYTES_PER_MEGABYTE as u64;
    if !metadata.is_file() {
        return read_stream(file);
    }
    if !fits_into_memory(megabytes as usize) {
        let text = format!("{megabytes} MB do not fit into the memory");
        return Err(io::Error::new(io::ErrorKind::OutOfMemory, text));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes up to the end of an input.
///
/// # Errors
/// It cannot be read, or has no end before 256 MB.
pub(crate) fn read_stream(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(LONGEST_STREAM + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST_STREAM {
        let text = "no end before 256 MB, expected a file";
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    Ok(bytes)
}

/// As [`read_file`], of a text in UTF-8.
///
/// # Errors
/// As [`read_file`], or it is no UTF-8.
pub(crate) fn read_utf8(path: &Path) -> io::Result<String> {
    let text = String::from_utf8(read_file(path)?);
    text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// Most bytes of a name in a file name 40 characters and 80 bytes: characters that some
/// file system does not allow are replaced.
pub(crate) fn file_name_of(name: &str) -> String {
    let plain = |character: char| {
        let is_plain = character.is_alphanumeric() || "._+".contains(character);
        if is_plain { character } else { '_' }
    };
    let mut plain: String = name.chars().take(40).map(plain).collect();
    plain.truncate(plain.floor_char_boundary(LONGEST_NAME));
    plain
}

/// The name, or where it is taken the first of `name-2`, `name-3`, … that is not.
pub(crate) fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut free = name.to_owned();
    let mut number = 2;
    while is_taken(&free) {
        free = format!("{name}-{number}");
        number += 1;
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_file_names_are_short_in_bytes() {
        assert_eq!(file_name_of("a/b: 雷鳥"), "a_b__雷鳥");
        for letter in ["a", "é", "雷", "𠮷"] {
            let name = file_name_of(&letter.repeat(100));
            assert!((39..=LONGEST_NAME).contains(&name.len()), "{name}");
            assert_eq!(name, letter.repeat(name.len() / letter.len()));
        }
    }

    #[test]
    fn one_is_singular() {
        for (number, noun, expected) in [
            (1, "game", "1 game"),
            (0, "game", "0 games"),
            (2, "ply", "2 plies"),
            (2, "day", "2 days"),
            (3, "loss", "3 losses"),
            (2, "depth", "2 depths"),
            (1, "entry", "1 entry"),
        ] {
            assert_eq!(counted::<u64>(number, noun), expected);
        }
    }

    #[test]
    fn utf_8_is_preferred_and_rubbish_is_replaced() {
        assert_eq!(decode_line("将棋".as_bytes()), "将棋");
        // The second byte of the last character is a backslash.
        let expected = "将棋ソ nn.bin";
        assert_eq!(decode_line(b"\x8f\xab\x8a\xfb\x83\x5c nn.bin"), expected);
        assert_eq!(decode_line(b"usi \xff\xfe"), "usi \u{fffd}\u{fffd}");
    }

    #[test]
    fn quotations_are_short_and_command_no_terminal() {
        assert_eq!(shorten("7g7f\u{1b}[2J\r\n"), "7g7f [2J  ");
        let long = "\u{96f7}".repeat(SHOWN);
        assert_eq!(shorten(&long), long);
        assert_eq!(shorten(&(long.clone() + "x")), long + "...");
    }

    #[test]
    fn long_messages_keep_both_ends() {
        let short = "x".repeat(MAX_MESSAGE);
        assert_eq!(abbreviate(short.clone()), short);
        let long = format!("error: \u{96f7}{}: not a move", "\u{9ce5}".repeat(3_000_000));
        let cut = abbreviate(long);
        assert!(
            cut.starts_with("error: \u{96f7}\u{9ce5}") && cut.ends_with("\u{9ce5}: not a move")
        );
        assert!(cut.chars().count() < MAX_MESSAGE + 10);
    }
}
