//! Openings from files: lines of USI or SFEN, and books in `YaneuraOu`'s format
//! (`#YANEURAOU-DB2016`).
//!
//! Files are read line by line and kept as text, because a book may have millions of positions.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, BufReader, Read};
use std::{fs::File, path::Path};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Judge, OpeningError, OpeningSettings, Plies, why_over};
use crate::types::{EnteringKingRule, Move, Move16};
use crate::util::{counted, shorten};
use crate::{movegen::legal_moves, position::Position, records::sfen_line::SfenLine};

/// The first line of a book.
const BOOK_HEADER: &str = "#YANEURAOU-DB2016";

/// Maximum length of a line in bytes, so that a file without line breaks cannot fill the memory.
const LONGEST_LINE: u64 = 64 * 1024;

/// Puts the texts into random order (Fisher-Yates shuffle).
pub(super) fn shuffle(texts: &mut [Box<str>], generator: &mut ChaCha8Rng) {
    for last in (1..texts.len()).rev() {
        texts.swap(last, below(generator, last + 1));
    }
}

/// The openings of a file.
pub(super) struct Contents {
    /// The openings in the order of the file, without duplicates.
    pub(super) texts: Vec<Box<str>>,
    /// Whether the file has its own values, by which the openings have been filtered already.
    pub(super) is_valued: bool,
    /// What is not among the openings.
    pub(super) left_out: LeftOut,
}

/// Maximum number of positions that a warning names.
const NAMED: usize = 3;

/// Positions of a file that are left out.
#[derive(Default)]
pub(super) struct LeftOut {
    /// Those where the game is over: line and reason. At most [`NAMED`] of them.
    over: Vec<(usize, &'static str)>,
    over_count: usize,
    twice: usize,
    unbalanced: usize,
}

impl LeftOut {
    fn add_over(&mut self, line: usize, reason: &'static str) {
        self.over_count += 1;
        if self.over.len() < NAMED {
            self.over.push((line, reason));
        }
    }

    /// Names the positions where no game can begin; `None` without such positions.
    pub(super) fn warning(&self) -> Option<String> {
        let name = |(line, reason): &(usize, _)| format!("line {line} ({reason})");
        let mut named: Vec<String> = self.over.iter().map(name).collect();
        if self.over_count > self.over.len() {
            named.push(format!("{} more", self.over_count - self.over.len()));
        }
        let count = counted(self.over_count, "opening");
        (!named.is_empty()).then(|| format!("{count} left out: {}", named.join(", ")))
    }
}

/// Reads the openings of a file. Those of a book are filtered by `max_imbalance`, in centipawns.
pub(super) fn read(
    path: &Path,
    max_imbalance: Option<u32>,
    (rule, max_moves): (EnteringKingRule, u32),
) -> Result<Contents, OpeningError> {
    let fault = |error: io::Error| OpeningError::of_file(path, error);
    let mut lines = Lines::new(BufReader::new(File::open(path).map_err(fault)?));
    let mut collector = Collector::new(rule, max_moves);
    // Other programs write books without the first line too.
    let mut is_valued = path.extension().is_some_and(|extension| extension == "db");
    while let Some(line) = lines.next().map_err(fault)? {
        is_valued |= line.number == 1 && line.text.starts_with(BOOK_HEADER);
        collector.line = line.number;
        let result = match line.text.trim() {
            "" => Ok(()),
            text if text.starts_with('#') || is_valued && text.starts_with("//") => Ok(()),
            text if is_valued => collector.take_book_line(text, max_imbalance),
            text => collector.take_line(text),
        };
        result.map_err(|reason| OpeningError::in_line(path, line.number, reason))?;
    }
    collector.take_node(max_imbalance);
    let (texts, left_out) = (collector.texts, collector.left_out);
    let (path_name, twice, unbalanced) = (path.display(), left_out.twice, left_out.unbalanced);
    log::info!("{path_name}: left out {twice} of positions before, {unbalanced} not balanced");
    if texts.is_empty() {
        let left_out = left_out.warning().map(|left_out| format!("; {left_out}"));
        return Err(OpeningError(format!(
            "openings {path_name} has no position to play from, expected lines such as 'startpos \
            moves 7g7f' or an SFEN, or a book with values within the imbalance allowed{}",
            left_out.unwrap_or_default()
        )));
    }
    Ok(Contents { texts, is_valued, left_out })
}

/// The openings that have been read so far.
struct Collector {
    rule: EnteringKingRule,
    max_moves: u32,
    texts: Vec<Box<str>>,
    keys: HashSet<u64>,
    left_out: LeftOut,
    /// The number of the line that is being read, from 1.
    line: usize,
    /// The position of the book whose moves are being read.
    node: Option<Node>,
}

struct Node {
    position: Position,
    line: usize,
    /// The value of its best move, in centipawns.
    value: Option<i64>,
}

impl Collector {
    fn new(rule: EnteringKingRule, max_moves: u32) -> Self {
        Self {
            rule,
            max_moves,
            texts: Vec::new(),
            keys: HashSet::new(),
            left_out: LeftOut::default(),
            line: 0,
            node: None,
        }
    }

