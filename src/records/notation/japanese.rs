//! Japanese notation (棋譜): ▲７六歩, △同　銀, ▲５三桂不成, △５五角打, ▲５八金右.
//!
//! Where more than one piece of a kind could go to a square, the Japan Shogi Association's rules
//! (`https://www.shogi.or.jp/faq/kihuhyouki.html`) tell them apart: by the motion (上, 寄, 引) if
//! that is unique, by 直 for gold and silver straight ahead, otherwise by the side (右, 左), with the
//! motion where the side alone is not unique. As in other programs, a pinned piece counts as one
//! that could move.

use super::motion::{Motion, Side, Vertical};
use crate::position::Position;
use crate::types::{Color, File, Move, PieceType, Rank, Square};

/// The digits of ranks and of counts.
pub const RANKS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// The digits of files.
pub const FILES: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];

/// The names that are read, the longer ones first.
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

/// The name of a piece type in moves: `歩`, `成銀`, `龍`.
pub const fn piece_name(kind: PieceType) -> &'static str {
    match kind {
        PieceType::ProLance => "成香",
        PieceType::ProKnight => "成桂",
        PieceType::ProSilver => "成銀",
        _ => piece_letter(kind),
    }
}

/// The one character of a piece type on boards: `歩`, `全`, `龍`.
pub const fn piece_letter(kind: PieceType) -> &'static str {
    match kind {
        PieceType::Pawn => "歩",
        PieceType::Lance => "香",
        PieceType::Knight => "桂",
        PieceType::Silver => "銀",
        PieceType::Bishop => "角",
        PieceType::Rook => "飛",
        PieceType::Gold => "金",
        PieceType::King => "玉",
        PieceType::ProPawn => "と",
        PieceType::ProLance => "杏",
        PieceType::ProKnight => "圭",
        PieceType::ProSilver => "全",
        PieceType::Horse => "馬",
        PieceType::Dragon => "龍",
    }
}

/// The piece that the text begins with, and the rest of the text.
pub fn piece_at_start(text: &str) -> Option<(PieceType, &str)> {
    let named = |(name, kind): &(&str, PieceType)| Some((*kind, text.strip_prefix(name)?));
    NAMES.iter().find_map(named)
}

/// The mark of a side before its moves: ▲ for black, △ for white.
pub const fn mark(color: Color) -> char {
    match color {
        Color::Black => '▲',
        Color::White => '△',
    }
}

/// A number up to 99 in Chinese digits, as hands are counted: 十八.
pub fn number(count: u32) -> String {
    let digit = |digit: u32| match digit.checked_sub(1) {
        None => String::new(),
        Some(index) => RANKS[index as usize % 9].to_string(),
    };
    match (count / 10 % 10, count % 10) {
        (0, ones) => digit(ones),
        (1, ones) => format!("十{}", digit(ones)),
        (tens, ones) => format!("{}十{}", digit(tens), digit(ones)),
    }
}

/// A square: `７六`.
pub fn square(square: Square) -> String {
    let (file, rank) = (square.file().index(), square.rank().index());
    format!("{}{}", FILES[file], RANKS[rank])
}

/// Parses a file: a digit, full width or ASCII.
pub fn file_of(letter: char) -> Option<File> {
    let wide = FILES.iter().position(|&digit| digit == letter);
    let index = wide.or_else(|| ('1'..='9').position(|digit| digit == letter));
    index.and_then(File::from_index)
}

/// Parses a rank: a Chinese digit, or any digit of a file.
pub fn rank_of(letter: char) -> Option<Rank> {
    let index = RANKS.iter().position(|&digit| digit == letter);
    let index = index.or_else(|| file_of(letter).map(File::index));
    index.and_then(Rank::from_index)
}

// --- Writing ---

