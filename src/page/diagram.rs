//! Diagrams of positions (局面図) as SVG: a board with its hands, a title above it and lines of
//! text below, several side by side on a sheet.

use std::fmt::{self, Write as _};

use super::escaped;
use crate::position::Position;
use crate::records::notation::japanese::{FILES, RANKS, hand, mark, piece_letter};
use crate::types::{Color, Piece, Square};

/// Width and height of a square, in pixels.
const SQUARE: usize = 32;
/// Space for a hand and the coordinates, on every side of the board.
const MARGIN: usize = 48;
/// Height of a line of text.
const LINE: usize = 22;

const BOARD: usize = 9 * SQUARE;
const WIDTH: usize = BOARD + 2 * MARGIN;

/// Diagrams in a row of a sheet.
const COLUMNS: usize = 3;

/// A position and the texts around it.
pub struct Diagram<'a> {
    /// Text above the board; empty for none.
    pub title: String,
    /// What the diagram shows.
    pub position: &'a Position,
    /// Below the board, a line each of at most 22 wide characters.
    pub lines: Vec<String>,
}

/// A sheet of diagrams as a file of SVG, which needs no other file.
pub fn svg(diagrams: &[Diagram<'_>]) -> String {
    let mut body = String::new();
    let (mut top, mut width) = (0, 0);
    for row in diagrams.chunks(COLUMNS) {
        for (column, diagram) in row.iter().enumerate() {
            // Writing into a string cannot fail.
            let left = column * WIDTH;
            let _ = write!(body, "<g transform=\"translate({left} {top})\">");
            let _ = diagram.write(&mut body);
            body.push_str("</g>\n");
        }
        width = width.max(row.len() * WIDTH);
        top += row.iter().map(Diagram::height).max().unwrap_or(0);
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {top}\" \
         width=\"{width}\" height=\"{top}\" font-family=\"'Noto Serif CJK JP', 'Yu Mincho', \
         'Hiragino Mincho ProN', 'MS Mincho', serif\" text-anchor=\"middle\">\n\
         <rect width=\"{width}\" height=\"{top}\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}

impl Diagram<'_> {
    fn height(&self) -> usize {
        BOARD + 2 * MARGIN + (self.lines.len() + 1) * LINE
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let middle = WIDTH / 2;
        write_text(out, middle, 20, 16, &self.title)?;
        write!(
            out,
            "<rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{BOARD}\" height=\"{BOARD}\" \
             fill=\"#fdf3d8\" stroke=\"#000\" stroke-width=\"2\"/><path stroke=\"#000\" d=\""
        )?;
        for line in 1..9 {
            let at = MARGIN + line * SQUARE;
            write!(out, "M{at} {MARGIN}v{BOARD}M{MARGIN} {at}h{BOARD}")?;
        }
        out.push_str("\"/>");
        for index in 0..9 {
            let at = MARGIN + index * SQUARE + SQUARE / 2;
            write_text(out, at, MARGIN - 6, 12, FILES[8 - index])?;
            write_text(out, MARGIN + BOARD + 8, at + 4, 12, RANKS[index])?;
        }
        for square in Square::ALL {
            if let Some(piece) = self.position.piece_on(square) {
                write_piece(out, square, piece)?;
            }
        }
        self.write_hand(out, Color::Black)?;
        self.write_hand(out, Color::White)?;
        for (index, line) in self.lines.iter().enumerate() {
            let y = BOARD + 2 * MARGIN + index * LINE;
            write_text(out, middle, y, 15, line)?;
        }
        Ok(())
    }

    /// A hand beside the board, from top to bottom; White's from White's side.
    fn write_hand(&self, out: &mut String, color: Color) -> fmt::Result {
        let text = format!("{}持駒　{}", mark(color), hand(self.position.hand(color)));
        if color == Color::White {
            let (x, y) = (WIDTH / 2, MARGIN + BOARD / 2);
            write!(out, "<g transform=\"rotate(180 {x} {y})\">")?;
        }
        // Lower than the board a long hand has smaller characters.
        let step = (BOARD / text.chars().count()).min(20);
        let letters = text.chars().enumerate();
        for (index, letter) in letters.filter(|(_, letter)| *letter != '　') {
            let y = MARGIN + index * step + step * 4 / 5;
            write_text(out, MARGIN + BOARD + 28, y, step * 4 / 5, letter)?;
        }
        if color == Color::White {
            out.push_str("</g>");
        }
        Ok(())
    }
}

fn write_piece(out: &mut String, square: Square, piece: Piece) -> fmt::Result {
    let (file, rank) = (square.file().index(), square.rank().index());
    let x = MARGIN + (8 - file) * SQUARE + SQUARE / 2;
    let y = MARGIN + rank * SQUARE + SQUARE / 2;
    let is_promoted = piece.kind().is_promoted();
    let color = if is_promoted { "#b00" } else { "#000" };
    let turn = if piece.color() == Color::White {
        format!(" transform=\"rotate(180 {x} {y})\"")
    } else {
        String::new()
    };
    let (y, letter) = (y + 9, piece_letter(piece.kind()));
    write!(out, "<text x=\"{x}\" y=\"{y}\" font-size=\"26\" fill=\"{color}\"{turn}>{letter}</text>")
}

/// A text whose middle is at `x` and whose base is at `y`.
fn write_text(
    out: &mut String,
    x: usize,
    y: usize,
    size: usize,
    text: impl fmt::Display,
) -> fmt::Result {
    let text = escaped(&text.to_string());
    write!(out, "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\">{text}</text>")
}
