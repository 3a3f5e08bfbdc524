//! Moves and their times in the notation of KIF.

use std::time::Duration;

use super::board::{DIGITS, kind_at_start};
use crate::types::{File, Move, PieceType, Rank, Square};

/// A parsed move.
pub(super) struct Notation {
    to: Square,
    kind: PieceType,
    promotes: bool,
    from: Option<Square>,
}

impl Notation {
    /// Parses the move that the text begins with, and returns the rest. `last` is the target square
    /// of the previous move, which 同 stands for.
    pub(super) fn parse(text: &str, last: Option<Square>) -> Option<(Self, &str)> {
        let text = text.trim_start_matches(['▲', '△', '▼', '▽', '☗', '☖']);
        let (to, text) = if let Some(rest) = text.strip_prefix('同') {
            (last?, rest.trim_start_matches(['　', ' ']))
        } else {
            let mut letters = text.chars();
            let (file, rank) = (letters.next()?, letters.next()?);
            (
                Square::new(file_of(file)?, rank_of(rank)?),
                letters.as_str(),
            )
        };
        let (kind, text) = kind_at_start(text)?;
        let (promotes, text) = match text.strip_prefix("不成") {
            Some(rest) => (false, rest),
            None => match text.strip_prefix('成') {
                Some(rest) => (true, rest),
                None => (false, text),
            },
        };
        let (from, rest) = match text.strip_prefix('(') {
            Some(rest) => {
                let (square, rest) = rest.split_once(')')?;
                let mut digits = square.chars();
                let (file, rank) = (digits.next()?, digits.next()?);
                let from = Square::new(File::from_char(file)?, rank_of(rank)?);
                (Some(from), rest)
            }
            None => (None, text.strip_prefix('打').unwrap_or(text)),
        };
        Some((
            Self {
                to,
                kind,
                promotes,
                from,
            },
            rest,
        ))
    }

    /// Whether the notation denotes this move.
    pub(super) fn is(&self, mv: Move) -> bool {
        (
            mv.to(),
            mv.piece_before().kind(),
            mv.is_promotion(),
            mv.from(),
        ) == (self.to, self.kind, self.promotes, self.from)
    }
}

/// Parses a file: a digit, full width or ASCII.
fn file_of(letter: char) -> Option<File> {
    let digit = match letter {
        '１'..='９' => letter as usize - '１' as usize,
        '1'..='9' => letter as usize - '1' as usize,
        _ => return None,
    };
    File::from_index(digit)
}

/// Parses a rank: a Chinese digit, or any digit of a file.
fn rank_of(letter: char) -> Option<Rank> {
    let index = DIGITS.iter().position(|&digit| digit == letter);
    let index = index.or_else(|| file_of(letter).map(File::index));
    index.and_then(Rank::from_index)
}

/// Parses the time of a move, the first one of `( 0:16/00:00:16)`.
pub(super) fn parse_time(text: &str) -> Option<Duration> {
    let (time, _) = text.trim().strip_prefix('(')?.split_once(['/', ')'])?;
    let mut seconds = 0;
    for part in time.trim().split(':') {
        let part: u64 = part.trim().parse().ok()?;
        seconds = 60_u64.checked_mul(seconds)?.checked_add(part)?;
    }
    Some(Duration::from_secs(seconds))
}