    /// Adds a line such as `startpos moves …`.
    fn take_line(&mut self, text: &str) -> Result<(), String> {
        let opening: SfenLine = text.parse().map_err(|error| format!("{error}"))?;
        self.add(&opening.position(), text, self.line);
        Ok(())
    }

    /// Reads a line of a book: `sfen …` begins a position; other lines are its moves, with move,
    /// reply, value, depth and count.
    fn take_book_line(&mut self, text: &str, max_imbalance: Option<u32>) -> Result<(), String> {
        if let Some(sfen) = text.strip_prefix("sfen ") {
            self.take_node(max_imbalance);
            let position = Position::from_sfen(sfen).map_err(|error| error.to_string())?;
            self.node = Some(Node { position, line: self.line, value: None });
            return Ok(());
        }
        let Some(node) = &mut self.node else {
            let found = shorten(text);
            return Err(format!("'{found}', expected 'sfen' and a position before the first move"));
        };
        let mut words = text.split_whitespace();
        let mv = words.next().unwrap_or_default();
        if matches!(mv.to_ascii_lowercase().as_str(), "none" | "resign" | "win") {
            return Ok(());
        }
        if let Err(error) = mv.parse::<Move16>() {
            return Err(format!("{error}, or 'sfen' and a position"));
        }
        let value = match words.nth(1) {
            None => 0,
            Some(word) => word.parse().map_err(|_| {
                format!("'{}', word 3, expected the value of the move", shorten(word))
            })?,
        };
        node.value = node.value.max(Some(value));
        Ok(())
    }

    /// Adds the position of the book whose moves have all been read.
    fn take_node(&mut self, max_imbalance: Option<u32>) {
        let Some(node) = self.node.take() else {
            return;
        };
        let (position, value) = (node.position, node.value);
        let is_balanced = max_imbalance.is_none_or(|limit| {
            value.is_some_and(|value| value.unsigned_abs() <= u64::from(limit))
        });
        if is_balanced {
            self.add(&position, &position.to_sfen(), node.line);
        } else {
            self.left_out.unbalanced += 1;
        }
    }

    fn add(&mut self, position: &Position, text: &str, line: usize) {
        if let Some(reason) = why_over(position, self.rule, self.max_moves) {
            self.left_out.add_over(line, reason);
        } else if self.keys.insert(position.key().low64()) {
            self.texts.push(text.into());
        } else {
            self.left_out.twice += 1;
        }
    }
}

/// A line and its number, from 1.
pub(super) struct Line<'a> {
    pub(super) number: usize,
    pub(super) text: &'a str,
}

/// Reads a file line by line.
pub(super) struct Lines<R> {
    reader: R,
    number: usize,
    buffer: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, number: 0, buffer: Vec::new() }
    }

    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        self.number += 1;
        let mut limited = self.reader.by_ref().take(LONGEST_LINE);
        let length = limited.read_until(b'\n', &mut self.buffer)?;
        if length == 0 {
            return Ok(None);
        }
        let number = self.number;
        let unreadable = |what| {
            let text = format!("line {number} is {what}, expected lines of text with openings");
            io::Error::new(io::ErrorKind::InvalidData, text)
        };
        if length as u64 == LONGEST_LINE {
            return Err(unreadable("too long"));
        }
        let text = str::from_utf8(&self.buffer).map_err(|_| unreadable("not UTF-8"))?;
        // Some editors begin a file with a byte order mark.
        let text = text.trim_start_matches('\u{feff}');
        Ok(Some(Line { number, text }))
    }
}

// --- Random moves ---
//
// Random moves, and the openings of a match that are made of them.
//
// Each attempt has its own random number generator, seeded with the seed, the number of the
// opening and the number of the attempt, so that it does not depend on other attempts. Openings of
// few moves would often be the same: opening `k` is then its first attempt that no earlier opening
// used, and they are made in order. Longer ones are made without the others, so that one shard of
// a thousand does not judge the openings of all; two of them may be the same by chance.

/// Maximum number of attempts at one opening.
const MAX_ATTEMPTS: u64 = 2_000;

/// The use of a generator, a part of its seed: different uses of one tool draw different numbers.
#[derive(Clone, Copy)]
pub(crate) struct Purpose(u64);

