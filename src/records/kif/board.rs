//! The board diagram of KIF (BOD).

use super::{SIDES, is_digit, number_of};
use crate::records::notation::japanese::{self, FILES, RANKS, Written, piece_at_start};
use crate::records::{RecordError, Setup, impossible, quoted};
use crate::types::{Color, File, Piece, PieceType, Rank, Square};
use crate::{position::Position, util::counted};

const TEN: char = '十';

/// The frame above and below the squares.
const FRAME: &str = "+---------------------------+";

/// The vertical lines of frames.
const BARS: [char; 5] = ['|', '｜', '│', '┃', '║'];

/// What else frames are drawn with.
const FRAME_SIGNS: &str = "+-＋－ー─━═┌┬┐├┼┤└┴┘┏┳┓┣╋┫┗┻┛┯┷┠┨┿╂╔╦╗╠╬╣╚╩╝";

/// The signs of an empty square.
const EMPTY: [char; 4] = ['・', '．', '･', '.'];

/// The signs before a white piece, and before a black one.
const WHITE_MARKS: [char; 6] = ['v', 'V', 'ｖ', '▽', '△', '☖'];
const BLACK_MARKS: [char; 5] = ['^', '＾', '▲', '▼', '☗'];

/// The position that the lines so far describe.
#[derive(Default)]
pub(super) struct Diagram {
    setup: Setup,
    /// Ranks that were read so far.
    ranks: usize,
    side: Option<Color>,
    /// Moves made before the position: `手数＝27`.
    moves_made: u32,
    /// Where the last of them went: `手数＝27  ▲３四歩  まで`.
    last_target: Option<Square>,
}

impl Diagram {
    pub(super) fn is_empty(&self) -> bool {
        self.ranks == 0
    }

    pub(super) fn last_target(&self) -> Option<Square> {
        self.last_target
    }

    /// Whether pieces in hand were read, but no board.
    pub(super) fn has_only_hands(&self) -> bool {
        let Setup { hands, rest, .. } = &self.setup;
        let holds_any = hands.iter().flatten().any(|&count| count > 0);
        self.is_empty() && (rest.is_some() || holds_any)
    }

    /// Takes the side that begins from the mark of the first move, if no line of the board says it.
    pub(super) fn set_first_mark(&mut self, side: Color) {
        if !self.is_empty() && self.moves_made == 0 {
            self.side.get_or_insert(side);
        }
    }

    /// A position with the side to move that a line such as 後手番 names, if one was read.
    pub(super) fn with_side(&self, start: Position) -> Result<Position, RecordError> {
        let Some(side) = self.side else {
            return Ok(start);
        };
        let mut board = start.board().clone();
        board.set_side_to_move(side);
        Position::from_board(board, 1).map_err(impossible)
    }

    /// Reads a line if it belongs to a diagram; `false` if it does not.
    pub(super) fn line(&mut self, line: &str) -> Result<bool, RecordError> {
        if is_frame(line) {
            return Ok(true);
        }
        if is_rank(line) {
            let pieces = rank(line)?;
            if let Some(rank) = Rank::from_index(self.ranks) {
                for (piece, file) in pieces.into_iter().zip(File::ALL.into_iter().rev()) {
                    self.setup.squares[Square::new(file, rank).index()] = piece;
                }
            }
            self.ranks += 1;
            return Ok(true);
        }
        if let Some((color, pieces)) = hand_line(line)? {
            self.hand(color, pieces)?;
            return Ok(true);
        }
        if let Some(rest) = line.strip_prefix("手数＝").or(line.strip_prefix("手数=")) {
            let rest = rest.trim();
            let (number, last) = rest.split_once([' ', '　']).unwrap_or((rest, ""));
            let moves = number_of(number).and_then(|moves| u32::try_from(moves).ok());
            self.moves_made = moves.unwrap_or_default();
            self.last_target = Written::parse(last.trim(), None).map(|(last, _)| last.to());
            return Ok(true);
        }
        let turn = line.trim().replace(':', "：");
        let named = turn.strip_prefix("手番：").or(turn.strip_suffix('番'));
        let side = SIDES.iter().find(|(name, _)| named == Some(name));
        if let Some((_, color)) = side {
            self.side = Some(*color);
        }
        Ok(side.is_some())
    }

