//! `YANEURAOU-DB2016`, the text format `.db` of `YaneuraOu`.
//!
//! A line `sfen …` opens a position; each line below it is a move: the move, the expected answer,
//! value, depth and count. Lines end with LF, CR or both; blank lines and lines that begin with `#`
//! or `//` are skipped. A file is read in blocks of whole positions, so that several threads share
//! the work and no file is ever whole in memory.

mod disk;

use std::io::{self, Read, Write as _};
use std::{collections::VecDeque, path::Path};

use super::fault::{BookFault, BookPlace, FaultLog, Problem};
use super::opened::{MemoryBook, Node};
use super::{BookEntry, BookMove, FormatWriter, Losses};
use crate::runs::{OutputError, OutputFile};
use crate::util::{read_up_to, shorten, system::File};
use crate::{position::Board, records::packed::PackedSfen, types::Move16};

use rayon::prelude::*;

pub(super) use disk::DbOnDisk;

/// Whether the head of a file is a text that begins with a comment, or has a position soon.
pub(super) fn is_text(head: &[u8]) -> bool {
    let text = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
    let mut lines = head.split(|&byte| byte == b'\n' || byte == b'\r');
    let begins = |prefix: &[u8]| text.starts_with(prefix);
    begins(b"#")
        || begins(b"//")
        || begins(POSITION)
        || lines.any(|line| line.starts_with(POSITION))
}

/// The positions of a file in order.
pub(super) struct DbReader {
    blocks: Blocks<File>,
    ready: VecDeque<Result<ReadEntry, BookFault>>,
    /// Number of lines of the blocks that were read.
    lines: u64,
    /// Line of the last entry, from 1.
    pub(super) line: u64,
    /// Lines of its moves.
    pub(super) move_lines: Vec<u64>,
    is_strict: bool,
}

/// An entry and its lines.
struct ReadEntry {
    line: u64,
    move_lines: Vec<u64>,
    entry: BookEntry,
}

impl DbReader {
    /// Opens a file. A strict reader also returns a fault for each position that other programs
    /// would not find.
    pub(super) fn open(path: &Path, is_strict: bool) -> io::Result<Self> {
        Ok(Self {
            blocks: Blocks::new(File::open(path)?),
            ready: VecDeque::new(),
            lines: 0,
            line: 0,
            move_lines: Vec::new(),
            is_strict,
        })
    }

    fn read_block(&mut self, text: &[u8]) {
        let block = Block::read(text, self.lines, self.is_strict);
        self.lines += block.lines;
        self.ready.extend(block.faults.into_iter().map(Err));
        let nodes = block.nodes.iter().zip(&block.node_lines);
        self.ready.extend(nodes.map(|(node, &line)| {
            let entry = BookEntry {
                position: node.position,
                ply: node.ply,
                moves: block.moves[node.moves()].to_vec(),
            };
            Ok(ReadEntry { line, move_lines: block.move_lines[node.moves()].to_vec(), entry })
        }));
    }
}

impl Iterator for DbReader {
    type Item = Result<BookEntry, BookFault>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() {
            match self.blocks.next()? {
                Ok(text) => self.read_block(&text),
                Err(error) => return Some(Err(BookFault::new(BookPlace::File, error.into()))),
            }
        }
        let next = self.ready.pop_front()?;
        Some(next.map(|read| {
            (self.line, self.move_lines) = (read.line, read.move_lines);
            read.entry
        }))
    }
}

/// Blocks for each thread before their results are put together.
const BLOCKS_PER_THREAD: usize = 4;

/// Loads the file.
///
/// # Errors
/// The file cannot be read.
pub(super) fn load(path: &Path, faults: &mut FaultLog) -> io::Result<MemoryBook> {
    let mut blocks = Blocks::new(File::open(path)?);
    let batch = BLOCKS_PER_THREAD * rayon::current_num_threads();
    let (mut nodes, mut moves, mut lines) = (Vec::new(), Vec::new(), 0);
    loop {
        let texts: Vec<Vec<u8>> = blocks.by_ref().take(batch).collect::<io::Result<_>>()?;
        if texts.is_empty() {
            return Ok(MemoryBook::new(nodes, moves));
        }
        let parts = texts.par_iter().map(|text| Block::read(text, 0, false));
        let parts: Vec<Block> = parts.collect();
        for part in parts {
            let first_move = moves.len();
            nodes.extend(
                part.nodes
                    .into_iter()
                    .map(|node| Node { first_move: node.first_move + first_move, ..node }),
            );
            moves.extend(part.moves);
            for fault in part.faults {
                faults.add(fault.after_lines(lines));
            }
            lines += part.lines;
        }
    }
}

