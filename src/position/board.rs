//! Pieces on the board and in hand, and the side to move: a position without history.
//!
//! [`Board`] makes and takes back moves on itself and counts its material. Attacks are in
//! `attacks`; keys, repetition and all else that depends on the game are in
//! [`Position`](super::Position).

use super::InvalidPosition;
use crate::types::{Color, Hand, Move, Piece, PieceType, Square, Value};
use crate::{bitboard::Bitboard, types::value::piece_value};

/// Pieces, hands and the side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    squares: [Option<Piece>; Square::NUM],
    // Indexed by code of the kind. Element `GOLDS` is the union of all that move as a gold,
    // `OTHERS` that of the rest.
    by_kind: [Bitboard; PieceType::NUM + 1],
    by_color: [Bitboard; Color::NUM],
    hands: [Hand; Color::NUM],
    kings: [Option<Square>; Color::NUM],
    side_to_move: Color,
}

const OTHERS: usize = 0;
const GOLDS: usize = PieceType::NUM;

/// `GOLDS` or `OTHERS`, by code of the kind.
const GROUPS: [u8; PieceType::NUM + 1] = {
    let mut groups = [OTHERS as u8; PieceType::NUM + 1];
    let mut index = 0;
    while index < PieceType::ALL.len() {
        let kind = PieceType::ALL[index];
        if kind.moves_as_gold() {
            groups[kind.index()] = GOLDS as u8;
        }
        index += 1;
    }
    groups
};

impl Board {
    /// No pieces, black to move.
    pub(crate) const EMPTY: Self = Self {
        squares: [None; Square::NUM],
        by_kind: [Bitboard::EMPTY; PieceType::NUM + 1],
        by_color: [Bitboard::EMPTY; Color::NUM],
        hands: [Hand::EMPTY; Color::NUM],
        kings: [None; Color::NUM],
        side_to_move: Color::Black,
    };

