//! A `.db` file that is searched where it lies (`BookOnTheFly`).
//!
//! The file is sorted by the bytes of its `sfen` lines. A position is found by its board alone, so
//! that hands in another order, further blanks and a missing ply do no harm; where several entries
//! fit, the one that `YaneuraOu` would take is used.

use std::{cmp::Ordering, io, path::Path};

use super::{BOM, Line, parse_move, parse_position, split_line};
use crate::book::opened::{Query, SharedFile, fits};
use crate::book::{BookMove, merge_moves};

/// Places of the file that are read when it is opened. The positions there are kept: a search
/// begins between two of them.
const SAMPLES: u64 = 64;
/// Bytes that are read at once when no more than half of them are left to search. Each read may be
/// one from the disk.
const SEARCH_BLOCK: usize = 1 << 14;
/// Bytes that are read at a time where one entry is expected.
const BLOCK: usize = 1 << 12;
/// Bytes of the shortest `sfen` line, as `YaneuraOu` assumes.
const SHORTEST_LINE: u64 = 40;
/// Entries of the same board that are looked at; more cannot differ in hands and ply only.
const MOST_NEIGHBOURS: usize = 10_000;
/// How the line of a position begins, with or without text.
const POSITION: &[u8] = b"sfen";

/// A sorted book that stays on the disk and is searched there.
#[derive(Debug)]
pub(in crate::book) struct DbOnDisk {
    file: SharedFile,
    /// Some positions in the order of the file.
    samples: Vec<PositionLine>,
    /// Whether all sampled positions say that they are the first of a game.
    pub(in crate::book) says_ply_one_only: bool,
    /// Whether the sampled positions are in order.
    pub(in crate::book) is_sorted: bool,
}

/// A `sfen` line, as it is found by bisection.
#[derive(Debug)]
struct PositionLine {
    /// Offset of the line.
    start: u64,
    /// Offset of the next line.
    end: u64,
    /// The text behind `sfen`, without blanks around it.
    text: Vec<u8>,
}

impl DbOnDisk {
    /// Opens a file and looks at some of its positions.
    pub(in crate::book) fn open(path: &Path) -> io::Result<Self> {
        let file = SharedFile::open(path)?;
        let mut book =
            Self { file, samples: Vec::new(), says_ply_one_only: false, is_sorted: true };
        book.samples = book.samples()?;
        let samples = &book.samples;
        book.is_sorted = samples.is_sorted_by(|one, next| one.text <= next.text);
        let is_first = |sample: &PositionLine| ply_of(&sample.text) == Some(b"1");
        book.says_ply_one_only = samples.len() > 1 && samples.iter().all(is_first);
        Ok(book)
    }

    /// The moves of a position; none if it is not there.
    pub(in crate::book) fn find(&self, query: &Query) -> io::Result<Vec<BookMove>> {
        let mut entries = self.entries_of(query)?;
        if entries.len() > 1
            && let Some(line) = self.search_as_yaneuraou(query)?
        {
            entries = vec![line];
        }
        match &entries[..] {
            [entry] => self.moves_after(entry.end),
            several => {
                let mut moves = Vec::new();
                for entry in several {
                    merge_moves(&mut moves, &self.moves_after(entry.end)?);
                }
                Ok(moves)
            }
        }
    }

    /// Reads positions all over the file.
    fn samples(&self) -> io::Result<Vec<PositionLine>> {
        let mut samples: Vec<PositionLine> = Vec::new();
        for number in 0..SAMPLES {
            let offset = self.file.size() / SAMPLES * number;
            let is_new =
                |line: &PositionLine| samples.last().is_none_or(|last| last.start < line.start);
            if let Some(line) = self.position_from(offset)?.filter(is_new) {
                samples.push(line);
            }
        }
        Ok(samples)
    }

    /// The entries that answer the query.
    fn entries_of(&self, query: &Query) -> io::Result<Vec<PositionLine>> {
        let sfen = query.board.to_sfen();
        let board = sfen.split(' ').next().unwrap_or_default().as_bytes();
        let mut lines = self.lines_from(self.shortly_before(board)?, SEARCH_BLOCK)?;
        let mut entries = Vec::new();
        let mut neighbours = 0;
        while let Some(line) = next_position(&mut lines)? {
            if line.text[..] < *board {
                continue;
            }
            if !line.text.starts_with(board) || neighbours == MOST_NEIGHBOURS {
                break;
            }
            neighbours += 1;
            if let Ok((position, ply)) = parse_position(&line.text)
                && position == query.packed
                && fits(ply, query.ply)
            {
                entries.push(line);
            }
        }
        Ok(entries)
    }

    /// A place before the first position whose text is not before `wanted`, and near it.
    fn shortly_before(&self, wanted: &[u8]) -> io::Result<u64> {
        let is_before = |line: &PositionLine| line.text[..] < *wanted;
        let next = self.samples.partition_point(is_before);
        let before = next.checked_sub(1).map(|index| &self.samples[index]);
        let mut start = before.map_or(0, |line| line.end);
        let next = self.samples.get(next);
        let mut end = next.map_or(self.file.size(), |line| line.start);
        while end.saturating_sub(start) > SEARCH_BLOCK as u64 / 2 {
            let middle = start.midpoint(end);
            match self.position_from(middle)? {
                Some(line) if is_before(&line) => start = line.end,
                _ => end = middle,
            }
        }
        Ok(start)
    }

