//! The start position of a game.

use super::fault::JkfFault;
use super::schema::{Data, Initial, Piece};
use crate::position::{Board, Position};
use crate::records::csa::kind;
use crate::records::notation::handicap::Handicap;
use crate::types::{Color, File, PieceType, Rank, Square};
use crate::util::shorten;

/// The position of a preset, or the one that is drawn.
pub(super) fn start_of(initial: Option<&Initial>) -> Result<Position, JkfFault> {
    let Some(initial) = initial else {
        return Ok(Position::startpos());
    };
    if let Some(data) = &initial.data
        && (initial.preset == "OTHER" || Handicap::of_jkf(&initial.preset).is_none())
    {
        return drawn(data);
    }
    let handicap = Handicap::of_jkf(&initial.preset);
    let sfen = handicap.map(|handicap| handicap.sfen);
    sfen.and_then(|sfen| Position::from_sfen(sfen).ok())
        .ok_or_else(|| JkfFault::Preset(shorten(&initial.preset)))
}

fn drawn(data: &Data) -> Result<Position, JkfFault> {
    let mut board = Board::EMPTY;
    board.set_side_to_move(color_of(data.color)?);
    for (file, column) in data.board.iter().enumerate() {
        for (rank, piece) in column.iter().enumerate() {
            let Some(found) = piece_of(piece)? else {
                continue;
            };
            let place = File::from_index(file).zip(Rank::from_index(rank));
            let (file, rank) = place.ok_or_else(|| JkfFault::Setup {
                found: format!("a piece on {}, {}", file + 1, rank + 1),
                expected: "nine files of nine squares",
            })?;
            board.put(found, Square::new(file, rank));
        }
    }
    for (color, hand) in Color::ALL.into_iter().zip(&data.hands) {
        for (name, &count) in hand {
            if count == 0 {
                continue;
            }
            let kind = kind(name).filter(|kind| PieceType::HAND.contains(kind));
            let kind = kind.filter(|kind| count <= kind.count_in_set());
            let kind = kind.ok_or_else(|| JkfFault::Setup {
                found: format!("{count} of '{}' in hand", shorten(name)),
                expected: "pieces that can be in hand, no more than there are",
            })?;
            let hand = board.hand_mut(color);
            // The packed hand would overflow; the total is checked with the position.
            (0..count).for_each(|_| hand.add(kind));
        }
    }
    Position::from_board(board, 1).map_err(JkfFault::Impossible)
}

fn color_of(code: u8) -> Result<Color, JkfFault> {
    match code {
        0 => Ok(Color::Black),
        1 => Ok(Color::White),
        _ => Err(JkfFault::Setup {
            found: format!("the colour {code}"),
            expected: "0 or 1",
        }),
    }
}

fn piece_of(piece: &Piece) -> Result<Option<crate::types::Piece>, JkfFault> {
    let Some(name) = &piece.kind else {
        return Ok(None);
    };
    let kind = kind(name).ok_or_else(|| JkfFault::Setup {
        found: format!("the piece '{}'", shorten(name)),
        expected: "a piece such as FU",
    })?;
    let color = color_of(piece.color.unwrap_or_default())?;
    Ok(Some(crate::types::Piece::new(color, kind)))
}