const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// A file that is being written.
pub(super) struct DbWriter(OutputFile);

impl DbWriter {
    pub(super) fn create(path: &Path) -> Result<Self, OutputError> {
        let mut file = OutputFile::create(path)?;
        writeln!(file, "{HEADER}")?;
        Ok(Self(file))
    }
}

impl FormatWriter for DbWriter {
    fn write(&mut self, entry: &BookEntry, _: &mut Losses) -> io::Result<()> {
        writeln!(self.0, "sfen {}", position_text(entry))?;
        for known in &entry.moves {
            write!(self.0, "{} ", known.mv)?;
            match known.ponder {
                Some(ponder) => write!(self.0, "{ponder}")?,
                None => self.0.write_all(b"none")?,
            }
            let (value, depth, count) = (known.value, known.depth, known.count);
            writeln!(self.0, " {value} {depth} {count}")?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>, _: &mut Losses) -> io::Result<()> {
        self.0.finish()
    }
}

/// The SFEN of a position with its ply, 1 where it has none. Empty for bytes that are no position.
pub(super) fn position_text(entry: &BookEntry) -> String {
    let sfen = entry.position.unpack_board().map(|board| board.to_sfen());
    let text = sfen.map(|sfen| format!("{sfen} {}", entry.ply.max(1)));
    text.unwrap_or_default()
}

/// Bytes that are read at a time.
const BLOCK: usize = 1 << 20;
/// Bytes after which a block is cut anywhere if no position has begun.
const LONGEST: usize = 64 << 20;

/// The blocks of a text in order: each ends before a `sfen` line, or with the text.
pub(crate) struct Blocks<R> {
    input: R,
    /// What is read and belongs to the next block.
    rest: Vec<u8>,
    is_first: bool,
    is_done: bool,
}

impl<R: Read> Blocks<R> {
    pub(crate) const fn new(input: R) -> Self {
        Self { input, rest: Vec::new(), is_first: true, is_done: false }
    }

    /// Reads until a position begins behind the first byte, and cuts there.
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut block = std::mem::take(&mut self.rest);
        loop {
            let start = block.len();
            block.resize(start + BLOCK, 0);
            let count = read_up_to(&mut self.input, &mut block[start..])?;
            block.truncate(start + count);
            if self.is_first {
                self.is_first = false;
                if block.starts_with(BOM) {
                    block.drain(..BOM.len());
                }
            }
            if count < BLOCK {
                self.is_done = true;
                return Ok(block);
            }
            if let Some(cut) = last_position(&block) {
                self.rest = block.split_off(cut);
                return Ok(block);
            }
            if block.len() >= LONGEST {
                return Ok(block);
            }
        }
    }
}

impl<R: Read> Iterator for Blocks<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let block = self.read();
        self.is_done |= block.is_err();
        Some(block)
    }
}

/// Where the last `sfen` line begins, unless that is the first byte.
fn last_position(block: &[u8]) -> Option<usize> {
    let begins = |window: &[u8]| matches!(window[0], b'\n' | b'\r') && window[1..] == *POSITION;
    let mut windows = block.windows(POSITION.len() + 1).rev();
    let back = windows.position(begins)?;
    Some(block.len() - POSITION.len() - back)
}

/// The content of a block.
#[derive(Default, Debug)]
pub(crate) struct Block {
    /// The positions in order; their moves are parts of `moves`.
    pub(crate) nodes: Vec<Node>,
    /// Line of each position, from 1.
    node_lines: Vec<u64>,
    /// The moves of all positions, one after another.
    pub(crate) moves: Vec<BookMove>,
    /// Line of each move, from 1.
    pub(crate) move_lines: Vec<u64>,
    pub(crate) faults: Vec<BookFault>,
    pub(crate) lines: u64,
}