/// A legal move of `position` with the mark of its side: `▲７六歩`. `last` is the target square of
/// the move before, which 同 stands for.
pub fn with_mark(position: &Position, mv: Move, last: Option<Square>) -> String {
    let mark = mark(position.side_to_move());
    format!("{mark}{}", text(position, mv, last))
}

/// A legal move of `position`: `７六歩`, `同　銀`. `last` is the target square of the move before.
pub fn text(position: &Position, mv: Move, last: Option<Square>) -> String {
    let name = piece_name(mv.piece_before().kind());
    let mut text = match last {
        // A name of one letter is set apart, so that the text has the usual width.
        Some(last) if last == mv.to() && name.chars().count() == 1 => format!("同　{name}"),
        Some(last) if last == mv.to() => format!("同{name}"),
        _ => format!("{}{name}", square(mv.to())),
    };
    text += relative(position, mv);
    text += match promotion(mv) {
        Promotion::Impossible => "",
        Promotion::Made => "成",
        Promotion::Refused => "不成",
    };
    text
}

/// The moves of a line, from `position` on, with their marks.
pub fn line(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut position = position.clone();
    let mut last = position.last_move().map(Move::to);
    let step = |&mv: &Move| {
        let text = with_mark(&position, mv, last);
        position.do_move(mv);
        last = Some(mv.to());
        text
    };
    moves.iter().map(step).collect()
}

/// Whether a move promotes, or could.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promotion {
    /// The piece cannot promote with this move.
    Impossible,
    /// 成: it does.
    Made,
    /// 不成: it could and does not.
    Refused,
}

/// Whether a move promotes, or could.
pub fn promotion(mv: Move) -> Promotion {
    if mv.is_promotion() {
        return Promotion::Made;
    }
    let piece = mv.piece();
    let could = mv.from().is_some_and(|from| {
        let touches = [from, mv.to()].map(|square| square.rank().is_promotion_zone(piece.color()));
        piece.promoted().is_some() && touches.contains(&true)
    });
    if could {
        Promotion::Refused
    } else {
        Promotion::Impossible
    }
}

/// The words that tell the moved piece from others that could go to the same square: empty, or a
/// text such as `右`, `左上`, `直` or `打`.
pub fn relative(position: &Position, mv: Move) -> &'static str {
    let piece = mv.piece_before();
    let board = position.board();
    let (color, to) = (piece.color(), mv.to());
    let attackers = board.attackers_by(color, to, board.occupied());
    let rivals = attackers & board.pieces(color, piece.kind());
    let Some(from) = mv.from() else {
        return if rivals.is_empty() { "" } else { "打" };
    };
    let others: Vec<Square> = rivals.into_iter().filter(|&other| other != from).collect();
    if others.is_empty() {
        return "";
    }
    let own = Motion::new(color, from, to);
    let others = others.iter().map(|&other| Motion::new(color, other, to));
    let others: Vec<Motion> = others.collect();
    if others.iter().all(|other| other.vertical != own.vertical) {
        return own.words("");
    }
    let is_straight = own.files == 0 && own.vertical == Vertical::Forward;
    if is_straight && steps_only(piece.kind()) {
        return "直";
    }
    // Two pieces that run, such as dragons, are told apart by where they stand, not by the target.
    let side = if steps_only(piece.kind()) {
        own.side(0)
    } else {
        own.side(others[0].files)
    };
    let is_alone = others.iter().all(|other| {
        let reference = if steps_only(piece.kind()) {
            0
        } else {
            own.files
        };
        other.side(reference) != side
    });
    match (side, is_alone) {
        (Side::Left, true) => "左",
        (Side::Right, true) => "右",
        (Side::Left, false) => own.words("左"),
        (Side::Right, false) => own.words("右"),
        (Side::Middle, _) => own.words(""),
    }
}

/// Whether 直 may be said of the piece: it steps like a gold or a silver.
fn steps_only(kind: PieceType) -> bool {
    kind == PieceType::Silver || kind.moves_as_gold()
}