    /// The first position whose line begins at `offset` or later.
    fn position_from(&self, offset: u64) -> io::Result<Option<PositionLine>> {
        next_position(&mut self.lines_from(offset, BLOCK)?)
    }

    /// The lines that begin at `offset` or later; each read fetches `block` bytes.
    fn lines_from(&self, offset: u64, block: usize) -> io::Result<Lines<'_>> {
        let mut lines = Lines::new(&self.file, offset.saturating_sub(1), block);
        if offset > 0 {
            lines.next()?;
        }
        Ok(lines)
    }

    /// `YaneuraOu`'s search for the text of the position, byte by byte the same steps: it
    /// determines which of several entries is found.
    fn search_as_yaneuraou(&self, query: &Query) -> io::Result<Option<PositionLine>> {
        let sfen = query.board.to_sfen();
        let wanted = match query.ply {
            Some(ply) => format!("{sfen} {ply}"),
            None => sfen,
        };
        let order = |line: &PositionLine| {
            let text = match query.ply {
                Some(_) => &line.text[..],
                None => without_ply(&line.text),
            };
            text.cmp(wanted.as_bytes())
        };
        let (mut start, mut end) = (0, self.file.size());
        while start + SHORTEST_LINE <= end {
            let middle = start.midpoint(end);
            match self.position_behind(middle)? {
                Some(line) => match order(&line) {
                    Ordering::Equal => return Ok(Some(line)),
                    Ordering::Less => start = line.end,
                    Ordering::Greater => end = middle,
                },
                None => end = middle,
            }
        }
        let last = self.position_behind(start)?;
        Ok(last.filter(|line| order(line) == Ordering::Equal))
    }

    /// The first position after the end of the line two bytes before `offset`.
    fn position_behind(&self, offset: u64) -> io::Result<Option<PositionLine>> {
        let mut lines = Lines::new(&self.file, offset.saturating_sub(2), BLOCK);
        lines.next()?;
        next_position(&mut lines)
    }

    /// The moves from `offset` up to the next position.
    fn moves_after(&self, offset: u64) -> io::Result<Vec<BookMove>> {
        let mut lines = Lines::new(&self.file, offset, BLOCK);
        let mut moves = Vec::new();
        while let Some(line) = lines.next()? {
            match Line::of(line) {
                Line::Nothing => {}
                Line::Position(_) => break,
                Line::Move(line) => moves.extend(parse_move(line)),
            }
        }
        Ok(moves)
    }
}

fn next_position(lines: &mut Lines<'_>) -> io::Result<Option<PositionLine>> {
    loop {
        let start = lines.offset();
        let Some(line) = lines.next()? else {
            return Ok(None);
        };
        let line = if start == 0 { line.strip_prefix(BOM).unwrap_or(line) } else { line };
        if let Some(text) = line.strip_prefix(POSITION) {
            let text = text.trim_ascii().to_vec();
            let end = lines.offset();
            return Ok(Some(PositionLine { start, end, text }));
        }
    }
}

/// The text without the number at its end and the blanks before it.
fn without_ply(text: &[u8]) -> &[u8] {
    match ply_of(text) {
        Some(ply) => text[..text.len() - ply.len()].trim_ascii_end(),
        None => text,
    }
}

/// The number behind the last blank.
fn ply_of(text: &[u8]) -> Option<&[u8]> {
    let ply = text.rsplit(|&byte| byte == b' ').next()?;
    let is_number = ply.iter().all(u8::is_ascii_digit) && ply.len() < text.len();
    (is_number && !ply.is_empty()).then_some(ply)
}

/// A longer line is cut, so that no file takes unlimited memory.
const LONGEST: usize = 1 << 20;

/// The lines of a file one after another, from any byte on.
struct Lines<'a> {
    file: &'a SharedFile,
    /// Bytes of a read.
    block: usize,
    buffer: Vec<u8>,
    /// Length of the part of the buffer that was returned.
    used: usize,
    /// Offset of the buffer in the file.
    start: u64,
}

impl<'a> Lines<'a> {
    /// The lines from the byte `offset` on, where the first may be the rest of one; each read
    /// fetches `block` bytes.
    const fn new(file: &'a SharedFile, offset: u64, block: usize) -> Self {
        Self { file, block, buffer: Vec::new(), used: 0, start: offset }
    }

    /// Offset of the line that is returned next.
    const fn offset(&self) -> u64 {
        self.start + self.used as u64
    }

    /// The next line without its end, `None` at the end of the file.
    fn next(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            let text = &self.buffer[self.used..];
            let (line, rest) = split_line(text);
            let end = line.len();
            // The last byte may be the first half of a line end of two bytes.
            let is_whole = !rest.is_empty() || text.ends_with(b"\n");
            if is_whole || text.len() >= LONGEST || self.is_at_end() {
                if text.is_empty() {
                    return Ok(None);
                }
                let length = text.len() - rest.len();
                let begin = self.used;
                self.used += length;
                return Ok(Some(&self.buffer[begin..begin + end]));
            }
            self.read_block()?;
        }
    }

    fn is_at_end(&self) -> bool {
        self.start + self.buffer.len() as u64 >= self.file.size()
    }

    fn read_block(&mut self) -> io::Result<()> {
        self.start = self.offset();
        self.buffer.drain(..self.used);
        self.used = 0;
        let length = self.buffer.len();
        self.buffer.resize(length + self.block, 0);
        let offset = self.start + length as u64;
        let count = self.file.read_at(offset, &mut self.buffer[length..])?;
        self.buffer.truncate(length + count);
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }
}
