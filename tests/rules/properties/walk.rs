//! Attacks by walking over the board square by square: the slow half of the references.

use raicho::position::Board;
use raicho::types::{Color, PieceType, Square};

const ORTHOGONAL: [(i32, i32); 4] = [(0, -1), (0, 1), (-1, 0), (1, 0)];
const DIAGONAL: [(i32, i32); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];

/// Single steps of a kind as black plays (ranks count down the board).
fn steps(kind: PieceType) -> Vec<(i32, i32)> {
    match kind {
        PieceType::Pawn => vec![(0, -1)],
        PieceType::Knight => vec![(-1, -2), (1, -2)],
        PieceType::Silver => [&DIAGONAL[..], &[(0, -1)]].concat(),
        PieceType::King => [ORTHOGONAL, DIAGONAL].concat(),
        PieceType::Horse => ORTHOGONAL.to_vec(),
        PieceType::Dragon => DIAGONAL.to_vec(),
        PieceType::Lance | PieceType::Bishop | PieceType::Rook => Vec::new(),
        _ => [&ORTHOGONAL[..], &[(-1, -1), (1, -1)]].concat(),
    }
}

fn lines(kind: PieceType) -> &'static [(i32, i32)] {
    match kind {
        PieceType::Lance => &ORTHOGONAL[..1],
        PieceType::Bishop | PieceType::Horse => &DIAGONAL,
        PieceType::Rook | PieceType::Dragon => &ORTHOGONAL,
        _ => &[],
    }
}

/// Whether the piece on `from` attacks `to` when the squares for which `is_occupied` holds block
/// the lines.
pub(crate) fn attacks(
    board: &Board,
    from: Square,
    to: Square,
    is_occupied: impl Fn(Square) -> bool,
) -> bool {
    let Some(piece) = board.piece_on(from) else {
        return false;
    };
    let turn = if piece.color() == Color::Black { 1 } else { -1 };
    let reach = |step: (i32, i32)| move |at: Square| at.offset(turn * step.0, turn * step.1);
    let mut steps = steps(piece.kind()).into_iter();
    let by_step = steps.any(|step| reach(step)(from) == Some(to));
    by_step
        || lines(piece.kind()).iter().any(|&step| {
            let mut next = reach(step)(from);
            while let Some(square) = next {
                if square == to {
                    return true;
                }
                next = if is_occupied(square) { None } else { reach(step)(square) };
            }
            false
        })
}

/// Whether `color` attacks `square`.
pub(crate) fn is_attacked(board: &Board, square: Square, color: Color) -> bool {
    let is_occupied = |at: Square| board.piece_on(at).is_some();
    let mut attackers = board.color(color).into_iter();
    attackers.any(|from| attacks(board, from, square, is_occupied))
}
