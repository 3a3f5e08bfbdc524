//! Japanese notation (棋譜): ▲７六歩, △同　銀, ▲５三桂不成, △５五角打, ▲５八金右.
//!
//! Where more than one piece of a kind could go to a square, the Japan Shogi Association's rules
//! (`https://www.shogi.or.jp/faq/kihuhyouki.html`) tell them apart: by the motion (上, 寄, 引) if
//! that is unique, by 直 for gold and silver straight ahead, otherwise by the side (右, 左), with the
//! motion where the side alone is not unique. As in other programs, a pinned piece counts as one
//! that could move.

use crate::types::{Color, File, Hand, Move, Piece, PieceType, Rank, Square};
use crate::{movegen::legal_moves, position::Position};

/// The digits of ranks and of counts.
pub const RANKS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// The digits of files.
pub const FILES: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];

/// The marks of a side before a move.
pub const MARKS: [char; 6] = ['▲', '△', '▼', '▽', '☗', '☖'];

/// Those of them that are white's.
pub const WHITE_MARKS: [char; 3] = ['△', '▽', '☖'];

/// What may stand between the parts of a move, between words and before a line.
pub(in crate::records) const BLANKS: [char; 3] = [' ', '　', '\t'];

/// Bytes of a Chinese character, and of a kana.
const KANJI: usize = 3;

/// The names that are read, the longer ones first. Of several the first is written.
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
pub fn piece_name(kind: PieceType) -> &'static str {
    let mut names = NAMES.iter().filter(|(_, named)| *named == kind);
    names.next().map_or("", |(name, _)| name)
}

/// Several pieces, those of a kind together: `金歩2枚`.
pub fn piece_names(kinds: &[PieceType]) -> String {
    let named = |same: &[PieceType]| match same {
        [kind] => piece_name(*kind).to_owned(),
        [kind, ..] => format!("{}{}枚", piece_name(*kind), same.len()),
        [] => String::new(),
    };
    kinds.chunk_by(|one, next| one == next).map(named).collect()
}

/// The one character of a piece type on boards: `歩`, `全`, `龍`.
pub fn piece_letter(kind: PieceType) -> &'static str {
    let is_letter = |(name, named): &&(&str, PieceType)| *named == kind && name.len() == KANJI;
    NAMES.iter().find(is_letter).map_or("", |(name, _)| name)
}

/// A piece as boards show it: ` 歩`, and `v歩` for White's.
pub fn on_board(piece: Piece) -> String {
    let mark = match piece.color() {
        Color::Black => ' ',
        Color::White => 'v',
    };
    format!("{mark}{}", piece_letter(piece.kind()))
}

