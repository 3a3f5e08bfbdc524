//! The lines of CSA that set up a position: `PI`, `P1` to `P9`, `P+` and `P-`.

use super::fault::CsaFault;
use super::notation::{kind, piece, piece_name, square};
use crate::position::{Board, InvalidPosition};
use crate::types::{Color, File, Piece, PieceType, Rank, Square};
use crate::util::shorten;

/// The lines `P1` to `P9` of the start position of an even game.
const EVEN: [&str; 9] = [
    "-KY-KE-GI-KI-OU-KI-GI-KE-KY",
    " * -HI *  *  *  *  * -KA * ",
    "-FU-FU-FU-FU-FU-FU-FU-FU-FU",
    " *  *  *  *  *  *  *  *  * ",
    " *  *  *  *  *  *  *  *  * ",
    " *  *  *  *  *  *  *  *  * ",
    "+FU+FU+FU+FU+FU+FU+FU+FU+FU",
    " * +KA *  *  *  *  * +HI * ",
    "+KY+KE+GI+KI+OU+KI+GI+KE+KY",
];

const KINDS: usize = PieceType::NUM;

/// The position that the lines so far describe.
pub(super) struct Setup {
    squares: [Option<Piece>; Square::NUM],
    hands: [[u32; KINDS]; Color::NUM],
    /// The side that gets all remaining pieces in hand (`00AL`).
    rest: Option<Color>,
    is_empty: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            squares: [None; Square::NUM],
            hands: [[0; KINDS]; Color::NUM],
            rest: None,
            is_empty: true,
        }
    }
}

fn fault(found: &str, expected: &'static str) -> CsaFault {
    CsaFault::Setup {
        found: shorten(found),
        expected,
    }
}

impl Setup {
    /// Reads a line without its `P`.
    pub(super) fn line(&mut self, line: &str) -> Result<(), CsaFault> {
        self.is_empty = false;
        let Some(first) = line.chars().next() else {
            return Err(fault("P", "PI, P1 to P9, P+ or P-"));
        };
        let rest = &line[first.len_utf8()..];
        match first {
            'I' => self.even_without(rest),
            '+' => self.pieces(Color::Black, rest),
            '-' => self.pieces(Color::White, rest),
            _ => match Rank::from_index((first as usize).wrapping_sub('1' as usize)) {
                Some(rank) => self.rank(rank, rest),
                None => Err(fault(line, "PI, P1 to P9, P+ or P-")),
            },
        }
    }

    fn even_without(&mut self, removed: &str) -> Result<(), CsaFault> {
        for (rank, line) in Rank::ALL.into_iter().zip(EVEN) {
            self.rank(rank, line)?;
        }
        for (square_text, kind_text) in groups(removed)? {
            let place = square(square_text);
            let found = place.and_then(|place| self.squares[place.index()]);
            let (Some(place), Some(piece)) = (place, found) else {
                return Err(fault(
                    removed,
                    "squares of the start position with their pieces",
                ));
            };
            if piece_name(piece.kind()) != kind_text {
                return Err(fault(
                    removed,
                    "squares of the start position with their pieces",
                ));
            }
            self.squares[place.index()] = None;
        }
        Ok(())
    }

    fn rank(&mut self, rank: Rank, line: &str) -> Result<(), CsaFault> {
        let cells = in_columns(line);
        let cells = match collapsed(line).filter(|_| cells.is_err()) {
            Some(cells) => cells,
            None => cells?,
        };
        for (piece, file) in cells.into_iter().zip(File::ALL.into_iter().rev()) {
            self.squares[Square::new(file, rank).index()] = piece;
        }
        Ok(())
    }

    fn pieces(&mut self, color: Color, text: &str) -> Result<(), CsaFault> {
        for (square_text, kind_text) in groups(text)? {
            if (square_text, kind_text) == ("00", "AL") {
                self.rest = Some(color);
                continue;
            }
            let kind = kind(kind_text).ok_or_else(|| fault(kind_text, "a piece such as FU"))?;
            if square_text == "00" {
                if !PieceType::HAND.contains(&kind) {
                    return Err(fault(kind_text, "a piece that can be in hand"));
                }
                self.hands[color.index()][kind.index()] += 1;
                continue;
            }
            let place =
                square(square_text).ok_or_else(|| fault(square_text, "00 or a square 11 to 99"))?;
            if self.squares[place.index()].is_some() {
                return Err(fault(square_text, "an empty square"));
            }
            self.squares[place.index()] = Some(Piece::new(color, kind));
        }
        Ok(())
    }

    /// The board; that of an even game if there were no lines.
    pub(super) fn board(&mut self, side: Color) -> Result<Board, CsaFault> {
        if self.is_empty {
            self.even_without("")?;
        }
        let mut board = Board::EMPTY;
        board.set_side_to_move(side);
        let mut missing = [0; KINDS].map(|_: u32| 0_u32);
        for kind in PieceType::HAND {
            missing[kind.index()] = kind.count_in_set();
        }
        for (place, piece) in Square::ALL.into_iter().zip(self.squares) {
            if let Some(piece) = piece {
                board.put(piece, place);
                let left = &mut missing[piece.kind().unpromoted().index()];
                *left = left.saturating_sub(1);
            }
        }
        for kind in PieceType::HAND {
            let held: u32 = self.hands.iter().map(|hand| hand[kind.index()]).sum();
            if let Some(color) = self.rest {
                let rest = missing[kind.index()].saturating_sub(held);
                self.hands[color.index()][kind.index()] += rest;
            }
            for color in Color::ALL {
                let found = self.hands[color.index()][kind.index()];
                // The packed hand would overflow; the total is checked with the position.
                if found > kind.count_in_set() {
                    return Err(CsaFault::Impossible(InvalidPosition::TooMany {
                        kind,
                        found,
                    }));
                }
                let hand = board.hand_mut(color);
                (0..found).for_each(|_| hand.add(kind));
            }
        }
        Ok(board)
    }
}

type Cells = [Option<Piece>; File::NUM];

/// The squares of a rank, three letters each.
fn in_columns(line: &str) -> Result<Cells, CsaFault> {
    let mut cells = [None; File::NUM];
    for (index, cell) in cells.iter_mut().enumerate() {
        // Some programs trim the spaces at the end of a line.
        let text = line.get(3 * index..).unwrap_or_default();
        let text = text.get(..3).unwrap_or(text);
        *cell = match text.trim() {
            "" | "*" => None,
            _ => {
                let found = piece(text);
                Some(found.ok_or_else(|| fault(text, "' * ' or a sign and a piece, such as +FU"))?)
            }
        };
    }
    Ok(cells)
}

/// The squares of a rank that lost blanks, as on web pages: `-HI * * *`.
fn collapsed(line: &str) -> Option<Cells> {
    let mut cells = [None; File::NUM];
    let mut rest = line.trim_start();
    for cell in &mut cells {
        rest = if let Some(rest) = rest.strip_prefix('*') {
            rest
        } else {
            *cell = Some(piece(rest.get(..3)?)?);
            &rest[3..]
        };
        rest = rest.trim_start();
    }
    rest.is_empty().then_some(cells)
}

/// The groups of two letters for a square and two for a piece.
fn groups(text: &str) -> Result<Vec<(&str, &str)>, CsaFault> {
    let text = text.trim();
    let group = |index: usize| Some((text.get(index..index + 2)?, text.get(index + 2..index + 4)?));
    (0..text.len())
        .step_by(4)
        .map(|index| group(index).ok_or_else(|| fault(text, "groups such as 82HI or 00FU")))
        .collect()
}