impl Purpose {
    /// An opening of a match or of self-play.
    pub(crate) const OPENING: Self = Self(1);
    /// The order of the openings of a match.
    pub(crate) const ORDER: Self = Self(2);
    /// The moves of a game of self-play.
    pub(crate) const GAME: Self = Self(2);
    /// The sample of the search trees of a game.
    pub(crate) const TREE: Self = Self(5);
}

/// A generator with the same output on every machine and in every version. Each attempt at a game
/// or opening has its own, so that they do not depend on each other.
pub(crate) fn generator(purpose: Purpose, seed: u64, index: u64, attempt: u64) -> ChaCha8Rng {
    let mut bytes = [0; 32];
    let words = [seed, index, attempt, purpose.0];
    for (slot, word) in bytes.chunks_exact_mut(8).zip(words) {
        slot.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(bytes)
}

/// A random number from 0 to `bound` - 1, where `bound` is at least 1. Takes the upper half of a
/// product; its bias of `bound` in 2^64 is negligible. Not taken from the library, whose method may
/// change between versions.
pub(crate) fn below(generator: &mut ChaCha8Rng, bound: usize) -> usize {
    ((u128::from(generator.next_u64()) * bound as u128) >> 64) as usize
}

/// A random number in 0..1, a multiple of 2^-32. 32 of the 64 bits convert to a float without
/// rounding.
pub(crate) fn fraction(generator: &mut ChaCha8Rng) -> f64 {
    let high = (generator.next_u64() >> u32::BITS) as u32;
    f64::from(high) / (f64::from(u32::MAX) + 1.0)
}

/// Plays a random number of random moves, each legal move equally likely; `None` if the game ends
/// before.
pub(super) fn play_random_moves(
    position: &mut Position,
    plies: Plies,
    generator: &mut ChaCha8Rng,
) -> Option<Vec<Move>> {
    let choices = plies.most() - plies.least() + 1;
    let count = plies.least() + below(generator, choices as usize) as u32;
    let mut moves = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let legal = legal_moves(position);
        if legal.is_empty() {
            return None;
        }
        let mv = legal[below(generator, legal.len())];
        position.do_move(mv);
        moves.push(mv);
    }
    Some(moves)
}

/// Random openings, made on demand.
pub(super) struct RandomOpenings {
    plies: Plies,
    seed: u64,
    rule: EnteringKingRule,
    judge: Option<Judge>,
    /// The openings made so far by index.
    made: HashMap<usize, String>,
    /// Keys of all positions that were accepted or rejected, which are not tried again; `None`
    /// where openings do not depend on each other.
    considered: Option<HashSet<u64>>,
}

impl RandomOpenings {
    /// Random openings of `plies` moves, with the other settings.
    pub(super) fn new(
        plies: Plies,
        settings: &OpeningSettings,
        rule: EnteringKingRule,
        judge: Option<Judge>,
    ) -> Self {
        Self {
            plies,
            seed: settings.seed,
            rule,
            judge,
            made: HashMap::new(),
            considered: (!settings.are_independent()).then(HashSet::new),
        }
    }

    /// The opening with this index, from 0.
    pub(super) fn get(&mut self, index: usize) -> Result<&str, OpeningError> {
        if self.considered.is_some() {
            for earlier in self.made.len()..index {
                self.make(earlier)?;
            }
        }
        if !self.made.contains_key(&index) {
            self.make(index)?;
        }
        Ok(&self.made[&index])
    }

    fn make(&mut self, index: usize) -> Result<(), OpeningError> {
        for attempt in 0..MAX_ATTEMPTS {
            let mut generator = generator(Purpose::OPENING, self.seed, index as u64, attempt);
            if let Some(line) = self.attempt(&mut generator) {
                self.made.insert(index, line.to_string());
                return Ok(());
            }
        }
        Err(OpeningError(format!(
            "no opening {} in {MAX_ATTEMPTS} attempts: too few positions after {} plies are new, \
            balanced and out of check; use more plies or allow a larger imbalance",
            index + 1,
            self.plies
        )))
    }

    fn attempt(&mut self, generator: &mut ChaCha8Rng) -> Option<SfenLine> {
        let start = Position::startpos();
        let mut position = start.clone();
        let moves = play_random_moves(&mut position, self.plies, generator)?;
        let key = position.key().low64();
        let considered = self.considered.as_mut();
        let is_new = considered.is_none_or(|considered| considered.insert(key));
        let judge = self.judge.as_mut();
        let is_fit = is_new
            && !position.in_check()
            && why_over(&position, self.rule, 0).is_none()
            && judge.is_none_or(|judge| judge.is_balanced(&position));
        is_fit.then_some(SfenLine { start, moves })
    }
}