/// The piece that the text begins with, and the rest of the text.
pub fn piece_at_start(text: &str) -> Option<(PieceType, &str)> {
    let first = text.as_bytes().first_chunk::<KANJI>()?;
    // The first character alone tells most names apart.
    let named = |(name, kind): &(&str, PieceType)| {
        let is_first = name.as_bytes().first_chunk() == Some(first);
        let rest = if is_first { text.strip_prefix(name) } else { None };
        Some((*kind, rest?))
    };
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

/// The pieces in hand: `飛　歩十八`, or `なし`.
pub fn hand(hand: Hand) -> String {
    let kinds = PieceType::HAND_OF_APERY.into_iter().rev();
    let texts = kinds.filter(|&kind| hand.has(kind)).map(|kind| {
        let name = piece_letter(kind);
        match hand.count(kind) {
            1 => name.to_owned(),
            count => format!("{name}{}", number(count)),
        }
    });
    let texts: Vec<String> = texts.collect();
    if texts.is_empty() { "なし".to_owned() } else { texts.join("　") }
}

/// The text of a square: `７六`.
pub fn square(square: Square) -> String {
    let (file, rank) = (square.file().index(), square.rank().index());
    format!("{}{}", FILES[file], RANKS[rank])
}

/// Parses a file: a digit, full width or ASCII.
pub fn file_of(letter: char) -> Option<File> {
    let first = match letter {
        '１'..='９' => '１',
        '1'..='9' => '1',
        _ => return None,
    };
    File::from_index(letter as usize - first as usize)
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
        // A name of one character is set apart, so that the text has the usual width.
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

/// A move as rows of KIF have it, with the square that it comes from: `７六歩(77)`, `同　銀(31)`,
/// `５五角打`. `last` is the target square of the move before.
pub fn with_origin(mv: Move, last: Option<Square>) -> String {
    let name = piece_name(mv.piece_before().kind());
    let to = if last == Some(mv.to()) { "同　".to_owned() } else { square(mv.to()) };
    let promotion = if mv.is_promotion() { "成" } else { "" };
    match mv.from() {
        None => format!("{to}{name}打"),
        Some(from) => {
            let (file, rank) = (from.file().index() + 1, from.rank().index() + 1);
            format!("{to}{name}{promotion}({file}{rank})")
        }
    }
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
    /// 成: the piece promotes.
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
    if could { Promotion::Refused } else { Promotion::Impossible }
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
    let steps = steps_only(piece.kind());
    if is_straight && steps {
        return "直";
    }
    // Two sliders, such as dragons, are distinguished by where they stand, not by the target.
    let side = own.side(if steps { 0 } else { others[0].files });
    let reference = if steps { 0 } else { own.files };
    let mut others = others.iter();
    let is_alone = others.all(|other| other.side(reference) != side);
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

// --- Reading ---

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
        let text = text.trim_start_matches(MARKS).trim_start_matches(BLANKS);
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
        let (kind, mut rest) = piece_at_start(text.trim_start_matches(BLANKS))?;
        let mut written =
            Self { to, kind, promotes: false, from: None, is_drop: false, words: Words::default() };
        rest = written.read_words(rest);
        match origin(rest) {
            Origin::None => {}
            Origin::Wrong => return None,
            Origin::Hand(next) => {
                written.is_drop = true;
                rest = next;
            }
            Origin::Square(from, next) => {
                written.from = Some(from);
                rest = next;
            }
        }
        Some((written, rest))
    }

    /// The square that the piece goes to.
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
        let mut written =
            Self { to, kind, promotes, from, is_drop: false, words: Words::default() };
        written.read_words(words);
        written
    }

    /// Reads words until the rest of the text, which is returned.
    fn read_words<'text>(&mut self, text: &'text str) -> &'text str {
        let mut rest = text;
        loop {
            let mut letters = rest.chars();
            match letters.next() {
                Some('不') if letters.as_str().starts_with('成') => drop(letters.next()),
                Some('生') => {}
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

    /// The legal moves that the text fits. Where the named piece is a promoted one and none such
    /// can go there, a promotion is meant: ２二馬(88) for the bishop that promotes.
    pub fn candidates(&self, position: &Position) -> Vec<Move> {
        let moves = self.moves_of(position, self.kind, self.promotes);
        if moves.is_empty() && self.kind.is_promoted() {
            return self.moves_of(position, self.kind.unpromoted(), true);
        }
        moves
    }

    /// Whether the text calls the moved piece by the name that it has before the move.
    pub fn names(&self, mv: Move) -> bool {
        mv.piece_before().kind() == self.kind
    }

    /// Whether neither a square nor 打 says where the piece comes from.
    pub const fn is_without_origin(&self) -> bool {
        self.from.is_none() && !self.is_drop
    }

    fn moves_of(&self, position: &Position, kind: PieceType, promotes: bool) -> Vec<Move> {
        if self.from.is_some() || self.is_drop {
            let only = self.only_move(Piece::new(position.side_to_move(), kind), promotes);
            let only = only.filter(|&mv| position.is_legal(mv));
            return only.into_iter().collect();
        }
        let legal = legal_moves(position);
        let is_meant = |mv: &&Move| {
            (mv.to(), mv.piece_before().kind(), mv.is_promotion()) == (self.to, kind, promotes)
        };
        let mut moves: Vec<Move> = legal.iter().filter(is_meant).copied().collect();
        // Without 打, a piece on the board goes first.
        let drops = moves.iter().all(|mv| mv.is_drop());
        moves.retain(|mv| mv.is_drop() == drops);
        if !drops {
            self.retain_by_words(&mut moves);
        }
        moves
    }

    /// The move of a piece whose origin is known; `None` where no rule knows such a move.
    fn only_move(&self, piece: Piece, promotes: bool) -> Option<Move> {
        match self.from {
            Some(from) if from == self.to => None,
            Some(from) if promotes => Some(Move::promotion(from, self.to, piece.promoted()?)),
            Some(from) => Some(Move::normal(from, self.to, piece)),
            None if promotes || !PieceType::HAND.contains(&piece.kind()) => None,
            None => Some(Move::drop(piece, self.to)),
        }
    }

    /// As [`Self::candidates`] for KIF, where a piece in hand may be meant without 打 too.
    pub fn candidates_with_drops(&self, position: &Position) -> Vec<Move> {
        let mut moves = self.candidates(position);
        if self.is_without_origin() && moves.iter().all(|mv| !mv.is_drop()) {
            let dropped = Self { is_drop: true, ..self.clone() };
            moves.extend(dropped.candidates(position));
        }
        moves
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
            let all = moves.clone();
            let files = |mv: &Move| motion_of(mv).map_or(0, |motion| motion.files);
            let outermost = match side {
                '右' => moves.iter().map(files).max(),
                _ => moves.iter().map(files).min(),
            };
            moves.retain(|mv| Some(files(mv)) == outermost);
            // Some leave the motion out here too: one that moves as no other is 上, 寄 or 引 alone.
            let vertical = |mv: &Move| motion_of(mv).map(|motion| motion.vertical);
            let has_its_own = |mv: &Move| {
                let alike = all.iter().filter(|other| vertical(other) == vertical(mv));
                alike.count() == 1
            };
            if !moves.iter().all(has_its_own) {
                moves.retain(|mv| !has_its_own(mv));
            }
        }
    }
}