impl Block {
    /// Reads a block whose first line has the number `first_line` + 1. Strictly: with a fault for
    /// each position that is not written as `YaneuraOu` looks for it.
    pub(crate) fn read(text: &[u8], first_line: u64, is_strict: bool) -> Self {
        let mut block = Self::default();
        let mut is_skipped = false;
        for line in lines(text) {
            block.lines += 1;
            let number = first_line + block.lines;
            let read = match line {
                Line::Position(text) => {
                    if is_strict {
                        block.check_spelling(text, number);
                    }
                    let added = block.add_position(text, number);
                    is_skipped = added.is_err();
                    added
                }
                Line::Move(line) if !is_skipped => block.add_move(line, number),
                Line::Move(_) | Line::Nothing => Ok(()),
            };
            if let Err(problem) = read {
                let fault = BookFault::new(BookPlace::Line(number), problem);
                block.faults.push(fault);
            }
        }
        block
    }

    /// Compares a good position with its canonical SFEN.
    fn check_spelling(&mut self, text: &[u8], line: u64) {
        if let Ok((position, ply)) = parse_position(text)
            && let Ok(board) = position.unpack_board()
        {
            let sfen = format!("{} {ply}", board.to_sfen());
            if text != sfen.as_bytes() {
                let problem = Problem::other(format!(
                    "other programs look for \"{sfen}\" and do not find this spelling"
                ));
                let fault = BookFault::new(BookPlace::Line(line), problem);
                self.faults.push(fault);
            }
        }
    }

    fn add_position(&mut self, text: &[u8], line: u64) -> Result<(), Problem> {
        let (position, ply) = parse_position(text)?;
        self.node_lines.push(line);
        self.nodes.push(Node { position, ply, first_move: self.moves.len(), move_count: 0 });
        Ok(())
    }

    fn add_move(&mut self, line: &[u8], number: u64) -> Result<(), Problem> {
        let known = parse_move(line)?;
        let node = self
            .nodes
            .last_mut()
            .ok_or_else(|| Problem::other("a move before the first position, it is skipped"))?;
        node.move_count += 1;
        self.moves.push(known);
        self.move_lines.push(number);
        Ok(())
    }
}

/// How the line of a position begins.
const POSITION: &[u8] = b"sfen ";
/// A mark of UTF-8 that some editors write before the first line.
const BOM: &[u8] = b"\xef\xbb\xbf";
/// Characters of a move without promotion.
const MOVE_LENGTH: usize = 4;

/// A line without its end and trailing blanks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Line<'a> {
    /// Blank, or a comment.
    Nothing,
    /// A position: the text after `sfen `.
    Position(&'a [u8]),
    /// Anything else: a move.
    Move(&'a [u8]),
}

impl<'a> Line<'a> {
    pub(crate) fn of(line: &'a [u8]) -> Self {
        let line = line.trim_ascii_end();
        if line.is_empty() || line.starts_with(b"#") || line.starts_with(b"//") {
            Self::Nothing
        } else if let Some(text) = line.strip_prefix(POSITION) {
            Self::Position(text)
        } else {
            Self::Move(line)
        }
    }
}

/// The lines of a text.
pub(crate) fn lines(mut text: &[u8]) -> impl Iterator<Item = Line<'_>> {
    std::iter::from_fn(move || {
        let (line, rest) = (!text.is_empty()).then(|| split_line(text))?;
        text = rest;
        Some(Line::of(line))
    })
}

/// Splits a text after its first line: the line without its end, and the rest.
fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    let is_end = |&byte: &u8| byte == b'\n' || byte == b'\r';
    let Some(end) = text.iter().position(is_end) else {
        return (text, &[]);
    };
    let length = 1 + usize::from(text[end..].starts_with(b"\r\n"));
    (&text[..end], &text[end + length..])
}

/// Reads a position: without its ply, and the ply, 0 where it is missing.
///
/// # Errors
/// Says what is wrong with it.
pub(crate) fn parse_position(text: &[u8]) -> Result<(PackedSfen, u32), Problem> {
    let (board, ply) = Board::from_sfen(&String::from_utf8_lossy(text))?;
    board.validate()?;
    Ok((PackedSfen::of_board(&board), ply.unwrap_or(0)))
}

