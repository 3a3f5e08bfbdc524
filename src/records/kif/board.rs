//! The board diagram of KIF (BOD).

use crate::position::Position;
use crate::records::error::{RecordError, quoted};
use crate::records::notation::japanese::Written;
use crate::records::notation::japanese::{self, FILES, RANKS, piece_at_start, piece_letter};
use crate::types::{Color, File, PieceType, Rank, Square};

const TEN: char = '十';

/// The frame above and below the squares.
const FRAME: &str = "+---------------------------+";

/// The most pieces of one kind that are read, so that no count overflows.
const MOST_IN_HAND: usize = 18;

/// The position that the lines so far describe.
#[derive(Default)]
pub(super) struct Diagram {
    /// The ranks in SFEN notation.
    ranks: Vec<String>,
    hands: String,
    white_to_move: Option<bool>,
    /// Moves made before the position: `手数＝27`.
    moves_made: u32,
    /// Where the last of them went: `手数＝27  ▲３四歩  まで`.
    last_target: Option<Square>,
}

impl Diagram {
    pub(super) fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    pub(super) fn last_target(&self) -> Option<Square> {
        self.last_target
    }

    /// Whether pieces in hand were read, but no board.
    pub(super) fn has_only_hands(&self) -> bool {
        self.ranks.is_empty() && !self.hands.is_empty()
    }

    /// A position with the side to move that a line such as 後手番 names, if one was read.
    pub(super) fn with_side(&self, sfen: &str) -> String {
        let mut fields: Vec<&str> = sfen.split(' ').collect();
        if let (Some(is_white), Some(side)) = (self.white_to_move, fields.get_mut(1)) {
            *side = if is_white { "w" } else { "b" };
        }
        fields.join(" ")
    }

