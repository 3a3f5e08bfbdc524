//! A position for a terminal: the board with kanji pieces, in colours where the terminal has them.

use std::fmt::Write as _;
use std::io::IsTerminal as _;

use anstyle::{AnsiColor, Style};

use crate::position::Position;
use crate::types::{Color, File, Hand, Move, Piece, PieceType, Rank, Square};

const RANKS: [&str; Rank::NUM] = ["一", "二", "三", "四", "五", "六", "七", "八", "九"];
const FILES: [&str; File::NUM] = ["１", "２", "３", "４", "５", "６", "７", "８", "９"];

/// The pieces in hand in their customary order.
const HAND_ORDER: [PieceType; 7] = [
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Gold,
    PieceType::Silver,
    PieceType::Knight,
    PieceType::Lance,
    PieceType::Pawn,
];

/// The colours of a board, or none.
#[derive(Clone, Copy, Default)]
pub(super) struct Colors {
    white: Style,
    promoted: Style,
    last: Style,
    soft: Style,
}

impl Colors {
    /// Colours if standard output is a terminal that has them and nobody forbids them with
    /// `NO_COLOR` (<https://no-color.org>).
    pub(super) fn chosen() -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if set("NO_COLOR") || is_dumb() || !std::io::stdout().is_terminal() {
            return Self::default();
        }
        Self {
            white: AnsiColor::Cyan.on_default(),
            promoted: AnsiColor::Red.on_default().bold(),
            last: AnsiColor::Black.on(AnsiColor::Yellow),
            soft: Style::new().dimmed(),
        }
    }
}

/// Whether the terminal says that it can only print.
pub(super) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// The board with the hands, black below. `last` is the square of the last move.
pub(super) fn draw(position: &Position, last: Option<Move>, colors: Colors) -> String {
    let mut text = String::new();
    let soft = colors.soft;
    let _ = writeln!(text, "△{}", hand_text(position.hand(Color::White)));
    let files: Vec<&str> = FILES.iter().rev().copied().collect();
    let _ = writeln!(text, "{soft}  {}{soft:#}", files.join(" "));
    let border = format!("{soft}+{}+{soft:#}", "-".repeat(3 * File::NUM));
    let _ = writeln!(text, "{border}");
    for rank in Rank::ALL {
        let _ = write!(text, "{soft}|{soft:#}");
        for file in File::ALL.into_iter().rev() {
            let square = Square::new(file, rank);
            let is_last = last.is_some_and(|mv| mv.to() == square);
            text.push_str(&cell(position.piece_on(square), is_last, colors));
        }
        let _ = writeln!(text, "{soft}|{}{soft:#}", RANKS[rank.index()]);
    }
    let _ = writeln!(text, "{border}");
    let _ = writeln!(text, "▲{}", hand_text(position.hand(Color::Black)));
    text
}

/// A square in three columns: a mark for white's pieces, then the piece.
fn cell(piece: Option<Piece>, is_last: bool, colors: Colors) -> String {
    let Some(piece) = piece else {
        let soft = colors.soft;
        return format!(" {soft}・{soft:#}");
    };
    let is_white = piece.color() == Color::White;
    let style = if is_last {
        colors.last
    } else if piece.kind().is_promoted() {
        colors.promoted
    } else if is_white {
        colors.white
    } else {
        Style::new()
    };
    let mark = if is_white { 'v' } else { ' ' };
    format!("{style}{mark}{}{style:#}", kanji(piece.kind()))
}

fn hand_text(hand: Hand) -> String {
    let held = HAND_ORDER.into_iter().filter(|&kind| hand.has(kind));
    let texts: Vec<String> = held
        .map(|kind| match hand.count(kind) {
            1 => kanji(kind).to_string(),
            count => format!("{}{count}", kanji(kind)),
        })
        .collect();
    if texts.is_empty() {
        "なし".to_owned()
    } else {
        texts.join(" ")
    }
}

/// A piece in one letter.
const fn kanji(kind: PieceType) -> char {
    match kind {
        PieceType::Pawn => '歩',
        PieceType::Lance => '香',
        PieceType::Knight => '桂',
        PieceType::Silver => '銀',
        PieceType::Gold => '金',
        PieceType::Bishop => '角',
        PieceType::Rook => '飛',
        PieceType::King => '玉',
        PieceType::ProPawn => 'と',
        PieceType::ProLance => '杏',
        PieceType::ProKnight => '圭',
        PieceType::ProSilver => '全',
        PieceType::Horse => '馬',
        PieceType::Dragon => '龍',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_is_drawn_in_kanji_and_without_codes_where_there_are_no_colours() {
        let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
        let position = Position::from_sfen(sfen).expect("a good position");
        let drawn = draw(&position, None, Colors::default());
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[0], "△金 銀 桂 歩5");
        assert_eq!(lines[3], "|v香 ・ ・ ・ ・ ・ ・v桂v香|一");
        assert_eq!(lines[4], "| ・ ・ ・ ・ ・ と ・v金v玉|二");
        assert_eq!(lines[13], "▲飛 金");
        assert!(!drawn.contains('\u{1b}'));
    }

    #[test]
    fn the_last_move_is_marked() {
        let mut position = Position::startpos();
        let mv = position
            .to_move("7g7f".parse().expect("a move"))
            .expect("a piece");
        position.do_move(mv);
        let colors = Colors {
            last: Style::new().invert(),
            ..Colors::default()
        };
        let drawn = draw(&position, Some(mv), colors);
        assert_eq!(drawn.matches("\u{1b}[7m 歩\u{1b}[0m").count(), 1, "{drawn}");
    }
}