/// Reads a move. Missing numbers are value 0, depth 0 and count 1.
///
/// # Errors
/// The first field is no move.
fn parse_move(line: &[u8]) -> Result<BookMove, Problem> {
    let fields = line.split(u8::is_ascii_whitespace);
    let mut fields = fields.filter(|field| !field.is_empty());
    let mut next = || fields.next();
    let Some(mv) = next().filter(|_| !line.starts_with(b" ")).and_then(move_of) else {
        let is_indented = line.trim_ascii_start().starts_with(POSITION);
        return Err(if is_indented {
            Problem::other("a line of a position must begin with \"sfen\", it is skipped")
        } else {
            let line = shorten(&String::from_utf8_lossy(line));
            Problem::other(format!("\"{line}\" is no move, it is skipped"))
        });
    };
    let ponder = next().and_then(move_of);
    let mut number = |missing| next().map_or(missing, integer);
    Ok(BookMove {
        mv,
        ponder,
        value: clamped(number(0)),
        depth: clamped(number(0)),
        count: number(1).max(0) as u64,
    })
}

/// A move in USI notation. Only `+` counts after the fourth character.
fn move_of(field: &[u8]) -> Option<Move16> {
    let text = std::str::from_utf8(field).ok()?;
    let is_promotion = field.get(MOVE_LENGTH) == Some(&b'+');
    let length = MOVE_LENGTH + usize::from(is_promotion);
    text.get(..length)?.parse().ok()
}

/// The integer with which a field begins, 0 without one. A longer one is clamped to 64 bits.
fn integer(field: &[u8]) -> i64 {
    let (sign, digits) = match field {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] | digits => (1, digits),
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let append = |number: i64, &byte: &u8| {
        let digit = i64::from(byte - b'0');
        number.saturating_mul(10).saturating_add(sign * digit)
    };
    digits.fold(0, append)
}

fn clamped(number: i64) -> i32 {
    number.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_begin_with_positions_and_lose_nothing() {
        let line = |number: usize| format!("sfen position {number}\r\n7g7f none 0 0 1\r\n");
        let text: String = (0..100_000).map(line).collect();
        let blocks: Vec<Vec<u8>> =
            Blocks::new(text.as_bytes()).collect::<io::Result<_>>().expect("memory can be read");
        assert!(blocks.len() > 2);
        assert!(blocks.iter().all(|block| block.starts_with(POSITION)));
        assert!(blocks.concat() == text.as_bytes());
        let marked = Blocks::new(&b"\xef\xbb\xbfsfen x"[..]).next();
        assert_eq!(marked.expect("a block").expect("memory"), b"sfen x");
    }

    fn read(line: &str) -> String {
        match parse_move(line.as_bytes()) {
            Err(problem) => problem.to_string(),
            Ok(known) => {
                let ponder = known.ponder.map_or("-".to_owned(), |mv| mv.to_string());
                let BookMove { mv, value, depth, count, .. } = known;
                format!("{mv} {ponder} {value} {depth} {count}")
            }
        }
    }

    #[test]
    fn fields_may_be_missing_or_odd() {
        assert_eq!(read("7g7f 3c3d 20 32 1"), "7g7f 3c3d 20 32 1");
        assert_eq!(read("8h2b+\tnone  -5"), "8h2b+ - -5 0 1");
        assert_eq!(read("7g7f"), "7g7f - 0 0 1");
        assert_eq!(read("7g7f none none none"), "7g7f - 0 0 1");
        assert_eq!(read("7g7f* 3c3d+x +5 7a x"), "7g7f 3c3d+ 5 7 0");
        assert_eq!(
            read("P*5e none 99999999999 -99999999999 99999999999999999999"),
            format!("P*5e - {} {} {}", i32::MAX, i32::MIN, i64::MAX)
        );
        assert_eq!(read("7g7f none 0 0 -3 more"), "7g7f - 0 0 0");
    }

    #[test]
    fn what_is_no_move_is_named() {
        let expected = "\"none 3c3d 0\" is no move, it is skipped";
        assert_eq!(read("none 3c3d 0"), expected);
        assert!(read("0a1b").contains("no move"));
        assert!(read("7g\u{ff17}f").contains("no move"));
        assert!(read(" sfen 9/9").contains("must begin with"));
    }

    #[test]
    fn lines_end_in_three_ways() {
        let mut rest: &[u8] = b"a\nb\r\n\rc";
        let mut lines = Vec::new();
        while !rest.is_empty() {
            let (line, after) = split_line(rest);
            lines.push(line);
            rest = after;
        }
        assert_eq!(lines, [&b"a"[..], b"b", b"", b"c"]);
    }
}
