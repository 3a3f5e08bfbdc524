//! Squares, pieces and moves in the notation of CSA.

use crate::movegen::legal_moves;
use crate::position::Position;
use crate::types::{Color, File, Move, Piece, PieceType, Rank, Square};

// --- Writing ---

/// A move in the notation of CSA, which names the piece after the move: `+7776FU`, or `-0055FU` for
/// a drop.
pub fn move_text(mv: Move) -> String {
    let from = mv.from().map_or_else(|| "00".to_owned(), square_text);
    let piece = mv.piece();
    let (sign, name) = (sign(piece.color()), piece_name(piece.kind()));
    format!("{sign}{from}{}{name}", square_text(mv.to()))
}

/// `+` for black, `-` for white.
pub(super) const fn sign(color: Color) -> char {
    match color {
        Color::Black => '+',
        Color::White => '-',
    }
}

/// The file and rank of a square as two digits: `77`.
pub(super) fn square_text(square: Square) -> String {
    format!("{}{}", square.file().index() + 1, square.rank().index() + 1)
}

/// The sign and name of a piece: `+FU`.
pub(super) fn piece_text(piece: Piece) -> String {
    format!("{}{}", sign(piece.color()), piece_name(piece.kind()))
}

/// The two letters of a piece type.
pub(in crate::records) const fn piece_name(kind: PieceType) -> &'static str {
    match kind {
        PieceType::Pawn => "FU",
        PieceType::Lance => "KY",
        PieceType::Knight => "KE",
        PieceType::Silver => "GI",
        PieceType::Bishop => "KA",
        PieceType::Rook => "HI",
        PieceType::Gold => "KI",
        PieceType::King => "OU",
        PieceType::ProPawn => "TO",
        PieceType::ProLance => "NY",
        PieceType::ProKnight => "NK",
        PieceType::ProSilver => "NG",
        PieceType::Horse => "UM",
        PieceType::Dragon => "RY",
    }
}

// --- Parsing ---

/// Parses a sign: `+` is black, `-` white.
pub(super) fn color_of(text: &str) -> Option<Color> {
    match text {
        "+" => Some(Color::Black),
        "-" => Some(Color::White),
        _ => None,
    }
}

/// Parses a square of two digits, file and rank.
pub(super) fn square(text: &str) -> Option<Square> {
    let mut digits = text.chars().map(|letter| letter.to_digit(10));
    let (file, rank) = (digits.next()??, digits.next()??);
    let file = File::from_index((file as usize).checked_sub(1)?)?;
    let rank = Rank::from_index((rank as usize).checked_sub(1)?)?;
    digits.next().is_none().then(|| Square::new(file, rank))
}

/// Parses the two letters of a piece type.
pub(in crate::records) fn kind(text: &str) -> Option<PieceType> {
    PieceType::ALL
        .into_iter()
        .find(|&kind| piece_name(kind) == text)
}

/// Parses a piece with its sign: `+FU`.
pub(super) fn piece(text: &str) -> Option<Piece> {
    let color = match text.get(..1)? {
        "+" => Color::Black,
        "-" => Color::White,
        _ => return None,
    };
    Some(Piece::new(color, kind(text.get(1..)?)?))
}

/// A parsed move, which names the piece after the move.
pub(super) struct Notation {
    color: Color,
    from: Option<Square>,
    to: Square,
    kind: PieceType,
}

impl Notation {
    /// Whether the notation denotes this move.
    pub(super) fn is(&self, mv: Move) -> bool {
        let piece = mv.piece();
        (mv.from(), mv.to(), piece.kind(), piece.color())
            == (self.from, self.to, self.kind, self.color)
    }
}

/// The legal move of `position` that a text such as `+7776FU` denotes; `None` if there is none.
pub fn legal_move(position: &Position, text: &str) -> Option<Move> {
    let notation = parse_move(text)?;
    legal_moves(position)
        .into_iter()
        .find(|&mv| notation.is(mv))
}

/// Parses a move such as `+7776FU`.
pub(super) fn parse_move(text: &str) -> Option<Notation> {
    let color = color_of(text.get(..1)?)?;
    let from = match text.get(1..3)? {
        "00" => None,
        text => Some(square(text)?),
    };
    let to = square(text.get(3..5)?)?;
    let kind = kind(text.get(5..)?)?;
    Some(Notation {
        color,
        from,
        to,
        kind,
    })
}