    /// Reads a line if it belongs to a diagram; `false` if it does not.
    pub(super) fn line(&mut self, line: &str) -> Result<bool, RecordError> {
        if let Some(row) = line.strip_prefix('|') {
            let row = row.split('|').next().unwrap_or_default();
            self.ranks.push(rank(row)?);
            return Ok(true);
        }
        if line.starts_with("+-")
            || line
                .split_whitespace()
                .collect::<String>()
                .starts_with("９８７")
        {
            return Ok(true);
        }
        if let Some((name, pieces)) = line
            .split_once("の持駒：")
            .or_else(|| line.split_once("の持駒:"))
        {
            let color = match name.trim() {
                "先手" | "下手" => Color::Black,
                _ => Color::White,
            };
            self.hand(color, pieces)?;
            return Ok(true);
        }
        if let Some(rest) = line.strip_prefix("手数＝") {
            let rest = rest.trim();
            let (number, last) = rest.split_once([' ', '　']).unwrap_or((rest, ""));
            self.moves_made = number.parse().unwrap_or_default();
            self.last_target = Written::parse(last.trim(), None).map(|(last, _)| last.to());
            return Ok(true);
        }
        match line.trim() {
            "後手番" | "上手番" | "手番：後手" | "手番：上手" => {
                self.white_to_move = Some(true);
            }
            "先手番" | "下手番" | "手番：先手" | "手番：下手" => {
                self.white_to_move = Some(false);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn hand(&mut self, color: Color, text: &str) -> Result<(), RecordError> {
        let mut rest = text.trim();
        if rest == "なし" {
            return Ok(());
        }
        while let Some((kind, behind)) = piece_at_start(rest) {
            let fault = || fault_in_hand(text);
            if kind == PieceType::King || kind.is_promoted() {
                return Err(fault());
            }
            let is_digit = |letter: char| RANKS.contains(&letter) || letter == TEN;
            let end = behind
                .find(|letter| !is_digit(letter))
                .unwrap_or(behind.len());
            let count = number(&behind[..end]).ok_or_else(fault)?;
            if count > MOST_IN_HAND {
                return Err(fault());
            }
            let letter = match color {
                Color::Black => kind.letter(),
                Color::White => kind.letter().to_ascii_lowercase(),
            };
            self.hands.push_str(&count.to_string());
            self.hands.push(letter);
            rest = behind[end..].trim_start();
        }
        if rest.is_empty() {
            Ok(())
        } else {
            Err(fault_in_hand(rest))
        }
    }

    /// The SFEN of the diagram, if there was one. It is not checked. `white_first` holds where the
    /// diagram does not say who is to move.
    pub(super) fn to_sfen(&self, white_first: bool) -> Option<String> {
        if self.ranks.is_empty() {
            return None;
        }
        let is_white = self.white_to_move.unwrap_or_else(|| match self.moves_made {
            0 => white_first,
            moves => moves.is_multiple_of(2) == white_first,
        });
        let side = if is_white { 'w' } else { 'b' };
        let hands = if self.hands.is_empty() {
            "-"
        } else {
            &self.hands
        };
        let ply = self.moves_made.saturating_add(1);
        Some(format!("{} {side} {hands} {ply}", self.ranks.join("/")))
    }
}

fn fault_in_hand(text: &str) -> RecordError {
    fault(text, "pieces in hand and how many, such as 歩十八, or なし")
}

fn fault(found: &str, expected: &str) -> RecordError {
    let found = quoted(found);
    RecordError::new(format_args!("{found} in the board, expected {expected}"))
}

/// Parses a row of squares, each a mark and a piece: ` ・` is empty, `v` marks a white piece.
fn rank(row: &str) -> Result<String, RecordError> {
    let mut sfen = String::new();
    let mut text = row;
    while let Some(mark) = text.chars().next() {
        let fault = || fault(row, "squares of two signs such as v玉, ' 歩' or ' ・'");
        text = &text[mark.len_utf8()..];
        let empty = ['・', '．', '･'];
        if let Some(rest) = text.strip_prefix(empty) {
            text = rest;
            sfen.push('1');
            continue;
        }
        let (kind, rest) = piece_at_start(text).ok_or_else(fault)?;
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
        RANKS
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

// --- Writing ---

/// The board and both hands as KIF draws them, a line each, the side to move last.
pub fn diagram(position: &Position) -> Vec<String> {
    let files: Vec<String> = FILES.iter().rev().map(|file| format!(" {file}")).collect();
    let mut lines = vec![
        format!("後手の持駒：{}", hand_text(position, Color::White)),
        format!(" {}", files.concat()),
        FRAME.to_owned(),
    ];
    for rank in Rank::ALL {
        let square = |file: File| match position.piece_on(Square::new(file, rank)) {
            None => " ・".to_owned(),
            Some(piece) => {
                let mark = match piece.color() {
                    Color::Black => ' ',
                    Color::White => 'v',
                };
                format!("{mark}{}", piece_letter(piece.kind()))
            }
        };
        let squares: Vec<String> = File::ALL.into_iter().rev().map(square).collect();
        lines.push(format!("|{}|{}", squares.concat(), RANKS[rank.index()]));
    }
    lines.push(FRAME.to_owned());
    lines.push(format!("先手の持駒：{}", hand_text(position, Color::Black)));
    let moves_made = position.game_ply().saturating_sub(1);
    if moves_made > 0 {
        lines.push(format!("手数＝{moves_made}"));
    }
    lines.push(match position.side_to_move() {
        Color::Black => "先手番".to_owned(),
        Color::White => "後手番".to_owned(),
    });
    lines
}

/// The pieces in hand: `飛　歩十八`, or `なし`.
pub fn hand_text(position: &Position, color: Color) -> String {
    let hand = position.hand(color);
    let held = PieceType::HAND_OF_APERY
        .into_iter()
        .rev()
        .filter(|&kind| hand.has(kind));
    let texts: Vec<String> = held
        .map(|kind| {
            let name = piece_letter(kind);
            match hand.count(kind) {
                1 => name.to_owned(),
                count => format!("{name}{}", japanese::number(count)),
            }
        })
        .collect();
    if texts.is_empty() {
        "なし".to_owned()
    } else {
        texts.join("　")
    }
}