    /// The piece on a square.
    #[inline(always)]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.squares[square.index()]
    }

    /// The pieces by square.
    #[inline(always)]
    pub fn squares(&self) -> &[Option<Piece>; Square::NUM] {
        &self.squares
    }

    /// All pieces of one kind.
    #[inline(always)]
    pub fn kind(&self, kind: PieceType) -> Bitboard {
        self.by_kind[kind.index()]
    }

    /// All pieces of one side.
    #[inline(always)]
    pub fn color(&self, color: Color) -> Bitboard {
        self.by_color[color.index()]
    }

    /// The pieces of one kind and side.
    #[inline(always)]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.kind(kind) & self.color(color)
    }

    /// All pieces that move as a gold, golds included.
    #[inline(always)]
    pub fn golds(&self) -> Bitboard {
        self.by_kind[GOLDS]
    }

    /// Bishops and horses of both sides.
    #[inline(always)]
    pub fn bishops_and_horses(&self) -> Bitboard {
        self.kind(PieceType::Bishop) | self.kind(PieceType::Horse)
    }

    /// Rooks and dragons of both sides.
    #[inline(always)]
    pub fn rooks_and_dragons(&self) -> Bitboard {
        self.kind(PieceType::Rook) | self.kind(PieceType::Dragon)
    }

    /// Horses and dragons of both sides.
    #[inline(always)]
    pub fn horses_and_dragons(&self) -> Bitboard {
        self.kind(PieceType::Horse) | self.kind(PieceType::Dragon)
    }

    /// The squares with a piece of either side.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// The pieces in hand of `color`.
    #[inline(always)]
    pub fn hand(&self, color: Color) -> Hand {
        self.hands[color.index()]
    }

    /// The square of one side's king, `None` where it has none (tsume).
    #[inline(always)]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.kings[color.index()]
    }

    /// The side to move.
    #[inline(always)]
    pub fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    pub(crate) fn set_side_to_move(&mut self, side: Color) {
        self.side_to_move = side;
    }

    pub(crate) fn hand_mut(&mut self, color: Color) -> &mut Hand {
        &mut self.hands[color.index()]
    }

    /// Gives a side pieces in hand. More than a full set would overflow the packed hand; the total
    /// with the board is checked with the position.
    pub(crate) fn give(
        &mut self,
        color: Color,
        kind: PieceType,
        count: u32,
    ) -> Result<(), InvalidPosition> {
        if count > kind.count_in_set() {
            return Err(InvalidPosition::TooMany { kind, found: count });
        }
        (0..count).for_each(|_| self.hand_mut(color).add(kind));
        Ok(())
    }

    /// Puts a piece on an empty square.
    pub(crate) fn put(&mut self, piece: Piece, square: Square) {
        debug_assert!(self.piece_on(square).is_none());
        self.squares[square.index()] = Some(piece);
        self.toggle(piece, Bitboard::of(square));
        if piece.kind() == PieceType::King {
            self.kings[piece.color().index()] = Some(square);
        }
    }

    /// Takes away a piece other than a king.
    pub(super) fn take(&mut self, square: Square) {
        if let Some(piece) = self.squares[square.index()].take() {
            self.toggle(piece, Bitboard::of(square));
        }
    }

    /// The mirror image: left and right exchanged. The rules do not tell them apart.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let mut mirrored = Self::EMPTY;
        for square in self.occupied() {
            if let Some(piece) = self.piece_on(square) {
                mirrored.put(piece, square.mirrored());
            }
        }
        mirrored.hands = self.hands;
        mirrored.side_to_move = self.side_to_move;
        mirrored
    }

    /// The same position with the sides exchanged: the board turned round, the colours of all
    /// pieces swapped, and the other side to move.
    pub(crate) fn rotated(&self) -> Self {
        let mut rotated = Self::EMPTY;
        for square in self.occupied() {
            if let Some(piece) = self.piece_on(square) {
                rotated.put(Piece::new(!piece.color(), piece.kind()), square.rotated());
            }
        }
        let [black, white] = self.hands;
        rotated.hands = [white, black];
        rotated.side_to_move = !self.side_to_move;
        rotated
    }

    /// Makes a pseudo-legal move and passes the turn. Returns the captured piece.
    #[inline(always)]
    pub(crate) fn apply(&mut self, mv: Move) -> Option<Piece> {
        let us = self.side_to_move;
        let (to, piece) = (mv.to(), mv.piece());
        debug_assert_eq!(piece.color(), us);
        self.side_to_move = us.opponent();
        let Some(from) = mv.from() else {
            self.hands[us.index()].remove(piece.kind());
            self.squares[to.index()] = Some(piece);
            self.toggle(piece, Bitboard::of(to));
            return None;
        };
        let captured = self.squares[to.index()];
        if let Some(captured) = captured {
            debug_assert_eq!(captured.color(), us.opponent());
            self.toggle(captured, Bitboard::of(to));
            self.hands[us.index()].add(captured.kind().unpromoted());
        }
        self.shift(us, mv.piece_before(), piece, from, to);
        self.squares[from.index()] = None;
        self.squares[to.index()] = Some(piece);
        captured
    }

    /// Undoes the last move made by [`Self::apply`].
    #[inline(always)]
    pub(crate) fn revert(&mut self, mv: Move, captured: Option<Piece>) {
        let us = self.side_to_move.opponent();
        let (to, piece) = (mv.to(), mv.piece());
        self.side_to_move = us;
        let Some(from) = mv.from() else {
            self.hands[us.index()].add(piece.kind());
            self.squares[to.index()] = None;
            self.toggle(piece, Bitboard::of(to));
            return;
        };
        let before = mv.piece_before();
        self.shift(us, piece, before, to, from);
        self.squares[from.index()] = Some(before);
        self.squares[to.index()] = captured;
        if let Some(captured) = captured {
            self.toggle(captured, Bitboard::of(to));
            self.hands[us.index()].remove(captured.kind().unpromoted());
        }
    }

    /// Moves a piece between the bitboards.
    #[inline(always)]
    fn shift(&mut self, us: Color, before: Piece, after: Piece, from: Square, to: Square) {
        self.toggle_kind(before, Bitboard::of(from));
        self.toggle_kind(after, Bitboard::of(to));
        self.by_color[us.index()] ^= Bitboard::of(from) | Bitboard::of(to);
        if after.kind_index() == PieceType::King.index() {
            self.kings[us.index()] = Some(to);
        }
    }

    #[inline(always)]
    fn toggle(&mut self, piece: Piece, square: Bitboard) {
        self.toggle_kind(piece, square);
        self.by_color[piece.color().index()] ^= square;
    }

    #[inline(always)]
    fn toggle_kind(&mut self, piece: Piece, square: Bitboard) {
        let kind = piece.kind_index();
        self.by_kind[kind] ^= square;
        self.by_kind[usize::from(GROUPS[kind])] ^= square;
    }
}

// --- Material ---

/// Kinds that are counted one by one. Golds and what moves as gold have one value and are counted
/// together.
const COUNTED: [PieceType; 8] = [
    PieceType::Pawn,
    PieceType::Lance,
    PieceType::Knight,
    PieceType::Silver,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Horse,
    PieceType::Dragon,
];

const _: () = assert!(
    piece_value(PieceType::ProPawn) == piece_value(PieceType::Gold)
        && piece_value(PieceType::ProLance) == piece_value(PieceType::Gold)
        && piece_value(PieceType::ProKnight) == piece_value(PieceType::Gold)
        && piece_value(PieceType::ProSilver) == piece_value(PieceType::Gold)
);

impl Board {
    /// Black's material minus white's, on the board and in hand.
    pub(super) fn material(&self) -> Value {
        let (black, white) = (self.color(Color::Black), self.color(Color::White));
        let balance = |pieces: Bitboard| {
            (pieces & black).count() as Value - (pieces & white).count() as Value
        };
        let mut value = piece_value(PieceType::Gold) * balance(self.golds());
        for kind in COUNTED {
            value += piece_value(kind) * balance(self.kind(kind));
        }
        let hands = [self.hand(Color::Black), self.hand(Color::White)];
        for kind in PieceType::HAND {
            let [black, white] = hands.map(|hand| hand.count(kind) as Value);
            value += piece_value(kind) * (black - white);
        }
        value
    }
}

/// Gain of a capture: the opponent loses the piece, and the side to move has it in hand.
#[inline(always)]
pub(super) const fn capture_gain(captured: PieceType) -> Value {
    piece_value(captured) + piece_value(captured.unpromoted())
}

/// Gain of a promotion.
#[inline(always)]
pub(super) const fn promotion_gain(promoted: PieceType) -> Value {
    piece_value(promoted) - piece_value(promoted.unpromoted())
}