    fn hand(&mut self, color: Color, text: &str) -> Result<(), RecordError> {
        const BETWEEN: [char; 6] = [' ', '　', '\t', '、', ',', '，'];
        let mut rest = text.trim_matches(BETWEEN);
        if ["", "なし", "無し", "ナシ"].contains(&rest) {
            return Ok(());
        }
        if ["残", "その他", "全部"].iter().any(|word| rest.starts_with(word)) {
            self.setup.rest = Some(color);
            return Ok(());
        }
        while let Some((kind, behind)) = piece_at_start(rest) {
            let fault = || fault_in_hand(text);
            if kind == PieceType::King || kind.is_promoted() {
                return Err(fault());
            }
            let digits = behind.trim_start_matches(BETWEEN);
            let is_count =
                |letter: char| is_digit(letter) || RANKS.contains(&letter) || letter == TEN;
            let end = digits.find(|letter| !is_count(letter));
            let (digits, behind) = digits.split_at(end.unwrap_or(digits.len()));
            let held = &mut self.setup.hands[color.index()][kind.index()];
            let sum = count(digits).and_then(|count| held.checked_add(count));
            *held = sum.filter(|&sum| sum <= kind.count_in_set()).ok_or_else(fault)?;
            rest = behind.trim_start_matches(BETWEEN);
        }
        if rest.is_empty() { Ok(()) } else { Err(fault_in_hand(rest)) }
    }

    /// The position of the diagram. `first` is the side to move at the start where the diagram does
    /// not say who is to move.
    pub(super) fn position(&self, first: Color) -> Result<Position, RecordError> {
        if self.ranks != Rank::NUM {
            let found = counted(self.ranks, "rank");
            let text = format_args!("board has {found}, expected 9 separated by '/'");
            return Err(RecordError::new(text));
        }
        let has_moved = self.moves_made % 2 == 1;
        let side = self.side.unwrap_or(if has_moved { !first } else { first });
        let board = self.setup.board(side)?;
        Position::from_board(board, self.moves_made.saturating_add(1)).map_err(impossible)
    }
}

fn fault_in_hand(text: &str) -> RecordError {
    fault(text, "pieces in hand and how many, such as 歩十八, or なし")
}

fn fault(found: &str, expected: &str) -> RecordError {
    let found = quoted(found);
    RecordError::new(format_args!("{found} in the board, expected {expected}"))
}

/// The side and the pieces of a line such as `後手の持駒：飛　歩二`; `None` for another line.
///
/// # Errors
/// The line speaks of pieces in hand, but not of which side's.
fn hand_line(line: &str) -> Result<Option<(Color, &str)>, RecordError> {
    let mut words = ["持駒", "持ち駒"].into_iter();
    let Some((name, pieces)) = words.find_map(|word| line.split_once(word)) else {
        return Ok(None);
    };
    let is_blank = |sign: char| sign.is_whitespace();
    let name = name.trim_end_matches(is_blank).trim_end_matches('の');
    let name = name.trim_matches(is_blank);
    if name.contains(['：', ':', '*']) {
        return Ok(None);
    }
    let side = SIDES.iter().find(|(side, _)| *side == name);
    let (_, color) = side.ok_or_else(|| fault(line, "先手の持駒 or 後手の持駒"))?;
    let pieces = pieces.trim_start_matches(is_blank);
    let pieces = pieces.trim_start_matches(['：', ':', '＝', '=']);
    Ok(Some((*color, pieces)))
}

/// Whether a line is a frame, or names the files above one. Bars alone are a rank of blank squares.
fn is_frame(line: &str) -> bool {
    let is_first =
        |sign: char| FRAME_SIGNS.contains(sign) || BARS.contains(&sign) || "９9九".contains(sign);
    if !line.trim_start().starts_with(is_first) {
        return false;
    }
    let signs: String = line.chars().filter(|sign| !sign.is_whitespace()).collect();
    let files = ["９８７６５４３２１", "987654321", "九八七六五四三二一"];
    let is_bar = |sign: char| BARS.contains(&sign);
    let is_drawn = |sign: char| FRAME_SIGNS.contains(sign) || is_bar(sign);
    files.contains(&signs.trim_matches(BARS))
        || signs.chars().count() > 2 && !signs.chars().all(is_bar) && signs.chars().all(is_drawn)
}

