//! Reads moves in Japanese notation: `７六歩(77)` of KIF, `▲５八金右` of KI2 and books.

use super::japanese::{file_of, piece_at_start, rank_of};
use super::motion::{Motion, Vertical};
use crate::movegen::legal_moves;
use crate::position::Position;
use crate::types::{Move, PieceType, Square};

/// A move as it is written. It is not checked against a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    to: Square,
    kind: PieceType,
    promotes: bool,
    /// The square in brackets, which KIF has: `７六歩(77)`.
    from: Option<Square>,
    is_drop: bool,
    words: Words,
}

/// The words that tell pieces apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Words {
    side: Option<char>,
    motion: Option<char>,
    is_straight: bool,
}

impl Written {
    /// Parses the move that the text begins with, and returns the rest. `last` is the target square
    /// of the move before, which 同 stands for.
    pub fn parse(text: &str, last: Option<Square>) -> Option<(Self, &str)> {
        let text = text.trim_start_matches(['▲', '△', '▼', '▽', '☗', '☖']);
        let blanks = ['　', ' '];
        let (to, text) = if let Some(rest) = text.strip_prefix('同') {
            (last?, rest)
        } else {
            let mut letters = text.chars();
            let (file, rank) = (letters.next()?, letters.next()?);
            let rest = letters.as_str();
            (
                Square::new(file_of(file)?, rank_of(rank)?),
                // 「５三同金」 is written by some.
                rest.strip_prefix('同').unwrap_or(rest),
            )
        };
        let (kind, mut rest) = piece_at_start(text.trim_start_matches(blanks))?;
        let mut written = Self {
            to,
            kind,
            promotes: false,
            from: None,
            is_drop: false,
            words: Words::default(),
        };
        rest = written.read_words(rest);
        if let Some((place, next)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            if place == "00" {
                written.is_drop = true;
            } else {
                let mut digits = place.chars();
                let (file, rank) = (digits.next()?, digits.next()?);
                written.from = Some(Square::new(file_of(file)?, rank_of(rank)?));
            }
            rest = next;
        }
        Some((written, rest))
    }

    /// The target square.
    pub const fn to(&self) -> Square {
        self.to
    }

    /// A move in parts, with the words that tell pieces apart: `左上`, `打`.
    pub fn from_parts(
        to: Square,
        kind: PieceType,
        from: Option<Square>,
        promotes: bool,
        words: &str,
    ) -> Self {
        let mut written = Self {
            to,
            kind,
            promotes,
            from,
            is_drop: false,
            words: Words::default(),
        };
        written.read_words(words);
        written
    }

    /// Reads words until the rest of the text, which is returned.
    fn read_words<'text>(&mut self, text: &'text str) -> &'text str {
        let mut rest = text;
        loop {
            let refused = ["不成", "生"]
                .iter()
                .find_map(|word| rest.strip_prefix(word));
            if let Some(next) = refused {
                rest = next;
                continue;
            }
            let mut letters = rest.chars();
            match letters.next() {
                Some('成') => self.promotes = true,
                Some('打') => self.is_drop = true,
                Some(side @ ('右' | '左')) => self.words.side = Some(side),
                Some('上' | '行' | '入') => self.words.motion = Some('上'),
                Some('引' | '下') => self.words.motion = Some('引'),
                Some('寄') => self.words.motion = Some('寄'),
                Some('直') => self.words.is_straight = true,
                _ => return rest,
            }
            rest = letters.as_str();
        }
    }

    /// The legal move that is meant; `None` if there is none, or more than one.
    pub fn find(&self, position: &Position) -> Option<Move> {
        match self.candidates(position)[..] {
            [mv] => Some(mv),
            _ => None,
        }
    }

    /// Whether the text fits more than one legal move.
    pub fn fits_several(&self, position: &Position) -> bool {
        self.candidates(position).len() > 1
    }

    /// The legal moves that the text fits.
    fn candidates(&self, position: &Position) -> Vec<Move> {
        let legal = legal_moves(position);
        let is_meant = |mv: &&Move| {
            (mv.to(), mv.piece_before().kind(), mv.is_promotion())
                == (self.to, self.kind, self.promotes)
        };
        let mut moves: Vec<Move> = legal.iter().filter(is_meant).copied().collect();
        if self.from.is_some() {
            moves.retain(|mv| mv.from() == self.from);
        } else {
            // Without 打, a piece on the board goes first.
            let drops = self.is_drop || moves.iter().all(|mv| mv.is_drop());
            moves.retain(|mv| mv.is_drop() == drops);
            if !drops {
                self.retain_by_words(&mut moves);
            }
        }
        moves
    }

    /// As [`Self::find`] for KIF, where a move without a square in brackets is a drop.
    pub fn find_exact(&self, position: &Position) -> Option<Move> {
        if self.from.is_some() {
            return self.find(position);
        }
        let dropped = Self {
            is_drop: true,
            ..self.clone()
        };
        dropped.find(position)
    }

    fn retain_by_words(&self, moves: &mut Vec<Move>) {
        let motion_of = |mv: &Move| {
            let color = mv.piece().color();
            mv.from().map(|from| Motion::new(color, from, mv.to()))
        };
        if self.words.is_straight {
            moves.retain(|mv| {
                motion_of(mv)
                    .is_some_and(|motion| motion.files == 0 && motion.vertical == Vertical::Forward)
            });
        }
        if let Some(word) = self.words.motion {
            let vertical = match word {
                '上' => Vertical::Forward,
                '寄' => Vertical::Sideways,
                _ => Vertical::Backward,
            };
            moves.retain(|mv| motion_of(mv).is_some_and(|motion| motion.vertical == vertical));
        }
        if let Some(side) = self.words.side {
            let files = |mv: &Move| motion_of(mv).map_or(0, |motion| motion.files);
            let outermost = match side {
                '右' => moves.iter().map(files).max(),
                _ => moves.iter().map(files).min(),
            };
            moves.retain(|mv| Some(files(mv)) == outermost);
        }
    }
}