/// What follows a move in KIF: the square that it comes from.
enum Origin<'text> {
    None,
    /// `(00)`: the hand. The rest of the text follows.
    Hand(&'text str),
    Square(Square, &'text str),
    /// Brackets with something else, not a time.
    Wrong,
}

/// The origin in brackets of either width, with blanks before and in them: `(77)`, `　（７七）`.
fn origin(text: &str) -> Origin<'_> {
    let behind = text.trim_start_matches(BLANKS);
    let Some((place, rest)) =
        behind.strip_prefix(['(', '（']).and_then(|rest| rest.split_once([')', '）']))
    else {
        return Origin::None;
    };
    let mut signs = place.chars().filter(|sign| !BLANKS.contains(sign));
    match [signs.next(), signs.next(), signs.next()] {
        [Some('0' | '０'), Some('0' | '０'), None] => Origin::Hand(rest),
        [Some(file), Some(rank), None] => match file_of(file).zip(rank_of(rank)) {
            Some((file, rank)) => Origin::Square(Square::new(file, rank), rest),
            None => Origin::Wrong,
        },
        _ if place.contains([':', '：', '/']) || behind.len() < text.len() => Origin::None,
        _ => Origin::Wrong,
    }
}

// --- Motions ---

/// A way to a square, as the mover sees it.
struct Motion {
    /// Files to the right of the target where the piece stands, negative to the left.
    files: i32,
    vertical: Vertical,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Vertical {
    Forward,
    Sideways,
    Backward,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Middle,
    Right,
}

impl Motion {
    fn new(color: Color, from: Square, to: Square) -> Self {
        let direction = match color {
            Color::Black => 1,
            Color::White => -1,
        };
        let files = to.file().index() as i32 - from.file().index() as i32;
        let ranks = to.rank().index() as i32 - from.rank().index() as i32;
        Self {
            files: direction * files,
            vertical: match direction * ranks {
                0 => Vertical::Sideways,
                ranks if ranks < 0 => Vertical::Forward,
                _ => Vertical::Backward,
            },
        }
    }

    fn side(&self, reference: i32) -> Side {
        match self.files - reference {
            0 => Side::Middle,
            files if files < 0 => Side::Left,
            _ => Side::Right,
        }
    }

    /// The side's word followed by that of the motion.
    fn words(&self, side: &str) -> &'static str {
        match (side, self.vertical) {
            ("左", Vertical::Forward) => "左上",
            ("左", Vertical::Sideways) => "左寄",
            ("左", Vertical::Backward) => "左引",
            ("右", Vertical::Forward) => "右上",
            ("右", Vertical::Sideways) => "右寄",
            ("右", Vertical::Backward) => "右引",
            (_, Vertical::Forward) => "上",
            (_, Vertical::Sideways) => "寄",
            (_, Vertical::Backward) => "引",
        }
    }
}
