//! The board diagram of KIF (BOD), and the names of pieces.

use super::fault::KifFault;
use crate::types::{Color, PieceType};
use crate::util::shorten;

/// The digits of ranks and of counts.
pub(super) const DIGITS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];
const TEN: char = '十';

/// The names of pieces, longer ones first.
const NAMES: &[(&str, PieceType)] = &[
    ("成香", PieceType::ProLance),
    ("成桂", PieceType::ProKnight),
    ("成銀", PieceType::ProSilver),
    ("歩", PieceType::Pawn),
    ("香", PieceType::Lance),
    ("桂", PieceType::Knight),
    ("銀", PieceType::Silver),
    ("金", PieceType::Gold),
    ("角", PieceType::Bishop),
    ("飛", PieceType::Rook),
    ("玉", PieceType::King),
    ("王", PieceType::King),
    ("と", PieceType::ProPawn),
    ("杏", PieceType::ProLance),
    ("圭", PieceType::ProKnight),
    ("全", PieceType::ProSilver),
    ("馬", PieceType::Horse),
    ("龍", PieceType::Dragon),
    ("竜", PieceType::Dragon),
];

/// The sign of a piece in diagrams, one letter wide.
pub fn sign(kind: PieceType) -> &'static str {
    let is_sign = |(name, named): &&(&str, PieceType)| *named == kind && name.chars().count() == 1;
    NAMES.iter().find(is_sign).map_or("？", |(name, _)| name)
}

/// The Chinese digit of a number from 1 to 9, which names a rank.
pub fn digit(number: usize) -> char {
    let index = number.checked_sub(1);
    index
        .and_then(|index| DIGITS.get(index).copied())
        .unwrap_or('？')
}

/// Parses the piece that the text begins with, and returns the rest.
pub(super) fn kind_at_start(text: &str) -> Option<(PieceType, &str)> {
    let named = |(name, kind): &(&str, PieceType)| Some((*kind, text.strip_prefix(name)?));
    NAMES.iter().find_map(named)
}

/// The position that the lines so far describe.
#[derive(Default)]
pub(super) struct Diagram {
    /// The ranks in SFEN notation.
    ranks: Vec<String>,
    hands: String,
    white_to_move: bool,
}

impl Diagram {
    pub(super) fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// Reads a line if it belongs to a diagram; `false` if it does not.
    pub(super) fn line(&mut self, line: &str) -> Result<bool, KifFault> {
        if let Some(row) = line.strip_prefix('|') {
            let row = row.split('|').next().unwrap_or_default();
            self.ranks.push(rank(row)?);
            return Ok(true);
        }
        if line.starts_with("+-") || line.trim_start().starts_with("９ ８") {
            return Ok(true);
        }
        if let Some((name, pieces)) = line.split_once("の持駒：") {
            let color = match name.trim() {
                "先手" | "下手" => Color::Black,
                _ => Color::White,
            };
            self.hand(color, pieces)?;
            return Ok(true);
        }
        match line.trim() {
            "後手番" | "上手番" | "手番：後手" | "手番：上手" => {
                self.white_to_move = true;
            }
            "先手番" | "下手番" | "手番：先手" | "手番：下手" => {
                self.white_to_move = false;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn hand(&mut self, color: Color, text: &str) -> Result<(), KifFault> {
        if text.trim() == "なし" {
            return Ok(());
        }
        for word in text.split_whitespace() {
            let fault = || KifFault::Board {
                found: shorten(word),
                expected: "a piece in hand and how many, such as 歩十八",
            };
            let (kind, count) = kind_at_start(word).ok_or_else(fault)?;
            if kind == PieceType::King || kind.is_promoted() {
                return Err(fault());
            }
            let count = number(count).ok_or_else(fault)?;
            let letter = match color {
                Color::Black => kind.letter(),
                Color::White => kind.letter().to_ascii_lowercase(),
            };
            self.hands.push_str(&count.to_string());
            self.hands.push(letter);
        }
        Ok(())
    }

    /// The SFEN of the diagram, if there was one. It is not checked.
    pub(super) fn to_sfen(&self) -> Option<String> {
        if self.ranks.is_empty() {
            return None;
        }
        let side = if self.white_to_move { 'w' } else { 'b' };
        let hands = if self.hands.is_empty() {
            "-"
        } else {
            &self.hands
        };
        Some(format!("{} {side} {hands} 1", self.ranks.join("/")))
    }
}

/// Parses a row of squares, each a mark and a piece: ` ・` is empty, `v` marks a white piece.
fn rank(row: &str) -> Result<String, KifFault> {
    let mut sfen = String::new();
    let mut text = row;
    while let Some(mark) = text.chars().next() {
        let fault = || KifFault::Board {
            found: shorten(row),
            expected: "squares of two signs such as v玉, ' 歩' or ' ・'",
        };
        text = &text[mark.len_utf8()..];
        if let Some(rest) = text.strip_prefix('・') {
            text = rest;
            sfen.push('1');
            continue;
        }
        let (kind, rest) = kind_at_start(text).ok_or_else(fault)?;
        text = rest;
        if kind.is_promoted() {
            sfen.push('+');
        }
        sfen.push(match mark {
            'v' | 'V' => kind.letter().to_ascii_lowercase(),
            ' ' | '^' => kind.letter(),
            _ => return Err(fault()),
        });
    }
    Ok(sfen)
}

/// Parses a count in Chinese digits: an empty text is 1, and 十 may stand before or after a digit.
fn number(text: &str) -> Option<usize> {
    let digit = |letter: char| {
        DIGITS
            .iter()
            .position(|&digit| digit == letter)
            .map(|index| index + 1)
    };
    let letters: Vec<char> = text.chars().collect();
    match letters[..] {
        [] => Some(1),
        [TEN] => Some(10),
        [one] => digit(one),
        [TEN, one] => Some(10 + digit(one)?),
        [ten, TEN] => Some(10 * digit(ten)?),
        _ => None,
    }
}
