//! Which inputs of a network are one: the numbering of pieces that the shogi world shares, and what each kind of inputs
//! makes of it.
//!
//! A *piece number* says what stands where as one side sees it (`YaneuraOu` and Apery call it `BonaPiece`, after Bonanza):
//! 0 for a piece that is not in the game, 1 to 89 for pieces in hand, from 90 on nine by nine squares for each kind and
//! owner, pieces that move as gold together, and the two kings last. White sees the board turned round.
//!
//! Our own inputs number pieces otherwise (see `own`).
//!
//! [`active`] is the definition; whoever keeps accumulators up to date uses [`king_plane`], [`inputs_on_board`],
//! [`inputs_in_hand`] and [`inputs_not_in_game`] for the pieces that change and must arrive at the same sums.

mod own;

use arrayvec::ArrayVec;

use super::inputs::{Inputs, Kings, Numbering};
use crate::position::Position;
use crate::types::{Color, File, Piece, PieceType, Square};

pub(super) use own::OWN_END;

/// Piece numbers in hand and "not in the game" lie below: the first square of the first kind.
pub(super) const HAND_END: u32 = 90;

/// All piece numbers but kings lie below; here the own king begins.
pub(super) const PIECES_END: u32 = 1548;

/// Where the enemy king begins.
pub(super) const ENEMY_KING: u32 = PIECES_END + SQUARES;

/// All piece numbers lie below.
pub(super) const ALL_END: u32 = ENEMY_KING + SQUARES;

const SQUARES: u32 = Square::NUM as u32;

/// Pieces of a full set besides the kings.
pub(super) const PIECES_IN_SET: usize = 38;

/// The number of a piece of the set that is not in the game, as in handicap games.
const NOT_IN_GAME: u32 = 0;

/// The first own and enemy piece number in hand, by code of the kind.
const IN_HAND: [[u32; 2]; 8] = [
    [0, 0],
    [1, 20],
    [39, 44],
    [49, 54],
    [59, 64],
    [79, 82],
    [85, 88],
    [69, 74],
];

/// The own piece number on the first square, by code of the kind; the enemy's follow one board later.
const ON_BOARD: [u32; PieceType::NUM] = [
    0, 90, 252, 414, 576, 900, 1224, 738, 1548, 738, 738, 738, 738, 1062, 1386,
];

/// The most inputs that are one for one side: all pieces, and the kings twice.
const MAX_ACTIVE: usize = 64;

/// Numbers of the inputs that are one, as one side sees the position.
pub type ActiveInputs = ArrayVec<u32, MAX_ACTIVE>;

/// The part of the inputs that belongs to where the own king stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KingPlane {
    /// Its number, below [`Inputs::planes`].
    pub(crate) plane: u32,
    /// Whether left and right of the board change places.
    pub(crate) is_mirrored: bool,
}

/// A square as one side sees it: white turns the board round.
fn seen_by(square: Square, perspective: Color) -> Square {
    match perspective {
        Color::Black => square,
        Color::White => square.rotated(),
    }
}

/// The number of a piece on the board, kings included, as `perspective` sees it.
pub(crate) fn number_on_board(piece: Piece, square: Square, perspective: Color) -> u32 {
    let is_enemy = u32::from(piece.color() != perspective);
    ON_BOARD[piece.kind_index()] + is_enemy * SQUARES + seen_by(square, perspective).index() as u32
}

/// The number of the piece that makes it `count` (at least 1) of that kind in the hand of `owner`. Someone who holds three
/// pawns has the numbers of the first, the second and the third.
pub(crate) fn number_in_hand(kind: PieceType, count: u32, owner: Color, perspective: Color) -> u32 {
    debug_assert!(count >= 1);
    IN_HAND[kind.index()][usize::from(owner != perspective)] + count - 1
}

/// The piece numbers of a position as one side sees it: 38 pieces, those that are not in the game among them, then the
/// kings that there are.
pub(crate) fn piece_numbers(position: &Position, perspective: Color) -> ArrayVec<u32, 40> {
    let mut numbers = ArrayVec::new();
    let board = position.board();
    for square in board.occupied() - board.kind(PieceType::King) {
        if let Some(piece) = position.piece_on(square) {
            numbers.push(number_on_board(piece, square, perspective));
        }
    }
    for owner in Color::ALL {
        for kind in PieceType::HAND {
            for count in 1..=position.hand(owner).count(kind) {
                numbers.push(number_in_hand(kind, count, owner, perspective));
            }
        }
    }
    // YaneuraOu's list of pieces always has 38 entries, and the empty ones count as the piece number 0.
    while numbers.len() < PIECES_IN_SET {
        numbers.push(NOT_IN_GAME);
    }
    for owner in Color::ALL {
        if let Some(king) = position.king(owner) {
            let piece = Piece::new(owner, PieceType::King);
            numbers.push(number_on_board(piece, king, perspective));
        }
    }
    numbers
}

/// The plane of the inputs for a king of `perspective` on `king`.
///
/// Mirrored inputs know kings on files 1 to 5 only; a king on files 6 to 9 turns left and right of the board around.
pub(crate) fn king_plane(inputs: Inputs, king: Square, perspective: Color) -> KingPlane {
    let king = seen_by(king, perspective);
    let is_mirrored = inputs.is_mirrored() && king.file() > File::File5;
    let king = if is_mirrored {
        mirrored(king.index() as u32)
    } else {
        king.index() as u32
    };
    KingPlane {
        plane: if inputs.planes() == 1 { 0 } else { king },
        is_mirrored,
    }
}