/// Whether a line seems to be a rank: it has bars, or little else than pieces and empty squares.
fn is_rank(line: &str) -> bool {
    let mut rest = line.trim_start();
    if rest.starts_with(BARS) {
        return true;
    }
    let mut squares = 0;
    while let Some(sign) = rest.chars().next() {
        let behind = &rest[sign.len_utf8()..];
        let is_mark =
            sign.is_whitespace() || WHITE_MARKS.contains(&sign) || BLACK_MARKS.contains(&sign);
        if EMPTY.contains(&sign) {
            squares += 1;
            rest = behind;
        } else if let Some((_, behind)) = piece_at_start(rest) {
            squares += 1;
            rest = behind;
        } else if is_mark {
            rest = behind;
        } else {
            break;
        }
    }
    squares >= File::NUM - 1
}

/// The squares of a rank: pieces, white ones behind a mark, and signs of empty squares. With bars
/// between the squares, an empty one may be blank.
fn rank(line: &str) -> Result<Vec<Option<Piece>>, RecordError> {
    let fault = || fault(line, "nine squares such as v玉, ' 歩' or ' ・'");
    let bars = line.matches(BARS).count();
    let mut squares = Vec::new();
    if bars > File::NUM {
        let cells = line.trim_start().split(BARS).skip(1).take(File::NUM);
        for cell in cells {
            match cell.trim() {
                "" => squares.push(None),
                cell => read_squares(cell, &mut squares).ok_or_else(fault)?,
            }
        }
    } else {
        let inside = line.trim_start().trim_start_matches(BARS);
        let inside = inside.split(BARS).next().unwrap_or_default();
        let inside = if bars < 2 { inside.trim_end().trim_end_matches(RANKS) } else { inside };
        read_squares(inside, &mut squares).ok_or_else(fault)?;
    }
    if squares.len() == File::NUM { Ok(squares) } else { Err(fault()) }
}

/// Appends the squares of a text; `None` at a sign that is unknown.
fn read_squares(text: &str, squares: &mut Vec<Option<Piece>>) -> Option<()> {
    let (mut rest, mut color) = (text, Color::Black);
    while let Some(sign) = rest.chars().next() {
        if let Some((kind, behind)) = piece_at_start(rest) {
            squares.push(Some(Piece::new(color, kind)));
            (rest, color) = (behind, Color::Black);
            continue;
        }
        rest = &rest[sign.len_utf8()..];
        if WHITE_MARKS.contains(&sign) {
            color = Color::White;
        } else if EMPTY.contains(&sign) {
            squares.push(None);
        } else if !sign.is_whitespace() && !BLACK_MARKS.contains(&sign) {
            return None;
        }
    }
    Some(())
}

/// Parses a count in digits of any kind: an empty text is 1, and 十 may stand before or after a
/// digit.
fn count(text: &str) -> Option<u32> {
    let digit = |letter: char| RANKS.iter().zip(1..).find(|(digit, _)| **digit == letter);
    let digit = |letter: char| digit(letter).map(|(_, value)| value);
    let letters: Vec<char> = text.chars().collect();
    match letters[..] {
        [] => Some(1),
        _ if letters.iter().all(|&letter| is_digit(letter)) => number_of(text)?.try_into().ok(),
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
        format!("後手の持駒：{}", japanese::hand(position.hand(Color::White))),
        format!(" {}", files.concat()),
        FRAME.to_owned(),
    ];
    for rank in Rank::ALL {
        let square = |file: File| match position.piece_on(Square::new(file, rank)) {
            None => " ・".to_owned(),
            Some(piece) => japanese::on_board(piece),
        };
        let squares: Vec<String> = File::ALL.into_iter().rev().map(square).collect();
        lines.push(format!("|{}|{}", squares.concat(), RANKS[rank.index()]));
    }
    lines.push(FRAME.to_owned());
    lines.push(format!("先手の持駒：{}", japanese::hand(position.hand(Color::Black))));
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