/// The inputs that one piece number sets: none for a king where kings are no inputs, otherwise one; two for a king where
/// kings are counted twice ([`Inputs::Ka2`]). For [`Inputs::HalfKpE9`] it is the input of a piece that nobody attacks.
pub(crate) fn indices(inputs: Inputs, king: KingPlane, number: u32) -> ArrayVec<u32, 2> {
    debug_assert_eq!(inputs.numbering(), Numbering::Shared);
    let mut found = ArrayVec::new();
    let is_king = number >= PIECES_END;
    if is_king && inputs.kings() == Kings::None {
        return found;
    }
    let mut piece = number;
    if king.is_mirrored && piece >= HAND_END {
        let square = (piece - HAND_END) % SQUARES;
        piece = piece - square + mirrored(square);
    }
    if piece >= ENEMY_KING && inputs.kings() == Kings::Together {
        piece -= SQUARES;
    }
    found.push(king.plane * inputs.pieces_per_plane() + piece);
    if is_king && inputs.counts_kings_twice() {
        found.push(inputs.pieces_per_plane() + number - PIECES_END);
    }
    found
}

/// The inputs that a piece on the board sets, kings included.
#[inline(always)]
pub(crate) fn inputs_on_board(
    inputs: Inputs,
    king: KingPlane,
    perspective: Color,
    piece: Piece,
    square: Square,
) -> ArrayVec<u32, 2> {
    match inputs.numbering() {
        Numbering::Shared => indices(inputs, king, number_on_board(piece, square, perspective)),
        Numbering::Own => one(own::on_board(king, perspective, piece, square)),
    }
}

/// The inputs that the piece sets which makes it `count` of that kind in the hand of `owner`.
#[inline(always)]
pub(crate) fn inputs_in_hand(
    inputs: Inputs,
    plane: KingPlane,
    perspective: Color,
    kind: PieceType,
    count: u32,
    owner: Color,
) -> ArrayVec<u32, 2> {
    match inputs.numbering() {
        Numbering::Shared => indices(
            inputs,
            plane,
            number_in_hand(kind, count, owner, perspective),
        ),
        Numbering::Own => one(own::in_hand(kind, count, owner, perspective)),
    }
}

/// The inputs of a piece of the set that is not in the game.
#[inline(always)]
pub(crate) fn inputs_not_in_game(inputs: Inputs, king: KingPlane) -> ArrayVec<u32, 2> {
    match inputs.numbering() {
        Numbering::Shared => indices(inputs, king, NOT_IN_GAME),
        Numbering::Own => ArrayVec::new(),
    }
}

#[inline(always)]
fn one(index: u32) -> ArrayVec<u32, 2> {
    let mut found = ArrayVec::new();
    found.push(index);
    found
}

/// The square in the same rank on the other side of file 5.
fn mirrored(square: u32) -> u32 {
    let (file, rank) = (square / 9, square % 9);
    (8 - file) * 9 + rank
}

/// All inputs that are one, as `perspective` sees the position; an input may stand in the list more than once and counts as
/// often (pieces that are not in the game). `None` where that side has no king.
pub fn active(inputs: Inputs, position: &Position, perspective: Color) -> Option<ActiveInputs> {
    let king = king_plane(inputs, position.king(perspective)?, perspective);
    if inputs.numbering() == Numbering::Own {
        return Some(own::active(king, position, perspective));
    }
    if inputs.counts_attacks() {
        return Some(active_with_attacks(
            inputs,
            position,
            perspective,
            king,
            &Attacks::of(position),
        ));
    }
    let numbers = piece_numbers(position, perspective).into_iter();
    Some(
        numbers
            .flat_map(|number| indices(inputs, king, number))
            .collect(),
    )
}

/// The same for inputs that count attacks.
pub(crate) fn active_with_attacks(
    inputs: Inputs,
    position: &Position,
    perspective: Color,
    king: KingPlane,
    attacks: &Attacks,
) -> ActiveInputs {
    let step = inputs.planes() * inputs.pieces_per_plane();
    let numbers = piece_numbers(position, perspective).into_iter();
    numbers
        .flat_map(|number| {
            let plane = attacks.plane(perspective, number);
            let found = indices(inputs, king, number).into_iter();
            found.map(move |index| index + plane * step)
        })
        .collect()
}

/// By how many pieces of each side the pieces on the board are attacked, each 0, 1 or "2 and more".
#[derive(Clone, Debug)]
pub(crate) struct Attacks([[u8; Square::NUM]; Color::NUM]);

impl Attacks {
    pub(crate) fn of(position: &Position) -> Self {
        let board = position.board();
        let mut attacks = [[0; Square::NUM]; Color::NUM];
        for square in board.occupied() - board.kind(PieceType::King) {
            for side in Color::ALL {
                let attackers = board.attackers_by(side, square, board.occupied());
                attacks[side.index()][square.index()] = attackers.count().min(2) as u8;
            }
        }
        Self(attacks)
    }

    /// What a piece number's inputs are shifted by: own attackers · 3 + enemy attackers, 0 for pieces in hand.
    fn plane(&self, perspective: Color, number: u32) -> u32 {
        if !(HAND_END..PIECES_END).contains(&number) {
            return 0;
        }
        let square = Square::ALL[((number - HAND_END) % SQUARES) as usize];
        let square = seen_by(square, perspective).index();
        let count = |side: Color| u32::from(self.0[side.index()][square]);
        count(perspective) * 3 + count(!perspective)
    }
}

#[cfg(test)]
mod tests;
